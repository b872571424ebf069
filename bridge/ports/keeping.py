"""Housekeeping and backups."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

Progress = Callable[[str], Callable[[int, int], None]]  # of a table, how many of how many rows are done


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidied:
    """How many versions of raw records, outcomes of syncs and followed notices went."""

    raw: int
    runs: int
    notices: int


class Keeping(Protocol):
    """A store that is kept small and safe."""

    def tidy(self, before: datetime, lasting: Collection[tuple[str, str]]) -> Tidied:
        """Drop the raw versions of records that last changed before; what they mean and their revisions stay.

        A record keeps all of its versions or none, so that a rebuild of what is kept is right and touches nothing else.
        Those of ``lasting`` (source, stream) are kept: others are read with them; and what is set aside: it is all
        there is. Outcomes of syncs go as well, but for each connection's last.
        """
        ...

    def compact(self, at_most: int | None = None) -> None:
        """Give back the space of what was deleted. Where others cannot write meanwhile (SQLite), only if there are
        ``at_most`` bytes to be kept."""
        ...

    def last(self, what: str) -> datetime | None:
        """When something was last ``done`` at this store."""
        ...

    def done(self, what: str, holder: str, *, now: datetime) -> None: ...

    def backup(self, path: Path, progress: Progress = ...) -> None:
        """The whole store as of one moment, as a file of one format for both databases; others may write meanwhile."""
        ...

    def restore(self, path: Path, *, replace: bool, now: datetime, progress: Progress = ...) -> None:
        """Put a backup into this store. Raises SetupError where people are in it, unless they are to be replaced,
        while anything is synced, and for a file that is no whole backup."""
        ...
