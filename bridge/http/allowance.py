"""Limit the total time of a sync, and the number of its answers without new data.

The sync engine grants an allowance and reports new data. The HTTP transport checks it before every request.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from bridge.domain.errors import SAME_PAGE, SourceChanged, TryLater

SYNC_MAX_SECONDS = 30 * 60.0
EMPTY_MAX_ANSWERS = 500  # in a row; hundreds of calendars without changes are an answer each
TOO_DEEP = "the source answered JSON nested far too deep; look for a newer release of the bridge"
PAGE_TOKEN = re.compile(r"[?&](%24|\$)?(next|page|continuation|skip)_?token=", re.IGNORECASE)


class Overdrawn(TryLater):
    """A sync ran for too long, or got too many answers in a row without new data."""


def no_pace() -> None:
    """Do nothing, as the pace of requests that follow each other without a wait."""


@dataclass(slots=True)
class Allowance:
    """The limits of a running sync, which are the time ``ends`` (monotonic clock) and the answers without new data."""

    ends: float = field(default_factory=lambda: time.monotonic() + SYNC_MAX_SECONDS)  # on the monotonic clock
    empty_answers: int = 0  # since the last new data
    answered: set[str] = field(default_factory=set)  # addresses of pages since the listing began
    pace: Callable[[], None] = no_pace  # waits before each request, or raises TryLater

    def check(self) -> None:
        """Raise Overdrawn once the sync has run past ``ends``."""
        if time.monotonic() >= self.ends:
            raise Overdrawn(f"the source did not come to an end within {SYNC_MAX_SECONDS / 60:.0f} minutes")

    def ask(self, address: str) -> None:
        """Count a request to the URL ``address`` before it is sent.

        Raises Overdrawn if the sync is beyond its limits, SourceChanged if the same page of a listing was answered
        before.
        """
        self.check()
        if address in self.answered:
            raise SourceChanged(SAME_PAGE)
        if self.empty_answers >= EMPTY_MAX_ANSWERS:
            raise Overdrawn(f"{self.empty_answers} answers of the source in a row brought nothing new")
        self.empty_answers += 1
        self.pace()

    def note(self, address: str, *, ok: bool) -> None:
        """Store that ``address`` was answered, if it is a page of a listing. After a failure all may be asked again."""
        if not ok:
            self.answered.clear()
        elif PAGE_TOKEN.search(address):
            self.answered.add(address)

    def begin(self) -> None:
        """Forget the answered pages. Call it before a new listing, which may use the same addresses."""
        self.answered.clear()

    def brought(self) -> None:
        """Reset the count of answers without new data, because new data was stored."""
        self.empty_answers = 0


_current: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


def current() -> Allowance | None:
    """Return the allowance of the sync that runs in this thread, or None outside a sync."""
    return _current.get()


@contextmanager
def granted(pace: Callable[[], None] = no_pace) -> Iterator[Allowance]:
    """Give this thread a new allowance for the ``with`` block, and yield it.

    Every request in the block counts against it, and calls ``pace`` before it is sent.
    """
    allowance = Allowance(pace=pace)
    before = _current.set(allowance)
    try:
        yield allowance
    finally:
        _current.reset(before)
