"""The published rewards of the refinement, each as a function, without PyTorch.

Sizes are as published, except the penalty for a third equal action in a row, whose size was not published.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np

from lab.evaluation.week import Weeks, begin
from lab.training.llm.trajectories import error, graded
from policies.llm.asking import Unreadable, read
from rhythm_env.interface import ActionType

FORM, FORMLESS = 1.0, -2.0
LEGAL, ILLEGAL = 0.5, -1.0
FAILED = -3.0  # where there is no action to live
LAST, FEW, MONOTONOUS = 6, 2, -0.4  # of the last six actions two kinds or fewer
TRIED, NEW = 6, 0.2  # an action that is new in the week, until six kinds were tried
ROW, REPEATED = 3, -0.3
BELIEF = 0.5  # less the error of the belief


def form(text: str) -> float:
    """Return the reward for the form of an answer, which is FORM if it can be read, else FORMLESS."""
    return FORM if _read(text) else FORMLESS


def legality(text: str) -> float:
    """Return the reward for legality, which is LEGAL if the answer's first or last word is an action, else ILLEGAL."""
    words = text.strip().upper().split()
    return LEGAL if words and any(word in ActionType.__members__ for word in (words[-1], words[0])) else ILLEGAL


def environment(text: str, seed: int, condition: str, before: Sequence[str]) -> float:
    """Return the simulator's reward for the answer's action after the actions ``before``, plus that for variety.

    ``seed`` and ``condition`` decide the person and the events. An unreadable answer gets FAILED.
    """
    said = _read(text)
    if said is None:
        return FAILED
    action, belief = said
    return _lived(seed, condition, tuple(before), str(action), belief) + variety([*before, str(action)])


def variety(actions: Sequence[str]) -> float:
    """Return the reward for the variety of ``actions``, the last of which is new.

    Cycles of few actions and repetition are punished, and new actions are rewarded while few were tried.
    """
    *past, last = actions
    monotonous = len(actions) >= LAST and len(set(actions[-LAST:])) <= FEW
    new = last not in past and len(set(past)) < TRIED
    row = len(actions) >= ROW and all(a == b for a, b in pairwise(actions[-ROW:]))
    return MONOTONOUS * monotonous + NEW * new + REPEATED * row


def belief(text: str, seed: int, condition: str) -> float:
    """Return the reward for the belief, from -BELIEF to BELIEF. An answer without a belief gets the least."""
    said = _read(text)
    return -BELIEF if said is None else BELIEF - error(_week(seed, condition, ()), said[1])


def _read(text: str) -> tuple[ActionType, tuple[float, float, float]] | None:
    try:
        said = read(text, tuple(ActionType))
    except Unreadable:
        return None
    return said.action, said.belief.vector()


@lru_cache(maxsize=4096)
def _lived(
    seed: int, condition: str, before: tuple[str, ...], action: str, belief: tuple[float, float, float]
) -> float:
    """Return the simulator's reward of the last step, with the published terminal part at the end of the week."""
    from rhythm_env.constants import TERMINAL_SCALE

    weeks = _week(seed, condition, (*before, action))
    end = TERMINAL_SCALE * (graded(weeks, belief) - 0.5) if weeks.done else 0.0
    return float(weeks.rewards[-1][0]) + end


@lru_cache(maxsize=4096)
def _week(seed: int, condition: str, actions: tuple[str, ...]) -> Weeks:
    from lab.evaluation.strategies import INDEX

    weeks = begin([seed], condition)
    for action in actions:
        weeks.advance(np.array([INDEX[ActionType(action)]]))
    return weeks
