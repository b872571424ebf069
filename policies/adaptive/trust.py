"""Keep what was learnt from all answers of a user, each with the planner's forecast at the time of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import exp, log
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from policies.adaptive.learner import MANY, Asked, Learner, fresh
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import HISTORY_STEPS, ActionType, Answer, kind_of_slot

if TYPE_CHECKING:
    from policies.planner.responses import Particles

DAY = timedelta(days=1)
DOUBTED = 0.1  # share of the planner at which its values begin to count
KEPT_PEOPLE = 32  # users in the cache, half a megabyte each
Routine = Mapping[str, Mapping[ActionType, float]]
SHOWN = 12  # slots in the calendar that a routine needs
NOTHING_USUAL = (0.0,) * MANY
RARE = 0.5  # added to the slots of every action (Jeffreys prior)
CLEAR, STEP = 2.0, 0.5  # bounds of how usual an action is, and its steps
RECENT = 0.9  # decay of the count of recent recommendations, per recommendation
WINDOW, MANY_ENOUGH = 56, 28  # last answers by which forecasts are judged, and the fewest that a verdict needs
BADLY, SURE = 0.1, 3.0  # share by which the error must be larger, and standard errors, because every decision asks
CERTAIN = 0.01  # the least distance of the planner's forecast from 0 and 1


class Lesson(NamedTuple):
    """An answer (``taken`` True for acceptance) with the features of its recommendation, as in ``Asked``.

    ``action`` and ``slot`` are indices, ``day`` is 0 (Monday) to 6, ``planner`` the logit of the planner's forecast.
    """

    at: datetime
    action: int
    slot: int
    day: int
    planner: float
    taken: bool
    usual: float = 0.0


@dataclass(frozen=True)
class Heard:
    """The state after the answers ``lessons``, with the ``learner``, which is None before any answer.

    ``repeated`` holds for each action a decaying count of its recent recommendations.
    """

    learner: Learner | None = None
    repeated: Sequence[float] = (0.0,) * MANY
    lessons: tuple[Lesson, ...] = ()

    @property
    def known(self) -> Learner:
        return self.learner or fresh()

    def after(self, lessons: Sequence[Lesson]) -> Heard:
        """Return the state after further answers, in order of time."""
        if not lessons:
            return self
        asked, repeated = [], list(self.repeated)
        for one in lessons:
            asked.append(Asked(one.action, one.slot, one.day, one.planner, repeated[one.action], one.usual))
            repeated = [RECENT * times for times in repeated]
            repeated[one.action] += 1
        times = [one.at for one in (*self.lessons[-1:], *lessons)]
        days = [(later - earlier) / DAY for earlier, later in pairwise(times)]
        days = [0.0, *days][-len(lessons) :]
        learner = self.known.hear_all(asked, [lesson.taken for lesson in lessons], days)
        return Heard(learner, repeated, (*self.lessons, *lessons))

    def lost(self) -> bool:
        """Return True if the last answers were predicted clearly worse than by their mean rate of acceptance.

        Squared errors of the last WINDOW answers are compared. With fewer than MANY_ENOUGH answers the result is False.
        """
        last = self.lessons[-WINDOW:]
        if len(last) < MANY_ENOUGH:
            return False
        share = sum(one.taken for one in last) / len(last)
        worse = [
            (1 - chance) ** 2 - (one.taken - share) ** 2
            for chance, one in zip(self.known.foretold[-len(last) :], last, strict=True)
        ]
        mean = fmean(worse)
        error = (fmean((one - mean) ** 2 for one in worse) / len(worse)) ** 0.5
        return bool(mean > max(BADLY * share * (1 - share), SURE * error))

    def surprise(self) -> float:
        """Return the number of accepted answers less the planner's expectation, in standard errors."""
        chances = [1 / (1 + exp(-lesson.planner)) for lesson in self.lessons]
        spread = sum(chance * (1 - chance) for chance in chances) ** 0.5
        return float((sum(lesson.taken for lesson in self.lessons) - sum(chances)) / max(spread, CERTAIN))


NOTHING = Heard()


def logit(chance: float) -> float:
    """Return log(p / (1 - p)) of a probability, which is first limited to CERTAIN..1 - CERTAIN.

    >>> logit(0.5)
    0.0
    """
    kept = min(max(chance, CERTAIN), 1 - CERTAIN)
    return log(kept / (1 - kept))


class Listening:
    """A cache of ``Heard`` states for the last KEPT_PEOPLE users, which saves time and changes no result."""

    def __init__(self) -> None:
        self._kept: tuple[Heard, ...] = ()

    def heard(self, crowd: Particles, routine: Routine, prior: Mapping[str, Any] | None = None) -> Heard:
        """Return the state after the answers saved in ``prior`` and then those that ``crowd`` has processed.

        ``routine`` tells how often the user does each action at each time. The state after the last HISTORY_STEPS
        answers is not cached, because the planner's forecasts for them still change.
        """
        lessons = (*_remembered(prior), *_lessons(crowd, routine))
        older = lessons[: max(len(lessons) - HISTORY_STEPS, 0)]
        fitting = (one for one in self._kept if one.lessons == older[: len(one.lessons)])
        before = max(fitting, key=lambda one: len(one.lessons), default=NOTHING)
        settled = before.after(older[len(before.lessons) :])
        others = tuple(one for one in self._kept if one is not before)
        self._kept = (*others[-KEPT_PEOPLE + 1 :], settled)
        return settled.after(lessons[len(older) :])


def usual(routine: Routine, day: int, slot: int, action: int) -> float:
    """Return log(frequency of the action / geometric mean of all actions) in the user's routine at this time, rounded.

    ``action`` is an index. The result is 0 if the routine has fewer than SHOWN entries for this time.
    """
    return _habits(routine.get(kind_of_slot(day, slot), {}))[action]


def _habits(shown: Mapping[ActionType, float]) -> Sequence[float]:
    if sum(shown.values()) < SHOWN:
        return NOTHING_USUAL
    logs = [log(shown.get(action, 0.0) + RARE) for action in ACTIONS]
    mean = sum(logs) / MANY
    return [round(min(max(one - mean, -CLEAR), CLEAR) / STEP) * STEP for one in logs]


def _lessons(crowd: Particles, routine: Routine) -> tuple[Lesson, ...]:
    habits = {kind: _habits(shown) for kind, shown in routine.items()}
    found = []
    for one, chance in crowd.foretold:
        action, slot = ACTIONS.index(one.recommended), int(one.slot)
        usual_here = habits.get(kind_of_slot(one.day, slot), NOTHING_USUAL)[action]
        taken = one.answer is Answer.ACCEPT
        found.append(Lesson(one.at, action, slot, one.day, round(logit(chance), 4), taken, usual_here))
    return tuple(found)


SHARED = Listening()  # the cache of this process


def kept(crowd: Particles | None, routine: Routine) -> list[list[Any]]:
    """Return the answers that ``crowd`` has processed as lists of JSON values, for the user's prior.

    A list has the fields of ``Lesson`` in order, with the time in ISO 8601. Without ``crowd`` the result is empty.
    """
    return [] if crowd is None else [[lesson.at.isoformat(), *lesson[1:]] for lesson in _lessons(crowd, routine)]


def _remembered(prior: Mapping[str, Any] | None) -> tuple[Lesson, ...]:
    return tuple(Lesson(datetime.fromisoformat(at), *rest) for at, *rest in (prior or {}).get("heard", ()))
