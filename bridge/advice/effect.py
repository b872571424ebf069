"""The effect of recommendations on later outcomes, from randomised decisions and the measurements after them.

For each action, the effect is the difference of an outcome between advising that action and advising another. For the
outcome ``taken`` it is the logarithm of the ratio of its probabilities. Every decision was stored with the probability
of its draw. Decisions with a probability of 0 or 1 are left out.

The outcome's last level and the steps of the day before are controls, which make the intervals narrower. The effect of
advice as such compares slots with advice to slots without. A random draw, the lot, decided which slot gets advice.
Every slot counts by its first lot, even if the recommendation was superseded or never shown. Otherwise the two kinds of
slots would not be comparable. From five users on, each user's effect is shrunk towards the mean of all users' effects.
It is shrunk more if less is known of the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bridge.advice.aftermath import STEPS, Drawn, Followed, aftermath
from bridge.advice.excursion import Effect, Point, document, effect, missing
from bridge.advice.intervals import student
from bridge.advice.review_words import KnownEffect
from bridge.domain.records import User
from bridge.domain.slots import Moment
from rhythm_env.interface import ActionType, Slot

if TYPE_CHECKING:
    from bridge.store import Store

Array = NDArray[np.float64]

MANY = 10  # users from which on each user is a cluster; with fewer, each day of a user is
# outcome -> True if binary
OUTCOMES: Mapping[str, bool] = {
    "taken": True,
    "next_check_in": False,
    "next_night_asleep_min": False,
    "next_night_hrv_ms": False,
    "next_day_vitality": False,
    "next_day_serenity": False,
}
OF_ADVICE = tuple(name for name in OUTCOMES if name != "taken")  # outcomes that slots without advice have too
TINY = 1e-9  # spread of a control that is the same at every decision, as a share of it
SCALES = {True: "log ratio of chances", False: "difference"}
FEWEST = 5  # users from which on their spread can be estimated
HALVINGS = 60  # halvings of the interval that holds the spread


def known_effects(store: Store, person: User, actions: Sequence[ActionType], *, now: datetime) -> Iterator[KnownEffect]:
    """Yield those effects of advising ``actions`` on a user's outcomes whose 95 % interval excludes zero."""
    decisions = (
        [(person, one) for one in aftermath(store, person, now=now).followed(person, now=now)] if actions else []
    )
    for action in actions:
        for outcome, binary in OUTCOMES.items():
            found = effect(_points(decisions, action, outcome, by_day=True), binary=binary)
            if found is None:
                continue
            low, high = found.ci95[0]
            if low > 0 or high < 0:
                value = found.estimates[0]
                yield KnownEffect(action=action, outcome=outcome, effect=value, low=low, high=high)


def effects(store: Store, people: Sequence[User], *, now: datetime) -> dict[str, Any]:
    """Return the effect of each action and of advice as such on each outcome, with 95 % intervals, as a JSON object.

    An effect is null if there are too few decisions. ``missing`` is then roughly the number still needed.
    """
    decisions: list[tuple[User, Followed]] = []
    lots: list[tuple[User, Drawn]] = []
    for person in people:
        known = aftermath(store, person, now=now)
        decisions += ((person, one) for one in known.followed(person, now=now))
        drawn = store.recommendations.lots(person.id, until=now)
        lots += ((person, one) for one in known.drawn(drawn, person, now=now))
    by_day = len(people) < MANY
    return {
        "people": len(people),
        "decisions": len(decisions),
        "lots": len(lots),
        "actions": {str(action): _of_action(decisions, action, by_day=by_day) for action in ActionType},
        "advice": _advice({outcome: _of_advice(lots, outcome, by_day=by_day) for outcome in OF_ADVICE}),
    }


def _of_action(decisions: Sequence[tuple[User, Followed]], action: ActionType, *, by_day: bool) -> dict[str, Any]:
    found = {}
    for outcome, binary in OUTCOMES.items():
        points = _points(decisions, action, outcome, by_day=by_day)
        told = document(effect(points, binary=binary), points, binary=binary)
        found[outcome] = told | {"scale": SCALES[binary]}
    return found


def _points(
    decisions: Sequence[tuple[User, Followed]], action: ActionType, outcome: str, *, by_day: bool
) -> list[Point]:
    chances = [one.advice.probabilities.get(str(action), 0.0) for _, one in decisions]
    asked = [
        (person, one, chance)
        for (person, one), chance in zip(decisions, chances, strict=True)
        if 0 < chance < 1 and outcome in one.outcomes
    ]
    points = [
        Point(
            cluster=_cluster(person, one.advice.moment, by_day=by_day),
            given=one.advice.action is action,
            chance=chance,
            outcome=one.outcomes[outcome],
            moderators=_moderators(one.advice.moment, one.dosage),
        )
        for person, one, chance in asked
    ]
    return controlled(points, [one.before for _, one, _ in asked], outcome)


def _advice(outcomes: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    # ``because`` says why its effect is null, and is None if the effect is known.
    first = outcomes[OF_ADVICE[0]]
    told = {name: first[name] for name in ("effect", "ci95", "points", "missing")}
    why = None if first["effect"] is not None else "too few slots were left without a recommendation at random"
    return {**outcomes, **told, "because": why}


def _of_advice(lots: Sequence[tuple[User, Drawn]], outcome: str, *, by_day: bool) -> dict[str, Any]:
    points = _compared(lots, outcome, by_day=by_day)
    told = document(effect(points), points, binary=False) | {"scale": SCALES[False], "users": {}}
    names = list(dict.fromkeys(person.name for person, _ in lots))
    if len(names) > 1:
        own = {name: [lot for lot in lots if lot[0].name == name] for name in names}
        each = {name: effect(_compared(mine, outcome, by_day=True)) for name, mine in own.items()}
        known = {name: found for name, found in each.items() if found is not None}
        shares = zip(known, pooled(list(known.values())), strict=True)
        told["users"] = {name: {"effect": one.effect, "ci95": list(one.ci95), "own": one.own} for name, one in shares}
    return told


def _compared(lots: Sequence[tuple[User, Drawn]], outcome: str, *, by_day: bool) -> list[Point]:
    drawn = [(person, one) for person, one in lots if outcome in one.outcomes]
    points = [
        Point(
            cluster=_cluster(person, one.lot.moment, by_day=by_day),
            given=one.lot.given,
            chance=1 - one.lot.silence,
            outcome=one.outcomes[outcome],
            moderators=_moderators(one.lot.moment, one.dosage),
        )
        for person, one in drawn
    ]
    return controlled(points, [one.before for _, one in drawn], outcome)


def controlled(points: Sequence[Point], before: Sequence[Mapping[str, float]], outcome: str) -> list[Point]:
    """Return the points with controls, which are the outcome's level and the steps before each decision (``before``).

    A control is left out if fewer than half of the points have it, or if the points would be too few with it. A missing
    value is replaced by the mean, which does not bias the estimate because draws do not depend on earlier values.
    """
    for name in (outcome, STEPS):
        known = [one[name] for one in before if name in one]
        mean = sum(known) / max(len(known), 1)
        spread = (sum((value - mean) ** 2 for value in known) / max(len(known), 1)) ** 0.5
        if len(known) * 2 < len(points) or spread < TINY * max(abs(mean), 1):
            continue
        values = [(one.get(name, mean) - mean) / spread for one in before]
        more = [replace(one, controls=(*one.controls, value)) for one, value in zip(points, values, strict=True)]
        points = more if not missing(more) else points
    return list(points)


def _cluster(person: User, moment: Moment, *, by_day: bool) -> str:
    return f"{person.id}/{moment.date}" if by_day else str(person.id)


def _moderators(moment: Moment, dosage: float) -> tuple[float, float]:
    return float(moment.slot >= Slot.EVENING), dosage


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pooled:
    """A user's effect with its 95 % interval, drawn towards the mean of all users by the weight 1 - ``own``."""

    effect: float
    ci95: tuple[float, float]
    own: float


def pooled(effects: Sequence[Effect]) -> list[_Pooled]:
    """Return each user's effect, drawn towards the mean of all users, or unchanged if users are few.

    By empirical Bayes (Paule and Mandel 1982, Morris 1983).
    """
    if len(effects) < FEWEST:
        return [_Pooled(effect=effect.estimates[0], ci95=effect.ci95[0], own=1.0) for effect in effects]
    found = np.array([effect.estimates[0] for effect in effects])
    half = np.array([(effect.ci95[0][1] - effect.ci95[0][0]) / 2 for effect in effects])
    errors = half / student(np.inf)  # wider than the standard errors where these are uncertain
    spread = _spread(found, errors)
    weights = 1 / (errors**2 + spread)
    mean = float(weights @ found / weights.sum())
    n = len(effects)
    drawn = (n - 3) / (n - 1) * errors**2 * weights  # share of the mean of all, less because the spread is estimated
    centre = found + drawn * (mean - found)
    variance = errors**2 * (1 - (n - 1) / n * drawn) + 2 / (n - 3) * drawn**2 * (found - mean) ** 2
    wide = student(np.inf) * np.sqrt(variance)
    return [
        _Pooled(effect=float(c), ci95=(float(c - w), float(c + w)), own=float(1 - d))
        for c, w, d in zip(centre, wide, drawn, strict=True)
    ]


def _spread(found: Array, errors: Array) -> float:
    """Return the variance of the users' true effects by the method of moments, or 0."""
    low, high = 0.0, float(found.var()) * 4 + 1e-12
    if _excess(found, errors, low) <= 0:
        return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _excess(found, errors, middle) > 0 else (low, middle)
    return (low + high) / 2


def _excess(found: Array, errors: Array, spread: float) -> float:
    weights = 1 / (errors**2 + spread)
    mean = weights @ found / weights.sum()
    return float(weights @ (found - mean) ** 2 - (len(found) - 1))
