"""Relate figures of the next day to what was noted the day before, adjusted for what else differs between the days.

Each outcome is regressed on all factors at once, with weekday, season, trend, the outcome of the day before and other
controls (least squares). Errors follow each other: intervals are those of Newey and West (1987) over a week, with
residuals enlarged by leverage (MacKinnon and White 1985) and Student's quantile at Welch's freedom (1947). The factors'
effects on an outcome are shrunk towards none by their common spread, of at least an SD of the outcome. The share
of false claims among all claims is bounded as by Benjamini and Hochberg (1995). Nothing here says that a factor is the
cause.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

LEVEL, FALSE_CLAIMS, POWER = 0.95, 0.03, 0.85  # so that at most 5 of 100 lives without any effect hear of one
LAG_DAYS = 7
STEPS = 6
INFLATION = 1.3  # of the variance by what is adjusted for, of which few days tell too little
WITH_MIN, WITHOUT_MIN, FREEDOM_MIN = 5, 10, 15
SPREAD_FLOOR = 1.0  # SD of the outcome
ONE_DAY_MOST = 1 / 3  # of what tells a factor from weekdays and the others
YEAR = 365.25
SEASON_MIN_DAYS, YEAR_MIN_DAYS = 120, 300  # from which on half a year and a year of a cycle can be told apart
DAY = timedelta(days=1)
Verdict = Literal["more", "less", "not known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A figure by day, with the smallest difference of interest and the standard deviation in most people."""

    name: str
    unit: str
    values: Mapping[date, float]
    least: float
    usual: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """The difference in an outcome between days after a factor and other days, in the outcome's unit.

    ``effect`` and ``interval`` (95 %) are None while there are too few days. ``days_left`` is the number of further
    days with the factor that would show the smallest difference of interest with a power of 85 %, or 0.
    """

    factor: str
    on: str
    unit: str
    n_with: int
    n_without: int
    effect: float | None = None
    interval: tuple[float, float] | None = None
    verdict: Verdict = "not known"
    days_left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fit:
    """The regression of an outcome: each factor's estimate with its standard error and degrees of freedom."""

    found: Mapping[str, tuple[float, float, float]]  # factor -> estimate, error, inflation of its variance
    freedom: int
    sd: float  # of the outcome
    left: float  # SD of the residuals


def effects(
    factors: Mapping[str, Mapping[date, bool]],
    outcomes: Sequence[Outcome],
    controls: Sequence[Mapping[date, float]] = (),
) -> list[Effect]:
    """Return each factor's effect on each outcome of the next day, significant ones first.

    ``factors`` maps a name to the days on which it is known, True if it occurred. ``controls`` are figures of that day.
    """
    told: list[tuple[Effect, float]] = []
    for outcome in outcomes:
        told += _of_outcome(factors, outcome, controls, tests=len(factors) * len(outcomes))
    claims = _claims([p for _, p in told])
    found = [_judged(one, claimed=claim) for (one, _), claim in zip(told, claims, strict=True)]
    return sorted(found, key=lambda one: (one.verdict == "not known", one.factor, one.on))


def _judged(one: Effect, *, claimed: bool) -> Effect:
    from dataclasses import replace

    if not claimed or one.effect is None or one.interval is None or one.interval[0] <= 0 <= one.interval[1]:
        return one
    return replace(one, verdict="more" if one.effect > 0 else "less", days_left=0)


def _claims(chances: Sequence[float]) -> list[bool]:
    """Return which p-values are significant by Benjamini and Hochberg. A p-value of 1 means "not tested"."""
    tests = sorted(p for p in chances if p < 1)
    bound = max((p for rank, p in enumerate(tests, 1) if p <= FALSE_CLAIMS * rank / len(tests)), default=-1.0)
    return [p <= bound for p in chances]


def _of_outcome(
    factors: Mapping[str, Mapping[date, bool]],
    outcome: Outcome,
    controls: Sequence[Mapping[date, float]],
    *,
    tests: int,
) -> list[tuple[Effect, float]]:
    from scipy import special

    days = {name: [day for day in known if day + DAY in outcome.values] for name, known in factors.items()}
    counts = {name: sum(factors[name][day] for day in some) for name, some in days.items()}
    tested = [
        name for name, some in days.items() if counts[name] >= WITH_MIN and len(some) - counts[name] >= WITHOUT_MIN
    ]
    fit = _fitted({name: factors[name] for name in tested}, outcome, controls) if tested else None
    found = {} if fit is None else fit.found
    spread = 0.0 if fit is None else _spread([one[:2] for one in found.values()], SPREAD_FLOOR * fit.sd)
    told: list[tuple[Effect, float]] = []
    for name, some in days.items():
        plain = {"factor": name, "on": outcome.name, "unit": outcome.unit, "n_with": counts[name]}
        without = len(some) - counts[name]
        whole = sum(factors[name].values())
        left = _days_left(outcome, fit, name, (counts[name], without, whole), tests=tests)
        if fit is None or name not in found:
            left = max(left, WITH_MIN if name in tested else 0)
            told.append((Effect(**plain, n_without=without, days_left=left), 1.0))  # type: ignore[arg-type]
            continue
        estimate, error, _ = found[name]
        weight, freedom = spread / (spread + error**2), min(fit.freedom, _welch(counts[name], without))
        middle, reach = weight * estimate, float(special.stdtrit(freedom, (1 + LEVEL) / 2)) * error * math.sqrt(weight)
        effect = Effect(
            **plain,  # type: ignore[arg-type]
            n_without=without,
            effect=middle,
            interval=(middle - reach, middle + reach),
            days_left=left,
        )
        told.append((effect, 2 * float(special.stdtr(freedom, -abs(estimate) / error))))
    return told


def _welch(n_with: int, n_without: int) -> float:
    return (1 / n_with + 1 / n_without) ** 2 / (1 / (n_with**2 * (n_with - 1)) + 1 / (n_without**2 * (n_without - 1)))


def _days_left(outcome: Outcome, fit: _Fit | None, name: str, days: tuple[int, int, int], *, tests: int) -> int:
    """Return how many more days with a factor are needed to show ``outcome.least`` with the power.

    ``days`` counts the days with the factor and a known outcome, the days without it, and all days with it.
    """
    from scipy import special

    n_with, n_without, whole = days
    left, inflation = (outcome.usual, INFLATION) if fit is None else (fit.left, fit.found.get(name, (0, 0, 0.0))[2])
    inflation, told = max(inflation, INFLATION), max((n_with + 1) / (whole + 1), 0.5)
    share = min(max((n_with + 1) / (n_with + n_without + 4), 0.02), 0.9)
    needed = float(max(n_with, WITH_MIN))
    for _ in range(STEPS):  # the quantiles depend on the number that they give
        freedom = max(needed, WITH_MIN) - 1
        reach = float(
            special.stdtrit(freedom, 1 - FALSE_CLAIMS / (2 * max(tests, 1))) + special.stdtrit(freedom, POWER)
        )
        needed = (left * reach / outcome.least) ** 2 * inflation / (1 - share)
    return max(0, math.ceil((max(needed, WITH_MIN) - n_with) / told))


def _spread(found: Sequence[tuple[float, float]], floor: float) -> float:
    if not found:
        return floor**2
    own = sum(estimate**2 - error**2 for estimate, error in found) / len(found)
    return max(own, floor**2)


def _fitted(
    factors: Mapping[str, Mapping[date, bool]], outcome: Outcome, controls: Sequence[Mapping[date, float]]
) -> _Fit | None:
    """Return the regression of an outcome on the factors of the day before, or None if there are too few days."""
    import numpy as np

    days = sorted(
        day for day in set.union(*(set(factor) for factor in factors.values())) if day + DAY in outcome.values
    )
    names = list(factors)
    known = [[factors[name].get(day) for name in names] for day in days]
    rows = [k for k, one in enumerate(known) if None not in one]
    if not rows:
        return None
    days = [days[k] for k in rows]
    given = np.array([known[k] for k in rows], dtype=float)
    values = np.array([outcome.values[day + DAY] for day in days])
    nuisance = _nuisance(days, [outcome.values, *controls])
    freedom = len(days) - given.shape[1] - nuisance.shape[1]
    if freedom < FREEDOM_MIN or float(values.std()) == 0:
        return None
    matrix = np.hstack([given, nuisance])
    inverse = np.linalg.pinv(matrix.T @ matrix)
    slopes = inverse @ matrix.T @ values
    left = values - matrix @ slopes
    leverage = np.clip(np.einsum("ij,jk,ik->i", matrix, inverse, matrix), 0, 0.95)
    errors = np.sqrt(np.diag(_covariance(matrix, left / (1 - leverage), inverse, days)))
    own, most = [], []
    for k in range(len(names)):  # what of a factor is told by neither the others nor the rest
        others = np.delete(matrix, k, axis=1)
        slope = np.linalg.lstsq(others, given[:, k], rcond=None)[0]
        squares = (given[:, k] - others @ slope) ** 2
        own.append(float(squares.sum()))
        most.append(float(squares.max()))
    plain = [float(((given[:, k] - given[:, k].mean()) ** 2).sum()) for k in range(len(names))]
    sigma = math.sqrt(float(left @ left) / freedom)
    return _Fit(
        found={
            name: (float(slopes[k]), float(errors[k]), max(1.0, (float(errors[k]) / sigma) ** 2 * plain[k]))
            for k, name in enumerate(names)
            if own[k] > 0.05 * plain[k] and most[k] <= ONE_DAY_MOST * own[k] and errors[k] > 0  # else not told apart
        },
        freedom=freedom,
        sd=float(values.std()),
        left=sigma,
    )


def _nuisance(days: Sequence[date], controls: Sequence[Mapping[date, float]]) -> Array:
    import numpy as np

    at = np.array([day.toordinal() for day in days], dtype=float)
    span = float(at.max() - at.min()) or 1.0
    trend = 2 * (at - at.min()) / span - 1
    columns = [np.ones(len(days)), trend, trend**2]
    columns += [np.array([day.isoweekday() == n for day in days], dtype=float) for n in range(2, 8)]
    cycles = [n for n, least in ((1, YEAR_MIN_DAYS), (2, SEASON_MIN_DAYS)) if span >= least]
    for cycle in cycles:
        turn = 2 * math.pi * cycle * at / YEAR
        columns += [np.sin(turn), np.cos(turn)]
    for of in controls:
        known = np.array([of.get(day, math.nan) for day in days])
        if np.isnan(known).mean() > 0.5:
            continue
        missing = np.isnan(known)
        spread = float(np.nanstd(known)) or 1.0
        columns.append(np.where(missing, 0.0, (known - np.nanmean(known)) / spread))
        if missing.any():
            columns.append(missing.astype(float))
    return np.column_stack(columns)


def _covariance(matrix: Array, left: Array, inverse: Array, days: Sequence[date]) -> Array:
    """Return the Newey-West covariance of the slopes with a lag of a week. Some days may be missing."""
    import numpy as np

    at = np.array([day.toordinal() for day in days])
    scores = matrix * left[:, None]
    meat = scores.T @ scores
    for back in range(1, LAG_DAYS + 1):
        place = np.searchsorted(at, at - back)
        pairs = (at - back >= at[0]) & (at[np.minimum(place, len(at) - 1)] == at - back)
        both = scores[pairs].T @ scores[place[pairs]]
        meat = meat + (1 - back / (LAG_DAYS + 1)) * (both + both.T)
    return np.asarray(inverse @ meat @ inverse)
