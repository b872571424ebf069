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
from policies.planner.responses import Particles, Place, looked_at
from rhythm_env.constants import EVENT_CHANCE, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, P, tables
from rhythm_env.interface import HISTORY_STEPS, ActionType, Answer, Interaction, Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

KEPT_PEOPLE = 32  # users in the cache, a megabyte each, with 192 particles a fifth of it
SLOT = timedelta(hours=24 / SLOTS)
WEEKS = timedelta(weeks=4)  # longer histories start on a Monday, so that the next slot can reuse the cache
UNSEEN = 6  # most slots without advice to live through, because habits then reach a steady state
CHANCES = 128  # slots with random draws, after which the draws repeat
ENOUGH = 0.5  # of a group, the effective sample size below which it is resampled
LIKENESS = 0.995  # shrinkage of a copied particle (Liu and West: about .95 to .99), the remainder is the group's spread


class Kept(NamedTuple):
    """A cached state, namely the initial particles, the older answers, and the particles after these."""

    everybody: Particles
    older: tuple[Interaction, ...]
    crowd: Particles


class Memory:
    """A cache of the particles after older answers, which saves time and changes no result.

    The cache holds ``KEPT_PEOPLE`` users, so that a process may serve many users in turn.
    """

    def __init__(self) -> None:
        self._kept: tuple[Kept, ...] = ()

    def heard(self, observation: Observation, everybody: Particles) -> Particles:
        """Return the particles in the observation's slot, after all its answers.

        ``everybody`` are the particles before any answer. The calendar shows the actions of the last slots only, so the
        result of older answers can be cached.
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
            _pass(crowd, last, _slots_since(last, observation), crowd.room())
        return crowd

    def _known(self, older: tuple[Interaction, ...], everybody: Particles) -> Kept:
        """Return the cached state that covers most of the answers ``older``, or one without answers."""
        fitting = (one for one in self._kept if one.everybody is everybody and one.older == older[: len(one.older)])
        return max(fitting, key=lambda one: len(one.older), default=Kept(everybody, (), everybody))


SHARED = Memory()  # the cache of this process


def recalled(history: tuple[Interaction, ...]) -> tuple[Interaction, ...]:
    """Return all answers if they span less than WEEKS, else those from the first start of a new week on."""
    if not history or history[-1].at - history[0].at < WEEKS:
        return history
    mondays = (n for n, (last, one) in enumerate(pairwise(history), start=1) if _step(one) < _step(last))
    return history[next(mondays, 0) :]


def _step(place: Interaction | Place | Observation) -> int:
    """Return the number of a slot in its week, from 0 on Monday."""
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
    """Return number of the answer -> action that the calendar shows in the slot of the answer.

    Answers without a known action in their slot are left out.
    """
    recent = enumerate(reversed(observation.step_history), start=1)
    done = {ago: record.action for ago, record in recent if record.action is not None}
    if not history or not done:
        return {}
    since = _slots_since(history[-1], observation)
    ago = {n: since + _apart(one, history[-1]) for n, one in enumerate(history)}
    return {n: done[slots] for n, slots in ago.items() if slots in done}


def _hear(crowd: Particles, history: Sequence[Interaction], which: range, shown: Mapping[int, ActionType]) -> Particles:
    """Return the particles after the answers with the numbers ``which``, and after living through their slots.

    ``shown`` is number of the answer -> action that the calendar shows.
    """
    crowd, room = crowd.copy(), crowd.room()
    for number in which:
        one = history[number]
        before = history[number - 1] if number else crowd.last
        if before is not None:
            _pass(crowd, before, _apart(before, one), room)
        changes = crowd.changes(looked_at(one), room)
        standings = crowd.standings(changes)
        crowd.hear(one, standings)
        done = one.recommended if one.answer is Answer.ACCEPT else shown.get(number)
        live(crowd, changes[0], standings[0], done)
        renew(crowd)
    return crowd


def _pass(crowd: Particles, one: Interaction | Place, slots: int, room: Array) -> None:
    """Live through the slots without advice after the answer ``one``, in place.

    At most UNSEEN slots are lived through. Progress restarts at the week's end.
    """
    import numpy as np

    before = _step(one)
    for step in range(before + 1, before + min(slots, UNSEEN)):
        changes = crowd.changes(step % SLOTS, room)
        live(crowd, changes, crowd.standings(changes), None)
    if before + slots >= STEPS:
        crowd.meters = np.where(np.arange(len(crowd.meters))[:, None] == P, np.float32(0.0), crowd.meters)


def live(crowd: Particles, changes: Array, standings: Array, done: ActionType | None) -> None:
    """Live through a slot with the action ``done``, or with each particle's own choice if it is None, in place.

    The largest sum of a standing and a Gumbel draw is a draw from the shares exp(standing) (Gumbel 1954).
    """
    import numpy as np

    n = crowd.meters.shape[1]
    draws = _draws(n)
    at = crowd.age % CHANCES
    if done is not None:
        meters = crowd.meters + changes[:, ACTIONS.index(done)]
    else:
        chosen = (standings + draws.choices[at]).argmax(axis=0)
        chosen *= n
        chosen += draws.each
        meters = changes.reshape(len(crowd.meters), -1).take(chosen, axis=1)
        meters += crowd.meters
    struck = draws.struck[at]
    hit = draws.losses[at] * crowd.event_impact[struck]
    hit += draws.gains[at]
    hit += meters[:, struck]
    meters[:, struck] = np.minimum(np.maximum(hit, np.float32(0)), np.float32(1))
    crowd.meters, crowd.age = meters, crowd.age + 1


class Draws(NamedTuple):
    """Fixed random draws for ``CHANCES`` slots and n particles."""

    choices: Array  # (CHANCES, 10, n), standard Gumbel
    each: Array  # (n,) numbers of the particles
    struck: tuple[Array, ...]  # per slot, the particles to which an event happens
    gains: tuple[Array, ...]  # per slot, what their events add to meters (5, struck)
    losses: tuple[Array, ...]  # per slot, what their events take, before the trait ``event_impact``


@cache
def _draws(n: int) -> Draws:
    """Return random draws for n particles, the same at every call."""
    import numpy as np

    rng = np.random.default_rng(3)
    even = rng.random((CHANCES, len(ACTIONS), n), dtype=np.float32)
    choices = -np.log(-np.log(np.maximum(even, np.float32(1e-12))))
    struck = tuple(np.flatnonzero(row) for row in rng.random((CHANCES, n)) < EVENT_CHANCE)
    effects = tables().events.astype(np.float32)
    hits = [effects[:, rng.integers(1, effects.shape[1], len(some))] for some in struck]
    gains, losses = (tuple(way(hit, np.float32(0)) for hit in hits) for way in (np.maximum, np.minimum))
    return Draws(choices, np.arange(n), struck, gains, losses)


def renew(crowd: Particles) -> None:
    """Resample the particles, in place, within each group in which the effective sample size is too small."""
    import numpy as np

    weights = _within_groups(crowd)
    size = weights.shape[1]
    few = [kind for kind, group in enumerate(weights) if group @ group * ENOUGH * size > 1]
    if not few:
        return
    rng = np.random.default_rng((crowd.age, size))
    people, meters, logs = crowd.people.copy(), crowd.meters.copy(), crowd.logs.reshape(weights.shape).copy()
    for kind in few:
        places = slice(kind * size, (kind + 1) * size)
        points = (rng.random() + np.arange(size)) / size  # systematic resampling
        copied = np.minimum(np.searchsorted(np.cumsum(weights[kind]), points), size - 1)
        people[:, places] = _alike(crowd.people[:, places], weights[kind], copied, rng)
        meters[:, places] = crowd.meters[:, places][:, copied]
        logs[kind] = np.logaddexp.reduce(logs[kind]) - np.log(size)
    crowd.meters, crowd.logs = meters, logs.reshape(-1)
    crowd.become(people)


def _within_groups(crowd: Particles) -> Array:
    """Return the weights (kinds, n) of the particles, which add to 1 in each group."""
    import numpy as np

    if crowd.kinds == 1:
        return crowd.weights()[None]
    logs = crowd.logs.reshape(crowd.kinds, -1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _alike(people: Array, weights: Array, copied: Array, rng: Any) -> Array:
    """Return people (18, n) near the copied particles, with the group's mean and spread, within bounds."""
    import numpy as np

    mean = (people @ weights)[:, None]
    apart = people - mean
    spread = np.sqrt(apart**2 @ weights)[:, None]
    found = rng.standard_normal(people.shape, dtype=np.float32) * (np.sqrt(1 - LIKENESS**2) * spread)
    found += LIKENESS * apart[:, copied]
    found = within(found + mean)
    found[PLACE["guilt"]] = people[PLACE["guilt"], copied]  # binary
    return found
