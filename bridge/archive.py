"""A person's export: one file per table in a folder, as JSON, CSV or Parquet, and a small file that says what it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bridge.errors import SetupError
from bridge.files import new_folder

ABOUT = "rhythm-bridge-export.json"
VERSION = 1
FORMATS = ("json", "csv", "parquet")

Tables = Mapping[str, Sequence[dict[str, Any]]]


def write(tables: Tables, folder: Path, kind: str) -> dict[str, int]:
    """Write every table; returns how many rows each has. Raises SetupError for a folder that is no empty one."""
    if kind not in FORMATS:
        raise SetupError(f"there is no format {kind!r}; choose one of {', '.join(FORMATS)}")
    new_folder(folder, "bridge export --user NAME --to FOLDER")
    for name, rows in tables.items():
        _write_one(rows, folder / f"{name}.{kind}", kind)
    counts = {name: len(rows) for name, rows in tables.items()}
    about = {"version": VERSION, "format": kind, "tables": counts}
    (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return counts


def _write_one(rows: Sequence[dict[str, Any]], path: Path, kind: str) -> None:
    """One row per line of JSON, or a frame; either way a number keeps all its digits."""
    if kind == "json":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return
    import pandas as pd

    frame = pd.DataFrame(list(rows), dtype=object)
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        _parquet(lambda: frame.infer_objects().to_parquet(path, index=False))


def _parquet(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except ImportError:
        raise SetupError("Parquet needs pyarrow: pip install 'rhythm-bridge[parquet]'") from None


def is_export(path: Path) -> bool:
    return (path / ABOUT).is_file()


def read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The tables of an export. Raises SetupError for one that is incomplete or of a newer release."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        version, kind, names = about["version"], about["format"], list(about["tables"])
    except (OSError, ValueError, KeyError, TypeError):
        raise SetupError(f"{ABOUT} in that folder cannot be read; export again: bridge export --user NAME") from None
    if version != VERSION or kind not in FORMATS:
        raise SetupError("a newer release wrote that export; upgrade: pip install --upgrade rhythm-bridge")
    return {name: _read_one(folder / f"{name}.{kind}", kind) for name in names if name.isidentifier()}


def _read_one(path: Path, kind: str) -> list[dict[str, Any]]:
    try:
        if kind == "json":
            return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        import pandas as pd

        if kind == "csv":
            frame = pd.read_csv(path, dtype=str, keep_default_na=False) if path.stat().st_size > 2 else pd.DataFrame()
            return [{str(k): v or None for k, v in row.items()} for row in frame.to_dict("records")]
        frame = _parquet(lambda: pd.read_parquet(path)).astype(object)
        return [{str(k): _missing(v) for k, v in row.items()} for row in frame.to_dict("records")]
    except (OSError, ValueError) as error:
        raise SetupError(f"{path.name} of the export cannot be read ({type(error).__name__})") from None


def _missing(value: Any) -> Any:
    """None for what pandas calls missing."""
    return None if value is None or value != value else value
