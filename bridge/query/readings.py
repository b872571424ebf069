"""Make a query of the tokens of a plain question by what goes together, in any order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from bridge.domain.metrics import METRICS
from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.comparisons import BEHIND, COMPARE, OF_NIGHT, PLAIN, compared
from bridge.query.condition_texts import AFTER, AHEAD, BETWEEN, BY_DAY, NEXT, NIGHT, ON
from bridge.query.day_parts import check_nightly, part_of_day
from bridge.query.figures import (
    LONG,
    PAINS,
    counted,
    is_nightly,
    where_of,
)
from bridge.query.lists import read_lists
from bridge.query.model import (
    IN_NIGHTS,
    METER_NAMES,
    NOTES,
    OWN_FIELDS,
    PACKED,
    PERIOD_VALUE,
    SPORT_COUNT,
    SUMMED,
    TITLED,
    VERSUS,
)
from bridge.query.parse import OF_SEVERAL, Words, subject_of
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.settled import ENDS

BEHIND_NOTES = ("resting_hr", "hrv_rmssd", "nights.end")  # of a day with something taken: of the night that follows
NO_WORKOUT = ([(w.CONDITION, f"{ON}workouts = 0")], [(w.OTHERS, None), (w.WORKOUTS, None)])
PARTS_OF = {"asleep": {"light_sleep", "deep_sleep", "rem_sleep"}, "in_bed": {*NIGHT} - {"in_bed"}}
OF_DAY = {*METRICS, *METER_NAMES, *OWN_FIELDS, *PAINS}


def words_of(bag: Bag) -> Words:
    """Return the query of a bag. Raises NotUnderstood if something is left over."""
    compares, part = bag.sees(*COMPARE), part_of_day(bag)
    found = _words_of(bag)
    if part and (found.what not in PACKED or (compares and not found.against)):
        raise NotUnderstood
    found = replace(found, what=found.what + part)
    if part == IN_NIGHTS:
        check_nightly(found)
    if BETWEEN in (found.against or ""):
        raise NotUnderstood
    if found.of == "trend" and found.by in LONG:  # "minutes per week, is there a trend"
        found = replace(found, per=found.by, by=None)
    return replace(found, where=[part for one in found.where for part in _ends_of(one)])


def _ends_of(condition: str) -> Sequence[str]:
    """Split a condition for a range, such as "between 6 and 8", into two. Any other condition is returned alone."""
    field, between, numbers = condition.partition(f" {BETWEEN}")
    highest, _, lowest = numbers.partition(" ")
    return [f"{field} >= {lowest}", f"{field} <= {highest}"] if between else [condition]


def _words_of(bag: Bag) -> Words:
    if (found := _several_of(bag)) is not None:
        return found
    if (found := read_lists(bag)) is not None:
        return _of_days(found)
    if bag.sees(w.TOP):
        return _topmost(bag)
    if bag.sees(w.PERIODS):
        return _periods(bag)
    _named_alone(bag)
    for kinds, read in READERS:
        if bag.sees(*kinds):
            found = read(bag)
            if bag.tokens:
                raise NotUnderstood
            return _of_days(found)
    raise NotUnderstood


def _several_of(bag: Bag) -> Words | None:
    """Return the query of several aggregates of one figure, as "min, max and mean", or None."""
    places = [at for at, (kind, _) in enumerate(bag.tokens) if kind == w.OF]
    ofs = list(dict.fromkeys(str(bag.tokens[at][1]).rstrip("?") for at in places))
    ends = {*ENDS} <= {*ofs}
    joined = places and all(kind in (w.OF, w.AND) for kind, _ in bag.tokens[places[0] : places[-1] + 1])
    if len(ofs) < 2 or not joined or not {*ofs} <= OF_SEVERAL or not (ends or bag.sees(w.AND)):
        return None
    rest = [*bag.tokens[: places[0]], (w.OF, "mean"), *bag.tokens[places[-1] + 1 :]]
    found = words_of(Bag([one for one in rest if one[0] != w.WHEN], bag.said))
    if found.of != "mean" or found.by or found.per or found.against or "," in found.what:
        raise NotUnderstood
    return replace(found, of=",".join(ofs))


def _topmost(bag: Bag) -> Words:
    """Read "the three worst nights" as the three lowest ones."""
    top = bag.one(w.TOP)
    bag.take(w.DAYS, w.NIGHTS, w.ON_DAYS, w.WHICH, w.WHICH_BY, w.WHEN, w.WITH, w.BY)
    if not bag.sees(w.OF, w.LENGTH, w.BEST, w.EARLY):
        bag.tokens.append((w.OF, "max"))  # "top five days"
    found = words_of(bag)
    if found.of not in ENDS or found.by or found.against or found.first or found.last:
        raise NotUnderstood
    return replace(found, top=int(str(top)))


def _periods(bag: Bag) -> Words:
    """Read "how many weeks with three or more workouts"."""
    per, many, often = bag.text(w.PERIODS), bag.has(w.HOW_MANY), bag.has(w.HOW_OFTEN)
    share = bag.has(w.SHARE)
    bag.take(w.DID, w.WITH, w.ON_DAYS, w.THAN if share else "")
    asked = [of for kind, of in bag.tokens if kind == w.COMPARED]
    if not share and bag.tokens in NO_WORKOUT:  # "weeks with no workout"
        return Words(what="workouts", of="count", per=per, where=[f"{PERIOD_VALUE} = 0"])
    if not asked and not many and not share:
        found = words_of(Bag([*bag.tokens, (w.HOW_MANY, None)] if bag.sees(w.METRIC, w.WORKOUTS) else bag.tokens))
        if found.of not in ENDS or found.by or found.against:
            raise NotUnderstood
        return replace(found, per=per)
    if len(asked) != 1 or not isinstance(asked[0], tuple) or not (many or often or share) or share:
        raise NotUnderstood
    sign, number, unit = asked[0]
    bag.take(w.COMPARED)
    if unit in ("km", "m", "min") and not bag.sees(w.METRIC, w.UNIT):
        bag.tokens.append((w.UNIT, "min" if unit == "min" else "km"))
    found = words_of(Bag([*bag.tokens, (w.HOW_MANY, None)]))
    asked_of = subject_of(found.what)
    unclear = [
        found.of not in ("sum", "count", "mean") or found.by or found.against or found.first or found.last,
        (found.of == "mean") == asked_of.added,  # of a week that adds up, its sum is compared
        unit not in (None, asked_of.unit),
    ]
    if any(unclear):
        raise NotUnderstood
    number *= 1000 if unit is None and asked_of.unit == "m" else 1
    return replace(found, of="count", per=per, where=[*found.where, f"{PERIOD_VALUE} {sign} {number:g}"])


def _of_days(words: Words) -> Words:
    what = words.what.split("/")[0].split(",")[0]
    night = what in BEHIND and what != "nights.end"  # which is of the morning of that day

    def settled(condition: str) -> str:
        if VERSUS in condition:
            return VERSUS.join(settled(one) for one in condition.split(VERSUS))
        if condition.startswith(AHEAD):
            if what not in BEHIND:
                raise NotUnderstood  # of a day, that of the next day would be asked
            return condition.removeprefix(AHEAD)
        if condition.startswith(f"{AFTER}{TITLED}") and words.what.split("/")[0].split(",")[0] not in OF_NIGHT:
            raise NotUnderstood  # "stress after lunch": of the same day
        if condition.startswith((AFTER, NEXT)):
            if words.what in SUMMED and condition.startswith(AFTER):
                raise NotUnderstood  # steps after a workout: of that day or the next
            return "before." + condition.removeprefix(AFTER).removeprefix(NEXT)
        if condition.startswith(ON) or (night and condition.partition(" ")[0] in BY_DAY and " " in condition):
            plain = condition.removeprefix(ON)
            own = plain.startswith(SPORT_COUNT) or re.split(" [<>=!]", plain)[0] in OF_DAY
            taken = what in BEHIND_NOTES and not own and TITLED not in plain
            return ("before." if night or taken else "") + plain
        return condition

    return replace(
        words,
        where=[settled(one) for one in words.where],
        against=None if words.against is None else settled(words.against),
    )


def _named_alone(bag: Bag) -> None:
    """Read words that may name a metric, such as "walk", as that metric if the question names no other."""
    metrics = {value for kind, value in bag.tokens if kind == w.METRIC}
    walked = w.WALK in bag.kinds and not metrics and not bag.sees(w.CONDITION, w.SPORT, w.ACTIVITY)
    if walked and (bag.sees(w.HOW_FAR) or (w.UNIT, "km") in bag.tokens):  # "how far did I walk"
        bag.take(w.WALK, w.HOW_FAR, w.UNIT, w.HOW_MANY)
        bag.tokens += [(w.METRIC, "distance"), (w.HOW_MANY, None)]
    elif walked and not bag.sees(w.UNIT):
        bag.tokens = [(w.METRIC, "steps") if kind == w.WALK else (kind, of) for kind, of in bag.tokens]
    if (w.SEVERAL, "night") in bag.tokens and bag.sees(w.UNIT, w.HOW_LONG, *COMPARE):
        bag.tokens = [(w.METRIC, "asleep") if kind == w.SEVERAL else (kind, of) for kind, of in bag.tokens]
    clocked = bag.has(w.CLOCKED)
    if clocked and metrics - {"asleep", "in_bed"}:
        raise NotUnderstood  # "at what time is my pulse highest": its days are kept, and no hour of them
    if clocked and not bag.sees(w.BED, w.UP):
        bag.take(w.WHEN)
        bag.tokens.append((w.WHEN, "clock"))
    if bag.sees(w.BED, w.UP) and (not metrics or bag.sees(*COMPARE)):
        names = {w.BED: "nights.start", w.UP: "nights.end"}
        bag.tokens = [(w.METRIC, names[kind]) if kind in names else (kind, of) for kind, of in bag.tokens]
        if not {(w.OF, "first"), (w.OF, "last")} & {*bag.tokens} or not bag.sees(w.CONDITION):
            bag.take(w.WHEN, w.HOW)
        _early(bag)
    twice = "asleep" in metrics and len(metrics) == 2 and any(str(metric).startswith("sleep_") for metric in metrics)
    if twice and not bag.sees(w.SHARE, w.AND, *COMPARE):  # "how efficient was my sleep"
        bag.tokens = [token for token in bag.tokens if token != (w.METRIC, "asleep")]


def _early(bag: Bag) -> None:
    """Read earliest and latest as min and max of a clock time."""
    bag.tokens = [(w.OF, value) if kind == w.EARLY else (kind, value) for kind, value in bag.tokens]
    bag.tokens = [(kind, "max" if (kind, value) == (w.OF, "last") else value) for kind, value in bag.tokens]


def _share(bag: Bag) -> Words:
    """Return the query of a share of days, nights, workouts or of the time asleep."""
    if re.match(f"{w.SHARE}[{w.CONDITION}{w.WEEKEND}]", bag.kinds) and bag.sees(w.WORKOUTS, w.SPORT, w.ACTIVITY):
        raise NotUnderstood  # "on what share of weekends did I run"
    pairs = (f"{w.METRIC}{w.NIGHTS}", f"{w.SHARE}{w.NIGHTS}{w.METRIC}")  # "share of the night that was REM"
    beside = any(pair in bag.kinds.replace(w.DID, "") for pair in pairs) and not bag.sees(w.CONDITION)
    bag.take(w.SHARE, w.HOW, w.WHICH, w.DID, w.HOW_MANY, w.WITH, w.THAN)
    metrics, where, by = [str(one) for one in bag.take(w.METRIC)], where_of(bag), bag.text(w.BY)
    nights, days, rows = bag.has(w.NIGHTS) and not beside, bag.has(w.DAYS), bag.has(w.WORKOUTS)
    nights, days = nights or bag.said == "nights", days or bag.said == "days"
    where += [f"{ON}{one} > 0" for one in bag.take(w.FACTOR)]
    sports = {str(one) for one in bag.take(w.SPORT, w.ACTIVITY)}
    if metrics and not nights and not days and not rows and all(one.startswith("weekday") for one in where):
        bag.take(w.AND)
        if bag.one(w.OF) not in (None, "sum", "mean") or {*bag.take(w.MORE)} - {"to"}:
            raise NotUnderstood
        for whole, parts in PARTS_OF.items():
            part = next((metric for metric in metrics if metric in parts and metric != whole), None)
            if part and {*metrics} - {part} <= {whole} and (whole in metrics or whole == "asleep"):
                return Words(what=f"{part}/{whole}", of="mean", by=by, where=where)
        raise NotUnderstood
    bag.take(w.EACH)
    bag.take(w.WALK if any(one.startswith("steps") for one in where) else "")
    done = [] if metrics or nights or where or not days else _shared(bag, sports, rows=rows)
    where, rows, sports = (done, False, set[str]()) if done else (where, rows, sports)
    bag.tokens = [token for token in bag.tokens if not (sports and token == (w.ACTION, "EXERCISE"))]
    if rows or sports:
        where = [*(f"workout.sport = {sport}" for sport in sports), *where]
        if len(where) != 1 or metrics or nights or days:
            raise NotUnderstood  # a share of which workouts would be said by a second condition
        return Words(what="workouts", of="share", by=by, where=where)
    if metrics or len(where) != 1 or where[0].startswith("weekday") or (nights and days):
        raise NotUnderstood
    if days or nights or is_nightly(where):
        return Words(what="nights" if nights or not days else counted(where), of="share", by=by, where=where)
    raise NotUnderstood


def _shared(bag: Bag, sports: set[str], *, rows: bool) -> list[str]:
    """Return the condition for days with or without sport or entries: "on what percentage of days did I run"."""
    sign, entries = ("=" if bag.has(w.OTHERS) else ">"), bag.has(w.ENTRIES)
    if (rows or sports) and not entries:
        return [f"{ON}{SPORT_COUNT}{'|'.join(sorted(sports))} {sign} 0" if sports else f"{ON}workouts {sign} 0"]
    return [f"{ON}entries {sign} 0"] if entries and not rows else []


def _several(bag: Bag) -> Words:
    """Return the query of all meters, or of all figures of a night."""
    names = {str(one) for one in bag.take(w.SEVERAL)}
    metrics = {str(one) for one in bag.take(w.METRIC)}
    ends = {(w.OF, end) for end in ENDS} if bag.sees(w.WHICH) else set()  # "which is lowest": all are told
    bag.tokens = [token for token in bag.tokens if token not in ends]
    bag.take(w.HOW, w.DID, w.WHICH, w.NIGHTS, w.AND, w.EACH)
    of, where = bag.one(w.OF), where_of(bag)
    if not names and metrics == {"asleep"}:
        names = {"night"}
    elif names == {"meters"} and metrics <= {*METER_NAMES}:
        metrics = set()
    if len(names) != 1 or metrics - {"asleep"} or of not in (None, "mean", "median", "last"):
        raise NotUnderstood
    if NOTES in names:
        if of is not None or where:
            raise NotUnderstood
        return Words(what=NOTES, of="sum")
    return Words(what=names.pop(), of=str(of or "mean"), where=where)


READERS: Sequence[tuple[tuple[str, ...], Callable[[Bag], Words]]] = (
    ((w.SHARE,), _share),
    ((w.SEVERAL,), _several),
    (COMPARE, compared),
    *PLAIN,
)
