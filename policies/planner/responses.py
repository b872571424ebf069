"""What answers say of a person: how likely each supposed person would have answered like that.

The model of an answer is that of ``rhythm_env.people``: advice is accepted with a probability that is logistic in what
the action is worth to the person then and there, relative to all ten actions; what is not accepted is put off when it
would be worth clearly more later that day, else ignored. A real person also puts off to another day, and that is heard
of the hour that was chosen. Put off is thereby evidence for the action and against the hour, ignored is evidence
against both.

What an action is worth depends on where the meters really were, and readings of them say little of that (correlations
of 0.1 to 0.5). Each supposed person therefore lives through the answered slots (``memory``).
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

    Array = NDArray[Any]  # single precision inside, double where it meets the rest

EDGE = 0.3  # spreads of standing over which "clearly better later" comes about, for meters are uncertain
DOUBT = 0.03  # the share of answers that nothing explains
# The power of an answer's likelihood. Below 1 because the lives supposed are a sample and the model is not the person
# (Grünwald 2012, "The safe Bayesian"): with it the stated 90 % intervals hold what they say, see README.md.
TRUST = 0.8


class Place(NamedTuple):
    """When an answer was given, and in which slot of the week."""

    at: datetime
    day: int
    slot: int


class Crowd:
    """Supposed people (18, n) who live through the answered slots. ``meters``: (5, n), where they are by now.

    ``last``: the last answer that they have heard before anything is told to them, where there is one.
    ``kinds``: they are so many equal groups, one after the other, and nobody ever changes groups. Arrays are replaced
    and never changed in place, so that a copy is cheap. Single precision: answers say far less than its rounding.
    """

    def __init__(self, people: Array, kinds: int = 1) -> None:
        import numpy as np

        self.kinds, self.age = kinds, 0
        self.last: Place | None = None
        self.logs = np.zeros(people.shape[1])
        self.meters: Array = start(people.shape[1]).astype(np.float32)
        self.become(people)

    def become(self, people: Array) -> None:
        import numpy as np

        self.people = people
        supposed = profiles(people.astype(np.float32))
        self._weights = supposed.weights
        self._bodies = bodies(supposed.traits)
        self._calm = self._bodies.rest - self._bodies.decay

    def copy(self) -> Crowd:
        return copy.copy(self)

    def replaced(self, people: Array) -> Crowd:
        """Others in their places, with the meters and the weights of those."""
        found = self.copy()
        found.become(people)
        return found

    def weights(self) -> Array:
        """(n,): how probable each of them is by now, adding to 1."""
        import numpy as np

        weights = np.exp(self.logs - self.logs.max())
        return np.asarray(weights / weights.sum())

    def hear(self, one: Interaction, standings: Array) -> None:
        """Weigh everybody by how probable the answer was from where they are."""
        import numpy as np

        self.logs = self.logs + TRUST * np.log(DOUBT + (1 - DOUBT) * self.likelihood(one, standings))

    def likelihood(self, one: Interaction, standings: Array) -> Array:
        """(n,): the probability that each person answers like that; ``standings`` of the slot it was in."""
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
        """(n,): the probability that one of the slots looks clearly better for the action."""
        import numpy as np

        there = [self.standings(self.changes(slot))[number] for slot in slots]
        if not there:
            return np.zeros_like(here)
        gain = np.max(there, axis=0) - here - CLEARLY_BETTER
        return np.asarray(1 / (1 + np.exp(-gain / EDGE)))

    def standings(self, changes: Array) -> Array:
        """(10, n): what each action is worth to each person now, relative to all ten, in their spread.

        ``changes``: (5, 10, n). The formulas are those of ``rhythm_env.people.utilities`` and ``standing``.
        """
        import numpy as np

        urgent = self._weights + NEED * np.maximum(COMFORT - self.meters, 0.0) * (self.meters > CRASH_LEVEL / 10)
        worth = np.einsum("mn,man->an", urgent, changes)
        worth -= worth.sum(axis=0) / len(ACTIONS)
        spread = np.sqrt(np.einsum("an,an->n", worth, worth) / len(ACTIONS))
        return np.asarray(worth / np.maximum(spread, np.float32(1e-7)))

    def changes(self, slot: int) -> Array:
        """(5, 10, n): what each action would change now, in the dynamics of ``rollout``."""
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
    """Which slots, one of which looks clearly better: the one chosen, on whatever day, else any later one of the day.

    None where it is the same hour of another day, or night and no slot was chosen: all that says is not now.
    """
    if one.moved_to is None:
        return range(one.slot + 1, SLOTS)
    return [int(one.moved_to[1])] if one.moved_to[1] != one.slot else []


def accepts(standing: Array) -> Array:
    """The probability that advice of this standing is accepted."""
    import numpy as np

    return np.asarray(1 / (1 + np.exp(-(READINESS + EAGERNESS * standing))))
