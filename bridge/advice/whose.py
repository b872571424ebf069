"""Save what a user says about who calendars and entries belong to, and find entries to ask about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.calendar import owners
from bridge.calendar.expansion import expand, series_of
from bridge.calendar.ownership import Mark, Ownership, Whose
from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.records import User
from bridge.domain.slots import today_at
from bridge.domain.types import Event, Occurrence

if TYPE_CHECKING:
    from bridge.store import Store

SPAN = timedelta(days=180)  # before and after now, of which calendars are listed and names learnt
NEAR = timedelta(days=60)  # in which an entry is looked for, and how far ahead a mark is counted
EXAMPLES, DOUBTS = 3, 6
ALIKE_MIN = 3  # entries of a name or of like words, from which the bridge asks about them
ASKED, IN_VAIN = "whose", 2  # the kind of questions, and how many answers that tell nothing new end them


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarUse:
    """A calendar of a source, with the number of its entries within half a year and some of their titles.

    ``used`` is True if its entries count as the user's.
    """

    name: str
    source: str
    used: bool
    entries: int
    titles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """An entry whose owner the user stated. ``changes`` is the number of coming entries that this affects.

    ``mark`` is the saved statement, or None if earlier statements were only deleted.
    """

    event: Event
    whose: Whose
    mark: Mark | None
    changes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """An entry whose owner the user should be asked about, with the number of entries of the same name or words.

    ``others`` are titles of some of these.
    """

    key: str
    title: str
    name: str | None
    entries: int
    others: tuple[str, ...] = ()


def calendars(store: Store, user: User, *, now: datetime) -> list[CalendarUse]:
    """Return the user's calendars by name, including left-out calendars that no longer have entries."""
    left_out = store.people.preferences(user.id).left_out
    found: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for source, event in store.reading.events(user.id, since=now - SPAN, until=now + SPAN):
        found[event.calendar, source].append(event)
    gone: dict[tuple[str, str], list[Event]] = {
        (name, ""): [] for name in left_out if name not in {calendar for calendar, _ in found}
    }
    return [
        CalendarUse(
            name=name,
            source=source,
            used=name not in left_out,
            entries=len(
                {series_of(one.event) for one in expand(events, since=now - SPAN, until=now + SPAN, zones=user.zones)}
            ),
            titles=_examples(events),
        )
        for (name, source), events in sorted((found | gone).items())
    ]


def _examples(events: Sequence[Event]) -> tuple[str, ...]:
    titles = Counter(event.title for event in events if event.title and not event.private)
    return tuple(title for title, _ in titles.most_common(EXAMPLES))


def use(store: Store, user: User, name: str, *, used: bool, now: datetime) -> list[CalendarUse]:
    """Let a calendar's entries count, or leave them out, and return all calendars of the user.

    Raises SetupError if ``name``, in upper or lower case, is not exactly one calendar.
    """
    known = calendars(store, user, now=now)
    meant = {one.name for one in known if one.name == name} or {
        one.name for one in known if one.name.casefold() == name.casefold()
    }
    if len(meant) != 1:
        raise SetupError(
            say("there is no calendar {name}; see: {command}", name=repr(name), command=_list(user))
            if not meant
            else say("several calendars are called {name}; see: {command}", name=repr(name), command=_list(user))
        )
    with store.transaction():
        before = store.people.preferences(user.id).left_out
        left_out = tuple(one for one in before if one not in meant)
        store.people.change_preferences(user.id, left_out=left_out if used else (*left_out, *meant), now=now)
    return calendars(store, user, now=now)


def use_only(store: Store, user: User, names: Sequence[str], *, now: datetime) -> None:
    left_out = tuple(calendar.name for calendar in calendars(store, user, now=now) if calendar.name not in names)
    store.people.change_preferences(user.id, left_out=tuple(dict.fromkeys(left_out)), now=now)


def _list(user: User) -> str:
    return f"bridge calendar list --user {user.name}"


def marks(store: Store, user: User) -> tuple[Mark, ...]:
    return store.people.preferences(user.id).marks


def mark(store: Store, user: User, wanted: Mark, *, now: datetime) -> Marked:
    """Save who an entry belongs to, or its whole ``series``, or all entries ``like`` it. Return the effect.

    ``wanted.key`` is the key or title of an entry within 60 days of ``now``. ``MINE`` also deletes earlier statements
    about it. Raises SetupError if there is no such entry.
    """
    whose = wanted.whose
    said = store.people.preferences(user.id)
    before, occurrences = said.ownership(user.name), _occurrences(store, user, now)
    found = _found(occurrences, wanted.key, before, now)
    if found is None:
        return _taken_back(store, user, wanted, now=now)
    of_series = wanted.series or wanted.like
    key = series_of(found.event) if of_series else found.key
    today = today_at(now, user.zones)
    one = Mark(key=key, whose=whose, title=_title(found.event), series=of_series, said=today)
    made = _speaking(one, _titles(store, user, now)) if wanted.like else [one]
    gone = {found.key, found.event.key, series_of(found.event)} if whose is Whose.MINE else {key}
    kept = tuple(old for old in said.marks if old.key not in gone and not any(_says_of_the_same(old, m) for m in made))
    is_mine = replace(before, marks=kept).whose(found.event, found.key) in (None, Whose.MINE)
    is_kept = wanted.like or not (whose is Whose.MINE and is_mine)
    after = replace(before, marks=(*kept, *made) if is_kept else kept)
    store.people.change_preferences(user.id, marks=after.marks, now=now)
    changed = sum(
        after.whose(occurrence.event, occurrence.key) is not before.whose(occurrence.event, occurrence.key)
        for occurrence in occurrences
        if occurrence.end > now
    )
    return Marked(event=found.event, whose=whose, mark=made[0] if is_kept else None, changes=changed)


def _taken_back(store: Store, user: User, wanted: Mark, *, now: datetime) -> Marked:
    said = store.people.preferences(user.id).marks
    key = wanted.key
    named = [one for one in said if key == one.key or key.casefold() == (one.title or "").casefold()]
    if not named or wanted.whose is not Whose.MINE:
        raise SetupError(
            say(
                "no entry within {days} days has this title or key; see the entries: {entries}, or your marks: {marks}",
                days=NEAR.days,
                entries=f"bridge calendar --user {user.name} --json",
                marks=f"bridge calendar mark --user {user.name}",
            )
        )
    store.people.change_preferences(user.id, marks=tuple(one for one in said if one not in named), now=now)
    event = Event(key=named[-1].key, calendar="", title=named[-1].title)
    return Marked(event=event, whose=wanted.whose, mark=None, changes=0)


def _found(occurrences: Sequence[Occurrence], wanted: str, said: Ownership, now: datetime) -> Occurrence | None:
    exact = [occurrence for occurrence in occurrences if occurrence.key == wanted]
    keyed = exact or [o for o in occurrences if wanted in (o.event.key, o.event.series, series_of(o.event))]
    titled = [
        occurrence for occurrence in occurrences if (_title(occurrence.event) or "").casefold() == wanted.casefold()
    ]
    marked = [one for one in titled if said.whose(one.event, one.key) is not None]
    some = keyed or marked or titled
    return next((one for one in some if one.end > now), some[-1] if some else None)


def _speaking(made: Mark, titles: Sequence[str]) -> list[Mark]:
    if made.title is None:
        return [made]
    known = owners.names(titles)
    name = owners.name_in(made.title, known)
    if name is not None:
        return [replace(made, like=True, name=name)]
    others = owners.beside(made.title, titles, known)
    if len(others) > 1 or any(word in known for word in owners.owners_in(made.title)):
        return [made]
    with_name = [f"{other} {made.title}" for other in others if made.whose is not Whose.MINE]
    return [replace(made, like=True, title=title) for title in (made.title, *with_name)]


def _says_of_the_same(one: Mark, made: Mark) -> bool:
    if not (one.like and made.like) or one.name != made.name:
        return False
    return made.name is not None or owners.same_words(one.title or "", made.title or "")


def doubts(store: Store, user: User, *, now: datetime, most: int = DOUBTS) -> list[Doubt]:
    """Return at most ``most`` entries whose owner the user should be asked about, the most informative first.

    Shifts beside a name come first, then other entries with a name in the title. An entry is asked about once. After
    two answers in a row that changed nothing, only shifts are asked about.
    """
    said = store.people.preferences(user.id)
    whose, titles = said.ownership(user.name), _titles(store, user, now)
    known = owners.names(titles)
    groups: dict[str, list[Occurrence]] = defaultdict(list)
    named: dict[str, str] = {}
    for occurrence in _occurrences(store, user, now):
        title = _title(occurrence.event)
        if title is None or whose.whose(occurrence.event, occurrence.key) is not None:
            continue
        name = owners.name_in(title, known)
        group = name or " ".join(sorted(owners.words(title)))
        groups[group].append(occurrence)
        named |= {group: name} if name is not None else {}
    told = {about for kind, about, _ in said.answered if kind == ASKED}
    theirs = {one for one in said.marks if one.like and one.whose is not Whose.MINE}
    in_vain = len(told | {one.key for one in said.marks if one.like}) - len(theirs) - len(theirs) >= IN_VAIN
    shifts = {owners.on_shift(title) for title in titles}
    of_people = any(owners.tells_people(title, known) for title in titles)
    found = [
        _doubt(some, named.get(group), now)
        for group, some in groups.items()
        if (len(some) >= ALIKE_MIN or group in shifts)
        and group not in told
        and group != whose.own
        and (group in named or (theirs and len(owners.beside(some[0].event.title or "", titles, known)) < 2))
        and (theirs or whose.own in known or group in shifts or (of_people and owners.is_sure(group, titles)))
        and (group in shifts or not in_vain)
    ]
    return sorted(found, key=lambda one: (one.name not in shifts, one.name is None, -one.entries, one.title))[:most]


def _doubt(some: Sequence[Occurrence], name: str | None, now: datetime) -> Doubt:
    asked = next((one for one in some if one.end > now), some[-1])  # of the next, which is not long over
    title = asked.event.title or ""
    others = [other for other in dict.fromkeys(one.event.title or "" for one in reversed(some)) if other != title]
    return Doubt(key=asked.key, title=title, name=name, entries=len(some), others=tuple(others[:EXAMPLES]))


def dismiss(store: Store, user: User, doubt: Doubt, *, now: datetime) -> None:
    about = doubt.name or " ".join(sorted(owners.words(doubt.title)))
    with store.transaction():
        before = store.people.preferences(user.id).answered
        store.people.change_preferences(user.id, answered=(*before, (ASKED, about, now.date())), now=now)


def _occurrences(store: Store, user: User, now: datetime) -> list[Occurrence]:
    events = [event for _, event in store.reading.events(user.id, since=now - NEAR, until=now + NEAR)]
    return expand(events, since=now - NEAR, until=now + NEAR, zones=user.zones)


def _titles(store: Store, user: User, now: datetime) -> list[str]:
    found = (_title(event) for _, event in store.reading.events(user.id, since=now - SPAN, until=now + SPAN))
    return [title for title in found if title is not None]


def _title(event: Event) -> str | None:
    return None if event.private else event.title or None


def taken_back(done: Marked) -> Mark:
    """Return the statement that an entry is the user's, for an entry whose statements were deleted."""
    return Mark(key=done.event.key, whose=Whose.MINE, title=_title(done.event))
