"""The tokens of a plain question, with its conditions put together in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bridge.query import plain_kinds as w
from bridge.query.condition_texts import (
    AFTER,
    AHEAD,
    BY_DAY,
    NEXT,
    NIGHT,
    ON,
    absent,
    after_it,
    after_none,
    amount,
    before_it,
    clocked,
    noted_on,
    of_action,
    of_entries,
    of_entry,
    of_metric,
    of_nights,
    of_other_sports,
    of_workout,
    of_workouts,
    planned,
    weekday_after,
    with_entries,
)
from bridge.query.model import TITLED
from bridge.query.plain_kinds import NotUnderstood
from bridge.query.settled import OF_WORKOUT, settled

WORK = "DEEP_WORK|ADMIN_WORK"


@dataclass
class Bag:
    """The tokens (words with their meaning) of a question that were not used yet, in the order of the question."""

    tokens: list[w.Token]
    said: str | None = None  # "days" or "nights" of which conditions were told
    timed: bool = False  # within a single span of dates
    single: bool = False  # which is one day

    @classmethod
    def of(cls, tokens: Sequence[w.Token], *, timed: bool, single: bool = False) -> Bag:
        """Return the tokens of a question, in which those that form a condition are joined."""
        bag = cls(settled(tokens), timed=timed, single=single)
        walked = (w.METRIC, "steps") in tokens and not bag.sees(w.ON_DAYS, w.AFTER, w.OTHERS)
        ran = w.WALK if walked else w.ACTIVITY
        bag.tokens = [(ran, of) if kind == w.RAN else (kind, of) for kind, of in bag.tokens]
        if (
            {(w.WALK, None), (w.AND, None)} <= {*bag.tokens}
            and bag.sees(w.SPORT, w.ACTIVITY)
            and bag.sees(w.UNIT, w.HOW_FAR)
        ):
            bag.tokens = [(w.ACTIVITY, "walking") if kind == w.WALK else (kind, of) for kind, of in bag.tokens]
        _conditions(bag)
        return bag

    @property
    def kinds(self) -> str:
        """Return a string with a letter per token, which says its kind (``plain_kinds``), for patterns to match."""
        return "".join(kind for kind, _ in self.tokens)

    def take(self, *kinds: str) -> list[object]:
        """Return the values of all tokens of some kinds, and remove these tokens."""
        found = [value for kind, value in self.tokens if kind in kinds]
        self.tokens = [token for token in self.tokens if token[0] not in kinds]
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
            stay = [token for token in self.tokens[first:last] if token[0] in kept]
            self.tokens[first:last] = [*stay, *((w.CONDITION, condition) for condition in conditions)]
            at = first + len(stay) + len(conditions)


DONE = f"[{w.WORKOUTS}{w.SPORT}{w.ACTIVITY}]"


def _conditions(bag: Bag) -> None:
    loose = _loose(bag)
    bag.tokens = [token for token in bag.tokens if token not in loose]
    bag.tokens = _at_clock(bag.tokens, bag.kinds)
    _again(bag)
    _once_more(bag)
    noted = "days" if re.search(f"{w.FACTOR}{w.DAYS}$", bag.kinds) else None  # "migraine days"
    bag.said = next((str(of) for kind, of in bag.tokens if kind == w.ON_DAYS), noted)
    if bag.sees(w.WALK) and bag.sees(w.COMPARED) and not bag.sees(w.METRIC, w.UNIT):
        bag.tokens = [(w.METRIC, "steps") if kind == w.WALK else (kind, of) for kind, of in bag.tokens]
    _of_both(bag)
    _of_others(bag)
    long = f"w?C{DONE}+(?!C)|{{0}}w?{DONE}+w?C(?![MF])|{{0}}w?K?{DONE}+K?"
    bag.join("[dDN]?@d?" + long.format("[dDN]?@d?"), of_workouts)
    of_days = any(kind == w.METRIC and str(of) not in OF_WORKOUT for kind, of in bag.tokens)
    bag.join("d" + long.format("d") if of_days else f"dw?K?{DONE}+K?", of_workouts)
    bag.join("dw?CW+|Dw?CW+", lambda of: None if amount(of[w.COMPARED])[2] else of_workouts(of), kept=w.DAYS)
    bag.join(f"[DN]w{DONE}+K?", of_workouts, kept=w.DAYS + w.NIGHTS)
    bag.join(f"Q?[sW]D(?=[^{DONE[1:-1]}]|$)", lambda of: None if w.HOW_MANY in of else of_workouts(of))
    bag.join(f"(?<={w.HOW_MANY}){w.ACTIVITY}{w.DAYS}", of_workouts, kept=w.DAYS)
    bag.join(f"QDX?{DONE}+", of_workouts, kept=w.HOW_MANY + w.DAYS + w.CONDITION)
    bag.join("QDaE*", of_action, kept=w.HOW_MANY + w.DAYS)
    compared = bag.sees(w.MORE, w.RELATED, w.DIFFERENCE, w.THAN)
    if compared and any(kind == w.METRIC and str(of) not in OF_WORKOUT for kind, of in bag.tokens):
        bag.join(f"{DONE}K|K{DONE}", of_workouts)  # "does late training affect my sleep"
    bag.join("dw?CaE*|[DN]w?CaE*|dw?aE*C", planned, kept=w.DAYS + w.NIGHTS)
    bag.join("[dDN]?@d?w?CE+|[dDN]?@d?w?E+C", of_entries)
    bag.join("d?w?CE+|dw?E+C|(?<=[DN])w?E+C", of_entries)
    compares = bag.sees(w.MORE, w.RELATED, w.DIFFERENCE, w.THAN)
    twice = sum(kind == w.OTHERS for kind, _ in bag.tokens) > 1  # "days without meetings against the rest"
    weekdays = all(str(of).startswith("weekday") for kind, of in bag.tokens if kind == w.CONDITION)
    figured = re.search(f"(?<!{w.COMPARED}){w.METRIC}(?!{w.COMPARED})", bag.kinds)  # and not only in a condition
    alone = (
        not bag.sees(w.THAN, w.RELATED, w.DIFFERENCE)
        and bag.sees(w.METRIC)
        and (bag.sees(w.ON_DAYS) or (w.OTHERS, "without") in bag.tokens)
    )
    none = (
        (w.OTHERS, "without") in bag.tokens
        or ((bag.sees(w.HOW_MANY) or (w.BY, "day") in loose) and not figured)
        or (alone and compares)
    )
    if (not compares or twice or alone) and none and weekdays:
        bag.join(f"d?oE+|d?o{DONE}+|d?oaE*", absent)
    bag.join(f"@[dDN]?o(?:E+|{DONE}+)", after_none)
    bag.join("[DN]wE+", with_entries, kept=w.DAYS + w.NIGHTS)
    if bag.sees(w.METRIC) and not bag.sees(w.OF, w.LENGTH, w.WHEN, w.WHICH_BY):
        bag.join(f"(?<!{w.HOW_MANY})(?<!{w.ON_DAYS})E+D(?!w)", with_entries)
    bag.join("dw?E+(?!a)", with_entries)
    bag.join("[dDN]?@w?aE*", of_action)
    bag.join("dw?aE*|dw?Ea", of_action)
    bag.join("[DN]waE*", of_action, kept=w.DAYS + w.NIGHTS)
    bag.join(f"[dDN]?<w?(?:fD?|{DONE}+|aE*|E+)", before_it)
    _before_weekdays(bag)
    bag.join("[dDN]?@d?w?Cf|[dDN]?@d?w?fC(?!M)", noted_on)
    bag.join("[dDN]?@w?f[DN]?", noted_on)
    bag.join("(?<=Q)f[DN]", noted_on, kept=w.DAYS + w.NIGHTS)
    weekdays = all(str(of).startswith("weekday") for kind, of in bag.tokens if kind == w.CONDITION)
    if weekdays and not compares and (w.OTHERS, "both") not in bag.tokens:
        bag.join("d?ow?f", lambda of: f"{ON}{of[w.FACTOR]} = 0")
    bag.join("d?w?Cf|d?w?fC", noted_on)
    bag.join("dw?f|f[DN](?![wX])|fd", noted_on)
    bag.join("[DN]wf|f[DN]", noted_on, kept=w.DAYS + w.NIGHTS)
    bag.join("@[Nm]?CM", after_it)
    bag.join("@w?[Nm]w?C(?!M)", lambda of: of_metric({**of, w.METRIC: "asleep"}))
    bag.join("dw?y?CM", lambda of: None if w.WALK in of and of[w.METRIC] != "steps" else of_metric(of))
    bag.join("dM?w?MC(?!M)", of_metric)
    bag.join("bK|Kb", lambda of: clocked("night.start", of))
    bag.join("gK|Kg", lambda of: clocked("night.end", of))
    bag.join("MK|KM", lambda of: clocked("night.start", of) if of[w.METRIC] in ("in_bed", "asleep") else None)
    bag.join("dw?K", lambda of: clocked("night.start", of) if of[w.ON_DAYS] == "nights" else None)
    bag.join("dw?C(?![MF])", of_nights)
    bag.join("(?<=N)w?K(?!M)", lambda of: clocked("night.start", of))
    if bag.sees(w.ENTRIES, w.ACTION) and not bag.sees(w.METRIC, w.WORKOUTS, w.SPORT, w.ACTIVITY):
        bag.join("w?C", of_entry)
        bag.join(f"(?<!{w.HOW_MANY})K", lambda of: clocked("entry.start", of))
    if bag.sees(w.WORKOUTS, w.SPORT, w.ACTIVITY):
        bag.join("w?C[MF]", of_workout)
        bag.join("w?[MF]C", of_workout)
        bag.join("w?C", of_workout)
        bag.join("K", lambda of: clocked("workout.start", of))
    else:
        bag.join("CM", of_metric)
        bag.join("MC(?!M)", of_metric)
        bag.join("(?<=N)w?C|C(?=N)", lambda of: of_metric({**of, w.METRIC: "asleep"}))
    if not bag.sees(w.METRIC, w.ENTRIES, w.ACTION, w.SPORT, w.ACTIVITY, w.WORKOUTS):
        bag.join("[NY]dw?C", lambda of: of_metric({**of, w.METRIC: "asleep"}), kept=w.NIGHTS + w.WHICH_BY)
    bag.join("@[dDNw]*X", _after_condition)
    bag.join("[dw]+N?X", lambda of: str(of[w.CONDITION]))
    _without_again(bag)
    if bag.has(w.AHEAD):  # "on days with a headache, how long was the night before"
        bag.tokens = _all_ahead(bag.tokens)
    bag.tokens += loose


DRUNK_FROM, DRUNK_UNTIL = "07:00", "18:00"  # our choice: other hours of notes may have been said without "pm"


def _at_clock(tokens: Sequence[w.Token], kinds: str) -> list[w.Token]:
    """Join a note and its time of day, as in "coffee after 4 pm" or "coffee in the afternoon"."""
    found = [*tokens]
    for match in reversed([*re.finditer("fw?K+(?![bg])|(?<![bg])K+w?f", kinds)]):
        first, last = match.span()
        factor = next(str(of) for kind, of in tokens[first:last] if kind == w.FACTOR)
        clocks = [amount(of) for kind, of in tokens[first:last] if kind == w.CLOCK]
        sides = {"from" if sign[0] == ">" else "before": at for sign, at in clocks if sign != "="}
        sure = len(sides) == len(clocks) and DRUNK_FROM <= sides.get("before", DRUNK_FROM) <= DRUNK_UNTIL
        sure = sure and (sides.get("from", DRUNK_FROM) >= DRUNK_FROM or sides["from"] == "00:00")
        if sure and not factor.startswith(TITLED):
            name = " ".join([factor, *(f"{side} {sides[side]}" for side in ("from", "before") if side in sides)])
            found[first:last] = [(w.FACTOR, name)]
    return found


def _before_weekdays(bag: Bag) -> None:
    workdays, off = (w.CONDITION, "weekday <= 5"), (w.CONDITION, f"{ON}action != {WORK}")
    if f"{w.AHEAD}{w.CONDITION}" in bag.kinds and workdays in bag.tokens:  # "before workdays and before days off"
        bag.tokens = [(w.CONDITION, "weekday >= 6") if token == off else token for token in bag.tokens]
    bag.join("[dDN]?<d?w?X", weekday_after)


def _of_both(bag: Bag) -> None:
    if (w.OTHERS, "both") in bag.tokens and bag.sees(w.METRIC):  # "steps with and without a run"
        bag.join(f"o{DONE}+", of_workouts, kept=w.OTHERS)
        bag.join("oE+", with_entries, kept=w.OTHERS)


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
    return [token for token in bag.tokens if token[0] in kinds or token in put_aside]


def _without_exact_clock(bag: Bag) -> None:
    """Drop the clock time of "do I really get up at nine": the usual time answers the question."""
    exact = [token for token in bag.tokens if token[0] == w.CLOCK and amount(token[1])[0] == "="]
    if exact and bag.sees(w.BED, w.UP):
        if bag.sees(w.HOW_MANY, w.HOW_OFTEN, w.SHARE, w.METRIC):
            raise NotUnderstood  # to the minute, or before it
        bag.tokens = [token for token in bag.tokens if token not in exact]


def _all_ahead(tokens: Sequence[w.Token]) -> list[w.Token]:
    ahead = [token for token in tokens if token[0] == w.CONDITION and _of_day(str(token[1]))]
    if not ahead:
        raise NotUnderstood
    return [(w.CONDITION, f"{AHEAD}{str(token[1]).removeprefix(ON)}") if token in ahead else token for token in tokens]


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
    if len(amounts) != 2 or amount(bag.tokens[amounts[0]][1])[2] != amount(bag.tokens[amounts[1]][1])[2]:
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


def _of_others(bag: Bag) -> None:
    """Join "workouts other than runs" and "workouts without runs"."""
    sport, all_of = f"w?[{w.SPORT}{w.ACTIVITY}]", w.WORKOUTS
    if bag.sees(all_of):
        bag.join(f"{w.EXCEPT}{sport}|(?<={all_of})o{sport}", of_other_sports)
