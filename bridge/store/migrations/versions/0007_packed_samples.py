"""Add the table of packed samples, and move the readings of packed metrics into it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import sqlalchemy as sa
from alembic import op

from bridge.domain.metrics import Metric
from bridge.domain.types import Sample
from bridge.store import packed
from bridge.store.packing import Known
from bridge.store.tables import instant

revision = "0007"
down_revision = "0006"

RECORDS_TOGETHER = 200  # whose readings are held in memory
Days = dict[packed.Day, list[Known]]

_NAMES = ("user_id", "connection_id", "record_id", "metric_id", "device_id", "key", "start", "end", "offset", "value")
_samples = sa.table(
    "samples",
    *map(sa.column, (*_NAMES, "count", "low", "high", "known_at")),
    sa.column("day", sa.Date),
)
_metrics = sa.table("metrics", sa.column("id"), sa.column("name"))
_devices = sa.table("devices", sa.column("id"), sa.column("name"))
_of_packed = _samples.c.metric_id.in_(
    sa.select(_metrics.c.id).where(_metrics.c.name.in_([str(metric) for metric in packed.METRICS_PACKED]))
)


def upgrade() -> None:
    """Create the table of packed samples, and move the readings."""
    op.create_table(
        "packed_samples",
        _number("id"),
        *map(_number, ("user_id", "connection_id", "record_id", "metric_id")),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("first_end", sa.BigInteger(), nullable=False),
        sa.Column("last_end", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("known_at", sa.BigInteger(), nullable=False),
        *map(_owner, ("user", "connection", "record", "metric")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_packed_samples")),
        sa.UniqueConstraint(
            "record_id", "metric_id", "day", "part", name=op.f("uq_packed_samples_record_id_metric_id_day_part")
        ),
    )
    op.create_index(op.f("ix_packed_samples_connection_id"), "packed_samples", ["connection_id"])
    op.create_index("ix_packed_samples_user_id_day", "packed_samples", ["user_id", "day", "metric_id"])
    _move(op.get_bind())


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False)


def _owner(name: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [f"{name}_id"], [f"{name}s.id"], name=op.f(f"fk_packed_samples_{name}_id"), ondelete="CASCADE"
    )


def _move(db: sa.Connection) -> None:
    last = 0
    while records := _records_after(db, last):
        for owner, days in _readings(db, records).items():
            packed.write(db, owner, days, {})
        last = records[-1]
    db.execute(sa.delete(_samples).where(_of_packed))


def _records_after(db: sa.Connection, last: int) -> list[int]:
    record = _samples.c.record_id
    query = sa.select(record).distinct().where(_of_packed, record > last).order_by(record).limit(RECORDS_TOGETHER)
    return list(db.execute(query).scalars())


def _readings(db: sa.Connection, records: list[int]) -> dict[tuple[int, int], Days]:
    found: dict[tuple[int, int], Days] = defaultdict(lambda: defaultdict(list))
    named = _samples.join(_metrics, _metrics.c.id == _samples.c.metric_id)
    named = named.outerjoin(_devices, _devices.c.id == _samples.c.device_id)
    query = sa.select(_samples, _metrics.c.name.label("metric"), _devices.c.name.label("device")).select_from(named)
    for row in db.execute(query.where(_of_packed, _samples.c.record_id.in_(records))):
        sample = _sample(row)
        day = packed.day_of(row.record_id, sample)
        found[row.user_id, row.connection_id][day].append(Known(sample, row.known_at))
    return found


def _sample(row: Any) -> Sample:
    return Sample(
        key=row.key,
        metric=Metric(row.metric),
        start=instant(row.start),
        end=None if row.end is None else instant(row.end),
        offset=row.offset,
        day=row.day,
        value=row.value,
        device=row.device,
        count=row.count,
        low=row.low,
        high=row.high,
    )
