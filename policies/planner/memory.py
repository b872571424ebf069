"""Supposed people live through the answered slots, so that each answer is weighed from where they were by then.

What was accepted was done; instead of what was not, each did something of their own, drawn as
``rhythm_env.people.own_choice`` draws it, and now and then something happened to them. Whoever explains the answers
badly gives place to somebody like those who explain them well: a particle filter, in which the traits, which do not
change with time, are moved a little towards the mean and apart again (Liu and West 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from policies.planner.population import PLACE, within
from policies.planner.responses import Crowd, Place
from rhythm_env.constants import EVENT_CHANCE, SLOTS, STEPS
from rhythm_env.dynamics import ACTIONS, P, tables
from rhythm_env.interface import HISTORY_STEPS, ActionType, Answer, Interaction, Observation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

SLOT = timedelta(hours=24 / SLOTS)
WEEKS = timedelta(weeks=4)  # answers over more than this are heard from a Monday on, as they will be in the next slot
UNSEEN = 6  # slots without advice that are lived through at most; from there on habit leads to the same place
CHANCES = 256  # slots whose chances are drawn; then they come round again
ENOUGH = 0.5  # of a group, how many must count (effective sample size) before places are given anew
LIKENESS = 0.995  # of who takes a place to who had it (Liu and West: .95 to .99 or so); the rest is the group's spread


class Memory:
    """What was made of the older answers, kept for the next decision: it saves time and changes nothing else."""

    def __init__(self) -> None:
        self._kept: tuple[Crowd, tuple[Interaction, ...], Crowd] | None = None

    def heard(self, observation: Observation, everybody: Crowd) -> Crowd:
        """The crowd in the slot that the observation is of, after all answers that it holds.

        The calendar shows what was done in the last slots only, so older answers are heard alike whenever it is.
        """
        history = _recalled(observation.history)
        older = history[: max(len(history) - HISTORY_STEPS, 0)]
        known, crowd = self._known(older, everybody)
        crowd = _hear(crowd, history, range(known, len(older)), {})
        self._kept = (everybody, older, crowd)
        crowd = _hear(crowd, history, range(len(older), len(history)), _shown(observation, history))
        last = history[-1] if history else crowd.last
        if last is not None:
            _pass(crowd, last, _slots_since(last, observation))
        return crowd

    def _known(self, older: tuple[Interaction, ...], everybody: Crowd) -> tuple[int, Crowd]:
        """How many of these were heard before, and the crowd after them."""
        if self._kept is not None:
            among, heard, crowd = self._kept
            if among is everybody and heard == older[: len(heard)]:
                return len(heard), crowd
        return 0, everybody


def _recalled(history: tuple[Interaction, ...]) -> tuple[Interaction, ...]:
    """All answers, or those from the first Monday on."""
    if not history or history[-1].at - history[0].at < WEEKS:
        return history
    mondays = (n for n, (last, one) in enumerate(pairwise(history), start=1) if _step(one) < _step(last))
    return history[next(mondays, 0) :]


def _step(place: Interaction | Place | Observation) -> int:
    return place.day * SLOTS + place.slot


def _slots_since(one: Interaction | Place, place: Observation) -> int:
    """Slots from an answer to the slot of an observation, within a week: when an observation is of, it does not say."""
    return (_step(place) - _step(one)) % STEPS


def _apart(before: Interaction | Place, one: Interaction) -> int:
    """Slots from one answer to a later one. The clock only says how many weeks: advice may be asked for at any hour."""
    steps = _step(one) - _step(before)
    return steps + STEPS * round(((one.at - before.at) / SLOT - steps) / STEPS)


def _shown(observation: Observation, history: Sequence[Interaction]) -> Mapping[int, ActionType]:
    """What the calendar shows of the slots of the last answers: number of the answer -> action."""
    recent = enumerate(reversed(observation.step_history), start=1)
    done = {ago: record.action for ago, record in recent if record.action is not None}
    if not history or not done:
        return {}
    since = _slots_since(history[-1], observation)
    ago = {n: since + _apart(one, history[-1]) for n, one in enumerate(history)}
    return {n: done[slots] for n, slots in ago.items() if slots in done}


def _hear(crowd: Crowd, history: Sequence[Interaction], which: range, shown: Mapping[int, ActionType]) -> Crowd:
    """Hear some of the answers and live the slots that they were given in."""
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


def _pass(crowd: Crowd, one: Interaction | Place, slots: int) -> None:
    """Live the slots without advice after an answer; at the week's end progress starts anew."""
    import numpy as np

    before = _step(one)
    for step in range(before + 1, before + min(slots, UNSEEN)):
        changes = crowd.changes(step % SLOTS)
        live(crowd, changes, crowd.standings(changes), None)
    if before + slots >= STEPS:
        crowd.meters = np.where(np.arange(len(crowd.meters))[:, None] == P, np.float32(0.0), crowd.meters)


def live(crowd: Crowd, changes: Array, standings: Array, done: ActionType | None) -> None:
    """Live a slot with what was done; None: each with what they chose by themselves."""
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
    """(256, n) chances of one's own choices, and which events happen, 0 for none. Always the same."""
    import numpy as np

    rng = np.random.default_rng(3)
    choices = rng.random((CHANCES, n), dtype=np.float32)
    happens = rng.random((CHANCES, n)) < EVENT_CHANCE
    return choices, np.where(happens, rng.integers(1, tables().events.shape[1], (CHANCES, n)), 0)


def renew(crowd: Crowd) -> None:
    """Give places anew within each group of which too few still count."""
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
    """(18, n): people like those who are copied, with the group's mean and spread, within bounds."""
    import numpy as np

    mean = (people @ weights)[:, None]
    spread = np.sqrt(np.maximum((people - mean) ** 2 @ weights, 0.0))[:, None]
    apart = np.sqrt(1 - LIKENESS**2) * spread * rng.standard_normal(people.shape, dtype=np.float32)
    found = within(LIKENESS * people[:, copied] + (1 - LIKENESS) * mean + apart)
    found[PLACE["guilt"]] = people[PLACE["guilt"], copied]  # is there or is not
    return found
