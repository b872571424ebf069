"""Make a query of the tokens of a plain question by what goes together, in any order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from bridge.domain.metrics import METRICS, Shape
from bridge.query import plain_kinds as w
from bridge.query.bag import AFTER, AHEAD, BETWEEN, BY_DAY, NEXT, NIGHT, ON, WORK, Bag
from bridge.query.figures import (
    LONG,
    NIGHT_CLOCKS,
    PAINS,
    entries,
    metric,
    noted,
    rows,
    several,
    share,
    unit_of,
    workouts,
)
from bridge.query.lists import read_lists
from bridge.query.model import METER_NAMES, OWN_FIELDS, PERIOD_VALUE, SPORT_COUNT, SUMMED, TITLED, VERSUS
from bridge.query.parse import OF_SEVERAL, Words, subject_of
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.settled import ENDS, OF_WORKOUT, WEEKEND

OF_NIGHT = (
    {str(metric) for metric, spec in METRICS.items() if spec.shape is Shape.NIGHTLY}
    | NIGHT_CLOCKS
    | {"nights", "night"}
)
BEHIND = OF_NIGHT - {"resting_hr", "hrv_rmssd", "recovery_score", "sleep_need"}  # of a day: of the night that follows
BEHIND_NOTES = ("resting_hr", "hrv_rmssd")  # of a day with something taken: of the night that follows
OF_DAY = {*METRICS, *METER_NAMES, *OWN_FIELDS, *PAINS}
COUNTED = ("days", "nights", "workouts", "entries")
WEEKDAYS = "weekday <= 5"
COMPARE = (w.RELATED, w.DIFFERENCE, w.THAN, w.OTHERS, w.MORE, w.BECOMES)


def words_of(bag: Bag) -> Words:
    """Return the query of a bag. Raises NotUnderstood if something is left over."""
    found = _words_of(bag)
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
    night = what in BEHIND

    def settled(condition: str) -> str:
        if VERSUS in condition:
            return VERSUS.join(settled(one) for one in condition.split(VERSUS))
        if condition.startswith(AHEAD):
            if not night:
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
    if clocked and not bag.sees(w.BED, w.UP):
        bag.take(w.WHEN)
        bag.tokens.append((w.WHEN, "clock"))
    if bag.sees(w.BED, w.UP) and (not metrics or bag.sees(*COMPARE)):
        names = {w.BED: "nights.start", w.UP: "nights.end"}
        bag.tokens = [(w.METRIC, names[kind]) if kind in names else (kind, of) for kind, of in bag.tokens]
        if not {(w.OF, "first"), (w.OF, "last")} & {*bag.tokens} or not bag.sees(w.CONDITION):
            bag.take(w.WHEN, w.HOW)
        _early(bag)
    twice = "asleep" in metrics and len(metrics) == 2 and any(str(one).startswith("sleep_") for one in metrics)
    if twice and not bag.sees(w.SHARE, w.AND, *COMPARE):  # "how efficient was my sleep"
        bag.tokens = [one for one in bag.tokens if one != (w.METRIC, "asleep")]


def _early(bag: Bag) -> None:
    """Read earliest and latest as min and max of a clock time."""
    bag.tokens = [(w.OF, value) if kind == w.EARLY else (kind, value) for kind, value in bag.tokens]
    bag.tokens = [(kind, "max" if (kind, value) == (w.OF, "last") else value) for kind, value in bag.tokens]


# Comparisons ---------------------------------------------------------------------------------------------------------


def _compared(bag: Bag) -> Words:
    """Read a trend, a correlation of two figures, or the difference that a condition makes."""
    if bag.has(w.WALK) and not bag.sees(w.METRIC, w.SPORT, w.ACTIVITY, w.FIGURE):
        bag.tokens.append((w.METRIC, "steps"))
    if (classes := _classes(bag)) is not None:
        return classes
    metrics = list(dict.fromkeys(str(value) for kind, value in bag.tokens if kind == w.METRIC))
    if planned := _planned_minutes(bag, metrics):
        return planned
    if (found := _versus(bag)) is not None:
        return found
    alone = not bag.sees(w.CONDITION)
    if metrics:
        _exposed(bag, metrics)
    said = _sides(bag)
    if len(metrics) == 2 and not said:
        return _two_figures(bag, metrics)
    becomes, more, than = bag.has(w.BECOMES), bag.take(w.MORE), bag.has(w.THAN)
    both = (w.OTHERS, "both") in bag.tokens
    others, related, asked = bag.has(w.OTHERS), bag.has(w.RELATED), bag.has(w.DIFFERENCE)
    alone = alone or all(one.startswith("weekday") for one in said)
    if others and alone and not (both or more or related or asked or than):
        raise NotUnderstood  # "sleep without workouts" asks for no difference
    if becomes and more and not said:
        bag.tokens.append((w.OF, "trend"))
        return _plain(bag)
    if becomes or not said or len(metrics) != 1 or not (more or others or related or asked or than):
        raise NotUnderstood
    return _difference(bag, metrics[0], said, asked=asked or related)


def _versus(bag: Bag) -> Words | None:
    """Return the query of the difference between two conditions, as in "sleep on weekdays or weekends", or None."""
    places = [at for at, (kind, _) in enumerate(bag.tokens) if kind == w.CONDITION]
    said = [str(bag.tokens[at][1]) for at in places]
    if not said or len({*said}) != len(said) or len(said) > 2:
        return None
    if {*said} == {WEEKEND, WEEKDAYS} or f"{ON}action != {WORK}" in said:
        return None
    weekdays = [one for one in said if one.startswith("weekday")]
    parted = _parts_at(bag, places[0] + 1)
    if parted is None or (len(weekdays) == 2 and (all("=" in one and "<" not in one for one in weekdays))):
        return None
    if len(said) == 2 and not places[0] < parted < places[1]:
        return None
    if len(said) == 1:
        behind = [kind for kind, _ in bag.tokens[parted + 1 :] if kind != w.WITH]
        if not re.search(" [<>]", said[0]) or behind[:1] != [w.MORE] or w.OTHERS in behind:
            return None
    bag.take(w.CONDITION, *COMPARE, w.AND, w.WITH, w.HOW_MANY, w.HOW, w.DID, w.WHICH, w.DAYS, w.NIGHTS, w.ON_DAYS)
    if bag.sees(w.BY, w.ROWS_LAST, w.WHEN, w.SHARE):
        raise NotUnderstood
    _exposed(bag, [])
    found = _plain(bag)
    if found.of not in (None, "mean", "median", "sum") or "," in found.what or found.what in COUNTED:
        raise NotUnderstood
    one, *other = _alike(said)
    against = one if not other or _opposite(one, other[0]) else f"{one}{VERSUS}{other[0]}"
    return replace(found, of="median" if found.of == "median" else "mean", against=against)


def _parts_at(bag: Bag, since: int) -> int | None:
    differs = bag.sees(w.DIFFERENCE, w.RELATED, w.MORE)
    for at in range(since, len(bag.tokens)):
        kind, of = bag.tokens[at]
        if kind == w.THAN or (kind, of) == (w.RELATED, "or") or (kind == w.AND and differs):
            return at
    return None


def _alike(said: Sequence[str]) -> Sequence[str]:
    """Return two conditions on the same day: "after training days against rest days" means after both."""
    lead = next((one for one in (AFTER, NEXT) if said[0].startswith(one)), "")
    if any(one.startswith((AFTER, NEXT)) for one in said[1:] if not lead):
        raise NotUnderstood  # "rest days against after training days"
    return [said[0], *(lead + one.removeprefix(ON) if lead and one.startswith(ON) else one for one in said[1:])]


OPPOSITES = ({"<", ">="}, {">", "<="}, {"=", "!="})


def _opposite(one: str, other: str) -> bool:
    (field, sign, value), (field_2, sign_2, value_2) = (text.split(" ", 2) for text in (one, other))
    for lead in (ON, AFTER, NEXT):
        sides = {text.removeprefix(lead).replace("workout.sport = ", SPORT_COUNT) for text in (one, other)}
        if {f"{side} = 0" for side in sides} >= sides or sides == {"workouts = 0", "workout.minutes > 0"}:
            return True
    return (field, value) == (field_2, value_2) and {sign, sign_2} in OPPOSITES


def _difference(bag: Bag, metric: str, said: list[str], *, asked: bool) -> Words:
    of = bag.one(w.OF)
    if any("action =" in one for one in said) and not bag.sees(w.UNIT) and (w.HOW_MANY, "much") in bag.tokens and asked:
        raise NotUnderstood  # "how much I work" asks for minutes
    bag.take(w.METRIC, w.DID, w.WHICH, w.AND, w.HOW, w.WITH, w.HOW_LONG, w.HOW_MANY, w.EACH, w.NIGHTS, w.DAYS, w.UNIT)
    if of not in (None, "mean", "median", "sum"):
        raise NotUnderstood
    if {*said} == {WEEKEND, WEEKDAYS}:
        said = [WEEKEND] if asked else said[:1]
    if len(said) == 2 and f"{ON}action != {WORK}" in said and {*said} & {WEEKDAYS, f"{ON}action = {WORK}"}:
        said = said[:1]
    if len(said) != 1:
        raise NotUnderstood
    return Words(what=metric, of="median" if of == "median" else "mean", against=said[0])


def _classes(bag: Bag) -> Words | None:
    """Return the query of two sports, actions or weekdays that are compared, as groups, or None."""
    actions = {value for kind, value in bag.tokens if kind == w.ACTION}
    sports = {value for kind, value in bag.tokens if kind in (w.SPORT, w.ACTIVITY)}
    if (len(actions) == 2 or len(sports) == 2) and not bag.sees(w.CONDITION):
        bag.take(*COMPARE, w.AND, w.WITH)
        return entries(bag) if len(actions) == 2 else workouts(bag)
    weekdays = [str(value) for kind, value in bag.tokens if kind == w.CONDITION and str(value).startswith("weekday = ")]
    if len({*weekdays}) != 2:
        return None
    differ = bag.sees(w.DIFFERENCE) or (w.METRIC, "nights.start") in bag.tokens  # of evenings, which the groups are not
    bag.tokens = [one for one in bag.tokens if one[0] not in (*COMPARE, w.AND) and one[1] not in weekdays]
    if differ:
        return replace(_plain(bag), against=VERSUS.join(dict.fromkeys(weekdays)))
    either = "|".join(one.removeprefix("weekday = ") for one in weekdays)
    bag.tokens += [(w.CONDITION, f"weekday = {either}"), (w.BY, "weekday")]
    if bag.sees(w.ENTRIES, w.ACTION):
        bag.tokens.append((w.EACH, None))
    return _plain(bag)


def _sides(bag: Bag) -> list[str]:
    said = [WEEKEND if kind == w.WEEKEND else str(of) for kind, of in bag.tokens if kind in (w.CONDITION, w.WEEKEND)]
    bag.take(w.CONDITION, w.WEEKEND)
    return list(dict.fromkeys(said))


def _exposed(bag: Bag, metrics: Sequence[str]) -> None:
    """Read things that a day brought as conditions of a comparison, as in "does coffee affect my sleep"."""
    workouts = all(one in OF_WORKOUT for one in metrics)
    alone = {str(one) for one in bag.take(w.FACTOR)}
    found = [f"{ON}{one} > 0" for one in alone]
    found += [f"{ON}action = {one}" for one in {*bag.take(w.ACTION)}]
    if found:
        bag.take(w.ENTRIES)
    if not workouts and not bag.sees(w.CONDITION, w.BY):
        sports = {*bag.take(w.SPORT, w.ACTIVITY)}
        nouns = bag.take(w.WORKOUTS)
        found += [f"{ON}workout.sport = {one}" for one in sports]
        found += [f"{ON}workout.minutes > 0"] if nouns and not sports else []
    elif bag.sees(w.CONDITION) and bag.sees(w.OTHERS):
        bag.take(w.WORKOUTS)
    said = [str(one) for kind, one in bag.tokens if kind == w.CONDITION]
    bag.tokens += [
        (w.CONDITION, one) for one in found if not any(other.endswith(one.removeprefix(ON)) for other in said)
    ]


def _planned_minutes(bag: Bag, metrics: Sequence[str]) -> Words | None:
    """Return the correlation of a metric with the number or minutes of calendar entries, or None if not asked for."""
    number = bag.sees(w.AND) and bag.sees(w.ENTRIES) and not bag.sees(w.ACTION, w.UNIT)
    related = bag.sees(w.RELATED) and (number or (bag.sees(w.UNIT) and bag.sees(w.ENTRIES, w.ACTION)))
    if len(metrics) != 1 or not related or bag.sees(w.CONDITION, w.MORE, w.OTHERS, w.THAN):
        return None
    bag.take(w.METRIC, w.RELATED, w.ENTRIES, w.HOW, w.HOW_MANY, w.AND, w.WITH, w.TOGETHER, w.DID, w.EACH)
    actions = {*bag.take(w.ACTION)}
    if bag.one(w.UNIT) != (None if number else "min") or len(actions) > 1 or bag.one(w.OF) not in (None, "mean"):
        raise NotUnderstood
    bag.take(w.DIFFERENCE)
    if number:
        return Words(what=metrics[0], of="mean", against="entries")
    name = f"{str(actions.pop()).lower()}.minutes" if actions else "day.entries.minutes"
    if actions or "|" in name:
        raise NotUnderstood
    return Words(what=metrics[0], of="mean", against=name.removeprefix("day."))


def _two_figures(bag: Bag, metrics: Sequence[str]) -> Words:
    bag.take(w.METRIC, w.AND, w.WITH, w.HOW, w.WHICH, w.DID, w.TOGETHER, w.HOW_LONG, w.HOW_MANY)
    if bag.one(w.UNIT) not in (None, *({"min"} if any(unit_of(one) == "min" for one in metrics) else ())):
        raise NotUnderstood
    later = bag.has(w.NEXT_DAY)
    if later and not (metrics[0] in NIGHT and metrics[1] not in BEHIND):
        raise NotUnderstood  # the day that follows a night is of the same date; of others, it is the next
    related, asked, than = bag.take(w.RELATED), bag.has(w.DIFFERENCE), bag.has(w.THAN)
    more = {*bag.take(w.MORE)} - {"to"}  # "do more steps go with better sleep"
    if (
        (more and (not related or related == ["or"]))
        or bag.one(w.OF) not in (None, "mean")
        or bag.sees(w.OTHERS, w.BECOMES)
    ):
        raise NotUnderstood
    if (related == ["or"] or asked or than) and {*metrics} & NIGHT_CLOCKS:
        raise NotUnderstood  # "bedtime vs sleep": two figures, how they go together, or the time between
    if asked or than or ("or" in related and unit_of(metrics[0]) == unit_of(metrics[1])):
        return Words(what=",".join(metrics), of="mean")
    return Words(what=metrics[0], of="mean", against=metrics[1])


def _plain(bag: Bag) -> Words:
    for kinds, read in READERS[3:]:
        if bag.sees(*kinds):
            return read(bag)
    raise NotUnderstood


READERS: Sequence[tuple[tuple[str, ...], Callable[[Bag], Words]]] = (
    ((w.SHARE,), share),
    ((w.SEVERAL,), several),
    (COMPARE, _compared),
    ((w.ENTRIES, w.ACTION), entries),
    ((w.WORKOUTS, w.SPORT, w.ACTIVITY), workouts),
    ((w.FACTOR,), noted),
    ((w.METRIC,), metric),
    ((w.CONDITION, w.UNIT, w.NIGHTS), rows),
)
