"""Answer a query of a person from the store, typed or plain."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, cast

from bridge.domain import sports
from bridge.domain.languages import Text, languages, listed, say
from bridge.domain.metric_names import METRIC_NAMES
from bridge.domain.metrics import Metric
from bridge.domain.noted import name_of
from bridge.domain.slots import local_time
from bridge.domain.sport_names import sport_name
from bridge.query import exposures
from bridge.query.answer import answer
from bridge.query.answered import Answer
from bridge.query.compared import TOO_FEW
from bridge.query.exposures import has_words
from bridge.query.figures import LONG, PAINS
from bridge.query.meaning import by_what_is_stored, stands_for, with_verdict
from bridge.query.model import NOTES, TITLED, VERSUS, Aggregate, By, Kind, metric_in, untimed
from bridge.query.parse import SEVERAL_MAX, Words, query_of
from bridge.query.plain import TEXT_MAX, NotRead, read, read_both
from bridge.query.plain_names import noted
from bridge.query.plain_spans import AHEAD_DAYS, UNTIL_NOW
from bridge.query.plain_words import CLASS_NAMES, note_classes, pattern
from bridge.query.reduced import whole
from bridge.query.rows import load_tables
from bridge.query.tables import Tables
from bridge.query.translated import translated
from bridge.query.written import written

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge


# Said of entries, these ask for meetings alone; "meetings and appointments" are all entries.
OF_MEETINGS = re.compile(r"(?<!\w)(?:meeting(?!s? friends)|besprechung|conference call)", re.IGNORECASE)
OF_ENTRIES = re.compile(r"entr(?:y|ies)|appointment|event|items|eintr[aä]g|\w*termin", re.IGNORECASE)
ENTRIES = re.compile(r"(?<![\w ])entries\b")
ALONE, SCORE = re.compile(r"\bstress\b"), re.compile(r"\bsleep_score\b")
SAYS_SCORE = re.compile(r"score|points|punkte|wert|quality|qualität")
OF_NIGHT = re.compile(r"night|nacht|slept|sleep|schlaf|schlief|bed|bett")
OF_SPORT = "workout.sport = "
KINDS = {
    "running": "trail running|treadmill running",
    "cycling": "outdoor cycling|indoor cycling|mountain biking",
    "swimming": "pool swimming|open water swimming",
    "rowing": "indoor rowing",
}
NONE_OF_SPORT = re.compile(rf"(?<!\w)workouts\.(?P<sport>{'|'.join(KINDS)})(?= =)")
ANY_DRINK = re.compile("dr[aiu]n|tr[aiu]n|al[ck]|booz|promille|kaffees|coffees")
NIGHT_OVER = 5  # our choice: the hour from which on last night is the one of today
# The first that is told answers.
STRESS = (Metric.STRESS, Metric.DAILY_STRESS, Metric.STRESS_MANAGEMENT)
VARIABILITY = (Metric.HRV_RMSSD, Metric.HRV_SDNN, Metric.HRV_RMSSD_SPOT, Metric.HRV_RMSSD_BEATS)
RMSSD = re.compile(rf"\b{Metric.HRV_RMSSD}\b")
DAY = timedelta(days=1)
WHEN_IS = pattern("when_is")
EACH = {"week": say("{value} a week on average"), "month": say("{value} a month on average")}
WHOLE = {
    "week": say("{value} a week on average, over the {n} whole weeks"),
    "month": say("{value} a month on average, over the {n} whole months"),
}
TITLES = re.compile(rf"(?:^|(?<=\.)|(?<={VERSUS})){TITLED}[^<>=!]*[^<>=!\s]")


def typed(bridge: Bridge, user: User, words: Words, *, now: datetime, titles: bool = False) -> tuple[Answer, Tables]:
    """Return the answer to a typed query, and the rows behind it. Raises SetupError for an invalid query.

    Pass ``titles`` only on the person's own surfaces: it allows conditions on the titles of calendar entries.
    """
    named = _titled(words) if titles else []
    query = query_of(words, factors=lambda: [*_with_times(words, exposures.names(bridge.store, user)), *named])
    with _uncollected():
        tables = load_tables(bridge, user, query, now=now, titles=titles)
        return answer(query, tables), tables


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the garbage collector, which finds nothing among thousands of rows and takes a third of their time."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _with_times(words: Words, names: list[str]) -> list[str]:
    """Return the names of notes, and those with a time of day that a query asks for."""
    told = {re.split(" [<>=!]", part)[0].removeprefix("before.") for part in _parts(words)}
    return [*names, *(one for one in told if untimed(one) in names)]


def _parts(words: Words) -> list[str]:
    return [words.what, *words.where, *(words.against or "").split(VERSUS)]


def _titled(words: Words) -> list[str]:
    return [found[0].lower() for part in _parts(words) for found in TITLES.finditer(part)]


def plain(bridge: Bridge, user: User, text: str, *, now: datetime, titles: bool = False) -> tuple[Answer, Tables]:
    """Return the answer to a plain question, read by the grammar, else by the language model that the settings name.

    Raises SetupError for a question that is not understood as a whole.
    """
    today = local_time(now, user.zones).date()
    names = exposures.names(bridge.store, user)
    try:
        words = read(text, today, names)
    except NotRead:
        if (both := read_both(text, today, names)) is not None:
            (told, tables), (other, _) = (_answered(bridge, user, one, text, now=now, titles=titles) for one in both)
            return replace(told, also=(other,)), tables
        if titles and (coming := _coming(bridge, user, text, now=now)) is not None:
            return coming
        if not text.strip() or len(text) > TEXT_MAX or (found := translated(bridge.settings, text, today)) is None:
            raise
    else:
        if titles and _asks_when(words) and (coming := _coming(bridge, user, text, words, now=now)) is not None:
            return coming
        told, tables = _answered(bridge, user, words, text, now=now, titles=titles)
        none = (told.value is None and not told.groups) or told.untold is not None
        if none and (before := _night_before(words, text.lower(), local_time(now, user.zones))) is not None:
            told, tables = _answered(bridge, user, before, text, now=now, titles=titles)
        read_otherwise = [*words.mended, *widened(words, text)]
        return replace(
            told, read_as=say("reading {words}", words=", ".join(read_otherwise)) if read_otherwise else told.read_as
        ), tables
    words, model = found
    words = _of_stress(bridge, user, words)
    told, tables = typed(bridge, user, words, now=now)
    return replace(told, read_as=say("as {model} translated the question", model=model)), tables


def widened(words: Words, text: str) -> list[str]:
    """Return the drinks of a question that were read as all of their class, as "beer → alcohol"."""
    named = {untimed(re.split(" [<>=!]", part)[0].removeprefix("before.")) for part in _parts(words)}
    said = dict.fromkeys(re.findall(r"\w+", text.lower()))
    return [
        f"{word} → {name}"
        for kind in ("alcohol", "coffee")
        for name in sorted(named)
        if name.lower() in CLASS_NAMES & note_classes()[kind]
        for word in said
        if word in note_classes()[kind] - CLASS_NAMES and not ANY_DRINK.search(word)
    ]


def _night_before(words: Words, text: str, at: datetime) -> Words | None:
    """Return a query of the night that ended yesterday, if "last night" is asked while a night still lasts, or None."""
    today = at.date().isoformat()
    if at.hour >= NIGHT_OVER or (words.since, words.until) != (today, today) or not OF_NIGHT.search(text):
        return None
    yesterday = (at.date() - DAY).isoformat()
    return replace(words, since=yesterday, until=yesterday)


def _asks_when(words: Words) -> bool:
    alone = not (words.since or words.until or words.against or words.by or words.per)
    return alone and words.what.startswith(TITLED) and words.of == "last" and words.where == [f"{words.what} > 0"]


def _coming(
    bridge: Bridge, user: User, text: str, words: Words | None = None, *, now: datetime
) -> tuple[Answer, Tables] | None:
    """Return the next entry with the title in a question such as "when is date night", or None if there is none."""
    asked = WHEN_IS.fullmatch(text.strip().lower())
    if asked is None:
        return None
    today = local_time(now, user.zones).date()
    until, written = today + AHEAD_DAYS * DAY, text.strip()[slice(*asked.span("name"))]
    for name in [written, *([words.what.removeprefix(TITLED)] if words else [])]:
        where = [f"entry.title ~ {name}"]
        ahead = Words(what="entries", of="first", where=where, since=today.isoformat(), until=until.isoformat())
        told, tables = typed(bridge, user, ahead, now=now, titles=True)
        tables = _begun(tables, local_time(now, user.zones), ahead=True)
        told = answer(told.query, tables)
        if told.at is not None:
            return replace(told, ahead=True), tables
    return None


def _answered(
    bridge: Bridge, user: User, words: Words, text: str, *, now: datetime, titles: bool
) -> tuple[Answer, Tables]:
    if words.what == NOTES:
        return _of_notes(bridge, user, words, now=now)
    if OF_MEETINGS.search(text) and not OF_ENTRIES.search(text):
        words = _renamed(words, ENTRIES, "meetings")
    words = _renamed(words, NONE_OF_SPORT, lambda found: f"{found[0]}|{KINDS[found['sport']]}")
    words = _of_stress(bridge, user, words)
    words, read_as = _of_score(bridge, user, words, text.lower())
    words, kind = _of_variability(bridge, user, words, text.lower())
    missing = _not_noted(bridge, user, words, text)
    if missing is not None and missing in PAINS and any(exposures.titled(bridge, user, missing, now=now).values()):
        words = _renamed(words, re.compile(rf"(?<![\w ]){re.escape(missing)}(?= |$)"), f"{TITLED}{missing}")
    elif missing is not None:
        none = say("you have not noted {name} yet; note it on Today, or ask for another", name=name_of(missing))
        return _nothing(words, none, missing)
    words, reason = _since_entry(bridge, user, words, now=now)
    if reason is not None:
        return _nothing(words, reason)
    told, tables = _of_any_kind(bridge, user, words, now=now, titles=titles)
    at = local_time(now, user.zones)
    single = told.query.subject.kind is Kind.ENTRIES and words.per is None
    ahead = single and words.of == "first" and words.since == at.date().isoformat() < (words.until or "")  # the next
    if tables.entries and (ahead or (single and words.of == "last") or UNTIL_NOW.search(text.lower())):
        tables = _begun(tables, at, ahead=ahead)
        told = answer(told.query, tables)
    told = with_verdict(told, tables, text.lower())
    besides = [
        told.meant,
        stands_for(told, text.lower(), at.date()) if told.meant in (None, TOO_FEW) else None,
        _each_on_average(bridge, user, words, told, now=now, titles=titles),
        _never(bridge, user, words, told, now=now, titles=titles),
    ]
    meant = cast("Text", listed(found)) if (found := [beside for beside in besides if beside]) else None
    told = replace(told, meant=meant, read_as=read_as or kind)
    told, tables = by_what_is_stored(told, tables, text.lower())
    missed = told.value is None or told.untold is not None
    if titles and missed and (instead := _of_entries(bridge, user, words, now=now)) is not None:
        return instead
    unnamed = _unnamed(bridge, user, words, tables, now=now)
    return (told, tables) if unnamed is None else _nothing(words, unnamed)


def _each_on_average(
    bridge: Bridge, user: User, words: Words, told: Answer, *, now: datetime, titles: bool
) -> Text | None:
    """Return the mean a week or month as a text, beside what was done in each of them, or None."""
    added = told.query.of in (Aggregate.SUM, Aggregate.COUNT) and told.query.subject.added
    if words.by not in LONG or not added or not told.value or told.untold is not None:
        return None
    since, until, today = told.query.since, told.query.until or date.max, local_time(now, user.zones).date()
    over, text, begins = replace(words, of="mean", per=words.by, by=None), EACH[words.by], [today]
    if since is not None and not (words.first or words.last):
        begins = whole(By(words.by), since, min(until, today - timedelta(days=1)))
        if len(begins) < 3:  # of two whole periods or fewer each is told anyway
            return None
        last = begins[-1] - timedelta(days=1)
        text = text if since == begins[0] and until == last else WHOLE[words.by]
        over = replace(over, since=begins[0].isoformat(), until=last.isoformat())
    mean, _ = typed(bridge, user, over, now=now, titles=titles)
    unit = "count" if told.query.of is Aggregate.COUNT else told.unit
    return None if mean.value is None else say(text.message, value=written(mean.value, unit), n=len(begins) - 1)


def _never(bridge: Bridge, user: User, words: Words, told: Answer, *, now: datetime, titles: bool) -> Text | None:
    """Return a text that none is stored of any other time either, for a number of 0 in a span, or None."""
    none = told.query.of is Aggregate.COUNT and told.value == 0 and told.untold is None and words.where
    if not none or words.per or words.by or not (words.since or words.until):
        return None
    ever, _ = typed(bridge, user, replace(words, since=None, until=None), now=now, titles=titles)
    return None if ever.value else say("and none is stored of any other time either")


def _unnamed(bridge: Bridge, user: User, words: Words, tables: Tables, *, now: datetime) -> Text | None:
    """Return the reason why no entry has the title that a query names, or None if one has or may have it."""
    missing = next((name for name in _titled(words) if not any(tables.by_day(name).values())), None)
    if missing is not None:
        name = missing.removeprefix(TITLED)
        return say("no entry of your calendar is named {name}, and you have not noted it", name=name)
    entry = next((one.partition(" ~ ")[2] for one in words.where if one.startswith("entry.title ~ ")), None)
    if entry is None or any(has_words(entry)(row.title) for row in tables.entries):
        return None
    known = words.of == "count" and words.by != "row" and exposures.titled(bridge, user, entry, now=now)
    return None if known else say("no entry of your calendar in that span is named {name}", name=entry)


def _begun(tables: Tables, at: datetime, *, ahead: bool = False) -> Tables:
    """Return the tables without the entries that had not begun at a local time, or ``ahead`` with those alone."""
    now, whole = (at.date(), at.hour * 60 + at.minute), 24.0 * 60 if ahead else 0.0  # an entry of the whole day
    entries = [entry for entry in tables.entries if ((entry.day, entry.values.get("start", whole)) > now) is ahead]
    return replace(tables, entries=entries)


def _of_entries(bridge: Bridge, user: User, words: Words, *, now: datetime) -> tuple[Answer, Tables] | None:
    """Return the number of entries named as a sport, where no workouts are stored then, or None without any."""
    sport = next(iter(words.where), "").partition("workout.sport = ")[2]
    plain = replace(words, what="workouts", of="count", where=words.where[:1] if sport else (), mended=())
    if words != plain or words.by or words.per or words.against:
        return None
    today = local_time(now, user.zones).date().isoformat()
    for name in [*sports.SYNONYMS.get(sport, ()), *_spoken(sport_name(sport)), sport] if sport else [""]:
        where = [f"entry.title ~ {name}"] if name else ["action = EXERCISE"]
        last = min(words.until or today, today)
        asked = replace(words, what="entries", where=where, until=last)
        found, tables = typed(bridge, user, asked, now=now, titles=True)
        tables = _begun(tables, local_time(now, user.zones))
        found = answer(found.query, tables)
        if found.value:
            return replace(
                found, read_as=say("counted in your calendar, as no such workouts are stored for that time")
            ), tables
    return None


def _spoken(text: str) -> list[str]:
    return [text.in_language(language) for language in languages()] if isinstance(text, Text) else [text]


def _of_any_kind(bridge: Bridge, user: User, words: Words, *, now: datetime, titles: bool) -> tuple[Answer, Tables]:
    """Return the answer to a query, over pool and open water swimming where none is told as swimming alone."""
    told = typed(bridge, user, words, now=now, titles=titles)
    sport = next((one.removeprefix(OF_SPORT) for one in words.where if one.startswith(OF_SPORT)), "")
    if told[1].unreached is None or sport not in KINDS:
        return told
    where = [f"{OF_SPORT}{KINDS[sport]}" if one == f"{OF_SPORT}{sport}" else one for one in words.where]
    wider = typed(bridge, user, replace(words, where=where), now=now, titles=titles)
    return told if wider[1].unreached is not None else wider


def _not_noted(bridge: Bridge, user: User, words: Words, text: str) -> str | None:
    """Return the name of a note that a question asks about and that the person never made, or else None."""
    named = {one.removeprefix("before.") for one in (words.what, *words.where, words.against or "")}
    said = {one for one in noted(text)[1] if not one.startswith(TITLED)}
    known = {one.lower() for one in exposures.names(bridge.store, user)}
    missing = {*note_classes(), *said} - known
    return next((name for name in sorted(missing) if any(f"{one} ".startswith(f"{name} ") for one in named)), None)


def _of_notes(bridge: Bridge, user: User, words: Words, *, now: datetime) -> tuple[Answer, Tables]:
    names = exposures.noted_between(bridge, user, words.since, words.until, now=now)
    if not names:
        return _nothing(words, say("you noted nothing in that span"))
    return typed(bridge, user, replace(words, what=",".join(names[:SEVERAL_MAX])), now=now)


def _since_entry(bridge: Bridge, user: User, words: Words, *, now: datetime) -> tuple[Words, Text | None]:
    """Return a query that runs from the day of the entry it names, or without that day and with the reason."""
    if not (words.since or "").startswith(TITLED):
        return words, None
    name = str(words.since).removeprefix(TITLED)
    days = [day for day, many in exposures.titled(bridge, user, name, now=now).items() if many]
    begun = sorted(day for day in days if day - DAY not in days)
    if len(begun) != 1:
        none = say("no entry of your calendar is named {name}; say the date", name=name)
        several = say("several entries of your calendar are named {name}; say the date", name=name)
        return words, several if begun else none
    day = begun[0]
    against = f"..{day - DAY}" if (words.against or "").startswith("..") else words.against
    return replace(words, since=day.isoformat(), against=against), None


def _nothing(words: Words, reason: Text, name: str = "") -> tuple[Answer, Tables]:
    if (words.since or "").startswith(TITLED):
        words = replace(words, since=None, against=None)
    names = [*note_classes(), *_titled(words), words.what, *([name] if name else [])]
    query = query_of(words, factors=lambda: names)
    return answer(query, Tables(values={}, reason=reason)), Tables(values={})


def _renamed(words: Words, name: re.Pattern[str], other: str | Callable[[re.Match[str]], str]) -> Words:
    """Return a query with a name replaced in its subject and conditions, except in the titles of entries."""
    what, *where = (one if TITLED in one else name.sub(other, one) for one in (words.what, *words.where))
    against = words.against if words.against is None or TITLED in words.against else name.sub(other, words.against)
    return replace(words, what=what, where=where, against=against)


def _of_score(bridge: Bridge, user: User, words: Words, text: str) -> tuple[Words, Text | None]:
    """Return a query of time asleep for good sleep of which no source tells a score, with that reading as a text."""
    asked = any(SCORE.search(one) for one in (words.what, words.against or ""))
    if not asked or SAYS_SCORE.search(text) or bridge.store.daily.told(user.id, (Metric.SLEEP_SCORE,)):
        return words, None
    return _renamed(words, SCORE, Metric.ASLEEP), say("by time asleep, as none of your sources tells a sleep score")


def _of_variability(bridge: Bridge, user: User, words: Words, text: str) -> tuple[Words, Text | None]:
    """Return a query of the kind of variability that the user's sources tell, and that reading as a text."""
    first, *others = VARIABILITY
    asked = any(RMSSD.search(one) for one in (words.what, *words.where, words.against or ""))
    if not asked or first in text or first in (told := bridge.store.daily.told(user.id, VARIABILITY)):
        return words, None
    other = next((one for one in others if one in told), first)
    return _renamed(words, RMSSD, other), say("as {metric}", metric=METRIC_NAMES[other]) if other != first else None


def _of_stress(bridge: Bridge, user: User, words: Words) -> Words:
    """Return a query of stress with the stress metric that a source of the user measures in its place.

    The score of stress management replaces it only in a mean or median, because a high score means little stress.
    """
    of_part = metric_in(words.what) != words.what  # which only readings tell
    if of_part or not any("stress" in one for one in (words.what, *words.where, words.against or "")):
        return words
    told = bridge.store.daily.told(user.id, STRESS)
    if Metric.STRESS in told or Metric.DAILY_STRESS in told:
        return words if Metric.STRESS in told else _renamed(words, ALONE, Metric.DAILY_STRESS)
    plain = words.what == Metric.STRESS and words.of in (None, "mean", "median") and words.against is None
    return replace(words, what=str(Metric.STRESS_MANAGEMENT)) if told and plain else words
