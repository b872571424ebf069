"""Forecast tomorrow's meters from similar days, and say how tomorrow's calendar changes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from math import log, sqrt
from statistics import fmean, stdev
from types import MappingProxyType

from bridge.domain.languages import Text, say, say_many
from bridge.domain.records import Snapshot
from bridge.domain.slots import DAY, local_time, moment_of, slot_bounds
from bridge.domain.types import Because, Reading
from bridge.meters import read_at, words
from bridge.meters.connection import times_in_company
from bridge.meters.fuse import OFFSET, full_trust, level_of
from bridge.meters.past import Past
from bridge.meters.words import USUAL, steps_from_usual
from rhythm_env.interface import SLOTS_PER_DAY, Meter, Slot

DAYS_BACK, DAYS_MIN = 28, 5  # past days that are looked at, and the least number that tells something
SLOTS = (Slot.MORNING, Slot.AFTERNOON, Slot.EVENING)  # at whose ends levels are expected
KNOWN_AHEAD = frozenset(
    {"company", "company_now", "meetings", "calendar", "focus"}
)  # inputs that the calendar tells ahead
QUARTERS = 4  # of an hour, to which usual lengths are rounded
FEELINGS: Mapping[Meter, tuple[Text, Text]] = MappingProxyType(  # for a higher and for a lower level
    {
        Meter.VITALITY: (say("more energetic"), say("less energetic")),
        Meter.COGNITION: (say("clearer"), say("less clear")),
        Meter.PROGRESS: (say("more productive"), say("less productive")),
        Meter.SERENITY: (say("calmer"), say("less calm")),
        Meter.CONNECTION: (say("more in touch with people"), say("less in touch with people")),
    }
)
WHEN: Mapping[tuple[Slot, ...], Text] = MappingProxyType(  # the slots at whose ends the level is changed
    {
        (Slot.MORNING,): say("by noon"),
        (Slot.AFTERNOON,): say("by 18:00"),
        (Slot.EVENING,): say("by midnight"),
        (Slot.MORNING, Slot.AFTERNOON): say("until 18:00"),
        (Slot.AFTERNOON, Slot.EVENING): say("from the afternoon on"),
        (Slot.MORNING, Slot.EVENING): say("by noon and by midnight"),
        (Slot.MORNING, Slot.AFTERNOON, Slot.EVENING): say("all day"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A meter's expected level (0 to 1) at a time of tomorrow, with standard deviation, from a number of past days.

    ``because`` are sentences on what is usual at this hour and on the ``change`` that tomorrow's entries make.
    """

    at: datetime
    meter: Meter
    level: float
    sd: float
    days: int
    because: tuple[str, ...]
    change: Change | None

    @property
    def low(self) -> float:
        return max(self.level - self.sd, 0.0)

    @property
    def high(self) -> float:
        return min(self.level + self.sd, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    rest: float
    ahead: float
    trust: float  # 1 + the trust of its inputs
    sd: float  # of the level


def outlook(known: Snapshot, day: date, works: Callable[[date], bool]) -> tuple[Expected, ...]:
    """Return the expected levels at the ends of tomorrow's slots, or () if ``day`` is not tomorrow or data are few.

    ``works`` returns True for a workday. Tomorrow is compared with past days of its kind.
    """
    today = local_time(known.at, known.zones).date()
    nothing = not (known.samples or known.episodes or known.agenda or known.tasks)
    if nothing or day != today + DAY:
        return ()
    return tuple(_expected(known, day, _like(today, day, works)))


def changes(expected: Sequence[Expected]) -> list[Text]:
    """Return a sentence per meter (or several meters) on how calendar entries change the expected levels.

    Changes that leave the level about usual are left out.
    """
    found = ((one.change, steps_from_usual(one.level, one.sd)) for one in expected if one.change is not None)
    return told(change for change, steps in found if steps * change.difference > 0)


def _expected(known: Snapshot, day: date, days: Sequence[date]) -> Iterator[Expected]:
    starts = [_bounds(known, past, SLOTS[0])[1] for past in days]
    past = Past(known, since=min(starts, default=known.at))
    last = _bounds(known, day, SLOTS[-1])[1]
    ahead = Past(replace(known, at=last))
    for slot in SLOTS:
        usual = [_when(past, known, one, slot) for one in days]
        then = _when(ahead, known, day, slot)
        before = [read_at(past, one.at) for one in usual]
        planned = read_at(ahead, then.at)
        for meter in Meter:
            seen = [_seen(past, meter, reading[meter]) for reading in before if reading[meter].coverage > 0]
            if len(seen) >= DAYS_MIN:
                found = _forecast(seen, _ahead(past, meter, planned[meter].because))
                yield _told(found, meter, slot, then, usual)


def _when(past: Past, known: Snapshot, day: date, slot: Slot) -> When:
    begin, (_, at) = _bounds(known, day, SLOTS[0])[0], _bounds(known, day, slot)
    return When(past=past, begin=begin, at=at)


def _like(today: date, day: date, works: Callable[[date], bool]) -> list[date]:
    days = [today - ago * DAY for ago in range(DAYS_BACK, 0, -1)]
    like = [one for one in days if works(one) is works(day)]
    return like if len(like) >= DAYS_MIN else days


def _bounds(known: Snapshot, day: date, slot: Slot) -> tuple[datetime, datetime]:
    monday = day - day.weekday() * DAY
    return slot_bounds(moment_of(monday, day.weekday() * SLOTS_PER_DAY + slot), known.zones)


def _seen(past: Past, meter: Meter, reading: Reading) -> _Seen:
    rows = past.proxies.of(meter)
    trust = 1 + reading.coverage * full_trust(rows)
    ahead = _ahead(past, meter, reading.because)
    distance = log(reading.level / (1 - reading.level)) - OFFSET
    return _Seen(rest=distance - ahead / trust, ahead=ahead, trust=trust, sd=reading.sd)


def _ahead(past: Past, meter: Meter, because: Sequence[Because]) -> float:
    rows = past.proxies.of(meter)
    return sum(rows[one.signal].weight * one.z for one in because if one.signal in KNOWN_AHEAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forecast:
    level: float
    usual: float
    sd: float
    days: int


def _forecast(seen: Sequence[_Seen], ahead: float) -> _Forecast:
    trust = fmean(one.trust for one in seen)
    rest = [one.rest for one in seen]
    level = level_of(fmean(rest) + ahead / trust)
    between = stdev(rest) * sqrt(1 + 1 / len(rest)) * level * (1 - level)
    return _Forecast(
        level=level,
        usual=level_of(fmean(one.rest + one.ahead / one.trust for one in seen)),
        sd=sqrt(between**2 + fmean(one.sd for one in seen) ** 2),
        days=len(seen),
    )


def _told(found: _Forecast, meter: Meter, slot: Slot, then: When, usual: Sequence[When]) -> Expected:
    difference = found.level - found.usual
    change = change_of(meter, slot, difference, then, usual) if abs(difference) >= USUAL else None
    at_this_hour = say_many(
        "{usual:.2f} is usual at this hour, from {count} like day",
        "{usual:.2f} is usual at this hour, from {count} like days",
        found.days,
        usual=found.usual,
    )
    return Expected(
        at=then.at,
        meter=meter,
        level=found.level,
        sd=found.sd,
        days=found.days,
        because=(at_this_hour, *([] if change is None else told([change]))),
        change=change,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A time ``at`` at the end of a slot, with the beginning of its day and the data known at ``at``."""

    past: Past
    begin: datetime
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a meter's expected level at the end of ``slot`` by calendar entries, with its reason ``why``."""

    meter: Meter
    slot: Slot
    difference: float
    why: Text | None

    @property
    def feeling(self) -> Text:
        return FEELINGS[self.meter][0 if self.difference > 0 else 1]


def change_of(meter: Meter, slot: Slot, difference: float, planned: When, usual: Sequence[When]) -> Change:
    """Return the change of a meter by ``difference`` at the end of ``slot``, with the reason that the calendar gives.

    The data of the day (``planned``) are compared with those of past days at the same hour (``usual``).
    """
    found = (fact.text(planned, usual, is_up=difference > 0) for fact in FACTS.get(meter, ()))
    why = next((text for text in found if text is not None), None)
    return Change(meter=meter, slot=slot, difference=difference, why=why)


def told(changes: Iterable[Change]) -> list[Text]:
    """Return a sentence per group of meters that change at the same times for the same reason."""
    groups: dict[tuple[Text, Text | None], list[Text]] = {}
    for of_meter in _by_meter(changes):
        largest = max(of_meter, key=lambda one: abs(one.difference))
        same = [one for one in of_meter if one.feeling == largest.feeling]
        when = WHEN[tuple(one.slot for one in same)]
        why = next((one.why for one in reversed(same) if one.why is not None), None)
        groups.setdefault((when, why), []).append(largest.feeling)
    return [_sentence(feelings, when, why) for (when, why), feelings in groups.items()]


def _by_meter(changes: Iterable[Change]) -> Iterator[list[Change]]:
    found: dict[Meter, list[Change]] = {}
    for change in sorted(changes, key=lambda one: one.slot):
        found.setdefault(change.meter, []).append(change)
    yield from found.values()


def _sentence(feelings: Sequence[Text], when: Text, why: Text | None) -> Text:
    feeling = feelings[0]
    for one in feelings[1:]:
        feeling = say("{first} and {last}", first=feeling, last=one)
    if why is None:
        return say("{feeling} than usual {when}, by your calendar", feeling=feeling, when=when)
    return say("{feeling} than usual {when}: {why}", feeling=feeling, when=when, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    count: Callable[[When], float]
    raises: bool
    rounded: Callable[[float], float]
    words: Callable[[float, float], Text]

    def text(self, planned: When, usual: Sequence[When], *, is_up: bool) -> Text | None:
        value = self.rounded(self.count(planned))
        mean = self.rounded(fmean(self.count(one) for one in usual))
        return self.words(value, mean) if value != mean and (value > mean) is (is_up is self.raises) else None


def _quarters(hours: float) -> float:
    return round(hours * QUARTERS) / QUARTERS


def _of_entries(value: float, usual: float) -> Text:
    if not value:
        return say("no entries, {usual} is usual", usual=words.hours(usual))
    if not usual:
        return say("{length} of entries, none is usual", length=words.hours(value))
    return say("{length} of entries, {usual} is usual", length=words.hours(value), usual=words.hours(usual))


def _of_focus(value: float, usual: float) -> Text:
    if not value:
        return say("no focus, {usual} is usual", usual=words.hours(usual))
    if not usual:
        return say("{length} of focus, none is usual", length=words.hours(value))
    return say("{length} of focus, {usual} is usual", length=words.hours(value), usual=words.hours(usual))


def _of_company(value: float, usual: float) -> Text:
    if not value:
        return say("no company in the seven days before, {usual:.0f} times is usual", usual=usual)
    return say_many(
        "with friends or family {count:.0f} time in the seven days before, {usual:.0f} is usual",
        "with friends or family {count:.0f} times in the seven days before, {usual:.0f} is usual",
        value,
        usual=usual,
    )


def _entries(when: When) -> float:
    return when.past.calendar.busy(when.begin, when.at)


def _focus(when: When) -> float:
    return when.past.calendar.focus(when.begin, when.at) / 60


def _company(when: When) -> float:
    return times_in_company(when.past, when.at)


_BUSY = _Fact(count=_entries, raises=False, rounded=_quarters, words=_of_entries)
FACTS: Mapping[Meter, tuple[_Fact, ...]] = MappingProxyType(
    {
        Meter.COGNITION: (_BUSY,),
        Meter.SERENITY: (_BUSY,),
        Meter.PROGRESS: (_Fact(count=_focus, raises=True, rounded=_quarters, words=_of_focus),),
        Meter.CONNECTION: (_Fact(count=_company, raises=True, rounded=round, words=_of_company),),
    }
)
