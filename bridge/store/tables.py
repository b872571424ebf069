"""Define the tables.

Users, sources, metrics and devices have integer keys, and times are microseconds since 1970 UTC.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from datetime import UTC, date, datetime, timedelta
from types import NoneType
from typing import Any, get_args, get_type_hints

import sqlalchemy as sa

from bridge.domain.records import FullRecommendation
from bridge.domain.slots import Moment
from bridge.store.codec import compressed

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH = EPOCH.replace(tzinfo=None)
MICROSECOND = timedelta(microseconds=1)
LAST_INSTANT = datetime(9999, 12, 31, tzinfo=UTC)


def microseconds(at: datetime) -> int:
    """Return an instant as microseconds since 1970 UTC, the form in which the tables store it."""
    return (at - EPOCH) // MICROSECOND


def instant(microseconds: int) -> datetime:
    """Return an aware UTC time from microseconds since 1970."""
    return EPOCH + MICROSECOND * microseconds  # twice as quick as a new timedelta


def iso(microseconds: int) -> str:
    """Return a UTC time, given in microseconds since 1970, as ISO 8601 text."""
    return f"{(_EPOCH + MICROSECOND * microseconds).isoformat()}+00:00"


def day_of(value: date | str) -> date:
    """Return a date that a driver gives as a date (PostgreSQL) or as ISO text (SQLite)."""
    return date.fromisoformat(value) if isinstance(value, str) else value


def plain(value: Any) -> Any:
    """Return a datetime or date in the form that drivers take for their column, and any other value unchanged."""
    if isinstance(value, datetime):
        return microseconds(value)
    return value.isoformat() if isinstance(value, date) else value


class Instant(sa.TypeDecorator[datetime]):
    """A column type for aware datetimes, stored as integers, which sort and are equal in both databases."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> int | None:  # noqa: ARG002
        return None if value is None else microseconds(value)

    def process_result_value(self, value: int | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else instant(value)


class Packed(sa.TypeDecorator[str]):
    """A column type for text that is stored compressed with zlib."""

    impl = sa.LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> bytes | None:  # noqa: ARG002
        return None if value is None else compressed(value.encode())

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


COLUMN_TYPES: Mapping[Any, Any] = {  # of fields by their types; of any other, such as a list of facts, it is text
    int: sa.Integer,
    float: sa.Float,
    bool: sa.Boolean,
    date: sa.Date,
    datetime: Instant,
    Mapping[str, Any]: Packed,
}
COLUMN_NAMES = {  # of fields whose columns have other names
    "moment": ("week", "timestep"),
    "moved_to": ("moved_week", "moved_timestep"),
    "facts": ("reasons",),
    "start": ("start_at",),
    "end": ("end_at",),
}
NEVER_NULL = ("scores", "reasons")  # columns of fields with a default


def _id() -> sa.Column[int]:
    return sa.Column("id", ID, primary_key=True)


def _to(table: str, *, nullable: bool = False, **options: Any) -> sa.Column[int]:
    key = sa.ForeignKey(f"{table}s.id", ondelete="CASCADE")
    return sa.Column(f"{table}_id", ID, key, nullable=nullable, **options)


def _instant(name: str, *, nullable: bool = False) -> sa.Column[datetime]:
    return sa.Column(name, Instant, nullable=nullable)


def _text(name: str, *, nullable: bool = False, **options: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable, **options)


def hints_of(record: type) -> dict[str, Any]:
    """Return field -> type of a dataclass, with None removed from optional types."""
    hints = get_type_hints(record)
    return {
        name: next((kind for kind in get_args(hint) if NoneType in get_args(hint)), hint)
        for name, hint in hints.items()
    }


def names_of(field: str) -> tuple[str, ...]:
    """Return the names of the columns that hold a field of a dataclass."""
    return COLUMN_NAMES.get(field, (field,))


def _columns(record: type, *, but: tuple[str, ...]) -> Iterator[sa.Column[Any]]:
    hints = hints_of(record)
    for one in (field for field in fields(record) if field.name not in but):
        kind = hints[one.name]
        kinds = (sa.Date, sa.SmallInteger) if kind is Moment else (COLUMN_TYPES.get(kind, sa.Text),)
        required = one.default is MISSING and one.default_factory is MISSING
        for name, of in zip(names_of(one.name), kinds, strict=True):
            yield sa.Column(name, of, nullable=not required and name not in NEVER_NULL)


users = sa.Table("users", metadata, _id(), _text("name", unique=True), _instant("created_at"))
zones = sa.Table(
    "zones", metadata, _to("user", primary_key=True), sa.Column("since", Instant, primary_key=True), _text("zone")
)
sources = sa.Table(
    "sources", metadata, _id(), _text("name", unique=True), _instant("rate_limited_until", nullable=True)
)
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
    _text("not_permitted", nullable=True),  # a JSON list of streams
    _instant("last_change", nullable=True),  # the last arrival of a new or changed record
    sa.UniqueConstraint("user_id", "source_id", "name"),
)
# The client id and secret of a vendor's application, sealed, by source or by the name that several sources share.
clients = sa.Table(
    "clients",
    metadata,
    _text("name", primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    _instant("set_at"),
)
# Only connections that could be claimed, so that a claim reads no other rows.
_claimable = sa.and_(connections.c.secret.is_not(None), connections.c.paused.is_(None))
sa.Index(
    "ix_connections_due",
    connections.c.due_at,
    connections.c.id,
    sqlite_where=_claimable,
)
sa.Index(
    "ix_connections_leased",
    connections.c.lease_until,
    sqlite_where=connections.c.lease_until.is_not(None),
)
cursors = sa.Table(
    "cursors",
    metadata,
    _to("connection", primary_key=True),
    sa.Column("stream", sa.Text, primary_key=True),
    sa.Column("version", sa.Integer, nullable=False),
    _text("cursor"),
)

# Webhook notices. A handled notice is kept for a while, because vendors send notices again.
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
    _instant("handled_at", nullable=True),
    sa.UniqueConstraint("connection_id", "trace"),
)

# A row per record of a source. ``version`` is that of the normaliser that last read the record.
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
    _text("reason", nullable=True),  # why the record is set aside, or a line per metric with a value set aside
    sa.Column("version", sa.Integer, nullable=False),
    _instant("arrived_at"),
    _instant("as_of", nullable=True),  # date of the newest export with the record
    _instant("whole_as_of", nullable=True),  # date of the newest export with the whole record
    sa.UniqueConstraint("connection_id", "stream", "key"),
    sa.Index("ix_records_parent", "connection_id", "parent"),
)
# Stretches of a stream that an export delivered whole. Older exports add nothing to them. ``parent`` limits a stretch
# to the records of one file; empty, it holds the records without a parent.
covered = sa.Table(
    "covered",
    metadata,
    _to("connection", primary_key=True),
    _text("stream", primary_key=True),
    _text("prefix", primary_key=True),
    _text("parent", primary_key=True),
    _instant("as_of"),
)
# Every version of a record as it arrived, append-only. ``parent`` is kept for a rebuild.
arrivals = sa.Table(
    "arrivals",
    metadata,
    _id(),
    _to("record", index=True),
    _instant("arrived_at"),
    sa.Column("deleted", sa.Boolean, nullable=False),
    _text("parent", nullable=True),
    sa.Column("payload", sa.LargeBinary, nullable=False),
    sa.Column("pieces", sa.LargeBinary, nullable=True),  # of the last version: its values by the dates of their exports
    sa.Index("ix_arrivals_arrived_at", "arrived_at"),
)


def _derived(name: str, *columns: sa.schema.SchemaItem) -> sa.Table:
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
# Readings of packed metrics, up to a thousand of a record's day in a row (``bridge.store.packing``). ``start`` is that
# of the first. ``first_end`` and ``last_end`` bound their ends, and ``known_at`` is the earliest of them.
packed_samples = sa.Table(
    "packed_samples",
    metadata,
    _id(),
    _to("user"),
    _to("connection", index=True),
    _to("record"),
    _to("metric"),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("part", sa.Integer, nullable=False),
    sa.Column("count", sa.Integer, nullable=False),
    _instant("start"),
    _instant("first_end"),
    _instant("last_end"),
    _text("body"),
    _instant("known_at"),
    sa.UniqueConstraint("record_id", "metric_id", "day", "part"),
    sa.Index("ix_packed_samples_user_id_day", "user_id", "day", "metric_id"),
)
episodes = _derived(
    "episodes",
    sa.Column("day", sa.Date, nullable=False),
    _text("body"),
    sa.Index("ix_episodes_user_id_day", "user_id", "day"),
)
# ``start`` and ``end`` of a single event; all-day events are widened by a day. A series has its first start, no end.
events = _derived(
    "events",
    _instant("start", nullable=True),
    _instant("end", nullable=True),
    _text("body"),
    sa.Index("ix_events_user_id_start", "user_id", "start"),
)
tasks = _derived("tasks", _text("body"), sa.Index("ix_tasks_user_id", "user_id"))

# Earlier versions of rows, readable as of any instant in [known_at, superseded_at).
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
# The last holder of each singleton lock, valid only while that lock is held, and the last run of each daily chore.
singletons = sa.Table(
    "singletons", metadata, sa.Column("name", sa.Text, primary_key=True), _text("holder"), _instant("since")
)
# Append-only. The newest correction of a series counts.
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
# Priors that policies have learnt for users. Append-only except ``kept``.
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
# Tools that assistants may use. Only a command, or the user's settings in a browser, adds a row.
consents = sa.Table(
    "consents",
    metadata,
    _to("user", primary_key=True),
    sa.Column("tool", sa.Text, primary_key=True),
    _instant("given_at"),
)
# Resets of the model. Feedback before the newest reset that was not withdrawn does not count.
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
    *_columns(FullRecommendation, but=("id", "user_id")),
    sa.Column("recheck", sa.Boolean),  # true for an outcome by the rules of an earlier release
    sa.Index("ix_recommendations_user_id_created_at", "user_id", "created_at"),
    sa.Index("ix_recommendations_week_timestep", "week", "timestep"),
)
sa.Index(
    "ix_recommendations_answered_at",
    recommendations.c.answered_at,
    sqlite_where=recommendations.c.answered_at.is_not(None),
)
_current = sa.and_(recommendations.c.superseded_at.is_(None), recommendations.c.closed_at.is_(None))
sa.Index(
    "uq_recommendations_slot",
    recommendations.c.user_id,
    recommendations.c.week,
    recommendations.c.timestep,
    unique=True,
    sqlite_where=_current,
)
# Slots that were left without advice by lot, as the arm of a trial to which advice is compared.
silences = sa.Table(
    "silences",
    metadata,
    _to("user", primary_key=True),
    sa.Column("week", sa.Date, primary_key=True),
    sa.Column("timestep", sa.SmallInteger, primary_key=True, autoincrement=False),
    _instant("made_at"),
    sa.Column("probability", sa.Float, nullable=False),  # of the silence
    sa.Index("ix_silences_week_timestep", "week", "timestep"),
)
# The wishes of a user for the plan, a JSON object.
wishes = sa.Table("wishes", metadata, _to("user", primary_key=True), _text("body"), _instant("set_at"))
# Notes on tasks: the last place in the plan of a day, and when the user ticked it here while it was due on ``due``.
# ``said_at`` is when the user last ticked it or took that back.
task_notes = sa.Table(
    "task_notes",
    metadata,
    _to("user", primary_key=True),
    _text("key", primary_key=True),
    sa.Column("due", sa.Date),
    _instant("start", nullable=True),
    _instant("end", nullable=True),
    _instant("done_at", nullable=True),
    _instant("said_at", nullable=True),
)
# The order of sources that the user chose, a JSON list of names, the first preferred.
preferences = sa.Table("preferences", metadata, _to("user", primary_key=True), _text("body"), _instant("set_at"))
# Channels for recommendations. With ``events``, messages may name events of the calendar. ``quiet`` names slots of the
# day without messages, as a JSON list.
channels = sa.Table(
    "channels",
    metadata,
    _to("user", primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    sa.Column("events", sa.Boolean, nullable=False),
    _instant("created_at"),
    sa.Column("quiet", sa.Text, nullable=False, server_default="[]"),
)
# At most a row per recommendation, written before the recommendation is sent.
notifications = sa.Table(
    "notifications",
    metadata,
    _id(),
    _to("user", index=True),
    _to("recommendation", unique=True),
    _text("state"),  # sending, sent, failed
    _instant("at"),
    _text("reason", nullable=True),
    sa.Column("likely", sa.Float),  # probability of an answer within half an hour, as foretold at ``at``
)
# Credentials for the page and the API. Only hashes and digests are stored, and none are exported.
passwords = sa.Table("passwords", metadata, _to("user", primary_key=True), _text("hash"), _instant("set_at"))
sessions = sa.Table(
    "sessions",
    metadata,
    _id(),
    _to("user", index=True),
    _text("digest", unique=True),
    _instant("expires_at"),
    sa.Column("used_at", Instant, nullable=False, server_default="0"),
    sa.Column("proved_at", Instant, nullable=False, server_default="0"),
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
# Accounts at an OpenID Connect provider that log in as a user.
identities = sa.Table(
    "identities",
    metadata,
    _text("issuer", primary_key=True),
    _text("subject", primary_key=True),
    _to("user", index=True),
    _instant("made_at"),
)
# Passkeys (WebAuthn). ``host`` is the name of the page for which a passkey was made, because it works there alone.
passkeys = sa.Table(
    "passkeys",
    metadata,
    _id(),
    _to("user", index=True),
    _text("name"),
    _text("host"),
    sa.Column("credential", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("public_key", sa.LargeBinary, nullable=False),
    sa.Column("signatures", sa.BigInteger, nullable=False),  # the counter of the authenticator
    _instant("made_at"),
    _instant("used_at", nullable=True),
)
# Meters of a user that another user of the installation may see.
shares = sa.Table(
    "shares",
    metadata,
    _to("user", primary_key=True),
    sa.Column("viewer_id", ID, sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True, index=True),
    _text("meter", primary_key=True),
    _instant("made_at"),
)
