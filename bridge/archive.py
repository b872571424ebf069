"""A person's export: one file per table in a folder, as JSON, CSV or Parquet, and a small file that says what it is."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from bridge.errors import SetupError
from bridge.files import DAMAGED, is_bomb, new_folder
from bridge.ports import Store
from bridge.types import Outcome

ABOUT = "rhythm-bridge-export.json"
VERSION = 1
FORMATS = ("json", "csv", "parquet")

Tables = Mapping[str, Sequence[dict[str, Any]]]


def write(tables: Tables, folder: Path, kind: str) -> dict[str, int]:
    """Write every table; returns how many rows each has.

    Raises SetupError for a folder that is no empty one, and where there is no room.
    """
    if kind not in FORMATS:
        raise SetupError(f"there is no format {kind!r}; choose one of {', '.join(FORMATS)}")
    again = "bridge export --user NAME --to FOLDER"
    new_folder(folder, again)
    counts = {name: len(rows) for name, rows in tables.items()}
    about = {"version": VERSION, "format": kind, "tables": counts}
    try:
        for name, rows in tables.items():
            _write_one(rows, folder / f"{name}.{kind}", kind)
        (folder / ABOUT).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{folder} is not whole ({error.strerror}); delete it, make room, then: {again}") from None
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


def opened(path: Path, stack: ExitStack) -> Path | None:
    """The folder of an export: the one given, or what a zip of it holds, unpacked as long as ``stack``; else None.

    Raises SetupError for such a zip that is damaged.
    """
    if (path / ABOUT).is_file():
        return path
    try:
        packed = stack.enter_context(zipfile.ZipFile(path))
    except DAMAGED:
        return None
    inside = [(PurePosixPath(member.filename), member) for member in packed.infolist()]
    about = next((name for name, _ in inside if name.name == ABOUT), None)
    if about is None or is_bomb(packed, path.stat().st_size):
        return None
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="rhythm-bridge-")))
    for name, member in inside:
        if name.parent == about.parent and name.suffix[1:] in FORMATS:
            _unpack(packed, member, folder / name.name)
    return folder


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    try:
        with packed.open(member) as content, place.open("xb") as file:
            shutil.copyfileobj(content, file)
    except OSError as error:
        there = place.parent.parent
        raise SetupError(f"that export cannot be unpacked ({error.strerror}); make room in {there}") from None
    except DAMAGED as error:
        raise SetupError(f"that export is damaged or cut off ({type(error).__name__}); export again") from None


def restore(store: Store, user_id: int, folder: Path) -> Outcome:
    """Put the tables of an export into the store, for a person who has nothing yet."""
    tables = read(folder)
    store.restore(user_id, tables)
    rows = sum(len(found) for found in tables.values())
    items = {kind: len(tables.get(f"{kind}s", ())) for kind in ("sample", "episode", "event", "task")}
    return Outcome(source="export", connection="-", outcome="ok", new=rows, files=len(tables), items=items)


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
