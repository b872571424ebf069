"""The published rewards of the refinement, each on its own, without PyTorch.

Sizes of the form, legality, environment and belief rewards are the published ones. The penalty for a third equal action
in a row was published without its size; ours is 0.3.
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
    """Reward an answer that can be read."""
    return FORM if _read(text) else FORMLESS


def legality(text: str) -> float:
    """Reward an answer whose last line names an action, spelled correctly or not."""
    words = text.strip().upper().split()
    return LEGAL if words and any(word in ActionType.__members__ for word in (words[-1], words[0])) else ILLEGAL


def environment(text: str, seed: int, condition: str, before: Sequence[str]) -> float:
    """Reward the action's gain for this person after these actions, and the variety that it brings to the week."""
    said = _read(text)
    if said is None:
        return FAILED
    action, belief = said
    return _lived(seed, condition, tuple(before), str(action), belief) + variety([*before, str(action)])


def variety(actions: Sequence[str]) -> float:
    """Punish cycles of two actions, and reward new actions while few were tried. The last action is the candidate."""
    *past, last = actions
    monotonous = len(actions) >= LAST and len(set(actions[-LAST:])) <= FEW
    new = last not in past and len(set(past)) < TRIED
    row = len(actions) >= ROW and all(a == b for a, b in pairwise(actions[-ROW:]))
    return MONOTONOUS * monotonous + NEW * new + REPEATED * row


def belief(text: str, seed: int, condition: str) -> float:
    """Reward a belief from -0.5 to 0.5. An answer without a belief gets the worst, never that of a default."""
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
    """The step's reward, on the last step with the published terminal part."""
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
