"""Do a user's due tasks, which are to recommend once a slot, send messages and write accepted plans.

No state is kept between two calls, so any worker can continue where another stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from bridge import installation, registry
from bridge.advice import (
    answer_links,
    calendar_writer,
    notify,
    outcomes,
    outgoing_events,
    personalise,
    recommend,
    trial,
)
from bridge.advice.review import load_review, review_week
from bridge.advice.web_push import Notice
from bridge.domain.errors import BridgeError
from bridge.domain.languages import say, speaking
from bridge.domain.records import Channel, Connection, User
from bridge.domain.slots import INSTANT, Moment, moment_at
from bridge.ingest import runs
from bridge.ingest.outcomes import BACKOFF
from rhythm_env.interface import Answer

log = logging.getLogger(__name__)

SILENCE_RETRIED = timedelta(minutes=30)  # after it, a slot without advice for want of data or time is looked at again
PLANS_WRITTEN = "plans written"  # a cursor: feedback up to this instant is in the connection's calendar
PLANS_RETRIED_FOR = BACKOFF * 4  # so long after the feedback; later the next sync writes it
PLANS_RETRY = "plans again"  # a cursor: the time of the next attempt to write
QUARTER = timedelta(minutes=15)  # clocks differ by whole quarters of an hour, so slots change only there
REMINDED = "trial reminded"  # a cursor: the last date on which the user was told the arm of a trial
REVIEWED = "week reviewed"  # a cursor: the Monday of the last week whose review was sent


def run_due_tasks(bridge: installation.Bridge, user: User, *, now: datetime) -> None:
    """Do everything that is due for a user at ``now``. Repeated calls do each task once.

    - Once a slot (quarter of a day), find out from data if earlier recommendations were followed.
    - Make the slot's recommendation if it has none, and learn the user's preferences from answers when that is due.
    - Send the recommendation once, unless it has expired.
    - On each day of a trial of the user's own, tell the user once how the day was drawn.
    - On a Monday, send the review of the week before once.
    - Report a consent that has ended once.
    - Write accepted recommendations to the user's calendar.
    - Tell the operator's program about new and done recommendations.

    A failed task is logged and does not stop the tasks after it.
    """
    guarded(f"outcomes of user {user.id}", lambda: _confirm(bridge, user, now))
    guarded(f"advice for user {user.id}", lambda: _advise(bridge, user, now))
    guarded(f"notice to user {user.id}", lambda: _notify(bridge, user, now))
    guarded(f"reminder to user {user.id}", lambda: _remind(bridge, user, now))
    guarded(f"review of user {user.id}", lambda: _send_review(bridge, user, now))
    guarded(f"word to user {user.id}", lambda: _tell_of_ended_consents(bridge, user, now))
    guarded(f"plans of user {user.id}", lambda: _write_plans(bridge, user, now))
    guarded(f"events of user {user.id}", lambda: outgoing_events.deliver(bridge, user, now=now))


@dataclass(slots=True)
class Everybody:
    """A cache of all users by their current slot (quarter of a day), which changes only at full quarters of an hour."""

    bridge: installation.Bridge
    _mark: tuple[Any, ...] | None = None
    _people: dict[Moment, dict[int, User]] = field(default_factory=dict)

    def at(self, now: datetime) -> Mapping[Moment, Mapping[int, User]]:
        """Return slot -> user id -> user."""
        mark = (now - (now - datetime.min.replace(tzinfo=UTC)) % QUARTER, *self.bridge.store.people.mark())
        if mark != self._mark:
            people: dict[Moment, dict[int, User]] = {}
            for user in self.bridge.travelled_all(at=now):
                people.setdefault(moment_at(now, user.zones), {})[user.id] = user
            self._mark, self._people = mark, people
        return self._people


def users_with_due_tasks(
    bridge: installation.Bridge, everybody: Mapping[Moment, Mapping[int, User]], *, now: datetime
) -> list[User]:
    """Return the users for whom ``run_due_tasks`` may have work, found by a few queries for all together.

    ``everybody`` maps slot -> user id -> user. Such a user lacks a recommendation for the slot, waits for a message
    outside quiet slots, has feedback that is not in the calendar, or has an event for the operator's program.
    """
    untold = bridge.store.notifications.users_to_tell_of_pauses()
    writing = [spec.name for spec in registry.specs() if spec.writes is not None]
    work = bridge.store.waiting
    others = work.users_with_feedback(
        writing, advised=now - calendar_writer.RESCHEDULED_MAX, since=now - PLANS_RETRIED_FOR
    ) | outgoing_events.users_waiting(bridge, now=now)
    slots = work.by_slot(everybody, since=now - SILENCE_RETRIED, now=now)
    found: list[User] = []
    for moment, people in everybody.items():
        to_tell = set() if moment.slot in bridge.guard.quiet else untold | slots[moment].unsent
        due = (people.keys() - slots[moment].advised) | (people.keys() & (others | to_tell))
        found += [people[number] for number in sorted(due)]
    return found


def guarded(what: str, work: Callable[[], object]) -> bool:
    """Run ``work`` and return True. If it raises an Exception, log it under the name ``what`` and return False."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - the caller's next task does not depend on this task
        report(what, error)
        return False
    return True


def report(what: str, error: BaseException) -> None:
    """Log an error of the task ``what``, a BridgeError by its text and any other error by its class alone."""
    log.error("%s: %s", what, error if isinstance(error, BridgeError) else f"unexpected {type(error).__name__}")


def _confirm(bridge: installation.Bridge, user: User, now: datetime) -> None:
    """Find out if earlier recommendations were followed, before the slot's is made, which learns from it."""
    if bridge.store.recommendations.of_slot(user.id, moment_at(now, user.zones)) is None:
        outcomes.confirm(bridge, user, now=now)


def _advise(bridge: installation.Bridge, user: User, now: datetime) -> None:
    """Make the slot's recommendation, unless that was done or tried lately. Then learn from answers if that is due."""
    moment = moment_at(now, user.zones)
    work, since = bridge.store.waiting, now - SILENCE_RETRIED
    if work.by_slot([moment], since=since, now=now, user_id=user.id)[moment].advised:
        return
    policy = bridge.policy()
    recommend.recommend(bridge, user, personalise.for_person(bridge.store, user, policy), now=now)
    if personalise.is_due(bridge.store, user, policy, now=now):
        kept = personalise.personalise(bridge.store, user, policy, now=now).kept
        log.info("user %d: a prior was made and %s", user.id, "kept" if kept else "not kept")


def _notify(bridge: installation.Bridge, user: User, now: datetime) -> None:
    """Send the current slot's recommendation once, at the moment when an answer is likeliest. A failure is logged."""
    # Not in a quiet slot, nor after it was seen, answered or expired, nor a sleep that has begun.
    channel, moment = _open_channel(bridge, user, now), moment_at(now, user.zones)
    if channel is None:
        return
    advice = bridge.store.recommendations.of_slot(user.id, moment)
    if advice is None or advice.shown_at or advice.answer or bridge.store.notifications.was_begun(advice.id):
        return
    if advice.expires_at <= now:  # a flight west brings a user into the same slot twice
        return
    if advice.kind == "sleep" and advice.start is not None and advice.start <= now:  # a message would wake the user
        return
    when, likely = notify.best_moment(bridge.store, user, advice, now=now)
    if when > now:
        return
    with speaking(bridge.store.people.language(user.id)):
        events = notify.titled_events(bridge, user, advice, now) if channel.events else ()
        links = answer_links.for_recommendation(bridge, advice)
        message = notify.compose(advice, links=links, events=events, zones=user.zones)
        title, text = notify.compose(advice, links={}, events=events, zones=user.zones)
        answers, choice = answer_links.paths(bridge, advice), answer_links.word(Answer.RESCHEDULE)
    notice = Notice(title=title, text=text, tag="advice", answers=answers, choice=choice)
    reason: str | None = say("it was sent before")
    # The state "sending" is stored first, so that a message interrupted by a crash is not sent twice.
    if bridge.store.notifications.begin(user.id, advice.id, now=now, likely=likely):
        reason = notify.deliver_begun(bridge, advice, message, notice, now=now)
    if reason is not None:
        log.warning("advice %d of user %d was not sent: %s", advice.id, user.id, reason)


def _open_channel(bridge: installation.Bridge, user: User, now: datetime) -> Channel | None:
    channel = bridge.store.notifications.channel(user.id)
    if channel is None or moment_at(now, user.zones).slot in bridge.guard.quiet | channel.quiet:
        return None
    return channel


def _remind(bridge: installation.Bridge, user: User, now: datetime) -> None:
    """Tell a user once a day, outside quiet slots, if this is a day on which to do what a trial tries."""
    # A trial's text is named only where messages may name events.
    store, today = bridge.store, str(moment_at(now, user.zones).date)
    found, connection = trial.running(store, user, now=now), next(iter(store.connections.of_user(user.id)), None)
    channel = _open_channel(bridge, user, now) if found and connection is not None else None
    if channel is None or connection is None or store.ingest.cursor(connection.id, REMINDED, 1) == today:
        return
    store.ingest.save_cursor(connection.id, REMINDED, today, 1)
    with speaking(store.people.language(user.id)):
        title, text = notify.trial_reminder(found, titles=channel.events)
    notice = Notice(title=title, text=text, tag="trial", page="/effects")
    reason = notify.deliver(bridge, user.id, (title, text), notice, now=now)
    if reason is not None:
        log.warning("user %d was not reminded of a trial: %s", user.id, reason)


def _send_review(bridge: installation.Bridge, user: User, now: datetime) -> None:
    """Send last week's review once, on a Monday outside quiet slots, if it has recommendations."""
    store, moment = bridge.store, moment_at(now, user.zones)
    connection = next(iter(store.connections.of_user(user.id)), None)
    if connection is None or moment.day != 0 or _open_channel(bridge, user, now) is None:
        return
    week = review_week(now, user)
    if store.ingest.cursor(connection.id, REVIEWED, 1) == str(week):
        return
    store.ingest.save_cursor(connection.id, REVIEWED, str(week), 1)
    found = load_review(bridge, user, week, now=now)
    if not found.advised:
        return
    url = bridge.settings.url
    with speaking(store.people.language(user.id)):
        message = notify.compose_review(found, None if url is None else f"{url.rstrip('/')}/review?week={week}")
        title, text = notify.compose_review(found, None)
    notice = Notice(title=title, text=text, tag="review", page=f"/review?week={week}")
    reason = notify.deliver(bridge, user.id, message, notice, now=now)
    if reason is not None:
        log.warning("the review of user %d was not sent: %s", user.id, reason)


def _tell_of_ended_consents(bridge: installation.Bridge, user: User, now: datetime) -> None:
    store = bridge.store
    if _open_channel(bridge, user, now) is None:
        return
    for connection in store.connections.of_user(user.id):
        if connection.paused is None or not store.notifications.mark_pause_told(connection):
            continue
        last = store.scheduling.last_outcome(connection.id)
        if last is not None and last[1].outcome == "needs_login":
            with speaking(store.people.language(user.id)):
                message = notify.ended(registry.spec(connection.source).title, connection.source, user)
            notice = Notice(title=message[0], text=message[1], tag=connection.source, page="/connections")
            reason = notify.deliver(bridge, user.id, message, notice, now=now)
            if reason is not None:
                log.warning("user %d was not told that %s needs a login: %s", user.id, connection.source, reason)


def _write_plans(bridge: installation.Bridge, user: User, now: datetime) -> None:
    store = bridge.store
    known = [c for c in store.connections.of_user(user.id) if registry.spec(c.source).writes and c.paused is None]
    if not known:
        return
    recent = store.recommendations.between(user.id, since=now - calendar_writer.RESCHEDULED_MAX, until=now + INSTANT)
    last = max((advice.answered_at for advice in recent if advice.answered_at), default=None)
    for connection in known:
        if last is not None and _unwritten(bridge, connection, last, now):
            done = runs.write_plans(bridge, user, connection, at=now)
            written = max(now, last)  # a clock that was ahead may have dated the feedback
            stream, until = (PLANS_WRITTEN, written) if done else (PLANS_RETRY, now + BACKOFF)
            store.ingest.save_cursor(connection.id, stream, until.isoformat(), 1)


def _unwritten(bridge: installation.Bridge, connection: Connection, last: datetime, now: datetime) -> bool:
    written, again = (bridge.store.ingest.cursor(connection.id, name, 1) for name in (PLANS_WRITTEN, PLANS_RETRY))
    news = written is None or datetime.fromisoformat(written) < last
    return news and (again is None or datetime.fromisoformat(again) <= now)
