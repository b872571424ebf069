"""Simulated lives of people who answer by the simulator's rule, by own tastes, or by a mixture.

The share of the simulator's rule in a person's answers is also the weight of the simulator's gains in the value of a
recommendation, because nothing else is known of people with other tastes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lab.training.network import lives as living
from lab.training.network import simulate
from rhythm_env.constants import SLOTS
from rhythm_env.dynamics import ACTIONS, EAGERNESS, READINESS, acceptance

Array = NDArray[np.float64]

# Shares of people who answer by the simulator's rule, who have half of their tastes their own, and who have all their
# own. The rest are otherwise odd.
EVERYBODY, SIMULATED = (0.5, 0.15, 0.25), (1.0, 0.0, 0.0)
STRANGERS = (0.0, 0.0, 1.0)  # people of whom the simulator's rule tells nothing
KNOWABLE = (0.66, 0.2, 0.0)  # people without strangers
ODD_OFFSET, ODD_SLOPE = 0.8, (0.3, 2.2)  # deviation of the offset and range of the slope of odd people
OF_THE_ACTION = (0.0, 0.85)  # sizes of the part of a taste that is the same at every hour, and of the rest
OF_THE_HOUR = (0.5, 1.0)
REFUSED = 0.15  # share of the actions that odd people never take
NEVER = -30.0
TAKEN = 0.03  # mean level that taken advice is worth in itself


@dataclass(slots=True)
class Tasted(living.Lives):
    """The lives of n people with ``tastes`` (4, 10, n) as standard scores and their weight ``own`` (n,), 0 to 1.

    ``offset`` and ``slope`` (n,) turn a liking into a logit. ``never`` (10, n) are actions that are never accepted.
    """

    shares: tuple[float, float, float] = EVERYBODY
    tastes: Array = field(init=False)
    own: Array = field(init=False)
    offset: Array = field(init=False)
    slope: Array = field(init=False)
    never: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        living.Lives.__post_init__(self)
        n = self.weeks.n
        kind, ends = self.rng.random(n), np.cumsum(self.shares)
        self.own = np.select([kind < end for end in ends], [0.0, 0.5, 1.0], 0.0)
        odd = kind >= ends[-1]
        self.offset = READINESS + odd * ODD_OFFSET * self.rng.standard_normal(n)
        self.slope = np.where(odd, self.rng.uniform(*ODD_SLOPE, n), EAGERNESS)
        mostly = self.rng.choice(OF_THE_ACTION, n) * self.rng.standard_normal((len(ACTIONS), n))
        drawn = mostly + self.rng.choice(OF_THE_HOUR, n) * self.rng.standard_normal((SLOTS, len(ACTIONS), n))
        self.tastes = (drawn - drawn.mean(axis=1, keepdims=True)) / drawn.std(axis=1, keepdims=True)
        self.never = odd & (self.rng.random((len(ACTIONS), n)) < REFUSED)

    @property
    def plain(self) -> NDArray[np.bool_]:
        """Return True (n,) for people who answer by the simulator's rule alone."""
        return np.asarray((self.own == 0) & (self.slope == EAGERNESS))

    def chances(self, slot: int) -> Array:
        """Return the probability (10, n) that a recommendation of each action in a slot is accepted."""
        liked = (1 - self.own) ** 0.5 * self.standings(slot) + self.own**0.5 * self.tastes[slot]
        logit = np.where(self.never, NEVER, self.offset + self.slope * liked)
        return acceptance((logit - READINESS) / EAGERNESS)


def begin(seeds: range, shares: tuple[float, float, float] = EVERYBODY) -> Tasted:
    """Return lives of one person per seed. ``shares`` are those of people with ``own`` 0, 0.5 and 1.

    The rest are odd people, whose ``offset``, ``slope`` and ``never`` are random too.
    """
    weeks = simulate.begin(seeds)
    rng = np.random.default_rng((seeds.start, len(seeds), simulate.STREAM, 2))
    return Tasted(weeks, rng, shares=shares)


def worth(life: Tasted, adviser: living.Adviser) -> Array:
    """Return the value (10, n) of recommending each action to these people."""
    gain = 0.0 if (life.own == 1).all() else (1 - life.own) * adviser.gain(life)
    return life.chances(life.step % SLOTS) * (gain + TAKEN)
