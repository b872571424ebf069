"""The rhythm of one person: at every slot's boundary one piece of advice, and what they answered brought to its place.

Nothing is remembered between two calls: what was done is read from the store, so that a daemon that was killed, and any
number of workers, go on where the last one stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime

from bridge import advise, app, links, notify, personalise, plans, registry
from bridge.errors import BridgeError
from bridge.ports import Connection, Recommendation, User
from bridge.sync import BACKOFF
from rhythm_env.interface import moment_at, zone_at

log = logging.getLogger(__name__)

WRITTEN = "plans written"  # beside a connection's cursors: the answers up to this instant are in its calendar
RECENTLY = BACKOFF * 4  # an answer is tried to be written so long; then the next sync does it
AGAIN = "plans again"  # and when writing them is to be tried again


def attend(bridge: app.Bridge, user: User, *, now: datetime) -> None:
    """Do everything that is due for one person at this moment, each thing once however often it is called.

    In a slot that has no advice yet: observe, decide, recommend, learn when it is time. Then have it sent, once.
    Where a consent has ended: say so, once.
    Whenever answers were given: bring them to where they are to be written. The slot before needs nothing: its advice
    ends with it (``expires_at``), and what was not sent by then is not sent. Trouble with one thing is logged, without
    its text where that may be personal, and stops no other.
    """
    guarded(f"advice for user {user.id}", lambda: _advise(bridge, user, now))
    guarded(f"notice to user {user.id}", lambda: _notify(bridge, user, now))
    guarded(f"word to user {user.id}", lambda: _tell(bridge, user, now))
    guarded(f"plans of user {user.id}", lambda: _write(bridge, user, now))


def waiting(bridge: app.Bridge, users: Iterable[User], *, now: datetime) -> list[User]:
    """Those for whom ``attend`` has something to do, found with a few queries for everybody together."""
    everybody = [(user, moment_at(now, user.zones)) for user in users]
    work, moments = bridge.store.work, {moment for _, moment in everybody}
    advised = {moment: work.advised(moment) for moment in moments}
    untold, loud = bridge.store.post.untold(), {m for m in moments if m.slot not in bridge.guard.quiet}
    to_send = {moment: untold | work.unsent(moment) if moment in loud else set() for moment in moments}
    writing = [spec.name for spec in registry.specs() if spec.writes is not None]
    agreed = work.answered(writing, advised=now - plans.BACK, since=now - RECENTLY)
    return [u for u, at in everybody if u.id not in advised[at] or u.id in to_send[at] or u.id in agreed]


def guarded(what: str, work: Callable[[], object]) -> bool:
    """Whether it went well; whatever goes wrong is told, and stops nothing else."""
    try:
        work()
    except Exception as error:  # noqa: BLE001 - what comes next does not go by it
        report(what, error)
        return False
    return True


def report(what: str, error: BaseException) -> None:
    """In the log: an error of ours as it is, another by its kind, for its text may be personal."""
    log.error("%s: %s", what, error if isinstance(error, BridgeError) else f"unexpected {type(error).__name__}")


def _advise(bridge: app.Bridge, user: User, now: datetime) -> None:
    """The check comes first and is cheap: nothing is observed in a slot that has its advice."""
    if bridge.store.open_recommendation(user.id, moment_at(now, user.zones)) is not None:
        return
    policy = bridge.policy()
    advise.recommend(
        bridge.store,
        user,
        bridge.classifier,
        personalise.for_person(bridge.store, user, policy),
        now=now,
        proxies=bridge.proxies,
        guard=bridge.guard,
    )
    if personalise.is_due(bridge.store, user, policy, now=now):
        kept = personalise.personalise(bridge.store, user, policy, now=now).kept
        log.info("user %d: a prior was made and %s", user.id, "kept" if kept else "not kept")


def _notify(bridge: app.Bridge, user: User, now: datetime) -> None:
    """The slot's advice by the person's channel, unless they have seen it, or the slot is one of their quiet ones."""
    channel = bridge.store.post.channel(user.id)
    if channel is None or (moment := moment_at(now, user.zones)).slot in bridge.guard.quiet:
        return
    advice = bridge.store.open_recommendation(user.id, moment)
    if advice is None or advice.shown_at or advice.answer or bridge.store.post.begun(advice.id):
        return
    if advice.expires_at <= now:  # who flies west comes into the same slot twice
        return
    events = _events(bridge, user, advice, now) if channel.events else ()
    message = notify.compose(advice, links=links.for_recommendation(bridge, advice), events=events)
    reason = notify.once(bridge.store, bridge.vault, advice, message, now=now)
    if reason is not None:
        log.warning("advice %d of user %d was not sent: %s", advice.id, user.id, reason)


def _events(bridge: app.Bridge, user: User, advice: Recommendation, now: datetime) -> list[str]:
    """What the slot's calendar still holds, as ``14:00 Title``; no more than that there is something where it is
    private, for it passes through other machines.
    """
    known = advise.labelled(bridge.store, user, bridge.classifier, now, advice.expires_at, at=now)
    zone = zone_at(now, user.zones)
    ahead = [occurrence for occurrence, _ in known if occurrence.event.title and occurrence.start >= now]
    return [f"{o.start.astimezone(zone):%H:%M} {'busy' if o.event.private else o.event.title}" for o in ahead]


def _tell(bridge: app.Bridge, user: User, now: datetime) -> None:
    """That a consent has ended, by the person's channel, once each time; a source that has changed is not theirs."""
    store = bridge.store
    if store.post.channel(user.id) is None or moment_at(now, user.zones).slot in bridge.guard.quiet:
        return
    for connection in store.connections(user.id):
        if connection.paused is None or not store.post.tell(connection):
            continue
        last = store.last_outcome(connection.id)
        if last is not None and last[1].outcome == "needs_login":
            message = notify.ended(registry.spec(connection.source).title, connection.source, user)
            reason = notify.send(notify.address_of(store, bridge.vault, user.id), *message)
            if reason is not None:
                log.warning("user %d was not told that %s needs a login: %s", user.id, connection.source, reason)


def _write(bridge: app.Bridge, user: User, now: datetime) -> None:
    """Bring answers given since the last time to where they are to be written, without waiting for a sync."""
    store = bridge.store
    known = [c for c in store.connections(user.id) if registry.spec(c.source).writes and c.paused is None]
    if not known:
        return
    recent = store.recommendations(user.id, since=now - plans.BACK, until=now + advise.INSTANT)
    last = max((advice.answered_at for advice in recent if advice.answered_at), default=None)
    for connection in known:
        if last is not None and _unwritten(bridge, connection, last, now):
            done = app.write_plans(bridge, user, connection, at=now)
            told = (
                (WRITTEN, max(now, last)) if done else (AGAIN, now + BACKOFF)
            )  # last: maybe by a clock that was ahead
            store.save_cursor(connection.id, told[0], told[1].isoformat(), 1)


def _unwritten(bridge: app.Bridge, connection: Connection, last: datetime, now: datetime) -> bool:
    """Whether an answer is newer than what was written, and it is not too soon after a failure."""
    written, again = (bridge.store.cursor(connection.id, name, 1) for name in (WRITTEN, AGAIN))
    news = written is None or datetime.fromisoformat(written) < last
    return news and (again is None or datetime.fromisoformat(again) <= now)
