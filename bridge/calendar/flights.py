"""Recognise journeys in a calendar, and change the user's time zone with flights.

How long the ways to and from an airport take is our choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from bridge.calendar.busy import Stretch, takes_time
from bridge.domain.slots import ZoneHistory, ZoneSpan, zone_at
from bridge.domain.types import Event, Occurrence, Response
from bridge.domain.zones import zone_named

STAY_MAX = timedelta(days=14)  # after landing, for which a flight without a flight back sets the clock
FLIGHT_MAX = timedelta(hours=30)
FLIGHTS_MAX = 100
TO_THE_AIRPORT, FROM_THE_AIRPORT = timedelta(minutes=150), timedelta(minutes=90)
LONG_HAUL, TO_A_LONG_HAUL = timedelta(hours=5), timedelta(hours=3)
JOURNEY_MIN = timedelta(hours=1)
LATE = timedelta(minutes=10)  # after the time to leave, from which it is owned up to be late
LEAST_TO_A_TRAIN, LEAST_TO_A_FLIGHT = timedelta(minutes=15), timedelta(minutes=90)  # ahead, to be reached; our choice
TO_THE_STATION, FROM_THE_STATION = timedelta(minutes=45), timedelta(minutes=30)
JOURNEY = re.compile(r"\b(flight|flug|flieger|vol|vuelo|volo|vlucht|voo)\b|✈", re.IGNORECASE)  # en de fr es it nl pt
# A train, coach or ferry by its name and whereto, or two codes of stations: en, de, fr, es, it, nl, pt.
BY_LAND = re.compile(
    r"^\W*[A-Z]{3} ?(?:to|TO|→|->|>) ?[A-Z]{3}\b|^\W*[A-Z]{3} ?[-–] ?[A-Z]{3}\W*$|"
    r"\b(?i:(?:train|bus|coach|ferry|zug|bahn|fernbus|fähre|treno|trein|tren|comboio|traghetto)"
    r" (?:\w+ ?\d* )?(?:to|from|home|nach|von|heim|a|da|naar|para|pour|hacia)\b)|"
    r"\b(?:Amtrak|Acela|Eurostar|Thalys|TGV|Flixbus|FlixBus|Greyhound|Frecciarossa|Trenitalia|Italo|Renfe|AVE)\b|"
    r"\b(?:ICE?|EC|RE|IR|RJX?|NJ) ?\d{1,4}\b"
)
SAID_BEFORE, SAID_AFTER = timedelta(hours=12), timedelta(days=2)  # around a flight, in which the user may set the zone


def is_flight(event: Event) -> bool:
    """Return True if an entry is a flight that the user takes, by its two time zones.

    It has times, at most 30 hours apart, does not repeat, ends in another zone than it begins in, and is neither
    cancelled nor declined. An entry marked as free counts only if it is a ticket from mail.

    >>> noon = datetime(2026, 7, 1, 12, tzinfo=zone_named("UTC"))
    >>> there = Event(key="1", calendar="c", start=noon, end=noon + timedelta(hours=8), end_zone="America/New_York")
    >>> is_flight(there), is_flight(Event(key="2", calendar="c", start=noon, end=noon + timedelta(hours=8)))
    (True, False)
    """
    if event.end_zone is None or event.start is None or event.end is None or event.recurrence or event.cancelled:
        return False
    taken = takes_time(event) or (event.kind == "fromGmail" and event.response is not Response.DECLINED)
    return taken and event.start < event.end <= event.start + FLIGHT_MAX


def is_journey(occurrence: Occurrence) -> bool:
    """Return True if an entry with times is a flight, by its two time zones or a word in its title.

    >>> noon = datetime(2026, 7, 1, 12, tzinfo=zone_named("UTC"))
    >>> there = noon + timedelta(hours=2)
    >>> entry = Event(key="1", calendar="c", start=noon, end=there, title="Flight to Rome")
    >>> is_journey(Occurrence(key="1", event=entry, start=noon, end=there))
    True
    """
    title, length = occurrence.event.title, occurrence.end - occurrence.start
    named = length >= JOURNEY_MIN and title is not None and JOURNEY.search(title[:200]) is not None
    return not occurrence.event.all_day and (named or is_flight(occurrence.event))


def is_by_land(occurrence: Occurrence) -> bool:
    """Return True if a timed entry of half an hour or more is a train, coach or ferry ride, by its title.

    >>> noon = datetime(2026, 7, 1, 12, tzinfo=zone_named("UTC"))
    >>> titles = "ATK to PHL", "Zug nach Köln", "Train home", "Train the team", "CEO - CFO sync"
    >>> entries = [Event(key="1", calendar="c", start=noon, end=noon, title=title) for title in titles]
    >>> [is_by_land(Occurrence(key="1", event=one, start=noon, end=noon + JOURNEY_MIN)) for one in entries]
    [True, True, True, False, False]
    """
    event, length = occurrence.event, occurrence.end - occurrence.start
    if event.all_day or event.private or length < JOURNEY_MIN / 2 or is_journey(occurrence):
        return False
    return BY_LAND.search((event.title or "")[:200]) is not None


def journey(occurrence: Occurrence) -> Stretch:
    """Return the stretch of a journey including the ways to and from the airport or station.

    >>> noon = datetime(2026, 7, 1, 12, tzinfo=zone_named("UTC"))
    >>> flight = Event(key="1", calendar="c", start=noon, end=noon)
    >>> begin, end = journey(Occurrence(key="1", event=flight, start=noon, end=noon))
    >>> begin < noon < end
    True
    """
    if is_by_land(occurrence):
        return occurrence.start - TO_THE_STATION, occurrence.end + FROM_THE_STATION
    long = occurrence.end - occurrence.start >= LONG_HAUL
    return occurrence.start - (TO_A_LONG_HAUL if long else TO_THE_AIRPORT), occurrence.end + FROM_THE_AIRPORT


def to_leave(occurrence: Occurrence, now: datetime) -> str | None:
    """Return "by" if the way to a journey begins later, "now" if it begins now, and "late" if it began ten minutes ago.

    Returns None once the journey can hardly be reached.

    >>> noon = datetime(2026, 7, 1, 12, tzinfo=zone_named("UTC"))
    >>> train = Event(key="1", calendar="c", start=noon, end=noon + timedelta(hours=2), title="Train to Rome")
    >>> one = Occurrence(key="1", event=train, start=noon, end=noon + timedelta(hours=2))
    >>> [to_leave(one, noon - timedelta(minutes=before)) for before in (240, 45, 30, 5)]
    ['by', 'now', 'late', None]
    """
    way, least = journey(occurrence)[0], LEAST_TO_A_TRAIN if is_by_land(occurrence) else LEAST_TO_A_FLIGHT
    if now < way:
        return "by"
    reached = now < occurrence.start - least
    return ("now" if now < way + LATE else "late") if reached else None


def with_ways(occurrence: Occurrence) -> Stretch:
    """Return the stretch of an entry, for a journey including the ways to and from the airport or station.

    >>> one = entry(9, 10)
    >>> with_ways(one) == (one.start, one.end)
    True
    """
    travels = is_by_land(occurrence) or is_journey(occurrence)
    return journey(occurrence) if travels else (occurrence.start, occurrence.end)


def followed(zones: ZoneHistory, events: Iterable[Event], *, now: datetime) -> tuple[ZoneSpan, ...]:
    """Return a zone history in which each flight among ``events`` begins a stay in its zone of arrival.

    A flight is ignored if the clock stays the same, and if the user set a zone from 12 hours before it to two days
    after. Two weeks after landing it is ignored, too, unless a later flight leaves from there.

    >>> noon, home = datetime(2026, 7, 1, 12, tzinfo=zone_named("UTC")), "Europe/Berlin"
    >>> there = Event(key="1", calendar="c", start=noon, end=noon + timedelta(hours=8), end_zone="America/New_York")
    >>> zones = [ZoneSpan(since=noon - timedelta(days=9), zone=home)]
    >>> [span.zone for span in followed(zones, [there], now=noon)]
    ['Europe/Berlin', 'America/New_York']
    """
    flights = sorted((e for e in events if is_flight(e)), key=lambda e: (e.start, e.end, e.key))[-FLIGHTS_MAX:]
    found = list(zones)
    for number, flight in enumerate(flights):
        start, end, zone = flight.start, flight.end, flight.end_zone
        if start is None or end is None or zone is None:
            continue
        said = any(start - SAID_BEFORE <= span.since <= end + SAID_AFTER for span in zones[1:])
        stale = end < now - STAY_MAX and not any(_leaves(later, zone) for later in flights[number + 1 :])
        if not said and not stale and not same_clock(end, zone, zone_at(end, found).key):
            found = sorted([*found, ZoneSpan(since=end, zone=zone)], key=lambda span: span.since)
    return tuple(found)


def _leaves(flight: Event, zone: str) -> bool:
    return flight.start is not None and flight.zone is not None and same_clock(flight.start, flight.zone, zone)


def same_clock(at: datetime, *zones: str) -> bool:
    """Return True if the clocks of all zones show the same time at an instant.

    >>> [same_clock(datetime(2026, month, 1, tzinfo=zone_named("UTC")), "UTC", "Europe/London") for month in (1, 7)]
    [True, False]
    """
    return len({at.astimezone(zone_named(zone)).utcoffset() for zone in zones}) <= 1


def moves(zones: ZoneHistory, since: datetime, until: datetime) -> Sequence[ZoneSpan]:
    """Return the stays that begin in [since, until] and whose clock differs from that of the stay before.

    >>> first, *later = (datetime(2026, 7, day, tzinfo=zone_named("UTC")) for day in (1, 5, 9))
    >>> places = zip((first, *later), ("Europe/Berlin", "Europe/Paris", "Asia/Tokyo"), strict=True)
    >>> zones = [ZoneSpan(since=at, zone=zone) for at, zone in places]
    >>> [span.zone for span in moves(zones, first, first + STAY_MAX)]
    ['Asia/Tokyo']
    """
    inside = [(before, span) for before, span in pairwise(zones) if since < span.since < until]
    return [span for before, span in inside if not same_clock(span.since, before.zone, span.zone)]
