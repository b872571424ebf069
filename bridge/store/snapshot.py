"""A whole store in one file: filled from another database, and opened again whatever release wrote it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import sqlalchemy as sa

from bridge.errors import TryLater
from bridge.store import moving
from bridge.store.database import Database

Step = Callable[[int, int], None]


def unwatched(table: str) -> Step:  # noqa: ARG001 - nobody is watching
    return lambda done, total: None  # noqa: ARG005


def fill(source: sa.Connection, target: sa.Connection, progress: Callable[[str], Step]) -> None:
    """Put every row of the source in place of whatever the target holds, and compare."""
    for table in reversed(moving.ordered()):
        target.execute(sa.delete(table))
    unequal = [moved.table for moved in moving.copy(source, target, progress) if not moved.verified]
    if unequal:
        raise TryLater(f"the copy differs in {', '.join(unequal)} and is not kept; try again")


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """A backup as a store of this release: a copy of it is migrated, the backup itself is not touched."""
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "backup.db"
        shutil.copyfile(path, own)
        with closing(Database(f"sqlite:///{own}")) as database:
            yield database
