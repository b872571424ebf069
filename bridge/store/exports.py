"""Export a user's rows as JSON values, with names in place of numeric keys, and import them.

Times and dates are in ISO 8601, payloads are JSON, and bytes are hexadecimal.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.types import Sample
from bridge.store import codec, export_rows, names, packed, tables
from bridge.store.database import Part, reads, writes
from bridge.store.packing import Known
from bridge.store.recommendations import Recommendations

# Parents before children. ``Exports.dump`` says what is not exported.
EXPORTED_TABLES = (
    tables.zones,
    tables.connections,
    tables.cursors,
    tables.covered,
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
    tables.silences,
    tables.wishes,
    tables.preferences,
    tables.task_notes,
    tables.shares,
)
NOT_RESTORED = (tables.shares,)  # a name in another installation may be another person's
NOT_EXPORTED_COLUMNS = {"secret", "lease_holder", "lease_until", "failures", "user_id", "levels"}
JSON_COLUMNS = ("payload", "pieces")  # kept compressed
NAME_TABLES = {
    "source_id": tables.sources,
    "metric_id": tables.metrics,
    "device_id": tables.devices,
    "viewer_id": tables.users,
}

Row = dict[str, Any]


class Exports(Part):
    """The part of the store that exports all rows of a user, and imports them."""

    @reads
    def dump(self, db: sa.Connection, user_id: int) -> dict[str, list[Row]]:
        """Return table name -> rows of a user, in the order in which ``restore`` needs them. Secrets are left out."""
        found: dict[str, list[Row]] = {}
        for table in EXPORTED_TABLES:
            rows = db.execute(sa.select(table).where(_of_user(table, user_id)).order_by(*table.primary_key.columns))
            found[table.name] = [_plain(db, table, row) for row in rows]
        found[tables.samples.name] += [_unpacked(place) for place in packed.places(db, _p.user_id == user_id)]
        return found

    @writes()
    def restore(self, db: sa.Connection, user_id: int, saved: Mapping[str, Sequence[Row]]) -> None:
        """Insert exported rows (table name -> rows) for a user without connections.

        Raises SetupError for unreadable rows, a user with a connection, or an answered recommendation in the same slot.
        """
        if db.execute(sa.select(tables.connections.c.id).where(tables.connections.c.user_id == user_id)).first():
            raise SetupError(
                "an export can only be imported for a user without connections; add one: bridge user add NAME, "
                "then: bridge import PATH --user NAME"
            )
        for table in EXPORTED_TABLES:
            if not all(isinstance(row, Mapping) for row in saved.get(table.name, ())):
                raise _unreadable(table, "a row is not an object")
        _make_room(db, user_id, saved.get("recommendations", ()))
        if saved.get("zones"):
            db.execute(sa.delete(tables.zones).where(tables.zones.c.user_id == user_id))
        for single in (tables.wishes, tables.preferences, tables.task_notes):
            if saved.get(single.name):
                db.execute(sa.delete(single).where(single.c.user_id == user_id))
        numbers: dict[str, dict[Any, int]] = {}
        for table in (table for table in EXPORTED_TABLES if table not in NOT_RESTORED):
            self._restore_table(db, user_id, table, saved.get(table.name, ()), numbers)

    def _restore_table(
        self, db: sa.Connection, user_id: int, table: sa.Table, saved: Sequence[Row], numbers: dict[str, dict[Any, int]]
    ) -> None:
        fresh: list[Row] = []
        readings: list[Row] = []
        for place, row in enumerate(saved, 1):
            try:
                values = _checked(db, table, row, numbers)
            except UNREADABLE as error:
                raise _unreadable(table, f"row {place}: {_reason(error)}") from None
            into = readings if table is tables.samples and row["metric"] in packed.METRICS_PACKED else fresh
            into.append(values | ({"user_id": user_id} if "user_id" in table.c else {}))
        try:
            _insert_packed(db, user_id, readings)
            _insert(db, table, fresh, [export_rows.whole(row["id"]) for row in saved if "id" in row], numbers)
            for number in numbers.get("recommendation_id", {}).values() if table is tables.recommendations else ():
                read = Recommendations(self.database).by_id(number)
                if read is not None:
                    export_rows.check_recommendation(read)
        except UNREADABLE as error:
            raise _unreadable(table, _reason(error)) from None


UNREADABLE = (*export_rows.UNREADABLE, sa.exc.IntegrityError, sa.exc.DataError)


def _unreadable(table: sa.Table, why: str) -> SetupError:
    return SetupError(
        f"the export's {table.name} cannot be read ({why}); nothing was imported; "
        "where it was made, export again: bridge export --user NAME"
    )


def _reason(error: Exception) -> str:
    return "two rows are the same" if isinstance(error, sa.exc.IntegrityError) else export_rows.told(error)


def _checked(db: sa.Connection, table: sa.Table, row: Row, numbers: Mapping[str, Mapping[Any, int]]) -> Row:
    values: Row = {}
    for column in table.columns:
        if column.name in NOT_EXPORTED_COLUMNS or column.name == "id":
            continue
        try:
            values[column.name] = _typed_value(db, column, row, numbers)
        except export_rows.UNREADABLE as error:
            raise export_rows.Unfit(f"{column.name}: {export_rows.told(error)}") from None
    names = {"metric": Metric(row["metric"]), "device": row.get("device")} if table is tables.samples else {}
    return values | export_rows.derived(table, values | names)


_p = tables.packed_samples.c


def _unpacked(place: packed.Place) -> Row:
    sample = place.item
    return {
        "id": place.id,
        "connection_id": place.connection_id,
        "record_id": place.record_id,
        "key": sample.key,
        "metric": str(sample.metric),
        "device": sample.device,
        "start": sample.start.isoformat(),
        "end": None if sample.end is None else sample.end.isoformat(),
        "offset": sample.offset,
        "day": sample.day.isoformat(),
        "value": sample.value,
        "count": sample.count,
        "low": sample.low,
        "high": sample.high,
        "known_at": place.known_at.isoformat(),
    }


def _insert_packed(db: sa.Connection, user_id: int, saved: Sequence[Row]) -> None:
    found: dict[int, dict[packed.Day, list[Known]]] = defaultdict(lambda: defaultdict(list))
    keys: set[tuple[int, str]] = set()
    columns = ("key", "start", "end", "offset", "day", "value", "count", "low", "high")
    for row in saved:
        metric, device = names.metric_of(db, row["metric_id"]), names.name(db, tables.devices, row["device_id"])
        sample = Sample(metric=metric, device=device, **{name: row[name] for name in columns})
        day = packed.day_of(row["record_id"], sample)
        found[row["connection_id"]][day].append(Known(sample, tables.microseconds(row["known_at"])))
        keys.add((row["record_id"], sample.key))
    if len(keys) < len(saved):
        raise export_rows.Unfit("a key twice")
    for connection, days in found.items():
        packed.write(db, (user_id, connection), days, {})


def _of_user(table: sa.Table, user_id: int) -> sa.ColumnElement[bool]:
    if "user_id" in table.c:
        return table.c.user_id == user_id
    mine = sa.select(tables.connections.c.id).where(tables.connections.c.user_id == user_id)
    if "connection_id" in table.c:
        return table.c.connection_id.in_(mine)
    records = sa.select(tables.records.c.id).where(tables.records.c.connection_id.in_(mine))
    return table.c.record_id.in_(records)


def _plain(db: sa.Connection, table: sa.Table, row: Any) -> Row:
    kept = (column for column in table.columns if column.name not in NOT_EXPORTED_COLUMNS)
    return dict(_plain_value(db, column, getattr(row, column.name)) for column in kept)


def _plain_value(db: sa.Connection, column: sa.Column[Any], value: Any) -> tuple[str, Any]:
    if column.name in NAME_TABLES:
        return column.name.removesuffix("_id"), names.name(db, NAME_TABLES[column.name], value)
    if isinstance(value, datetime | date):
        return column.name, value.isoformat()
    if column.name in JSON_COLUMNS and value is not None:
        return column.name, json.dumps(codec.unpack(value))  # ASCII, because titles may hold lone surrogates
    if isinstance(value, bytes):
        return column.name, value.hex()
    return column.name, value


def _make_room(db: sa.Connection, user_id: int, rows: Sequence[Row]) -> None:
    r = tables.recommendations.c
    mine = r.user_id == user_id
    db.execute(sa.delete(tables.recommendations).where(mine, r.answer.is_(None)))
    answered = {(str(row.week), str(row.timestep)) for row in db.execute(sa.select(r.week, r.timestep).where(mine))}
    if answered & {(str(row.get("week")), str(row.get("timestep"))) for row in rows}:
        raise SetupError(
            "this user has answered advice for the same slots; add another user: bridge user add NAME, "
            "then: bridge import PATH --user NAME"
        )


def _insert(
    db: sa.Connection, table: sa.Table, fresh: list[Row], old: list[int], numbers: dict[str, dict[Any, int]]
) -> None:
    if not fresh:
        return
    if table not in (tables.connections, tables.records, tables.recommendations):
        db.execute(sa.insert(table), fresh)
        return
    query = sa.insert(table).returning(table.c.id, sort_by_parameter_order=True)
    new = db.execute(query, fresh).scalars().all()
    numbers[f"{table.name.removesuffix('s')}_id"] = dict(zip(old, new, strict=True))
    if len(set(old)) < len(old):
        raise export_rows.Unfit("a number twice")


def _typed_value(db: sa.Connection, column: sa.Column[Any], row: Row, numbers: Mapping[str, Mapping[Any, int]]) -> Any:
    if column.name in NAME_TABLES:
        name = row[column.name.removesuffix("_id")]
        if column.name == "metric_id":
            Metric(name)
        return None if name is None else names.number(db, NAME_TABLES[column.name], export_rows.text_of(name))
    value = row.get(column.name) if column.nullable else row[column.name]  # an older export may lack the column
    if value is None and not column.nullable:
        raise export_rows.Unfit("no value")
    if value is None:
        return None
    if column.name in ("connection_id", "record_id", "recommendation_id"):
        return numbers[column.name][export_rows.whole(value)]
    return export_rows.value_of(column, value)
