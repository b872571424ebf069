"""A made-up source for the tests of the store: ``day`` records stand alone, ``part`` records need their day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.records import Connection
from bridge.domain.types import Episode, EpisodeKind, Event, Item, RawRecord, Sample, Task
from bridge.store import Store
from bridge.store.tables import metadata

T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
FIRST_DAY = date(2026, 1, 1)


def connected(store: Store, source: str = "toy") -> Connection:
    """A new user's connection."""
    user = store.people.add_user(f"u{uuid4().hex[:12]}", "Europe/Berlin", now=T0)
    return store.connections.connect(user.id, source, source, now=T0)


def day(key: str, n: int, **more: Any) -> RawRecord:
    return RawRecord(stream="day", key=key, payload={"n": n, **more})


def part(key: str, n: int, parent: str, **more: Any) -> RawRecord:
    return RawRecord(stream="part", key=key, payload={"n": n, **more}, parent=f"day/{parent}")


def gone(record: RawRecord) -> RawRecord:
    return RawRecord(stream=record.stream, key=record.key, payload={}, deleted=True)


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """The payload's ``n`` decides how many items a record means and what they say; ``bad`` makes it unreadable."""
    if record.payload.get("bad"):
        raise BadRecord("toy: cannot be read")
    n = int(str(record.payload["n"]))
    if record.parent is None:
        return _day(record.key, n)
    if parent is None:
        raise BadRecord("toy: its day has not come")
    return _part(record.key, n + int(str(parent.payload["n"])))


def _day(key: str, n: int) -> list[Item]:
    on = FIRST_DAY + timedelta(days=sum(map(ord, key)) % 30)
    at = datetime.combine(on, datetime.min.time(), tzinfo=UTC)
    items: list[Item] = [
        Sample(key=f"hr{i}", metric=Metric.HEART_RATE, start=at + i * HOUR, day=on, value=60.5 + n, device="toy watch")
        for i in range(n)
    ]
    if n:
        items.append(
            Sample(key="hrv", metric=Metric.HRV_RMSSD, start=at, end=at + HOUR, offset=60, day=on, value=40 + n)
        )
    return items


def _part(key: str, n: int) -> list[Item]:
    at = datetime.combine(FIRST_DAY, datetime.min.time(), tzinfo=UTC) + n * HOUR
    night = Episode(
        key="night",
        kind=EpisodeKind.SLEEP,
        start=at,
        end=at + 8 * HOUR,
        day=FIRST_DAY,
        values={Metric.ASLEEP: 400.0 + n},
    )
    call = Event(key=f"call-{key}", calendar="c", title=f"call {n}", start=at, end=at + HOUR)
    return [night, call] if n % 3 else [Task(key="task", list="l", title=f"write {n}")]


def land(store: Store, connection: Connection, *records: RawRecord, now: datetime = T0, **more: Any) -> list[str]:
    """The outcomes of a page."""
    found = store.ingest.land(connection, records, normalise, now=now, **{"version": 1, **more})
    return [landing.outcome if landing.set_aside is None else f"{landing.outcome}, aside" for landing in found]


def known(store: Store, connection: Connection, at: datetime | None = None) -> list[Item]:
    """Everything a person's store says, in a comparable order."""
    user, span = (
        connection.user_id,
        {"since": datetime(1990, 1, 1, tzinfo=UTC), "until": datetime(2090, 1, 1, tzinfo=UTC)},
    )
    found: list[Item] = [item for _, item in store.reading.samples(user, at=at)]
    found += [item for _, item in store.reading.episodes(user, at=at)]
    found += [item for _, item in store.reading.events(user, at=at, **span)]
    found += [item for _, item in store.reading.tasks(user, at=at)]
    return sorted(found, key=repr)


def tables(store: Store) -> dict[str, list[str]]:
    """Every row of every table without its own surrogate key."""
    assert isinstance(store, Store)
    with store.database.read() as db:
        return {
            table.name: sorted(map(repr, db.execute(sa.select(*(c for c in table.c if c.name != "id")))))
            for table in metadata.sorted_tables
        }
