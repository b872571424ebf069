"""The likelihood of a user's answers for each particle.

The model of an answer is that of ``rhythm_env.people``. The probability of acceptance is logistic in the action's value
at that time, relative to all ten actions. A refused action is rescheduled if it would be clearly better later that day,
otherwise ignored. Real users also reschedule to another day, which counts as evidence about the chosen hour. Reschedule
is thus evidence for the action and against the hour. Ignore is evidence against both.

An action's value depends on the true meters, and readings correlate with them by only 0.1 to 0.5. Each particle
therefore lives through the answered slots (``particle_filter``).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from policies.planner.population import profiles
from policies.planner.rollout import bodies
from rhythm_env.constants import CRASH_LEVEL, GAIN_FLOOR, GAIN_SLOPE, SLOTS, SPIRAL
from rhythm_env.dynamics import ACTIONS, S, V, start
from rhythm_env.interface import Answer, Interaction
from rhythm_env.people import CLEARLY_BETTER, COMFORT, EAGERNESS, NEED, READINESS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]  # single precision inside, double outside

EDGE = 0.3  # width of the step of "clearly better later" in units of standing, because meters are uncertain
DOUBT = 0.03  # share of answers that the model cannot explain
# The power of an answer's likelihood, below 1 because particles are a sample and the model differs from a real user
# (Grünwald 2012, "The safe Bayesian"): with it the stated 90 % intervals hold what they say, see README.md.
TRUST = 0.8


class Place(NamedTuple):
    """Time and slot of an answer."""

    at: datetime
    day: int
    slot: int


class Foretold(NamedTuple):
    """An answer with the particles' probability of acceptance before the answer."""

    answer: Interaction
    chance: float


class Particles:
    """Possible persons (18, n) who live through the answered slots, with their meters (5, n).

    ``foretold`` holds the processed answers, oldest first, with their predictions. ``last`` is the place of the last
    answer before them, if a prior gives it. ``kinds`` is the number of equal groups, and no particle changes its group.
    Arrays are replaced and never changed in place, so that a copy is cheap. Single precision suffices, because answers
    are far noisier.
    """

    def __init__(self, people: Array, kinds: int = 1) -> None:
        import numpy as np

        self.kinds, self.age = kinds, 0
        self.last: Place | None = None
        self.foretold: tuple[Foretold, ...] = ()
        self.logs = np.zeros(people.shape[1])
        self.meters: Array = start(people.shape[1]).astype(np.float32)
        self.become(people)

    def become(self, people: Array) -> None:
        """Replace the people, keeping meters and weights."""
        import numpy as np

        self.people = people
        supposed = profiles(people.astype(np.float32))
        self._weights = supposed.weights
        self._bodies = bodies(supposed.traits)
        self._calm = self._bodies.rest - self._bodies.decay

    def copy(self) -> Particles:
        """Return a copy that shares the arrays."""
        return copy.copy(self)

    def replaced(self, people: Array) -> Particles:
        """Return a copy with other people, keeping meters and weights."""
        found = self.copy()
        found.become(people)
        return found

    def weights(self) -> Array:
        """Return the posterior probability (n,) of each particle."""
        import numpy as np

        weights = np.exp(self.logs - self.logs.max())
        return np.asarray(weights / weights.sum())

    def hear(self, one: Interaction, standings: Array) -> None:
        """Weigh the particles by the probability of the answer."""
        import numpy as np

        chance = float(accepts(standings[ACTIONS.index(one.recommended)]) @ self.weights())
        self.foretold = (*self.foretold, Foretold(one, chance))
        self.logs = self.logs + TRUST * np.log(DOUBT + (1 - DOUBT) * self.likelihood(one, standings))

    def likelihood(self, one: Interaction, standings: Array) -> Array:
        """Return the probability (n,) of the answer for each particle. ``standings`` are of the answer's slot."""
        import numpy as np

        number = ACTIONS.index(one.recommended)
        here = standings[number]
        accepted = accepts(here)
        if one.answer is Answer.ACCEPT:
            return accepted
        if one.answer is Answer.IGNORE:
            return np.asarray((1 - accepted) * (1 - self._better(number, here, range(one.slot + 1, SLOTS))))
        slots = _put_off_to(one)
        return np.asarray((1 - accepted) * (self._better(number, here, slots) if slots else 1.0))

    def _better(self, number: int, here: Array, slots: Sequence[int]) -> Array:
        """Return the probability (n,) that a later slot looks clearly better for the action."""
        import numpy as np

        there = [self.standings(self.changes(slot))[number] for slot in slots]
        if not there:
            return np.zeros_like(here)
        gain = np.max(there, axis=0) - here - CLEARLY_BETTER
        return np.asarray(1 / (1 + np.exp(-gain / EDGE)))

    def standings(self, changes: Array) -> Array:
        """Return the value (10, n) of each action relative to all ten, in units of their spread.

        ``changes`` has the shape (5, 10, n). The formulas are those of ``rhythm_env.people.utilities`` and
        ``standing``.
        """
        import numpy as np

        urgent = self._weights + NEED * np.maximum(COMFORT - self.meters, 0.0) * (self.meters > CRASH_LEVEL / 10)
        worth = np.einsum("mn,man->an", urgent, changes)
        worth -= worth.sum(axis=0) / len(ACTIONS)
        spread = np.sqrt(np.einsum("an,an->n", worth, worth) / len(ACTIONS))
        return np.asarray(worth / np.maximum(spread, np.float32(1e-7)))

    def changes(self, slot: int) -> Array:
        """Return the change (5, 10, n) of the meters by each action, in the dynamics of ``rollout``."""
        import numpy as np

        known = self._bodies
        wanted = known.growing[slot][..., None] * (GAIN_FLOOR + GAIN_SLOPE * self.meters[V])
        spiral = self.meters[S] < known.tolerance
        if spiral.any():
            wanted += known.rest[slot]
            wanted *= np.where((wanted < 0) & spiral, np.float32(SPIRAL), np.float32(1.0))
            wanted -= known.decay
        else:
            wanted += self._calm[slot]
        down, up = -self.meters[:, None], 1 - self.meters[:, None]
        return np.asarray(np.minimum(np.maximum(wanted, down, out=wanted), up, out=wanted))


def _put_off_to(one: Interaction) -> Sequence[int]:
    """Return the slots that looked better to the user.

    A chosen slot counts on any day. Without a choice, any later slot of the day may be meant. The result is empty for
    the same hour of another day, and for a night without a choice.
    """
    if one.moved_to is None:
        return range(one.slot + 1, SLOTS)
    return [int(one.moved_to[1])] if one.moved_to[1] != one.slot else []


def accepts(standing: Array) -> Array:
    """Return the probability that an action of this standing is accepted."""
    import numpy as np

    return np.asarray(1 / (1 + np.exp(-(READINESS + EAGERNESS * standing))))
