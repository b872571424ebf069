"""JSON documents of connections, of the outcomes of syncs, and of a user's notifications."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import reduce
from typing import TYPE_CHECKING, cast

from typing_extensions import TypedDict

from bridge.documents.filling import filled
from bridge.documents.text import printable
from bridge.domain.languages import Text, say, say_many
from bridge.domain.records import SEND_STATES, UNSENT
from bridge.domain.slots import local_time
from bridge.domain.types import Outcome
from bridge.ingest.connecting import next_step
from rhythm_env.interface import Slot

if TYPE_CHECKING:
    from bridge.advice.foresight import Foresight
    from bridge.domain.records import Connection, User
    from bridge.domain.types import Unread
    from bridge.ingest.imports import ImportResult
    from bridge.installation import Bridge

REPORTED = timedelta(days=14)  # for which an unsent message is shown as an error
UNREAD_KINDS_NAMED = 8  # kinds of unread files that a sentence names; the document lists them all
DIGITS = 4


class ConnectionDocument(TypedDict):
    """A connection of a user to a source, with times in the user's zone.

    ``next`` is the command to run next, or "" if all is well. ``lag_hours`` counts from the end of the newest
    measurement, null without one. ``last_change`` is when a record last was new or changed. ``counts`` maps a metric or
    kind to its stored rows, and ``rows`` is their sum. ``set_aside`` counts unreadable records and implausible values.
    """

    source: str
    connection: str
    last_success: str | None
    next_due: str | None
    newest: str | None
    newest_day: str | None
    lag_hours: float | None
    last_change: str | None
    rows: int
    counts: dict[str, int]
    set_aside: int
    set_aside_reasons: dict[str, int]
    paused: str | None
    error: str | None
    not_permitted: list[str]
    next: str


def connection_documents(
    bridge: Bridge, user: User, now: datetime, counts: Mapping[str, Mapping[str, int]] | None = None
) -> list[ConnectionDocument]:
    """Return every connection of a user. ``counts`` (source -> kind -> stored rows) are queried if None."""
    with bridge.store.view():
        counted = bridge.store.reading.counts(user.id) if counts is None else counts
        return [
            _connection(bridge, user, connection, now, counted.get(connection.source, {}))
            for connection in bridge.store.connections.of_user(user.id)
        ]


def _connection(
    bridge: Bridge, user: User, connection: Connection, now: datetime, counts: Mapping[str, int]
) -> ConnectionDocument:
    aside = Counter(reason for _, reason in bridge.store.ingest.set_aside(connection.id))
    measures = not counts.keys() <= {"event", "task"}  # else the search for the newest would pass all other rows
    newest = bridge.store.reading.newest_measurement(connection.id, now) if measures else None
    return {
        "source": connection.source,
        "connection": connection.name,
        "last_success": _local_minutes(connection.last_success, user),
        "next_due": _local_minutes(connection.due_at, user),
        "newest": _local_minutes(newest, user),
        "newest_day": None if newest is None else local_time(newest, user.zones).date().isoformat(),
        "lag_hours": None if newest is None else round((now - newest) / timedelta(hours=1), 1),
        "last_change": _local_minutes(connection.last_change, user),
        "rows": sum(counts.values()),
        "counts": dict(counts),
        "set_aside": sum(aside.values()),
        "set_aside_reasons": dict(aside),
        "paused": connection.paused,
        "error": connection.last_error,
        "not_permitted": list(connection.not_permitted),
        "next": next_step(bridge, user, connection, now),
    }


def bare_row(source: str, name: str, counts: dict[str, int]) -> ConnectionDocument:
    """Return a row that tells of something else in the table of connections, such as notifications, without times."""
    row = {"source": source, "connection": name, "rows": sum(counts.values()), "counts": counts, "set_aside": 0}
    row |= {"set_aside_reasons": {}, "not_permitted": [], "next": ""}
    return cast("ConnectionDocument", dict.fromkeys(ConnectionDocument.__annotations__) | row)


def _local_minutes(at: datetime | None, user: User) -> str | None:
    return None if at is None else local_time(at, user.zones).isoformat(timespec="minutes")


class FailedFileDocument(TypedDict):
    """A file of an import that could not be opened, or not be read to its end, with the reason."""

    file: str
    reason: str


class UnreadFileDocument(TypedDict):
    """A file of an import that was not read.

    ``source`` names the source that skips such files on purpose. It is null where no source knows the file.
    """

    file: str
    kind: str
    source: str | None


class OutcomeDocument(TypedDict):
    """An outcome of a sync or an import, with its counts of records and rows.

    ``why`` is the reason of a failure, or the reasons for records that were set aside, or "". ``set_aside_by`` is kind
    of record -> reason -> number.
    """

    source: str
    connection: str
    outcome: str
    new: int
    updated: int
    unchanged: int
    deleted: int
    set_aside: int
    set_aside_by: dict[str, dict[str, int]]
    reasons: list[str]
    skipped_because: str | None
    not_permitted: list[str]
    retry_at: str | None
    left_out: dict[str, int]
    streams: dict[str, int]
    files: int
    samples: int
    episodes: int
    events: int
    tasks: int
    truncated: bool
    seconds: float | None
    failed_files: list[FailedFileDocument]
    unread: list[UnreadFileDocument]
    why: str


def outcome_document(outcome: Outcome) -> OutcomeDocument:
    return filled(
        OutcomeDocument,
        outcome,
        set_aside_by={what: dict(why) for what, why in outcome.set_aside_by.items()},
        failed_files=[{"file": file, "reason": reason} for file, reason in outcome.failed_files],
        unread=[filled(UnreadFileDocument, file) for file in outcome.unread],
        why=outcome.skipped_because or "; ".join(outcome.reasons),
        **{f"{kind}s": outcome.items.get(kind, 0) for kind in ("sample", "episode", "event", "task")},
    )


def import_outcomes(imported: ImportResult) -> list[Outcome]:
    """Return the outcomes of an import, one per source, and one for each file that no source recognises or can read."""
    return [*imported.outcomes, *_failed(imported), *_unknown(imported)]


def _failed(imported: ImportResult) -> Iterator[Outcome]:
    failed = tuple((file.path, file.reason) for file in imported.unreadable)
    if failed:
        because = say_many("{count} file could not be opened", "{count} files could not be opened", len(failed))
        yield Outcome(source="-", connection="-", outcome="failed", skipped_because=because, failed_files=failed)


def _unknown(imported: ImportResult) -> Iterator[Outcome]:
    if imported.unknown:
        yield Outcome(
            source="-",
            connection="-",
            outcome="unknown",
            files=len(imported.unknown),
            skipped_because=reduce(_beside, _unread_kinds(imported.unknown)),
            unread=tuple(imported.unknown),
        )


def _unread_kinds(files: Sequence[Unread]) -> Iterator[Text]:
    by_source: dict[str, Counter[str]] = {}
    for file in files:
        by_source.setdefault(file.source or "", Counter())[file.kind] += 1
    for source, kinds in sorted(by_source.items()):
        named = ", ".join(f"{count} {printable(kind)}" for kind, count in kinds.most_common(UNREAD_KINDS_NAMED))
        more = len(kinds) > UNREAD_KINDS_NAMED
        values = {"source": source, "kinds": say("{kinds}, and more", kinds=named) if more else named}
        if source:
            yield say_many(
                "{count} file of {source} is left out on purpose: {kinds}",
                "{count} files of {source} are left out on purpose: {kinds}",
                kinds.total(),
                **values,
            )
        else:
            yield say_many(
                "{count} file belongs to no source: {kinds} (see: bridge sources)",
                "{count} files belong to no source: {kinds} (see: bridge sources)",
                kinds.total(),
                **values,
            )


def _beside(first: Text, rest: Text) -> Text:
    return say("{first}; {rest}", first=first, rest=rest)


class UnsentDocument(TypedDict):
    """A notification that failed, was missed, or may not have been sent.

    ``recommendation`` is the id of the recommendation. ``state`` is ``failed``, ``sending`` if it is not known whether
    it was sent, or ``missed`` if the recommendation expired without being sent, seen or answered.
    """

    recommendation: int
    state: str
    at: str
    reason: str


class NotificationsDocument(TypedDict):
    """The counts of a user's notifications by state, and those that were not sent.

    ``on`` is true if an address or a browser is stored, and ``events`` if messages may name calendar events. ``quiet``
    lists the slots in which none are sent. ``unsent`` is newest first.
    """

    user: str
    on: bool
    events: bool
    quiet: list[str]
    sending: int
    sent: int
    failed: int
    missed: int
    unsent: list[UnsentDocument]


def notifications_document(bridge: Bridge, user: User, now: datetime) -> NotificationsDocument:
    sent = bridge.store.notifications
    channel = sent.channel(user.id)
    notices = sent.in_states(user.id, SEND_STATES)
    counts = Counter(notice.state for notice in notices)
    quiet = frozenset() if channel is None else channel.quiet
    missed = sent.missed(user.id, now=now, quiet=bridge.guard.quiet | quiet)
    unsent = [notice for notice in notices if notice.state in UNSENT] + missed
    return {
        "user": user.name,
        "on": channel is not None,
        "events": channel is not None and channel.events,
        "quiet": [slot.name for slot in Slot if slot in quiet],
        "sending": counts["sending"],
        "sent": counts["sent"],
        "failed": counts["failed"],
        "missed": len(missed),
        "unsent": [
            {
                "recommendation": one.recommendation_id,
                "state": one.state,
                "at": one.at.isoformat(),
                "reason": one.reason or "whether it went out is not known",
            }
            for one in sorted(unsent, key=lambda one: one.at, reverse=True)
        ],
    }


class NotificationStatusDocument(ConnectionDocument):
    """A user's notifications in the form of a row of the table of connections.

    ``rows`` is the number of sent notifications. All times are null.
    """

    unsent: list[UnsentDocument]


def notification_status(bridge: Bridge, user: User, now: datetime) -> list[NotificationStatusDocument]:
    """Return [the user's row for notifications], or [] if notifications are off and none failed.

    The row's error says how many were not sent lately, None if all were.
    """
    body = notifications_document(bridge, user, now)
    if not body["on"] and not body["unsent"]:
        return []
    count = sum(datetime.fromisoformat(one["at"]) >= now - REPORTED for one in body["unsent"])
    row = bare_row("notify", "advice", {"sent": body["sent"]})
    if count:
        row |= {"error": f"{count} not sent", "next": f"bridge notify --user {user.name}"}
    return [{**row, "unsent": body["unsent"]}]


class WeekDocument(TypedDict):
    """The user's answers in the week that begins on ``monday``.

    ``foretold`` is the mean forecast probability of acceptance, and ``taken`` the share that was accepted.
    """

    monday: str
    answers: int
    foretold: float
    taken: float


class ForesightDocument(TypedDict):
    """The Brier scores of a policy's forecasts of a user's answers. 0 is perfect.

    ``brier_of_usual`` is the score of always forecasting the user's share of acceptance. Both are null without an
    answer.
    """

    verdict: str
    answers: int
    brier: float | None
    brier_of_usual: float | None
    weeks: list[WeekDocument]


class ForesightStatusDocument(ConnectionDocument):
    """A row of the table of connections that tells how well a policy forecast the user's answers.

    ``rows`` is the number of answers. All times are null.
    """

    foretold: ForesightDocument


def _foresight_document(found: Foresight) -> ForesightDocument:
    known = found.answers > 0
    return {
        "verdict": found.verdict,
        "answers": found.answers,
        "brier": round(found.score, DIGITS) if known else None,
        "brier_of_usual": round(found.usual, DIGITS) if known else None,
        "weeks": [
            filled(WeekDocument, week, foretold=round(week.foretold, DIGITS), taken=round(week.taken, DIGITS))
            for week in found.weeks
        ],
    }


def foresight_status(found: Foresight) -> list[ForesightStatusDocument]:
    """Return [a row for the table of connections], or [] if no answer was forecast."""
    if not found.answers:
        return []
    return [{**bare_row("advice", "answers", {"answers": found.answers}), "foretold": _foresight_document(found)}]
