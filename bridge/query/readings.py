"""Make a query of the tokens of a plain question by what goes together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.query import plain_words as w
from bridge.query.bag import ENDS, NIGHT, OF_WORKOUT, WEEKEND, Bag, NotUnderstood
from bridge.query.model import METER_NAMES
from bridge.query.parse import Words

PARTS_OF = {"asleep": {"light_sleep", "deep_sleep", "rem_sleep"}, "in_bed": {*NIGHT} - {"in_bed"}}
SUMMED = {
    str(metric)
    for metric, spec in METRICS.items()
    if metric in (Metric.MINDFUL, Metric.FOCUS)
    or (spec.shape is Shape.DAILY and spec.unit in ("count", "m", "kcal", "min"))
}
PACKED = {str(metric) for metric, spec in METRICS.items() if spec.packed}
OF_NIGHT = NIGHT | {str(metric) for metric in METRICS if metric.startswith("sleep_")}
FAR = {"running", "trail running", "cycling", "mountain biking", "walking", "hiking", "swimming", "rowing", "skiing"}
LONG = ("week", "month")
WEEKDAYS = "weekday <= 5"


def words_of(bag: Bag) -> Words:
    """Return the query of a bag. Raises NotUnderstood if something is left over."""
    for kinds, read in READERS:
        if bag.sees(*kinds):
            found = read(bag)
            after = any(one.startswith("before.") for one in (*found.where, found.against or ""))
            if bag.tokens or (after and found.what in SUMMED):  # steps after a workout: of that day or the next
                raise NotUnderstood
            if found.what in OF_NIGHT and any(map(_notes_a_day, (*found.where, found.against or ""))):
                raise NotUnderstood  # sleep on days with coffee: of the night before, or of that after
            return found
    raise NotUnderstood


def _notes_a_day(condition: str) -> bool:
    """Return True for a condition on what a day brought, such as "alcohol > 0" or "action = SOCIALIZE"."""
    return condition.startswith("action ") or (
        condition.endswith(" > 0") and not condition.startswith(("before.", "workout.", *METRICS, *METER_NAMES))
    )


def _where(bag: Bag) -> list[str]:
    where = [str(one) for one in bag.take(w.CONDITION)]
    if len({one for one in where if one.startswith("weekday")}) > 1:
        raise NotUnderstood  # both days, or none
    return where


def _share(bag: Bag) -> Words:
    bag.take(w.SHARE, w.HOW, w.WHICH, w.DID)
    metrics, where = [str(one) for one in bag.take(w.METRIC)], _where(bag)
    nights, days = bag.has(w.NIGHTS), bag.has(w.DAYS)
    if len(metrics) == 2 and not nights and not days and all(one.startswith("weekday") for one in where):
        bag.take(w.AND)
        if bag.one(w.OF) not in (None, "sum", "mean") or {*bag.take(w.MORE)} - {"to"}:
            raise NotUnderstood
        for whole, parts in PARTS_OF.items():
            part = next((one for one in metrics if one in parts and one != whole), None)
            if whole in metrics and part:
                return Words(what=f"{part}/{whole}", of="mean", by=bag.text(w.BY), where=where)
        raise NotUnderstood
    if metrics or len(where) != 1 or where[0].startswith("weekday") or nights == days:
        raise NotUnderstood  # a share of which rows would be said by a second condition
    return Words(what="nights" if nights else _metric_of(where), of="share", where=where)


def _metric_of(where: Sequence[str]) -> str:
    """Return the only metric that conditions compare."""
    named = {field for one in where if (field := one.split()[0]) in METRICS}
    if len(named) != 1:
        raise NotUnderstood
    return named.pop()


def _related(bag: Bag) -> Words:
    weekdays = [value for kind, value in bag.tokens if kind in (w.CONDITION, w.WEEKEND)]
    if bag.sees(w.OTHERS) or (len(weekdays) == 2 and bag.kinds.count(w.METRIC) == 1):
        bag.tokens = [(w.DIFFERENCE if kind == w.RELATED else kind, value) for kind, value in bag.tokens]
        return _difference(bag)
    return _correlation(bag)


def _correlation(bag: Bag) -> Words:
    bag.take(w.RELATED, w.AND, w.WITH, w.HOW, w.WHICH, w.DID, w.TOGETHER)
    if {*bag.take(w.MORE)} - {"to"}:
        raise NotUnderstood
    metrics = [str(one) for one in bag.take(w.METRIC)]
    long = bag.has(w.HOW_LONG)
    if len(metrics) != 2 or metrics[0] == metrics[1] or (long and not {*metrics} & NIGHT):
        raise NotUnderstood
    return Words(what=metrics[0], of="mean", against=metrics[1])


def _difference(bag: Bag) -> Words:
    asked, becomes, more = bag.has(w.DIFFERENCE), bag.has(w.BECOMES), bag.take(w.MORE)
    if len(more) > 1:
        raise NotUnderstood
    said = [WEEKEND if kind == w.WEEKEND else str(of) for kind, of in bag.tokens if kind in (w.CONDITION, w.WEEKEND)]
    bag.take(w.CONDITION, w.WEEKEND)
    metric, than, both = _only_metric(bag), bag.has(w.THAN), bag.has(w.AND)
    others = bag.has(w.OTHERS)
    bag.take(w.DID, w.WHICH, *((w.HOW, w.WITH) if asked or others else ""))
    if others and (len(said) != 1 or becomes or bag.one(w.OF) not in (None, "mean")):
        raise NotUnderstood
    if bag.has(w.WALK) and metric != "steps":
        raise NotUnderstood
    if others:
        return Words(what=metric, of="mean", against=said[0])
    if becomes and more and not said and not (asked or than or both):
        return Words(what=metric, of="trend")
    if becomes or bag.one(w.OF) not in (None, "mean"):
        raise NotUnderstood
    if set(said) == {WEEKEND, WEEKDAYS} and len(said) == 2 and (asked or than):
        return Words(what=metric, of="mean", against=WEEKEND if asked else said[0])
    if len(said) != 1 or than or both:
        raise NotUnderstood
    return Words(what=metric, of="mean", against=said[0])


def _only_metric(bag: Bag) -> str:
    metrics = bag.take(w.METRIC)
    if len(metrics) != 1:
        raise NotUnderstood
    return str(metrics[0])


def _entries(bag: Bag) -> Words:
    action, minutes = bag.text(w.ACTION), bag.text(w.UNIT)
    named = bag.has(w.ENTRIES)
    bag.take(w.HOW_MANY, w.DID, *(w.WITH if named else ""))
    by, where = bag.text(w.BY), _where(bag)
    if (
        minutes not in (None, "min")
        or (action and not minutes and not named)
        or any(not one.startswith("weekday") for one in where)
    ):
        raise NotUnderstood
    where += [f"action = {action}"] if action else []
    return Words(
        what="entries.minutes" if minutes else "entries",
        of="sum" if minutes else "count",
        by=by,
        where=where,
    )


def _workouts(bag: Bag) -> Words:
    counted, nouns = bag.take(w.SPORT), bag.take(w.WORKOUTS)
    sports = {str(one) for one in (*counted, *bag.take(w.ACTIVITY))}
    often, when, each = bag.has(w.HOW_OFTEN), bag.has(w.WHEN), bag.has(w.EACH)
    rows, by, where = bag.one(w.ROWS_LAST), bag.text(w.BY), _where(bag)
    now, much = (w.DID, "now") in bag.tokens, (w.HOW_MANY, "much") in bag.tokens
    if bag.sees(w.LENGTH) and {*sports} & FAR and not bag.sees(w.UNIT, w.FIGURE, w.METRIC):
        raise NotUnderstood  # the longest run took longest, or went farthest
    which, every, (field, of, summed) = bag.has(w.WHICH), bag.has(w.ALL), _of_field(bag, each=each)
    if (
        len(sports) > 1
        or (which and of is None)
        or (every and field and of is None)
        or (when and of not in (*ENDS, "first", "last"))
        or (field and often)
    ):
        raise NotUnderstood
    if field and summed and ((now and not (of or each or by)) or (of == "mean" and by in LONG)):
        raise NotUnderstood  # in all, or each; of workouts, or of weeks
    if rows is not None and not field:
        raise NotUnderstood  # the last five workouts are a list
    if field:
        of = of or ("mean" if each or not summed else "sum")
    elif much or each or of not in (None, "first", "last") or not (often or when or counted or {*nouns} - {"did"}):
        raise NotUnderstood  # an activity alone is no number
    what = f"workouts.{field}" if field else "workouts"
    where += [f"workout.sport = {sport}" for sport in sports]
    return _rowed(rows, Words(what=what, of=of or "count", by=by, where=where))


def _of_field(bag: Bag, *, each: bool) -> tuple[str | None, str | None, bool]:
    """Return the figure of workouts that is asked for, its aggregate as said, and True if their sum may be meant."""
    many, did, of, length = bag.has(w.HOW_MANY), bag.has(w.DID), bag.one(w.OF), bag.one(w.LENGTH)
    fields = {OF_WORKOUT.get(str(one), "") for one in bag.take(w.METRIC)} | {str(one) for one in bag.take(w.FIGURE)}
    if fields & {"average_hr", "speed"} and of in ENDS:
        raise NotUnderstood  # of the means of workouts, or of all moments
    unit, long, far = bag.text(w.UNIT), bag.has(w.HOW_LONG), bag.has(w.HOW_FAR)
    if (long or far) and not (did or of or each or length):
        raise NotUnderstood  # "how long are my runs": in all, or each
    fields |= {"distance"} if unit == "km" or far else set()
    fields |= {"minutes"} if unit == "min" or long or (length and not (of or fields)) else set()
    if isinstance(of, tuple):
        of, field = of
        fields.add(field)
    if "" in fields or len(fields) > 1 or (length and of):
        raise NotUnderstood
    chosen = of or length
    return next(iter(fields), None), None if chosen is None else str(chosen), bool(many or unit or long or far)


def _rowed(rows: object, words: Words) -> Words:
    """Return a query of the first or last rows that are asked for, as ("last", 5)."""
    if not isinstance(rows, tuple):
        return words
    which, number = rows
    return replace(words, first=int(number)) if which == "first" else replace(words, last=int(number))


def _metric(bag: Bag) -> Words:
    metric, where = _only_metric(bag), _where(bag)
    asked = bag.take(w.HOW_MANY)
    many = bool(asked) or (metric in SUMMED and bag.sees(w.HOW_LONG))
    each, rows, by, of = bag.has(w.EACH), bag.one(w.ROWS_LAST), bag.text(w.BY), bag.one(w.OF)
    length, bare = bag.text(w.LENGTH), each and not ({*asked} - {w.BURNED} or bag.sees(w.HOW_LONG, w.DID))
    chosen = length if of is None else str(of)
    named = bag.has(w.NIGHTS, w.DAYS)
    now = "now" in bag.take(w.DID)
    bag.take(w.WHICH, *(w.WITH if named else ""))
    extreme = chosen in ENDS
    right = (
        _asked_well(bag, metric)
        and (not bag.has(w.WHEN) or extreme)
        and (not named or rows is not None or extreme)
        and (length is None or (of is None and metric in NIGHT))
        and chosen in (None, "mean", "median", "sum", "std", "trend", *ENDS)
        and not (each and chosen in ("sum", "trend"))
        and not ("time" in asked and metric in NIGHT and not (each or chosen or by))  # in all, or a night
        and (not bare or chosen is not None)  # "steps per day": of each, or on average
        and not (many and chosen == "trend")  # in all, or a week
        and not (chosen == "sum" and metric not in SUMMED | NIGHT)  # a sum of heart rates is no figure
        and not (extreme and metric in PACKED)  # of the readings, or of the days' means
        and not (chosen not in (None, "sum") and metric in SUMMED and by in LONG)  # of days, or of weeks
        and not (now and many and metric in SUMMED and not (each or chosen or by))  # in all, or a day
    )
    if not right:
        raise NotUnderstood
    summed = metric in SUMMED and not each and (many or by in LONG)
    return _rowed(rows, Words(what=metric, of=chosen or ("sum" if summed else "mean"), by=by, where=where))


def _asked_well(bag: Bag, metric: str) -> bool:
    """Return True if the words by which a metric is asked for suit it."""
    unit, long, how, walk = bag.text(w.UNIT), bag.has(w.HOW_LONG), bag.has(w.HOW), bag.has(w.WALK)
    own = "level" if metric in METER_NAMES else METRICS[Metric(metric)].unit
    if unit is not None and {"min": "min", "km": "m"}[unit] != own:
        return False
    # "How was my sleep" asks how good it was, not how long.
    return not (long and own != "min") and not (how and metric in NIGHT) and not (walk and metric != "steps")


def _rows(bag: Bag) -> Words:
    bag.take(w.EACH)  # "more than 20,000 steps in a day"
    many, often, when, did = bag.has(w.HOW_MANY), bag.has(w.HOW_OFTEN), bag.has(w.WHEN), bag.has(w.DID)
    if many and did and bag.kinds == w.UNIT and bag.one(w.UNIT) == "km":
        return Words(what="distance", of="sum")
    nights, days, of, where = bag.has(w.NIGHTS), bag.has(w.DAYS), bag.one(w.OF), _where(bag)
    asked = [one for one in where if not one.startswith("weekday")]
    if bag.has(w.WALK) and not any(one.startswith("steps") for one in where):
        raise NotUnderstood
    if not asked or (nights and days) or (when != (of in ("first", "last"))) or (of and not when):
        raise NotUnderstood
    if not (nights or days or often or when):
        raise NotUnderstood
    of_night = all(one.split()[0] in NIGHT or one.startswith("night.") for one in asked)
    if days and all(one.startswith("night.") for one in asked):
        raise NotUnderstood
    what = "nights" if nights or (not days and of_night) else _metric_of(asked)
    return Words(what=what, of=str(of or "count"), where=where)


READERS: Sequence[tuple[tuple[str, ...], Callable[[Bag], Words]]] = (
    ((w.SHARE,), _share),
    ((w.RELATED,), _related),
    ((w.DIFFERENCE, w.MORE, w.BECOMES, w.OTHERS), _difference),
    ((w.ENTRIES, w.ACTION), _entries),
    ((w.WORKOUTS, w.SPORT, w.ACTIVITY), _workouts),
    ((w.METRIC,), _metric),
    ((w.CONDITION, w.UNIT), _rows),
)
