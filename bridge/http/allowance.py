"""Limits of a sync: its total time, and its answers without new data.

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
    """The error of a sync that ran for 30 minutes, or got 500 answers in a row without new data."""


def no_pace() -> None:
    """Do nothing: requests follow each other without a wait."""


@dataclass(slots=True)
class Allowance:
    """The allowance that a sync has left: time until ``ends``, and 500 answers in a row without new data."""

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

        Raises Overdrawn for a sync beyond its limits, SourceChanged for a page of a listing that was answered before.
        """
        self.check()
        if address in self.answered:
            raise SourceChanged(SAME_PAGE)
        if self.empty_answers >= EMPTY_MAX_ANSWERS:
            raise Overdrawn(f"{self.empty_answers} answers of the source in a row brought nothing new")
        self.empty_answers += 1
        self.pace()

    def note(self, address: str, *, ok: bool) -> None:
        """Remember ``address`` as answered if it is a listing's page. A failure forgets all, to allow retries."""
        if not ok:
            self.answered.clear()
        elif PAGE_TOKEN.search(address):
            self.answered.add(address)

    def begin(self) -> None:
        """Forget the answered pages, because a new listing begins, which may use the same addresses."""
        self.answered.clear()

    def brought(self) -> None:
        """Set the count of answers without new data back to 0, because new data was stored."""
        self.empty_answers = 0


_current: ContextVar[Allowance | None] = ContextVar("allowance", default=None)


def current() -> Allowance | None:
    """Return the allowance of the sync that runs in this thread, or None outside a sync."""
    return _current.get()


@contextmanager
def granted(pace: Callable[[], None] = no_pace) -> Iterator[Allowance]:
    """Give this thread a new allowance for the block of ``with``, and yield it. Every request in the block counts
    against it, and waits for ``pace``.
    """
    allowance = Allowance(pace=pace)
    before = _current.set(allowance)
    try:
        yield allowance
    finally:
        _current.reset(before)
