"""A person's rows out of the store and back in, with names instead of surrogate keys; and out of it for good.

Values are what JSON can hold: instants and dates as ISO 8601, payloads as JSON, bytes as hexadecimal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from bridge.errors import SetupError
from bridge.store import advice, codec, names, people, snapshot, tables
from bridge.store.database import Database

# Parents before children. Consents (to us and to assistants), leases and outcomes of syncs stay where they are.
EXPORTED = (
    tables.zones,
    tables.connections,
    tables.cursors,
    tables.records,
    tables.arrivals,
    tables.samples,
    tables.episodes,
    tables.events,
    tables.tasks,
    tables.revisions,
    tables.corrections,
    tables.recommendations,
    tables.notifications,
    tables.priors,
    tables.resets,
)
LEFT_OUT = {"secret", "lease_holder", "lease_until", "failures", "user_id", "levels"}
NAMED = {"source_id": tables.sources, "metric_id": tables.metrics, "device_id": tables.devices}

Row = dict[str, Any]


def dump(db: sa.Connection, user_id: int) -> Iterator[tuple[str, list[Row]]]:
    """(table, rows) of everything a person has, in an order in which it can be put back."""
    for table in EXPORTED:
        found = db.execute(sa.select(table).where(_of(table, user_id)).order_by(*table.primary_key.columns))
        yield table.name, [_plain(db, table, row) for row in found]


def _of(table: sa.Table, user_id: int) -> sa.ColumnElement[bool]:
    """The rows of a person, who may be two tables away."""
    if "user_id" in table.c:
        return table.c.user_id == user_id
    mine = sa.select(tables.connections.c.id).where(tables.connections.c.user_id == user_id)
    if "connection_id" in table.c:
        return table.c.connection_id.in_(mine)
    records = sa.select(tables.records.c.id).where(tables.records.c.connection_id.in_(mine))
    return table.c.record_id.in_(records)


def _plain(db: sa.Connection, table: sa.Table, row: Any) -> Row:
    kept = (column for column in table.columns if column.name not in LEFT_OUT)
    return dict(_plain_value(db, column, getattr(row, column.name)) for column in kept)


def _plain_value(db: sa.Connection, column: sa.Column[Any], value: Any) -> tuple[str, Any]:
    if column.name in NAMED:
        return column.name.removesuffix("_id"), names.name(db, NAMED[column.name], value)
    if isinstance(value, datetime | date):
        return column.name, value.isoformat()
    if column.name == "payload":
        return column.name, json.dumps(codec.unpack(value))  # ASCII: titles may hold what no file takes
    if isinstance(value, bytes):
        return column.name, value.hex()
    return column.name, value


def restore(db: sa.Connection, user_id: int, saved: Mapping[str, Sequence[Row]]) -> None:
    """Put rows back for a person who has none yet. Raises SetupError when they have, or rows do not fit together."""
    if db.execute(sa.select(tables.connections.c.id).where(tables.connections.c.user_id == user_id)).first():
        raise SetupError("an export goes back in for a new person only: bridge user add NAME, then import it for them")
    _make_room(db, user_id, saved.get("recommendations", ()))
    for row in saved.get("zones", ()):
        people.check_zone(str(row.get("zone")))
    if saved.get("zones"):
        db.execute(sa.delete(tables.zones).where(tables.zones.c.user_id == user_id))
    numbers: dict[str, dict[Any, int]] = {}
    for table in EXPORTED:
        try:
            fresh = [
                _typed(db, table, row, numbers) | _owner(table, user_id) | _derived(table, row)
                for row in saved.get(table.name, ())
            ]
        except (KeyError, TypeError, ValueError) as error:
            raise SetupError(f"the export's {table.name} cannot be read ({type(error).__name__})") from None
        _insert(db, table, fresh, [row.get("id") for row in saved.get(table.name, ())], numbers)


def _make_room(db: sa.Connection, user_id: int, rows: Sequence[Row]) -> None:
    """Delete what was advised before anything was known of the person; what they answered to stays."""
    r = tables.recommendations.c
    mine = r.user_id == user_id
    db.execute(sa.delete(tables.recommendations).where(mine, r.answer.is_(None)))
    answered = {(str(row.week), str(row.timestep)) for row in db.execute(sa.select(r.week, r.timestep).where(mine))}
    if answered & {(str(row.get("week")), str(row.get("timestep"))) for row in rows}:
        raise SetupError("advice of the same hours was answered here; import it for another: bridge user add NAME")


def _owner(table: sa.Table, user_id: int) -> Row:
    return {"user_id": user_id} if "user_id" in table.c else {}


def _derived(table: sa.Table, row: Row) -> Row:
    """What is kept twice to be read quickly, and exported once."""
    return {"levels": advice.levels(row["observation"])} if table is tables.recommendations else {}


def _insert(
    db: sa.Connection, table: sa.Table, fresh: list[Row], old: list[Any], numbers: dict[str, dict[Any, int]]
) -> None:
    """Insert, and remember which new number each old one became where others refer to it."""
    if not fresh:
        return
    if table not in (tables.connections, tables.records, tables.recommendations):
        db.execute(sa.insert(table), fresh)
        return
    query = sa.insert(table).returning(table.c.id, sort_by_parameter_order=True)
    new = db.execute(query, fresh).scalars().all()
    numbers[f"{table.name.removesuffix('s')}_id"] = dict(zip(map(int, old), new, strict=True))


def _typed(db: sa.Connection, table: sa.Table, row: Row, numbers: Mapping[str, Mapping[Any, int]]) -> Row:
    kept = (column for column in table.columns if column.name not in LEFT_OUT and column.name != "id")
    return {column.name: _typed_value(db, column, row, numbers) for column in kept}


def _typed_value(db: sa.Connection, column: sa.Column[Any], row: Row, numbers: Mapping[str, Mapping[Any, int]]) -> Any:
    if column.name in NAMED:
        name = row[column.name.removesuffix("_id")]
        return None if name is None else names.number(db, NAMED[column.name], name)
    value = row.get(column.name) if column.nullable else row[column.name]  # an older export may not have it
    if value is None:
        return None
    if column.name in ("connection_id", "record_id", "recommendation_id"):
        return numbers[column.name][int(value)]
    return _of_type(column, value)


def _of_type(column: sa.Column[Any], value: Any) -> Any:
    """The value the column holds, from JSON's or from the text of a CSV file."""
    kind = column.type
    if isinstance(kind, tables.Instant):
        return datetime.fromisoformat(value)
    if isinstance(kind, sa.Date):
        return date.fromisoformat(value)
    if isinstance(kind, sa.LargeBinary):
        return codec.packed(json.loads(value)) if column.name == "payload" else bytes.fromhex(value)
    if isinstance(kind, sa.Boolean):
        return value in (True, "True", "true", 1, "1")
    return {sa.Integer: int, sa.Float: float}.get(_number(kind), str)(value)


def _number(kind: sa.types.TypeEngine[Any]) -> type:
    return next((base for base in (sa.Integer, sa.Float) if isinstance(kind, base)), sa.Text)


def forget(database: Database, user_id: int) -> None:
    """Delete a person with everything. The name goes last: where the disk is full, it can be said again."""
    with database.write() as db:
        name = people.person(db, user_id).name
        _empty(db, user_id)
    then = f"make room, or let others end, then: bridge forget --user {name}"
    with snapshot.refused("the deleted data is still in the database's file", then):
        database.scrub()
    with database.write() as db:
        if db.dialect.name == "sqlite":  # https://www.sqlite.org/pragma.html#pragma_secure_delete
            db.exec_driver_sql("PRAGMA secure_delete=ON")
        db.execute(sa.delete(tables.users).where(tables.users.c.id == user_id))
    database.scrub_of(tables.users, tables.zones)


def _empty(db: sa.Connection, user_id: int) -> None:
    """All of a person but their name and zones, and the names of devices that nobody else has."""
    for table in tables.metadata.sorted_tables:
        if "user_id" in table.c and table is not tables.zones:
            db.execute(sa.delete(table).where(table.c.user_id == user_id))
    used = sa.select(tables.samples.c.device_id).where(tables.samples.c.device_id.is_not(None))
    db.execute(sa.delete(tables.devices).where(tables.devices.c.id.not_in(used)))
