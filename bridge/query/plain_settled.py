"""Change the query of a plain question by words that are no part of it, such as "evening" for bedtimes."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace
from datetime import date

from bridge.domain.phrases import WEEKDAYS
from bridge.query import plain_kinds as w
from bridge.query.figures import LONG, PAINS
from bridge.query.lists import NAPPED
from bridge.query.model import SUBJECTS, SUMMED, TASKS
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_words import pattern
from bridge.query.spans import DAY

LAST_NIGHT = "last night"  # the night that a question without a time asks for
LISTED = pattern("listed")
LISTED_DAYS = pattern("listed_days")
LISTING = pattern("listing")
SAT_IN = pattern("sat_in")
HOW_OFTEN_NOW = pattern("how_often_now")
BY_PERIOD = re.compile(r"(?<!\w)(?:by|nach) (?:months?|weeks?|monat\w*|woche\w*)(?!\w)")
BEGINS = re.compile(r"(?<!\w)(?:start|begin|fang|fäng|anfang|beginn)")
HOW_LONG_IS = re.compile(
    r"(?<!\w)(?:how long|wie lange?) (?:is|was|does|did|will|dauert\w*|geht|ging|ist|war)(?!\w)(?! (?:it|es))"
)
SO_FAR = re.compile(r"(?<!\w)(?:so far|until now|bis jetzt|bisher|bis dato)\W*$")
DID_I = pattern("did_i")
EVERY = pattern("every")
BETTER = re.compile(r"(?<!\w)(?:better|worse|besser|schlechter|improv|verbesser|verschlechter)")
CHANGES = pattern("changes")
CHANGED, ASKS_WHETHER = pattern("changed"), pattern("asks_whether")
SINCE_I = re.compile(r"(?<!\w)(?:(?:ever )?since|seit)(?:dem)? (?:i|we|ich|wir|the clocks?|der zeitumstellung)(?!\w)")
WHETHER, OF_ONE = pattern("whether"), pattern("of_one")
MORE_THAN = re.compile(r"(?P<field>\S+) (?:[<>]=?|=) (?P<number>[1-9]\d*(?:\.\d+)?)")
TOTALS = {"workout.distance": ("workouts.distance", "sum"), "workout.minutes": ("workouts.minutes", "sum")}
TOTALS |= {
    "workout.energy": ("workouts.energy", "sum"),
    "entries": ("entries", "count"),
    "entries.minutes": ("entries.minutes", "sum"),
}
IN_ALL = re.compile(r"(?<!\w)(?:in total|in all|altogether|insgesamt|zusammen)(?!\w)")
OF_ROWS = {"entries": "entry.minutes", "workouts": "workout."}
DAY_MOST = {
    "asleep": 960,
    "in_bed": 960,
    "deep_sleep": 240,
    "rem_sleep": 300,
    "awake": 300,
    "steps": 40_000,
}  # our choice: minutes and steps that no day has
WEEKDAY = re.compile(r"(?<!\w)weekday (?P<sign>!?=) (?P<days>[1-7](?:\|[1-7])*)")
OF_NIGHTS = re.compile(rf"(?:{'|'.join(WEEKDAYS.values()).replace(' ', '|')})[ -]?n(?:ight|acht|ächt)")


def settled(read: Words, text: str, kinds: Set[str], *, timed: bool) -> Words:
    """Return a query corrected by words of its question that the tokens do not show. ``timed`` says if it has a span.

    Raises NotUnderstood if the question asks for no figure, or needs a span that it does not name.
    """
    begins = read.of not in ("count", "sum", "first", "last") and BEGINS.search(text)
    if read.what == "entries" and (begins or (read.of in ("first", "last") and HOW_LONG_IS.search(text))):
        raise NotUnderstood  # "when do my meetings start": no number of them; "how long is my next meeting": no day
    listed = (
        (LISTED.search(text) if read.what == "entries" else LISTING.match(text))
        and not kinds & {w.HOW_MANY, w.HOW_OFTEN, w.OF, w.BY}
        and not read.by
    )
    if read.what in ("entries", "workouts") and read.of == "count" and listed and not read.per:
        read = replace(read, by="row")  # "what was in my diary": which, and no number of them
    days_held = (
        read.of == "count" and len(read.where) == 1 and read.what not in ("days", "entries", "workouts", "tasks")
    )
    days = kinds & {w.DAYS, w.NIGHTS} and not kinds & {w.HOW_MANY, w.HOW_OFTEN} and LISTED_DAYS.search(text)
    if (
        days
        and read.of == "count"
        and not (read.by or read.per or read.what.startswith(("entries", "workouts", "tasks")))
    ):
        read = replace(read, by="day")  # "list all days with a headache": their dates
    if days_held and EVERY.match(text):
        read = replace(read, of="share", by=None)  # "did I sleep 7 h every night": of how many
    if read.of == "trend" and read.what == "asleep" and BETTER.search(text):
        read = replace(read, what="sleep_score")  # "is my sleep getting better"
    if read.of == "mean" and not timed:
        read = _check_time(read, text, kinds)
    if (
        (read.what in ("entries", "workouts") or NAPPED in read.where)
        and read.of == "count"
        and not read.per
        and ((read.by in LONG and w.HOW_OFTEN in kinds) or (not (read.by or timed) and HOW_OFTEN_NOW.match(text)))
    ):
        read = replace(read, of="mean", per=read.by or "week", by=None)  # "how often do I see my friends"
    if read.of == "sum" and read.by in LONG and read.what in SUMMED - {*TASKS} and BY_PERIOD.search(text):
        read = read if kinds & {w.OF, w.HOW_MANY, w.TOGETHER} else replace(read, of="mean")  # "steps by month"
    sides = read.where if read.of == "trend" and not (timed or read.by or read.per or read.against) else ()
    if len(sides) == 1 and CHANGES.match(text):
        read = replace(read, of="mean", where=[], against=sides[0])  # "sinkt meine HRV nach Alkohol"
    sat = read.what == "entries.minutes" and read.of == "mean" and SAT_IN.search(text)
    read = replace(read, per="day") if sat and not read.per else read  # "usually in meetings": a day, not in each
    return _of_evenings(read, text)


def _check_time(read: Words, text: str, kinds: Set[str]) -> Words:
    if read.what in SUMMED and SO_FAR.search(text):
        raise NotUnderstood  # "steps so far": of today, or of all days
    alone = not (read.where or read.against or read.by or read.per or kinds & {w.OF, w.USUAL})
    if alone and DID_I.match(text):
        if read.what not in ("asleep", "night", "sleep_score") or text.startswith(("how", "wie")):
            raise NotUnderstood  # "did I walk a lot": today, or of late
        return replace(read, what="night", since=LAST_NIGHT)
    return read


def _of_evenings(read: Words, text: str) -> Words:
    """Return a query of bedtimes with each evening's weekday moved to the next day, on which the night is stored."""
    of_beds = read.what == "nights.start" or any(one.startswith("night.start") for one in read.where)
    if not of_beds or OF_NIGHTS.search(text):
        return read
    against = read.against and WEEKDAY.sub(_next_days, read.against)
    return replace(read, where=[WEEKDAY.sub(_next_days, one) for one in read.where], against=against)


def _next_days(found: re.Match[str]) -> str:
    return f"weekday {found['sign']} {'|'.join(str(int(day) % 7 + 1) for day in found['days'].split('|'))}"


def of_whole(read: Words, text: str) -> Words:
    """Return "did I run more than 20 km last week" as the kilometres of that week, and not as its runs over 20 km."""
    single = OF_ROWS.get(read.what.partition(".")[0], "-")
    if (
        read.of == "sum"
        and IN_ALL.search(text)
        and any(single in one and MORE_THAN.fullmatch(one) for one in read.where)
    ):
        raise NotUnderstood  # "were my meetings longer than 5 hours in total": of single ones, or of all
    several = read.since and read.until and read.since != read.until
    if read.of != "count" or not several or read.per or not WHETHER.match(text) or OF_ONE.search(WHETHER.sub("", text)):
        return read
    told = [(one, found) for one in read.where if (found := MORE_THAN.fullmatch(one))]
    if len(told) != 1:
        return read
    condition, (field, number) = told[0][0], told[0][1].groups()
    where = [one for one in read.where if one != condition]
    most = DAY_MOST.get(field)
    if field in TOTALS:
        what, of = TOTALS[field]
        return replace(read, what=what, of=of, where=where)
    if field == read.what and field in PAINS:
        return replace(read, where=[*where, f"{field} > 0"])
    if (field == read.what and (field in TASKS or field not in SUBJECTS)) or (most and float(number) > most):
        return replace(read, what=field, of="sum", where=where)
    return read


def of_change(read: Words, text: str) -> Words:
    """Return "what has changed since May" or "since I moved in May" as the difference from the time before that day.

    Raises NotUnderstood if the question names no day.
    """
    event = read.of == "trend" and ASKS_WHETHER.match(text) and SINCE_I.search(text) and not read.per
    if not (event or (read.of == "mean" and CHANGED.search(text))) or read.against or read.by or read.where:
        return read
    if event and (not read.since or read.until):
        return read
    if not read.since or read.until:
        raise NotUnderstood
    return replace(read, of="mean", against=f"..{date.fromisoformat(read.since) - DAY}")
