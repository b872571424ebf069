"""The tables. Surrogate integer keys for user, source, metric and device; instants are microseconds since 1970 UTC."""

from __future__ import annotations

import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def microseconds(at: datetime) -> int:
    """An instant as it is stored."""
    return (at - EPOCH) // MICROSECOND


class Instant(sa.TypeDecorator[datetime]):
    """An aware instant as an integer: it sorts, and means the same on both databases."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else microseconds(value)

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else EPOCH + value * MICROSECOND


class Packed(sa.TypeDecorator[str]):
    """A long text, compressed: a month of answers in an observation takes a fifth of its length."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> bytes | None:  # noqa: ARG002
        return None if value is None else zlib.compress(value.encode())

    def process_result_value(self, value: bytes | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else zlib.decompress(value).decode()


ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> sa.Column[int]:
    return sa.Column("id", ID, primary_key=True)


def _to(table: str, *, nullable: bool = False, **options: Any) -> sa.Column[int]:
    """A reference that goes with what it refers to."""
    key = sa.ForeignKey(f"{table}s.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", ID, key, nullable=nullable, **options)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, Instant, nullable=nullable)


def _text(name: str, *, nullable: bool = False, **options: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable, **options)


users = sa.Table("users", metadata, _id(), _text("name", unique=True), _instant("created_at"))
zones = sa.Table(
    "zones", metadata, _to("user", primary_key=True), sa.Column("since", Instant, primary_key=True), _text("zone")
)
sources = sa.Table("sources", metadata, _id(), _text("name", unique=True), _instant("rests_until", nullable=True))
metrics = sa.Table("metrics", metadata, _id(), _text("name", unique=True))
devices = sa.Table("devices", metadata, _id(), _text("name", unique=True))

connections = sa.Table(
    "connections",
    metadata,
    _id(),
    _to("user"),
    _to("source"),
    _text("name"),
    _instant("created_at"),
    _text("paused", nullable=True),
    _instant("due_at", nullable=True),
    _instant("last_success", nullable=True),
    _text("last_error", nullable=True),
    _text("lease_holder", nullable=True),
    _instant("lease_until", nullable=True),
    sa.Column("secret", sa.LargeBinary),
    _text("member", nullable=True, index=True),
    sa.Column("failures", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("user_id", "source_id", "name"),
)
# Only what somebody could claim: with it, a claim reads what it takes and nothing else.
_claimable = sa.and_(connections.c.secret.is_not(None), connections.c.paused.is_(None))
sa.Index(
    "ix_connections_due",
    connections.c.due_at,
    connections.c.id,
    sqlite_where=_claimable,
    postgresql_where=_claimable,
)
sa.Index(
    "ix_connections_leased",
    connections.c.lease_until,
    sqlite_where=connections.c.lease_until.is_not(None),
    postgresql_where=connections.c.lease_until.is_not(None),
)
cursors = sa.Table(
    "cursors",
    metadata,
    _to("connection", primary_key=True),
    sa.Column("stream", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    _text("cursor"),
)

# What webhooks said; kept a while after it was followed, for those that are sent again.
notices = sa.Table(
    "notices",
    metadata,
    _id(),
    _to("connection"),
    _text("trace"),
    _text("stream"),
    _text("key"),
    sa.Column("deleted", sa.Boolean, nullable=False),
    _instant("arrived_at"),
    _instant("followed_at", nullable=True),
    sa.UniqueConstraint("connection_id", "trace"),
)

# One row per record a source knows; ``version`` is the normaliser's that last read it.
records = sa.Table(
    "records",
    metadata,
    _id(),
    _to("connection"),
    _text("stream"),
    _text("key"),
    _text("parent", nullable=True),
    sa.Column("hash", sa.LargeBinary),
    sa.Column("deleted", sa.Boolean, nullable=False),
    _text("reason", nullable=True),  # why it is set aside
    sa.Column("version", sa.Integer, nullable=False),
    _instant("arrived_at"),
    sa.UniqueConstraint("connection_id", "stream", "key"),
    sa.Index("ix_records_parent", "connection_id", "parent"),
)
# Every version of a record as it arrived; append-only. ``parent`` travels with it, for a rebuild.
arrivals = sa.Table(
    "arrivals",
    metadata,
    _id(),
    _to("record", index=True),
    _instant("arrived_at"),
    sa.Column("deleted", sa.Boolean, nullable=False),
    _text("parent", nullable=True),
    sa.Column("payload", sa.LargeBinary, nullable=False),
    sa.Index("ix_arrivals_arrived_at", "arrived_at"),
)


def _derived(name: str, *columns: sa.schema.SchemaItem) -> sa.Table:
    """A table of what records mean."""
    return sa.Table(
        name,
        metadata,
        _id(),
        _to("user"),
        _to("connection", index=True),
        _to("record"),
        _text("key"),
        *columns,
        _instant("known_at"),
        sa.UniqueConstraint("record_id", "key"),
    )


samples = _derived(
    "samples",
    _to("metric"),
    _to("device", nullable=True),
    _instant("start"),
    _instant("end", nullable=True),
    sa.Column("offset", sa.SmallInteger),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("value", sa.Float, nullable=False),
    sa.Column("count", sa.Integer),
    sa.Column("low", sa.Float),
    sa.Column("high", sa.Float),
    sa.Index("ix_samples_user_id_day", "user_id", "day", "metric_id"),
)
episodes = _derived(
    "episodes",
    sa.Column("day", sa.Date, nullable=False),
    _text("body"),
    sa.Index("ix_episodes_user_id_day", "user_id", "day"),
)
# ``start``/``end`` of a single event (all-day ones widened by a day); a series has its first start and no end.
events = _derived(
    "events",
    _instant("start", nullable=True),
    _instant("end", nullable=True),
    _text("body"),
    sa.Index("ix_events_user_id_start", "user_id", "start"),
)
tasks = _derived("tasks", _text("body"), sa.Index("ix_tasks_user_id", "user_id"))

# What rows said before they changed or vanished: readable as of any moment in [known_at, superseded_at).
revisions = sa.Table(
    "revisions",
    metadata,
    _id(),
    _to("user"),
    _to("connection", index=True),
    _to("record", index=True),
    _text("kind"),
    _text("key"),
    _text("body"),
    _instant("known_at"),
    _instant("superseded_at"),
    sa.Index("ix_revisions_user_id", "user_id", "kind", "superseded_at"),
)
sync_runs = sa.Table(
    "sync_runs",
    metadata,
    _id(),
    _to("connection", index=True),
    _instant("started"),
    _instant("finished"),
    _text("outcome"),
    sa.Index("ix_sync_runs_finished", "finished"),
)
# Who is the only one of a kind here; it counts while their lock is held.
presences = sa.Table(
    "presences", metadata, sa.Column("name", sa.Text, primary_key=True), _text("holder"), _instant("since")
)
# Append-only: of a series the newest counts.
corrections = sa.Table(
    "corrections",
    metadata,
    _id(),
    _to("user", index=True),
    _text("series"),
    _text("title", nullable=True),
    _text("action", nullable=True),
    _instant("made_at"),
)
# Append-only but for ``kept``: what a policy has learnt of a person, and whether it counts.
priors = sa.Table(
    "priors",
    metadata,
    _id(),
    _to("user", index=True),
    _text("policy"),
    _instant("made_at"),
    _text("body"),
    sa.Column("learnt_from", sa.Integer, nullable=False),
    sa.Column("tried_on", sa.Integer, nullable=False),
    sa.Column("gain", sa.Float, nullable=False),
    sa.Column("kept", sa.Boolean, nullable=False),
)
# What assistants may use, as long as the row is there; only the person's own machine may add one.
consents = sa.Table(
    "consents",
    metadata,
    _to("user", primary_key=True),
    sa.Column("tool", sa.Text, primary_key=True),
    _instant("given_at"),
)
# Answers to advice from before the newest one that is not taken back do not count.
resets = sa.Table(
    "resets",
    metadata,
    _id(),
    _to("user", index=True),
    _instant("made_at"),
    _instant("taken_back_at", nullable=True),
)
recommendations = sa.Table(
    "recommendations",
    metadata,
    _id(),
    _to("user"),
    sa.Column("week", sa.Date, nullable=False),
    sa.Column("timestep", sa.SmallInteger, nullable=False),
    _text("action"),
    _text("policy"),
    _text("belief"),
    _text("scores"),
    _text("probabilities"),
    _text("reasons"),
    sa.Column("observation", Packed, nullable=False),
    _instant("created_at"),
    _instant("expires_at"),
    _instant("shown_at", nullable=True),
    _text("answer", nullable=True),
    _instant("answered_at", nullable=True),
    sa.Column("moved_week", sa.Date),
    sa.Column("moved_timestep", sa.SmallInteger),
    _text("belief_sd", nullable=True),
    _text("levels", nullable=True),  # of the observation, which is long to read
    sa.UniqueConstraint("user_id", "week", "timestep"),
    sa.Index("ix_recommendations_user_id_created_at", "user_id", "created_at"),
    sa.Index("ix_recommendations_week_timestep", "week", "timestep"),
)
# Where advice is sent to; ``events``: whether it may name what is in the calendar.
channels = sa.Table(
    "channels",
    metadata,
    _to("user", primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    sa.Column("events", sa.Boolean, nullable=False),
    _instant("created_at"),
)
# One row per recommendation at most, written before it is sent.
notifications = sa.Table(
    "notifications",
    metadata,
    _id(),
    _to("user", index=True),
    _to("recommendation", unique=True),
    _text("state"),  # sending, sent, failed
    _instant("at"),
    _text("reason", nullable=True),
)
# How people come to the page. Of sessions and tokens only digests are kept, and none of it is exported.
passwords = sa.Table("passwords", metadata, _to("user", primary_key=True), _text("hash"), _instant("set_at"))
sessions = sa.Table(
    "sessions", metadata, _id(), _to("user", index=True), _text("digest", unique=True), _instant("expires_at")
)
api_tokens = sa.Table(
    "api_tokens",
    metadata,
    _id(),
    _to("user", index=True),
    _text("name"),
    _text("digest", unique=True),
    _instant("made_at"),
)
