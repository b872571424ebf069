"""The tokens of a plain question, with its conditions put together in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.query import plain_words as w
from bridge.query.model import METER_NAMES, WORKOUT_UNITS

OF_WORKOUT = {
    "heart_rate": "average_hr",
    "total_energy": "energy",
    "active_energy": "energy",
    "distance": "distance",
    "steps": "steps",
    "zone_minutes": "zone_minutes",
}
NAMED_BY_UNIT = ("minutes", "distance", "speed", "energy", "average_hr")
NIGHT = {"asleep", "in_bed", "awake", "light_sleep", "deep_sleep", "rem_sleep"}
BETTER_HIGH = frozenset(  # "best" is the highest; of others it is the lowest, or not said
    {"sleep_score", "recovery_score", "hrv_rmssd", "sleep_efficiency", "sleep_consistency", "stress_management"}
    | {"steps", *METER_NAMES}
)
ENDS = ("min", "max")
WEEKEND = "weekday >= 6"


class NotUnderstood(Exception):
    """A question is not wholly understood."""


@dataclass
class Bag:
    """The tokens that are left to be understood, in their order."""

    tokens: list[w.Token]

    @classmethod
    def of(cls, tokens: Sequence[w.Token]) -> Bag:
        """Return the bag of tokens, with conditions put together."""
        bag = cls(_settled(tokens))
        walked = (w.METRIC, "steps") in tokens and not bag.sees(w.ON_DAYS, w.AFTER)
        ran = w.WALK if walked else w.ACTIVITY
        bag.tokens = [(ran, of) if kind == w.RAN else (kind, of) for kind, of in bag.tokens]
        _conditions(bag)
        return bag

    @property
    def kinds(self) -> str:
        """Return a letter for each token that is left."""
        return "".join(kind for kind, _ in self.tokens)

    def take(self, *kinds: str) -> list[object]:
        """Return the values of all tokens of some kinds, and remove these tokens."""
        found = [value for kind, value in self.tokens if kind in kinds]
        self.tokens = [one for one in self.tokens if one[0] not in kinds]
        return found

    def one(self, *kinds: str) -> object | None:
        """Return the only value of some kinds, or None without any. Raises NotUnderstood for two that differ."""
        found = self.take(*kinds)
        if any(value != found[0] for value in found):
            raise NotUnderstood
        return found[0] if found else None

    def text(self, kind: str) -> str | None:
        """Return the only value of a kind as text, or None without any."""
        found = self.one(kind)
        return None if found is None else str(found)

    def has(self, *kinds: str) -> bool:
        """Return True if a token of some kinds is left, and remove all of them."""
        return bool(self.take(*kinds))

    def sees(self, *kinds: str) -> bool:
        """Return True if a token of some kinds is left."""
        return any(kind in kinds for kind, _ in self.tokens)

    def join(self, pattern: str, made: Callable[[dict[str, object]], str | None]) -> None:
        """Make a condition of each run of tokens whose kinds match a pattern, unless ``made`` returns None."""
        at = 0
        while match := re.compile(pattern).search(self.kinds, at):
            first, last = match.span()
            condition = made(dict(self.tokens[first:last]))
            if condition is None:
                at = first + 1
            else:
                self.tokens[first:last] = [(w.CONDITION, condition)]
                at = 0


def _settled(tokens: Sequence[w.Token]) -> list[w.Token]:
    """Return tokens without those whose meaning hangs on the others. One that fits none of them is left."""
    kinds, metrics = {kind for kind, _ in tokens}, {str(of) for kind, of in tokens if kind == w.METRIC}
    better = bool(metrics) and metrics <= BETTER_HIGH
    at_night = bool(metrics) and all(one in METRICS and METRICS[Metric(one)].shape is Shape.NIGHTLY for one in metrics)
    grouped, usual = w.WHICH_BY in kinds and not _grouped_in_doubt(tokens, kinds), w.USUAL in kinds
    climbed = {(w.METRIC, "floors"), (w.FIGURE, "ascent")} & {*tokens}
    found: list[w.Token] = []
    for kind, value in tokens:
        if kind == w.TOGETHER and w.RELATED not in kinds:
            found.append((w.OF, "sum"))
        elif kind == w.RISEN and not climbed:
            found.append((w.OF, "trend"))
        elif kind == w.BEST and better:
            found.append((w.OF, value))
        elif usual and kind == w.WEEKEND:
            found.append((w.CONDITION, WEEKEND))
        elif grouped and kind == w.WHICH_BY:
            found.append((w.BY, value))
        elif not (
            kind in (w.TOGETHER, w.USUAL, w.RISEN)
            or (kind == w.PLANNED and kinds & {w.ENTRIES, w.ACTION})
            or (kind == w.ENDED and w.CLOCK not in kinds)  # "finished before 8 am" is no start
            or (kind == w.AT_NIGHT and at_night)
            or (grouped and kind == w.OF and value in ENDS)  # "on which weekday most": the groups tell
        ):
            found.append((kind, value))
    climbed_in_all = (w.FIGURE, "ascent") in tokens and bool(kinds & {w.HOW_MANY, w.OF})
    if (climbed_in_all or (w.BY, "sport") in tokens) and not kinds & {w.WORKOUTS, w.SPORT, w.ACTIVITY}:
        found.append((w.WORKOUTS, "did"))
    ends = [value for kind, value in tokens if kind in (w.OF, w.BEST) and value in ENDS]
    return found if not grouped or len(ends) == 1 else [*found, (w.WHICH_BY, None)]


def _grouped_in_doubt(tokens: Sequence[w.Token], kinds: set[str]) -> bool:
    """Return True for "which month did I run most", how far or how often, and for sleep, in all or a night."""
    if not {(w.WHICH_BY, "month"), (w.WHICH_BY, "week")} & {*tokens}:
        return False
    ran = w.DID in kinds and kinds & {w.SPORT, w.ACTIVITY} and not kinds & {w.HOW_OFTEN, w.UNIT, w.FIGURE, w.METRIC}
    slept = any(kind == w.METRIC and value in NIGHT for kind, value in tokens) and (w.OF, "mean") not in tokens
    return bool(ran) or slept


def _conditions(bag: Bag) -> None:
    """Put the tokens of conditions together, each as the condition that a query takes."""
    did = [(kind, value) for kind, value in bag.tokens if kind == w.DID]
    bag.take(w.DID)
    loose = [(kind, value) for kind, value in bag.tokens if kind in (w.BY, w.EACH, w.ROWS_LAST)]
    bag.take(w.BY, w.EACH, w.ROWS_LAST)
    bag.join("d?@[WSs]", lambda of: f"before.{_of_workouts(of)}")
    bag.join("dw?[WSs]", _of_workouts)
    bag.join("dw?aE?", lambda of: f"action = {of[w.ACTION]}")
    bag.join("d?@f", lambda of: f"before.{of[w.FACTOR]} > 0")
    bag.join("dw?f", lambda of: f"{of[w.FACTOR]} > 0")
    bag.join("@CM", _after)
    bag.join("dw?CM", _of_metric)
    bag.join("dM?w?MC(?!M)", _of_metric)
    bag.join("bK|Kb", lambda of: _clock("night.start", of))
    bag.join("gK|Kg", lambda of: _clock("night.end", of))
    if bag.sees(w.WORKOUTS, w.SPORT, w.ACTIVITY):
        bag.join("w?C[MF]", _of_workout)
        bag.join("w?[MF]C", _of_workout)
        bag.join("w?C", _of_workout)
        bag.join("K", lambda of: _clock("workout.start", of))
    else:
        bag.join("CM", _of_metric)
        bag.join("MC(?!M)", _of_metric)
    bag.join("[dw]+X", lambda of: str(of[w.CONDITION]))
    bag.tokens += loose + did


def _of_workouts(of: dict[str, object]) -> str:
    sport = of.get(w.SPORT) or of.get(w.ACTIVITY)
    return f"workout.sport = {sport}" if sport else "workout.minutes > 0"


def _clock(field: str, of: dict[str, object]) -> str:
    return f"{field} {' '.join(_parts(of[w.CLOCK]))}"


def _parts(value: object) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else ()


def _after(of: dict[str, object]) -> str | None:
    """Return the condition of what came before: of the night it is that day's, of all else that of the day before."""
    found, night = _of_metric(of), str(of[w.METRIC]) in NIGHT
    return found if night or found is None else f"before.{found}"


def _of_metric(of: dict[str, object]) -> str | None:
    name = str(of[w.METRIC])
    sign, number, unit = _parts(of[w.COMPARED])
    own = "level" if name in METER_NAMES else METRICS[Metric(name)].unit
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
