"""What is due, as those see it who work it off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from rhythm_env.interface import Moment


class Presence(Protocol):
    """Being the only one of a kind at a store."""

    def taken(self) -> bool:
        """Whether it is ours, again where the database was away. Raises the database's error while it is."""
        ...

    def close(self) -> None: ...


class Work(Protocol):
    """Due connections, leases, and who is at a store."""

    def presence(self, name: str, holder: str, *, now: datetime) -> Presence:
        """Be the only ``name`` at this store until it is closed or the process ends.

        Raises SetupError, saying who it is, where there is one.
        """
        ...

    def due(self, *, now: datetime) -> dict[str, tuple[int, datetime | None]]:
        """Source -> how many connections nobody is at are due, and since when the longest is (None: never synced)."""
        ...

    def holders(self) -> list[str]:
        """Everybody who holds a lease, expired or not."""
        ...

    def free_all(self, holder: str) -> None:
        """Give back every lease of a holder."""
        ...

    def spread(self, *, now: datetime, step: timedelta, within: timedelta) -> int:
        """Let what is overdue become due in steps, the longest overdue first; how many connections that are."""
        ...

    def recall(self, *, now: datetime, lease: timedelta) -> int:
        """What a clock that was ahead put off is due again, and what landed by it is known now; how many connections
        are due. Where there is nothing of that, it costs next to nothing."""
        ...

    def answered(self, sources: Sequence[str], *, advised: datetime, since: datetime) -> set[int]:
        """The people with a connection to one of these, that is not paused, who have answered lately."""
        ...

    def unsent(self, moment: Moment) -> set[int]:
        """The people with a channel whose advice in a slot was neither seen nor begun to be sent."""
        ...

    def advised(self, moment: Moment) -> set[int]:
        """The people who have advice in a slot."""
        ...
