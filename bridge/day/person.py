"""The person now: body, mode, place, sleep, work and routine, estimated from one snapshot of data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from bridge.calendar.busy import Stretch, clipped, length, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import is_journey, journey
from bridge.calendar.kinds import is_stay
from bridge.day.body import ILLNESS, ModeKind
from bridge.day.known import HOME_DAYS, LONG_SPORT, PREPARES, Known, kept
from bridge.day.routine import ending_on, not_against, wished_sleep
from bridge.day.shifts import SHIFT, Nights, Shifts, between, nights_between, shifts_by_night
from bridge.day.sleep import (
    EARLIER_MOST,
    LEAST_NIGHT,
    TO_BED,
    TO_GET_UP,
    Night,
    Rests,
    UsualNight,
    attended_around,
    fitted,
    is_night,
    rounded,
    rounded_up,
)
from bridge.day.typical import DAY, MINUTE, clock, instant, midmean
from bridge.day.work import OFFICE
from bridge.domain.slots import ZoneHistory, local_time, zone_at
from bridge.domain.types import EpisodeKind, Occurrence
from bridge.domain.wish_terms import night_on
from bridge.domain.wishes import NightWish
from bridge.meters.past import past_of
from rhythm_env.interface import ActionType

NONE = timedelta(0)
PERIOD = timedelta(hours=12)  # an entry so long clashes with nothing
LOST_LEAST, CLEARLY_SHORT = 30 * MINUTE, 60 * MINUTE  # of missing sleep: for which a night begins earlier; beyond that
TURNED, TAKEN = 240 * MINUTE, 60 * MINUTE  # of a wished bedtime from the usual; of that night, by entries
TIRED_BELOW = 300 * MINUTE  # a night so short is hardly any
AWAKE_LEAST = 480 * MINUTE  # between getting up and a bedtime that is earlier than usual; our choice
EARLIER_LEAST, EVENING_BED = 15 * MINUTE, 21 * 60.0  # what is earlier than usual; minutes after midnight of the evening
OWED_LEAST = 15  # minutes that are worth an earlier night
NEED_MOST = 540 * MINUTE
UP_LATE, MOST = 15 * MINUTE, 0.5  # before an entry, from which waking is late for it; share of it slept through
PAID_BACK = 60 * MINUTE  # of a debt, before an early entry
AFTER_OVERSLEPT = 18 * MINUTE  # how much earlier a night begins before what was slept through the last time
ILL_EARLIER, STRAINED_EARLIER = 60 * MINUTE, 30 * MINUTE  # how much earlier a night begins for signs of illness
SHORT_LEAST, ENOUGH = 45 * MINUTE, 7 * 60 * MINUTE  # missing of a short night; a length that is none
DAY_SLEEP = 12  # hour of the day, from which a sleep that ends was by day and moves no bedtime
BY_DAY = range(5, 18)  # hours of the day in which a sleep by day begins
VARIES, NEAR_LAST = 75.0, 55 * MINUTE  # minutes of spread of bedtimes that differ; then tonight's from last night's
SHIFT_END = 4 * 60 * MINUTE  # before bedtime, where the end of a shift moves sleep
SAME_HOUR, SHIFTS_MIN = 30, 3  # minutes between ends of the same shift; nights that show what follows it
SLEEP_NIGHTS_MIN, SLEEP_NIGHTS_MAX = 5, 42  # own nights that a usual length of sleep needs, and that it counts
DAY_WORK = (270.0, 720.0)  # minutes after midnight in which a day of work begins, unless it is a shift
RAMPS = (90.0, 180.0)  # minutes from either end, in which it may be a shift
PRIVATE_ACTIONS = frozenset({ActionType.FAMILY_TIME, ActionType.EXERCISE, ActionType.LEARN, ActionType.ME_TIME})


@dataclass(frozen=True, kw_only=True)
class Person(Known):
    """A person at ``now``, with what is known and what it says of their nights, work and place."""

    def local_in_night(self, ends: date, at: datetime) -> datetime:
        """Return an instant of the night that ends on a date on the clock of the place where the person sleeps."""
        return local_time(at, self._zones_of_night(ends))

    @kept
    def night(self, day: date) -> Night:
        """Return the main sleep that ends on a date: as recorded, else the usual one fitted into the calendar.

        It begins after the sleep before it has ended, and lasts an hour at least.
        """
        before, night = self._night(day - DAY), self._night(day)
        if night.bed >= before.wake or night.rests is Rests.SLEPT:
            return night
        return replace(night, bed=before.wake, wake=max(night.wake, before.wake + LEAST_NIGHT))

    @kept
    def _night(self, day: date) -> Night:
        slept = self.slept(day)
        if slept is not None:
            return Night(bed=slept.start, wake=slept.end, bed_sd=0.0, wake_sd=0.0, rests=Rests.SLEPT)
        usual, stretch = self.usual_night(day), self.usual_sleep(day)
        shifted = None if self._between else self.after_shift(stretch[0])
        stretch = shifted or stretch
        appointments = self.attended
        if len(self.zones) > 1:
            kept = [entry for entry in self.entries if entry[0].key not in self.left_out]
            appointments = attended_around(stretch, kept, self.zones)
        long = {o.key for o in self.races if o.end - o.start >= LONG_SPORT} | {o.key for o in self.exams}
        ready = ((o.start - PREPARES * (o.key in long), o.end) for o in (*self.races, *self.exams))
        appointments = merged([*appointments, *ready, *((journey(o)[0], o.end) for o in self.trips)])
        known = usual.rests is Rests.RECORDED
        planned = [] if known else [(o.start, o.end) for o, label in self.entries if is_night(o, label)]
        (bed, wake), moved = fitted(stretch, appointments, planned, self.flights, self._zones_of_night(day))
        wish, zones = self.night_wish(day), self._zones_of_night(day)
        (bed, _), moved = not_against((bed, wake), moved, wish, day, zones)  # who is in bed in time gets up in time
        if moved == "late_entry" and not self.work(day):
            wake = max(wake, rounded(min(bed + (stretch[1] - stretch[0]), _up_by(wake, appointments))))
        asked = self._asked(day, max(stretch[1] - wake, NONE) if moved == "early_entry" else NONE)
        ended = max((end for _, end in appointments if end <= bed), default=bed - DAY) + TO_BED
        if asked and moved in (None, "early_entry"):
            wanted = self._bed_asked(day, stretch[0], wake, asked)
            by = max(wanted, ended)
            if stretch[0] - by >= EARLIER_LEAST:
                bed, moved = min(bed, rounded(by)), max(asked, key=lambda one: (one == "early_entry", asked[one]))
                moved = "after_entry" if moved != "early_entry" and ended > wanted else moved
        elif shifted is not None or self.like_shifts(day).ended is not None:
            if moved is None and self.local(bed).hour not in BY_DAY:
                wake = max(wake, rounded(min(bed + self.need(day), _up_by(wake, appointments))))
            moved = moved or "late_shift"
        elif moved is None and usual.rests is Rests.RECORDED and usual.bed_sd > VARIES:
            near = self._near_last(day, bed, wake)
            if near is not None and ended <= near[0]:
                (bed, wake), moved = near, "varies"
        (bed, wake), moved = not_against((bed, wake), moved, wish, day, zones)
        return Night(bed=bed, wake=wake, bed_sd=usual.bed_sd, wake_sd=usual.wake_sd, rests=usual.rests, moved=moved)

    @kept
    def slept_over(self, day: date) -> list[Occurrence]:
        """Return the person's timed, busy entries over which the night that ends on a date is planned."""
        night = self.night(day)
        mine = ((o, label) for o, label in self.entries if takes_time(o.event) and o.key not in self.left_out)
        found = [o for o, label in mine if label.action is not ActionType.SLEEP and not is_journey(o)]
        ahead = [o for o in found if o.start < night.wake and o.end > max(night.bed, self.now)]
        return [] if night.rests is Rests.SLEPT else [o for o in ahead if o.end - o.start < PERIOD]

    def _bed_asked(self, day: date, usual: datetime, wake: datetime, asked: Mapping[str, timedelta]) -> datetime:
        """Return the bedtime for the need of sleep and the reasons ``asked``, never before ``earliest_bed``."""
        last, overslept = self.last_bed(day), self.overslept(day) is not None
        more = max(self.asked(day).values(), default=AFTER_OVERSLEPT if overslept else NONE)
        more = min(more, PAID_BACK) if "early_entry" in asked else more
        by = max(usual - max(asked.values()), wake - self.need(day) - more)
        if asked.keys() != {"early_entry"} or overslept:
            by = min(by, wake - self.need(day), by if last is None else rounded(last - 2 * MINUTE))
        return max(by, self.earliest_bed(day))

    def slept_by_day(self, day: date) -> bool:
        """Return True if the main sleep that ended on a date began by day."""
        slept = self.slept(day)
        return slept is not None and self.local(slept.start).hour in BY_DAY

    def last_bed(self, day: date) -> datetime | None:
        """Return the bedtime of the night before, moved to the night that ends on a date, or None without one."""
        slept = self.slept(day - DAY)
        if slept is None or self.slept_by_day(day - DAY):
            return None
        then = local_time(slept.start, self._zones_of_night(day))
        return slept.start + DAY if then.utcoffset() == self.local(slept.start).utcoffset() else None

    def _near_last(self, day: date, bed: datetime, wake: datetime) -> Stretch | None:
        last, wish = self.last_bed(day), self.night_wish(day)
        if last is None or abs(last - bed) < CLEARLY_SHORT or wish != NightWish():
            return None
        if last < bed:
            near = rounded(min(last + NEAR_LAST, max(wake - self.need(day), last - NEAR_LAST)))
            return max(near, rounded_up(self.usual_sleep(day)[0] - EARLIER_MOST)), wake
        bed, length = rounded(last - NEAR_LAST), wake - bed
        late = rounded(min(bed + length, _up_by(wake, self.attended)))
        return None if self.work(day) or late - bed < self.need(day) else (bed, late)

    def _asked(self, day: date, lost: timedelta) -> dict[str, timedelta]:
        """Return reason -> how much earlier the night ending on a date should begin. ``lost`` is missing sleep."""
        bed, wake = self.usual_sleep(day)
        gap = max(self.need(day) - (wake - bed), NONE)
        asked = {"short_night": self._owed(day - DAY), "unwell": self._unwell(day - DAY)}
        found = {why: one + lost for why, one in asked.items() if one}
        grown = 2 * lost - LOST_LEAST  # so that a few minutes move little
        if self.overslept(day) is not None:
            grown = max(grown, lost + AFTER_OVERSLEPT)
            gap = max(gap, AFTER_OVERSLEPT)
        return found | ({"early_entry": min(grown, lost + gap)} if grown > NONE else {})

    @kept
    def overslept(self, day: date) -> Occurrence | None:
        """Return the first entry of a date, before noon, if an entry like it was lately slept through, or nearly so."""
        begin, noon = midnight(day, self.zones), instant(day, 12 * 60.0, self.zones)
        mine = (o for o, label in self.entries if takes_time(o.event) and label.action is not ActionType.SLEEP)
        ahead = (o for o in mine if o.start > self.now and o.key not in self.left_out)
        first = next((o for o in ahead if begin <= o.start < noon), None)
        return first if first is not None and self.late_for(first) is not None else None

    def late_for(self, entry: Occurrence) -> tuple[Occurrence, bool] | None:
        """Return the last entry like this one for which the person got up late, and if most of it was slept through."""
        nights = [e for e in self.recorded if e.kind is EpisodeKind.SLEEP]
        late = ((one, e) for one in self._like(entry) for e in nights if e.start < one.start < e.end + UP_LATE)
        return next(((one, e.end - one.start > MOST * (one.end - one.start)) for one, e in late), None)

    def _like(self, entry: Occurrence) -> list[Occurrence]:
        """Return the last entry with the same title, and the entries at the same time on the day before."""
        name, eve = entry.event.title, self.local(entry.start - DAY).replace(tzinfo=None)
        past = [o for o, _ in self.entries if o.start < self.now and takes_time(o.event)]
        named = [o for o, _ in self.entries if name and o.event.title == name and o.start < self.now]
        return [*named[-1:], *(o for o in past if self.local(o.start).replace(tzinfo=None) == eve)]

    def asked(self, day: date) -> dict[str, timedelta]:
        """Return reason -> how much earlier the night that ends on a date should begin, without early entries."""
        return {why: one for why, one in self._asked(day, NONE).items() if why != "early_entry"}

    def earliest_bed(self, day: date) -> datetime:
        """Return the earliest bedtime of the night that ends on a date: 21:00, or the usual one if that is earlier.

        It is at most 90 minutes before the usual one, and eight hours after getting up late.
        """
        usual, slept = self.usual_sleep(day)[0], self.slept(day - DAY)
        evening = instant(day - DAY, EVENING_BED, self._zones_of_night(day))
        awake = evening if slept is None else max(evening, rounded_up(slept.end + AWAKE_LEAST))
        return max(rounded_up(usual - EARLIER_MOST), min(usual, awake))

    @kept
    def night_wish(self, day: date) -> NightWish:
        """Return the wish for the night that ends on a date, or None if entries fill it but not the usual night."""
        wish, zones = night_on(self.wishes, day), self._zones_of_night(day)
        usual = self.learnt_sleep(day)
        night = wished_sleep(usual, wish, day, zones)
        if abs(night[0] - usual[0]) < TURNED:
            return wish
        taken, before = (length(clipped(self.attended, *one)) for one in (night, usual))
        return NightWish(minutes=wish.minutes) if taken - before >= TAKEN else wish

    def usual_sleep(self, day: date) -> Stretch:
        """Return (bedtime, wake time) of the usual sleep that ends on a date, or as the person wishes it."""
        return wished_sleep(self.learnt_sleep(day), self.night_wish(day), day, self._zones_of_night(day))

    def learnt_sleep(self, day: date) -> Stretch:
        """Return (bedtime, wake time) of the usual sleep that ends on a date, whatever the person wishes."""
        return ending_on(day, self.usual_night(day), self._zones_of_night(day))

    @kept
    def usual_night(self, day: date) -> UsualNight:
        """Return the usual night of the weekday, or that between shifts like those around the night of a date."""
        usual = self.routine.nights[day.weekday()]
        return between(usual, self.shifts.get(day, Shifts()), self._between) if self._between else usual

    def like_shifts(self, day: date) -> Shifts:
        """Return the shifts around the night that ends on a date, if other nights between such shifts are known."""
        own = self.shifts.get(day, Shifts())
        return own if any(one.like(own) for one, _ in self._between) else Shifts()

    @cached_property
    def shifts(self) -> Mapping[date, Shifts]:
        """The shifts around each night, by the date on which it ends."""
        entries = (o for o, label in (*self.known.agenda, *self.farther) if label.action is not ActionType.SLEEP)
        return shifts_by_night(entries, self.zones)

    @cached_property
    def _between(self) -> Nights:
        nights = sorted((e for e in self.recorded if e.kind is EpisodeKind.SLEEP), key=lambda e: e.end - e.start)
        return nights_between({e.day: e for e in nights}, self.shifts, self.zones)

    @kept
    def _zones_of_night(self, day: date) -> ZoneHistory:
        """Return the zones for the sleep that ends on a date: after a move without a flight, only the new ones.

        A night that is over by the new clock stays on the old one, unless the move left out its time of waking.
        """
        since = self.arrived or self.now
        ahead = [span for span in self.zones if span.since >= since] if self.arrived else self.zones
        woke, there = (self.routine.sleep_ending_on(day, zones)[1] for zones in (self.zones, ahead))
        return self.zones if self.flew(since) or (there <= self.now and woke != self.arrived) else ahead

    def after_shift(self, bed: datetime) -> Stretch | None:
        """Return the usual night after a shift like the one before this night, or None with too few nights."""
        shifts = [o for o, _ in self.known.agenda if o.end - o.start >= SHIFT and takes_time(o.event)]
        last = next((o for o in reversed(shifts) if bed - SHIFT_END <= o.end <= bed + TO_BED), None)
        if last is None:
            return None
        nights = [e for e in self.recorded if e.kind is EpisodeKind.SLEEP]
        minutes = {o.end: self.local(o.end).hour * 60 + self.local(o.end).minute for o in shifts}
        ends = [end for end in minutes if end < self.now and abs(minutes[end] - minutes[last.end]) <= SAME_HOUR]
        found = [(n.start - end, n.end - end) for end in ends for n in nights if end <= n.start <= end + SHIFT]
        if len(found) < SHIFTS_MIN:
            return None
        low, high = (last.end + sorted(one[k] for one in found)[len(found) // 2] for k in (0, 1))
        return max(rounded(low), rounded_up(bed - EARLIER_MOST)), rounded(high)

    def sleep(self, day: date) -> Stretch:
        """Return (bedtime, wake time) of the main sleep that ends on a date."""
        night = self.night(day)
        return night.bed, night.wake

    def need(self, day: date) -> timedelta:
        """Return the time in bed that the person wishes or needs in the night that ends on a date: 7 to 9 hours."""
        if (wished := self.night_wish(day).minutes) is not None:
            return wished * MINUTE
        bed, wake = self.routine.sleep_ending_on(day, self._zones_of_night(day))
        return min(max(wake - bed, ENOUGH), NEED_MOST)

    @kept
    def needed(self, day: date) -> timedelta:
        """Return what is told as the need of the night that ends on a date: no less than last night is said to need."""
        if self.night_wish(day).minutes is not None or self.last_night is None:
            return self.need(day)
        past, last = past_of(self.known), self.last_night
        series = past.nights.told.get(last, "")
        known = last in past.needs.get(series, {})
        return max(self.need(day), timedelta(hours=past.told_need(series, last)) if known else NONE)

    def _unwell(self, day: date) -> timedelta:
        """Return how much earlier the night should begin because of illness, or signs of illness in the last night."""
        today = self.date_of(self.now)
        if day not in (today, today if self.slept(today) else today - DAY) or not self.body.tells_of(day):
            return NONE
        ill = any(fact.kind in (*ILLNESS, "said_ill") for fact in self.body.facts)
        return ILL_EARLIER if ill else STRAINED_EARLIER  # not by Vitality, which varies over the day

    def _owed(self, day: date) -> timedelta:
        """Return how much earlier the night after a short night should begin, which is half of the missing sleep."""
        slept, short = self.slept(day), self._short(day) or NONE
        if slept is None or short < SHORT_LEAST or self.local(slept.end).hour >= DAY_SLEEP:
            return NONE
        bed, wake = self.usual_sleep(day + DAY)
        lacked, gap = self.need(day) - (slept.end - slept.start), self.need(day + DAY) - (wake - bed)
        grown = min((short - LOST_LEAST) / CLEARLY_SHORT, 1.0)
        owed = 5 * round(grown * max(lacked / 2 + max(gap, NONE), NONE) / MINUTE / 5)
        return max(owed, OWED_LEAST) * MINUTE

    @property
    def short_of_sleep(self) -> timedelta | None:
        """The time by which last night was shorter than usual. None if it was not shorter, or if it is not recorded.

        Usual is the midmean of the last 42 recorded, ordinary nights before it. None too with fewer than five of them.
        """
        return self._short(self.date_of(self.now))

    @kept
    def _short(self, day: date) -> timedelta | None:
        nights = {n.day: n for n in self.recorded if n.kind is EpisodeKind.SLEEP}
        last = nights.get(day)
        usual = nights.keys() - self.routine.odd
        before = sorted(day for day in usual if last is not None and day < last.day)[-SLEEP_NIGHTS_MAX:]
        if last is None or len(before) < SLEEP_NIGHTS_MIN:
            return None
        lengths = [(nights[day].end - nights[day].start) / MINUTE for day in before]
        short = timedelta(minutes=midmean(lengths)) - (last.end - last.start)
        return short if short > timedelta(0) and last.end - last.start < ENOUGH else None

    @kept
    def work(self, day: date) -> list[Stretch]:
        """Return the working hours of a date as stretches. The list is empty on a free day.

        A calendar shows only a part of the work, so work that begins at a usual hour is taken as a full day.
        """
        spans = [] if self.free_day(day) else self.routine.work_on(day, self.zones)
        if not spans:
            return []
        low, high = spans[0][0], max(end for _, end in spans)
        since = clock(low, self.zones)[1]
        early, late = (min(abs(since - edge) / ramp, 1.0) for edge, ramp in zip(DAY_WORK, RAMPS, strict=True))
        if not DAY_WORK[0] < since < DAY_WORK[1]:
            return spans
        begin = low - timedelta(minutes=late * max(since - OFFICE[0], 0.0))
        whole = min(since, OFFICE[0]) + OFFICE[1] - OFFICE[0] - since  # minutes from low to the end of eight hours
        end = high + early * late * max(low + timedelta(minutes=whole) - high, timedelta(0))
        private = [o.start for o, label in self.entries if label.action in PRIVATE_ACTIONS and high <= o.start < end]
        return [(rounded(begin), rounded(min([end, *private])))]

    @kept
    def away(self, day: date) -> bool:
        """Return True if the zone is new since two weeks, the person says so, or an all-day entry is a stay."""
        wake, bed = self.night(day).wake, self.night(day + DAY).bed
        other = zone_at(wake - HOME_DAYS, self.zones) != zone_at(bed, self.zones)
        return other or self.mode.on(day) is ModeKind.AWAY or any(is_stay(o) for o, _ in self.all_day(day))


def _up_by(wake: datetime, entries: Sequence[Stretch]) -> datetime:
    """Return the latest time of getting up for the first entry after a waking time."""
    return min((start for start, _ in entries if start >= wake), default=wake + DAY) - TO_GET_UP
