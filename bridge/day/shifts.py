"""Expect the night between two shifts to be as the nights between other shifts at these hours were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from bridge.calendar.busy import takes_time
from bridge.calendar.expansion import midnight
from bridge.day.sleep import LEAST_SPREAD, UsualNight
from bridge.day.typical import MAD_TO_SD, MINUTE, clock, median
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Episode, Occurrence

SHIFT = timedelta(hours=6)  # least length of a shift
EVENING = timedelta(hours=6)  # before midnight, from which the end of a shift moves the night
NOON, LATEST = 12 * 60.0, 18 * 60.0  # minutes after midnight, until which it begins; after 18:00, until which it ends
SAME_HOUR, NIGHTS_MIN = 30.0, 3  # minutes between the hours of like shifts; nights that show what is usual beside them
# Minutes of spread of such nights' bedtimes, above which the shifts do not explain them; and between the middles of
# bedtimes beside different shifts, from which they count.
ALIKE, DIFFER = 60.0, 75.0
SHARE = 1 / 3  # of the nights, beside shifts, from which somebody works in shifts; our choice


@dataclass(frozen=True, slots=True)
class Shifts:
    """The shift that ends before a night and the one that begins after it, by minutes after midnight; None for none."""

    ended: float | None = None
    begins: float | None = None

    def like(self, other: Shifts) -> bool:
        """Return True if both nights lie between shifts at the same hours."""
        pairs = (self.ended, other.ended), (self.begins, other.begins)
        return all(a is b if a is None or b is None else abs(a - b) <= SAME_HOUR for a, b in pairs)


def shifts_by_night(entries: Iterable[Occurrence], zones: ZoneHistory) -> Mapping[date, Shifts]:
    """Return date -> the shifts at work before and after the night that ends on it. Dates without shifts are absent."""
    found: dict[date, Shifts] = {}
    for one in (o for o in entries if o.end - o.start >= SHIFT and takes_time(o.event)):
        day, minute = clock(one.end + EVENING, zones)
        if minute < LATEST:
            found[day] = replace(found.get(day, Shifts()), ended=minute - EVENING / MINUTE)
        day, minute = clock(one.start, zones)
        if minute < NOON:
            found[day] = replace(found.get(day, Shifts()), begins=minute)
    return found


Nights = Sequence[tuple[Shifts, list[tuple[float, float]]]]  # of bedtime and waking, in minutes after midnight


def nights_between(slept: Mapping[date, Episode], shifts: Mapping[date, Shifts], zones: ZoneHistory) -> Nights:
    """Return the recorded nights by the shifts around them. Empty if these are few, or the bedtimes do not differ."""
    if len(slept.keys() & shifts.keys()) < SHARE * len(slept):
        return []
    found: list[tuple[Shifts, list[tuple[float, float]]]] = []
    for day, night in slept.items():
        own, begin = shifts.get(day, Shifts()), midnight(day, zones)
        if (like := next((of for one, of in found if one.like(own)), None)) is None:
            found.append((own, like := []))
        like.append(((night.start - begin) / MINUTE, (night.end - begin) / MINUTE))
    told = [(one, of) for one, of in found if len(of) >= NIGHTS_MIN and _middle([bed for bed, _ in of])[1] <= ALIKE]
    middles = [median([bed for bed, _ in of]) for _, of in told]
    return told if middles and max(middles) - min(middles) >= DIFFER else []


def between(usual: UsualNight, own: Shifts, nights: Nights) -> UsualNight:
    """Return a usual night as others between such shifts were, else as those without shifts, else as it is."""
    like = next((of for wanted in (own, Shifts()) for one, of in nights if one.like(wanted)), None)
    if like is None:
        return usual
    (bed, bed_sd), (wake, wake_sd) = (_middle([one[k] for one in like]) for k in (0, 1))
    return replace(usual, bed=bed, wake=wake, bed_sd=bed_sd, wake_sd=wake_sd, nights=float(len(like)))


def _middle(minutes: Sequence[float]) -> tuple[float, float]:
    middle = median(minutes)
    return middle, max(MAD_TO_SD * median([abs(minute - middle) for minute in minutes]), LEAST_SPREAD)
