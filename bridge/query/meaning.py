"""Say what an answer means: what a figure stands for, by what is stored, and whether it tells yes or no."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from bridge.domain.languages import Text, say
from bridge.domain.metrics import NIGHT_MINUTES
from bridge.domain.noted import in_languages
from bridge.domain.phrases import WEEKDAYS
from bridge.query import exposures
from bridge.query.answer import answer
from bridge.query.answered import Answer
from bridge.query.model import (
    FIELDS,
    IN_NIGHTS,
    SPORT_COUNT,
    TITLED,
    Aggregate,
    By,
    Condition,
    Kind,
    metric_in,
    untimed,
)
from bridge.query.parse import subject_of
from bridge.query.plain_words import pattern
from bridge.query.reduced import held, rows_of, taken, values_of
from bridge.query.settled import BETTER_HIGH
from bridge.query.statistics import SLOPE_LEAST, slope_interval
from bridge.query.tables import Row, Tables
from bridge.query.understood import BEDTIME

TO_BED = re.compile(r"(?<!\w)(?:to bed|in bed|bed ?times?|hit the (?:sack|hay)|ins bett|im bett|bett\w*|zu bett)(?!\w)")
DAY_NAMED = re.compile(rf"(?<!\w)(?:{'|'.join(WEEKDAYS.values()).replace(' ', '|')})s?(?!\w)")
LASTS = re.compile("longest|shortest|längst|kürzest")
CAFFEINE, NOTED = "caffeine", "noted"
ASKS, UP, DOWN, BETTER, WORSE = map(pattern, ("asks_whether", "asks_up", "asks_down", "asks_better", "asks_worse"))
BETTER_LOW = frozenset({"resting_hr", "stress", "daily_stress", "sleep_latency", "awake"})
YES, NO, NOT_KNOWN = say("yes"), say("no"), say("not known, it may be chance")
MAY_BE_CHANCE = say("which may be chance")
MEANT = {1: say("where higher counts as better"), -1: say("where lower counts as better")}


def stands_for(told: Answer, text: str, today: date) -> Text | None:
    """Return what a figure stands for where the question leaves it open: a bedtime, a night, an amount or entries."""
    query = told.query
    if query.subject.name == BEDTIME and TO_BED.search(text):
        return say("falling asleep stands for bedtime")
    nightly = query.subject.kind is Kind.NIGHTS or query.subject.name.split("/")[0] in NIGHT_MINUTES
    nightly = nightly or query.subject.name.endswith(IN_NIGHTS)
    of_weekdays = query.by is By.WEEKDAY or any(condition.field == "weekday" for condition in query.conditions)
    if nightly and query.subject.name != BEDTIME and (of_weekdays or DAY_NAMED.search(text)):
        return say("a night is of the day on which you woke up")
    names = [query.subject.name, *(condition.name for condition in query.conditions)]
    if any(untimed(name) not in (name, metric_in(name)) for name in names):
        return say("by the times of your notes")
    if told.unit == NOTED and CAFFEINE in in_languages(query.subject.name):
        return say("an amount of caffeine, which devices tell in mg, and no number of cups")
    if told.unit == NOTED and not query.subject.name.startswith(TITLED):
        return say("in the amounts that were noted")
    without = [one for one in query.where if one.operator == "=" and 0 in one.values]
    if any(map(_is_of_note, [*without, *([query.against] if isinstance(query.against, Condition) else [])])):
        return say(
            "days without it count from its first note until {days} days after your last note",
            days=exposures.SILENT_DAYS,
        )
    if query.per in (By.WEEK, By.MONTH) and query.of in (Aggregate.MEAN, Aggregate.MEDIAN) and query.against is None:
        return say("a week or month that has only begun counts as a whole one")
    to_come = query.until is not None and query.until > today and not told.ahead
    planned = query.subject.kind is Kind.ENTRIES or query.subject.name.startswith(TITLED)
    if planned and query.of in (Aggregate.COUNT, Aggregate.SUM) and to_come:
        return say("with those still to come")
    return None


def _is_of_note(condition: Condition) -> bool:
    name = condition.name
    own = name not in (*FIELDS, *exposures.CLASSES) and not name.startswith((TITLED, SPORT_COUNT))
    return own and "/" not in name


def by_what_is_stored(told: Answer, tables: Tables, text: str) -> tuple[Answer, Tables]:
    """Return a speed by distance and time, and the longest workout by time, where none is stored as asked."""
    if told.value is not None or not tables.workouts:
        return told, tables
    field, query, known = told.query.subject.field, told.query, replace(tables, untold=frozenset(), unreached=None)
    if field == "speed":
        known = replace(known, workouts=[*map(_with_speed, tables.workouts)])
        read_as = say("by distance and time, as no speed is stored")
    elif field == "distance" and LASTS.search(text):
        query = replace(query, subject=subject_of("workouts.minutes"))
        read_as = say("by time, as no distance is stored")
    else:
        return told, tables
    found = answer(query, known)
    return (told if found.value is None else replace(found, read_as=read_as)), known


def _with_speed(row: Row) -> Row:
    far, minutes = row.values.get("distance"), row.values.get("minutes")
    return row._replace(values={**row.values, "speed": 0.06 * far / minutes}) if far and minutes else row


def with_verdict(found: Answer, tables: Tables, text: str) -> Answer:
    """Return the answer to a question about a trend with its yes or no, or with the remark that it may be chance."""
    query = found.query
    if query.of is not Aggregate.TREND or query.by or query.per or found.value is None:
        return found
    asked, meant = _asked(text, query.subject.name) if ASKS.match(text) else (0, None)
    values = values_of(query, taken(query, held(query, rows_of(query.subject, tables, query), tables)))
    ends = slope_interval([day.toordinal() for day, _ in values], [value for _, value in values])
    if ends is None:
        return found
    low, high = sorted((asked or 1) * end for end in ends)
    if not asked:
        return found if low > 0 or high < 0 else replace(found, meant=MAY_BE_CHANCE)
    return replace(found, verdict=YES if low > 0 else NO if high < 0 else NOT_KNOWN, meant=meant)


def is_sure(found: Answer) -> bool:
    """Return True if the change a week of an answer is one that chance could not explain."""
    return found.n >= SLOPE_LEAST and found.verdict is not NOT_KNOWN and found.meant is not MAY_BE_CHANCE


def _asked(text: str, name: str) -> tuple[int, Text | None]:
    """Return 1 where it is asked whether a figure rises, -1 whether it falls, 0 for neither, and what better means."""
    up, down, better, worse = (one.search(text) is not None for one in (UP, DOWN, BETTER, WORSE))
    if up + down + better + worse != 1:
        return 0, None
    if up or down:
        return (1 if up else -1), None
    good = 1 if name in BETTER_HIGH else -1 if name in BETTER_LOW else 0
    return good * (1 if better else -1), MEANT.get(good)
