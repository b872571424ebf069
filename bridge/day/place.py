"""Recognise flights among calendar entries, and give the time that the ways to and from the airport take.

The lengths are our choice where no source is named.
"""

from __future__ import annotations

import re
from datetime import timedelta

from bridge.calendar.busy import Stretch
from bridge.calendar.flights import is_flight
from bridge.domain.types import Occurrence

TO_THE_AIRPORT, FROM_THE_AIRPORT = timedelta(minutes=150), timedelta(minutes=90)
JOURNEY_MIN = timedelta(hours=1)
# Words in titles: en, de, fr, es, it, nl, pt.
JOURNEY = re.compile(r"\b(flight|flug|flieger|vol|vuelo|volo|vlucht|voo)\b|✈", re.IGNORECASE)


def is_journey(occurrence: Occurrence) -> bool:
    """Return True if a timed calendar entry is a flight, by its two time zones or a word in its title."""
    title, length = occurrence.event.title, occurrence.end - occurrence.start
    named = length >= JOURNEY_MIN and title is not None and JOURNEY.search(title[:200]) is not None
    return not occurrence.event.all_day and (named or is_flight(occurrence.event))


def journey(occurrence: Occurrence) -> Stretch:
    """Return the stretch of a flight, with 150 minutes before it and 90 after it for the ways."""
    return occurrence.start - TO_THE_AIRPORT, occurrence.end + FROM_THE_AIRPORT
