"""Read what is listed, what comes next, what is free, days in a row and days since, of the tokens of a question."""

from __future__ import annotations

from bridge.query import plain_kinds as w
from bridge.query.bag import Bag
from bridge.query.condition_texts import ON
from bridge.query.figures import counted, is_nightly, where_of
from bridge.query.model import NAPS, PERIOD_VALUE, SPORT_COUNT, TITLED
from bridge.query.parse import Words
from bridge.query.plain_kinds import NotUnderstood

TODAY = "today"  # the day on which a question is asked, as the first of its span
HORIZON = "horizon"  # the last day of which a calendar is asked for what comes next
EVENING = "entry.start >= 18:00"
SAID = (w.DID, w.HOW, w.HOW_MANY, w.HOW_LONG, w.HOW_OFTEN, w.WHEN, w.WHICH, w.WITH, w.ON_DAYS, w.EACH, w.ALL, w.AND)
LISTS = {w.LIST, w.DID, w.WHICH, w.WHEN, w.TASKS, w.TASKED, w.ENTRIES, w.WORKOUTS, w.SPORT, w.ACTIVITY, w.ACTION}
LISTS |= {w.CONDITION, w.FACTOR, w.PLANNED, w.ENDED, w.HOW_MANY}
NAPPED = f"{NAPS} > 0"
GONE_WITHOUT = {w.HOW_LONG, w.DID, w.OTHERS, w.CONDITION, w.FACTOR, w.WORKOUTS, w.SPORT, w.ACTIVITY}
NOT_OF_NAPS = {w.METRIC, w.SHARE, w.OTHERS, w.THAN, w.RELATED, w.DIFFERENCE, w.MORE, w.BECOMES, w.TOP, w.PERIODS}
MINUTES = {w.UNIT, w.FACTOR, w.DID, w.OF, w.BY, w.EACH, w.HOW_MANY, w.HOW_LONG, w.ENTRIES, w.TOGETHER, w.CONDITION}


def read_lists(bag: Bag) -> Words | None:
    """Return the query of a list, of what comes next, of free days, of a streak or of days since, or else None."""
    kinds = {kind for kind, _ in bag.tokens}
    if w.STREAK in kinds:
        return _all_read(bag, _in_a_row(bag))
    if w.AGO in kinds:
        return _all_read(bag, _ago(bag))
    none = [str(of) for kind, of in bag.tokens if kind == w.CONDITION and str(of).endswith(" = 0")]
    if kinds <= GONE_WITHOUT and w.HOW_LONG in kinds and (none or w.OTHERS in kinds):
        return _all_read(bag, _gone_without(bag, none))
    evening = f"{w.HOW_MANY}{w.CLOCK}" in bag.kinds and kinds & {w.ENTRIES, w.ACTION}
    if w.FREE in kinds or evening:
        return _all_read(bag, _free(bag))
    if w.NEXT in kinds:
        return _all_read(bag, _next(bag))
    if (w.FACTOR, NAPS) in bag.tokens and not kinds & NOT_OF_NAPS:
        return _all_read(bag, _naps(bag))
    titled = [str(of) for kind, of in bag.tokens if kind == w.FACTOR and str(of).startswith(TITLED)]
    if len(titled) == 1 and (w.UNIT, "min") in bag.tokens and kinds <= MINUTES:
        return _all_read(bag, _minutes(bag))
    state = any(kind == w.TASKED for kind, _ in bag.tokens) and w.METRIC not in kinds
    which = w.WHICH in kinds and kinds & {w.WORKOUTS, w.SPORT, w.ENTRIES, w.TASKS}
    if state or ((w.LIST in kinds or which) and kinds <= LISTS):
        return _all_read(bag, _listed(bag))
    bag.take(w.LIST)
    return None


def _all_read(bag: Bag, found: Words) -> Words:
    if bag.tokens:
        raise NotUnderstood
    return found


def _subject(bag: Bag) -> Words:
    bag.take(*SAID, w.DAYS, w.PERIOD)
    nights, without = bag.has(w.NIGHTS), bag.has(w.OTHERS)
    where = where_of(bag)
    sports, nouns = [str(one) for one in bag.take(w.SPORT, w.ACTIVITY)], bag.has(w.WORKOUTS)
    if factor := bag.text(w.FACTOR):
        return Words(what=factor, of="count", where=[*where, f"{factor} {'=' if without else '>'} 0"])
    if sports or nouns:
        if without:
            named = [f"{ON}{SPORT_COUNT}{'|'.join(sports)} = 0"] if sports else [f"{ON}workouts = 0"]
            return Words(what="days", of="count", where=[*where, *named])
        where += [f"workout.sport = {'|'.join(sports)}"] if sports else []
        return Words(what="workouts", of="count", where=where)
    if without or not where:
        raise NotUnderstood
    return Words(what="nights" if nights or is_nightly(where) else counted(where), of="count", where=where)


def _in_a_row(bag: Bag) -> Words:
    bag.take(w.STREAK)
    if bag.sees(w.HOW_LONG) and bag.sees(w.FACTOR) and bag.sees(w.CONDITION, w.METRIC):
        raise NotUnderstood  # "how long do I sleep after two night shifts in a row"
    of = {str(one) for one in bag.take(w.OF, w.LENGTH, w.BEST)}
    if not of <= {"max", "now", "first", "last"} or "first" in of or "last" in of:
        raise NotUnderstood
    if any(str(of).startswith("steps") for kind, of in bag.tokens if kind == w.CONDITION):
        bag.take(w.WALK)
    found = _subject(bag)
    return Words(what=found.what, of="streak", where=found.where)


def _ago(bag: Bag) -> Words:
    bag.take(w.AGO)
    if bag.one(w.OF) not in (None, "last"):
        raise NotUnderstood
    bag.tokens = [token for token in bag.tokens if token != (w.MORE, None)]  # "keinen mehr"
    if not bag.sees(w.FACTOR) and bag.sees(w.ENTRIES):
        raise NotUnderstood  # the last entry that was, or that is to come
    bag.take(w.ENTRIES)
    found = _subject(bag)
    if any(one.endswith(" = 0") for one in found.where):
        raise NotUnderstood  # today is without it until it is over
    return Words(what=found.what, of="ago", where=found.where)


def _gone_without(bag: Bag, none: list[str]) -> Words:
    """Read "how long have I been without coffee" as the days since the last coffee."""
    bag.take(w.OTHERS, *([w.CONDITION] if none else []))
    if none == [f"{ON}workouts = 0"]:
        bag.tokens.append((w.WORKOUTS, None))
    elif none:
        bag.tokens += [(w.FACTOR, one.removeprefix(ON).removesuffix(" = 0")) for one in none]
    return _ago(bag)


def _free(bag: Bag) -> Words:
    """Read "free evenings" or "busy evenings" as days without or with a calendar entry from 18:00 on."""
    free, many, following = bag.has(w.FREE) or bag.sees(w.OTHERS), bag.has(w.HOW_MANY), bag.has(w.NEXT)
    clocks = [*dict.fromkeys(bag.take(w.CLOCK))] + [of for of in bag.take(w.CONDITION) if of == EVENING]
    days, actions = bag.has(w.DAYS), [f"action = {one}" for one in dict.fromkeys(bag.take(w.ACTION))]
    bag.take(w.ENTRIES, w.OTHERS, w.PLANNED, *SAID)
    if bool(clocks) == days or len(clocks) > 1 or clocks not in ([], [EVENING], [(">=", "18:00")]):
        raise NotUnderstood
    where = [*actions, *([EVENING] if clocks else []), f"{PERIOD_VALUE} {'=' if free else '>'} 0"]
    if following:
        return Words(what="entries", of="first", per="day", where=where, since=TODAY, until=HORIZON)
    return Words(what="entries", of="count", per="day", by=None if many else "day", where=where)


def _next(bag: Bag) -> Words:
    bag.take(w.NEXT, w.CLOCKED, w.PLANNED, *SAID)
    entries, titled = bag.has(w.ENTRIES), _titled(bag)
    if not (entries or titled) or bag.sees(w.OF):
        raise NotUnderstood
    actions = [f"action = {one}" for one in bag.take(w.ACTION)]
    return Words(what="entries", of="first", where=[*actions, *titled], since=TODAY, until=HORIZON)


def _titled(bag: Bag) -> list[str]:
    named = [str(one) for one in bag.take(w.FACTOR)]
    if any(not one.startswith(TITLED) for one in named):
        raise NotUnderstood
    return [f"entry.title ~ {one.removeprefix(TITLED)}" for one in named]


def _minutes(bag: Bag) -> Words:
    """Read "how many hours of choir" as the minutes of the entries with "choir" in their titles."""
    bag.take(w.UNIT, w.ENTRIES, w.TOGETHER, w.HOW_LONG, w.HOW_MANY, w.DID)
    of, by, each = bag.one(w.OF), bag.text(w.BY), bag.has(w.EACH)
    if of not in (None, "sum", "mean") or (of == "mean" and not by):
        raise NotUnderstood
    where = [*where_of(bag), *_titled(bag)]
    if any(not one.startswith(("weekday", "entry.")) for one in where):
        raise NotUnderstood
    per = by if of == "mean" else "day" if each else None
    return Words(what="entries.minutes", of="mean" if per else "sum", per=per, by=None if per else by, where=where)


def _naps(bag: Bag) -> Words:
    """Read on how many days there was a nap, or how long naps were: "how often do I nap", "the longest nap"."""
    past = bag.sees(w.DID) and (w.DID, "now") not in bag.tokens
    often, many, when = bag.has(w.HOW_OFTEN), bag.take(w.HOW_MANY), bag.has(w.WHEN)
    long = bag.sees(w.HOW_LONG, w.UNIT, w.FIGURE, w.LENGTH) or "much" in many
    length, unit, figure = bag.text(w.LENGTH), bag.text(w.UNIT), bag.text(w.FIGURE)
    of, by, each = bag.text(w.OF) or length, bag.text(w.BY), bag.has(w.EACH)
    bag.take(w.FACTOR, *SAID, w.DAYS, w.TOGETHER)
    where = where_of(bag)
    if (
        unit not in (None, "min")
        or figure not in (None, "minutes")
        or any(one.startswith(f"{ON}{NAPS}") for one in where)
    ):
        raise NotUnderstood
    if (when and of in (None, "first", "last")) or (of in ("first", "last") and not long):
        return Words(what="days", of=of or "last", where=[*where, NAPPED])
    if not long and of in (None, "sum", "mean") and not (of == "mean" and not (often or many or by)):
        per = by if of == "mean" else None
        return Words(
            what="days", of="mean" if per else "count", per=per, by=None if per else by, where=[*where, NAPPED]
        )
    if of is None:
        of = "mean" if each or not (many or (past and bag.timed)) else "sum"
    if of not in ("mean", "median", "sum", "min", "max", "std", "trend") or (each and of != "mean"):
        raise NotUnderstood
    return Words(what=NAPS, of=of, by=by, where=where if of == "sum" or each else [*where, NAPPED])


def _listed(bag: Bag) -> Words:
    many, done = bag.has(w.HOW_MANY), bag.has(w.ENDED)
    bag.take(w.LIST, w.DID, w.WHICH, w.WHEN, w.PLANNED, w.ALL)
    states = {str(one) for one in bag.take(w.TASKED)} | ({"done"} if done else set())
    if bag.has(w.TASKS) or states:
        state = "open" if states <= {"due", "open"} else states.pop() if len(states) == 1 else None
        if state is None:
            raise NotUnderstood
        where = [f"task.state = {state}"]
        return Words(what="tasks", of="count", by=None if many else "row", where=where)
    sports, nouns = [str(one) for one in bag.take(w.SPORT, w.ACTIVITY)], bag.has(w.WORKOUTS)
    if sports or nouns:
        where = [*where_of(bag), *([f"workout.sport = {'|'.join(sports)}"] if sports else [])]
        return Words(what="workouts", of="count", by=None if many else "row", where=where)
    bag.take(w.ENTRIES)
    actions = [f"action = {one}" for one in bag.take(w.ACTION)]
    where = [*where_of(bag), *actions, *_titled(bag)]
    if many or any(not one.startswith(("weekday", "entry.", "action")) for one in where):
        raise NotUnderstood
    return Words(what="entries", of="count", by="row", where=where)
