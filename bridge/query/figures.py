"""Make a query of a figure, a count or a share of the tokens of a plain question that are left."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from bridge.domain.metrics import METRICS, Metric
from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.condition_texts import AFTER, AHEAD, NEXT, NIGHT, ON
from bridge.query.model import (
    AVERAGED,
    CLOCKS,
    FIGURE_UNITS,
    METER_NAMES,
    PEAK,
    SUMMED,
    TASKS,
    TITLED,
    WORKOUT_UNITS,
    untimed,
)
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.plain_words import note_classes
from bridge.query.settled import ENDS, MEAN_RATE, OF_WORKOUT

NIGHT_CLOCKS = {f"nights.{name}" for name in CLOCKS}
FAR = {"running", "trail running", "cycling", "mountain biking", "walking", "hiking", "swimming", "rowing", "skiing"}
FAR |= {"pool swimming", "open water swimming", "indoor rowing", "treadmill running", "cross country skiing"}
IN_WATER = {"swimming", "pool swimming", "open water swimming", "rowing", "indoor rowing"}  # where metres are no ascent
PAINS = ("headache", "migraine", "illness", "back pain", "stomach ache")  # of which no amounts are counted
LONG = ("week", "month")
NONE_OF_DAY = (f"{ON}entries = 0", f"{ON}workouts", f"{ON}action !=")
ADDED = {*WORKOUT_UNITS} - AVERAGED


def where_of(bag: Bag) -> list[str]:
    """Return the conditions of a question, and remove them from its tokens."""
    where = list(dict.fromkeys(str(one) for one in bag.take(w.CONDITION)))
    if len({one for one in where if one.removeprefix(AHEAD).startswith("weekday")}) > 1:
        raise NotUnderstood  # both days, or none
    return where


def is_nightly(where: Sequence[str]) -> bool:
    """Return True if all conditions are on the night."""
    return all(one.split()[0] in NIGHT or one.startswith("night.") for one in where)


def counted(where: Sequence[str]) -> str:
    """Return the subject whose days the conditions count. Raises NotUnderstood for conditions on weekdays alone."""
    fields = {one.removeprefix(ON).split(" =")[0].rsplit(" ", 1 if " = " in one else 2)[0] for one in where}
    fields = {field for field in fields if not field.startswith(("weekday", AFTER, NEXT))}
    if any(
        field.startswith(("workout", "entries", "action", "night.", "before.")) or field.endswith(".minutes")
        for field in fields
    ):
        return "days"
    if not fields:
        raise NotUnderstood
    return "days" if len(fields) > 1 else fields.pop()


def unit_of(name: str) -> str:
    """Return the unit of a metric, a meter, tasks or a bedtime."""
    if name in TASKS:
        return "tasks"
    return "level" if name in METER_NAMES else "clock" if name in NIGHT_CLOCKS else METRICS[Metric(name)].unit


# One figure or count -------------------------------------------------------------------------------------------------


def noted(bag: Bag) -> Words:
    """Return the query of something that is noted, or of entries with its name in their titles."""
    factor, of, by = bag.text(w.FACTOR), bag.one(w.OF), bag.text(w.BY)
    many, often, when = bag.take(w.HOW_MANY), bag.has(w.HOW_OFTEN), bag.has(w.WHEN)
    each, days = bag.has(w.EACH), bag.has(w.DAYS, w.NIGHTS)
    bag.take(w.DID, w.WITH)
    where = where_of(bag)
    if any(not one.startswith("weekday") for one in where):
        raise NotUnderstood
    taken = f"{factor} > 0"
    if when or of in ("first", "last"):
        if of not in ("first", "last", None, *ENDS):
            raise NotUnderstood
        return Words(what=str(factor), of=str(of or "last"), where=[*where, taken])
    classed = any(untimed(str(factor).lower()) in words for of, words in note_classes().items() if of not in PAINS)
    alone = not (many or often or days or each) and of is None and by is None  # "headaches in June"
    named = str(factor).startswith(TITLED)
    counted = (many and "much" not in many and of is None and not classed) or (alone and not classed and not named)
    if each and not many and of is None and by is None:
        by = "day"
    if named and (many or often or (alone and not where)) and not days and of in (None, "sum") and not each:
        where = [*where, f"entry.title ~ {str(factor).removeprefix(TITLED)}"]  # "parkruns in June"
        return Words(what="entries", of="count", by=by, where=where)
    if often or days or counted:
        return Words(what=str(factor), of="count", by=by, where=[*where, taken])
    if not many and of is None and by is None and not (alone and classed and not where):  # "wine last weekend"
        raise NotUnderstood
    if of in ("mean", "median") and by in LONG:  # "beers per week, on average": of the sums of weeks
        return Words(what=str(factor), of=str(of), per=by, where=where)
    return Words(what=str(factor), of=str(of or ("mean" if each else "sum")), by=by, where=where)


def entries(bag: Bag) -> Words:
    """Return the query of the number, the minutes or the start of calendar entries."""
    actions, unit, length = [*dict.fromkeys(bag.take(w.ACTION))], bag.text(w.UNIT), bag.text(w.LENGTH)
    named = (w.ENTRIES, None) in bag.tokens
    told, often, asked = bag.has(w.ENTRIES), bag.has(w.HOW_OFTEN), bag.take(w.HOW_MANY)
    if told and bag.has(w.WORKOUTS):
        actions.append("EXERCISE")
    of, by, where = bag.one(w.OF), bag.text(w.BY), where_of(bag)
    each, period, long = bag.has(w.EACH), bag.text(w.PERIOD), bag.has(w.HOW_LONG)
    figure, day, early = bag.one(w.FIGURE), bag.has(w.DAYS), bag.text(w.EARLY)
    when = bag.has(w.WHEN, w.WHICH) or (day and of in ENDS)
    if figure == "time":  # "family time" is a name, and minutes where nothing else is counted
        many = often or (asked and "much" not in asked)
        figure = None if many or (named and unit is None and by is None) else "minutes"
    did = None in bag.take(w.DID)
    bag.take(w.AND, *(w.WITH if told or actions else ""))
    minutes = unit == "min" or "much" in asked or long or length is not None or figure == "minutes"
    if len(actions) == 2 and by is None:
        by = "action"
    end_of_day = of in ENDS and not length and not (each or period or by)
    unclear = [
        unit not in (None, "min") or len(actions) > 2 or figure not in (None, "minutes"),
        any(not one.startswith(("weekday", "entry.")) for one in where),
        when and not (length or of in ("first", "last", *ENDS)),
        actions and not (minutes or named or often or asked or did or (when and of in ("first", "last"))),
        end_of_day and not when,  # of single ones, or of days
        day and not (when or length == "max"),
        early and (minutes or of or by or each or period or day),
    ]
    if any(unclear):
        raise NotUnderstood
    where += [f"action = {'|'.join(map(str, actions))}"] if actions else []
    what = "entries.minutes" if minutes else "entries.start" if early else "entries"
    if early or (length and day):  # "the longest day of meetings"
        return Words(what=what, of=early or length, per="day" if day else None, where=where)
    if length:
        return Words(what=what, of=length, by=by, where=where)
    if period or (of in ("mean", "median", *ENDS) and by in LONG):
        return Words(what=what, of=str(of or "mean"), per=period or by, where=where)
    if each or end_of_day or (of == "mean" and not minutes):
        return Words(what=what, of=str(of or "mean"), per="day", by=by, where=where)
    if of in ENDS and not minutes:
        raise NotUnderstood
    return Words(what=what, of=str(of or ("sum" if minutes else "count")), by=by, where=where)


def workouts(bag: Bag) -> Words:
    """Return the query of the number of workouts, or of one of their figures."""
    counted, nouns = bag.take(w.SPORT), bag.take(w.WORKOUTS)
    sports = [*dict.fromkeys(str(one) for one in (*counted, *bag.take(w.ACTIVITY)))]
    clocked = (w.WHEN, "clock") in bag.tokens
    often, when, apart = bag.has(w.HOW_OFTEN), bag.has(w.WHEN), bag.take(w.EACH)
    each = bool(apart)
    early, how, usual = bag.text(w.EARLY), bag.has(w.HOW), (w.OF, "mean") in bag.tokens
    lasted, did = (w.FIGURE, "minutes") in bag.tokens, bag.sees(w.DID)
    rows, by, period, where = bag.one(w.ROWS_LAST), bag.text(w.BY), bag.text(w.PERIOD), where_of(bag)
    now, much = (w.DID, "now") in bag.tokens, (w.HOW_MANY, "much") in bag.tokens
    whether = did and bag.timed and not bag.sees(w.HOW_MANY)  # "did I do yoga this week"
    bag.take(
        w.AND if len(sports) > 1 or when else "", "" if bag.sees(w.METRIC) else w.WALK, w.DAYS if by == "day" else ""
    )
    _farthest(bag, {*sports})
    amount = bag.sees(w.HOW_MANY) and bag.sees(w.UNIT) and any(one.startswith("weekday") for one in where)
    which, every, (field, of, summed) = bag.has(w.WHICH), bag.has(w.ALL), _of_field(bag, each=each)
    ended = when and bag.has(w.ENDED)  # "when did I finish my last run"
    timed = (clocked or ended) and of in ("first", "last")
    if when and field is None and (early or (usual and of == "mean") or timed):
        field, of = "end" if ended else "start", early or of
    unclear = [
        len(sports) > 2,
        which and of is None,
        every and field not in (None, "average_hr") and of is None and not summed,
        when and of not in (*ENDS, "first", "last") and field not in CLOCKS,
        field and often and field != "start",
        each and of == "sum",  # "total distance per workout"
    ]
    if any(unclear):
        raise NotUnderstood
    if len(sports) == 2 and by is None:
        by = "sport"
    where += [f"workout.sport = {'|'.join(sports)}"] if sports else []
    what = f"workouts.{field}" if field else "workouts"
    per = period or (by if by in LONG and of in ("mean", "median") and (not field or summed) else None)
    daily = None in apart or (amount and usual and not each and not period)
    if daily and field in ADDED and not by and of in (None, "mean", "median"):
        per = "day"  # "minutes of exercise per day", or "how many on Fridays, on average"
    if per and field not in (None, *ADDED):
        raise NotUnderstood
    if per:
        return Words(what=what, of=str(of or "mean"), per=per, where=where)
    if field:
        in_doubt = [
            summed and now and not (of or each or by),  # in all, or each
            of == "mean" and by in LONG and field in ADDED and not lasted,  # of workouts, or of weeks
            field == "minutes" and any("average_hr" in one for one in where),  # of all the workout, or of its minutes
        ]
        if any(in_doubt):
            raise NotUnderstood
        summed = summed or (field in ADDED and (by == "sport" or _adds_up(bag, by)))
        of = of or ("sum" if summed and not each else "mean")
        return _rowed(rows, Words(what=what, of=of, by=by, where=where))
    of = None if of == "sum" else of  # "how many in total"
    recent = of == "last" and sports and not (rows or each or by or where[:-1])  # "boxing, last time"
    long = did and any(one.startswith("workout.") for one in where[:-1])  # "did I ever run more than 20 km"
    # An activity alone is no number, but "did I do any sport" asks for one.
    named = often or when or counted or by or long or recent or {*nouns} - {"did"} or (nouns and did) or whether
    if rows is not None or much or how or of not in (None, "first", "last") or (each and by != "weekday") or not named:
        raise NotUnderstood  # the last five workouts are a list
    return Words(what=what, of=of or "count", by=by, where=where)


def _farthest(bag: Bag, sports: Set[str]) -> None:
    """Read the longest run as the farthest, unless said to last longest, and "how much sport" as minutes."""
    if not sports & FAR and (w.HOW_MANY, "much") in bag.tokens and not bag.sees(w.UNIT, w.FIGURE, w.METRIC, w.HOW_FAR):
        bag.tokens.append((w.UNIT, "min"))
    if not sports or not sports <= FAR:
        return
    if sports <= IN_WATER:
        bag.tokens = [(kind, "km" if (kind, of) == (w.UNIT, "m") else of) for kind, of in bag.tokens]
    if (w.UNIT, "km") in bag.tokens and (bag.sees(w.LENGTH) or not bag.sees(w.HOW_MANY, w.AND)):
        bag.take(w.HOW_LONG, w.UNIT if bag.sees(w.LENGTH) else "")  # "how long was my last run in km"
    if bag.sees(w.LENGTH) and not bag.sees(w.UNIT, w.FIGURE, w.METRIC, w.HOW_LONG):
        bag.tokens = [(w.OF, of) if kind == w.LENGTH else (kind, of) for kind, of in bag.tokens]
        bag.tokens.append((w.FIGURE, "distance"))


def _of_field(bag: Bag, *, each: bool) -> tuple[str | None, str | None, bool]:
    if {(w.OF, "max"), (w.OF, "last"), (w.METRIC, "heart_rate")} <= {*bag.tokens}:  # "max heart rate of my last run"
        bag.tokens = [token for token in bag.tokens if token not in ((w.OF, "max"), (w.METRIC, "heart_rate"))]
        bag.tokens.append((w.FIGURE, PEAK))
    many, did, of, length = bag.has(w.HOW_MANY), bag.has(w.DID), bag.one(w.OF), bag.one(w.LENGTH)
    fields = {OF_WORKOUT.get(str(one), "") for one in bag.take(w.METRIC)} | {str(one) for one in bag.take(w.FIGURE)}
    if fields & {"average_hr"} and of in ENDS:
        if of == "min" or {*fields} != {"average_hr"}:
            raise NotUnderstood  # of the means of workouts, or of all moments
        fields = {PEAK}
    fields = {"average_hr" if one == MEAN_RATE else one for one in fields}
    unit, long, far = bag.text(w.UNIT), bag.has(w.HOW_LONG), bag.has(w.HOW_FAR)
    if (long or far) and not (did or of or each or length or bag.single):
        raise NotUnderstood  # "how long are my runs": in all, or each
    if not fields:
        fields |= {"distance"} if unit == "km" or far else set()
        fields |= {"minutes"} if unit == "min" or long or (length and not of) else set()
        fields |= {"ascent"} if unit == "m" else set()
    if isinstance(of, tuple):
        of, field = of
        fields.add(field)
    if "" in fields or len(fields) > 1 or (length and of):
        raise NotUnderstood
    chosen = of or length
    field = next(iter(fields), None)
    if field is not None and field not in FIGURE_UNITS:
        raise NotUnderstood
    summed = field in ADDED
    return (
        field,
        None if chosen is None else str(chosen),
        summed and bool(many or unit or long or far or field == "ascent"),
    )


def _rowed(rows: object, words: Words) -> Words:
    if not isinstance(rows, tuple):
        return words
    which, number = rows
    return replace(words, first=int(number)) if which == "first" else replace(words, last=int(number))


def metric(bag: Bag) -> Words:
    """Return the query of one or several metrics of days or nights."""
    metrics, where = list(dict.fromkeys(str(one) for one in bag.take(w.METRIC))), where_of(bag)
    joined = bag.has(w.AND)
    if len(metrics) > 1:
        if not joined:
            raise NotUnderstood
        found = _metric_of(bag, metrics[0], where)
        added = found.of == "sum" and not {*metrics} <= SUMMED
        if found.by or found.first or found.last or added or found.of not in ("mean", "sum", "median"):
            raise NotUnderstood
        return replace(found, what=",".join(metrics))
    return _metric_of(bag, metrics[0], where)


def _metric_of(bag: Bag, metric: str, where: list[str]) -> Words:
    latest = (w.OF, "last") in bag.tokens and bag.kinds == w.OF and metric not in NIGHT
    if latest and not (metric in METRICS and METRICS[Metric(metric)].packed):
        bag.take(w.OF)
        return Words(what=metric, of="last", where=where)
    asked = bag.take(w.HOW_MANY)
    many = bool(asked) or (metric in SUMMED and bag.sees(w.HOW_LONG))
    each, rows, by, of = bag.has(w.EACH), bag.one(w.ROWS_LAST), bag.text(w.BY), bag.one(w.OF)
    early, period = bag.one(w.EARLY), bag.text(w.PERIOD)
    of = early if of is None and metric in NIGHT_CLOCKS else of
    length, bare = bag.text(w.LENGTH), each and not ({*asked} - {w.BURNED} or bag.sees(w.HOW_LONG, w.DID))
    chosen = length if of is None else str(of)
    named = bag.has(w.NIGHTS, w.DAYS)
    now = "now" in bag.take(w.DID)
    which = bag.has(w.WHICH)
    extreme = chosen in ENDS
    bag.take(w.WITH if named or (extreme and bag.sees(w.WHEN)) else "")
    per = period if metric in SUMMED and extreme else None
    if metric in SUMMED and by in LONG and chosen in ("mean", "median") and many:
        per, by = by, None  # "how many steps a week on average"
    if bare and chosen is None and by is None:
        by = "day"
    right = (
        _asked_well(bag, metric, chosen)
        and (not (bag.has(w.WHEN) or which) or extreme or by == "day" or chosen == "sum")
        and (not named or rows is not None or extreme or by == "day")
        and (length is None or (of is None and metric in NIGHT))
        and chosen in (None, "mean", "median", "sum", "std", "trend", *ENDS)
        and not (each and chosen in ("sum", "trend"))
        and not ("time" in asked and metric in NIGHT and not (each or chosen or by or bag.single or now))  # or in all
        and not (many and chosen == "trend")  # in all, or a week
        and not (chosen == "sum" and metric not in SUMMED | NIGHT)  # a sum of heart rates is no figure
        and not (chosen not in (None, "sum", "trend") and metric in SUMMED and by in LONG)  # of days, or of weeks
        and not (now and many and metric in SUMMED and not (each or chosen or by or per))  # in all, or a day
        and (period is None or per is not None)
    )
    if not right:
        raise NotUnderstood
    whole = _adds_up(bag, by) and (by is not None or not where)  # of days that a condition chooses, one of them
    summed = metric in SUMMED and not each and (many or whole or (metric in TASKS and by is None and per is None))
    of = chosen or ("sum" if summed else "mean")
    return _rowed(rows, Words(what=metric, of=of, by=by, per=per, where=where))


def _adds_up(bag: Bag, by: str | None) -> bool:
    return by in LONG or (bag.timed and by is None)


def _asked_well(bag: Bag, metric: str, chosen: str | None) -> bool:
    """Return True if the question's words fit the unit of the metric."""
    unit, long, how, walk = bag.text(w.UNIT), bag.has(w.HOW_LONG), bag.has(w.HOW), bag.has(w.WALK)
    own = unit_of(metric)
    if unit is not None and {"min": "min", "km": "m", "m": "m"}[unit] != own:
        return False
    # "How was my sleep" asks how good it was, not how long.
    walked = not walk or metric in ("steps", "distance")
    return walked and not (long and own != "min") and not (how and metric == "asleep" and chosen != "trend")


def rows(bag: Bag) -> Words:
    """Return the query of the days or nights that meet conditions: how many, the first or the last."""
    bag.take(w.EACH)  # "more than 20,000 steps in a day"
    many, often, when, did = bag.has(w.HOW_MANY), bag.has(w.HOW_OFTEN), bag.has(w.WHEN), bag.has(w.DID)
    if many and did and bag.kinds == w.UNIT and bag.one(w.UNIT) == "km":
        return Words(what="distance", of="sum")
    nights, days, of, where, by = bag.has(w.NIGHTS), bag.has(w.DAYS), bag.one(w.OF), where_of(bag), bag.text(w.BY)
    if not nights and not days:
        nights, days = bag.said == "nights", bag.said == "days"
        days = days or any(one.startswith(NONE_OF_DAY) or re.fullmatch(rf"{ON}.* = 0", one) for one in where)
    asked = [one for one in where if not one.startswith("weekday")]
    if (many or when) and nights and not where:
        asked, of = ["nights"], None if of == "sum" else of  # "how many nights do I have in total"
    bag.take(w.WITH, w.WHICH if by == "day" else "", w.AND if len(asked) > 1 else "")
    if bag.has(w.WALK) and not any(one.startswith("steps") for one in where):
        raise NotUnderstood
    if (days or nights) and not when and of in ("first", "last"):
        when = True  # "the first day with"
    if (nights and days) or (when != (of in ("first", "last"))) or (of and not when):
        raise NotUnderstood
    if not asked or not (nights or days or often or when or by == "day" or (did and len(asked) == 1)):
        raise NotUnderstood
    slept = all(one.startswith("night.") for one in asked)
    what = "nights" if nights or slept or (not days and is_nightly(asked)) else counted(asked)
    return Words(what=what, of=str(of or "count"), by=by, where=where)
