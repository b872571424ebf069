"""Say when a night begins and ends and why: usual, wished, or moved by an entry, a shift, the body or last night."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from typing import Any

from bridge.calendar.busy import takes_time
from bridge.calendar.kinds import title_of
from bridge.calendar.plans import COMPANY
from bridge.day.grid import CELL, DAY, HOUR, MINUTE
from bridge.day.person import BY_DAY, EARLIER_LEAST, VARIES, Person
from bridge.day.recovery import if_at_all
from bridge.day.shifts import Shifts
from bridge.day.sleep import TO_BED, TO_GET_UP, Night, Rests, begun, other_zone, rounded_up
from bridge.day.view import what_begins
from bridge.domain.facts import Fact, fact, length
from bridge.domain.wish_terms import wished_on
from bridge.domain.zones import place_of
from bridge.meters.words import told_need
from rhythm_env.interface import ActionType

EARLIER = {"late_shift": "bedtime_shift", "unwell": "bedtime_unwell", "varies": "bedtime_varies"}  # by what moved it
REST = frozenset({"short_night", "unwell"})
SHORT = 30 * MINUTE  # of what a person needs, from which a night before an entry is owned up to be short
NAP_FOR = 2 * HOUR  # of what a person needs, from which a short night asks for a nap after it; our choice
AWAKE = 18  # hours of a day that are worth telling
BEDTIMES = "bedtime_then", "bedtime_common", "bedtime_usual"  # of an old night, by published figures, of own nights
WAKINGS = "waking_then", "waking_common", "waking_usual"
CUT = frozenset({"early_entry", "late_entry"})  # what moved a night that an entry may make short
SHORT_USUAL = 35 * MINUTE  # of what a person needs, from which any other night is
OLD_NIGHTS = timedelta(days=7)  # without a recorded one, after which a usual time is told with its date


def of_bedtime(person: Person, ends: date) -> Fact:
    """Return a fact about the bedtime of the sleep that ends on a date: if it is usual, common, moved and why, or over.

    The fact also says how much sleep the night lacks.
    """
    night, lacking = person.night(ends), leaves(person, ends)
    over = night.rests is not Rests.SLEPT and begun(night.bed, night.wake, person.now) > night.bed
    was = fact("bedtime_was", time=person.local_in_night(ends, night.bed)) if over else None
    told = (None if over else lacking) or _bed_as_wished(person, ends) or was or _of_bedtime(person, ends)
    short = told is not lacking and (lacking is not None or _is_short(person, ends))
    kind = "bedtime_short_now" if over else "bedtime_short"
    told = told if over else _on(person, night.bed, told)
    return if_at_all(person, fact(kind, bedtime=told, **_lengths(person, ends)) if short else told)


def _on(person: Person, bed: datetime, told: Fact) -> Fact:
    """Name the day of a bedtime by day that is not today's."""
    at = person.local(bed)
    far = at.hour in BY_DAY and at.date() != person.date_of(person.now)
    return replace(told, values={**told.values, "on": str(at.weekday())}) if far else told


def _is_short(person: Person, ends: date) -> bool:
    """Return True if a night is shorter than the user needs, or if what is left of it is."""
    night = person.night(ends)
    return night.rests is Rests.RECORDED and person.need(ends) - _left(person, night) >= SHORT_USUAL


def _of_bedtime(person: Person, ends: date) -> Fact:
    night = person.night(ends)
    at, usual = person.local_in_night(ends, night.bed), person.usual_sleep(ends)[0]
    if night.moved == "after_entry":
        until = max((end for _, end in person.attended if end <= night.bed), default=night.bed)
        return fact("bedtime_after", time=at, until=person.local(until))
    if night.moved not in (None, "varies") and night.bed > usual + CELL:
        return fact("bedtime_shift" if night.moved == "late_shift" else "bedtime_late", time=at)
    earlier, last = night.bed <= usual - EARLIER_LEAST, person.last_bed(ends)
    if night.moved == "early_entry" and earlier:
        return _before_entry(person, ends, at)
    learnt, shifts = person.learnt_sleep(ends)[0], person.like_shifts(ends)
    if night.moved in (None, "late_shift") and shifts != Shifts() and abs(night.bed - learnt) <= 2 * CELL:
        return fact("bedtime_shift" if shifts.begins is None else "bedtime_before_shift", time=at)
    varies = night.bed_sd > VARIES
    if person.slept_by_day(ends - DAY) and (varies or (earlier and night.moved is not None)):
        return fact("bedtime_by_day", time=at)
    if night.moved == "flight_west":
        awake = round((night.bed - person.sleep(ends - DAY)[1]) / HOUR)
        return fact("bedtime_awake", time=at, hours=awake) if awake >= AWAKE else fact("bedtime_early", time=at)
    far = varies and last is not None and abs(last - night.bed) >= HOUR
    if night.moved is not None and (earlier or night.moved == "varies") and not (far and night.moved == "varies"):
        return _earlier(person, ends, at)
    if far:
        # Beside shifts no bedtime is usual.
        return fact("bedtime_up", time=at, up=person.local_in_night(ends, night.wake))
    if night.bed < learnt - 2 * CELL and (long := _wished_length(person, ends)) is not None:
        return fact("bedtime_for_length", time=at, long=long)
    return _usual(person, night, BEDTIMES, at)


def _bed_as_wished(person: Person, ends: date) -> Fact | None:
    night, wish = person.night(ends), person.night_wish(ends)
    if night.rests is Rests.SLEPT:
        return None
    at = person.local_in_night(ends, night.bed)
    return _wished(at, {"bedtime_wished": wish.bed, "bedtime_not_before": wish.earliest})


def _wished(at: datetime, wishes: Mapping[str, time | None]) -> Fact | None:
    """Return the fact that a time is as the user wished, or None."""
    for kind, wished in wishes.items():
        if wished is not None:
            there = datetime.combine(at.date(), wished, at.tzinfo)
            if abs((there - at + DAY / 2) % DAY - DAY / 2) < CELL:
                return fact(kind, time=there)
    return None


def _wished_length(person: Person, ends: date) -> Fact | None:
    wished = person.night_wish(ends).minutes
    return None if wished is None else length(wished)


def _earlier(person: Person, ends: date, at: datetime) -> Fact:
    """Return the fact for why a bedtime is earlier, or that it is the earliest possible."""
    night, last, earliest = person.night(ends), person.last_bed(ends), person.earliest_bed(ends)
    if night.moved in REST and last is not None and last < night.bed <= earliest + CELL:
        return fact("bedtime_earliest", time=at, usual=person.local_in_night(ends, person.learnt_sleep(ends)[0]))
    return fact(EARLIER.get(night.moved or "", "bedtime_rest"), time=at)


def _before_entry(person: Person, ends: date, at: datetime) -> Fact:
    """Return the fact for a bedtime before an early entry. It also names illness or a lack of sleep as a reason."""
    night, overslept = person.night(ends), person.overslept(ends)
    entry, asked = _entry_after(person, night.wake), person.asked(ends)
    last, earliest = person.last_bed(ends), person.earliest_bed(ends)
    if _just_ended(person, night) or (last is not None and last < night.bed <= earliest + CELL):
        return fact("bedtime_before", time=at, **entry)
    if asked:
        return fact("bedtime_unwell_before" if "unwell" in asked else "bedtime_rest_before", time=at, **entry)
    if overslept is not None:
        told = {"time": at, "up": person.local_in_night(ends, night.wake)} | _entry_after(person, overslept.start)
        late = person.late_for(overslept)
        day = None if late is None else person.date_of(late[0].start)
        if late is None or day is None or day == person.date_of(person.now):
            return fact("bedtime_alarm", **told)  # a reason tells of days before
        return (
            fact("bedtime_overslept", missed=day.isoformat(), **told) if late[1] else fact("bedtime_near_miss", **told)
        )
    return fact("bedtime_before", time=at, **entry)


def _usual(person: Person, night: Night, kinds: tuple[str, str, str], at: datetime) -> Fact:
    """Return the first of three ``kinds`` of facts for nights long ago, the second for published ones, or the third."""
    ago = night.rests is Rests.LONG_AGO
    last = person.routine.until if ago else person.last_night
    if last is not None and (ago or (night.rests is Rests.RECORDED and person.date_of(person.now) - last > OLD_NIGHTS)):
        return fact(kinds[0], time=at, day=last.isoformat())
    return fact(kinds[1] if night.rests is Rests.PUBLISHED else kinds[2], time=at)


def leaves(person: Person, ends: date) -> Fact | None:
    """Return the reason that a late entry leaves too little sleep, with the missing hours, or None."""
    night, up = person.night(ends), person.usual_sleep(ends)[1]
    missing = person.need(ends) - (night.wake - night.bed)
    early = night.moved in CUT and night.wake <= up - 2 * CELL
    if night.rests is Rests.SLEPT or missing < SHORT or not (early or _cut(person, ends)):
        return None
    earliest = night.bed <= person.earliest_bed(ends) + CELL or _just_ended(person, night)
    if night.moved == "early_entry" and not earliest:
        return None
    told = _entry_after(person, night.wake) | _lengths(person, ends)
    return fact("bedtime_leaves", time=person.local_in_night(ends, night.bed), **told)


def leaving(person: Person, ends: date) -> tuple[Fact, ...]:
    """Return what helps a night that is too short: when to leave company, if ahead, and a nap on the next day."""
    night, short = person.night(ends), leaves(person, ends)
    late = (o for o, label in person.entries if label.action in COMPANY and takes_time(o.event))
    last = next((o for o in late if night.bed - TO_BED - CELL <= o.end <= night.bed), None)
    if short is None:
        return ()
    missing = person.needed(ends) - (night.wake - night.bed)
    naps = missing >= NAP_FOR and ActionType.SLEEP not in wished_on(person.wishes, ends).never
    nap = (fact("nap_after_it", day=ends.isoformat()),) if naps else ()
    if last is None:
        return nap
    at = rounded_up(max(last.end - missing, last.start + (last.end - last.start) / 2))
    return (fact("leave_by_then", time=person.local(at)), *nap) if person.now < at < last.end else nap


def _lengths(person: Person, ends: date) -> dict[str, Any]:
    long = 5 * round(_left(person, person.night(ends)) / MINUTE / 5)
    return {"long": length(long), "missing": length(told_need(person.needed(ends) / HOUR) - long)}


def _left(person: Person, night: Night) -> timedelta:
    return night.wake - begun(night.bed, night.wake, person.now)


def _just_ended(person: Person, night: Night) -> bool:
    wish = person.night_wish(person.date_of(night.bed + DAY / 2))
    late = any(night.bed - TO_BED - CELL <= end <= night.bed for _, end in person.attended)
    return late or wish.bed is not None or wish.earliest is not None


def _entry_after(person: Person, at: datetime) -> dict[str, Any]:
    begins = (*(start for start, _ in person.attended), *(o.start for o in person.races))
    start = min((start for start in begins if start >= at), default=at)
    return {"entry": person.local(start), "what": what_begins(person, start)}


def _cut(person: Person, ends: date) -> bool:
    night, (low, high) = person.night(ends), person.usual_sleep(ends)
    begins = (*(start for start, _ in person.attended), *(o.start for o in person.races))
    soon = night.moved in CUT and any(night.wake <= start <= night.wake + TO_GET_UP + CELL for start in begins)
    return soon and night.wake - night.bed <= high - low - 2 * CELL


def of_short(person: Person, ends: date) -> tuple[Fact, ...]:
    """Return the fact of a bedtime that leaves too little sleep, or none."""
    return (of_bedtime(person, ends),) if _is_short(person, ends) or leaves(person, ends) is not None else ()


def of_waking(person: Person, ends: date) -> Fact:
    """Return the fact of getting up after the sleep that ends on a date: if it is usual, common, or moved and why."""
    night = person.night(ends)
    usual = person.usual_sleep(ends)[1]
    at = person.local_in_night(ends, night.wake)
    if night.rests is Rests.SLEPT:
        return _usual(person, night, WAKINGS, at)
    wish = person.night_wish(ends)
    if (kept := _wished(at, {"waking_wished": wish.up, "waking_not_before": wish.rest})) is not None:
        return kept
    if leaves(person, ends) is not None:
        return if_at_all(person, fact("waking_early", time=at, **_entry_after(person, night.wake)))
    begins = (person.usual_sleep if wish.earliest is None else person.learnt_sleep)(ends)[0]
    until = "waking_late" if night.bed > begins + CELL else "waking_about"
    if abs(night.wake - usual) >= (3 * CELL if wish.up is None and wish.rest is None else CELL):
        if (night.wake > usual or night.moved == "late_shift") and not _cut(person, ends):
            shift = person.after_shift(person.usual_sleep(ends)[0]) if night.moved == "late_shift" else None
            return fact("waking_usual" if shift is not None and night.wake <= shift[1] else until, time=at)
        return if_at_all(person, fact("waking_early", time=at, **_entry_after(person, night.wake)))
    if abs(night.wake - person.learnt_sleep(ends)[1]) > 2 * CELL:
        long = _wished_length(person, ends) if wish.up is None else None
        return fact(until, time=at) if long is None else fact("waking_for_length", time=at, long=long)
    if person.like_shifts(ends).begins is not None:
        return fact("waking_early", time=at, **_entry_after(person, night.wake))
    return _usual(person, night, WAKINGS, at)


def over_entries(person: Person, ends: date) -> tuple[Fact, ...]:
    """Return the fact of the first entry during the planned night, with the place if it is in another zone, or none."""
    first = next(iter(person.slept_over(ends)), None)
    if first is None:
        return ()
    zone, time = other_zone(first, person.zones), person.local(first.start)
    if zone is None:
        return (fact("night_over", title=title_of(first), time=time),)
    return (fact("night_over_zone", title=title_of(first), time=time, place=place_of(zone)),)
