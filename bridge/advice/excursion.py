"""The causal excursion effect of a recommendation, from randomised decisions (Boruvka et al. 2018).

Ratios: Qian et al. (2021). Errors: Mancl and DeRouen (2001), Bell and McCaffrey (2002).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.advice.intervals import student

Array = NDArray[np.floating[Any]]

FEWEST_CLUSTERS = 14  # more than the coefficients: with fewer, even a corrected sandwich is unreliable
FEWEST_EACH = 10  # decisions with the action, and decisions without it
FEWEST_EVENTS = 10  # outcomes of 1, and outcomes of 0
NEWTON_STEPS = 50  # of Newton's method
PRECISE = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A randomised decision, of which ``given`` says that an action was advised, with the probability ``chance``.

    Decisions of the same ``cluster`` may depend on each other. ``controls`` predict the outcome, ``moderators`` may
    change the effect.
    """

    cluster: str
    given: bool
    chance: float
    outcome: float
    controls: tuple[float, ...] = ()
    moderators: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """An estimated effect. Standard errors and 95 % intervals are in the order of ``estimates``.

    The first estimate is the effect at mean moderators, each other the change of the effect per unit of a moderator.
    """

    estimates: tuple[float, ...]
    errors: tuple[float, ...]
    ci95: tuple[tuple[float, float], ...]
    points: int
    clusters: int

    @property
    def told(self) -> bool:
        """Return True if the effect's 95 % interval excludes zero, so that the effect may be shown."""
        low, high = self.ci95[0]
        return low > 0 or high < 0


def missing(points: Sequence[Point], *, binary: bool = False) -> int:
    """Return roughly how many points are lacking for an estimate of the effect, or 0 if there are enough.

    ``binary`` is True for an outcome of 0 or 1.
    """
    wanted = [FEWEST_EACH - sum(point.given is way for point in points) for way in (True, False)]
    shares = [_share(points, way) for way in (True, False)]
    needed = [count / share for count, share in zip(wanted, shares, strict=True)]
    if binary:
        events = sum(point.outcome > 0 for point in points)
        needed += [FEWEST_EVENTS - events, FEWEST_EVENTS - (len(points) - events)]
    clusters = {point.cluster for point in points}
    size = max(len(points) / max(len(clusters), 1), 1.0)
    needed.append((FEWEST_CLUSTERS + _width(points) - len(clusters)) * size)
    return max(int(max(needed) + 0.999), 0)


def _share(points: Sequence[Point], way: bool) -> float:
    """Return the mean probability of advice, or of none if ``way`` is False, at least 0.02, or 0.5 without points."""
    chances = [point.chance if way else 1 - point.chance for point in points]
    return max(sum(chances) / len(chances), 0.02) if chances else 0.5


def _width(points: Sequence[Point]) -> int:
    return 2 + (len(points[0].controls) + len(points[0].moderators) * 2 if points else 0)


def effect(points: Sequence[Point], *, binary: bool = False) -> Effect | None:
    """Estimate the effect of advice on the outcome, or return None if data are too few or there is no unique solution.

    With ``binary`` it is a log ratio of probabilities, otherwise a difference. Raises ValueError for a chance of 0 or
    1.
    """
    if any(not 0 < point.chance < 1 for point in points):
        raise ValueError("an effect is told from decisions that were drawn, with a chance between 0 and 1")
    if missing(points, binary=binary):
        return None
    moderators = np.array([(1.0, *point.moderators) for point in points])
    moderators[:, 1:] -= moderators[:, 1:].mean(axis=0)
    controls = np.hstack([moderators, np.array([point.controls for point in points])])
    given = np.array([float(point.given) for point in points])
    chance = np.array([point.chance for point in points])
    outcome = np.array([point.outcome for point in points])
    fixed = float(chance.mean())
    weights = np.where(given > 0, fixed / chance, (1 - fixed) / (1 - chance))
    design = np.hstack([controls, (given - fixed)[:, None] * moderators])
    try:
        if binary:
            found, scores, bread, leverage = _ratio(design, given[:, None] * moderators, weights, outcome)
        else:
            found, scores, bread, leverage = _difference(design, weights, outcome)
        spread, freedom = _sandwich(scores, bread, leverage, [point.cluster for point in points], moderators.shape[1])
    except np.linalg.LinAlgError:
        return None
    clusters = len({point.cluster for point in points})
    width = moderators.shape[1]
    errors = np.sqrt(np.maximum(np.diagonal(spread)[-width:], 0.0))
    estimates = found[-width:]
    half = np.array([student(one) for one in np.minimum(freedom, clusters - design.shape[1])]) * errors
    if not (np.isfinite(estimates).all() and np.isfinite(errors).all()):
        return None
    return Effect(
        estimates=tuple(map(float, estimates)),
        errors=tuple(map(float, errors)),
        ci95=tuple((float(e - h), float(e + h)) for e, h in zip(estimates, half, strict=True)),
        points=len(points),
        clusters=clusters,
    )


def _difference(design: Array, weights: Array, outcome: Array) -> tuple[Array, Array, Array, Array]:
    weighted = design * weights[:, None]
    bread = np.linalg.inv(design.T @ weighted)
    found = bread @ (weighted.T @ outcome)
    return found, weighted, bread, np.column_stack([design, outcome - design @ found])


def _ratio(design: Array, treated: Array, weights: Array, outcome: Array) -> tuple[Array, Array, Array, Array]:
    first = np.log(np.clip(outcome.mean(), 0.01, 0.99))
    found = np.zeros(design.shape[1])
    found[0], split = first, design.shape[1] - treated.shape[1]
    controls = design[:, :split]
    plain = np.hstack([controls, treated])
    for _ in range(NEWTON_STEPS):
        without = np.exp(-(treated @ found[split:]))
        base = np.exp(np.clip(controls @ found[:split], -20.0, 3.0))
        score = design.T @ (weights * (without * outcome - base))
        slope = np.zeros((design.shape[1], design.shape[1]))
        slope[:, :split] = design.T @ (controls * (weights * base)[:, None])
        slope[:, split:] = design.T @ (treated * (weights * without * outcome)[:, None])
        step = np.linalg.solve(slope, score)
        found = found + step * min(1.0, 1.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < PRECISE:
            break
    else:
        raise np.linalg.LinAlgError("no solution was found")
    without = np.exp(-(treated @ found[split:]))
    base = np.exp(controls @ found[:split])
    derived = plain * base[:, None]  # of the expected outcome, as Mancl and DeRouen have it
    weighted = design * weights[:, None]
    return found, weighted, np.linalg.inv(slope), np.column_stack([derived, without * outcome - base])


def _sandwich(
    weighted: Array, bread: Array, leverage: Array, clusters: Sequence[str], width: int
) -> tuple[Array, Array]:
    rows, residuals = leverage[:, :-1], leverage[:, -1]
    places: dict[str, list[int]] = {}
    for number, cluster in enumerate(clusters):
        places.setdefault(cluster, []).append(number)
    scores, parts = [], []
    for at in places.values():
        hat = rows[at] @ bread @ weighted[at].T
        left = np.eye(len(at)) - hat
        scores.append(weighted[at].T @ np.linalg.solve(left, residuals[at]))
        shares = np.linalg.solve(left.T, weighted[at]) @ bread.T[:, -width:]
        parts.append((shares, rows[at].T @ shares, weighted[at].T @ shares))
    meat = np.array(scores)
    freedom = np.array([_freedom(parts, bread, weighted, at) for at in range(width)])
    return np.asarray(bread @ (meat.T @ meat) @ bread.T), freedom


def _freedom(parts: Sequence[tuple[Array, Array, Array]], bread: Array, weighted: Array, at: int) -> float:
    """Return Satterthwaite's degrees of freedom of the variance of coefficient ``at`` (Bell and McCaffrey 2002)."""
    own = np.array([float(shares[:, at] @ shares[:, at]) for shares, _, _ in parts])
    seen = np.array([rows[:, at] for _, rows, _ in parts])  # (clusters, coefficients)
    moved = np.array([scores[:, at] for _, _, scores in parts])
    crossed = seen @ bread @ moved.T
    gram = np.diag(own) - crossed - crossed.T + seen @ (bread @ (weighted.T @ weighted) @ bread.T) @ seen.T
    return float(np.trace(gram) ** 2 / max(float((gram**2).sum()), 1e-300))


def document(found: Effect | None, points: Sequence[Point], *, binary: bool) -> dict[str, Any]:
    """Return the effect ``found`` from ``points`` as a JSON object, with nulls and the number ``missing`` if None."""
    if found is None:
        return {"effect": None, "ci95": [None, None], "points": len(points), "missing": missing(points, binary=binary)}
    return {
        "effect": found.estimates[0],
        "ci95": list(found.ci95[0]),
        "points": found.points,
        "clusters": found.clusters,
        "missing": 0,
        "moderation": [
            {"effect": value, "ci95": list(bounds)}
            for value, bounds in zip(found.estimates[1:], found.ci95[1:], strict=True)
        ],
    }
