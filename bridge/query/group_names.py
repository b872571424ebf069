"""Name the groups of an answer for people: days, weeks, months, sides of a comparison, and rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from bridge.domain import sports
from bridge.domain.languages import WEEKDAYS, Text, say
from bridge.domain.sport_names import sport_name
from bridge.domain.titles import ACTION_WORDS
from bridge.query.model import Aggregate, By, Kind, Query, Versus
from bridge.query.understood import BEDTIME, condition_said, dates, day_of, what_of
from rhythm_env.interface import ActionType

SAID: Mapping[str, Text] = {"with": say("with it"), "without": say("without it"), "now": say("now")}
FIGURES: Mapping[Aggregate, Text] = {
    Aggregate.MEAN: say("mean"),
    Aggregate.MEDIAN: say("median"),
    Aggregate.SUM: say("sum"),
    Aggregate.MIN: say("lowest"),
    Aggregate.MAX: say("highest"),
    Aggregate.STD: say("standard deviation"),
}
DAY = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?: (?P<time>\d\d:\d\d))?(?: (?P<name>.+))?")
WEEK = re.compile(r"(?P<year>\d{4})-W(?P<week>\d\d)")
MONTH = re.compile(r"\d{4}-\d\d")
SPAN = re.compile(r"(?P<first>[\d-]*)\.\.(?P<last>[\d-]*)")


def group_name(query: Query, key: str) -> str:
    """Return the name of a group of an answer to be shown in any language."""
    part = next((one for one in query.subject.parts if one.name == key), None)
    if part is not None:
        return what_of(part)
    if query.ofs:
        return FIGURES[Aggregate(key)]
    if isinstance(query.against, Versus):
        return condition_said(query, next(one for one in query.against if one.text == key))
    if query.by is By.WEEKDAY:
        evening = query.subject.name == BEDTIME  # which is before the day of waking
        return WEEKDAYS[int(key) - 1 - evening]
    if query.by is By.ACTION and key in {*ActionType}:
        return ACTION_WORDS[ActionType(key)]
    if query.by is By.SPORT:
        return sport_name(key)
    return SAID.get(key) or _time(query, key)


def _time(query: Query, key: str) -> str:
    if found := SPAN.fullmatch(key):
        return dates(*(date.fromisoformat(one) if one else None for one in found.group("first", "last")))
    if found := WEEK.fullmatch(key):
        return say("week {week} of {year}", week=int(found["week"]), year=found["year"])
    if MONTH.fullmatch(key):
        return say("{day:%b %Y}", day=date.fromisoformat(f"{key}-01"))
    if (found := DAY.fullmatch(key)) is None:
        return key
    day = day_of(date.fromisoformat(found["day"]))
    time, name = found["time"] or "", found["name"] or ""
    if query.subject.kind is Kind.WORKOUTS:
        name = sport_name(sports.normalised(name))
    elif (action := name.upper().replace(" ", "_")) in {*ActionType}:  # of an entry whose title may not be shown
        name = ACTION_WORDS[ActionType(action)]
    return say("{day} {time} {name}", day=day, time=time, name=name) if time or name else day
