"""Store repeated names of sources, metrics and devices as small integers, cached per transaction."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from bridge.domain.metrics import Metric
from bridge.store.inserts import insert_new
from bridge.store.tables import metrics

Cache = tuple[dict[tuple[str, str], int], dict[tuple[str, int], str]]  # (table, name) -> number, and back


def number(db: sa.Connection, table: sa.Table, name: str) -> int:
    """Return the number that stands for a name in ``table``, such as metrics. A new name is inserted."""
    numbers, _ = _cache(db)
    if (cached := numbers.get((table.name, name))) is not None:
        return cached
    query = sa.select(table.c.id).where(table.c.name == str(name))
    found: Any = db.execute(query).scalar()
    if found is None:
        insert_new(db, table, {"name": str(name)})
        found = db.execute(query).scalar_one()
    numbers[table.name, name] = int(found)
    return int(found)


def name(db: sa.Connection, table: sa.Table, number: int | None) -> str | None:
    """Return the name that a number stands for in ``table``, such as sources. None stays None."""
    if number is None:
        return None
    _, names = _cache(db)
    if (table.name, number) not in names:
        query = sa.select(table.c.name).where(table.c.id == number)
        names[table.name, number] = db.execute(query).scalar_one()
    return names[table.name, number]


def metric_of(db: sa.Connection, number: int) -> Metric:
    return Metric(name(db, metrics, number) or "")


def _cache(db: sa.Connection) -> Cache:
    # At the beginning of each transaction it is empty, because a rollback may undo a new number.
    transaction, info = db.get_transaction(), db.info
    if info.get("bridge_transaction") is not transaction:
        info["bridge_transaction"] = transaction
        info["bridge_names"] = ({}, {})
    cache: Cache = info["bridge_names"]
    return cache
