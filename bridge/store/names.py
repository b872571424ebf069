"""Small integers instead of repeated texts: sources, metrics and devices by number, remembered per transaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from bridge.metrics import Metric


def number(db: sa.Connection, table: sa.Table, name: str) -> int:
    """The number of a name, given one on first use."""
    known = _names(db)
    if (found := known.get((table.name, name))) is not None:
        return found
    query = sa.select(table.c.id).where(table.c.name == str(name))
    found = db.execute(query).scalar()
    if found is None:  # the name is new
        insert_new(db, table, {"name": str(name)})
        found = db.execute(query).scalar_one()
    known[table.name, name] = int(found)
    return int(found)


def insert_new(db: sa.Connection, table: sa.Table, values: Mapping[str, Any]) -> bool:
    """Insert unless a unique constraint says it is there, maybe since a moment ago; returns True when inserted."""
    unless_there = insert_into(db, table).values(**values).on_conflict_do_nothing().returning(sa.literal_column("1"))
    return db.execute(unless_there).first() is not None


def insert_into(db: sa.Connection, table: sa.Table) -> Any:
    """An INSERT that may have an ON CONFLICT. Each dialect takes long to load, and one is needed."""
    if db.dialect.name == "postgresql":
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table)
    from sqlalchemy.dialects import sqlite

    return sqlite.insert(table)


def name(db: sa.Connection, table: sa.Table, number: int | None) -> str | None:
    """The name behind a number."""
    if number is None:
        return None
    known = _numbers(db)
    if (table.name, number) not in known:
        query = sa.select(table.c.name).where(table.c.id == number)
        known[table.name, number] = db.execute(query).scalar_one()
    return known[table.name, number]


def metric(db: sa.Connection, number: int) -> Metric:
    from bridge.store.tables import metrics

    return Metric(name(db, metrics, number) or "")


def _names(db: sa.Connection) -> dict[tuple[str, str], int]:
    return _memory(db)[0]


def _numbers(db: sa.Connection) -> dict[tuple[str, int], str]:
    return _memory(db)[1]


def _memory(db: sa.Connection) -> tuple[dict[tuple[str, str], int], dict[tuple[str, int], str]]:
    """Lives as long as the transaction: a roll-back may take a new number back."""
    transaction = db.get_transaction()
    if db.info.get("bridge_transaction") is not transaction:
        db.info["bridge_transaction"] = transaction
        db.info["bridge_names"] = ({}, {})
    memory: tuple[dict[tuple[str, str], int], dict[tuple[str, int], str]] = db.info["bridge_names"]
    return memory
