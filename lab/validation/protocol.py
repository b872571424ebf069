"""Rank correlations within each person of every predictor with every report, and their paired differences.

A person counts with at least LEAST_DAYS days that have both. The table gives the median, the quartiles, and the mean
with Student's 95 % interval over persons, and for comparison the correlation with reports shifted in a circle. All
predictors of a target are compared on the rows with a night known at the report and the predictor present. A paired
difference uses the rows that have both. A single predictor is fitted, on other persons than the person it is tested on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lab.validation import ranks
from lab.validation.columns import ASKED, ASKED_EVERY, METERS, OWN_REPORT, Columns
from lab.validation.ranks import DIGITS

if TYPE_CHECKING:
    from lab.validation.columns import Column, Columns


LEAST_DAYS = 20
LEAK = 0.35  # of anything that does not know the person's answers
FITTED = "fitted (leave one person out)"
WARNING = "above .35 without check-ins: a leak until shown otherwise"
COMPARED = ("formula A", "formula B", "formula C", "raw sleep hours", "vendor sleep score")
ORDER = (
    *METERS.values(),
    *("raw lnRMSSD", "raw lnSDNN", "raw -RHR", "raw sleep hours", "steps yesterday"),
    *("vendor sleep score", "vendor stress (Fitbit)", "vendor stress (Garmin)"),
    *("formula A", "formula B", "formula C", FITTED, OWN_REPORT),
)
PAIRED_METERS = tuple(METERS[meter] for meter in ASKED)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class One:
    """A person's rank correlation ``rho`` over ``days`` reports, and those with the reports shifted in time."""

    rho: float
    days: int
    shifts: NDArray[np.float64] | None = None


def rows(cohort: str, people: Sequence[Columns], on_step: Callable[[int, int], None]) -> list[Row]:
    """Return the rows of a cohort's table, for each target one per predictor and one per compared pair of them."""
    people = _sharing(people)
    targets = _names(one.targets for one in people)
    found: list[Row] = []
    for k, target in enumerate(targets):
        found += [{"cohort": cohort, "target": target, **row} for row in _of_target(_block(people, target), target)]
        on_step(k + 1, len(targets))
    return found


def _sharing(people: Sequence[Columns]) -> list[Columns]:
    """Return the people with ``rows`` 1 if the night is known (or if it never is, if any meter has input), else 0."""
    wanted = 1.0 if any((one.rows == 1.0).any() for one in people) else 2.0
    return [replace(one, rows=(one.rows == wanted).astype(float)) for one in people]


def _block(people: Sequence[Columns], target: str) -> list[Columns]:
    """Return the people with at least LEAST_DAYS reports of a target, and add its own and the fitted predictors."""
    asked = [one for one in people if target in one.targets]
    usable = [(one.rows > 0) & ~np.isnan(one.targets[target]) for one in asked]
    kept = [(one, use) for one, use in zip(asked, usable, strict=True) if use.sum() >= LEAST_DAYS]
    people = [one for one, _ in kept]
    ceiling = leave_one_out(people, target, [use for _, use in kept])
    found = []
    for k, one in enumerate(people):
        more = {} if ceiling is None else {FITTED: ceiling[k]}
        found.append(replace(one, predictors={**one.predictors, **more, **one.own.get(target, {})}))
    return found


def _of_target(people: Sequence[Columns], target: str) -> Iterator[Row]:
    names = sorted(_names(one.predictors for one in people), key=_place)
    for name in names:
        ones = [_alone(one, target, name) for one in people]
        if any(ones):
            yield {"predictor": name, **summary(ones), **_shown(ones, name, people, target)}
    for ours, theirs in _pairs(names):
        ones = [_difference(one, target, ours, theirs) for one in people]
        if any(ones):
            yield {"predictor": f"{ours} - {theirs}", **summary(ones)}


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of predictors to compare, each meter with others, then each with check-ins with the one without."""
    for meter in PAIRED_METERS:
        yield from ((meter, other) for other in COMPARED if meter in names and other in names)
    for meter in PAIRED_METERS:
        longer = (f"{meter} + {how}" for how in ASKED_EVERY)
        yield from ((name, meter) for name in longer if name in names and meter in names)


def _alone(one: Columns, target: str, name: str) -> One | None:
    both = _common(one, target, name)
    if both is None:
        return None
    x, y = one.predictors[name][both], one.targets[target][both]
    rho = ranks.spearman(x, y)
    return None if rho is None else One(rho=rho, days=int(np.sum(both)), shifts=ranks.shifted(x, y))


def _difference(one: Columns, target: str, ours: str, theirs: str) -> One | None:
    both = _common(one, target, ours, theirs)
    if both is None:
        return None
    y = one.targets[target][both]
    left, right = (ranks.spearman(one.predictors[name][both], y) for name in (ours, theirs))
    return None if left is None or right is None else One(rho=left - right, days=int(both.sum()))


def _common(one: Columns, target: str, *names: str) -> NDArray[np.bool_] | None:
    """Return True for the rows that have the target and all named predictors, or None with fewer than LEAST_DAYS."""
    if any(name not in one.predictors for name in names):
        return None
    both: NDArray[np.bool_] = (one.rows > 0) & ~np.isnan(one.targets[target])
    for name in names:
        both &= ~np.isnan(one.predictors[name])
    return both if both.sum() >= LEAST_DAYS else None


def summary(ones: Sequence[One | None]) -> Row:
    """Return median, quartiles, mean and 95 % interval over persons, with the numbers of persons and days."""
    found = [one for one in ones if one is not None]
    rhos = [one.rho for one in found]
    low, middle, high = (round(float(q), DIGITS) for q in np.quantile(rhos, (0.25, 0.5, 0.75)))
    return {
        "median": middle,
        "iqr": [low, high],
        "mean": round(fmean(rhos), DIGITS),
        "ci95": ranks.interval(rhos),
        "persons": len(found),
        "days": sum(one.days for one in found),
    }


def _shown(ones: Sequence[One | None], name: str, people: Sequence[Columns], target: str) -> Row:
    """Return ``null95`` and ``p`` by shifted reports, and a ``warning`` if a correlation is implausibly high."""
    found = [one for one in ones if one is not None]
    means = ranks.null_means([one.shifts for one in found if one.shifts is not None])
    mean, middle = fmean(one.rho for one in found), float(np.median([one.rho for one in found]))
    low, high = (round(float(q), DIGITS) for q in np.quantile(means, (0.025, 0.975)))
    p = (1 + int(np.sum(np.abs(means) >= abs(mean)))) / (len(means) + 1)
    row: Row = {"null95": [low, high], "p": round(p, DIGITS)}
    knows_answers = any(name in one.own.get(target, {}) for one in people)
    if max(mean, middle) > LEAK and not knows_answers:
        row["warning"] = WARNING
    return row


def _names(all_of: Iterator[Any] | Sequence[Any]) -> list[str]:
    return list(dict.fromkeys(name for one in all_of for name in one))


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


RIDGE = 10.0  # set beforehand, worth ten days of data
LEAST_PERSONS = 3


def leave_one_out(people: Sequence[Columns], target: str, usable: Sequence[NDArray[np.bool_]]) -> list[Column] | None:
    """Predict each row of each person by a ridge regression on inputs, fitted on the usable rows of all other persons.

    Reports are standardised within each person first. The result is None below LEAST_PERSONS or without inputs.
    """
    names = sorted({name for one in people for name in one.inputs})
    if len(people) < LEAST_PERSONS or not names:
        return None
    inputs = [_matrix(one, names) for one in people]
    sides = [_products(x[use], one.targets[target][use]) for one, x, use in zip(people, inputs, usable, strict=True)]
    square, cross = sum(xx for xx, _ in sides), sum(xy for _, xy in sides)
    penalty = RIDGE * np.eye(len(names))
    found: list[Column] = []
    for x, (own_square, own_cross) in zip(inputs, sides, strict=True):
        found.append(x @ np.linalg.solve(square - own_square + penalty, cross - own_cross))
    return found


def _matrix(one: Columns, names: Sequence[str]) -> NDArray[np.float64]:
    nothing = np.zeros(len(one.rows))
    return np.stack([one.inputs.get(name, nothing) for name in names], axis=1)


def _products(x: NDArray[np.float64], y: Column) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if len(y) < 2 or np.ptp(y) == 0:
        return np.zeros((x.shape[1], x.shape[1])), np.zeros(x.shape[1])
    return x.T @ x, x.T @ ((y - y.mean()) / y.std())
