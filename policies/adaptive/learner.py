"""Learn the probability that a user accepts an action from the user's answers, by a weighted set of regressions.

Weights: prequential marginal likelihood (Dawid 1984). Learning: assumed density filtering (Opper 1998).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import WEEKEND

Array = NDArray[Any]  # single precision: its rounding is far below the information of answers

MANY = len(ACTIONS)
BASE, ACTION, SLOT, BOTH = 0, 1, 1 + MANY, 1 + MANY + SLOTS
WEEKEND_TASTES = BOTH + MANY * SLOTS
PLANNER, REPEATED, USUAL_ACTION = WEEKEND_TASTES + MANY, WEEKEND_TASTES + MANY + 1, WEEKEND_TASTES + MANY + 2
SIZE = USUAL_ACTION + 1
POINTS = 12  # of the quadrature over a logit
BLOCK = 16  # answers that are heard at once, which is fastest
# The prior's standard deviations, in logits. They are unknown for a new user, so a ladder by factors of two brackets
# them. Acceptance between 20 % and 80 % for the same user is a spread of 1.4.
SIZES = (0.1, 0.4, 0.8, 1.6)
# Prior odds. The planner is used until answers contradict it, and small residuals are likelier than large residuals.
LISTENING = 3 / 4
FAVOURED = {0.1: 6.0, 0.4: 3.0, 0.8: 1.5, 1.6: 0.75}
NEAR, LIKELIER = 0.4, 0.4  # the largest small correction, and the share at which small corrections decide alone
SHARES = {"action": 0.6, "slot": 0.3, "both": 0.7, "weekend": 0.4}  # of a size, with squares that add to about 1
BASE_SD = 1.0
USUAL = -0.4  # logit of a base rate of 40 %, for models without the planner
TRUST_SD = 0.5  # of the coefficient of the planner's forecast, around one
# Logits per logarithm of how usual an action is. People prefer what they do anyway (the logit of a choice is 1
# per logarithm of its share), and answers correct the value.
ROUTINE, ROUTINE_SD = 0.7, 0.5
TIRING_SD = 0.1  # logits per recent piece of the same advice
# (days after which 1 / e of a taste is left, share of recommendations that are seen, prior probability). Unseen
# recommendations count as Ignore. Without the planner, changing tastes and unseen recommendations each have 1/5.
LASTING, CHANGING, PASSING = float("inf"), 21.0, 14.0
WAYS = ((LASTING, 1.0, 0.6), (CHANGING, 1.0, 0.2), (LASTING, 0.45, 0.2))
# The planner learns too and corrects early mistakes, so a residual beside the planner mostly fades. Where a planner
# errs, half of the time much is unseen, and then answers hardly contradict its order of the actions.
WAYS_BESIDE = ((PASSING, 1.0, 0.4), (LASTING, 1.0, 0.1), (PASSING, 0.45, 0.5))


class Asked(NamedTuple):
    """The features of a recommendation for a forecast of its answer. ``action`` is an index, ``day`` 0 (Monday) to 6.

    ``planner`` is the logit of the planner's forecast, ``repeated`` a decaying count of recent recommendations of this
    action, and ``usual`` the logarithm of how often the user does the action at this hour relative to others.
    """

    action: int
    slot: int
    day: int
    planner: float
    repeated: float
    usual: float = 0.0


@dataclass(frozen=True)
class Models:
    """The assumptions of m logistic regressions with SIZE coefficients, as prior means and variances (m, SIZE).

    ``lasting`` is the number of days in which a change of a coefficient decays to 1 / e, infinite for tastes that never
    change.
    """

    prior: Array
    spread: Array
    size: Array  # (m,) of the residual
    listens: Array  # (m,) 1 where the planner's forecast is used
    lasting: Array  # (m,) days
    seen: Array  # (m,) share of recommendations that are seen
    odds: Array  # (m,) log of the prior probability


@cache
def models(*, planner: bool = True) -> Models:
    """Return the assumptions of all models, or without ``planner`` only of models that ignore the planner."""
    found = []
    for listens in (True, False) if planner else (False,):
        sizes = SIZES if listens else SIZES[2:]
        for size, (lasting, seen, odds) in product(sizes, WAYS_BESIDE if listens else WAYS):
            likely = (LISTENING if listens else 1 - LISTENING) * FAVOURED[size] / sum(FAVOURED[one] for one in sizes)
            found.append((size, float(listens), lasting, seen, np.log(likely * odds)))
    size, listens, lasting, seen, odds = np.array(found).T
    prior, spread = np.zeros((len(found), SIZE)), np.zeros((len(found), SIZE))
    prior[:, BASE], spread[:, BASE] = np.where(listens, 0.0, USUAL), BASE_SD**2
    prior[:, PLANNER], spread[:, PLANNER] = listens, (TRUST_SD * listens) ** 2
    spread[:, REPEATED] = TIRING_SD**2
    prior[:, USUAL_ACTION], spread[:, USUAL_ACTION] = ROUTINE, ROUTINE_SD**2
    for name, places in PLACES.items():
        spread[:, places] = ((size * SHARES[name]) ** 2)[:, None]
    return Models(prior.astype("f4"), spread.astype("f4"), size, listens, lasting, seen.astype("f4"), odds)


PLACES = {
    "action": slice(ACTION, SLOT),
    "slot": slice(SLOT, BOTH),
    "both": slice(BOTH, WEEKEND_TASTES),
    "weekend": slice(WEEKEND_TASTES, PLANNER),
}


@cache
def _quadrature() -> tuple[Array, Array]:
    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    moments = (weights / weights.sum())[:, None] * points[:, None] ** np.arange(3)
    return -points.astype("f4"), moments.astype("f4")


@dataclass(frozen=True)
class Learner:
    """The state of m logistic regressions, with coefficients ``mean`` (m, SIZE) and ``cov`` (m, SIZE, SIZE).

    ``logs`` (m,) are log probabilities of the models up to a constant. ``foretold`` holds for each answer so far the
    probability that the models gave to it before they learnt from it.
    """

    of: Models
    mean: Array
    cov: Array
    logs: Array
    foretold: tuple[float, ...] = ()

    def weights(self) -> Array:
        """Return the posterior probability (m,) of each model."""
        found = np.exp(self.logs - self.logs.max())
        return np.asarray(found / found.sum())

    def leaning(self) -> Array:
        """Return the weights (m,), adding to 1, of the models for decisions.

        Only models with small corrections of the planner's forecast have weight while their joint probability is at
        least LIKELIER. After that the weights are those of ``weights``.
        """
        found = self.weights()
        near = (self.of.listens > 0) & (self.of.size <= NEAR)
        share = found[near].sum()
        return np.asarray(np.where(near, found, 0.0) / share if share >= LIKELIER else found)

    def hear(self, asked: Asked, *, taken: bool) -> Learner:
        return self.hear_all([asked], [taken], [0.0])

    def hear_all(self, asked: Sequence[Asked], taken: Sequence[bool], days: Sequence[float]) -> Learner:
        """Return the learner after n answers in order of time, ``taken`` True for acceptance.

        ``asked`` are the features of the recommendations, and ``days`` the time in days since the answer before each.
        """
        found = self
        for at in range(0, len(asked), BLOCK):
            part = slice(at, at + BLOCK)
            found = _through(found, _rows(asked[part]), taken[part], days[part])
        return found

    def after(self, days: float) -> Learner:
        """Return the learner ``days`` days later, with coefficients moved towards their model's prior means."""
        left = np.exp(-days / self.of.lasting).astype("f4")[:, None]
        cov = self.cov * (left**2)[..., None]
        cov.reshape(len(cov), -1)[:, :: SIZE + 1] += (1 - left**2) * self.of.spread
        return replace(self, mean=left * self.mean + (1 - left) * self.of.prior, cov=cov)


def _through(learner: Learner, rows: Array, taken: Sequence[bool], days: Sequence[float]) -> Learner:
    n, known = len(rows), learner.of
    end = learner.after(float(sum(days)))
    shared, mean = _joint(learner, end, rows, np.cumsum(days))
    negative, moments = _quadrature()
    kept, totals = np.empty((2, len(mean), n), dtype="f4")
    for at in range(n):
        row = shared[:, at, at:]
        if at:
            row -= ((kept[:, :at] * shared[:, :at, at])[:, None] @ shared[:, :at, at:])[:, 0]
        spread = np.sqrt(np.maximum(row[:, 0], np.float32(1e-9)))
        # The probability of the answer times 1, the point and its square, summed over the quadrature.
        likely = known.seen[:, None] / (1 + np.exp(spread[:, None] * negative - mean[:, at, None]))
        total, first, second = ((likely if taken[at] else 1 - likely) @ moments).T
        first, second = first / total, second / total
        row /= spread[:, None]
        mean[:, at:] += row * first[:, None]
        kept[:, at] = 1 - np.maximum(second - first**2, np.float32(1e-6))
        totals[:, at] = total
    change = shared[:, :, n:]
    cov = end.cov - change.transpose(0, 2, 1) @ (change * kept[:, :, None])
    logs = learner.logs[:, None] + np.cumsum(np.log(totals), axis=1)
    foretold = (*learner.foretold, *_each_foretold(np.concatenate([learner.logs[:, None], logs], axis=1)))
    return replace(learner, mean=mean[:, n:].copy(), cov=cov, logs=logs[:, -1], foretold=foretold)


def _each_foretold(logs: Array) -> list[float]:
    return [float(one) for one in np.exp(np.diff(np.logaddexp.reduce(logs, axis=0)))]


def _joint(learner: Learner, end: Learner, rows: Array, times: Array) -> tuple[Array, Array]:
    n, known, each = len(rows), learner.of, learner.of.lasting[:, None]
    left = np.exp(-times / each).astype("f4")  # (m, n) of the learner's state
    between = np.maximum(np.append(times, times[-1]) - times[:, None], 0.0)
    between = np.exp(-between / each[..., None]).astype("f4").repeat([1] * n + [SIZE], axis=2)
    now, usual = learner.cov @ rows.T, known.spread[:, :, None] * rows.T
    mine = np.concatenate([rows @ now, now], axis=1).transpose(0, 2, 1)
    anew = np.concatenate([rows @ usual, usual], axis=1).transpose(0, 2, 1)
    shared = ((mine - anew) * (left**2)[:, :, None] + anew) * between
    means = left * (learner.mean @ rows.T) + (1 - left) * (known.prior @ rows.T)
    return shared, np.concatenate([means, end.mean], axis=1)


@cache
def fresh(*, planner: bool = True) -> Learner:
    """Return the learner before any answer, without ``planner`` only with models that ignore the planner's forecast."""
    known = models(planner=planner)
    return Learner(known, known.prior, known.spread[:, :, None] * np.eye(SIZE, dtype="f4"), known.odds)


def _rows(asked: Sequence[Asked]) -> Array:
    rows = np.zeros((len(asked), SIZE), dtype="f4")
    rows[:, BASE] = 1
    for row, one in zip(rows, asked, strict=True):
        row[[ACTION + one.action, SLOT + one.slot, BOTH + one.action * SLOTS + one.slot]] = 1
        row[WEEKEND_TASTES + one.action] = one.day >= WEEKEND
        row[PLANNER:] = one.planner, one.repeated, one.usual
    return rows


@dataclass(frozen=True)
class Forecast:
    """The forecasts of the answers to n actions by m models.

    ``mean`` and ``variance`` (m, n) are of the logit of acceptance, and ``weights`` (m,) are those of the models.
    """

    mean: Array
    variance: Array
    weights: Array
    shared: Array  # (m, n, n) covariances of the logits

    def each(self) -> Array:
        """Return the probability (m, n), by model and action, that a recommendation that is seen is accepted.

        The mean over the normal distribution of the logit is approximated (MacKay 1992).
        """
        return np.asarray(1 / (1 + np.exp(-self.mean / np.sqrt(1 + np.pi / 8 * self.variance))))

    def taken(self) -> Array:
        """Return the probability (n,) that each action is accepted once seen, as the weighted mean over the models."""
        return np.asarray(self.weights @ self.each())

    def spread(self) -> Array:
        """Return the standard deviation (n,) of the probability of acceptance, within and between the models."""
        each = self.each()
        within = self.variance * (each * (1 - each)) ** 2
        return np.asarray(np.sqrt(self.weights @ (within + (each - self.weights @ each) ** 2)))

    def apart(self, one: int, other: int) -> float:
        """Return the standard deviation of the difference between two actions' probabilities of acceptance.

        ``one`` and ``other`` are the positions of the actions in the forecast.
        """
        each = self.each()
        slope = each * (1 - each)
        within = (
            slope[:, one] ** 2 * self.variance[:, one]
            + slope[:, other] ** 2 * self.variance[:, other]
            - 2 * slope[:, one] * slope[:, other] * self.shared[:, one, other]
        )
        between = each[:, one] - each[:, other]
        between = (between - self.weights @ between) ** 2
        return float(np.sqrt(self.weights @ (np.maximum(within, 0.0) + between)))


def forecast(learner: Learner, options: Sequence[Asked]) -> Forecast:
    """Return the forecasts of the answers to n recommendations, given by their features."""
    rows = _rows(options)
    shared = rows @ learner.cov @ rows.T
    variance = np.maximum(np.diagonal(shared, axis1=1, axis2=2), 1e-9)
    return Forecast(learner.mean @ rows.T, variance, learner.leaning(), shared)
