"""Write all data of a user as an export, and read and restore one.

An export is a folder with one file per table (JSON, CSV or Parquet) and a file that describes it.
"""

from __future__ import annotations

import json
import random
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from bridge import origin, registry
from bridge.domain.errors import SetupError
from bridge.domain.types import Outcome
from bridge.ingest.files import DAMAGED, is_bomb, new_folder
from rhythm_env.interface import Meter, MeterState, Observation, Slot

if TYPE_CHECKING:
    from bridge.store import Store

ABOUT_FILE = "rhythm-bridge-export.json"
EXPORT = "export"  # what the outcome of a restored export has as its source
EXPORT_VERSION = 1
ABOUT_MAX_CHARACTERS = 1 << 20
ROW_MAX_CHARACTERS = 1 << 23  # a raw record may hold a year of readings
EXPORT_FORMATS = ("json", "csv", "parquet")
STANDARD_FORMATS = ("ieee1752", "fhir")  # of measurements alone, which cannot be imported
UNPACKED_RATIO, UNPACKED_HARMLESS_BYTES = 60, 10_000_000  # rows are held in memory: less than of files that are not

Tables = Mapping[str, Sequence[dict[str, Any]]]


def write(tables: Tables, folder: Path, kind: str) -> dict[str, int]:
    """Write every table as a file of the format ``kind`` into a new or empty folder. Return table -> number of rows.

    Raises SetupError for an unknown format, a folder that is not empty, a full disk, and Parquet without pyarrow.
    """
    if kind not in EXPORT_FORMATS:
        choices = ", ".join((*EXPORT_FORMATS, *STANDARD_FORMATS))
        raise SetupError(f"there is no format {kind!r}; choose one of {choices}")
    again = "bridge export --user NAME --to FOLDER"
    new_folder(folder, again)
    counts = {name: len(rows) for name, rows in tables.items()}
    about = {"version": EXPORT_VERSION, "format": kind, "tables": counts}
    try:
        for name, rows in tables.items():
            _write_one(rows, folder / f"{name}.{kind}", kind)
        (folder / ABOUT_FILE).write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SetupError(
            f"the export in {folder} is incomplete ({error.strerror}); delete it, make room, then: {again}"
        ) from None
    return counts


def _write_one(rows: Sequence[dict[str, Any]], path: Path, kind: str) -> None:
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
        raise origin.lacking("parquet") from None


def open_export(path: Path, stack: ExitStack) -> Path | None:
    """Return the folder with the tables of the export at ``path``, or None if that is no export or unpacks too large.

    A zip is unpacked into a temporary folder that is deleted when ``stack`` closes. Raises SetupError if the zip is
    damaged or the disk is full.
    """
    if (path / ABOUT_FILE).is_file():
        return path
    try:
        packed = stack.enter_context(zipfile.ZipFile(path))
    except DAMAGED:
        return None
    inside = [(PurePosixPath(member.filename), member) for member in packed.infolist()]
    about = next((name for name, _ in inside if name.name == ABOUT_FILE), None)
    bomb = is_bomb(packed, path.stat().st_size, ratio=UNPACKED_RATIO, harmless=UNPACKED_HARMLESS_BYTES)
    if about is None or bomb:
        return None
    folder = Path(stack.enter_context(TemporaryDirectory(prefix="rhythm-bridge-")))
    for name, member in inside:
        if name.parent == about.parent and name.suffix[1:] in EXPORT_FORMATS:
            _unpack(packed, member, folder / name.name)
    return folder


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, place: Path) -> None:
    try:
        with packed.open(member) as content, place.open("xb") as file:
            shutil.copyfileobj(content, file)
    except OSError as error:
        there = place.parent.parent
        raise SetupError(
            f"the export cannot be unpacked ({error.strerror}); make room in {there} or check its permissions, "
            "then import it again"
        ) from None
    except DAMAGED as error:
        raise SetupError(
            f"the export is damaged or cut off ({type(error).__name__}); export again: bridge export --user NAME"
        ) from None


def restore(store: Store, user_id: int, folder: Path) -> Outcome:
    """Store the tables of an export for a user. Return the outcome with the numbers of rows.

    Raises SetupError if the export is unreadable, or if the user already has a connection to a source.
    """
    tables = read(folder)
    with store.transaction():
        store.exports.restore(user_id, tables)
        _check_priors(store, user_id)
    rows = sum(len(found) for found in tables.values())
    items = {kind: len(tables.get(f"{kind}s", ())) for kind in ("sample", "episode", "event", "task")}
    return Outcome(source=EXPORT, connection="-", outcome="ok", new=rows, files=len(tables), items=items)


def _check_priors(store: Store, user_id: int) -> None:
    nothing = {meter: MeterState(level=0.7, coverage=0.0) for meter in Meter}
    blank = Observation(timestep=0, day=0, slot=Slot.MORNING, meters=nothing)
    for prior in store.lessons.priors(user_id, kept=True):
        name = prior.policy.partition("@")[0]
        if name not in registry.names("policies") or registry.declared("policies", name):
            continue
        policy: Any = registry.policy(name)
        if prior.policy != f"{name}@{policy.version}" or not hasattr(policy, "personal"):
            continue
        try:
            policy.personal(prior.body).decide(blank, random.Random(0))
        except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
            raise SetupError(
                f"the export's priors cannot be read ({type(error).__name__}); nothing was imported; "
                "where it was made, export again: bridge export --user NAME"
            ) from None


def read(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return table -> rows of an export in ``folder``. Values from CSV are texts, or None for an empty cell.

    Raises SetupError if a file is missing or unreadable, or if a newer release wrote the export.
    """
    try:
        about = json.loads(next(_lines(folder / ABOUT_FILE, ABOUT_MAX_CHARACTERS, whole=True)))
        version, kind, names = about["version"], about["format"], [str(name) for name in about["tables"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise SetupError(
            f"{ABOUT_FILE} in that folder cannot be read; export again: bridge export --user NAME"
        ) from None
    if version != EXPORT_VERSION or kind not in EXPORT_FORMATS:
        raise SetupError(f"a newer release wrote that export; install it {origin.renewing()}")
    return {name: _read_one(folder / f"{name}.{kind}", kind) for name in names if name.isidentifier()}


def _read_one(path: Path, kind: str) -> list[dict[str, Any]]:
    try:
        if kind == "json":
            return [json.loads(line) for line in _lines(path, ROW_MAX_CHARACTERS) if line != "\n"]
        import pandas as pd

        if kind == "csv":
            frame = pd.read_csv(path, dtype=str, keep_default_na=False) if path.stat().st_size > 2 else pd.DataFrame()
            return [{str(k): v or None for k, v in row.items()} for row in frame.to_dict("records")]
        frame = _parquet(lambda: pd.read_parquet(path)).astype(object)
        return [{str(k): _missing(v) for k, v in row.items()} for row in frame.to_dict("records")]
    except (OSError, ValueError, OverflowError, RecursionError) as error:
        raise SetupError(
            f"{path.name} of the export cannot be read ({type(error).__name__}); "
            "export again: bridge export --user NAME"
        ) from None


def _lines(path: Path, longest: int, *, whole: bool = False) -> Iterator[str]:
    with path.open(encoding="utf-8", newline="" if whole else "\n") as file:
        read = file.read if whole else file.readline
        while line := read(longest + 1):
            if len(line) > longest:
                raise ValueError
            yield line


def _missing(value: Any) -> Any:
    """Return None for a value that pandas calls missing (None, NaN or NaT), else the value."""
    return None if value is None or value != value else value
