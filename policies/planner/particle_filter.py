"""A particle filter, in which possible persons (particles) live through the slots in which a user answered.

Improbable particles are replaced by near copies of probable ones, shrunk towards the mean (Liu and West 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from policies.planner.population import PLACE, within
from policies.planner.responses import Particles, Place, looked_at
from rhythm_env.constants import EVENT_CHANCE, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, P, tables
from rhythm_env.interface import HISTORY_STEPS, ActionType, Answer, Interaction, Observation

Array = NDArray[Any]

KEPT_PEOPLE = 32  # users in the cache, a megabyte each, with 192 particles a fifth of it
SLOT = timedelta(hours=24 / SLOTS)
WEEKS = timedelta(weeks=4)  # longer histories start on a Monday, so that the next slot can reuse the cache
UNSEEN = 6  # most slots without advice to live through, because habits then reach a steady state
CHANCES = 128  # slots with random draws, after which the draws repeat
RESAMPLED_BELOW = 0.5  # of a group, the effective sample size below which it is resampled
LIKENESS = 0.995  # shrinkage of a copied particle (Liu and West: about .95 to .99), the remainder is the group's spread


class Kept(NamedTuple):
    """A cached state of the particles for a user.

    ``everybody`` are the particles before any answer, and ``crowd`` those after the answers ``older``.
    """

    everybody: Particles
    older: tuple[Interaction, ...]
    crowd: Particles


class Memory:
    """A cache of the particles (possible persons) after a user's older answers, for the last KEPT_PEOPLE users.

    It saves time and changes no result.
    """

    def __init__(self) -> None:
        self._kept: tuple[Kept, ...] = ()

    def heard(self, observation: Observation, everybody: Particles) -> Particles:
        """Return the particles at the start of the observation's slot, after all answers in its history.

        ``everybody`` are the particles before any answer. The state before the last HISTORY_STEPS answers is cached.
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
        fitting = (one for one in self._kept if one.everybody is everybody and one.older == older[: len(one.older)])
        return max(fitting, key=lambda one: len(one.older), default=Kept(everybody, (), everybody))


SHARED = Memory()  # the cache of this process


def recalled(history: tuple[Interaction, ...]) -> tuple[Interaction, ...]:
    """Return the answers that the particle filter processes.

    A history of WEEKS or longer is cut at the first change of week, so that the next slot can reuse the cache.
    """
    if not history or history[-1].at - history[0].at < WEEKS:
        return history
    mondays = (n for n, (last, one) in enumerate(pairwise(history), start=1) if _step(one) < _step(last))
    return history[next(mondays, 0) :]


def _step(place: Interaction | Place | Observation) -> int:
    return place.day * SLOTS + place.slot


def _slots_since(one: Interaction | Place, place: Observation) -> int:
    # Whole weeks between them are lost, because an observation states no date.
    return (_step(place) - _step(one)) % STEPS


def _apart(before: Interaction | Place, one: Interaction) -> int:
    # The times only give the number of weeks, because advice may be requested at any hour of a slot.
    steps = _step(one) - _step(before)
    return steps + STEPS * round(((one.at - before.at) / SLOT - steps) / STEPS)


def _shown(observation: Observation, history: Sequence[Interaction]) -> Mapping[int, ActionType]:
    recent = enumerate(reversed(observation.step_history), start=1)
    done = {ago: record.action for ago, record in recent if record.action is not None}
    if not history or not done:
        return {}
    since = _slots_since(history[-1], observation)
    ago = {n: since + _apart(one, history[-1]) for n, one in enumerate(history)}
    return {n: done[slots] for n, slots in ago.items() if slots in done}


def _hear(crowd: Particles, history: Sequence[Interaction], which: range, shown: Mapping[int, ActionType]) -> Particles:
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
    before = _step(one)
    for step in range(before + 1, before + min(slots, UNSEEN)):
        changes = crowd.changes(step % SLOTS, room)
        live(crowd, changes, crowd.standings(changes), None)
    if before + slots >= STEPS:
        crowd.meters = np.where(np.arange(len(crowd.meters))[:, None] == P, np.float32(0.0), crowd.meters)


def live(crowd: Particles, changes: Array, standings: Array, done: ActionType | None) -> None:
    """Advance the meters and the age of all n particles by a slot, in place, with random events.

    All do the action ``done``. If it is None, each draws an action with probability proportional to exp(standing)
    (Gumbel 1954). ``changes`` (5, 10, n) are of the meters, ``standings`` (10, n) values of the actions.
    """
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
    """Random numbers for choices and events of n particles in CHANCES slots. They are the same in every run."""

    choices: Array  # (CHANCES, 10, n), standard Gumbel
    each: Array  # (n,) numbers of the particles
    struck: tuple[Array, ...]  # per slot, the particles to which an event happens
    gains: tuple[Array, ...]  # per slot, what their events add to meters (5, struck)
    losses: tuple[Array, ...]  # per slot, what their events take, before the trait ``event_impact``


@cache
def _draws(n: int) -> Draws:
    rng = np.random.default_rng(3)
    even = rng.random((CHANCES, len(ACTIONS), n), dtype=np.float32)
    choices = -np.log(-np.log(np.maximum(even, np.float32(1e-12))))
    struck = tuple(np.flatnonzero(row) for row in rng.random((CHANCES, n)) < EVENT_CHANCE)
    effects = tables().events.astype(np.float32)
    hits = [effects[:, rng.integers(1, effects.shape[1], len(some))] for some in struck]
    gains, losses = (tuple(way(hit, np.float32(0)) for hit in hits) for way in (np.maximum, np.minimum))
    return Draws(choices, np.arange(n), struck, gains, losses)


def renew(crowd: Particles) -> None:
    """Resample the particles, in place, within each kind of people whose effective sample size is below
    RESAMPLED_BELOW.

    The kind's total weight stays the same and is shared equally by its particles.
    """
    weights = _within_groups(crowd)
    size = weights.shape[1]
    few = [kind for kind, group in enumerate(weights) if group @ group * RESAMPLED_BELOW * size > 1]
    if not few:
        return
    rng = np.random.default_rng((crowd.age, size))
    people, meters, logs = crowd.people.copy(), crowd.meters.copy(), crowd.logs.reshape(weights.shape).copy()
    way, seen = crowd.way.copy(), crowd.seen.copy()
    for kind in few:
        places = slice(kind * size, (kind + 1) * size)
        points = (rng.random() + np.arange(size)) / size  # systematic resampling
        copied = np.minimum(np.searchsorted(np.cumsum(weights[kind]), points), size - 1)
        people[:, places] = _alike(crowd.people[:, places], weights[kind], copied, rng)
        meters[:, places] = crowd.meters[:, places][:, copied]
        way[places], seen[places] = crowd.way[places][copied], crowd.seen[places][copied]
        logs[kind] = np.logaddexp.reduce(logs[kind]) - np.log(size)
    crowd.meters, crowd.logs = meters, logs.reshape(-1)
    crowd.way, crowd.seen = way, seen
    crowd.become(people)


def _within_groups(crowd: Particles) -> Array:
    if crowd.kinds == 1:
        return crowd.weights()[None]
    logs = crowd.logs.reshape(crowd.kinds, -1)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _alike(people: Array, weights: Array, copied: Array, rng: Any) -> Array:
    mean = (people @ weights)[:, None]
    apart = people - mean
    spread = np.sqrt(apart**2 @ weights)[:, None]
    found = rng.standard_normal(people.shape, dtype=np.float32) * (np.sqrt(1 - LIKENESS**2) * spread)
    found += LIKENESS * apart[:, copied]
    found = within(found + mean)
    found[PLACE["guilt"]] = people[PLACE["guilt"], copied]  # binary
    return found
