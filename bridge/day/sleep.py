"""Estimate bedtime and wake time by weekday, pooled from published figures over the user to the weekday.

location(weekday) = published + user + kind of day + weekday. Each term is a weighted midmean of what is left by those
before it. A kind of day and a weekday shrink by k = within^2 / between^2 nights. Stretches of odd days are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum
from math import atan2, cos, pi, sin, sqrt
from operator import attrgetter

from bridge.calendar.busy import Labelled, Stretch, clipped, merged, takes_time
from bridge.calendar.flights import FROM_THE_AIRPORT, journey, same_clock
from bridge.day.typical import DAY, MAD_TO_SD, MINUTE, MINUTES_OF_DAY, WEEKEND, clock, median, midmean, ordinary, weight
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneHistory, zone_at
from bridge.domain.types import Episode, EpisodeKind, Label, Occurrence, Response
from bridge.meters.nights import Journeys, is_main
from bridge.meters.overlaps import ended_whole
from rhythm_env.interface import ActionType

# Bedtime and wake time in minutes after midnight of the date of waking: on workdays 23:02 to 06:41, on free days 23:25
# to 07:41: 9,004 adults in the US, NHANES 2017-2020 (Di et al. 2022, doi 10.1001/jamanetworkopen.2022.40788).
WORKDAY, FREE_DAY = (-58.0, 401.0), (-35.0, 461.0)
# On workdays 25.4 % of them went to bed at midnight or later: a normal distribution with that tail has this spread.
BETWEEN = 88.0
# Daily spread of the time in bed within a person, 1.31 hours (CARDIA, 669 adults, Knutson et al. 2007), is that of two
# clock times: 79 / sqrt(2) for each.
WITHIN = 56.0
# Spreads of a person's workdays and free days around the published ones, and of weekdays around these; our choice.
BETWEEN_KINDS, BETWEEN_WEEKDAYS = 60.0, 15.0
PRIOR_NIGHTS = 2.5  # own nights that the published figures are worth
PRIOR_SPREAD_NIGHTS = 6.0  # own nights that the published spread within a person is worth
ENOUGH_NIGHTS = (5.0, 10.0)  # between them the user's own differences of weekdays come to count
CLEAR = (2.0, 4.0)  # times what chance makes of groups alike, between which their own differences come to count
CLEAR_LEAST = 0.3
SETTLED_NIGHTS = 28  # own nights before a week's Monday, from which those of the week itself move no usual time in it
SHIFTS, LAST_NIGHTS = 150.0, 4  # spread of a weekday's bedtimes, from which only so many last nights tell the next
LEAST_SPREAD = 10.0  # minutes
HUBER = 1.345  # spreads beyond which a night pulls no harder; 95 % efficiency for normal errors (Huber 1981)
OF_MIDMEAN = 1.2  # variance of a midmean against that of a mean, for normal errors
MOST_SPREAD = MINUTES_OF_DAY / sqrt(12)  # of a time that may be any of the day
PLANNED = 0.25  # nights that a calendar entry is worth where no source records sleep
PLANNED_HOURS = (3, 14)  # length of an entry that can be a night
SHORTEST, LONGEST = 60.0, 960.0  # minutes of a usual night, as of a recorded night

TO_BED, TO_GET_UP = timedelta(minutes=45), timedelta(minutes=45)  # from a late entry to sleep; before an early entry
LATE_MAX = timedelta(hours=12)  # after bedtime, in which the end of an entry puts the sleep off
JET_LAG_MIN, PER_HOUR, EARLIER_MAX = timedelta(hours=3), 0.3, timedelta(minutes=85)  # of a day that is longer after a
# flight west: what matters; how much earlier bedtime is for each hour, so that one is not awake for 22; at most
LEAST_NIGHT, LEAST_SLEEP = timedelta(hours=1), timedelta(minutes=30)  # of a night; that is still worth suggesting
EARLIER_MOST = timedelta(minutes=90)  # how early a night is sought: still earlier, sleep comes hardest (Lavie 1986)
NO_TIME = timedelta(0)


class Rests(StrEnum):
    """The evidence on which a night's times rest."""

    SLEPT = "slept"  # this very night was recorded
    RECORDED = "recorded"
    LONG_AGO = "long_ago"  # the last nights that are known, where none is known lately
    CALENDAR = "calendar"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualNight:
    """The usual main sleep that ends on a weekday, in minutes after midnight of the date of waking.

    A bedtime before midnight is negative. ``bed_sd`` and ``wake_sd`` are the standard deviations with which the next
    such night is expected.
    """

    bed: float
    wake: float
    bed_sd: float
    wake_sd: float
    nights: float = 0.0
    rests: Rests = Rests.PUBLISHED


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """The main sleep that ends on a date, recorded or expected. ``bed_sd`` and ``wake_sd`` are in minutes.

    ``moved`` names what moved it: ``late_entry``, ``early_entry``, ``landing``, ``flight`` (sleep on board),
    ``flight_west``, ``short_night``, ``unwell``, ``after_entry`` (an entry delays an earlier bedtime), ``late_shift``,
    or ``varies`` (near last night's, for people whose nights begin at different hours).
    """

    bed: datetime
    wake: datetime
    bed_sd: float
    wake_sd: float
    rests: Rests
    moved: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Slept:
    """A main sleep that ended on ``day``, with bedtime and wake time in minutes after that date's midnight.

    ``weight`` is at most 1. It is less for an older night, and for a night that only the calendar shows.
    """

    day: date
    bed: float
    wake: float
    weight: float


_in_order = attrgetter("day", "bed", "wake", "weight")


def nights_and_odd(known: Snapshot) -> tuple[tuple[UsualNight, ...], frozenset[date]]:
    """Return the seven usual nights by weekday of waking from Monday on, and the dates that were left out as odd."""
    own = recorded(known)
    found = _that_tell(_around_the_clock(own or _planned(known)), known)
    kept = ordinary([one.day for one in found], [(one.bed, one.wake) for one in found])
    slept = [one for one, keep in zip(found, kept, strict=True) if keep]
    odd = frozenset(one.day for one, keep in zip(found, kept, strict=True) if not keep)
    published = [FREE_DAY if weekday in WEEKEND else WORKDAY for weekday in range(7)]
    bed = _usual(slept, lambda one: one.bed, [one[0] for one in published])
    wake = _usual(slept, lambda one: one.wake, [one[1] for one in published])
    count = sum(one.weight for one in slept)
    rests = Rests.PUBLISHED if count < 1 else Rests.RECORDED if own else Rests.CALENDAR
    return tuple(_night(*both, count, rests) for both in zip(bed, wake, strict=True)), odd


def _that_tell(slept: list[Slept], known: Snapshot) -> list[Slept]:
    """Return the nights to estimate the next from: before this week, or with shift work the last ones."""
    if _within([(one.day.weekday(), one.bed, one.weight) for one in slept]) >= SHIFTS:
        return slept[-LAST_NIGHTS:]
    today = clock(known.at, known.zones)[0]
    before = [one for one in slept if one.day <= today - today.weekday() * DAY]
    return before if len(before) >= SETTLED_NIGHTS else slept


def _night(bed: tuple[float, float], wake: tuple[float, float], count: float, rests: Rests) -> UsualNight:
    middle, length = (bed[0] + wake[0]) / 2, min(max(wake[0] - bed[0], SHORTEST), LONGEST)
    begin = float(round(middle - length / 2))
    return UsualNight(bed=begin, wake=begin + length, bed_sd=bed[1], wake_sd=wake[1], nights=count, rests=rests)


def recorded(known: Snapshot) -> list[Slept]:
    """Return the recorded main sleeps that have ended, one for each date, without those soon after a journey."""
    found: dict[date, tuple[tuple[bool, float], Episode]] = {}
    for _, one in ended_whole(known):
        asleep = one.values.get(Metric.ASLEEP, (one.end - one.start) / MINUTE)
        if one.kind is EpisodeKind.SLEEP and SHORTEST <= asleep <= LONGEST:
            rank = is_main(asleep / 60, one.end + _east(one, known)), asleep
            if one.day not in found or rank > found[one.day][0]:
                found[one.day] = rank, one
    journeys = Journeys({day: round(_east(one, known) / MINUTE) for day, (_, one) in found.items()})
    return sorted([_slept(one, known) for day, (_, one) in found.items() if not journeys.frozen(day)], key=_in_order)


def _east(night: Episode, known: Snapshot) -> timedelta:
    if night.offset is not None:
        return timedelta(minutes=night.offset)
    return _offset(night.end, zone_at(night.end, known.zones)) * MINUTE


def _slept(night: Episode, known: Snapshot) -> Slept:
    """Return a recorded night in minutes on the clock at waking. A change of the clock before it is undone."""
    day, wake = clock(night.end, known.zones, round(_east(night, known) / MINUTE))
    zone = zone_at(night.end, known.zones)
    changed = _offset(night.start, zone) - _offset(night.end, zone)
    bed = wake - (night.end - night.start) / MINUTE + changed
    return Slept(day=day, bed=bed, wake=wake, weight=weight(night.end, known.at))


def _offset(at: datetime, zone: tzinfo) -> float:
    return (at.astimezone(zone).utcoffset() or timedelta(0)) / MINUTE


def is_night(occurrence: Occurrence, label: Label) -> bool:
    """Return True if a calendar entry is a night's sleep: 3 to 14 hours labelled SLEEP, by the clock, not declined."""
    event, length = occurrence.event, occurrence.end - occurrence.start
    if label.action is not ActionType.SLEEP or event.all_day or event.cancelled:
        return False
    low, high = (timedelta(hours=hours) for hours in PLANNED_HOURS)
    return low <= length <= high and event.response is not Response.DECLINED


def _planned(known: Snapshot) -> list[Slept]:
    trust = {o.start: PLANNED * label.confidence for o, label in known.agenda if is_night(o, label)}
    found: dict[date, Slept] = {}
    for start, end in merged((o.start, o.end) for o, label in known.agenda if is_night(o, label)):
        if end <= known.at:
            day, wake = clock(end, known.zones)
            w = trust[start] * weight(end, known.at)
            found[day] = Slept(day=day, bed=wake - (end - start) / MINUTE, wake=wake, weight=w)
    return sorted(found.values(), key=_in_order)


def _around_the_clock(slept: Sequence[Slept]) -> list[Slept]:
    """Return the nights, with those moved to another date whose wake time is over twelve hours from the usual."""
    turns = [(one.weight, one.wake / MINUTES_OF_DAY * 2 * pi) for one in slept]
    east, north = (sum(w * turn(angle) for w, angle in turns) for turn in (sin, cos))
    usual = atan2(east, north) / (2 * pi) * MINUTES_OF_DAY % MINUTES_OF_DAY
    found = []
    for one in slept:
        days = round((usual - one.wake) / MINUTES_OF_DAY)
        bed, wake = (at + days * MINUTES_OF_DAY for at in (one.bed, one.wake))
        found.append(replace(one, day=one.day - days * DAY, bed=bed, wake=wake) if days else one)
    return sorted(found, key=_in_order)


Residual = tuple[int, float, float]  # weekday, minutes, weight


def _usual(
    slept: Sequence[Slept], figure: Callable[[Slept], float], published: Sequence[float]
) -> list[tuple[float, float]]:
    """Return (minutes, standard deviation of the next night) for each weekday from Monday."""
    left = [(one.day.weekday(), figure(one) - published[one.day.weekday()], one.weight) for one in slept]
    spread = _within(left)
    count = sum(w for _, _, w in left)
    middle = midmean([r for _, r, _ in left], [w for _, _, w in left])
    user = _pooled(middle, count, PRIOR_NIGHTS, spread)
    conflict = user - middle  # until the published figures give way
    left = [(d, r - user, w) for d, r, w in left]
    kinds, _ = _level(left, lambda d: d in WEEKEND, BETWEEN_KINDS, spread)
    left = [(d, r - kinds.get(d in WEEKEND, 0.0), w) for d, r, w in left]
    days, shrinkage = _level(left, lambda d: d, 0.0, spread)
    of_user = BETWEEN**2 / (1 + count * BETWEEN**2 / spread**2) + conflict**2
    found: list[tuple[float, float]] = []
    for d in range(7):
        own = sum(w for other, _, w in left if other == d)
        variance = spread**2 * (1 + 1 / (own + shrinkage)) + of_user
        location = published[d] + user + kinds.get(d in WEEKEND, 0.0) + days.get(d, 0.0)
        found.append((location, min(sqrt(variance), MOST_SPREAD)))
    return found


def _within(left: Sequence[Residual]) -> float:
    own: list[float] = []
    weights: list[float] = []
    for values, of in _groups(left, lambda d: d).values():
        if len(values) > 1:
            middle = median(values, of)
            own += [abs(r - middle) for r in values]
            weights += of
    deviation = MAD_TO_SD * median(own, weights)
    variance = (len(own) * deviation**2 + PRIOR_SPREAD_NIGHTS * WITHIN**2) / (len(own) + PRIOR_SPREAD_NIGHTS)
    return max(sqrt(variance), LEAST_SPREAD)


def _level(
    left: Sequence[Residual], key: Callable[[int], Hashable], between: float, spread: float
) -> tuple[Mapping[Hashable, float], float]:
    count = sum(w for _, _, w in left)
    groups = {name: (midmean(*of), sum(of[1])) for name, of in _groups(left, key).items()}
    variance = OF_MIDMEAN * spread**2
    squares = sum(w * middle**2 for middle, w in groups.values())
    times = squares / (variance * max(len(groups) - 1, 1))
    clear = min(max((times - CLEAR[0]) / (CLEAR[1] - CLEAR[0]), 0.0), 1.0)
    excess = clear * max(squares - len(groups) * variance, 0.0) / count if count else 0.0
    low, high = ENOUGH_NIGHTS
    trust = min(max((count - low) / (high - low), 0.0), 1.0)
    shrinkage = variance / ((max(clear, CLEAR_LEAST) * BETWEEN_WEEKDAYS) ** 2 + trust * (between**2 + excess))
    return {name: _pooled(*of, shrinkage, spread) for name, of in groups.items()}, shrinkage


def _pooled(middle: float, own: float, prior: float, spread: float) -> float:
    side = -1.0 if middle < 0 else 1.0
    if own < prior:
        return side * min(abs(middle) * own / (own + prior), HUBER * spread * own / prior)
    return middle - side * min(abs(middle) * prior / (own + prior), HUBER * spread * prior / own) if own else 0.0


def _groups(
    left: Sequence[Residual], key: Callable[[int], Hashable]
) -> dict[Hashable, tuple[list[float], list[float]]]:
    found: dict[Hashable, tuple[list[float], list[float]]] = {}
    for weekday, residual, w in left:
        values, weights = found.setdefault(key(weekday), ([], []))
        values.append(residual)
        weights.append(w)
    return found


def fitted(
    usual: Stretch,
    appointments: Sequence[Stretch],
    planned: Sequence[Stretch],
    flights: Sequence[Occurrence],
    zones: ZoneHistory,
) -> tuple[Stretch, str | None]:
    """Return the ``usual`` sleep fitted into a date's calendar, and what moved it.

    An appointment moves the end that is near it. A sleep delayed by over a quarter of its length keeps its length.
    Sleep in the calendar (``planned``) may begin the night earlier, never later. If less than an hour is left, the
    longest free time up to 12 hours after waking is taken, else the usual.
    """
    bed, wake = usual
    length, middle = wake - bed, bed + (wake - bed) / 2
    over = next((o for o in flights if o.start < middle < o.end), None)
    if over is not None:
        return (over.start, over.end), "flight"
    west = _west(bed, zones)
    moved = "flight_west" if west else None
    early_plan = [start for start, end in planned if start < middle < end and bed - DAY / 12 <= start < bed]
    bed = min([bed - west, *early_plan])
    landed = [o.end + FROM_THE_AIRPORT for o in flights if o.start < middle and o.end > bed - FROM_THE_AIRPORT]
    fills = _filling((bed, wake), appointments, zones)
    bed = min([bed, *(max(bed - EARLIER_MOST, start - TO_GET_UP - length) for start in fills)])
    met = [(start, end) for start, end in appointments if start < middle and start not in fills]
    ended = [end + TO_BED for _, end in met if bed - TO_BED < end]
    late = [end for end in (*ended, *landed) if bed < end < bed + LATE_MAX + TO_BED]
    if late:
        moved = "landing" if max(late) in landed else "late_entry"
        bed = _after(max(late), appointments)
        wake = max(wake, bed + length) if bed - middle > -length / 4 else wake
    begin = [*(start for start, _ in appointments), *(journey(o)[0] for o in flights)]
    early = [*fills, *(start for start in begin if max(bed, middle) < start < wake + TO_GET_UP)]
    bed, wake = rounded(bed), rounded(wake)
    if early and min(early) - TO_GET_UP < wake:
        wake = max(min(early) - TO_GET_UP, bed)
        moved = moved or "early_entry"
    if wake - bed < LEAST_NIGHT:
        bed, wake = _elsewhere(usual, appointments)
    return (bed, wake), moved


def _filling(usual: Stretch, appointments: Sequence[Stretch], zones: ZoneHistory) -> list[datetime]:
    """Return the begin of an early appointment that takes a night's middle, if there is more room before it."""
    (bed, wake), (day, _) = usual, clock(usual[1], zones)
    early = [appointment for appointment in appointments if appointment[0] < bed + (wake - bed) / 2 < appointment[1]]
    early = [one for one in early if clock(one[0], zones)[0] == day and one[0] - TO_GET_UP >= bed]
    return [a for a, b in early if wake - a + TO_GET_UP < b + TO_BED - bed]


def _after(bed: datetime, appointments: Sequence[Stretch]) -> datetime:
    """Return a bedtime put off while an appointment has begun before it. They are ascending."""
    for start, end in appointments:
        bed = end + TO_BED if start < bed < end + TO_BED else bed
    return bed


def _elsewhere(usual: Stretch, appointments: Sequence[Stretch]) -> Stretch:
    low, high = usual[0], usual[1] + DAY / 2
    taken = clipped(merged((a - TO_GET_UP, b + TO_BED) for a, b in appointments), low, high)
    edges = [low, *(edge for one in taken for edge in one), high]
    gaps = [(a, min(b, a + (usual[1] - usual[0]))) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    bed, wake = max(gaps, key=lambda gap: gap[1] - gap[0])
    return (rounded(bed), rounded(wake)) if wake - bed >= LEAST_NIGHT else (rounded(usual[0]), rounded(usual[1]))


def attended_around(usual: Stretch, entries: Labelled, zones: ZoneHistory) -> list[Stretch]:
    """Return the busy stretches around a night. A traveller's entries at home during the night are left out."""
    bed, wake = usual
    kept = [
        o
        for o, label in entries
        if takes_time(o.event)
        and label.action is not ActionType.SLEEP
        and not (len(zones) > 1 and bed <= o.start and o.end <= wake and other_zone(o, zones))
    ]
    return merged((o.start, o.end) for o in kept)


def other_zone(occurrence: Occurrence, zones: ZoneHistory) -> str | None:
    """Return the zone in which an entry is entered, if its clock differs from that of the person then."""
    zone, here = occurrence.event.zone, zone_at(occurrence.start, zones).key
    return zone if zone is not None and "/" in zone and not same_clock(occurrence.start, zone, here) else None


def _west(bed: datetime, zones: ZoneHistory) -> timedelta:
    """Return how much earlier a night begins because of a westward journey on the day before."""
    before, after = (bed.astimezone(zone_at(at, zones)).utcoffset() for at in (bed - DAY, bed))
    back = (before or NO_TIME) - (after or NO_TIME)
    return min(back * PER_HOUR, EARLIER_MAX) if back >= JET_LAG_MIN else NO_TIME


def rounded(at: datetime) -> datetime:
    """Return an instant rounded to the nearest five minutes, because an expected time is no more exact."""
    return at - timedelta(minutes=(at.minute + 2) % 5 - 2, seconds=at.second, microseconds=at.microsecond)


def begun(bed: datetime, wake: datetime, now: datetime) -> datetime:
    """Return a bedtime to show: ``now`` if the bedtime is past and the first half of the night is not over."""
    return max(bed, rounded_up(now)) if now < bed + (wake - bed) / 2 else bed


def rounded_up(at: datetime) -> datetime:
    """Return an instant rounded up to full five minutes."""
    over = timedelta(minutes=at.minute % 5, seconds=at.second, microseconds=at.microsecond)
    return at + (timedelta(minutes=5) - over if over else over)
