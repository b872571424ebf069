"""The probability that a user accepts an action, learnt from the user's answers by a weighted set of models.

Every model is a Bayesian logistic regression. Its features are the planner's forecast, a base rate, action and slot,
alone, combined, and at the weekend. Recent repetitions of the action and the user's routine are features too.
Coefficients have independent normal priors around 0, and around 1 for the planner's forecast.

The models differ in the size of personal tastes and in the use of the planner. They also differ in the speed at which
tastes change, and in the share of recommendations that are seen. Each model first predicts an answer, which updates its
weight (prequential marginal likelihood, Dawid 1984). The model then learns from the answer (assumed density filtering,
Opper 1998). Tastes that change return to the prior as an Ornstein-Uhlenbeck process does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import WEEKEND as FREE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]  # single precision: its rounding is far below the information of answers

MANY = len(ACTIONS)
BASE, ACTION, SLOT, BOTH = 0, 1, 1 + MANY, 1 + MANY + SLOTS
WEEKEND = BOTH + MANY * SLOTS
PLANNER, REPEATED, USUAL_ACTION = WEEKEND + MANY, WEEKEND + MANY + 1, WEEKEND + MANY + 2
SIZE = USUAL_ACTION + 1
POINTS = 12  # of the quadrature over a logit
# The prior's standard deviations, in logits. They are unknown for a new user, so a ladder by factors of two brackets
# them. Acceptance between 20 % and 80 % for the same user is a spread of 1.4.
SIZES = (0.1, 0.4, 0.8, 1.6)
# Prior odds. The planner is used until answers contradict it, and small residuals are likelier than large residuals.
LISTENING = 2 / 3
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
# recommendations count as Ignore. Changing tastes and unseen recommendations each have a prior probability of 1/5.
LASTING, CHANGING, PASSING = float("inf"), 21.0, 14.0
WAYS = ((LASTING, 1.0, 0.6), (CHANGING, 1.0, 0.2), (LASTING, 0.45, 0.2))
# The planner learns too and corrects early mistakes, so a residual beside the planner mostly fades.
WAYS_BESIDE = ((PASSING, 1.0, 0.6), (LASTING, 1.0, 0.2), (PASSING, 0.45, 0.2))


class Asked(NamedTuple):
    """The features of a recommendation.

    ``planner`` is the planner's logit. ``repeated`` counts recent recommendations of the action. ``usual`` is the log
    of how much more usual the action is than the mean action at this hour.
    """

    action: int
    slot: int
    day: int
    planner: float
    repeated: float
    usual: float = 0.0


@dataclass(frozen=True)
class Models:
    """Assumptions of the m models. ``prior`` holds means (m, SIZE) and ``spread`` variances (m, SIZE)."""

    prior: Array
    spread: Array
    size: Array  # (m,) of the residual
    listens: Array  # (m,) 1 where the planner's forecast is used
    lasting: Array  # (m,) days
    seen: Array  # (m,) share of recommendations that are seen
    odds: Array  # (m,) log of the prior probability


@cache
def models(*, planner: bool = True) -> Models:
    """Return all models, or without a planner only the models that ignore it."""
    import numpy as np

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
    "both": slice(BOTH, WEEKEND),
    "weekend": slice(WEEKEND, PLANNER),
}


@cache
def _quadrature() -> tuple[Array, Array]:
    """Return points and weights for the mean over a standard normal (Gauss-Hermite)."""
    import numpy as np

    points, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    return points.astype("f4"), (weights / weights.sum()).astype("f4")


@dataclass(frozen=True)
class Learner:
    """State of the models, namely ``mean`` (m, SIZE), ``cov`` (m, SIZE, SIZE) and log evidence ``logs`` (m,)."""

    of: Models
    mean: Array
    cov: Array
    logs: Array

    def weights(self) -> Array:
        """Return the posterior probability (m,) of each model."""
        import numpy as np

        found = np.exp(self.logs - self.logs.max())
        return np.asarray(found / found.sum())

    def leaning(self) -> Array:
        """Return the weights (m,) that decisions use.

        Models with the planner and small corrections decide alone as long as their share reaches LIKELIER. Thus the
        planner's forecasts stand until answers contradict them.
        """
        import numpy as np

        found = self.weights()
        near = (self.of.listens > 0) & (self.of.size <= NEAR)
        share = found[near].sum()
        return np.asarray(np.where(near, found, 0.0) / share if share >= LIKELIER else found)

    def logits(self, asked: Asked) -> tuple[Array, Array, Array]:
        """Return mean and variance (m,) of the logit that a seen recommendation is accepted, and
        covariances (m, SIZE).
        """
        import numpy as np

        places, values = _row(asked)
        mean = self.mean[:, places] @ values
        shared = self.cov[:, :, places] @ values
        return mean, np.maximum(shared[:, places] @ values, 1e-9), shared

    def hear(self, asked: Asked, *, taken: bool) -> Learner:
        """Return the learner after an answer."""
        import numpy as np

        mean, variance, shared = self.logits(asked)
        points, shares = _quadrature()
        spread = np.sqrt(variance)
        logit = mean[:, None] + spread[:, None] * points
        likely = self.of.seen[:, None] / (1 + np.exp(-logit))
        likely = (likely if taken else 1 - likely) * shares
        total = likely.sum(axis=1)
        first = likely @ points / total
        second = np.maximum(likely @ points**2 / total - first**2, 1e-6)
        gain = shared / spread[:, None]
        cov = self.cov - gain[:, :, None] * (gain * (1 - second)[:, None])[:, None, :]
        return replace(self, mean=self.mean + gain * first[:, None], cov=cov, logs=self.logs + np.log(total))

    def after(self, days: float) -> Learner:
        """Return the learner ``days`` later, with changing tastes moved towards the prior."""
        import numpy as np

        left = np.exp(-days / self.of.lasting).astype("f4")
        moved = np.flatnonzero(left < 1)
        if not len(moved) or days <= 0:
            return self
        left = left[moved, None]
        mean, cov = self.mean.copy(), self.cov.copy()
        mean[moved] = left * mean[moved] + (1 - left) * self.of.prior[moved]
        cov[moved] *= left[:, None] ** 2
        diagonal = np.arange(SIZE)
        cov[moved[:, None], diagonal, diagonal] += (1 - left**2) * self.of.spread[moved]
        return replace(self, mean=mean, cov=cov)


@cache
def fresh(*, planner: bool = True) -> Learner:
    """Return the learner before any answer."""
    import numpy as np

    known = models(planner=planner)
    return Learner(known, known.prior, known.spread[:, :, None] * np.eye(SIZE, dtype="f4"), known.odds)


def _row(asked: Asked) -> tuple[Array, Array]:
    """Return the indices and values of the features that are not zero."""
    import numpy as np

    places = [BASE, ACTION + asked.action, SLOT + asked.slot, BOTH + asked.action * SLOTS + asked.slot]
    values = [1.0, 1.0, 1.0, 1.0]
    if asked.day >= FREE:
        places, values = [*places, WEEKEND + asked.action], [*values, 1.0]
    rest = [asked.planner, asked.repeated, asked.usual]
    return np.array([*places, PLANNER, REPEATED, USUAL_ACTION]), np.array([*values, *rest], dtype="f4")


@dataclass(frozen=True)
class Forecast:
    """Forecasts of n actions. ``mean`` and ``variance`` (m, n) are of the logits, and ``weights`` (m,)
    of the models.
    """

    mean: Array
    variance: Array
    weights: Array
    shared: Array  # (m, n, n) covariances of the logits

    def each(self) -> Array:
        """Return the probability (m, n) that a seen recommendation is accepted, by the approximation
        of MacKay (1992).
        """
        import numpy as np

        return np.asarray(1 / (1 + np.exp(-self.mean / np.sqrt(1 + np.pi / 8 * self.variance))))

    def taken(self) -> Array:
        """Return the probability (n,) of acceptance, averaged over the models."""
        import numpy as np

        return np.asarray(self.weights @ self.each())

    def spread(self) -> Array:
        """Return the standard deviation (n,) of the probability, within and between models."""
        import numpy as np

        each = self.each()
        within = self.variance * (each * (1 - each)) ** 2
        return np.asarray(np.sqrt(self.weights @ (within + (each - self.weights @ each) ** 2)))

    def apart(self, one: int, other: int) -> float:
        """Return the standard deviation of the difference between two of the probabilities."""
        import numpy as np

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
    """Return the learner's forecast of each option."""
    import numpy as np

    rows = np.zeros((len(options), SIZE), dtype="f4")
    for at, asked in enumerate(options):
        places, values = _row(asked)
        rows[at, places] = values
    shared = rows @ learner.cov @ rows.T
    variance = np.maximum(np.diagonal(shared, axis1=1, axis2=2), 1e-9)
    return Forecast(learner.mean @ rows.T, variance, learner.leaning(), shared)
