"""Choose the dates to read at sources that report neither changes nor deletions.

The cursor is ``{"until": "2026-11-20"}``, the last date that was read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Self

from bridge.domain.types import Covers, Page, RawRecord
from connectors.instants import midnight

DAY = timedelta(days=1)
Records = tuple[RawRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The first and last date to read. ``again`` is False for a first pull, or if the cursor is unusable."""

    since: date
    until: date
    again: bool
    today: date  # in UTC

    @classmethod
    def after(
        cls, cursor: str | None, *, now: datetime, days: int, overlap: timedelta, held: int | None = None
    ) -> Self:
        """Return the dates to read, from the cursor's date less ``overlap`` to tomorrow in UTC.

        Without a cursor they begin ``days`` ago. If ``held`` is given, the source holds only that many days.
        """
        until = (now + DAY).date()  # the person's date may be ahead of UTC's
        if held is not None:
            since = until - timedelta(days=held - 1)
            found = cls.after(cursor, now=now, days=held - 1, overlap=overlap)
            return replace(found, since=max(found.since, since))
        first = until - timedelta(days=days)
        read = until if cursor is None else date.fromisoformat(json.loads(cursor)["until"])
        if cursor is None or read - overlap > until:
            return cls(since=first, until=until, again=False, today=now.date())
        start = min(read, until) - overlap
        return cls(since=start if read < first else max(first, start), until=until, again=True, today=now.date())

    def pieces(self, days: int) -> Iterator[tuple[date, date]]:
        """Yield (first date, last date) of consecutive pieces of at most ``days`` dates, oldest first."""
        first = self.since
        while first <= self.until:
            last = min(first + timedelta(days=days - 1), self.until)
            yield first, last
            first = last + DAY

    def pages(
        self, stream: str, days: int, read: Callable[[date, date], Iterable[Records]], *, tells_deletions: bool = True
    ) -> Iterator[Page]:
        """Yield a page for each of the record lists that ``read(first, last)`` returns, in pieces of ``days`` dates.

        A piece's last page holds the cursor. With ``tells_deletions``, the window's last page lets records that were
        not read again be deleted.
        """
        for first, last in self.pieces(days):
            *before, final = read(first, last)
            for records in before:
                yield Page(stream=stream, records=records)
            covers = self.covers(last) if tells_deletions else None
            yield Page(stream=stream, records=final, cursor=self.cursor(last), covers=covers)

    def cursor(self, last: date) -> str:
        """Return the cursor that says all was read up to ``last``, or up to today (UTC) if that is earlier."""
        return json.dumps({"until": min(last, self.today).isoformat()})

    def covers(self, last: date) -> Covers | None:
        """Return the dates of which records not read again are deleted, if ``last`` is the window's last, else None.

        A first pull deletes nothing.
        """
        return Covers(since=midnight(self.since + DAY)) if self.again and last == self.until else None
