"""The effect of recommendations on later outcomes, from randomised decisions and the measurements after them.

For each action, the effect is the difference of an outcome between advising that action and advising another. Every
decision stores the probability of its draw. Decisions with a probability of 0 or 1 are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from bridge.domain.metrics import Metric
from bridge.domain.records import Recommendation, User
from bridge.meters.daily import figures
from rhythm_env.interface import ActionType, Answer, Meter, Slot

if TYPE_CHECKING:
    from bridge.advice.excursion import Point
    from bridge.store import Store

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
MANY = 10  # users from which on each user is a cluster; with fewer, each day of a user is
FADES = 0.95  # weight of the earlier dosage at each recommendation
# outcome -> True if binary
OUTCOMES: Mapping[str, bool] = {
    "taken": True,
    "next_check_in": False,
    "next_night_asleep_min": False,
    "next_night_hrv_ms": False,
    "next_day_vitality": False,
    "next_day_serenity": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A decision with its recent dosage (0 to 1), and the known outcomes by name."""

    advice: Recommendation
    dosage: float
    outcomes: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEffect:
    """An effect of advising an action whose 95 % interval, ``low`` to ``high``, leaves out zero.

    ``effect`` of ``taken`` is the logarithm of a ratio of chances, else a difference.
    """

    action: ActionType
    outcome: str
    effect: float
    low: float
    high: float


def known_effects(store: Store, person: User, actions: Sequence[ActionType], *, now: datetime) -> Iterator[KnownEffect]:
    """Yield what is known of advising these actions, measured on the user."""
    from bridge.advice.excursion import effect

    decisions = [(person, one) for one in followed(store, person, now=now)] if actions else []
    for action in actions:
        for outcome, binary in OUTCOMES.items():
            found = effect(list(_points(decisions, action, outcome, by_day=True)), binary=binary)
            if found is None:
                continue
            low, high = found.ci95[0]
            if low > 0 or high < 0:
                value = found.estimates[0]
                yield KnownEffect(action=action, outcome=outcome, effect=value, low=low, high=high)


def effects(store: Store, people: Sequence[User], *, now: datetime) -> dict[str, Any]:
    """Return action -> outcome -> effect with its 95 % interval and moderation by slot and dosage.

    An effect is null while the decisions are too few.
    """
    from bridge.advice.excursion import document, effect

    by_day = len(people) < MANY
    decisions = [(person, one) for person in people for one in followed(store, person, now=now)]
    found: dict[str, Any] = {}
    for action in ActionType:
        found[str(action)] = {}
        for outcome, binary in OUTCOMES.items():
            points = list(_points(decisions, action, outcome, by_day=by_day))
            told = document(effect(points, binary=binary), points, binary=binary)
            found[str(action)][outcome] = told | {"scale": "log ratio of chances" if binary else "difference"}
    return {"people": len(people), "decisions": len(decisions), "actions": found, "advice": _advice(len(decisions))}


def _advice(decisions: int) -> dict[str, Any]:
    """Return an empty estimate for advice against no advice, because no slot was left without advice at random."""
    return {
        "effect": None,
        "ci95": [None, None],
        "points": decisions,
        "missing": None,
        "because": "no slot was left without a recommendation at random",
    }


def followed(store: Store, person: User, *, now: datetime) -> Iterator[Followed]:
    """Yield the user's finished decisions with their outcomes, oldest first."""
    given = store.recommendations.between(person.id, since=BEGINNING, until=now)
    if not given:
        return
    since = given[0].created_at.date()
    samples = store.reading.samples(person.id, since=since, at=now)
    days = figures(samples, store.reading.episodes(person.id, since=since, at=now))
    checked = sorted((one.start, one.value) for _, one in samples if one.metric is Metric.CHECK_IN)
    mornings = {one.moment.date: one for one in reversed(given)}  # the first recommendation of a day
    dosage = 0.0
    for one in given:
        if _over(one, now):
            outcomes = dict(_outcomes(one, days, checked, mornings.get(one.moment.date + DAY)))
            yield Followed(advice=one, dosage=dosage, outcomes=outcomes)
        dosage = FADES * dosage + 1 - FADES


def _over(one: Recommendation, now: datetime) -> bool:
    """Return True for answered decisions and for decisions that were shown and expired.

    A recommendation that was never shown had no effect.
    """
    return one.answer is not None or (one.shown_at is not None and one.expires_at <= now)


def _outcomes(
    one: Recommendation,
    days: Mapping[tuple[date, str], Mapping[Metric, Any]],
    checked: Sequence[tuple[datetime, float]],
    tomorrow: Recommendation | None,
) -> Iterator[tuple[str, float]]:
    """Yield the name and value of each outcome that was measured."""
    yield "taken", float(one.answer is Answer.ACCEPT)
    after = (value for at, value in checked if one.expires_at <= at < one.expires_at + DAY)
    if (said := next(after, None)) is not None:
        yield "next_check_in", said
    night = one.moment.date + DAY  # a night belongs to the day on which it ends
    for name, metric in (("next_night_asleep_min", Metric.ASLEEP), ("next_night_hrv_ms", Metric.HRV_RMSSD)):
        values = [of[metric].value for (day, _), of in days.items() if day == night and metric in of]
        if values:
            yield name, max(values)
    if tomorrow is not None:
        for name, meter in (("next_day_vitality", Meter.VITALITY), ("next_day_serenity", Meter.SERENITY)):
            state = tomorrow.observation.get("meters", {}).get(str(meter))
            if state is not None and state.get("coverage", 0) > 0:
                yield name, float(state["level"])


def _points(
    decisions: Sequence[tuple[User, Followed]], action: ActionType, outcome: str, *, by_day: bool
) -> Iterator[Point]:
    """Yield a point per decision with a known outcome in which the action had a probability between 0 and 1."""
    from bridge.advice.excursion import Point

    for person, one in decisions:
        chance = one.advice.probabilities.get(str(action), 0.0)
        if 0 < chance < 1 and outcome in one.outcomes:
            yield Point(
                cluster=f"{person.id}/{one.advice.moment.date}" if by_day else str(person.id),
                given=one.advice.action is action,
                chance=chance,
                outcome=one.outcomes[outcome],
                moderators=(float(one.advice.moment.slot >= Slot.EVENING), one.dosage),
            )
