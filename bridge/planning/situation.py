"""Gather what a suggestion has to fit: calendar, routine, wishes, recent recommendations, and last night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from bridge.calendar.busy import Stretch, clipped, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import same_clock
from bridge.domain.records import AdviceRecord, Snapshot
from bridge.domain.slots import ZoneHistory, moment_at, zone_at
from bridge.domain.types import Episode, EpisodeKind, Label, Occurrence
from bridge.domain.wishes import Wishes
from bridge.meters.overlaps import once
from bridge.planning.free_days import is_free_day
from bridge.planning.journeys import FROM_THE_AIRPORT, TO_THE_AIRPORT, is_journey, journey
from bridge.planning.published import OFFICE
from bridge.planning.routine import Routine
from rhythm_env.interface import ActionType, Answer

BESIDE = timedelta(minutes=5)  # kept free before and after an entry
WAY_HOME = timedelta(minutes=15)  # from an entry to the time to wind down
TO_BED = timedelta(minutes=45)  # from the end of an entry to sleep
OUTING = timedelta(minutes=30)  # an entry outside of work that is so long may be away from home
LONG, BREATH = timedelta(minutes=45), timedelta(minutes=10)  # of an entry; and kept free after it
TRAVEL = timedelta(minutes=30)  # kept free before and after an entry at a place
WAY = timedelta(minutes=15)  # kept free before an entry that may be away from home
NEAR = timedelta(days=8)  # calendar entries and advice farther away do not matter for a day
NAP_SHORT = timedelta(hours=1)  # a night so much shorter than usual calls for a nap
SLEEP_NIGHTS_MIN, SLEEP_NIGHTS_MAX = 5, 42  # own nights that a usual length of sleep needs, and that it counts
DAY_WORK = (6, 12)  # hours of the clock in which a day of work begins, unless it is a shift
PRIVATE_ACTIONS = frozenset({ActionType.FAMILY_TIME, ActionType.EXERCISE, ActionType.LEARN, ActionType.ME_TIME})
LATE_MAX = timedelta(hours=12)  # after bedtime, in which the end of an entry puts the sleep off
TO_GET_UP = timedelta(minutes=45)  # before an early entry
DAY, NO_TIME = timedelta(days=1), timedelta(0)
JET_LAG_MIN, EARLIER_MAX = timedelta(hours=3), timedelta(hours=1)  # time difference that matters; shift of bedtime
ADVICE_KIND = "advice:"  # prefix of the kind of calendar entries that were written for accepted advice

Entry = tuple[Occurrence, Label]


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An action at a time. ``kind`` is ``suggested``, ``keep`` (an entry of the calendar) or ``sleep``.

    ``what`` names the calendar entry, or the user's usual activity. It is None for a private entry, or if no name is
    known. ``until`` is None for what is not placed in a free gap.
    """

    action: ActionType
    kind: str
    start: datetime
    end: datetime
    what: str | None = None
    usual: bool = False  # at the hour at which the user usually does it
    until: datetime | None = None  # end of the free gap


@dataclass(frozen=True, kw_only=True)
class Situation:
    """The facts about a user that a suggestion has to fit at ``now``.

    ``advised`` holds the recommendations of the last eight days that were not superseded, ascending. ``task_actions``
    maps the key of an open task to the action that works on it. ``places`` maps the key of a task to the stretch at
    which a plan has shown it.
    """

    known: Snapshot
    now: datetime
    routine: Routine
    wishes: Wishes = field(default_factory=Wishes)
    advised: Sequence[AdviceRecord] = ()
    task_actions: Mapping[str, ActionType] = field(default_factory=dict)
    places: Mapping[str, Stretch] = field(default_factory=dict)
    # Suggestions of the plan so far, and of the plans of the days before.
    previewed: Sequence[tuple[ActionType | None, datetime, datetime]] = ()
    titles: Sequence[str] = ()  # what these suggestions are about
    _work: dict[date, list[Stretch]] = field(default_factory=dict, compare=False, repr=False)  # by date, once read

    @cached_property
    def entries(self) -> list[Entry]:
        """Calendar entries within eight days of now, ascending, as pairs of occurrence and label.

        Entries that the bridge wrote into the calendar for its own advice are left out.
        """
        low, high = self.now - NEAR, self.now + NEAR
        near = (entry for entry in self.known.agenda if entry[0].end > low and entry[0].start < high)
        return sorted((e for e in near if not e[0].event.kind.startswith(ADVICE_KIND)), key=lambda e: e[0].start)

    @cached_property
    def busy(self) -> list[Stretch]:
        """Stretches of time in which nothing can be suggested, merged and ascending.

        They are entries with travel or a pause around them, agreed suggestions, and suggestions of the plan so far.
        """
        taken = [
            (o.start - max(margin(o), WAY if self._is_outing(o) else BESIDE), o.end + self._after(o, label))
            for o, label in self.entries
            if takes_time(o.event)
        ]
        return merged([*taken, *self.promised, *((low, high) for _, low, high in self.previewed)])

    def _after(self, occurrence: Occurrence, label: Label) -> timedelta:
        """Return the time kept free after a calendar entry, which is at least its ``margin``.

        It is 30 minutes after an outing or a class, and ten after another entry of 45 minutes or more.
        """
        long = occurrence.end - occurrence.start >= LONG
        leaves = self._is_outing(occurrence) or (long and label.action is ActionType.LEARN)
        return max(margin(occurrence), TRAVEL if leaves else BREATH if long else BESIDE)

    def _is_outing(self, occurrence: Occurrence) -> bool:
        """Return True if a calendar entry takes 30 minutes or more, outside of working hours."""
        return occurrence.end - occurrence.start >= OUTING and not clipped(
            self.work(self.date_of(occurrence.start)), occurrence.start, occurrence.end
        )

    @cached_property
    def promised(self) -> list[Stretch]:
        """The times of suggestions that the user accepted, or put off to a slot in which these times lie."""
        return [
            (one.start, one.end)
            for one in self.advised
            if is_agreed(one, self.known.zones) and one.kind == "suggested" and one.start and one.end
        ]

    @cached_property
    def told(self) -> frozenset[str]:
        """The names of tasks and activities in suggestions that have not ended, so that a task is suggested only once.

        Suggestions of the plan so far are included.
        """
        ahead = (one for one in self.advised if one.end is not None and one.end > self.now and one.kind == "suggested")
        return frozenset([*self.titles, *(one.what for one in ahead if one.what is not None)])

    def date_of(self, at: datetime) -> date:
        """Return the date of an instant on the user's clock."""
        return at.astimezone(zone_at(at, self.known.zones)).date()

    def clock(self, at: datetime) -> str:
        """Return an instant as HH:MM on the user's clock."""
        return f"{at.astimezone(zone_at(at, self.known.zones)):%H:%M}"

    def sleep(self, day: date) -> Stretch:
        """Return (bedtime, wake time) of the main sleep that ends on a date.

        It is the recorded sleep, else the expected. An expected sleep is rounded to five minutes and moved away from
        calendar entries. An entry in its first half delays bedtime to 45 minutes after the entry. An entry in its
        second half wakes the user 45 minutes before it. A sleep delayed by over a quarter of its length keeps its
        length until the next entry. A flight over the middle of the night is that night. The first night after a flight
        westward begins up to an hour early.
        """
        slept = self.slept(day)
        if slept is not None:
            return slept.start, slept.end
        bed, wake = self.routine.sleep_ending_on(day, self.known.zones)
        length, middle = wake - bed, bed + (wake - bed) / 2
        over = next((o for o in self.flights if o.start < middle < o.end), None)
        if over is not None:
            return over.start, over.end
        bed -= self._west(bed)
        attended = self._attended_around(bed, wake)
        landed = [o.end + FROM_THE_AIRPORT for o in self.flights if o.start < middle and o.end > bed - FROM_THE_AIRPORT]
        ended = [end + TO_BED for start, end in attended if start < middle and bed - TO_BED < end]
        late = [end for end in (*ended, *landed) if bed < end < bed + LATE_MAX + TO_BED]
        if late:
            bed = max(late)
            wake = max(wake, bed + length) if bed - middle > -length / 4 else wake
        begin = [*(start for start, _ in attended), *(o.start - TO_THE_AIRPORT for o in self.flights)]
        early = [start for start in begin if max(bed, middle) < start < wake + TO_GET_UP]
        bed, wake = rounded(bed), rounded(wake)
        return bed, max(min([wake, *(start - TO_GET_UP for start in early)]), bed)

    def _attended_around(self, bed: datetime, wake: datetime) -> list[Stretch]:
        """Return ``attended`` without the entries of another zone's day that fall into the night from bed to wake.

        After a journey these are the entries at home, which the user does not attend.
        """
        abroad = [
            o
            for o, _ in (self.entries if len(self.known.zones) > 1 else ())
            if takes_time(o.event) and bed <= o.start and o.end <= wake and self._of_another_zone(o)
        ]
        if not abroad:
            return self.attended
        kept = (o for o, _ in self.entries if takes_time(o.event) and o not in abroad)
        return merged((o.start, o.end) for o in kept)

    def _of_another_zone(self, occurrence: Occurrence) -> bool:
        zone, here = occurrence.event.zone, zone_at(occurrence.start, self.known.zones).key
        return zone is not None and "/" in zone and not same_clock(occurrence.start, zone, here)

    def _west(self, bed: datetime) -> timedelta:
        """Return the time by which the first night after a journey westward begins earlier.

        It is ten minutes per hour between the zones, at most an hour. Below three hours between the zones it is zero.
        """
        before, after = (bed.astimezone(zone_at(at, self.known.zones)).utcoffset() for at in (bed - DAY, bed))
        back = (before or NO_TIME) - (after or NO_TIME)
        return min(back / 6, EARLIER_MAX) if back >= JET_LAG_MIN else NO_TIME

    @cached_property
    def flights(self) -> list[Occurrence]:
        """The flights among the timed, busy calendar entries, ascending."""
        return [o for o, _ in self.entries if takes_time(o.event) and is_journey(o)]

    @cached_property
    def journeys(self) -> list[Stretch]:
        """The stretches of flights with the ways to and from the airport, merged and ascending."""
        return merged(journey(one) for one in self.flights)

    @cached_property
    def recorded(self) -> list[Episode]:
        """The recorded nights, naps and workouts that have ended, each once.

        If several sources recorded the same, the preferred source counts. Its record must last at least half as long as
        the longest (see ``meters.overlaps``).
        """
        over = ((source, one) for source, one in self.known.episodes if one.end <= self.now)
        return [one for _, one in once(over, self.known.preference)]

    def slept(self, day: date) -> Episode | None:
        """Return the longest recorded main sleep that ended on a date and by now. Return None if none is recorded."""
        nights = (e for e in self.recorded if e.kind is EpisodeKind.SLEEP and e.day == day)
        return max(nights, key=lambda e: e.end - e.start, default=None)

    @cached_property
    def attended(self) -> list[Stretch]:
        """The stretches of timed, busy calendar entries within eight days of now, merged and ascending.

        No time is added around the entries.
        """
        return merged((o.start, o.end) for o, _ in self.entries if takes_time(o.event))

    def first_before(self, start: datetime) -> Occurrence | None:
        """Return the first timed, busy calendar entry that begins from now on and before ``start``.

        Return None without any.
        """
        return next((o for o, _ in self.entries if self.now <= o.start < start and takes_time(o.event)), None)

    def busy_from(self, at: datetime) -> Stretch | None:
        """Return the stretch of ``busy`` that begins exactly at ``at``. Return None if none does."""
        return next((one for one in self.busy if one[0] == at), None)

    def work(self, day: date) -> list[Stretch]:
        """Return the working hours of a date as stretches. The list is empty on a free day.

        They are the usual hours of the weekday. A calendar shows only a part of the work. Work that begins from 6:00 to
        12:00 is therefore taken to fill 9:00 to 17:00. It ends before a private entry that follows it.
        """
        if day not in self._work:
            self._work[day] = self._working(day)
        return self._work[day]

    def _working(self, day: date) -> list[Stretch]:
        spans = [] if is_free_day(self.known, day) else self.routine.work_on(day, self.known.zones)
        if not spans:
            return []
        begin, end = (midnight(day, self.known.zones) + timedelta(minutes=m) for m in OFFICE)
        low, high = spans[0][0], max(end for _, end in spans)
        if not DAY_WORK[0] <= low.astimezone(zone_at(low, self.known.zones)).hour < DAY_WORK[1]:
            return spans
        private = [o.start for o, label in self.entries if label.action in PRIVATE_ACTIONS and high <= o.start < end]
        return [(min(low, begin), max(high, min([end, *private])))]

    @cached_property
    def short_of_sleep(self) -> timedelta | None:
        """The time by which last night was shorter than usual. None if it was not shorter, or if it is not recorded.

        Usual is the median length of the last 42 recorded nights before it. None too with fewer than five of these.
        """
        nights = {n.day: n for n in self.recorded if n.kind is EpisodeKind.SLEEP}
        last = nights.get(self.date_of(self.now))
        before = sorted(day for day in nights if last is not None and day < last.day)[-SLEEP_NIGHTS_MAX:]
        if last is None or len(before) < SLEEP_NIGHTS_MIN:
            return None
        lengths = sorted(nights[day].end - nights[day].start for day in before)
        short = lengths[len(lengths) // 2] - (last.end - last.start)
        return short if short > timedelta(0) else None

    def workouts(self, day: date) -> list[Episode]:
        """Return the workouts of a date that have ended by now."""
        return [e for e in self.recorded if e.kind is EpisodeKind.WORKOUT and e.day == day]

    @property
    def is_blank(self) -> bool:
        """True if the data hold no sample, episode, calendar entry or task of the user."""
        return is_blank(self.known)


def rounded(at: datetime) -> datetime:
    """Return an instant rounded to the nearest five minutes, because an expected time is no more exact."""
    return at - timedelta(minutes=(at.minute + 2) % 5 - 2, seconds=at.second, microseconds=at.microsecond)


def is_blank(known: Snapshot) -> bool:
    """Return True if a snapshot holds no sample, episode, calendar entry or task."""
    return not (known.samples or known.episodes or known.agenda or known.tasks)


def is_agreed(advice: AdviceRecord, zones: ZoneHistory) -> bool:
    """Return True if the user accepted a recommendation, or put it off to the slot of its start."""
    if advice.answer is Answer.RESCHEDULE and advice.start is not None:
        return moment_at(advice.start, zones) == advice.moved_to
    return advice.answer is Answer.ACCEPT


def without_advice(situation: Situation, number: int) -> Situation:
    """Return the situation without the recommendation with the id ``number`` in ``advised``."""
    return replace(situation, advised=[one for one in situation.advised if one.id != number])


def margin(occurrence: Occurrence) -> timedelta:
    """Return the time kept free before and after a calendar entry.

    It is 30 minutes for an entry with a place, otherwise 5.
    """
    return TRAVEL if occurrence.event.located else BESIDE
