"""Forecast tomorrow's meters, from the same hours of similar days and from tomorrow's calendar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from math import log, sqrt
from statistics import fmean, stdev

from bridge.domain.languages import Text, say_many
from bridge.domain.records import Snapshot
from bridge.domain.slots import local_time, moment_of, slot_bounds
from bridge.domain.types import Because, Reading
from bridge.meters import Past, read_at
from bridge.meters.fuse import OFFSET, full_trust, level_of
from bridge.meters.outlook_changes import Change, When, change_of, told
from bridge.meters.words import USUAL, steps_from_usual
from rhythm_env.interface import SLOTS_PER_DAY, Meter, Slot

A_DAY = timedelta(days=1)
DAYS_BACK, DAYS_MIN = 28, 5  # past days that are looked at, and the least number that tells something
SLOTS = (Slot.MORNING, Slot.AFTERNOON, Slot.EVENING)  # at whose ends levels are expected
KNOWN_AHEAD = frozenset(
    {"company", "company_now", "meetings", "calendar", "focus"}
)  # inputs that the calendar tells ahead


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """A meter's expected level at an instant, from 0 to 1, forecast from past days.

    ``because`` says which level is usual at this hour, and if entries of the day ``change`` it, that too.
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
    """A past reading, as the distance from normal in log odds: the part known ahead, and the ``rest``."""

    rest: float
    ahead: float
    trust: float  # 1 + the trust of its inputs
    sd: float  # of the level


def outlook(known: Snapshot, day: date, works: Callable[[date], bool]) -> tuple[Expected, ...]:
    """Return the expected levels at the end of tomorrow's slots, or an empty result if ``day`` is another day."""
    today = local_time(known.at, known.zones).date()
    nothing = not (known.samples or known.episodes or known.agenda or known.tasks)
    if nothing or day != today + A_DAY:
        return ()
    return tuple(_expected(known, day, _like(today, day, works)))


def changes(expected: Sequence[Expected]) -> list[Text]:
    """Return in a sentence per meter, or for several at once, how the calendar entries change the expected levels.

    A change stays untold where the words of the level do not depart from the usual to its side.
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
    days = [today - ago * A_DAY for ago in range(DAYS_BACK, 0, -1)]
    like = [one for one in days if works(one) is works(day)]
    return like if len(like) >= DAYS_MIN else days


def _bounds(known: Snapshot, day: date, slot: Slot) -> tuple[datetime, datetime]:
    monday = day - day.weekday() * A_DAY
    return slot_bounds(moment_of(monday, day.weekday() * SLOTS_PER_DAY + slot), known.zones)


def _seen(past: Past, meter: Meter, reading: Reading) -> _Seen:
    rows = past.proxies.of(meter)
    trust = 1 + reading.coverage * full_trust(rows)
    ahead = _ahead(past, meter, reading.because)
    distance = log(reading.level / (1 - reading.level)) - OFFSET
    return _Seen(rest=distance - ahead / trust, ahead=ahead, trust=trust, sd=reading.sd)


def _ahead(past: Past, meter: Meter, because: Sequence[Because]) -> float:
    """Return the sum of weight times z over ``KNOWN_AHEAD``."""
    rows = past.proxies.of(meter)
    return sum(rows[one.signal].weight * one.z for one in because if one.signal in KNOWN_AHEAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Forecast:
    """A forecast level, the level ``usual`` without the calendar entries of the day, and the standard deviation."""

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
