"""The calendar as time: occurrences of series, and pure facts about busy, free and planned stretches."""

from bridge.agenda.expansion import expand, midnight
from bridge.agenda.facts import (
    FOCUS_BLOCK,
    TIGHT,
    Labelled,
    Stretch,
    back_to_back,
    busy_union,
    clipped,
    density,
    focus_blocks,
    focus_minutes,
    gaps,
    is_meeting,
    merged,
    next_free,
    planned_shares,
    takes_time,
    tight_starts,
)

__all__ = [
    "FOCUS_BLOCK",
    "TIGHT",
    "Labelled",
    "Stretch",
    "back_to_back",
    "busy_union",
    "clipped",
    "density",
    "expand",
    "focus_blocks",
    "focus_minutes",
    "gaps",
    "is_meeting",
    "merged",
    "midnight",
    "next_free",
    "planned_shares",
    "takes_time",
    "tight_starts",
]
