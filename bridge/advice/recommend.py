"""Load what is known of a user, and make or check the user's recommendations.

A slot (a quarter of a day) has at most one recommendation in effect.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bridge import registry
from bridge.advice import harm, outcomes
from bridge.advice.choosing import Choosing
from bridge.advice.feedback import interactions
from bridge.advice.labels import labelled
from bridge.advice.modes import BODY_DAYS, mode_of, routine_of
from bridge.advice.observation import observe, slot_around
from bridge.advice.personalise import for_person
from bridge.advice.preference import load_preference
from bridge.calendar.busy import Stretch, clipped
from bridge.day import choice
from bridge.day.known import NEAR
from bridge.day.outcomes import with_task
from bridge.day.person import Person
from bridge.day.sleep import begun
from bridge.day.view import View, of_due, of_task
from bridge.day.work import said_week
from bridge.domain.facts import Fact, fact
from bridge.domain.guard import Guard
from bridge.domain.metrics import Metric
from bridge.domain.ports import Invitation
from bridge.domain.records import Deed, FullRecommendation, Recommendation, Silence, Snapshot, User, brought
from bridge.domain.slots import INSTANT, local_time, moment_at, slot_start
from bridge.domain.types import Reading, Sample, Task
from bridge.domain.wish_terms import wished_on
from bridge.domain.wishes import Wishes
from bridge.meters import INPUT_METRICS
from bridge.meters.check_in import CHECK_IN_METRICS
from rhythm_env.interface import ActionType, Answer, Meter, Observation, Policy

if TYPE_CHECKING:
    from bridge.installation import Bridge
    from bridge.store import Store

AGENDA_BACK, AGENDA_AHEAD = timedelta(days=60), timedelta(days=14)

SNAPSHOTS_MAX = 2  # kept by a thread, as a command needs one of now and one that reaches back
LABELLED_TASKS_MAX = 50  # open tasks whose action is told


def load_snapshot(
    bridge: Bridge,
    user: User,
    *,
    at: datetime,
    back: timedelta = timedelta(0),
    metrics: Collection[Metric] | None = INPUT_METRICS,
) -> Snapshot:
    """Return what is known about a user at ``at``, which covers the time that meters and planning need.

    ``back`` extends samples, episodes, calendar and done tasks that much further into the past. ``metrics`` limits the
    samples, None for all. While the database is unchanged, a thread gets the ones last loaded again.
    """
    wanted = None if metrics is None else frozenset(metrics)
    key = bridge.store.database.state(), user, at, back, wanted, bridge.proxies.version
    if key[0] is None:
        return _loaded(bridge, user, at, at - back, metrics)
    kept: dict[Any, Snapshot] = bridge.snapshots.__dict__
    if key not in kept:
        kept[key] = _loaded(bridge, user, at, at - back, metrics)
        for old in [*kept][:-SNAPSHOTS_MAX]:
            del kept[old]
    return kept[key]


def _loaded(bridge: Bridge, user: User, at: datetime, begin: datetime, metrics: Collection[Metric] | None) -> Snapshot:
    since, store = (begin - BODY_DAYS).date(), bridge.store
    return Snapshot(
        at=at,
        zones=user.zones,
        samples=[
            *_answers(store, user, since, at),
            *store.reading.samples(user.id, metrics=metrics, since=since, at=at),
        ],
        episodes=store.reading.episodes(user.id, since=since, at=at),
        agenda=labelled(bridge, user, begin - AGENDA_BACK, at + AGENDA_AHEAD, at=at),
        tasks=[task for _, task in store.reading.tasks(user.id, since=since, at=at)],
        interactions=interactions(store, user, at=at),
        proxies=bridge.proxies,
        rmssd_errors=registry.rmssd_errors(),
        brought=brought(store.connections.of_user(user.id)),
        preference=load_preference(store, user),
    )


def _answers(store: Store, user: User, since: date, at: datetime) -> list[tuple[str, Sample]]:
    return store.reading.samples(user.id, metrics=CHECK_IN_METRICS, until=since - timedelta(days=1), at=at)


def build_observation(bridge: Bridge, user: User, *, at: datetime) -> tuple[Observation, dict[Meter, Reading]]:
    """Return a user's observation at ``at``, the input of policies, and the meters' readings."""
    with bridge.store.view():
        known = load_snapshot(bridge, user, at=at)
        recent = bridge.store.recommendations.between(user.id, since=at - timedelta(days=3), until=at + INSTANT)
    return observe(known, recommended={r.moment: r.action for r in recent})


def made(
    bridge: Bridge, user: User, policy: Policy, *, now: datetime, person: Person | None = None
) -> FullRecommendation | Silence:
    """Return the current slot's recommendation by ``policy``, or a Silence. ``person`` is loaded if None."""
    store = bridge.store
    existing = store.recommendations.of_slot(user.id, moment_at(now, user.zones))
    if existing is not None and stands(store, user, existing, now):  # which needs no classifier
        return existing
    if existing is None:
        outcomes.confirm(bridge, user, now=now)
    # outside of a transaction: a policy may wait for a service
    return recommend(bridge, user, for_person(store, user, policy), now=now, person=person)


def recommend(
    bridge: Bridge,
    user: User,
    policy: Policy,
    *,
    now: datetime,
    guard: Guard | None = None,
    person: Person | None = None,
) -> FullRecommendation | Silence:
    """Return the current slot's recommendation, made on the first call, or the reasons why there is none.

    ``guard`` and ``person`` are loaded if None. Raises SetupError if the policy chooses an action that is not feasible.
    """
    store, moment = bridge.store, moment_at(now, user.zones)
    existing = store.recommendations.of_slot(user.id, moment)
    if existing is not None and stands(store, user, existing, now):
        return existing
    existing = None if existing is None else _with_outcome(store, user, existing, now)
    if (existing is None or existing.answer is None) and not harm.look(store, user, now=now):
        if existing is None and store.recommendations.silence(user.id, moment) is None:
            store.recommendations.add_silence(user.id, moment, probability=1.0, now=now)
        return Silence(moment=moment, facts=(harm.why_off(store, user, now=now),), at=now)
    person = person or load_person(bridge, user, now=now)
    span = (now, slot_around(now, user.zones)[1])
    choosing = Choosing(store=store, user=user, policy=policy, guard=guard or bridge.guard, person=person, span=span)
    if existing is not None and is_over(existing, now):
        done = existing.outcome is Deed.DONE
        return choosing.further(existing) or (_over(existing, fact("you_did"), now) if done else existing)
    if existing is not None and existing.kind != "keep":
        current = _current(store, existing, person, span)
        if current is not None:
            return current
    if existing is not None:
        away = store.recommendations.supersede if existing.answer is None else store.recommendations.close
        away(existing.id, now=now)
        choosing = replace(choosing, person=replace_advice(person, store, user))
    return _agreed_before(store, user, choosing.person, span) or choosing.first()


def _agreed_before(store: Store, user: User, person: Person, span: Stretch) -> FullRecommendation | None:
    now, moment = span[0], moment_at(span[0], user.zones)
    made = store.recommendations.full_between(user.id, since=slot_start(moment, user.zones), until=now + INSTANT)
    for one in (with_task(one, person.known.tasks) for one in made):
        agreed = one.answer is Answer.ACCEPT and one.closed_at is not None and one.moment == moment
        if agreed and not is_over(one, now) and isinstance(_current(store, one, person, span), FullRecommendation):
            store.recommendations.put_back(one.id, now=now, asks=False)
            return store.recommendations.by_id(one.id)
    return None


def stands(store: Store, user: User, advice: FullRecommendation, now: datetime) -> bool:
    """Return True if nothing has changed since a recommendation was made that requires a new check."""
    advice = _with_outcome(store, user, advice, now)
    if advice.kind == "keep":
        return advice.answer is not None
    if advice.answer is not None:
        agreed_night = advice.kind == "sleep" and advice.answer is Answer.ACCEPT
        over = advice.kind != "suggested" or advice.start is None or advice.start < now
        kept = (over and not agreed_night) or not store.reading.changed_since(user.id, advice.created_at)
        return kept and not is_over(advice, now)
    until = advice.start if advice.kind == "suggested" else advice.end
    if until is None:
        return True
    return now <= until and not store.reading.changed_since(user.id, advice.created_at)


def _with_outcome(store: Store, user: User, advice: FullRecommendation, now: datetime) -> FullRecommendation:
    if advice.what is None or not store.reading.changed_since(user.id, advice.created_at):
        return advice
    return with_task(advice, (task for _, task in store.reading.tasks(user.id, at=now)))


def is_over(advice: FullRecommendation, now: datetime) -> bool:
    """Return True for a suggestion that was refused or done, or accepted and whose time has passed."""
    if advice.kind != "suggested" or advice.answer is None:
        return False
    done = advice.outcome is Deed.DONE
    return advice.answer is not Answer.ACCEPT or done or (advice.end is not None and advice.end <= now)


def load_person(bridge: Bridge, user: User, *, now: datetime) -> Person:
    with bridge.store.view():
        return person_of(bridge, user, load_snapshot(bridge, user, at=now))


def person_of(bridge: Bridge, user: User, known: Snapshot) -> Person:
    """Return a user's data with habits, wishes, recent recommendations and labels of tasks, at the snapshot's time."""
    open_tasks = [task for task in known.tasks if task.completed is None and task.title][:LABELLED_TASKS_MAX]
    labels = bridge.classifier.classify([Invitation(title=task.title or "") for task in open_tasks])
    actions = {t.key: label.action for t, label in zip(open_tasks, labels, strict=True) if label.action is not None}
    resting: dict[date, list[tuple[ActionType, str]]] = {}
    store, wishes = bridge.store, _wishes(bridge.store, user)
    learnt = routine_of(store, user, known)
    said = said_week(learnt.work, wishes)
    for action, what, day in store.people.preferences(user.id).resting:
        resting.setdefault(day, []).append((ActionType(action), what))
    return Person(
        known=known,
        now=known.at,
        resting=resting,
        routine=learnt if said is None else replace(learnt, work=said, work_known=True),
        mode=mode_of(store, user, local_time(known.at, known.zones).date()),
        wishes=wishes,
        advised=_advised(store, user, known),
        task_actions=actions,
        places=store.task_notes.places(user.id, at=known.at),
    )


def _wishes(store: Store, user: User) -> Wishes:
    wishes = store.people.wishes(user.id)
    return wishes if harm.advice_is_on(store, user) else replace(wishes, suggestions=0)


def replace_advice(person: Person, store: Store, user: User) -> Person:
    return replace(person, advised=_advised(store, user, person.known))


def _advised(store: Store, user: User, known: Snapshot) -> list[Recommendation]:
    found = store.recommendations.between(user.id, since=known.at - NEAR, until=known.at + INSTANT)
    return [with_task(one, known.tasks) for one in found]


def task_named(person: Person, what: str | None) -> Task | None:
    tasks = (*person.known.tasks, *(errand.task for errand in person.errands.values()))
    return next((t for t in tasks if t.completed is None and what is not None and t.title == what), None)


def _current(
    store: Store, existing: FullRecommendation, person: Person, span: Stretch
) -> FullRecommendation | Silence | None:
    """Return ``existing``, moved if needed, a Silence if it has no time left, or None to make a new recommendation."""
    now, start, end = span[0], existing.start, existing.end
    if start is None or end is None:
        return existing
    if existing.kind == "sleep":
        return _as_the_night(store, existing, person, span)
    if existing.outcome is Deed.DONE:
        return _over(existing, fact("you_did"), now)
    if existing.action in wished_on(person.wishes, person.date_of(now)).never:
        return None
    taken = clipped(person.attended, start, end)
    others = replace(person, advised=[one for one in person.advised if one.id != existing.id])
    view, task = choice.look(others, now), task_named(person, existing.what)
    told_ill = any(one.kind == "said_ill" for one in existing.facts) and not person.body.ill
    if told_ill or choice.refused(view, existing.action, task, (start, end)) is not None:
        return None
    if existing.answer is not None or (start >= now and not taken):
        return existing if existing.answer is not None or task is not None else _retold(store, existing, view)
    once = existing.action is ActionType.ME_TIME and end <= now and not view.has_habit_today(existing.action)
    option = None if once else choice.place(view, existing.action, task, span)[0]
    if option is not None:
        store.recommendations.retime(existing.id, option.start, option.end)
        return replace(existing, start=option.start, end=option.end)
    return None if taken else _after_its_time(existing, task, view, once=once)


def _retold(store: Store, existing: FullRecommendation, view: View) -> FullRecommendation | None:
    if existing.start is None or existing.end is None:
        return existing
    told = choice.retold(view, existing.action, (existing.start, existing.end), existing.facts)
    if told and told != existing.facts:
        store.recommendations.retime(existing.id, existing.start, existing.end, told)
    return replace(existing, facts=told) if told else None


def _after_its_time(existing: FullRecommendation, task: Task | None, view: View, *, once: bool) -> Silence:
    person, now, start, end = view.person, view.person.now, existing.start, existing.end
    over = fact("suggestion_over", start=person.local(start or now), end=person.local(end or now))
    later, why = choice.place(view, existing.action, task, (now, view.grid.bed))  # beyond the slot
    if later is not None and task is not None and task.key in person.errands:
        told = fact("errand_later", due=of_due(of_task(task, person), view.grid), title=task.title)
        return Silence(moment=existing.moment, facts=(told,), at=now)
    if once or why is None or why.kind in ("no_grounds", "suggestion_over"):
        return _over(existing, over, now)
    no_other = replace(over, kind="no_time_left", values={**over.values, "why": why})
    return _over(existing, why if why.kind == "trained" else no_other, now)


def _as_the_night(
    store: Store, existing: FullRecommendation, person: Person, span: Stretch
) -> FullRecommendation | None:
    now, night = span[0], choice.sleep_option(person, span, agreed=existing.answer is Answer.ACCEPT)
    never = wished_on(person.wishes, person.date_of(now)).never
    if night is None or existing.end is None or existing.end <= now or ActionType.SLEEP in never:
        return None
    shown = begins_now(existing, now)
    said = shown.start, shown.end, shown.facts[-len(night.facts) :]
    if existing.answer not in (None, Answer.ACCEPT) or said == (night.start, night.end, night.facts):
        return existing
    if existing.answer is None:
        return None
    store.recommendations.retime(existing.id, night.start, night.end, night.facts)
    return replace(existing, start=night.start, end=night.end, facts=night.facts)


def begins_now(advice: FullRecommendation, now: datetime) -> FullRecommendation:
    """Return a recommendation to sleep, begun in at most five minutes if its begin has passed. Others are unchanged."""
    if advice.kind != "sleep" or advice.start is None or advice.end is None:
        return advice
    refused = advice.answer not in (None, Answer.ACCEPT)
    return advice if refused else replace(advice, start=begun(advice.start, advice.end, now))


def _over(existing: FullRecommendation, why: Fact, now: datetime) -> Silence:
    return Silence(moment=existing.moment, facts=(fact("slot_had", action=str(existing.action), why=why),), at=now)


def latest(store: Store, user: User, *, now: datetime) -> Recommendation | None:
    """Return the newest recommendation of the last two days that is neither answered nor replaced, or None."""
    recent: Sequence[Recommendation] = store.recommendations.between(
        user.id, since=now - timedelta(days=2), until=now + INSTANT
    )
    waiting = [r for r in recent if r.answer is None and r.superseded_at is None]
    return waiting[-1] if waiting else None
