"""The facts known of a person now: the clock, the calendar near, sport and journeys, recorded nights, and the body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from bridge.calendar.busy import Stretch, is_open_hours, merged, nobody_goes, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import SAID_AFTER, SAID_BEFORE, is_by_land, is_journey, journey
from bridge.calendar.kinds import AT_HOME, EXAM, SURE, claimed, title_of
from bridge.day.body import Body, Mode, ModeKind, body_of, of_night
from bridge.day.routine import Habit, Routine, missed, name_of
from bridge.day.typical import DAY, MINUTE, instant
from bridge.day.work import free_days
from bridge.domain.facts import Fact, fact
from bridge.domain.records import Deed, Recommendation, Snapshot
from bridge.domain.slots import ZoneHistory, ZoneSpan, local_time
from bridge.domain.types import Episode, EpisodeKind, Label, Occurrence, Reading, Response, Task
from bridge.domain.wishes import Wishes
from bridge.domain.zones import place_of
from bridge.meters import vitality
from bridge.meters.overlaps import ended_whole
from bridge.meters.past import past_of
from bridge.meters.vitality import illness
from rhythm_env.interface import ActionType, Meter

NAMES_DAYS = timedelta(days=3)  # an entry so long takes no hours, as nobody is at one thing on end
NEAR = timedelta(days=8)  # calendar entries and advice farther away do not matter for a day
ADVICE_KIND = "advice:"  # prefix of the kind of calendar entries that were written for accepted advice
LONG_SPORT, PREPARES = 90 * MINUTE, 75 * MINUTE  # sport such as a race; what it and an exam take before the way
AT_RISK = timedelta(hours=36)  # ahead, in which sport is spoken of
FOR_SPORT, ERRAND_HOURS = timedelta(hours=36), 0.5  # before it, what closes may be for it; hours that fetching takes
HOME_DAYS, RECORDED = 14 * DAY, 50 * DAY  # from which home is known; in which episodes are looked at
AT_ITS_HOUR = timedelta(hours=1)  # between a usual time and that from which an entry was moved
CLEAR_SIGNS = 0.4  # quality of the signal of illness from which its signs count for days; our choice

Entry = tuple[Occurrence, Label]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A task that the calendar gives: something to fetch within ``hours``, and why on this day."""

    task: Task
    hours: Stretch
    why: Fact


T = TypeVar("T")
K = TypeVar("K", bound="Known")
P = ParamSpec("P")


def kept(make: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Cache a method's result per arguments. Copies of a person with other suggestions share the cache."""

    @wraps(make)
    def read(self: K, /, *of: P.args, **named: P.kwargs) -> T:
        key = make.__name__, *of
        if key not in self._read:
            self._read[key] = make(self, *of, **named)
        made: T = self._read[key]
        return made

    return read


@dataclass(frozen=True, kw_only=True)
class Known:
    """The facts of a person at ``now``: the snapshot, their wishes and answers, the calendar near, and the body."""

    known: Snapshot
    now: datetime
    routine: Routine
    mode: Mode = field(default_factory=Mode)
    wishes: Wishes = field(default_factory=Wishes)
    farther: Sequence[Entry] = ()  # calendar entries around a planned date that is far from now
    advised: Sequence[Recommendation] = ()  # of the last eight days, not superseded, ascending
    task_actions: Mapping[str, ActionType] = field(default_factory=dict)  # by the key of an open task
    # By key of a task the begin and end of its place, and the due date that it had if the person moved it there.
    places: Mapping[str, tuple[datetime, datetime, date | None]] = field(default_factory=dict)
    readings: Mapping[Meter, Reading] = field(default_factory=dict)
    # By date what the person wants no more on it, each with the title of the only task that is meant, or "".
    resting: Mapping[date, Sequence[tuple[ActionType, str]]] = field(default_factory=dict)
    _read: dict[object, Any] = field(default_factory=dict, compare=False, repr=False)  # estimates by name and argument

    @cached_property
    def zones(self) -> ZoneHistory:
        return self.known.zones

    @property
    def arrived(self) -> datetime | None:
        """The begin of the present stay in a zone, or None in the first."""
        return max((span.since for span in self.zones[1:] if span.since <= self.now), default=None)

    def flew(self, at: datetime) -> bool:
        """Return True if a flight is near an instant, so that a new zone since then is that of a journey."""
        return any(o.start - SAID_BEFORE <= at <= o.end + SAID_AFTER for o in self.flights)

    def of_zone(self, span: ZoneSpan) -> Fact:
        """Return the fact that a stay in a zone begins with a journey, or that its zone was set by hand."""
        return fact("new_zone") if self.flew(span.since) else fact("zone_set", place=place_of(span.zone))

    @property
    @kept
    def vitality(self) -> Reading:
        return self.readings.get(Meter.VITALITY) or vitality.read(past_of(self.known), self.now)

    @property
    @kept
    def body(self) -> Body:
        return body_of(self.vitality, self.mode.on(self.date_of(self.now)), self.local(self.now))

    @kept
    def fought(self, day: date) -> Fact | None:
        """Return the fact of clear signs of illness in the night that ended on a past date, or None."""
        at = min(self.now, midnight(day + DAY, self.zones))
        read = illness(past_of(self.known), at)
        if read is None or read.quality < CLEAR_SIGNS or self.date_of(at - timedelta(hours=read.age_hours)) != day:
            return None
        return of_night(read.fact, day)

    @property
    def missed(self) -> Mapping[str, datetime | None]:
        """Return key -> waking time (None: not slept through) of entries that the watch shows as missed."""
        return missed(self.known)

    def date_of(self, at: datetime) -> date:
        """Return the date of an instant on the person's clock."""
        return self.local(at).date()

    def clock(self, at: datetime) -> str:
        """Return an instant as HH:MM on the person's clock."""
        return f"{self.local(at):%H:%M}"

    def local(self, at: datetime) -> datetime:
        """Return an instant in the person's zone at that instant."""
        return local_time(at, self.zones)

    @cached_property
    def entries(self) -> list[Entry]:
        """Calendar entries within eight days of now and ``farther`` ones, ascending, without those the bridge wrote.

        A label has no action if the title leaves the action open.
        """
        low, high = self.now - NEAR, self.now + NEAR
        near = [one for one in self.known.agenda if one[0].end > low and one[0].start < high]
        named = ((_named(o), label) for o, label in (*near, *self.farther))
        mine = ((o, claimed(o, label)) for o, label in named if not o.event.kind.startswith(ADVICE_KIND))
        return sorted(mine, key=lambda e: e[0].start)

    def all_day(self, day: date) -> list[Entry]:
        """Return the all-day entries of a date."""
        begin, end = midnight(day, self.zones), midnight(day + DAY, self.zones)
        return [
            entry for entry in self.entries if entry[0].event.all_day and entry[0].start < end and entry[0].end > begin
        ]

    @kept
    def habits_on(self, day: date) -> Mapping[ActionType, Habit]:
        """Return the habits, without the date's usual time of what the calendar has on another day instead."""
        weekday, habits = day.weekday(), self.routine.habits
        usual = {action: one for action, one in habits.items() if weekday in one.starts}
        near = [(o, label.action) for o, label in self.entries if label.action in usual]
        gone = [action for o, action in near if action is not None and self._is_instead(o, usual[action], day)]
        return {**habits, **{action: habits[action].without(weekday) for action in gone}}

    def _is_instead(self, one: Occurrence, habit: Habit, day: date) -> bool:
        """Return True if an entry was moved away from the usual time on a date, or has its name in the same week."""
        moved, at = one.event.original_start, instant(day, habit.starts[day.weekday()], self.zones)
        there, name = self.date_of(one.start), habit.names.get(day.weekday(), "").casefold()
        if there == day or one.event.response is Response.DECLINED:
            return False
        if moved is not None and abs(moved - at) <= AT_ITS_HOUR:
            return True
        like = bool(name) and name_of(one.event.title or "").casefold() == name
        other = habit.names.get(there.weekday(), "").casefold() != name
        return like and other and there.isocalendar()[:2] == day.isocalendar()[:2]

    @cached_property
    def attended(self) -> list[Stretch]:
        """The merged stretches of timed, busy entries within eight days, without sleep and without ``left_out``."""
        return merged(
            (o.start, o.end)
            for o, label in self.entries
            if takes_time(o.event) and label.action is not ActionType.SLEEP and o.key not in self.left_out
        )

    @cached_property
    def sport(self) -> list[Occurrence]:
        """The timed entries of sport, ascending, including sport that is marked as free."""
        found = [o for o, label in self.entries if label.action is ActionType.EXERCISE and label.confidence >= SURE]
        found = [o for o in found if not (o.event.all_day or o.event.cancelled or nobody_goes(o.event))]
        return [o for o in found if o.event.response is not Response.DECLINED]

    @cached_property
    def races(self) -> list[Occurrence]:
        """The single (not repeated) entries of sport, without those that the person leaves out because of illness."""
        single = (o for o in self.sport if not (o.event.recurrence or o.event.master))
        return [o for o in single if o.key not in self.left_out]

    @cached_property
    def exams(self) -> list[Occurrence]:
        """The timed, busy entries with a word for an exam in the title, ascending."""
        return [o for o, _ in self.entries if takes_time(o.event) and EXAM.search((title_of(o) or "")[:200])]

    @cached_property
    def left_out(self) -> frozenset[str]:
        """The keys of the sport ahead that illness forbids: of the days that the person named, else of 36 hours."""
        ends = self.mode.until is not None and self.mode.on(self.date_of(self.now)) is ModeKind.ILL
        soon = self.now + AT_RISK if self.body.ill and not ends else self.now
        said = Mode() if self.mode.kind is ModeKind.ILL and self.mode.until is None else self.mode
        ahead = [o for o in self.sport if o.start > self.now]
        return frozenset(o.key for o in ahead if o.start < soon or said.on(self.date_of(o.start)) is ModeKind.ILL)

    @cached_property
    def not_done(self) -> frozenset[str]:
        """The keys of entries that are no times of an action: those missed, and sport left out because of illness."""
        past = ((o, self.date_of(o.start)) for o in self.sport if o.start <= self.now)
        over = [(o, day) for o, day in past if not self.workouts(day)]
        ill = (o.key for o, day in over if self.mode.on(day) is ModeKind.ILL or self.fought(day) is not None)
        return frozenset({*self.missed, *self.left_out, *ill})

    @cached_property
    def errands(self) -> Mapping[str, Errand]:
        """Return errands by task key: entries such as a packet pickup that must be visited before a race."""
        hours = [o for o, _ in self.entries if is_open_hours(o.event) and not o.event.cancelled and o.end > self.now]
        found = {}
        for hour in hours:
            race = next((o for o in self.races if hour.end <= o.start <= hour.end + FOR_SPORT), None)
            done = any(advice.what == hour.event.title and advice.outcome is Deed.DONE for advice in self.advised)
            if done or race is None or any(hour.end < other.end <= race.start for other in hours):
                continue
            why = fact("closes_before", closes=self.local(hour.end), time=self.local(race.start))
            day, title = self.date_of(hour.end), hour.event.title
            task = Task(key=f"errand:{hour.key}", list="", title=title, due=day, effort=ERRAND_HOURS)
            found[task.key] = Errand(task=task, hours=(hour.start, hour.end), why=why)
        return found

    def action_of(self, task: Task) -> ActionType | None:
        """Return the action that works on a task, or None where it is not known."""
        return ActionType.ADMIN_WORK if task.key in self.errands else self.task_actions.get(task.key)

    @cached_property
    def flights(self) -> list[Occurrence]:
        """The flights among the timed, busy calendar entries, ascending."""
        return [o for o, _ in self.entries if takes_time(o.event) and is_journey(o)]

    @cached_property
    def trips(self) -> list[Occurrence]:
        """The trains, coaches and ferries among the timed, busy calendar entries, ascending."""
        return [o for o, _ in self.entries if takes_time(o.event) and is_by_land(o)]

    @cached_property
    def journeys(self) -> list[Stretch]:
        """The stretches of flights with the ways to and from the airport, merged and ascending."""
        return merged(journey(flight) for flight in self.flights)

    @property
    @kept
    def recorded(self) -> list[Episode]:
        """The recorded nights, naps and workouts that have ended, each once, from the preferred source."""
        since = self.now - RECORDED
        return [one for _, one in ended_whole(self.known) if since < one.end <= self.now]

    @property
    def last_night(self) -> date | None:
        """The date of waking of the last recorded night, or None without any."""
        return max((e.day for e in self.recorded if e.kind is EpisodeKind.SLEEP), default=None)

    @property
    def nights_brought(self) -> bool:
        """True if the last night came in a file that the user imported, so that no further one comes by itself."""
        night, last = EpisodeKind.SLEEP, self.last_night
        sources = {source for source, e in self.known.episodes if e.kind is night and e.day == last}
        return bool(sources) and sources <= self.known.brought

    def slept(self, day: date) -> Episode | None:
        """Return the longest recorded main sleep that ended on a date and by now. Return None if none is recorded."""
        nights = (e for e in self.recorded if e.kind is EpisodeKind.SLEEP and e.day == day)
        return max(nights, key=lambda e: e.end - e.start, default=None)

    def workouts(self, day: date) -> list[Episode]:
        """Return the workouts of a date that have ended by now."""
        return [e for e in self.recorded if e.kind is EpisodeKind.WORKOUT and e.day == day]

    def free_day(self, day: date) -> bool:
        """Return True if a date is free of work, by the calendar or by what the person said."""
        return day in free_days(self.known) or self.mode.on(day) in {ModeKind.HOLIDAY, ModeKind.ILL}

    def at_home(self, day: date) -> bool:
        """Return True if an all-day entry of a date says that the person works at home, such as a working location."""
        events = [o.event for o, _ in self.all_day(day) if not o.event.cancelled and not o.event.private]
        return any(AT_HOME.search((event.title or "")[:200]) for event in events)


def _named(occurrence: Occurrence) -> Occurrence:
    names = occurrence.end - occurrence.start >= NAMES_DAYS and occurrence.event.busy
    return replace(occurrence, event=replace(occurrence.event, busy=False)) if names else occurrence


def is_blank(known: Snapshot) -> bool:
    """Return True if a snapshot holds no sample, episode, calendar entry or task."""
    return not (known.samples or known.episodes or known.agenda or known.tasks)
