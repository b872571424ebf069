"""Calendar entries as times: the expansion of repeating events, and pure functions for busy, free and planned
stretches.
"""

from bridge.calendar.busy import (
    Labelled,
    Stretch,
    busy_union,
    clipped,
    density,
    fragmentation,
    free_blocks,
    gaps,
    length,
    merged,
    next_free,
    occupied,
    share,
    takes_time,
)
from bridge.calendar.expansion import expand, midnight
from bridge.calendar.facts import SlotFacts, deadline_pressure, slot_facts, still_open, week_facts
from bridge.calendar.meetings import back_to_back, is_meeting, meeting_density, met, short_gaps, tight_starts
from bridge.calendar.plans import (
    COMPANY,
    FOCUS_BLOCK,
    efforts,
    focus_blocks,
    focus_minutes,
    long_enough,
    planned_shares,
    social_events,
    unbroken,
)

__all__ = [
    "COMPANY",
    "FOCUS_BLOCK",
    "Labelled",
    "SlotFacts",
    "Stretch",
    "back_to_back",
    "busy_union",
    "clipped",
    "deadline_pressure",
    "density",
    "efforts",
    "expand",
    "focus_blocks",
    "focus_minutes",
    "fragmentation",
    "free_blocks",
    "gaps",
    "is_meeting",
    "length",
    "long_enough",
    "meeting_density",
    "merged",
    "met",
    "midnight",
    "next_free",
    "occupied",
    "planned_shares",
    "share",
    "short_gaps",
    "slot_facts",
    "social_events",
    "still_open",
    "takes_time",
    "tight_starts",
    "unbroken",
    "week_facts",
]
