"""The wishes of a user for the plan: vetoes, hours, goals, weights of the meters, and suggestions a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import time

from rhythm_env.interface import ActionType, Meter

SUGGESTIONS_DEFAULT = 3  # a day
Hours = tuple[time, time]  # begin and end by the user's clock; an end at or before the begin is on the next day


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The wishes of a user. They come before everything that is learnt.

    ``never`` are vetoed actions. ``hours`` limits an action to these hours. ``goals`` is how often a week the user
    wants to do an action. ``weights`` is how much a meter counts, 1 by default. ``suggestions`` is the largest number
    of suggestions a day.
    """

    never: frozenset[ActionType] = frozenset()
    hours: Mapping[ActionType, tuple[Hours, ...]] = field(default_factory=dict)
    goals: Mapping[ActionType, int] = field(default_factory=dict)
    weights: Mapping[Meter, float] = field(default_factory=dict)
    suggestions: int = SUGGESTIONS_DEFAULT
