"""Where advice is sent, and what became of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bridge.ports.records import Connection
from rhythm_env.interface import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A person's sealed address, and whether messages may name what is in the calendar."""

    sealed: bytes
    events: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """What became of sending a piece of advice: sending (also what a crash left so), sent, failed; or missed."""

    recommendation_id: int
    state: str
    at: datetime
    reason: str | None = None


class Post(Protocol):
    """Channels and notifications, durable."""

    def keep(self, user_id: int, channel: Channel | None, *, now: datetime) -> None:
        """Where a person's advice goes from now on; None: nowhere."""
        ...

    def channel(self, user_id: int) -> Channel | None: ...
    def channels(self) -> dict[int, Channel]:
        """user -> channel, of everybody."""
        ...

    def reseal(self, user_id: int, sealed: bytes) -> None:
        """The same address, sealed with another key."""
        ...

    def begin(self, user_id: int, recommendation_id: int, *, now: datetime) -> bool:
        """Say that a piece of advice is being sent, durably; False when that was said before."""
        ...

    def end(self, recommendation_id: int, reason: str | None, *, now: datetime) -> None:
        """It went (None), or why it did not."""
        ...

    def begun(self, recommendation_id: int) -> bool:
        """Whether sending it was ever begun."""
        ...

    def missed(self, user_id: int, *, now: datetime, quiet: Collection[Slot]) -> list[Notification]:
        """Advice that was to be sent and never was begun to be, the newest first; nobody has seen it, and it is over.

        Since the person has an address, in slots that are not ``quiet``.
        """
        ...

    def tell(self, connection: Connection) -> bool:
        """Say that the person is told that this has stopped, durably; False when that was said since it last worked."""
        ...

    def untold(self) -> set[int]:
        """The people with a channel who are to be told that something has stopped."""
        ...

    def notifications(self, user_id: int, states: Sequence[str]) -> list[Notification]:
        """The newest first."""
        ...
