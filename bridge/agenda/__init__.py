"""The calendar as time: occurrences of series, and pure facts about busy, free and planned stretches."""

from bridge.agenda.busy import (
    Labelled,
    busy_union,
    density,
    fragmentation,
    free_blocks,
    gaps,
    next_free,
    occupied,
    takes_time,
)
from bridge.agenda.deadlines import deadline_pressure, still_open
from bridge.agenda.expansion import expand, midnight
from bridge.agenda.facts import SlotFacts, slot_facts, week_facts
from bridge.agenda.meetings import back_to_back, is_meeting, meeting_density, met, short_gaps, tight_starts
from bridge.agenda.plans import (
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
from bridge.agenda.stretches import Stretch, clipped, length, merged, share

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
