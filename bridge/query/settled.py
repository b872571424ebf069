"""Replace ambiguous tokens of a plain question by their meaning next to the other tokens."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.query import plain_kinds as w
from bridge.query.model import METER_NAMES, SUMMED
from bridge.query.plain_kinds import NotUnderstood

OF_WORKOUT = {
    "heart_rate": "average_hr",
    "total_energy": "energy",
    "active_energy": "energy",
    "distance": "distance",
    "steps": "steps",
    "zone_minutes": "zone_minutes",
}
BETTER_HIGH = frozenset(  # "best" is the highest; of others it is the lowest, or not said
    {"sleep_score", "recovery_score", "hrv_rmssd", "sleep_efficiency", "sleep_consistency", "stress_management"}
    | {"steps", "distance", "zone_minutes", "total_energy", "active_energy", *METER_NAMES}
)
STAGES = ("light_sleep", "deep_sleep", "rem_sleep")
A_MINUTE = {"respiratory_rate", "heart_rate", "resting_hr"}  # which are told a minute anyway
MINUTES = {str(metric) for metric, spec in METRICS.items() if spec.unit == "min"}
ENDS = ("min", "max")
STEPS_LEAST = 3000  # our choice: a bare number that is one of steps
WEEKEND = "weekday >= 6"
GOES_WITH = {w.METRIC, w.WALK, w.FACTOR, w.MORE, w.RELATED, w.BECOMES, w.RISEN, w.HOW_OFTEN, w.DID, w.SPAN, w.HOW}
OF_NIGHT = {str(metric) for metric, spec in METRICS.items() if spec.shape is Shape.NIGHTLY} | {"night"}
AHEAD = "ahead."  # of a condition on the day that follows a night, as in ``condition_texts``
VAGUE = (w.RELATED, "vague")  # "after a short night", which is of every length
SPORT_OF_DAYS = {w.HOW_MANY, w.DAYS, w.DID, w.COMPARED, w.WORKOUTS, w.SPORT, w.ACTIVITY, w.RAN, w.SPAN}
OF_SPORT, GROUPED = {w.WORKOUTS, w.SPORT, w.ACTIVITY}, {w.WHICH_BY, w.BY, w.EACH}
MEAN_RATE = "mean_hr"  # of "highest average heart rate": the highest of the workouts' means, and of no moment
FARTHEST = (w.OF, ("max", "distance"))
OF_SLEEP = {w.HOW, w.DID, w.METRIC, w.NIGHTS, w.AFTER, w.FACTOR, w.CONDITION}
DIFFERS = {w.RELATED, w.DIFFERENCE, w.THAN, w.MORE, w.OTHERS}
DONE = {w.WORKOUTS, w.SPORT, w.ACTIVITY, w.ENTRIES, w.ACTION, w.FACTOR}
NAMED = {w.METRIC, w.FIGURE, w.UNIT, w.WORKOUTS, w.SPORT, w.ACTIVITY, w.ENTRIES, w.ACTION, w.CONDITION}


def settled(tokens: Sequence[w.Token]) -> list[w.Token]:
    """Return tokens with ambiguous ones replaced by their meaning in the question, and needless ones dropped."""
    if any(kind in (w.TASKS, w.TASKED) for kind, _ in tokens):
        tokens = _of_tasks(tokens)
        if any(kind == w.TASKED for kind, _ in tokens):
            return [*tokens]
    tokens = _of_much(tokens) if VAGUE in tokens else tokens
    if (w.OF, "trend?") in tokens:  # "do I run faster", and no more than that
        kinds = [kind for kind, _ in tokens]
        sides = kinds.count(w.CLOCK) == 2 and w.AND in kinds  # "faster in the morning or in the evening"
        if {*kinds} & {w.CLOCK, w.AFTER, w.ON_DAYS, w.CONDITION} and not sides:
            raise NotUnderstood
        asked = (w.RELATED, "or") if sides else (w.OF, "trend")
        tokens = [asked if one == (w.OF, "trend?") else one for one in tokens]
    tokens = _on_days(_of_farthest(tokens))
    tokens = _of_nights(_now(_changed(_of_sleep(_of_heart(_of_steps(tokens))))))
    around = _Around(frozenset(tokens))
    found: list[w.Token] = []
    for token in tokens:
        stage = token == (w.METRIC, "asleep") and bool(found) and found[-1][1] in STAGES
        if not (stage or around.leaves_out(token)):
            found.append(around.meant(token))
            if token == (w.BY, "sport") and found[-1][0] == w.AFTER:
                found.append((w.WORKOUTS, "did"))
    if (
        (w.MORE, "speed") in tokens
        and around.kinds & {w.SPORT, w.ACTIVITY, w.RAN}
        and not around.kinds & {w.METRIC, w.FIGURE}
    ):
        found.append((w.FIGURE, "speed"))
    climbed = (w.FIGURE, "ascent") in tokens or (w.BY, "sport") in found
    if climbed and not around.kinds & {w.WORKOUTS, w.SPORT, w.ACTIVITY}:
        found.append((w.WORKOUTS, "did"))
    ends = [of for kind, of in tokens if kind in (w.OF, w.BEST, w.LENGTH, w.EARLY) and of in ENDS]
    return [*found, (w.WHICH_BY, None)] if around.grouped and _in_doubt(tokens, ends) else found


def _of_much(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Replace "higher after short nights", which names no number of hours, by how the figure goes with the hours.

    Of what is noted, the hours before it are compared with the others.
    """
    at = tokens.index(VAGUE)
    end = at + 2 + (tokens[at + 1][0] == w.AND)
    rest, much = [*tokens[:at], *tokens[end:]], tokens[at + 1 : end]
    kinds = {kind for kind, _ in rest}
    named = [("steps" if kind == w.WALK else of) for kind, of in rest if kind in (w.METRIC, w.WALK, w.FACTOR)]
    nightly = much[0][0] == w.AND and {*map(str, named)} & OF_NIGHT
    asks = kinds & {w.MORE, w.RELATED, w.BECOMES, w.RISEN, w.HOW_OFTEN}
    if len(named) != 1 or nightly or not asks or not kinds <= GOES_WITH or (w.FACTOR in kinds and w.AND in dict(much)):
        raise NotUnderstood
    others = [one for one in rest if one[0] in (w.SPAN, w.WEEKEND, w.CONDITION)]
    if w.FACTOR in kinds:
        return [*much, (w.RELATED, None), (w.CONDITION, f"{AHEAD}{named[0]} > 0"), *others]
    slept = named[0] == "asleep" and (w.MORE, "better") in rest
    asked = (w.METRIC, "sleep_score" if slept else named[0])
    if asked in much:
        raise NotUnderstood
    return [asked, (w.RELATED, None), *much, *others]


def _in_doubt(tokens: Sequence[w.Token], ends: Sequence[object]) -> bool:
    """Return True if the question asks for groups and does not say whether the highest or the lowest is meant."""
    if ends and (w.WHICH_BY, "day") in tokens and not any(kind == w.TOP for kind, _ in tokens):
        raise NotUnderstood  # "on which days do I finish most tasks": of how many days
    if {*ends} == {*ENDS} and len(ends) == 2:
        return False  # "which month had the most and which the least": both are told
    listed = {(w.WHICH_BY, "day"), (w.WHICH_BY, "sport")} & {*tokens}
    return len(ends) != 1 and (bool(ends) or not listed)


def _of_steps(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Add the metric "steps" to a number that only steps reach, as in "a day with more than 15000"."""
    large = [at for at, (kind, of) in enumerate(tokens) if kind == w.COMPARED and _is_large(of)]
    if len(large) != 1 or {kind for kind, _ in tokens} & (NAMED - {w.CONDITION}):
        return tokens
    return [*tokens[: large[0] + 1], (w.METRIC, "steps"), *tokens[large[0] + 1 :]]


def _is_large(compared: object) -> bool:
    return isinstance(compared, tuple) and compared[2] is None and float(compared[1]) >= STEPS_LEAST


def _of_farthest(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Replace "farthest" by the highest distance if groups are asked for, as in "which month did I run farthest"."""
    if not any(kind == w.WHICH_BY for kind, _ in tokens) or FARTHEST not in tokens:
        return tokens
    return [*(token for token in tokens if token != FARTHEST), (w.OF, "max"), (w.FIGURE, "distance")]


def _on_days(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Replace days by periods where an amount of sport on them is asked: "on how many days did I run over 10 km"."""
    kinds = {kind for kind, _ in tokens}
    amounts = [of for kind, of in tokens if kind == w.COMPARED and isinstance(of, tuple) and of[2] in ("min", "m")]
    asked = {w.HOW_MANY, w.DAYS, w.DID, w.COMPARED} <= kinds and kinds <= SPORT_OF_DAYS
    if not asked or len(amounts) != 1 or not kinds & {w.WORKOUTS, w.SPORT, w.ACTIVITY, w.RAN}:
        return tokens
    return [(w.PERIODS, "day") if kind == w.DAYS else (kind, of) for kind, of in tokens]


def _of_heart(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Drop the "average" of "average heart rate" if the question asks for a trend or compares with a number."""
    mean, rate = (w.OF, "mean"), (w.METRIC, "heart_rate")
    kinds = {kind for kind, _ in tokens}
    ends = {(w.OF, "max"), (w.OF, "min")} & {one for one, other in pairwise(tokens) if other == mean}
    if ends and (mean, rate) in pairwise(tokens) and not kinds & GROUPED and kinds & OF_SPORT:
        return [
            (w.FIGURE, MEAN_RATE) if token == rate else token for token in tokens if token != mean
        ]  # of any workout
    other = (w.OF, "trend") in tokens or any(kind == w.COMPARED for kind, _ in tokens)
    beside = {(mean, rate), (rate, mean)} & {*pairwise(tokens)}
    return [token for token in tokens if token != mean] if beside and other else tokens


def _of_sleep(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Replace the duration of sleep by the sleep score if the question asks how good it was."""
    if (w.MORE, "length") in tokens:  # "schlechter geschlafen, also kürzer": no score has a length
        tokens = [(kind, "asleep" if of == "sleep_score" else of) for kind, of in tokens if of != "better"]
    metrics = {of for kind, of in tokens if kind == w.METRIC}
    amounts = {at for n, (kind, _) in enumerate(tokens) if kind == w.COMPARED for at in (n - 1, n + 1)}
    asked = {of for n, (kind, of) in enumerate(tokens) if kind == w.METRIC and n not in amounts}
    if (
        "asleep" in metrics
        and len(metrics) == 2
        and (w.MORE, "better") in tokens
        and any(kind == w.RELATED for kind, _ in tokens)
    ):
        tokens = [(kind, "sleep_score" if (kind, of) == (w.METRIC, "asleep") else of) for kind, of in tokens]
    if (
        asked == {"asleep"}
        and "asleep" in metrics
        and {(w.BEST, "max"), (w.BEST, "min"), (w.MORE, "better")} & {*tokens}
    ):
        return [
            (kind, "sleep_score" if of == "asleep" and n not in amounts else of) for n, (kind, of) in enumerate(tokens)
        ]
    if any(kind in (w.TOP, w.BEST) for kind, _ in tokens):  # "the five best nights by efficiency", "nach Effizienz"
        named = {(w.METRIC, "sleep_score")} if len(metrics) == 2 else set()
        behind = [*tokens[1:], (w.FILL, None)]
        tokens = [one for one, other in zip(tokens, behind, strict=True) if (one[0], other[0]) != (w.AFTER, w.METRIC)]
        return [token for token in tokens if token not in named]
    kinds = {kind for kind, _ in tokens}
    deeper = len(metrics) == 2 and metrics & {*STAGES} and w.MORE in kinds and not kinds & {w.SHARE, w.AND, w.RELATED}
    twice = metrics == {"asleep", "sleep_score"} or deeper  # "do I sleep less deeply"
    return [token for token in tokens if not (twice and token == (w.METRIC, "asleep"))]


def _changed(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Replace a trend by what something goes with, as in "does coffee change my HRV"."""
    alone = {kind for kind, _ in tokens} - {w.HOW, w.CLOCK} == {w.OF, w.FACTOR, w.METRIC}
    return [(w.RELATED, None) if alone and token == (w.OF, "trend") else token for token in tokens]


def has_present(metric: str) -> bool:
    """Return True for a meter, and for a figure of a day that does not add up: its last value is that of now."""
    daily = metric in {*METRICS} - SUMMED - MINUTES and not METRICS[Metric(metric)].packed
    return metric in METER_NAMES or daily


def _now(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Replace "now" by the last value, for a meter or a figure of a day that does not add up."""
    if (w.OF, "now") not in tokens:
        return tokens
    metrics = {str(of) for kind, of in tokens if kind == w.METRIC}
    if not (metrics or (w.SEVERAL, "meters") in tokens) or not all(map(has_present, metrics)):
        raise NotUnderstood  # of the day, of the moment, or of late
    return [(w.OF, "last") if token == (w.OF, "now") else token for token in tokens]


def _of_nights(tokens: Sequence[w.Token]) -> Sequence[w.Token]:
    """Add the metric that a question about nights means, such as the sleep score for the best night."""
    kinds = {kind for kind, _ in tokens}
    if {w.NIGHTS, w.BECOMES} <= kinds and (w.MORE, "length") in tokens and not kinds & NAMED:
        return [
            *(token for token in tokens if token[0] != w.NIGHTS),
            (w.METRIC, "asleep"),
        ]  # "are my nights getting shorter"
    if w.NIGHTS in kinds and kinds & {w.BEST, w.LENGTH} and not kinds & NAMED:
        return [*tokens, (w.METRIC, "sleep_score" if w.BEST in kinds else "asleep")]
    if kinds <= OF_SLEEP and (w.METRIC, "asleep") in tokens and w.HOW in kinds:  # "wie hab ich nach Wein geschlafen"
        return [(w.SEVERAL, "night") if kind == w.METRIC else (kind, of) for kind, of in tokens]
    last = {(w.METRIC, "asleep"), (w.OF, "last")} <= {*tokens} and w.WHEN in kinds
    if last and kinds <= {w.WHEN, w.DID, w.OF, w.METRIC}:  # "when did I last sleep"
        return [(w.NIGHTS, None) if kind == w.METRIC else (kind, of) for kind, of in tokens]
    if {(w.CONDITION, "weekday <= 5"), (w.WEEKEND, None)} <= {*tokens} and w.METRIC in kinds:
        return tokens if kinds & DIFFERS else [*tokens, (w.RELATED, "or")]  # "resting pulse weekdays weekend"
    if (w.NIGHTS, "evening") in tokens and kinds & {w.ENTRIES, w.ACTION}:  # "an wie vielen Abenden"
        return [(w.CLOCK, (">=", "18:00")) if token == (w.NIGHTS, "evening") else token for token in tokens]
    if w.FACTOR in kinds and (evening := (w.CLOCK, (">=", "18:00"))) in tokens and not kinds & (NAMED - {w.CONDITION}):
        return [(w.DAYS, None) if token == evening else token for token in tokens]  # "evenings with wine"
    slept = {(w.MORE, "speed"), (w.MORE, "better")} & {*tokens}
    if kinds & {w.BED, w.UP}:  # "how regular is my bedtime"
        tokens = [(w.OF, "std") if token == (w.OF, "regular") else token for token in tokens]
    if w.BED in kinds and slept and w.METRIC not in kinds:  # "bin ich schneller eingeschlafen"
        return [(w.METRIC, "sleep_latency") if kind == w.BED else (kind, of) for kind, of in tokens]
    return tokens


def _of_tasks(tokens: Sequence[w.Token]) -> list[w.Token]:
    """Replace tasks and what is said of them by a metric: tasks done, due or overdue."""
    kinds = {kind for kind, _ in tokens}
    said = {str(of) for kind, of in tokens if kind == w.TASKED} | {"done" for kind, _ in tokens if kind == w.ENDED}
    said = {"overdue"} if "overdue" in said else said or {"done"} & {"done" for kind, _ in tokens if kind == w.DID}
    named = any(kind == w.TASKS for kind, _ in tokens)
    bare = kinds <= {w.DID, w.TASKED, w.ENDED, w.SPAN, w.CONDITION} and said <= {"done", "overdue"}  # "what is overdue"
    listed = said in ({"open"}, {"undated"}) or bare or kinds & {w.LIST, w.WHICH}
    if listed and not kinds & {w.METRIC, w.OF, w.MORE, w.BY, w.WHICH_BY}:
        told = [] if any(kind == w.TASKED for kind, _ in tokens) else [(w.TASKED, one) for one in said or {"open"}]
        return [*tokens, *told]  # which, and not how many by day
    alone = said & {"due", "overdue"} or kinds & {w.HOW_MANY, w.MORE}
    if len(said) != 1 or "open" in said or not (named or alone):
        raise NotUnderstood
    rest = [token for token in tokens if token[0] not in (w.TASKED, w.ENDED)]
    name = f"tasks_{said.pop()}"
    rest = rest if named else [*rest, (w.TASKS, None)]  # "what's due tomorrow"
    return [(w.METRIC, name) if kind == w.TASKS else (kind, of) for kind, of in rest]


@dataclass(frozen=True)
class _Around:
    tokens: frozenset[w.Token]

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset(kind for kind, _ in self.tokens)

    @cached_property
    def metrics(self) -> frozenset[str]:
        return frozenset(str(of) for kind, of in self.tokens if kind == w.METRIC)

    @cached_property
    def better(self) -> bool:
        """Return True if the highest value is the best one for the metrics that are named."""
        return bool(self.metrics) and self.metrics <= BETTER_HIGH

    @cached_property
    def grouped(self) -> bool:
        """Return True if groups are asked for, as by "which weekday"."""
        return w.WHICH_BY in self.kinds and not _grouped_in_doubt(self.tokens, self.kinds)

    @cached_property
    def after_sport(self) -> bool:
        """Return True if "nach Sport" means "after sport", not "by sport": the metric is none of workouts."""
        named = self.metrics and not self.metrics & OF_WORKOUT.keys()
        return bool(named) and not self.kinds & {w.WORKOUTS, w.SPORT, w.ACTIVITY, w.FIGURE}

    @cached_property
    def ended(self) -> bool:
        """Return True if the end of a workout is asked for, as by "when did I finish my last run"."""
        last = {(w.OF, "last"), (w.OF, "first")} & self.tokens and self.kinds & {w.WHEN, w.CLOCKED}
        return bool(last and self.kinds & {w.WORKOUTS, w.SPORT, w.ACTIVITY, w.RAN} and w.TASKS not in self.kinds)

    @cached_property
    def entry_ended(self) -> bool:
        """Return True if the end of an entry is asked for, which is not told: "when did my last meeting end"."""
        return bool(
            {w.WHEN, w.CLOCKED} & self.kinds and {w.ENTRIES, w.ACTION} & self.kinds and w.TASKS not in self.kinds
        )

    @cached_property
    def fewest(self) -> frozenset[w.Token]:
        """The tokens for the fewest of what is counted. A week or month without any has no row, so none is told."""
        counts = not self.metrics and w.FIGURE not in self.kinds
        return frozenset({(w.OF, "min"), (w.OF, "min?")} if counts else ())

    @cached_property
    def climbed(self) -> bool:
        """Return True if "gestiegen" means climbed, not risen."""
        return bool({(w.METRIC, "floors"), (w.FIGURE, "ascent")} & self.tokens)

    def meant(self, token: w.Token) -> w.Token:
        kind, value = token
        usual = {(w.OF, "mean"), (w.OF, "median"), (w.OF, "trend"), (w.DID, "now"), (w.USUAL, None)} & self.tokens
        meant: dict[tuple[str, bool], w.Token] = {
            (w.TOGETHER, w.RELATED not in self.kinds): (w.OF, "sum"),
            (w.BY, self.after_sport and value == "sport"): (w.AFTER, None),
            (w.RISEN, bool(self.kinds & {w.ON_DAYS, w.AFTER})): (w.MORE, None),
            (w.RISEN, not self.climbed and not self.kinds & {w.ON_DAYS, w.AFTER}): (w.OF, "trend"),
            (w.BEST, self.better): (w.OF, value),
            (w.BEST, self.metrics == {"stress"}): (w.OF, "min" if value == "max" else "max"),
            (w.WEEKEND, bool(usual) or w.THAN in self.kinds): (w.CONDITION, WEEKEND),
            (w.WHICH_BY, self.grouped): (w.BY, value),
        }
        if token == (w.OF, "min?") and not self.metrics & MINUTES:  # of those, it may be the unit
            return (w.OF, "min")
        return meant.get((kind, True), token)

    def leaves_out(self, token: w.Token) -> bool:
        """Return True for a token that adds no meaning to the question."""
        kind, value = token
        nightly = [one in METRICS and METRICS[Metric(one)].shape is Shape.NIGHTLY for one in self.metrics]
        told_by_group = (
            kind in (w.LENGTH, w.EARLY)
            or (kind == w.OF and value in ENDS and token not in self.fewest)
            or (kind == w.BEST and self.better)
        )
        nothing = {
            w.USUAL: True,
            w.HOW: (w.OF, "std") in self.tokens,  # "how does my sleep vary"
            w.SHARE: self.metrics <= {"sleep_efficiency", "spo2"}
            and bool(self.metrics)
            and w.COMPARED not in self.kinds,
            w.MORE: token == (w.MORE, "to") and w.BECOMES not in self.kinds,  # "zu" and "ab" of other verbs
            w.TOGETHER: w.RELATED in self.kinds,
            w.RISEN: self.climbed,
            w.PLANNED: bool(self.kinds & {w.ENTRIES, w.ACTION}),
            w.ENDED: w.CLOCK not in self.kinds and not self.ended and not self.entry_ended,
            w.AT_NIGHT: bool(nightly) and all(nightly) and not self.kinds & DONE,
            w.FIGURE: value == "a minute" and bool(self.metrics) and self.metrics <= A_MINUTE,
        }
        return nothing.get(kind, False) or (self.grouped and told_by_group)


def _grouped_in_doubt(tokens: Set[w.Token], kinds: Set[str]) -> bool:
    """Return True for "which month did I run most", which may mean how far, how long or how often."""
    if not {(w.WHICH_BY, "month"), (w.WHICH_BY, "week")} & {*tokens}:
        return False
    ran = w.DID in kinds and kinds & {w.SPORT, w.ACTIVITY} and not kinds & {w.HOW_OFTEN, w.UNIT, w.FIGURE, w.METRIC}
    return bool(ran)
