"""Busy and free stretches of a calendar. Overlapping entries count once.

The worked examples use the names of ``tests/calendar/examples.py``.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import pairwise

from bridge.domain.types import Event, Label, Occurrence, Response

Stretch = tuple[datetime, datetime]  # begin and end (exclusive)
NONE = timedelta(0)


def merged(stretches: Iterable[Stretch], *, bridging: timedelta = NONE) -> list[Stretch]:
    """Return the stretches ascending, joined if they overlap, touch, or lie less than ``bridging`` apart.

    >>> spans = [(hour(a), hour(b)) for a, b in ((9, 10), (9.5, 11), (11, 12), (13, 14))]
    >>> [(s.hour, e.hour) for s, e in merged(spans)]
    [(9, 12), (13, 14)]
    """
    found: list[Stretch] = []
    for start, end in sorted(stretches):
        if found and (start <= found[-1][1] or start - found[-1][1] < bridging):
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def clipped(stretches: Sequence[Stretch], start: datetime, end: datetime) -> list[Stretch]:
    """Return the parts of disjoint, ascending stretches that lie in [start, end).

    >>> [(s.hour, e.hour) for s, e in clipped([(hour(9), hour(11))], hour(10), DAY[1])]
    [(10, 11)]
    """
    first = max(bisect_left(stretches, (start, start)) - 1, 0)
    found: list[Stretch] = []
    for at in range(first, len(stretches)):
        begun, over = stretches[at]
        if begun >= end:
            break
        low, high = max(begun, start), min(over, end)
        if low < high:
            found.append((low, high))
    return found


def length(stretches: Iterable[Stretch]) -> timedelta:
    """Return the total length of disjoint stretches.

    >>> length([(hour(9), hour(10)), (hour(12), hour(12.5))])
    datetime.timedelta(seconds=5400)
    """
    return sum((end - start for start, end in stretches), NONE)


def share(stretches: Sequence[Stretch], start: datetime, end: datetime) -> float:
    """Return the share (0 to 1) of [start, end) that disjoint, ascending stretches cover, or 0 for an empty interval.

    >>> share([(hour(0), hour(6))], *DAY)
    0.25
    """
    return length(clipped(stretches, start, end)) / (end - start) if start < end else 0.0


Labelled = Sequence[tuple[Occurrence, Label]]

NO_TIME = frozenset({"birthday", "workingLocation", "task"})  # kinds that describe a day without taking time
# Words of hours in which something can be fetched, brought or visited: en, de, fr, es, it, nl, pt.
OPEN_HOURS = re.compile(
    r"\b(pick[- ]?up|drop[- ]?off|opening hours|open house|deliver(y|ies)|delivery window|abholung|\w*ausgabe|"
    r"öffnungszeiten|lieferung|retrait|livraison|recogida|entrega|ritiro|consegna|ophalen|bezorging|levantamento)\b",
    re.IGNORECASE,
)
OPEN_FROM = timedelta(hours=2)  # a shorter entry with such a word is an errand
# Titles of mails that confirm something, which an assistant put into the calendar: en, de, fr, es, it, nl, pt.
REMINDER = re.compile(
    r"\b(booking|reservation|order|purchase|payment|registration|subscription)s? (is )?"
    r"(confirm(ed|ation)|number|no\.|#)|\bconfirmation\W*$|^\W*confirmation (of|for|#)|"
    r"\b(booking|order|reservation) ?(id|nr\.?|no\.?)? ?#? ?[A-Z]{0,3}\d{4,}|"
    r"^\W*your (booking|order|reservation|purchase|receipt|invoice|itinerary|subscription)\b|"
    r"\b(buchungs|bestell|reservierungs|anmelde|versand|auftrags|zahlungs)bestätigung|"
    r"^\W*(deine|ihre) (buchung|bestellung|reservierung|rechnung)\b|^\W*(votre|ta) (commande|réservation|facture)\b|"
    r"\bconfirmation de (votre |ta )?(commande|réservation|paiement)|\bconfirmación de (reserva|pedido|pago)|"
    r"\bconferma (della |dell')?(prenotazione|ordine)|\b(boekings|bestel|reserverings)bevestiging|"
    r"\bconfirmação de (reserva|pedido)",
    re.IGNORECASE,
)
FEW = 3  # people, whom an assistant may add to a mail
# Words of what somebody goes to all the same, though a mail confirmed it.
GOES = re.compile(
    r"\b(appointment|meeting|call|interview|visit|class|lesson|dinner|lunch|brunch|table|restaurant|flight|train|check-?in|"
    r"termin|besprechung|flug|zug|tisch|rendez-vous|vol|cita|vuelo|appuntamento|volo|afspraak|vlucht|consulta|voo)\b",
    re.IGNORECASE,
)
WHOLE_BLOCK = timedelta(hours=2)  # a shorter free block is a fragment (Multitudes, Worklytics)


def takes_time(event: Event) -> bool:
    """Return True if an entry makes its time busy.

    It must have times, be marked busy, be neither declined nor cancelled, and be no birthday, working location, task,
    opening hours or reminder.

    >>> [takes_time(entry(9, 10, **of).event) for of in ({}, {"busy": False}, {"kind": "task"})]
    [True, False, False]
    >>> takes_time(entry(9, 10, response=Response.DECLINED).event)
    False
    """
    off = event.cancelled or event.response is Response.DECLINED
    timed = event.busy and not off and event.first_day is None and event.kind not in NO_TIME
    return timed and not (_may_be_empty(event.title) and nobody_goes(event))


def nobody_goes(event: Event) -> bool:
    """Return True for an entry that occupies nobody, such as opening hours or a confirmation mail.

    >>> nobody_goes(Event(key="", calendar="", title="Order confirmation"))
    True
    """
    return is_open_hours(event) or is_reminder(event)


@lru_cache(maxsize=4096)
def _may_be_empty(title: str | None) -> bool:
    return title is not None and (OPEN_HOURS.search(title[:200]) or REMINDER.search(title[:200])) is not None


def is_reminder(event: Event) -> bool:
    """Return True for an entry made of a mail that confirms an order or booking, without anything to go to.

    >>> titles = "Travel: Booking #C398490456", "Run Confirmation", "Appointment confirmed", "Confirm the date"
    >>> [is_reminder(Event(key="", calendar="", title=one)) for one in titles]
    [True, True, False, False]
    """
    title = (event.title or "")[:200]
    if event.private or event.others > FEW or event.kind != "default" or not REMINDER.search(title):
        return False
    return GOES.search(title) is None


def is_open_hours(event: Event) -> bool:
    """Return True for opening hours of two hours or more, during which something can be fetched or brought.

    >>> titles = "Race packet pickup", "Pitch"
    >>> [is_open_hours(Event(key="", calendar="", title=one, start=hour(12), end=hour(19))) for one in titles]
    [True, False]
    """
    if event.private or event.others or event.start is None or event.end is None:
        return False
    return event.end - event.start >= OPEN_FROM and OPEN_HOURS.search((event.title or "")[:200]) is not None


def occupied(occurrences: Iterable[Occurrence]) -> list[Stretch]:
    """Return the stretches that busy entries take, ascending, with overlaps merged.

    >>> [(s.hour, e.hour) for s, e in occupied([entry(9, 10), entry(9.5, 11), entry(12, 13, busy=False)])]
    [(9, 11)]
    """
    return merged((o.start, o.end) for o in occurrences if takes_time(o.event))


def busy_union(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """Return the parts of [start, end) that busy entries take, ascending, overlaps merged.

    >>> [(s.hour, e.hour) for s, e in busy_union([entry(9, 10), entry(9.5, 11)], hour(10), DAY[1])]
    [(10, 11)]
    """
    return clipped(occupied(o for o in occurrences if o.start < end and o.end > start), start, end)


def density(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> float:
    """Return the share of [start, end) that busy entries take, 0 to 1, or 0 for an empty interval.

    >>> density([entry(6, 9), entry(7, 12)], *DAY)
    0.25
    """
    return share(busy_union(occurrences, start, end), start, end)


def gaps(occurrences: Iterable[Occurrence], start: datetime, end: datetime) -> list[Stretch]:
    """Return the parts of [start, end) that no busy entry takes, ascending.

    >>> [(s.hour, e.hour) for s, e in gaps([entry(9, 10), entry(12, 13)], hour(9), hour(14))]
    [(10, 12), (13, 14)]
    """
    free: list[Stretch] = []
    at = start
    for begun, over in busy_union(occurrences, start, end):
        if at < begun:
            free.append((at, begun))
        at = over
    return [*free, (at, end)] if at < end else free


def free_blocks(occurrences: Iterable[Occurrence], start: datetime, end: datetime, *, minutes: float) -> list[Stretch]:
    """Return the free stretches of [start, end) with at least ``minutes`` minutes, ascending.

    >>> day = [entry(9, 10), entry(10.25, 12)]
    >>> [(s.hour, e.hour) for s, e in free_blocks(day, hour(9), hour(14), minutes=30)]
    [(12, 14)]
    """
    return [(s, e) for s, e in gaps(occurrences, start, end) if e - s >= timedelta(minutes=minutes)]


def fragmentation(busy: Sequence[Stretch], start: datetime, end: datetime) -> float:
    """Return the share (0 to 1) of the free time in [start, end) that lies in gaps under two hours.

    A gap is free time between two busy stretches. ``busy`` is disjoint and ascending, as from ``busy_union``. Without
    free time the share is 0.

    >>> fragmentation(busy_union([entry(9, 10), entry(11, 12)], hour(9), hour(15)), hour(9), hour(15))
    0.25
    """
    taken = clipped(busy, start, end)
    free = end - start - length(taken)
    between = ((one[1], other[0]) for one, other in pairwise(taken))
    pieces = length((s, e) for s, e in between if e - s < WHOLE_BLOCK)
    return pieces / free if free else 0.0
