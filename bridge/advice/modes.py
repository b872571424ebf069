"""Save the modes that a person states (ill, away, holiday, odd), and ask about modes that the data suggest.

Only a stated mode holds. It ends after its last date. Habits are not learnt from its days.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.calendar.busy import takes_time
from bridge.calendar.expansion import midnight
from bridge.calendar.meetings import is_meeting
from bridge.day.body import Mode, ModeKind
from bridge.day.known import HOME_DAYS
from bridge.day.person import Person
from bridge.day.routine import Routine, learn_routine
from bridge.day.sleep import Rests, nights_and_odd
from bridge.day.work import OFFICE_WORK, free_days
from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact, fact
from bridge.domain.languages import say
from bridge.domain.records import Snapshot, User
from bridge.domain.slots import DAY, local_time, today_at, zone_at

if TYPE_CHECKING:
    from bridge.store import Store

Asked = Sequence[tuple[ModeKind, tuple[Fact, ...]]]  # modes that the data speak of, with their facts
Spell = tuple[str, date, date]  # a mode, its first and its last date
LASTS = {ModeKind.ILL: 3, ModeKind.AWAY: 7, ModeKind.HOLIDAY: 7, ModeKind.ODD: 7}  # days, where no end is said
ASKED, QUIET = "mode", timedelta(days=28)  # the kind of questions, and how long one that was answered is not asked
BODY_DAYS = timedelta(days=80)  # loaded: baselines read 60 days, and journeys and late nights need some slack
FREE_IN_A_ROW = 3  # free days with working hours otherwise, from which it may be a holiday


def mode_of(store: Store, user: User, day: date) -> Mode:
    """Return the mode that the person stated for a date, or the normal mode, with those of later and of past days."""
    modes = [
        Mode(kind=ModeKind(kind), since=since, until=until, said=True) for kind, since, until in spells(store, user)
    ]
    modes.reverse()  # the newest counts
    now = next((mode for mode in modes if mode.on(day) is not ModeKind.NORMAL), Mode())
    return replace(
        now,
        planned=tuple(mode for mode in modes if mode.since is not None and mode.since > day),
        past=tuple(mode for mode in modes if mode.until is not None and mode.until < day),
    )


def spells(store: Store, user: User) -> list[Spell]:
    """Return the stated modes with first and last date, the newest statement last."""
    return [mode for mode in store.people.preferences(user.id).modes if mode[0] in set(ModeKind)]


def said_on(spells: Sequence[Spell], day: date) -> ModeKind | None:
    """Return the mode stated for a date, or None. Of several statements the last counts."""
    found = [ModeKind(kind) for kind, since, until in spells if since <= day <= until]
    return found[-1] if found else None


def say_mode(store: Store, user: User, mode: Mode, *, now: datetime) -> Mode:
    """Save a mode from its first date, or from today, and return the mode of today. Earlier modes of its days end.

    ``normal`` ends the present mode, or all planned ones if none is present. ``normal`` with a first date ends all from
    that date on. Raises SetupError for days in the past or in the wrong order, and ``normal`` with only a last date.
    """
    kind, begin, until = mode.kind, mode.since, mode.until
    today = today_at(now, user.zones)
    _check(kind, begin, until, today, user)
    first, before = begin or today, spells(store, user)
    if kind is ModeKind.NORMAL:
        ends = begin is None and any(since <= today <= end for _, since, end in before)
        last = today if ends else until or date.max
    else:
        back = _back_home(store, user, first, now=now) if kind is ModeKind.AWAY else None
        last = until or back or first + (LASTS[kind] - 1) * DAY
    new = (str(kind), first, last)
    kept = [left for old in before for left in _beside(old, new, today)]
    if kind is not ModeKind.NORMAL:
        kept.append(new)
    with store.transaction():
        store.people.change_preferences(user.id, modes=tuple(kept), now=now)
        dismiss(store, user, [kind] if kind is not ModeKind.NORMAL else [], now=now)
    return mode_of(store, user, today)


def _back_home(store: Store, user: User, first: date, *, now: datetime) -> date | None:
    """Return the date from ``first`` on of the journey into the zone of home that the calendar holds, or None."""
    home = zone_at(now, store.people.user_by_id(user.id).zones).key  # whose zones are without those of flights
    spans = ((local_time(zone.since, user.zones).date(), zone) for zone in user.zones if zone.since > now)
    return next((day for day, one in spans if one.zone == home and day >= first), None)


def _beside(old: Spell, new: Spell, today: date) -> list[Spell]:
    # A planned one of another mode stays whole, and counts again once the newer one is taken back.
    (kind, since, until), (name, first, last) = old, new
    planned, mode = since > today, ModeKind(name)
    if until < first or last < since or (planned and mode not in (kind, ModeKind.NORMAL)):
        return [old]
    if planned and mode == kind:
        return []
    left = [(kind, since, first - DAY)] if since < first else []
    return [*left, (kind, last + DAY, until)] if planned and last < until else left


def change_mode(store: Store, user: User, mode: Mode, *, person: Person) -> Mode:
    """Save a mode, such as ill or away, as ``say_mode`` does, and return the mode of today.

    If it is ``normal``, modes that the data suggest are not asked about for some weeks.
    """
    asked = to_ask(store, user, person) if mode.kind is ModeKind.NORMAL else []
    with store.transaction():
        dismiss(store, user, [name for name, _ in asked], now=person.now)
        return say_mode(store, user, mode, now=person.now)


def parse_mode(text: str, user: User) -> ModeKind:
    """Return the mode named by a word, in upper or lower case. Raises SetupError for another word."""
    if text.strip().lower() not in set(ModeKind):
        raise SetupError(
            say(
                "{word} is not a mode; say ill, away, holiday, odd or normal: {command}",
                word=repr(text),
                command=f"bridge mode ill --user {user.name}",
            )
        )
    return ModeKind(text.strip().lower())


def _check(kind: ModeKind, begin: date | None, until: date | None, today: date, user: User) -> None:
    if until is not None and begin is None and kind is ModeKind.NORMAL:
        command = f"bridge mode holiday --until {until} --user {user.name}"
        raise SetupError(
            say("a last day was given without a mode; name the mode too, such as: {command}", command=command)
        )
    command = f"bridge mode {kind} --user {user.name}"
    over = next((day for day in (begin, until) if day is not None and day < today), None)
    if over is not None:
        raise SetupError(say("{day} is over; name today or a later day: {command}", day=str(over), command=command))
    if begin is not None and until is not None and until < begin:
        command = f"bridge mode {kind} --from {until} --until {begin} --user {user.name}"
        raise SetupError(say("the last day is before the first; exchange them: {command}", command=command))


def dismiss(store: Store, user: User, kinds: Iterable[ModeKind], *, now: datetime) -> None:
    """Save that questions about these modes were answered or put aside, so that they are not asked for some weeks."""
    today = today_at(now, user.zones)
    said = tuple((ASKED, _about(kind, user, now), today) for kind in kinds)
    if said:
        before = store.people.preferences(user.id).answered
        store.people.change_preferences(user.id, answered=(*before, *said), now=now)


def to_ask(store: Store, user: User, person: Person) -> Asked:
    """Return the modes that the data suggest, with facts, except those asked about in the last weeks."""
    found = noticed(person)
    if not found:
        return []
    return [one for one in found if not was_asked(store, user, one[0], now=person.now)]


def was_asked(store: Store, user: User, kind: ModeKind, *, now: datetime) -> bool:
    """Return True if a question about the mode was answered or put aside in the last weeks."""
    today, asked = today_at(now, user.zones), (ASKED, _about(kind, user, now))
    answered = store.people.preferences(user.id).answered
    return any((what, about) == asked and today - day < QUIET for what, about, day in answered)


def _about(kind: ModeKind, user: User, now: datetime) -> str:
    return f"{kind} {zone_at(now, user.zones).key}" if kind is ModeKind.AWAY else str(kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """The mode that a person stated, and the modes to ask the person about."""

    mode: Mode
    asked: Asked


def stand(store: Store, user: User, person: Person) -> Stand:
    mode = mode_of(store, user, person.date_of(person.now))
    return Stand(mode=mode, asked=to_ask(store, user, replace(person, mode=mode)))


def routine_of(store: Store, user: User, known: Snapshot) -> Routine:
    """Return a user's habits, learnt from days on which the user was not ill, away, on holiday or otherwise different.

    Without recent nights, the usual night is learnt from the last ones known.
    """
    said = spells(store, user)
    learnt = learn_routine(ordinary(known, said))
    if any(night.rests is not Rests.PUBLISHED for night in learnt.nights):
        return learnt
    last = store.reading.last_night(user.id, before=(known.at - BODY_DAYS).date(), at=known.at)
    if last is None:
        return learnt
    sleeps = store.reading.episodes(user.id, since=last - BODY_DAYS, until=last, at=known.at)
    then = Snapshot(at=midnight(last + DAY, user.zones), zones=user.zones, episodes=sleeps, preference=known.preference)
    nights, _odd = nights_and_odd(ordinary(then, said))
    if any(night.rests is Rests.PUBLISHED for night in nights):
        return learnt
    return replace(learnt, nights=tuple(replace(night, rests=Rests.LONG_AGO) for night in nights), until=last)


def ordinary(known: Snapshot, spells: Sequence[Spell]) -> Snapshot:
    """Return the snapshot without nights, workouts and entries of days with a stated mode."""
    odd = [(since, until) for kind, since, until in spells if ModeKind(kind) is not ModeKind.NORMAL]
    if not odd:
        return known

    def learns(at: datetime) -> bool:
        day = local_time(at, known.zones).date()
        return not any(since <= day <= until for since, until in odd)

    return replace(
        known,
        episodes=[(source, one) for source, one in known.episodes if learns(one.end)],
        agenda=[(one, label) for one, label in known.agenda if learns(one.start)],
    )


def noticed(person: Person) -> list[tuple[ModeKind, tuple[Fact, ...]]]:
    """Return (mode, facts) for each mode, such as ill or away, that the data suggest.

    Empty while a stated mode holds.
    """
    today = person.date_of(person.now)
    if person.mode.on(today) is not ModeKind.NORMAL:
        return []
    found: list[tuple[ModeKind, tuple[Fact, ...]]] = []
    if person.body.ill:
        found.append((ModeKind.ILL, person.body.facts))
    zone = zone_at(person.now, person.zones)
    if person.away(today) and zone != zone_at(person.now - HOME_DAYS, person.zones):  # not before the flight of today
        found.append((ModeKind.AWAY, (fact("other_zone", zone=zone.key),)))
    ahead = (today + n * DAY for n in range(14))
    working = [day for day in ahead if person.routine.work[day.weekday()]]
    free = 0
    at_work = _at_work(person.known)
    while free < len(working) and working[free] in free_days(person.known) - at_work:
        free += 1
    said = any(person.mode.on(day) is not ModeKind.NORMAL for day in working[:free])
    if person.routine.work_known and free >= FREE_IN_A_ROW and not said:
        found.append((ModeKind.HOLIDAY, (fact("no_work_until", date=working[free - 1]),)))
    return found


def _at_work(known: Snapshot) -> frozenset[date]:
    """Return the dates of meetings and work that were entered for that day alone, unlike a series that goes on."""
    single = (one for one in known.agenda if not (one[0].event.recurrence or one[0].event.master))
    work = (
        o.start
        for o, label in single
        if is_meeting(o.event) or (label.action in OFFICE_WORK and not o.event.all_day and takes_time(o.event))
    )
    return frozenset(local_time(start, known.zones).date() for start in work)
