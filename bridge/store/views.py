"""Make SQL views for other programs, such as Grafana. They hold no titles, secrets or raw records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from rhythm_env.interface import Meter

VIEW_PREFIX = "view_"
SECOND = 1_000_000  # an instant is stored in microseconds

# For each database: the number below a name in a column of JSON text, and the second at which a date begins.
NUMBER: dict[str, Callable[[str, str], str]] = {
    "sqlite": lambda column, path: f"json_extract({column}, '$.{path}')",
    "postgresql": lambda column, path: (
        f"CAST(CAST({column} AS json) #>> '{{{path.replace('.', ',')}}}' AS double precision)"
    ),
}
MIDNIGHT: dict[str, Callable[[str], str]] = {
    "sqlite": lambda day: f"CAST(strftime('%s', {day}) AS INTEGER)",
    "postgresql": lambda day: f"CAST(EXTRACT(EPOCH FROM {day}) AS bigint)",
}
# For each database: the table of packed rows with their readings, and a reading's start and value. A value is kept as
# such, or as the sum of the readings of which it is the mean (``bridge.store.packing``).
PACKED_ROWS: dict[str, tuple[str, str, str]] = {
    "sqlite": (
        "packed_samples s JOIN json_each(s.body, '$.at') a",
        "(s.start + a.value * json_extract(s.body, '$.unit'))",
        (
            "COALESCE(json_extract(s.body, '$.value[' || a.key || ']'), json_extract(s.body, '$.sum[' || a.key || ']') "
            "* 1.0 / json_extract(s.body, '$.count[' || a.key || ']'))"
        ),
    ),
    "postgresql": (
        "packed_samples s CROSS JOIN LATERAL ROWS FROM ("
        + ", ".join(f"json_array_elements_text(CAST(s.body AS json) -> '{c}')" for c in ("at", "value", "sum", "count"))
        + ") AS a (at, value, sum, count)",
        "(s.start + CAST(a.at AS bigint) * CAST(CAST(s.body AS json) ->> 'unit' AS bigint))",
        (
            "COALESCE(CAST(a.value AS double precision), "
            "CAST(a.sum AS double precision) / CAST(a.count AS double precision))"
        ),
    ),
}
TEXT: dict[str, Callable[[str, str], str]] = {
    "sqlite": lambda column, name: f"json_extract({column}, '$.{name}')",
    "postgresql": lambda column, name: f"CAST({column} AS json) ->> '{name}'",
}


def statements(dialect: str) -> dict[str, str]:
    """Return view name -> SELECT statement that defines it, for ``sqlite`` or ``postgresql``."""
    number, midnight, text = NUMBER[dialect], MIDNIGHT[dialect], TEXT[dialect]
    stages = " + ".join(number("e.body", f"values.{name}") for name in ("light_sleep", "deep_sleep", "rem_sleep"))
    found = {
        "people": "SELECT u.name AS person FROM users u",
        "meters": " UNION ALL ".join(
            f"SELECT u.name AS person, r.created_at / {SECOND} AS time, '{meter}' AS meter, "  # noqa: S608 - our names
            f"{number('r.levels', str(meter))} AS level FROM recommendations r JOIN users u ON u.id = r.user_id "
            "WHERE r.levels IS NOT NULL"
            for meter in Meter
        ),
        "measurements": " UNION ALL ".join(
            f"SELECT u.name AS person, {start} / {SECOND} AS time, s.day AS day, m.name AS metric, {value} AS value, "  # noqa: S608
            f"o.name AS source FROM {rows} JOIN users u ON u.id = s.user_id JOIN metrics m ON m.id = s.metric_id "
            "JOIN connections c ON c.id = s.connection_id JOIN sources o ON o.id = c.source_id"
            for rows, start, value in (("samples s", "s.start", "s.value"), PACKED_ROWS[dialect])
        ),
        "nights": (
            f"SELECT u.name AS person, {midnight('e.day')} AS time, e.day AS day, o.name AS source, "  # noqa: S608
            f"COALESCE({number('e.body', 'values.asleep')}, {stages}) / 60.0 AS hours "
            "FROM episodes e JOIN users u ON u.id = e.user_id "
            "JOIN connections c ON c.id = e.connection_id JOIN sources o ON o.id = c.source_id "
            f"WHERE {text('e.body', 'kind')} = 'sleep'"
        ),
        "recommendations": (
            f"SELECT u.name AS person, r.created_at / {SECOND} AS time, r.action AS action, r.kind AS kind, "  # noqa: S608
            f"r.start_at / {SECOND} AS begins, r.end_at / {SECOND} AS ends, r.answer AS answer, r.outcome AS outcome "
            "FROM recommendations r JOIN users u ON u.id = r.user_id WHERE r.superseded_at IS NULL"
        ),
        "sources": (
            f"SELECT u.name AS person, o.name AS source, c.last_success / {SECOND} AS last_success, "  # noqa: S608
            "CASE WHEN c.paused IS NOT NULL THEN 'stopped' WHEN c.last_error IS NOT NULL THEN 'failed' ELSE 'well' END "
            "AS state FROM connections c JOIN users u ON u.id = c.user_id JOIN sources o ON o.id = c.source_id"
        ),
    }
    return {VIEW_PREFIX + name: sql for name, sql in found.items()}


def make(db: sa.Connection) -> None:
    """Make the views. The database must have none of them."""
    for name, sql in statements(db.dialect.name).items():
        db.exec_driver_sql(f"CREATE VIEW {name} AS {sql}")


def present(db: sa.Connection) -> list[str]:
    """Return the sorted names of those of the bridge's views that exist in the database."""
    known, seen = statements(db.dialect.name), sa.inspect(db).get_view_names()
    return sorted(set(seen) & set(known))


def drop(db: sa.Connection) -> bool:
    """Drop the views, and return True if there were any. Migrations do so first, as views block changes of tables."""
    found: list[Any] = present(db)
    for name in found:
        db.exec_driver_sql(f"DROP VIEW {name}")
    return bool(found)
