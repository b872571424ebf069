"""Prepare a day for the rules and terms that judge what can be suggested: the ten actions and the open tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property

from bridge.calendar.busy import Stretch, merged, nobody_goes, takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.kinds import CALL, OUTSIDE, OWED, QUICK, SHOPPING, SURE, WRITTEN, is_meal, title_of, what_is
from bridge.calendar.owners import on_shift
from bridge.calendar.plans import COMPANY
from bridge.day.agreed import is_agreed, put_off, said_done
from bridge.day.grid import CELL, DAY, Grid, Starts, run
from bridge.day.known import NAMES_DAYS
from bridge.day.person import Person
from bridge.day.recovery import if_at_all
from bridge.day.routine import Habit, sport_name
from bridge.day.sleep import Rests, is_night
from bridge.domain.facts import Fact, fact
from bridge.domain.records import Deed
from bridge.domain.sports import is_in, is_kind, is_known
from bridge.domain.types import Event, Label, Occurrence, Reading, Task
from bridge.domain.wish_terms import both, goal_name, wished_on
from bridge.domain.wishes import Lasts, Wishes
from rhythm_env.interface import ActionType, Meter

WEEK = timedelta(days=7)
MARKED_FREE = timedelta(hours=4)  # the longest entry marked as free that still keeps its time
ATTENDED = COMPANY | {ActionType.EXERCISE, ActionType.LEARN}
WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK, ActionType.LEARN})
RESTS = frozenset({ActionType.MEDITATE, ActionType.ME_TIME})
DUE_DAYS, TASKS_MAX = 2, 4  # tasks due within so many days get a place; and how many are looked at in a day
OF_DAY_MAX = 8  # and of those due on the day itself; our choice
NAMED_DAYS = 14  # a task due within so many days is what a suggestion to work is about
LEAST, MOST = 15, 180  # minutes of a task
USUAL, PAPERS, ERRAND = 60, 45, 25  # minutes of a task without an estimate, by its kind
LATE_DAYS = 2  # from which what was due may no longer matter
WORTH_IT = 45  # minutes of a longer task that are worth beginning
OFFICES_CLOSE, WEEKEND = 17, 5  # hour of the day; weekday
HALF_AN_HOUR = timedelta(minutes=30)  # by which getting up varies


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A suggestion that the day holds already, made or expected (``foreseen``). ``what`` names its task or activity."""

    action: ActionType | None
    start: datetime
    end: datetime
    what: str | None = None
    foreseen: bool = False


@dataclass(frozen=True, kw_only=True)
class View:
    """A day of a person with the suggestions of this day and of the days around it (``said``)."""

    grid: Grid
    readings: Mapping[Meter, Reading] = field(default_factory=dict)
    said: Sequence[Said] = ()

    @cached_property
    def person(self) -> Person:
        return self.grid.person

    @cached_property
    def wishes(self) -> Wishes:
        """The wishes as they hold on the day."""
        return wished_on(self.person.wishes, self.grid.date)

    def habit(self, action: ActionType | None) -> Habit | None:
        """Return the habit of an action on the day. Sport away from home has no usual hour and kind."""
        found = None if action is None else self.person.habits_on(self.grid.date).get(action)
        elsewhere = found is not None and action is ActionType.EXERCISE and self.person.away(self.grid.date)
        return found.without(self.grid.date.weekday()) if elsewhere and found is not None else found

    def has_habit_today(self, action: ActionType) -> bool:
        """Return True if the person is used to an action on the weekday."""
        habit = self.habit(action)
        return habit is not None and habit.settled and self.grid.date.weekday() in habit.starts

    @cached_property
    def is_today(self) -> bool:
        return self.grid.date == self.person.date_of(self.person.now)

    @cached_property
    def now(self) -> int:
        """The number of the first five minutes that begin now or later."""
        return self.grid.up(self.person.now)

    @cached_property
    def free(self) -> Starts:
        """For each start, how many steps of five minutes are free of entries and suggestions."""
        said = [(one.start, one.end) for one in self.said]
        return run(~(self.grid.busy | self.grid.touched(said)))

    @cached_property
    def near(self) -> list[Said]:
        """The suggestions that are made and touch the day."""
        return [one for one in self.said if one.end > self.grid.wake - DAY / 2 and one.start < self.grid.bed + DAY / 2]

    @property
    def holds_any(self) -> bool:
        """True if the day already holds a suggestion. Weak reasons do not suffice for a second one."""
        return any(self.grid.wake <= one.start < self.grid.bed for one in self.said)

    @cached_property
    def entries(self) -> list[Stretch]:
        """The merged stretches of the timed entries that a plan shows, including those marked as free."""
        shown = (o for o, _ in self.person.entries if not o.event.all_day and stands(o.event))
        return merged((o.start, o.end) for o in shown)

    def entry_within(self, ahead: timedelta) -> Occurrence | None:
        """Return the next entry that the person attends, if it begins within ``ahead``."""
        now = self.person.now
        near = ((o, label) for o, label in self.person.entries if now <= o.start < now + ahead)
        return next((o for o, label in near if is_there(o, label)), None)

    @cached_property
    def attended_beside(self) -> list[Stretch]:
        """The timed entries marked as free that the person probably attends, with their margins."""
        beside = ((o, label) for o, label in self.person.entries if not takes_time(o.event) and is_there(o, label))
        return [self.grid.margins(o, label) for o, label in beside]

    def all_day(self, action: ActionType | None) -> bool:
        """Return True if an all-day entry of the date is surely of an action."""
        of_day = self.person.all_day(self.grid.date)
        return any(label.action is action and label.confidence >= SURE and stands(o.event) for o, label in of_day)

    def planned(self, action: ActionType | None) -> list[Occurrence]:
        """Return the entries labelled surely with an action, within eight days, without those missed or left out."""
        return self._by_action.get(action, [])

    @cached_property
    def _by_action(self) -> dict[ActionType | None, list[Occurrence]]:
        found: dict[ActionType | None, list[Occurrence]] = {}
        gone = self.person.not_done
        for occurrence, label in self.person.entries:
            alone = label.action is ActionType.ME_TIME and is_meal(occurrence)
            timed = not occurrence.event.all_day and stands(occurrence.event)
            if label.confidence >= SURE and timed and occurrence.key not in gone and not alone:
                found.setdefault(label.action, []).append(occurrence)
        return found

    def times(self, action: ActionType, until: datetime, *, kind: str = "") -> set[date]:
        """Return the dates within the seven days up to ``until`` that have an action done, planned or foreseen.

        Of sport, only a ``kind`` counts if one is given, and workouts whose kind is not known.
        """
        day = self.person.date_of(until)
        mine = (o for o in self.planned(action) if o.end <= until)
        found = {self.person.date_of(o.start) for o in mine if is_of(o.event.title or "", kind)}
        found |= {self.person.date_of(one.start) for one in self.said if one.foreseen and one.action is action}
        told = said_done(self.person.advised, action)
        found |= {self.person.date_of(start) for (start, _), what in told if start <= until and is_of(what, kind)}
        if action is ActionType.EXERCISE:
            days = (day - k * DAY for k in range(WEEK.days))
            done = ((one, workout.label or "") for one in days for workout in self.person.workouts(one))
            found |= {one for one, label in done if is_of(sport_name(label), kind)}
        return {one for one in found if day - WEEK < one <= day}

    def times_this_week(self, action: ActionType, until: datetime, *, kind: str = "") -> int:
        """Return how many of the dates of ``times`` lie in the week of the day."""
        monday = self.grid.date - self.grid.date.weekday() * DAY
        return sum(day >= monday for day in self.times(action, until, kind=kind))

    def times_held(self, action: ActionType) -> int:
        """Return on how many dates of the day's week what an action's goal is of is done, foreseen or planned."""
        monday = self.grid.midnight - self.grid.date.weekday() * DAY
        return self.times_this_week(action, monday + WEEK - CELL, kind=self.kind_of_goal(action))

    def kind_of_goal(self, action: ActionType) -> str:
        """Return the known kinds of sport that the goal of an action is of, as a list with commas, or ""."""
        name = goal_name(self.person.wishes, action, self.grid.date) if action is ActionType.EXERCISE else ""
        return name if any(is_known(one) for one in name.split(", ")) else ""

    def times_of_kind(self, action: ActionType, name: str) -> int:
        """Return on how many days of the week until the night one kind of an action is done or planned."""
        monday = self.grid.date - self.grid.date.weekday() * DAY
        titles = [(self.person.date_of(o.start), o.event.title or "") for o in self.planned(action)]
        if action is ActionType.EXERCISE:
            days = [monday + k * DAY for k in range(7)]
            titles += [(day, workout.label or "") for day in days for workout in self.person.workouts(day)]
        return len({day for day, title in titles if day >= monday and is_in(title, name)})


def is_of(title: str, kinds: str) -> bool:
    """Return True if a title is of one of some kinds of sport, a list with commas, or if one of the two is empty."""
    return not (title and kinds) or any(is_in(title, one) for one in kinds.split(", "))


def stands(event: Event) -> bool:
    """Return True for an event that plans show: not cancelled or declined, and no working location or task."""
    return not event.cancelled and event.response != "declined" and event.kind not in ("workingLocation", "task")


def is_there(occurrence: Occurrence, label: Label) -> bool:
    """Return True if the person attends a timed entry, because it is busy, short, or of a kind that is attended."""
    event, length = occurrence.event, occurrence.end - occurrence.start
    if event.all_day or not stands(event) or is_night(occurrence, label) or nobody_goes(event):
        return False
    attends = (
        label.action in ATTENDED and label.confidence >= SURE and length < NAMES_DAYS and not on_shift(event.title)
    )
    return takes_time(event) or length <= MARKED_FREE or attends


def taken_at(view: View, at: datetime) -> Fact | None:
    """Return the fact of the flight, entry or sleep that goes on at an instant, or None."""
    person = view.person
    flight = next((o for o in person.flights if o.start <= at < o.end), None)
    if flight is not None:
        return fact("flight_lands", time=view.person.local(flight.end))
    there = ((o, label) for o, label in person.entries if o.start <= at < o.end and o.key not in person.missed)
    inside = ((o, label) for o, label in there if is_there(o, label))
    entry, label = max(inside, key=lambda one: one[0].end, default=(None, None))
    if entry is not None and label is not None:
        if (what := what_is(entry, label, person.races)) != "entry":
            return fact("lasts_until", time=person.local(entry.end), what=what, title=title_of(entry))
        today = person.date_of(entry.end - CELL) == person.date_of(at)
        if entry.end >= midnight(person.date_of(at) + DAY, person.zones) and (today or entry.end > at + DAY):
            return fact("entry_all_day", title=title_of(entry))
        return fact("entry_until", time=person.local(entry.end), title=title_of(entry))
    for day in (person.date_of(at), person.date_of(at) + DAY):
        night = person.night(day)
        if night.bed <= at < night.wake:
            if night.moved is not None:
                return fact("asleep_until", until=person.local(night.wake))
            if night.rests is Rests.LONG_AGO and person.routine.until is not None:
                return fact("asleep_then", day=person.routine.until.isoformat())
            return fact("asleep_common" if night.rests is Rests.PUBLISHED else "asleep_now")
    return fact("night_not_in") if _may_sleep_on(person, at) else None


def _may_sleep_on(person: Person, at: datetime) -> bool:
    """Return True soon after the usual waking time if a watch that sent the night before has told of no waking."""
    day = person.date_of(at)
    night = person.night(day)
    watched = night.rests is Rests.RECORDED and person.last_night == day - DAY and not person.nights_brought
    return watched and night.moved is None and night.wake <= at < night.wake + HALF_AN_HOUR


def what_begins(person: Person, start: datetime) -> str:
    """Return a word for the kind of entry that begins at an instant, of several the most specific."""
    found = (what_is(o, label, person.races) for o, label in person.entries if o.start == start and stands(o.event))
    return next((one for one in found if one != "entry"), "entry")


def said_of(person: Person) -> list[Said]:
    """Return the suggestions made for the person that are not refused, put off without a time, or done before it."""
    return [
        Said(action=one.action, start=one.start, end=one.end, what=one.what)
        for one in person.advised
        if one.kind == "suggested" and one.start and one.end
        if one.answer is None or is_agreed(one, person.known.zones)
        if one.outcome is not Deed.DONE or one.start < person.now
    ]


# Candidates -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """Minutes of an action: usual, least and most; the notice before its start; and what is kept free after it.

    Its suggestion begins by the hour ``latest``, comes ``again`` after so many hours, and on ``weekly`` days of seven.
    """

    usual: int
    least: int
    most: int
    notice: int = 5
    after: int = 0
    latest: float = 20
    again: int = 20
    weekly: int = 4


LENGTHS: Mapping[ActionType, Length] = {  # our choice
    ActionType.DEEP_WORK: Length(usual=90, least=45, most=120, again=3),
    ActionType.ADMIN_WORK: Length(usual=30, least=15, most=60, again=4),
    ActionType.LEARN: Length(usual=45, least=20, most=90, latest=19.5, again=10),
    ActionType.SLEEP: Length(usual=20, least=15, most=30, latest=24),
    ActionType.EXERCISE: Length(usual=45, least=30, most=90, notice=15, after=45, again=16),
    ActionType.MEDITATE: Length(usual=10, least=10, most=30, after=5, latest=22, weekly=2),
    ActionType.FAMILY_TIME: Length(usual=60, least=30, most=180, notice=30, latest=19.5, again=10),
    ActionType.SOCIALIZE: Length(usual=90, least=45, most=240, notice=120, after=20, latest=19),
    ActionType.ME_TIME: Length(usual=45, least=20, most=120, latest=21, weekly=2),
    ActionType.BINGE_WATCH: Length(usual=60, least=45, most=120, latest=21),
}
OF_A_TASK = Length(usual=USUAL, least=LEAST, most=MOST, notice=15)  # whose action is not known


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An action, or a task with its action, that may be suggested on the day. ``wanted`` and ``least`` are minutes.

    ``action`` is None for a task whose action is not known.
    """

    action: ActionType | None
    wanted: int
    least: int
    task: Task | None = None

    @property
    def length(self) -> Length:
        return OF_A_TASK if self.action is None else LENGTHS[self.action]

    @property
    def due(self) -> date | None:
        return None if self.task is None else self.task.due


def candidates(person: Person, grid: Grid, *, said: frozenset[str] = frozenset()) -> Iterator[Candidate]:
    """Yield what can be suggested: the due tasks and the actions. An action of work stands for its most pressing task.

    ``said`` are the names of tasks that the plan holds already, so that none is placed twice.
    """
    due = [task for task in due_tasks(person, grid.date) if task.title not in said]
    for task in due:
        yield of_task(task, person)
    for action in ActionType:
        named = None if action not in WORK else _named(person, action, grid.date, said)
        if named is None:
            yield of_action(action, person)
        elif named not in due:
            yield of_task(named, person)


def of_action(action: ActionType, person: Person) -> Candidate:
    """Return an action to suggest, of the person's usual length, within the limits of the table of lengths."""
    day, habit = person.date_of(person.now), person.routine.habits.get(action)
    length = _wished(LENGTHS[action], kind_on(action, person, day).lengths.get(action))
    own = length.usual if habit is None else round(habit.minutes / 5) * 5
    usual = min(max(own, length.least), length.usual)
    return Candidate(action=action, wanted=usual, least=usual if action in COMPANY else length.least)


def kind_on(action: ActionType, person: Person, day: date) -> Wishes:
    """Return the wishes of a day with those for the kind of an action that is wanted or usual on it."""
    wishes, habit = wished_on(person.wishes, day), person.routine.habits.get(action)
    name = wishes.named.get(action) or ("" if habit is None else habit.names.get(day.weekday(), ""))
    kind = next((one for kind, one in wishes.kinds.items() if is_kind(kind, name)), None)
    return wishes if kind is None else both(wishes, kind)


def _wished(length: Length, lasts: Lasts | None) -> Length:
    if lasts is None:
        return length
    most = length.most if lasts.most is None else max(lasts.most // 5 * 5, 5)
    least = min(length.least, most) if lasts.least is None else -(-lasts.least // 5) * 5
    return replace(length, usual=max(min(length.usual, most), least), least=least, most=max(most, least))


def of_task(task: Task, person: Person) -> Candidate:
    """Return a task to suggest, of its estimated length, or of the usual length of its kind."""
    action = person.action_of(task)
    most = MOST if action is None else LENGTHS[action].most
    needed = min(minutes_of(task, action), most)
    return Candidate(action=action, task=task, wanted=needed, least=min(needed, LEAST if is_call(task) else WORTH_IT))


def of_either(action: ActionType, task: Task | None, person: Person) -> Candidate:
    return of_action(action, person) if task is None else of_task(task, person)


def minutes_of(task: Task, action: ActionType | None) -> int:
    """Return the minutes that a task takes: its estimate, else by its kind."""
    if task.effort is not None:
        return round(min(max(task.effort * 60, LEAST), MOST) / 5) * 5
    if action is not ActionType.ADMIN_WORK:
        return USUAL
    return ERRAND if QUICK.search((task.title or "")[:200]) else PAPERS


def _named(person: Person, action: ActionType, day: date, said: frozenset[str]) -> Task | None:
    said |= put_off(person).keys()
    mine = (t for t in person.known.tasks if t.completed is None and t.title and t.title not in said)
    mine = (t for t in mine if t.due is not None and person.action_of(t) is action)
    near = (t for t in mine if t.due is not None and _counts(t.due, person, day, NAMED_DAYS))
    return min(near, key=lambda t: _order(t, person), default=None)


def due_tasks(person: Person, day: date, *, seen: date | None = None) -> list[Task]:
    """Return a few open tasks that are due from ``day`` until soon after ``seen`` (today if None), or overdue.

    The most pressing come first, each title once. Of those due on ``day`` there may be more. Tasks that were put off to
    a later time are left out until then.
    """
    waiting = put_off(person)
    errands = (errand.task for errand in person.errands.values())
    found = (t for t in (*person.known.tasks, *errands) if t.completed is None and t.title and t.due is not None)
    found = (t for t in found if t.title not in waiting)
    near = [t for t in found if t.due is not None and _counts(t.due, person, day, DUE_DAYS, seen)]
    once: dict[str | None, Task] = {}  # lists may repeat a task
    for task in sorted(near, key=lambda t: _order(t, person)):
        once.setdefault(task.title, task)
    of_day = sum(one.due == day for one in once.values())
    return list(once.values())[: max(TASKS_MAX, min(of_day, OF_DAY_MAX))]


def _counts(due: date, person: Person, day: date, days: int, seen: date | None = None) -> bool:
    today = person.date_of(person.now)
    return due <= max(seen or today, today) + days * DAY and (due >= day or due < today)


def _order(task: Task, person: Person) -> tuple[bool, int, date, str]:
    due, today = task.due or date.max, person.date_of(person.now)
    rank = 1 if due < today else 0 if due <= today + DAY else 2
    late = person.local(person.now).hour >= OFFICES_CLOSE
    return is_call(task) and (late or today.weekday() >= WEEKEND), rank, due, task.key


def is_call(task: Task) -> bool:
    """Return True if a task without an estimate has a word for a call, an appointment, or an office that closes."""
    return task.effort is None and CALL.search((task.title or "")[:200]) is not None


def is_shopping(task: Task) -> bool:
    """Return True for an errand of one's own to where something is bought, fetched or brought back."""
    return SHOPPING.search((task.title or "")[:200]) is not None


def is_own(task: Task | None) -> bool:
    """Return True for an errand of one's own, such as a bill, a call or shopping, without a word of business."""
    title = "" if task is None else (task.title or "")[:200]
    of_office = any(one.search(title) for one in (WRITTEN, OUTSIDE))
    return not of_office and any(one.search(title) for one in (SHOPPING, OWED, CALL, QUICK))


def is_owed(task: Task) -> bool:
    """Return True for what others wait for, such as a bill or a tax return, whose date is not the person's to move."""
    return OWED.search((task.title or "")[:200]) is not None


def deadline(candidate: Candidate, person: Person) -> datetime | None:
    """Return the instant by which a task must end: its due time, or the end of its due date. None if overdue."""
    task, due = candidate.task, candidate.due
    if task is None or due is None or due < person.date_of(person.now):
        return None
    return task.due_at or midnight(due + DAY, person.known.zones)


def of_due(candidate: Candidate, grid: Grid, start: datetime | None = None) -> Fact:
    """Return how far ahead of its due date a task is placed, or before which closing time."""
    task = candidate.task
    if task is not None and task.key in grid.person.errands:
        return if_at_all(grid.person, grid.person.errands[task.key].why)
    today = grid.person.date_of(grid.person.now)
    day = max(grid.date, today)  # a night before its middle is of the day before, which is not today any more
    if task is not None and task.due_at is not None and task.due == day:
        late = (start or grid.person.now) >= task.due_at
        kind = "was_due_at" if grid.person.now >= task.due_at else "due_at_full" if late else "due_at"
        return fact(kind, time=grid.person.local(task.due_at))
    days = 0 if candidate.due is None else (candidate.due - day).days
    if day > today:
        if candidate.due is not None and days < 0:
            return fact("was_due_before" if candidate.due < today else "due_before", count=-days)
        if days > 1 and candidate.due is not None:
            return fact("due_on", day=candidate.due.isoformat())
        return fact("due_day_after" if days else "due_that_day")
    if days < 0:
        kind = "owed_long" if task is not None and is_owed(task) else "long_due"
        return fact(kind, days=-days) if days <= -LATE_DAYS else fact("was_due", count=-days)
    return fact("due_in", days=days) if days > 1 else fact("due_tomorrow" if days else "due_today")
