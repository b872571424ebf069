"""The data of a watch's export, moved by whole weeks onto the busiest fortnight of a calendar."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from bridge import registry
from bridge.domain.types import Episode, EpisodeKind, Page, RawRecord, Sample
from bridge.ingest.sync import Source
from bridge.store import Store
from lab.plans.run import normalise, payload

NIGHTS_MIN = 14
WEEK, FORTNIGHT, BEFORE = timedelta(weeks=1), timedelta(weeks=2), timedelta(weeks=6)
Measured = Sample | Episode


@dataclass(frozen=True, slots=True)
class Deliveries:
    """A connector that delivers given samples and episodes, each after its end."""

    items: Sequence[Measured]
    stream: str

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield a page of the items that ended after the instant ``cursor`` and not after ``now``.

        Only the stream ``self.stream`` has items. A cursor of None begins with the first item.
        """
        since = datetime.min.replace(tzinfo=UTC) if cursor is None else datetime.fromisoformat(cursor)
        if stream == self.stream:
            fresh = [one for one in self.items if since < (one.end or one.start) <= now]
            records = tuple(RawRecord(stream=stream, key=one.key, payload=payload(one)) for one in fresh)
            yield Page(stream=stream, records=records, cursor=now.isoformat())

    def close(self) -> None:
        """Do nothing."""


def fullest(days: Collection[date], rng: random.Random) -> date | None:
    """Return the Monday that begins the fortnight with the most of ``days``, or None if ``days`` is empty.

    Among equal fortnights, the one with more days in the six weeks before is returned, then one at random.
    """
    mondays = sorted({day - timedelta(days=day.weekday()) - back * WEEK for day in days for back in (0, 1)})

    def fullness(first: date) -> tuple[int, int]:
        before = sum(first - BEFORE <= day < first for day in days)
        return sum(first <= day < first + FORTNIGHT for day in days), before

    most = max(map(fullness, mondays), default=None)
    return rng.choice([monday for monday in mondays if fullness(monday) == most]) if mondays else None


def nights_of(store: Store, user_id: int) -> set[date]:
    """Return the dates on which the user woke from a main sleep."""
    return {one.day for _, one in store.reading.episodes(user_id) if one.kind is EpisodeKind.SLEEP}


def moved(store: Store, user_id: int, by: timedelta, zone: str) -> dict[str, list[Measured]]:
    """Return the user's samples and episodes by source, moved by ``by`` at the same local time in ``zone``."""
    found: dict[str, list[Measured]] = {}
    items: list[tuple[str, Measured]] = [*store.reading.samples(user_id), *store.reading.episodes(user_id)]
    for source, one in items:
        found.setdefault(source, []).append(_moved(one, by, ZoneInfo(zone)))
    return found


def _moved(one: Measured, by: timedelta, zone: ZoneInfo) -> Measured:
    there = one.start.astimezone(zone if one.offset is None else timezone(timedelta(minutes=one.offset)))
    start = there.replace(tzinfo=zone) + by
    east = start.utcoffset() or timedelta()
    values: dict[str, Any] = {
        "start": start.astimezone(UTC),
        "day": one.day + by,
        "offset": east // timedelta(minutes=1),
    }
    if one.end is not None:
        values["end"] = values["start"] + (one.end - one.start)
    return replace(one, **values)


def sources_of(store: Store, user_id: int, items: dict[str, list[Measured]], now: datetime) -> list[Source]:
    """Connect a user to each source in ``items``, and return for each a ``sync`` source that delivers these items."""
    return [_source(store, user_id, name, some, now) for name, some in items.items()]


def _source(store: Store, user_id: int, name: str, items: Sequence[Measured], now: datetime) -> Source:
    spec = registry.spec(name)
    connection = store.connections.connect(user_id, name, "account", now=now)
    stream = spec.streams[0]
    opened: Callable[[], Deliveries] = lambda: Deliveries(items, stream)  # noqa: E731
    return Source(connection=connection, spec=spec, open=opened, normalise=normalise, recurring=False)
