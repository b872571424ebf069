"""The sentence that a day begins with: how the body is, what is unusual today, and what that asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from statistics import median

from bridge.calendar.busy import length as length_of
from bridge.calendar.busy import merged, takes_time
from bridge.calendar.days import LASTING, hours_of, part_on
from bridge.calendar.expansion import midnight
from bridge.calendar.flights import journey
from bridge.day.agreed import moved_tasks
from bridge.day.body import ILLNESS, Condition, ModeKind
from bridge.day.known import Entry
from bridge.day.person import Person
from bridge.day.recovery import asleep as _asleep
from bridge.day.typical import DAY, MINUTE
from bridge.day.work import OFFICE_WORK
from bridge.domain.facts import Fact, fact, length
from bridge.domain.types import Occurrence, Task
from rhythm_env.interface import ActionType

SHORT = timedelta(minutes=45)  # our choice: shorter than usual by so much is a short night
FULL, FULL_AGAINST = timedelta(hours=5), 1.3  # our choice: of entries, and against such a day's median
WEEKS = 4  # before, of which the same weekday tells how full such a day is
STANDS_OUT, STANDS_OUT_ALWAYS = timedelta(hours=1), timedelta(hours=2)  # our choice: of an entry unlike those before
SIGNS_MAX = 2  # of illness, the strongest
NAMED = 3  # tasks that are due, of which the opening tells the titles
NOT_GOOD = {"slept_short", "slept_short_most", "slept_enough_badly", "slept_enough_badly_most"}  # as Vitality reads it
LATELY = timedelta(days=14)  # with a recorded night, so that last night's absence is news
SAID_OTHER = (ModeKind.AWAY, ModeKind.ODD)  # days that the person calls neither free nor ordinary
ORDINARY = {"ordinary_opening": (), "ordinary_after_good": (fact("good_night"),)}  # and what is left beside news


def opening(person: Person) -> tuple[Fact, ...]:
    """Return what matters most today, such as a bad night, in order. Empty if nothing of the day is known."""
    body, beside = tuple(_body(person)), tuple(_beside(person))
    if beside and len(body) == 1 and body[0].kind in ORDINARY:
        return (*beside, *ORDINARY[body[0].kind])
    return (*body, *beside)


def _body(person: Person) -> Iterator[Fact]:
    body, night = person.body, list(_night_and_day(person))
    explained = any(one.kind.startswith("short") for one in night)  # a low Vitality needs no figure then
    if body.state is Condition.WELL or (explained and body.facts[0].kind == "low_vitality"):
        yield from night
    else:
        told = body.facts[0]
        signs = told.values.get("signs") if told.kind in ILLNESS else None
        yield replace(told, values={**told.values, "signs": signs[:SIGNS_MAX]}) if isinstance(signs, tuple) else told
    if body.state is not Condition.WELL:
        yield fact("rest_first" if body.ill else "take_it_easier")


def _night_and_day(person: Person) -> Iterator[Fact]:
    today = person.date_of(person.now)
    night, short, entries = person.slept(today), person.short_of_sleep, _entries(person, today)
    asleep, missing = (None, _missing(person, today)) if night is None else (_asleep(night), None)
    good = asleep is not None and not any(one.fact.kind in NOT_GOOD for one in person.vitality.because)
    count, busy, free = len(entries), _length(person, today), person.free_day(today)
    full = not free and busy >= FULL and busy >= FULL_AGAINST * _usual(person, today)
    if missing is not None:
        yield missing
    if short is not None and short >= SHORT and asleep is not None:
        if full:
            yield fact("short_before_full", asleep=asleep, count=count)
        else:
            yield fact("short_opening", asleep=asleep)
    elif full:
        yield fact("full_after_good" if good else "full_opening", count=count, busy=length(busy / MINUTE))
    elif person.mode.on(today) in SAID_OTHER:
        yield fact(f"mode_{person.mode.on(today)}")
        yield from (fact("good_night"),) if good else ()
    elif _is_lasting(person, today):  # neither free nor ordinary
        yield from (fact("good_night"),) if good else ()
    elif free or (not entries and person.known.agenda and not person.work(today)):
        yield fact("free_after_good" if good else "free_opening")
    elif not person.known.agenda:
        yield from (fact("good_night"),) if good else ()
    elif missing is None:
        yield fact("ordinary_after_good" if good else "ordinary_opening")


def _missing(person: Person, today: date) -> Fact | None:
    last = person.last_night
    if last is None or not today - LATELY < last < today or person.now < person.sleep(today)[1]:
        return None
    if last == today - DAY:
        return None if person.nights_brought else fact("night_not_in")
    return fact("nights_not_brought" if person.nights_brought else "nights_not_in", day=last.isoformat())


def _beside(person: Person) -> Iterator[Fact]:
    today = person.date_of(person.now)
    flight = next((o for o in person.flights if person.date_of(o.start) == today and o.start > person.now), None)
    if flight is not None:
        yield fact("flight_today", time=person.local(flight.start))
        if (way := journey(flight)[0]) > person.now:
            yield fact("leave_by", time=person.local(way))
    unlike = [o for o, label in _entries(person, today) if _stands_out(person, o, label.action)]
    if len(unlike) == 1 and unlike[0].start > person.now:
        yield fact("stands_out", title=unlike[0].event.title, time=person.local(unlike[0].start))
    due = [task for task in person.known.tasks if task.completed is None and task.due is not None and task.due <= today]
    moved = {task.key: start for task, (start, _) in moved_tasks(person)}
    due = [task for task in due if task.key not in moved] or due  # what was moved asks nothing of today
    if len(due) == 1 and due[0].title:
        yield _due(due[0].title, (today - (due[0].due or today)).days)
        if due[0].key in moved:
            yield fact("task_moved", time=person.local(moved[due[0].key]))
    elif due:
        titles = [task.title for task in in_order(due, today) if task.title]
        more = ["…"] if len(due) > NAMED else []
        named = ", ".join([*titles[:NAMED], *more]) if len(titles) == len(due) else None
        yield fact("due_by_today", count=len(due), title=named)


def in_order(due: Iterable[Task], today: date) -> list[Task]:
    """Return tasks due by today in the order in which they are named: what is due today itself, then the oldest."""
    return sorted(due, key=lambda task: (task.due != today, task.due or today))


def _due(title: str, days: int) -> Fact:
    if days > 1:
        return fact("task_long_due", days=days, title=title)
    return fact("task_was_due" if days else "task_due_today", title=title)


def _stands_out(person: Person, one: Occurrence, action: ActionType | None) -> bool:
    """Return True for an entry that is long and unlike all entries of the last weeks, unless it is a flight."""
    event, always = one.event, action in OFFICE_WORK or person.body.state is not Condition.WELL
    single = event.kind == "default" and not (event.recurrence or event.master or one in person.flights)
    if event.private or not event.title or not single:
        return False
    name, since = event.title.casefold(), one.start - 7 * WEEKS * DAY
    before = (o.event.title or "" for o, _ in person.known.agenda if since <= o.start < one.start)
    long = one.end - one.start >= (STANDS_OUT_ALWAYS if always else STANDS_OUT)
    return long and name not in map(str.casefold, before)


def _entries(person: Person, day: date) -> list[Entry]:
    begin, end = midnight(day, person.zones), midnight(day + DAY, person.zones)
    return [
        (o, label)
        for o, label in person.known.agenda
        if begin <= o.start < end and takes_time(o.event) and label.action is not ActionType.SLEEP
    ]


def _is_lasting(person: Person, day: date) -> bool:
    """Return True for a busy entry that takes half of a day at least, and began before it or lasts several days."""
    low, high = midnight(day, person.zones), midnight(day + DAY, person.zones)
    found = (o for o, _ in person.known.agenda if o.start < high and o.end > low and takes_time(o.event))
    of_several = (o for o in found if o.start < low or (o.end > high and o.end - o.start >= LASTING))
    parts = (part_on(o.start, o.end, day, person.zones) for o in of_several)
    return any(over - start >= DAY / 2 for start, over in filter(None, parts))


def _length(person: Person, day: date) -> timedelta:
    begun = _entries(person, day)
    hours = (part for o, label in begun for part in hours_of(o.start, o.end, label.action, person.zones)[:1])
    return length_of(merged(hours))


def _usual(person: Person, day: date) -> timedelta:
    before = (_length(person, day - 7 * DAY * week) for week in range(1, WEEKS + 1))
    return timedelta(seconds=median(length.total_seconds() for length in before))
