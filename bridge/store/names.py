"""Small integers instead of repeated texts: sources, metrics and devices by number, remembered per transaction."""

from __future__ import annotations

import sqlalchemy as sa

from bridge.types import Metric


def number(db: sa.Connection, table: sa.Table, name: str) -> int:
    """The number of a name, given one on first use."""
    known = _names(db)
    if (found := known.get((table.name, name))) is not None:
        return found
    query = sa.select(table.c.id).where(table.c.name == str(name))
    found = db.execute(query).scalar()
    if found is None:  # the name is new
        found = db.execute(sa.insert(table).values(name=str(name)).returning(table.c.id)).scalar_one()
    known[table.name, name] = int(found)
    return int(found)


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
