"""Limit the requests to a source over all processes: so many a second, at most a minute's worth at once.

Each source keeps one instant, until which its requests are spent (generic cell rate algorithm, ITU-T I.371, annex A).
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from bridge.store import tables
from bridge.store.database import Part, reads, writes
from bridge.store.inserts import insert_of

WINDOW = timedelta(minutes=1)  # vendors count requests by the minute
CLOCK_TOLERANCE = timedelta(minutes=2)  # beyond that, a clock that was ahead has reserved
PREFIX = "rate "  # of the names under which the instants lie among the singletons
_s = tables.singletons.c
_since = sa.type_coerce(_s.since, sa.BigInteger)


class Rates(Part):
    """The part of the store for requests that may be sent, counted by the machine's clock."""

    @writes(durable=False)
    def reserve(
        self, db: sa.Connection, source: str, worth: timedelta, *, now: datetime, patience: timedelta
    ) -> timedelta:
        """Reserve the requests of the time ``worth`` and return the wait, unless it exceeds ``patience``."""
        at, cost = tables.microseconds(now), _span(worth)
        used: int | None = db.execute(
            _reserve(db.dialect.name), {"name": PREFIX + source, "at": at, "cost": cost, "ahead": _span(patience)}
        ).scalar()
        if used is None:
            used = cost + db.execute(sa.select(_since).where(_s.name == PREFIX + source)).scalar_one()
        return max(timedelta(0), timedelta(microseconds=used - at))

    @reads
    def room(self, db: sa.Connection, rates: dict[str, float], *, now: datetime) -> dict[str, int]:
        """Return source -> number of requests that may be sent now. ``rates`` are requests a second."""
        names: Collection[str] = [PREFIX + source for source in rates]
        query = sa.select(_s.name, _s.since).where(_s.name.in_(names))
        used = {row.name.removeprefix(PREFIX): row.since for row in db.execute(query)} if names else {}
        return {
            source: int((now - max(used.get(source, now - WINDOW), now - WINDOW)).total_seconds() * rate)
            for source, rate in rates.items()
        }


def _span(time: timedelta) -> int:
    return time // timedelta(microseconds=1)


@cache
def _reserve(dialect: str) -> Any:
    """Return the statement that reserves ``cost`` seconds of a source's requests, unless too many are reserved."""
    at, cost, ahead = (sa.bindparam(name, type_=sa.BigInteger) for name in ("at", "cost", "ahead"))
    unused = at - _span(WINDOW)
    broken = _since > at + _span(CLOCK_TOLERANCE)
    moved = sa.case((sa.or_(broken, _since < unused), unused), else_=_since) + cost
    new = insert_of(dialect, tables.singletons).values(name=sa.bindparam("name"), holder="", since=unused + cost)
    settled = new.on_conflict_do_update(index_elements=[_s.name], set_={"since": moved}, where=moved <= at + ahead)
    return settled.returning(_since)
