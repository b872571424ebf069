"""The tokens of a plain question, with its conditions put together in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.domain.metrics import METRICS, Metric
from bridge.query import plain_kinds as w
from bridge.query.model import METER_NAMES, PLANNED, SPORT_COUNT, SUMMED, TASKS, TITLED, WORKOUT_UNITS
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.settled import OF_WORKOUT, settled

NAMED_BY_UNIT = ("minutes", "distance", "speed", "energy", "average_hr")
NIGHT = {"asleep", "in_bed", "awake", "light_sleep", "deep_sleep", "rem_sleep"}
PERCENT = 100.0
WORK = "DEEP_WORK|ADMIN_WORK"


@dataclass
class Bag:
    """The tokens (words with their meaning) of a question that were not used yet, in the order of the question."""

    tokens: list[w.Token]
    said: str | None = None  # "days" or "nights" of which conditions were told
    timed: bool = False  # within a single span of dates

    @classmethod
    def of(cls, tokens: Sequence[w.Token], *, timed: bool) -> Bag:
        """Return the tokens of a question, in which those that form a condition are joined."""
        bag = cls(settled(tokens), timed=timed)
        walked = (w.METRIC, "steps") in tokens and not bag.sees(w.ON_DAYS, w.AFTER, w.OTHERS)
        ran = w.WALK if walked else w.ACTIVITY
        bag.tokens = [(ran, of) if kind == w.RAN else (kind, of) for kind, of in bag.tokens]
        _conditions(bag)
        return bag

    @property
    def kinds(self) -> str:
        """Return a string with a letter per token, which says its kind (``plain_kinds``), for patterns to match."""
        return "".join(kind for kind, _ in self.tokens)

    def take(self, *kinds: str) -> list[object]:
        """Return the values of all tokens of some kinds, and remove these tokens."""
        found = [value for kind, value in self.tokens if kind in kinds]
        self.tokens = [one for one in self.tokens if one[0] not in kinds]
        return found

    def one(self, *kinds: str) -> object | None:
        """Return the value of the only token of some kinds, or None without such a token. Raises NotUnderstood if two
        values differ.
        """
        found = self.take(*kinds)
        if any(value != found[0] for value in found):
            raise NotUnderstood
        return found[0] if found else None

    def text(self, kind: str) -> str | None:
        """Return the value of the only token of a kind as text, or None without such a token."""
        found = self.one(kind)
        return None if found is None else str(found)

    def has(self, *kinds: str) -> bool:
        """Return True if a token of some kinds is left, and remove all of them."""
        return bool(self.take(*kinds))

    def sees(self, *kinds: str) -> bool:
        """Return True if a token of some kinds is left."""
        return any(kind in kinds for kind, _ in self.tokens)

    def join(
        self, pattern: str, made: Callable[[dict[str, object]], str | Sequence[str] | None], kept: str = ""
    ) -> None:
        """Replace each run of tokens whose kinds match a pattern by the conditions that ``made`` returns, if any.

        Tokens of the kinds ``kept`` stay, before the conditions.
        """
        at = 0
        while match := re.compile(pattern).search(self.kinds, at):
            first, last = match.span()
            told = made(dict(self.tokens[first:last]))
            if told is None:
                at = first + 1
                continue
            conditions = [told] if isinstance(told, str) else told
            stay = [one for one in self.tokens[first:last] if one[0] in kept]
            self.tokens[first:last] = [*stay, *((w.CONDITION, one) for one in conditions)]
            at = first + len(stay) + len(conditions)


# A condition on what a day brought is of that day, of the day before, or of the day before for certain. What is asked
# for settles which: the night that follows a day is of the next day.
ON, AFTER, NEXT, AHEAD = "on.", "after.", "next.", "ahead."
BETWEEN = "between:"  # leads the highest value of a range, which its lowest follows
BY_DAY = SUMMED | {"stress"}  # figures of what is done by day, whose night is the one that follows
DONE = f"[{w.WORKOUTS}{w.SPORT}{w.ACTIVITY}]"


def _conditions(bag: Bag) -> None:
    loose = _loose(bag)
    bag.tokens = [one for one in bag.tokens if one not in loose]
    _again(bag)
    _once_more(bag)
    noted = "days" if re.search(f"{w.FACTOR}{w.DAYS}$", bag.kinds) else None  # "migraine days"
    bag.said = next((str(of) for kind, of in bag.tokens if kind == w.ON_DAYS), noted)
    if bag.sees(w.WALK) and bag.sees(w.COMPARED) and not bag.sees(w.METRIC, w.UNIT):
        bag.tokens = [(w.METRIC, "steps") if kind == w.WALK else (kind, of) for kind, of in bag.tokens]
    _of_both(bag)
    _of_others(bag)
    long = f"w?C{DONE}+(?!C)|{{0}}w?{DONE}+w?C(?![MF])|{{0}}w?K?{DONE}+K?"
    bag.join("[dDN]?@d?" + long.format("[dDN]?@d?"), _of_workouts)
    of_days = any(kind == w.METRIC and str(of) not in OF_WORKOUT for kind, of in bag.tokens)
    bag.join("d" + long.format("d") if of_days else f"dw?K?{DONE}+K?", _of_workouts)
    bag.join("dw?CW+|Dw?CW+", lambda of: None if _parts(of[w.COMPARED])[2] else _of_workouts(of), kept=w.DAYS)
    bag.join(f"[DN]w{DONE}+K?", _of_workouts, kept=w.DAYS + w.NIGHTS)
    bag.join(f"Q?[sW]D(?=[^{DONE[1:-1]}]|$)", lambda of: None if w.HOW_MANY in of else _of_workouts(of))
    bag.join(f"(?<={w.HOW_MANY}){w.ACTIVITY}{w.DAYS}", _of_workouts, kept=w.DAYS)
    bag.join(f"QD{DONE}+", _of_workouts, kept=w.HOW_MANY + w.DAYS)
    bag.join("QDaE*", _of_action, kept=w.HOW_MANY + w.DAYS)
    compared = bag.sees(w.MORE, w.RELATED, w.DIFFERENCE, w.THAN)
    if compared and any(kind == w.METRIC and str(of) not in OF_WORKOUT for kind, of in bag.tokens):
        bag.join(f"{DONE}K|K{DONE}", _of_workouts)  # "does late training affect my sleep"
    bag.join("dw?CaE*|[DN]w?CaE*|dw?aE*C", _planned, kept=w.DAYS + w.NIGHTS)
    bag.join("[dDN]?@d?w?CE+|[dDN]?@d?w?E+C", _of_entries)
    bag.join("d?w?CE+|dw?E+C|(?<=[DN])w?E+C", _of_entries)
    compares = bag.sees(w.MORE, w.RELATED, w.DIFFERENCE, w.THAN)
    twice = sum(kind == w.OTHERS for kind, _ in bag.tokens) > 1  # "days without meetings against the rest"
    weekdays = all(str(of).startswith("weekday") for kind, of in bag.tokens if kind == w.CONDITION)
    alone = (
        not bag.sees(w.THAN, w.RELATED, w.DIFFERENCE)
        and bag.sees(w.METRIC)
        and (bag.sees(w.ON_DAYS) or (w.OTHERS, "without") in bag.tokens)
    )
    none = (
        (w.OTHERS, "without") in bag.tokens
        or ((bag.sees(w.HOW_MANY) or (w.BY, "day") in loose) and not bag.sees(w.METRIC))
        or (alone and compares)
    )
    if (not compares or twice or alone) and none and weekdays:
        bag.join(f"d?oE+|d?o{DONE}+|d?oaE*", _without)
    bag.join("[DN]wE+", _with_entries, kept=w.DAYS + w.NIGHTS)
    if bag.sees(w.METRIC) and not bag.sees(w.OF, w.LENGTH, w.WHEN, w.WHICH_BY):
        bag.join(f"(?<!{w.HOW_MANY})(?<!{w.ON_DAYS})E+D(?!w)", _with_entries)
    bag.join("dw?E+(?!a)", _with_entries)
    bag.join("[dDN]?@w?aE*", _of_action)
    bag.join("dw?aE*|dw?Ea", _of_action)
    bag.join("[DN]waE*", _of_action, kept=w.DAYS + w.NIGHTS)
    bag.join(f"[dDN]?<w?(?:fD?|{DONE}+|aE*|E+)", _ahead)
    bag.join("[dDN]?@d?w?Cf|[dDN]?@d?w?fC(?!M)", _noted)
    bag.join("[dDN]?@w?f[DN]?", _noted)
    bag.join("(?<=Q)f[DN]", _noted, kept=w.DAYS + w.NIGHTS)
    if not bag.sees(w.MORE, w.RELATED, w.DIFFERENCE, w.THAN, w.CONDITION) and (w.OTHERS, "both") not in bag.tokens:
        bag.join("d?ow?f", lambda of: f"{ON}{of[w.FACTOR]} = 0")
    bag.join("d?w?Cf|d?w?fC", _noted)
    bag.join("dw?f|f[DN](?![wX])|fd", _noted)
    bag.join("[DN]wf|f[DN]", _noted, kept=w.DAYS + w.NIGHTS)
    bag.join("@[Nm]?CM", _after)
    bag.join("@w?[Nm]w?C(?!M)", lambda of: _of_metric({**of, w.METRIC: "asleep"}))
    bag.join("dw?y?CM", lambda of: None if w.WALK in of and of[w.METRIC] != "steps" else _of_metric(of))
    bag.join("dM?w?MC(?!M)", _of_metric)
    bag.join("bK|Kb", lambda of: _clock("night.start", of))
    bag.join("gK|Kg", lambda of: _clock("night.end", of))
    bag.join("MK|KM", lambda of: _clock("night.start", of) if of[w.METRIC] in ("in_bed", "asleep") else None)
    bag.join("dw?K", lambda of: _clock("night.start", of) if of[w.ON_DAYS] == "nights" else None)
    bag.join("dw?C(?![MF])", _of_nights)
    bag.join("(?<=N)w?K(?!M)", lambda of: _clock("night.start", of))
    if bag.sees(w.ENTRIES, w.ACTION) and not bag.sees(w.METRIC, w.WORKOUTS, w.SPORT, w.ACTIVITY):
        bag.join("w?C", _of_entry)
        bag.join(f"(?<!{w.HOW_MANY})K", lambda of: _clock("entry.start", of))
    if bag.sees(w.WORKOUTS, w.SPORT, w.ACTIVITY):
        bag.join("w?C[MF]", _of_workout)
        bag.join("w?[MF]C", _of_workout)
        bag.join("w?C", _of_workout)
        bag.join("K", lambda of: _clock("workout.start", of))
    else:
        bag.join("CM", _of_metric)
        bag.join("MC(?!M)", _of_metric)
        bag.join("(?<=N)w?C|C(?=N)", lambda of: _of_metric({**of, w.METRIC: "asleep"}))
    if not bag.sees(w.METRIC, w.ENTRIES, w.ACTION, w.SPORT, w.ACTIVITY, w.WORKOUTS):
        bag.join("[NY]dw?C", lambda of: _of_metric({**of, w.METRIC: "asleep"}), kept=w.NIGHTS + w.WHICH_BY)
    bag.join("@[dDNw]*X", _after_condition)
    bag.join("[dw]+N?X", lambda of: str(of[w.CONDITION]))
    _without_again(bag)
    if bag.has(w.AHEAD):  # "on days with a headache, how long was the night before"
        bag.tokens = _all_ahead(bag.tokens)
    bag.tokens += loose


def _of_both(bag: Bag) -> None:
    if (w.OTHERS, "both") in bag.tokens and bag.sees(w.METRIC):  # "steps with and without a run"
        bag.join(f"o{DONE}+", _of_workouts, kept=w.OTHERS)
        bag.join("oE+", _with_entries, kept=w.OTHERS)


def _loose(bag: Bag) -> list[w.Token]:
    burned = (w.HOW_MANY, w.BURNED)
    kinds: tuple[str, ...] = (w.DID, w.BY, w.EACH, w.ROWS_LAST, w.PERIOD)
    added = bag.sees(w.DID) or (w.OF, "mean") in bag.tokens
    if bag.sees(w.PERIODS) and added and not bag.sees(w.WITH, w.ON_DAYS, w.ENTRIES):
        kinds = (*kinds, w.COMPARED)  # "how many weeks did I run 30 km": of the week, not of each run
    _without_exact_clock(bag)
    if bag.sees(w.LIST) and not bag.sees(w.TASKS, w.TASKED, w.WORKOUTS, w.SPORT, w.ACTIVITY, w.METRIC, w.ENTRIES):
        bag.tokens.append((w.ENTRIES, None))
    put_aside = [burned, *([(w.OF, "last"), (w.OF, "first")] if bag.sees(w.WHEN) else [])]
    return [one for one in bag.tokens if one[0] in kinds or one in put_aside]


def _without_exact_clock(bag: Bag) -> None:
    """Drop the clock time of "do I really get up at nine": the usual time answers the question."""
    exact = [one for one in bag.tokens if one[0] == w.CLOCK and _parts(one[1])[0] == "="]
    if exact and bag.sees(w.BED, w.UP):
        if bag.sees(w.HOW_MANY, w.HOW_OFTEN, w.SHARE, w.METRIC):
            raise NotUnderstood  # to the minute, or before it
        bag.tokens = [one for one in bag.tokens if one not in exact]


def _all_ahead(tokens: Sequence[w.Token]) -> list[w.Token]:
    ahead = [one for one in tokens if one[0] == w.CONDITION and _of_day(str(one[1]))]
    if not ahead:
        raise NotUnderstood
    return [(w.CONDITION, f"{AHEAD}{str(one[1]).removeprefix(ON)}") if one in ahead else one for one in tokens]


def _again(bag: Bag) -> None:
    """Drop the second name of "with wine versus without wine"."""
    found: list[w.Token] = []
    for kind, of in bag.tokens:
        if kind in (w.FACTOR, w.ACTION) and (kind, of) in found and found[-1][0] == w.OTHERS:
            found.insert(-1, (w.RELATED, "or"))
        else:
            found.append((kind, of))
    bag.tokens = found


def _once_more(bag: Bag) -> None:
    """Repeat a metric that is named once for two amounts, as in "less than 6 h of sleep or more than 7 h"."""
    amounts = [at for at, (kind, _) in enumerate(bag.tokens) if kind == w.COMPARED]
    figures = [at for at, (kind, _) in enumerate(bag.tokens) if kind == w.METRIC]
    if len(amounts) != 2 or _parts(bag.tokens[amounts[0]][1])[2] != _parts(bag.tokens[amounts[1]][1])[2]:
        return
    one, other = amounts
    beside = [at for at in figures if at in (one - 1, one + 1)]
    parted = {kind for kind, _ in bag.tokens[one:other]} & {w.THAN, w.RELATED, w.AND}
    if len(beside) == 1 and parted and not any(at > other for at in figures) and one + 1 != other:
        bag.tokens.insert(other + 1, bag.tokens[beside[0]])


def _of_day(condition: str) -> bool:
    return condition.startswith(ON) or condition.split()[0] in BY_DAY


def _after_condition(of: dict[str, object]) -> str | None:
    condition = str(of[w.CONDITION])
    if condition.startswith(f"{ON}workouts") and condition.endswith(" = 0"):
        return NEXT + condition.removeprefix(ON)  # "after days without a run"
    if condition.startswith((ON, AFTER, NEXT, "before.", "weekday")):
        return None
    night = condition.split()[0] in NIGHT or condition.startswith(("night.", "sleep_"))
    return condition if night else f"before.{condition}"


def _without_again(bag: Bag) -> None:
    """Drop the second name of "after coffee and without coffee"."""
    told = [
        str(of).split(" ")[0].removeprefix(ON).removeprefix(AFTER) for kind, of in bag.tokens if kind == w.CONDITION
    ]
    told += [str(of).rsplit(" = ", 1)[-1] for kind, of in bag.tokens if kind == w.CONDITION]
    found: list[w.Token] = []
    for kind, of in bag.tokens:
        again = kind in (w.FACTOR, w.SPORT, w.ACTIVITY, w.ACTION) and str(of) in told
        again = again or (kind == w.WORKOUTS and "workout.minutes" in told)
        if not (again and found and found[-1][0] in (w.OTHERS, w.WITH)):
            found.append((kind, of))
    bag.tokens = found


def _day(of: dict[str, object]) -> str:
    return ON if w.AFTER not in of else NEXT if of[w.AFTER] == "day" or w.DAYS in of else AFTER


def _ahead(of: dict[str, object]) -> Sequence[str]:
    told = {kind: one for kind, one in of.items() if kind not in (w.ON_DAYS, w.DAYS, w.NIGHTS)}
    found: str | Sequence[str] | None = (
        _noted(told) if w.FACTOR in of else _of_action(told) if w.ACTION in of else _with_entries(told)
    )
    if of.keys() & {w.SPORT, w.ACTIVITY, w.WORKOUTS}:
        found = _of_workouts(told)
    return [AHEAD + one.removeprefix(ON) for one in ([found] if isinstance(found, str) else found or [])]


def _of_workouts(of: dict[str, object]) -> Sequence[str] | None:
    if w.SPORT in of and w.ACTIVITY in of and of[w.SPORT] != of[w.ACTIVITY]:
        return None
    sport = of.get(w.SPORT) or of.get(w.ACTIVITY)
    found = [f"workout.sport = {sport}" if sport else "workout.minutes > 0"]
    if w.CLOCK in of:
        found = [*([found[0]] if sport else []), _clock("workout.start", of)]
    if w.COMPARED in of:
        sign, number, unit = _parts(of[w.COMPARED])
        if unit is None and not sport and w.AFTER not in of:
            return [f"{ON}workouts {sign} {number:g}"]
        if (long := _of_workout({w.COMPARED: of[w.COMPARED]})) is None:
            return None
        found = [*([found[0]] if sport else []), long]
    return [_day(of) + one for one in found]


def _of_action(of: dict[str, object]) -> str:
    return f"{_day(of)}action = {of[w.ACTION]}"


def _planned(of: dict[str, object]) -> str | None:
    sign, number, unit = _parts(of[w.COMPARED])
    name = f"{str(of[w.ACTION]).lower()}.minutes"
    return f"{ON}{name} {sign} {number:g}" if unit == "min" and name in PLANNED else None


def _of_entries(of: dict[str, object]) -> str | None:
    sign, number, unit = _parts(of[w.COMPARED])
    return f"{_day(of)}entries{'.minutes' if unit else ''} {sign} {number:g}" if unit in (None, "min") else None


def _with_entries(_: dict[str, object]) -> str:
    return f"{ON}entries > 0"


def _of_entry(of: dict[str, object]) -> str | None:
    sign, number, unit = _parts(of[w.COMPARED])
    return f"entry.minutes {sign} {number:g}" if unit == "min" else None


def _of_others(bag: Bag) -> None:
    """Join "workouts other than runs" and "workouts without runs"."""
    sport, all_of = f"w?[{w.SPORT}{w.ACTIVITY}]", w.WORKOUTS
    if bag.sees(all_of):
        bag.join(f"{w.EXCEPT}{sport}|(?<={all_of})o{sport}", _of_other_sports)


def _of_other_sports(of: dict[str, object]) -> str:
    return f"workout.sport != {of.get(w.SPORT) or of[w.ACTIVITY]}"


def _without(of: dict[str, object]) -> str | None:
    if w.ACTION in of:
        return f"{ON}action != {of[w.ACTION]}"
    if w.ENTRIES in of:
        return f"{ON}entries = 0"
    sports = {str(of[kind]) for kind in (w.SPORT, w.ACTIVITY) if kind in of}
    if len(sports) > 1:
        return None
    return f"{ON}{SPORT_COUNT}{sports.pop()} = 0" if sports else f"{ON}workouts = 0"


def _noted(of: dict[str, object]) -> str | None:
    sign, number, unit = _parts(of.get(w.COMPARED, (">", 0.0, None)))
    if w.COMPARED in of and str(of[w.FACTOR]).startswith(TITLED):
        return None
    return f"{_day(of)}{of[w.FACTOR]} {sign} {number:g}" if unit is None else None


def _clock(field: str, of: dict[str, object]) -> str:
    return f"{field} {' '.join(_parts(of[w.CLOCK]))}"


def _parts(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _of_nights(of: dict[str, object]) -> str | None:
    """Return the condition for nights of some length, as in "in nights shorter than 6 hours"."""
    asks = of[w.ON_DAYS] == "nights" and _parts(of[w.COMPARED])[2] == "min"
    return _of_metric({**of, w.METRIC: "asleep"}) if asks else None


def _after(of: dict[str, object]) -> str | None:
    """Return the condition of "after": on the same row for a metric of the night, else on the day before."""
    found, night = _of_metric(of), str(of[w.METRIC]) in NIGHT
    return found if night or found is None else f"before.{found}"


def _of_metric(of: dict[str, object]) -> str | None:
    name = str(of[w.METRIC])
    sign, number, unit = _parts(of[w.COMPARED])
    if name in TASKS:
        return f"{name} {sign} {number:g}" if unit is None else None
    own = "level" if name in METER_NAMES else METRICS[Metric(name)].unit
    if own == "level" and sign.startswith(BETWEEN):
        return None
    if own == "level" and unit in (None, "%") and 0 <= number <= PERCENT:
        return f"{name} {sign} {number / PERCENT if number > 1 or unit else number:g}"
    if own.startswith("vendor") and unit in (None, "%"):
        return f"{name} {sign} {number:g}"
    told = unit or ("" if own in ("m", "level") or name in NIGHT else own)
    return f"{name} {sign} {number:g}" if told == own else None


def _of_workout(of: dict[str, object]) -> str | None:
    sign, number, unit = _parts(of[w.COMPARED])
    if w.METRIC in of and of[w.METRIC] not in OF_WORKOUT:
        return None
    field = str(of.get(w.FIGURE) or OF_WORKOUT.get(str(of.get(w.METRIC)), ""))
    if not field:
        field = {own: name for name, own in WORKOUT_UNITS.items() if name in NAMED_BY_UNIT}.get(unit or "", "")
    allowed: dict[str, tuple[str | None, ...]] = {
        name: (own,) for name, own in WORKOUT_UNITS.items() if name in NAMED_BY_UNIT
    }
    allowed |= {"ascent": ("m", None), "average_hr": ("bpm", None), "energy": ("kcal", None)}
    if not field or unit not in allowed.get(field, (None,)):
        return None
    return f"workout.{field} {sign} {number:g}"
