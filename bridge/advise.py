"""Observation -> decision -> one recommendation per slot -> the person's answer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from bridge import agenda, corrections
from bridge.errors import SetupError
from bridge.guard import ORDINARY, Guard
from bridge.observe import observe, slot_around
from bridge.ports import EventClassifier, Invitation, Known, ProxyMap, Recommendation, Stated, Store, User
from bridge.types import Label, Occurrence, Reading
from rhythm_env.interface import (
    HISTORY_DAYS,
    ActionType,
    Answer,
    Interaction,
    Meter,
    Moment,
    Observation,
    Policy,
    ZoneHistory,
    moment_at,
    zone_at,
)

BODY_DAYS = 80  # the baselines look back 60 days; journeys and late nights need some slack
AGENDA_BACK, AGENDA_AHEAD = timedelta(days=60), timedelta(days=14)

GUARD = Guard()
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)  # makes an exclusive bound include the moment itself


def know(
    store: Store,
    user: User,
    classifier: EventClassifier,
    *,
    at: datetime,
    proxies: ProxyMap | None = None,
    back: timedelta = timedelta(0),
) -> Known:
    """Everything that was known about a person at a moment, enough of it to read the meters ``back`` from there on."""
    since = (at - back - timedelta(days=BODY_DAYS)).date()
    return Known(
        at=at,
        zones=user.zones,
        samples=store.samples(user.id, since=since, at=at),
        episodes=store.episodes(user.id, since=since, at=at),
        agenda=labelled(store, user, classifier, at - back - AGENDA_BACK, at + AGENDA_AHEAD, at=at),
        tasks=[task for _, task in store.tasks(user.id, at=at)],
        interactions=interactions(store, user, at=at),
        proxies=proxies,
    )


def labelled(
    store: Store, user: User, classifier: EventClassifier, since: datetime, until: datetime, *, at: datetime
) -> list[tuple[Occurrence, Label]]:
    """The calendar of a stretch of time with what each event is."""
    events = [event for _, event in store.events(user.id, since=since, until=until, at=at)]
    occurrences = agenda.expand(events, since=since, until=until, zones=user.zones)
    labels = classifier.classify([invitation(o, user.zones) for o in occurrences])
    said = corrections.applied(occurrences, labels, store.corrections(user.id, at=at))
    return list(zip(occurrences, said, strict=True))


def invitation(occurrence: Occurrence, zones: ZoneHistory) -> Invitation:
    """What a classifier may see of an event."""
    event = occurrence.event
    local = occurrence.start.astimezone(zone_at(occurrence.start, zones))
    return Invitation(
        title=event.title or "",
        start_hour=None if event.all_day else local.hour,
        minutes=(occurrence.end - occurrence.start) / timedelta(minutes=1),
        all_day=event.all_day,
        others=event.others,
        organised_by_me=event.organised_by_me,
        conference=event.conference,
        recurring=bool(event.recurrence) or event.master is not None,
        kind=event.kind,
        private=event.private,
    )


def interactions(store: Store, user: User, *, at: datetime) -> list[Interaction]:
    """Answers of the last 30 days. Shown and expired counts as Ignore; never seen is not an answer."""
    since = max(at - timedelta(days=HISTORY_DAYS), anew_since(store, user, at=at) or BEGINNING)
    found = (interaction(one, at) for one in store.stated(user.id, since=since, until=at + INSTANT))
    return [one for one in found if one is not None]


def anew_since(store: Store, user: User, *, at: datetime) -> datetime | None:
    """When the person began anew with the model: answers to earlier advice do not count at ``at``."""
    made = (r.made_at for r in store.choices.resets(user.id) if r.taken_back_at is None or r.taken_back_at > at)
    return max((moment for moment in made if moment <= at), default=None)


def interaction(advice: Recommendation | Stated, at: datetime) -> Interaction | None:
    """A recommendation and its answer by then; None where there is none."""
    answer, when = advice.answer, advice.answered_at
    if answer is None or when is None or when > at:
        if advice.shown_at is None or advice.shown_at > at or advice.expires_at > at:
            return None
        answer = Answer.IGNORE
    moved = advice.moved_to if answer is Answer.RESCHEDULE else None
    return Interaction(
        at=advice.created_at,
        day=advice.moment.day,
        slot=advice.moment.slot,
        levels={Meter(name): level for name, level in advice.levels.items()},
        recommended=advice.action,
        answer=answer,
        moved_to=None if moved is None else (moved.day, moved.slot),
    )


def look(
    store: Store, user: User, classifier: EventClassifier, *, at: datetime, proxies: ProxyMap | None = None
) -> tuple[Observation, dict[Meter, Reading]]:
    """The model's observation at a moment, and the readings behind it."""
    known = know(store, user, classifier, at=at, proxies=proxies)
    recent = store.stated(user.id, since=at - timedelta(days=3), until=at + INSTANT)
    return observe(known, recommended={r.moment: r.action for r in recent})


def recommend(
    store: Store,
    user: User,
    classifier: EventClassifier,
    policy: Policy,
    *,
    now: datetime,
    proxies: ProxyMap | None = None,
    guard: Guard = GUARD,
) -> Recommendation:
    """The slot's one recommendation: asking again returns it. Every draw is seeded by person and slot."""
    moment = moment_at(now, user.zones)
    existing = store.open_recommendation(user.id, moment)
    if existing is not None:
        return existing
    seen, _ = look(store, user, classifier, at=now, proxies=proxies)
    local = now.astimezone(zone_at(now, user.zones))
    observation, _ = guard.allowed(seen, now=local)
    rng = random.Random(f"{user.name}/{moment.week}/{moment.timestep}")
    decision = policy.decide(observation, rng)
    if decision.action not in observation.feasible:
        raise SetupError(f"the policy {policy.name} chose an action that does not fit; choose another: BRIDGE_POLICY")
    decision = guard.drawn(decision, observation, rng)
    advice = Recommendation(
        id=0,
        user_id=user.id,
        moment=moment,
        action=decision.action,
        policy=f"{policy.name}@{policy.version}" + (f"+{decision.by}" if decision.by else ""),
        belief=asdict(decision.belief),
        belief_sd=decision.belief_sd,
        scores={str(a): score for a, score in decision.scores.items()},
        probabilities={str(a): p for a, p in decision.probabilities.items()},
        reasons=decision.reasons + not_said(guard.withheld(observation, now=local)),
        observation=observation.to_json(),
        created_at=now,
        expires_at=slot_around(now, user.zones)[1],
    )
    return store.add_recommendation(advice)


def not_said(withheld: Mapping[ActionType, str]) -> tuple[str, ...]:
    """What was kept back and why, each reason once; what follows from the hour alone is not said."""
    why = {reason: [a for a, given in withheld.items() if given == reason] for reason in withheld.values()}
    told = {reason: actions for reason, actions in why.items() if not reason.endswith(ORDINARY)}
    return tuple(f"not {', '.join(actions)}: {reason}" for reason, actions in told.items())


def give_feedback(
    store: Store, user: User, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None = None
) -> Recommendation:
    """Record the person's answer. Raises SetupError for somebody else's or an unknown recommendation."""
    own(store, user, recommendation_id)
    if moved_to is not None and answer is not Answer.RESCHEDULE:
        raise SetupError("only `reschedule` takes --to")
    return store.answer(recommendation_id, answer, now=now, moved_to=moved_to)


def own(store: Store, user: User, recommendation_id: int) -> Recommendation:
    """A recommendation of that person's. Raises SetupError for somebody else's or an unknown one."""
    advice = store.recommendation(recommendation_id)
    if advice is None or advice.user_id != user.id:
        raise SetupError(
            f"{user.name} has no recommendation {recommendation_id}; see: bridge recommend --user {user.name}"
        )
    return advice


def latest(store: Store, user: User, *, now: datetime) -> Recommendation | None:
    """The newest recommendation of the last two days that has no answer yet."""
    recent: Sequence[Recommendation] = store.recommendations(
        user.id, since=now - timedelta(days=2), until=now + INSTANT
    )
    waiting = [r for r in recent if r.answer is None]
    return waiting[-1] if waiting else None
