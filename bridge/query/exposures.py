"""The factors of a person by day: what they noted, and classes of calendar entries and recordings."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice.labels import labelled
from bridge.calendar.days import days_of
from bridge.calendar.flights import is_flight
from bridge.domain.metrics import Metric, name_noted
from bridge.domain.noted import drink_of, kept_name
from bridge.domain.slots import ZoneHistory, local_time, zone_at
from bridge.domain.types import EpisodeKind, Label, Occurrence
from bridge.query.model import TIMED
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge
    from bridge.store import Store

DAY = timedelta(days=1)
PLURAL = re.compile(r"(?<=\w{3})(?:en|es|e|n|s)$")  # of the last letters of a word, English or German
COMPOUND_LETTERS = 5  # at least, of a word that may end another: "probe" in "Chorprobe", but no "art" in "smart"
DAYS_BACK = 730
NIGHT_BEGINS = timedelta(hours=4)  # until four in the morning, a note is of the day before
SILENT_DAYS = 14  # without any note, after which a day without one is not known to be a day without it
LATE_HOUR = 19
WORK = (ActionType.ADMIN_WORK, ActionType.DEEP_WORK)
Entry = tuple[Occurrence, Label]
Late = Callable[[datetime], bool]
# Classes of entries: an entry is of one if it is so, where ``late`` says that a time is in the evening.
ENTRIES: Mapping[str, Callable[[Occurrence, Label, Late], bool]] = {
    "late meetings": lambda one, label, late: label.action in WORK and not one.event.all_day and late(one.end),
    "evenings with others": lambda one, label, late: label.action is ActionType.SOCIALIZE and late(one.end),
    "travel": lambda one, _label, _late: is_flight(one.event),
}
RECORDED = ("late workouts", "mindfulness")
CLASSES = (*ENTRIES, *RECORDED)
Exposures = dict[str, dict[date, float]]  # factor -> day -> amount, of the days of which it is known


def names(store: Store, user: User) -> list[str]:
    """Return the names of the factors that a user's data contain, notes first."""
    noted = store.daily.noted(user.id)
    return [*dict.fromkeys(name for one in noted for name in _meant(one, noted)), *CLASSES]


def _meant(name: str, noted: Collection[str]) -> list[str]:
    """Return the names that a stored note counts as: its own, and that of its drink, as alcohol for "beers"."""
    drink = drink_of(name)
    return [kept_name(one, noted) for one in (name, *([] if drink is None else [drink.in_language("en").casefold()]))]


def exposures(bridge: Bridge, user: User, wanted: Collection[str] | None = None, *, now: datetime) -> Exposures:
    """Return factor -> local day -> amount over the last two years, for all factors or only those ``wanted``."""
    today = local_time(now, user.zones).date()
    since = today - DAYS_BACK * DAY
    found = _noted(bridge.store, user, (since, today), wanted or ())
    if wanted is None or {*ENTRIES} & {*wanted}:
        found |= _of_entries(bridge, user, since, today, now)
    if wanted is None or {*RECORDED} & {*wanted}:
        found |= _recorded(bridge.store, user, since, today)
    return found if wanted is None else {name: days for name, days in found.items() if name in wanted}


def noted_between(bridge: Bridge, user: User, since: str | None, until: str | None, *, now: datetime) -> list[str]:
    """Return the names of what a person noted between two dates, those of most days first."""
    own = [one for one in names(bridge.store, user) if one not in CLASSES and "," not in one]
    told, often = exposures(bridge, user, own, now=now), dict[str, int]()
    for name in own:
        days = [day.isoformat() for day, amount in told.get(name, {}).items() if amount]
        often[name] = sum((since or "") <= day <= (until or "9") for day in days)
    return sorted((name for name in own if often[name]), key=lambda name: -often[name])


def titled(bridge: Bridge, user: User, words: str, *, now: datetime, until: date | None = None) -> dict[date, float]:
    """Return local day -> number of calendar entries with some words in their titles. Days without one have 0.

    The days are those until today, or ``until`` if that is later.
    """
    begun = bridge.store.daily.first_event(user.id)
    if begun is None:
        return {}
    zone = zone_at(now, user.zones)
    today = now.astimezone(zone).date()
    last = min(max(today, until or today), today + DAYS_BACK * DAY)
    start = datetime.combine(begun, datetime.min.time(), tzinfo=zone)
    has = has_words(words)
    end = now if last == today else datetime.combine(last + DAY, datetime.min.time(), tzinfo=zone)
    entries = list(labelled(bridge, user, start, end, at=now))
    found: dict[date, float] = {}
    for one, _ in entries:
        if has(one.event.title):
            for day in days_of(one.start, one.end, user.zones, since=begun, until=last):
                found[day] = found.get(day, 0.0) + 1
    return _filled(found, begun, last) if found else {}


def has_words(words: str) -> Callable[[str | None], bool]:
    """Return a function that tests whether a title contains all of some words, in any case or number.

    A word also matches a longer word that begins with it, or a compound that ends with it ("Chorprobe").
    """
    stems = [_in_title(PLURAL.sub("", word)) for word in words.casefold().split()]
    return lambda title: all(stem.search((title or "").casefold()) for stem in stems)


def _in_title(stem: str) -> re.Pattern[str]:
    ends = rf"|{re.escape(stem)}\w{{0,2}}\b" if len(stem) >= COMPOUND_LETTERS else ""
    return re.compile(rf"\b{re.escape(stem)}{ends}")


def _noted(store: Store, user: User, span: tuple[date, date], wanted: Collection[str]) -> Exposures:
    (since, today), names = span, store.daily.noted(user.id)
    timed = [(one, at) for one in wanted if (at := TIMED.fullmatch(one)) and at["name"] != one]
    sources: dict[str, dict[tuple[str, date], float]] = {}
    for source, one in store.reading.samples(user.id, metrics={Metric.NOTED}, since=since):
        local = local_time(one.start, user.zones) - NIGHT_BEGINS
        of = sources.setdefault(source, {})
        for name in _meant(name_noted(one.key), names):
            of[name, local.date()] = of.get((name, local.date()), 0.0) + one.value
            for part, at in timed:
                if at["name"] == name:
                    of[part, local.date()] = of.get((part, local.date()), 0.0) + one.value * _is_at(at, local)
    told: Exposures = {}
    for (name, day), amount in sorted((at, amount) for of in sources.values() for at, amount in of.items()):
        told.setdefault(name, {})[day] = amount  # the largest of several sources, which may tell of the same
    if not told:
        return {}
    last = min(today, max(day for of in told.values() for day in of) + SILENT_DAYS * DAY)
    return {name: _filled(of, min(of), last) for name, of in told.items()}


def _is_at(timed: re.Match[str], local: datetime) -> bool:
    """Return True if a time, counted from the begin of the day of notes, is within those that a name tells."""
    at, night = local.hour * 60 + local.minute, NIGHT_BEGINS // timedelta(minutes=1)
    begin, end = (
        None if told is None else (int(told[:2]) * 60 + int(told[3:]) - night) % (24 * 60)
        for told in (timed["begin"], timed["end"])
    )
    return (begin is None or begin <= at) and (end is None or at < end)


def _filled(of: Mapping[date, float], first: date, last: date) -> dict[date, float]:
    return {day: of.get(day, 0.0) for day in (first + n * DAY for n in range((last - first).days + 1))}


def _of_entries(bridge: Bridge, user: User, since: date, today: date, now: datetime) -> Exposures:
    begun = bridge.store.daily.first_event(user.id)
    if begun is None:
        return {}
    first = max(since, begun)
    start = datetime.combine(first, datetime.min.time(), tzinfo=zone_at(now, user.zones))
    found = list(labelled(bridge, user, start, now, at=now))
    return _present({name: _days(found, of, user.zones) for name, of in ENTRIES.items()}, first, today)


def _days(
    found: Iterable[Entry], of: Callable[[Occurrence, Label, Late], bool], zones: ZoneHistory
) -> dict[date, float]:
    def late(at: datetime) -> bool:
        local = local_time(at, zones)
        return local.hour >= LATE_HOUR or local.hour < NIGHT_BEGINS / timedelta(hours=1)

    days: dict[date, float] = {}
    for one, label in found:
        if of(one, label, late):
            day = local_time(one.start, zones).date()
            days[day] = days.get(day, 0.0) + 1
    return days


def _present(found: Exposures, first: date, last: date) -> Exposures:
    return {name: _filled(of, first, last) for name, of in found.items() if of}


def _recorded(store: Store, user: User, since: date, today: date) -> Exposures:
    workouts: dict[date, float] = {}
    episodes = store.daily.episodes(user.id, (EpisodeKind.WORKOUT,), since=since, until=today)
    for _, fields in episodes:
        at, offset = datetime.fromisoformat(fields["start"]), fields.get("offset")
        local = local_time(at, user.zones) if offset is None else at + timedelta(minutes=offset)
        if local.hour >= LATE_HOUR:
            day = date.fromisoformat(fields["day"])
            workouts[day] = workouts.get(day, 0.0) + 1
    mindful = {
        day: value for day, _, _, value in store.daily.values(user.id, {Metric.MINDFUL}, since=since, until=today)
    }
    told = {"late workouts": (workouts, [date.fromisoformat(fields["day"]) for _, fields in episodes])}
    told["mindfulness"] = (mindful, list(mindful))
    return {name: _filled(of, min(days), today) for name, (of, days) in told.items() if of}
