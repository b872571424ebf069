"""A flight, as Google Calendar tells it, begins in one time zone and ends in another."""

from __future__ import annotations

import pytest

from bridge.domain.types import Event, RawRecord
from connectors.google.calendar.normalise import normalise


def event(here: str | None, there: str | None) -> Event:
    payload = {
        "id": "lh400",
        "status": "confirmed",
        "summary": "Flight to New York (LH 400)",
        "start": {"dateTime": "2026-11-20T12:00:00+01:00", "timeZone": here},
        "end": {"dateTime": "2026-11-20T14:30:00-05:00", "timeZone": there},
    }
    (found,) = normalise(RawRecord(stream="event", key="lh400", payload=payload), None)
    assert isinstance(found, Event)
    return found


@pytest.mark.parametrize(
    ("here", "there", "ends"),
    [
        ("Europe/Berlin", "America/New_York", "America/New_York"),
        ("Europe/Berlin", "Europe/Berlin", None),
        ("Europe/Berlin", "UTC", None),
        ("Etc/UTC", "Europe/Berlin", None),
        (None, "America/New_York", None),
        ("Europe/Berlin", "Nowhere/At_All", None),
    ],
)
def test_the_zone_of_arrival_is_kept_where_both_zones_are_places(
    here: str | None, there: str | None, ends: str | None
) -> None:
    assert event(here, there).end_zone == ends
