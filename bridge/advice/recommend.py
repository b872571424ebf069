"""Recommendations, a single recommendation for each slot, from the user's data to the answer."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bridge import calendar, registry
from bridge.advice.observation import observe, slot_around
from bridge.calendar import corrections
from bridge.domain.errors import SetupError
from bridge.domain.guard import REASONS_OF_THE_HOUR, Guard
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.records import AdviceRecord, ProxyMap, Recommendation, Snapshot, User
from bridge.domain.slots import Moment, ZoneHistory, moment_at, zone_at
from bridge.domain.types import Label, Occurrence, Reading
from bridge.planning.outcomes import as_answer, day_end
from rhythm_env.interface import HISTORY_DAYS, ActionType, Answer, Interaction, Meter, Observation, Policy

if TYPE_CHECKING:
    from bridge.store import Store

BODY_DAYS = 80  # baselines read 60 days, and journeys and late nights need some slack
AGENDA_BACK, AGENDA_AHEAD = timedelta(days=60), timedelta(days=14)

GUARD = Guard()
BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
INSTANT = timedelta(microseconds=1)  # makes an exclusive bound inclusive


def load_snapshot(
    store: Store,
    user: User,
    classifier: EventClassifier,
    *,
    at: datetime,
    proxies: ProxyMap | None = None,
    back: timedelta = timedelta(0),
) -> Snapshot:
    """Return everything known about a user at ``at``, enough to read the meters from ``back`` before ``at`` on."""
    since = (at - back - timedelta(days=BODY_DAYS)).date()
    return Snapshot(
        at=at,
        zones=user.zones,
        samples=store.reading.samples(user.id, since=since, at=at),
        episodes=store.reading.episodes(user.id, since=since, at=at),
        agenda=labelled(store, user, classifier, at - back - AGENDA_BACK, at + AGENDA_AHEAD, at=at),
        tasks=[task for _, task in store.reading.tasks(user.id, at=at)],
        interactions=interactions(store, user, at=at),
        proxies=proxies,
        rmssd_errors=registry.rmssd_errors(),
    )


def labelled(
    store: Store, user: User, classifier: EventClassifier, since: datetime, until: datetime, *, at: datetime
) -> list[tuple[Occurrence, Label]]:
    """Return the calendar between two times, each occurrence with its label."""
    events = [event for _, event in store.reading.events(user.id, since=since, until=until, at=at)]
    occurrences = calendar.expand(events, since=since, until=until, zones=user.zones)
    labels = classifier.classify([invitation(o, user.zones) for o in occurrences])
    said = corrections.applied(occurrences, labels, store.people.corrections(user.id, at=at))
    return list(zip(occurrences, said, strict=True))


def invitation(occurrence: Occurrence, zones: ZoneHistory) -> Invitation:
    """Return the part of an event that a classifier may see."""
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
    """Return the answers of the last 30 days, and what known outcomes say where nothing was pressed."""
    since = max(at - timedelta(days=HISTORY_DAYS), reset_time(store, user, at=at) or BEGINNING)
    found = (
        interaction(one, at) for one in store.recommendations.advice_records(user.id, since=since, until=at + INSTANT)
    )
    return [one for one in found if one is not None]


def reset_time(store: Store, user: User, *, at: datetime) -> datetime | None:
    """Return the time of the last reset of the model at ``at``. Answers to earlier recommendations do not count."""
    made = (r.made_at for r in store.recommendations.resets(user.id) if r.taken_back_at is None or r.taken_back_at > at)
    return max((moment for moment in made if moment <= at), default=None)


def interaction(advice: Recommendation | AdviceRecord, at: datetime) -> Interaction | None:
    """Return a recommendation with its answer at ``at`` as a model hears it, or None without an answer."""
    answer = as_answer(advice, at)
    if answer is None:
        return None
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


def build_observation(
    store: Store, user: User, classifier: EventClassifier, *, at: datetime, proxies: ProxyMap | None = None
) -> tuple[Observation, dict[Meter, Reading]]:
    """Return the model's observation at ``at``, and the readings behind it."""
    known = load_snapshot(store, user, classifier, at=at, proxies=proxies)
    recent = store.recommendations.advice_records(user.id, since=at - timedelta(days=3), until=at + INSTANT)
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
    """Return the slot's recommendation, and make it on the first call. The random draws are seeded by user and slot."""
    moment = moment_at(now, user.zones)
    existing = store.recommendations.of_slot(user.id, moment)
    if existing is not None:
        return existing
    seen, _ = build_observation(store, user, classifier, at=now, proxies=proxies)
    local = now.astimezone(zone_at(now, user.zones))
    observation, _ = guard.allowed(seen, now=local)
    rng = random.Random(f"{user.name}/{moment.week}/{moment.timestep}")
    decision = policy.decide(observation, rng)
    if decision.action not in observation.feasible:
        raise SetupError(f"the policy {policy.name} chose an action that does not fit; choose another: BRIDGE_POLICY")
    decision = guard.explored(decision, observation, rng)
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
    return store.recommendations.add(advice)


def not_said(withheld: Mapping[ActionType, str]) -> tuple[str, ...]:
    """Return a line per reason with the withheld actions. Reasons that follow from the hour alone are left out."""
    why = {reason: [a for a, given in withheld.items() if given == reason] for reason in withheld.values()}
    told = {reason: actions for reason, actions in why.items() if not reason.endswith(REASONS_OF_THE_HOUR)}
    return tuple(f"not {', '.join(actions)}: {reason}" for reason, actions in told.items())


def give_feedback(
    store: Store, user: User, recommendation_id: int, answer: Answer, *, now: datetime, moved_to: Moment | None = None
) -> Recommendation:
    """Store the user's answer. Raises SetupError if the recommendation does not belong to the user, or if another
    answer stands and its day is over.
    """
    before = own(store, user, recommendation_id)
    if moved_to is not None and answer is not Answer.RESCHEDULE:
        raise SetupError("only `reschedule` takes --to")
    if before.answer is not None and day_end(before, user.zones) <= now:
        if (before.answer, before.moved_to) == (answer, moved_to):
            return before
        raise SetupError(
            f"the day of this recommendation is over, and its answer stands ({before.answer.lower()}); "
            f"see: bridge history --user {user.name}"
        )
    return store.recommendations.save_feedback(recommendation_id, answer, now=now, moved_to=moved_to)


def own(store: Store, user: User, recommendation_id: int) -> Recommendation:
    """Return a recommendation of the user. Raises SetupError if no such recommendation belongs to the user."""
    advice = store.recommendations.by_id(recommendation_id)
    if advice is None or advice.user_id != user.id:
        raise SetupError(
            f"{user.name} has no recommendation {recommendation_id}; see: bridge recommend --user {user.name}"
        )
    return advice


def latest(store: Store, user: User, *, now: datetime) -> Recommendation | None:
    """Return the newest unanswered recommendation of the last two days, or None."""
    recent: Sequence[Recommendation] = store.recommendations.between(
        user.id, since=now - timedelta(days=2), until=now + INSTANT
    )
    waiting = [r for r in recent if r.answer is None and r.superseded_at is None]
    return waiting[-1] if waiting else None
