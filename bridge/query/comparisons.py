"""Make a query of a comparison: a trend, a correlation, or the difference that a condition makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from bridge.domain.metrics import METRICS, Shape
from bridge.query import plain_kinds as w
from bridge.query.bag import WORK, Bag
from bridge.query.condition_texts import AFTER, NEXT, NIGHT, ON
from bridge.query.figures import NIGHT_CLOCKS, entries, metric, noted, rows, unit_of, workouts
from bridge.query.model import SPORT_COUNT, VERSUS
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.settled import OF_WORKOUT, WEEKEND

OF_NIGHT = (
    {str(metric) for metric, spec in METRICS.items() if spec.shape is Shape.NIGHTLY}
    | NIGHT_CLOCKS
    | {"nights", "night"}
)
BEHIND = OF_NIGHT - {"resting_hr", "hrv_rmssd", "recovery_score", "sleep_need"}  # of a day: of the night that follows
COUNTED = ("days", "nights", "workouts", "entries")
WEEKDAYS = "weekday <= 5"
SINGLE = re.compile(r"weekday = \d")  # and not "Monday to Thursday"
COMPARE = (w.RELATED, w.DIFFERENCE, w.THAN, w.OTHERS, w.MORE, w.BECOMES)
PLAIN: Sequence[tuple[tuple[str, ...], Callable[[Bag], Words]]] = (
    ((w.ENTRIES, w.ACTION), entries),
    ((w.WORKOUTS, w.SPORT, w.ACTIVITY), workouts),
    ((w.FACTOR,), noted),
    ((w.METRIC,), metric),
    ((w.CONDITION, w.UNIT, w.NIGHTS), rows),
)


def compared(bag: Bag) -> Words:
    """Read a trend, a correlation of two figures, or the difference that a condition makes."""
    if bag.has(w.WALK) and not bag.sees(w.METRIC, w.SPORT, w.ACTIVITY, w.FIGURE):
        bag.tokens.append((w.METRIC, "steps"))
    if (classes := _classes(bag)) is not None:
        return classes
    _noted_more(bag)
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
    if parted is None or (len(weekdays) == 2 and all(SINGLE.fullmatch(weekday) for weekday in weekdays)):
        return None
    if len(said) == 2 and not places[0] < parted < places[1]:
        return None
    if len(said) == 1:
        behind = [kind for kind, _ in bag.tokens[parted + 1 :] if kind != w.WITH]
        if not re.search(" [<>]", said[0]) or behind[:1] != [w.MORE] or w.OTHERS in behind:
            return None
    bag.take(w.CONDITION, *COMPARE, w.AND, w.WITH, w.HOW_MANY, w.HOW, w.DID, w.WHICH, w.DAYS, w.NIGHTS, w.ON_DAYS)
    bag.take(w.EACH)  # of "after a run", or of the day, by which both sides are told
    if bag.sees(w.BY, w.ROWS_LAST, w.WHEN, w.SHARE):
        raise NotUnderstood
    _exposed(bag, [])
    found = _plain(bag)
    if "," in found.what or found.what in COUNTED:
        raise NotUnderstood
    one, *other = _alike(said)
    against = one if not other or _opposite(one, other[0]) else f"{one}{VERSUS}{other[0]}"
    return replace(found, of=_compared_of(found.of), against=against)


def _compared_of(of: object) -> str:
    """Return the figure of two sides that a comparison asks for."""
    if of not in (None, "mean", "median", "sum", "std"):
        raise NotUnderstood
    return str(of) if of in ("median", "std") else "mean"


def _parts_at(bag: Bag, since: int) -> int | None:
    differs = bag.sees(w.DIFFERENCE, w.RELATED, w.MORE)
    for at in range(since, len(bag.tokens)):
        kind, of = bag.tokens[at]
        joined = (kind == w.AND and differs) or (kind == w.WITH and bag.sees(w.DIFFERENCE))
        if kind == w.THAN or (kind, of) == (w.RELATED, "or") or joined:
            return at
    return None


def _alike(said: Sequence[str]) -> Sequence[str]:
    """Return two conditions on the same day: "after training days against rest days" means after both."""
    lead = next((one for one in (AFTER, NEXT) if said[0].startswith(one)), "")
    if any(one.startswith((AFTER, NEXT)) for one in said[1:] if not lead):
        raise NotUnderstood  # "rest days against after training days"
    return [said[0], *(lead + one.removeprefix(ON) if lead and one.startswith(ON) else one for one in said[1:])]


LEAD = f"^(?:{'|'.join(map(re.escape, (ON, AFTER, NEXT)))})"
OPPOSITES = ({"<", ">="}, {">", "<="}, {"=", "!="})


def _opposite(one: str, other: str) -> bool:
    (field, sign, value), (field_2, sign_2, value_2) = (text.split(" ", 2) for text in (one, other))
    sides = {re.sub(LEAD, "", text).replace("workout.sport = ", SPORT_COUNT) for text in (one, other)}
    if any(f"{side} = 0" in sides for side in sides) or sides == {"workouts = 0", "workout.minutes > 0"}:
        return True
    return (field, value) == (field_2, value_2) and {sign, sign_2} in OPPOSITES


def _difference(bag: Bag, metric: str, said: list[str], *, asked: bool) -> Words:
    of = bag.one(w.OF)
    if any("action =" in one for one in said) and not bag.sees(w.UNIT) and (w.HOW_MANY, "much") in bag.tokens and asked:
        raise NotUnderstood  # "how much I work" asks for minutes
    bag.take(w.METRIC, w.DID, w.WHICH, w.AND, w.HOW, w.WITH, w.HOW_LONG, w.HOW_MANY, w.EACH, w.NIGHTS, w.DAYS, w.UNIT)
    if {*said} == {WEEKEND, WEEKDAYS}:
        said = [WEEKEND] if asked else said[:1]
    if len(said) == 2 and f"{ON}action != {WORK}" in said and {*said} & {WEEKDAYS, f"{ON}action = {WORK}"}:
        said = said[:1]
    if len(said) != 1:
        raise NotUnderstood
    return Words(what=metric, of=_compared_of(of), against=said[0])


def _classes(bag: Bag) -> Words | None:
    """Return the query of two sports, actions or weekdays that are compared, as groups, or None."""
    if re.search(f"{w.HOW_MANY}[{w.DAYS}{w.NIGHTS}{w.OTHERS}]", bag.kinds):
        raise NotUnderstood  # "how many days without coffee and with bad sleep"
    actions = {value for kind, value in bag.tokens if kind == w.ACTION}
    sports = {value for kind, value in bag.tokens if kind in (w.SPORT, w.ACTIVITY)}
    if (len(actions) == 2 or len(sports) == 2) and not bag.sees(w.CONDITION):
        if (w.RELATED, None) in bag.tokens:
            raise NotUnderstood  # "does yoga help my running": no number of both
        bag.take(*COMPARE, w.AND, w.WITH)
        return entries(bag) if len(actions) == 2 else workouts(bag)
    weekdays = [str(value) for kind, value in bag.tokens if kind == w.CONDITION and SINGLE.fullmatch(str(value))]
    if len({*weekdays}) != 2:
        return None
    differ = bag.sees(w.DIFFERENCE) or (w.METRIC, "nights.start") in bag.tokens  # of evenings, which the groups are not
    bag.tokens = [
        token for token in bag.tokens if token[0] not in (*COMPARE, w.AND, w.HOW) and token[1] not in weekdays
    ]
    if differ:
        return replace(_plain(bag), against=VERSUS.join(dict.fromkeys(weekdays)))
    either = "|".join(weekday.removeprefix("weekday = ") for weekday in weekdays)
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
    if found or (bag.sees(w.RELATED) and not bag.sees(w.CONDITION, w.AND, w.HOW_MANY)):
        found += [f"{ON}entries > 0"] if bag.has(w.ENTRIES) and not found else []  # "do meetings raise my stress"
    if not workouts and not bag.sees(w.CONDITION, w.BY):
        sports = {*bag.take(w.SPORT, w.ACTIVITY)}
        nouns = bag.take(w.WORKOUTS)
        found += [f"{ON}workout.sport = {sport}" for sport in sports]
        found += [f"{ON}workout.minutes > 0"] if nouns and not sports else []
    elif bag.sees(w.CONDITION) and bag.sees(w.OTHERS) and bag.has(w.WORKOUTS) and _of_sport(bag):
        raise NotUnderstood  # "after a run vs days without sport": the others are those without a run
    said = [str(one) for kind, one in bag.tokens if kind == w.CONDITION]
    bag.tokens += [
        (w.CONDITION, one) for one in found if not any(other.endswith(one.removeprefix(ON)) for other in said)
    ]


def _noted_more(bag: Bag) -> None:
    """Read "do I drink more coffee on weekends" as the mean of the coffee of a day, which the weekdays compare."""
    weekdays = [of for kind, of in bag.tokens if kind == w.CONDITION and str(of).startswith("weekday")]
    others = {kind for kind, _ in bag.tokens} - {w.FACTOR, w.CONDITION, w.WEEKEND, w.DID, w.HOW_OFTEN, *COMPARE}
    days = bag.sees(w.WEEKEND) or (
        weekdays and len(weekdays) == len([1 for kind, _ in bag.tokens if kind == w.CONDITION])
    )
    if bag.sees(w.FACTOR) and bag.sees(w.MORE) and days and not others:
        bag.take(w.HOW_OFTEN)
        bag.tokens = [(w.METRIC if kind == w.FACTOR else kind, of) for kind, of in bag.tokens]


def _of_sport(bag: Bag) -> bool:
    return any(kind == w.CONDITION and "workout.sport = " in str(of) for kind, of in bag.tokens)


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
    for kinds, read in PLAIN:
        if bag.sees(*kinds):
            return read(bag)
    raise NotUnderstood
