"""A particle filter in which possible persons live through the answered slots.

Each answer is weighed from the meters that a particle has at that time. Accepted recommendations are done. In other
slots each particle chooses for itself, drawn as in ``rhythm_env.people.own_choice``, and events happen at random.
Particles that explain the answers badly are replaced by particles that explain them well. Traits do not change with
time. On replacement they are shrunk towards the mean and spread again (Liu and West 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from policies.planner.population import PLACE, within
from policies.planner.responses import Particles, Place
from rhythm_env.constants import EVENT_CHANCE, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, P, tables
from rhythm_env.interface import HISTORY_STEPS, ActionType, Answer, Interaction, Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

KEPT_PEOPLE = 8  # users in the cache, two megabytes each
SLOT = timedelta(hours=24 / SLOTS)
WEEKS = timedelta(weeks=4)  # longer histories start on a Monday, so that the next slot can reuse the cache
UNSEEN = 6  # most slots without advice to live through, because habits then reach a steady state
CHANCES = 256  # slots with random draws, after which the draws repeat
ENOUGH = 0.5  # of a group, the effective sample size below which it is resampled
LIKENESS = 0.995  # shrinkage of a copied particle (Liu and West: about .95 to .99), the remainder is the group's spread


class Kept(NamedTuple):
    """A cached state, namely the initial particles, the older answers, and the particles after these."""

    everybody: Particles
    older: tuple[Interaction, ...]
    crowd: Particles


class Memory:
    """A cache of the particles after older answers, which saves time and changes no result.

    The cache holds ``KEPT_PEOPLE`` users, so that a process may serve several users in turn.
    """

    def __init__(self) -> None:
        self._kept: tuple[Kept, ...] = ()

    def heard(self, observation: Observation, everybody: Particles) -> Particles:
        """Return the particles in the observation's slot, after all its answers.

        The calendar shows the actions of the last slots only, so the result of older answers can be cached.
        """
        history = recalled(observation.history)
        older = history[: max(len(history) - HISTORY_STEPS, 0)]
        before = self._known(older, everybody)
        crowd = _hear(before.crowd, history, range(len(before.older), len(older)), {})
        others = tuple(one for one in self._kept if one is not before)
        self._kept = (*others[-KEPT_PEOPLE + 1 :], Kept(everybody, older, crowd))
        crowd = _hear(crowd, history, range(len(older), len(history)), _shown(observation, history))
        last = history[-1] if history else crowd.last
        if last is not None:
            _pass(crowd, last, _slots_since(last, observation))
        return crowd

    def _known(self, older: tuple[Interaction, ...], everybody: Particles) -> Kept:
        """Return the cached state that covers most of these answers."""
        fitting = (one for one in self._kept if one.everybody is everybody and one.older == older[: len(one.older)])
        return max(fitting, key=lambda one: len(one.older), default=Kept(everybody, (), everybody))


SHARED = Memory()  # the cache of this process


def recalled(history: tuple[Interaction, ...]) -> tuple[Interaction, ...]:
    """Return all answers, or the answers from the first Monday on if they span WEEKS or more."""
    if not history or history[-1].at - history[0].at < WEEKS:
        return history
    mondays = (n for n, (last, one) in enumerate(pairwise(history), start=1) if _step(one) < _step(last))
    return history[next(mondays, 0) :]


def _step(place: Interaction | Place | Observation) -> int:
    """Return the slot's number in the week."""
    return place.day * SLOTS + place.slot


def _slots_since(one: Interaction | Place, place: Observation) -> int:
    """Return the slots from an answer to the observation's slot, within a week, because an observation
    states no date.
    """
    return (_step(place) - _step(one)) % STEPS


def _apart(before: Interaction | Place, one: Interaction) -> int:
    """Return the slots between two answers.

    The times only tell the number of weeks, because advice may be requested at any hour.
    """
    steps = _step(one) - _step(before)
    return steps + STEPS * round(((one.at - before.at) / SLOT - steps) / STEPS)


def _shown(observation: Observation, history: Sequence[Interaction]) -> Mapping[int, ActionType]:
    """Return number of the answer -> action that the calendar shows in its slot."""
    recent = enumerate(reversed(observation.step_history), start=1)
    done = {ago: record.action for ago, record in recent if record.action is not None}
    if not history or not done:
        return {}
    since = _slots_since(history[-1], observation)
    ago = {n: since + _apart(one, history[-1]) for n, one in enumerate(history)}
    return {n: done[slots] for n, slots in ago.items() if slots in done}


def _hear(crowd: Particles, history: Sequence[Interaction], which: range, shown: Mapping[int, ActionType]) -> Particles:
    """Process some of the answers and live through their slots."""
    crowd = crowd.copy()
    for number in which:
        one = history[number]
        before = history[number - 1] if number else crowd.last
        if before is not None:
            _pass(crowd, before, _apart(before, one))
        changes = crowd.changes(one.slot)
        standings = crowd.standings(changes)
        crowd.hear(one, standings)
        done = one.recommended if one.answer is Answer.ACCEPT else shown.get(number)
        live(crowd, changes, standings, done)
        renew(crowd)
    return crowd


def _pass(crowd: Particles, one: Interaction | Place, slots: int) -> None:
    """Live through the slots without advice after an answer. Progress restarts at the week's end."""
    import numpy as np

    before = _step(one)
    for step in range(before + 1, before + min(slots, UNSEEN)):
        changes = crowd.changes(step % SLOTS)
        live(crowd, changes, crowd.standings(changes), None)
    if before + slots >= STEPS:
        crowd.meters = np.where(np.arange(len(crowd.meters))[:, None] == P, np.float32(0.0), crowd.meters)


def live(crowd: Particles, changes: Array, standings: Array, done: ActionType | None) -> None:
    """Live through a slot with the action ``done``, or with each particle's own choice if it is None."""
    import numpy as np

    choices, events = _chances(crowd.meters.shape[1])
    at = crowd.age % CHANCES
    if done is not None:
        meters = crowd.meters + changes[:, ACTIONS.index(done)]
    else:
        habit = np.cumsum(np.exp(standings), axis=0)
        chosen = (habit < choices[at] * habit[-1]).sum(axis=0)
        meters = crowd.meters + changes[:, np.minimum(chosen, len(ACTIONS) - 1), np.arange(len(chosen))]
    struck = np.flatnonzero(events[at])
    hit = tables().events[:, events[at][struck]]
    hit = np.where(hit < 0, hit * crowd.people[PLACE["event_impact"], struck], hit)
    meters[:, struck] = np.clip(meters[:, struck] + hit, 0.0, 1.0)
    crowd.meters, crowd.age = meters, crowd.age + 1


@cache
def _chances(n: int) -> tuple[Array, Array]:
    """Return fixed draws (256, n) for own choices, and the numbers of events, 0 for no event."""
    import numpy as np

    rng = np.random.default_rng(3)
    choices = rng.random((CHANCES, n), dtype=np.float32)
    happens = rng.random((CHANCES, n)) < EVENT_CHANCE
    return choices, np.where(happens, rng.integers(1, tables().events.shape[1], (CHANCES, n)), 0)


def renew(crowd: Particles) -> None:
    """Resample within each group in which the effective sample size is too small."""
    import numpy as np

    logs = crowd.logs.reshape(crowd.kinds, -1)
    most = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - most)
    total = weights.sum(axis=1, keepdims=True)
    weights = weights / total
    size = logs.shape[1]
    few = np.flatnonzero(1 / (weights**2).sum(axis=1) < ENOUGH * size)
    if not len(few):
        return
    rng = np.random.default_rng((crowd.age, size))
    people, meters, logs = crowd.people.copy(), crowd.meters.copy(), logs.copy()
    for kind in few:
        places = slice(kind * size, (kind + 1) * size)
        points = (rng.random() + np.arange(size)) / size  # systematic resampling
        copied = np.minimum(np.searchsorted(np.cumsum(weights[kind]), points), size - 1)
        people[:, places] = _alike(crowd.people[:, places], weights[kind], copied, rng)
        meters[:, places] = crowd.meters[:, places][:, copied]
        logs[kind] = most[kind] + np.log(total[kind] / size)
    crowd.meters, crowd.logs = meters, logs.reshape(-1)
    crowd.become(people)


def _alike(people: Array, weights: Array, copied: Array, rng: Any) -> Array:
    """Return people (18, n) near the copied particles, with the group's mean and spread, within bounds."""
    import numpy as np

    mean = (people @ weights)[:, None]
    spread = np.sqrt(np.maximum((people - mean) ** 2 @ weights, 0.0))[:, None]
    apart = np.sqrt(1 - LIKENESS**2) * spread * rng.standard_normal(people.shape, dtype=np.float32)
    found = within(LIKENESS * people[:, copied] + (1 - LIKENESS) * mean + apart)
    found[PLACE["guilt"]] = people[PLACE["guilt"], copied]  # binary
    return found
