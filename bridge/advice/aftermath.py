"""Collect what was measured after each recommendation, and after each random draw of advice or none.

Outcomes are the answer, the next check-in, the next night's sleep and HRV, and two meters of the next day.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from bridge.advice.preference import load_preference
from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.domain.records import FullRecommendation, Lot, User
from bridge.domain.slots import DAY, Moment, ZoneHistory, slot_bounds, slot_start
from bridge.meters.daily import figures
from bridge.meters.overlaps import once
from rhythm_env.interface import Answer, Meter

if TYPE_CHECKING:
    from bridge.store import Store

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
FADES = 0.95  # weight of the earlier dosage at each decision
NIGHT_OUTCOMES = (("next_night_asleep_min", Metric.ASLEEP), ("next_night_hrv_ms", Metric.HRV_RMSSD))
OUTCOME_METRICS = frozenset({metric for _, metric in NIGHT_OUTCOMES} | {Metric.CHECK_IN, Metric.STEPS})
STEPS = "steps"
DAY_OUTCOMES = (("next_day_vitality", Meter.VITALITY), ("next_day_serenity", Meter.SERENITY))


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A recommendation with the values measured after it (``outcomes``) and before its slot (``before``), by name.

    Names of outcomes are those in ``effect.OUTCOMES``. Unknown values are left out. ``dosage`` (0 to 1) is the share of
    earlier slots with a recommendation, in which recent slots weigh more.
    """

    advice: FullRecommendation
    dosage: float
    outcomes: Mapping[str, float]
    before: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A slot for which advice or no advice was drawn at random, with the values measured after and before it.

    Names of ``outcomes`` are those in ``effect.OF_ADVICE``. Unknown values are left out. ``dosage`` (0 to 1) is the
    share of earlier draws that gave advice, in which recent draws weigh more.
    """

    lot: Lot
    dosage: float
    outcomes: Mapping[str, float]
    before: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aftermath:
    """A user's recommendations (``given``, oldest first) and what was measured since the first of them.

    ``nights`` maps the date of waking to outcome -> value, and ``mornings`` a date to its first recommendation, which
    holds meter levels. ``check_ins`` are (time, value) about life as a whole, ascending. ``steps`` are by date.
    """

    given: Sequence[FullRecommendation]
    nights: Mapping[date, Mapping[str, float]]
    check_ins: Sequence[tuple[datetime, float]]
    mornings: Mapping[date, FullRecommendation]
    steps: Mapping[date, float]

    def followed(self, user: User, *, now: datetime) -> Iterator[Followed]:
        """Yield the recommendations that are answered, or that were shown and have expired, oldest first."""
        dosage = 0.0
        seen: set[Moment] = set()
        for one in self.given:
            if one.moment in seen:
                continue  # a further one, made after the answer to the first
            seen.add(one.moment)
            if _over(one, now) and one.kind != "keep":
                outcomes = {"taken": float(one.answer is Answer.ACCEPT)}
                outcomes |= self._outcomes(one.moment, one.expires_at)
                before = dict(self._before(one.moment, user.zones))
                if one.levels:
                    before["taken"] = sum(one.levels.values()) / len(one.levels)
                yield Followed(advice=one, dosage=dosage, outcomes=outcomes, before=before)
            dosage = FADES * dosage + 1 - FADES

    def drawn(self, lots: Sequence[Lot], user: User, *, now: datetime) -> Iterator[Drawn]:
        """Yield the random draws of advice or none (``lots``) whose slots are over, with outcomes, in that order."""
        dosage = 0.0
        for lot in lots:
            end = slot_bounds(lot.moment, user.zones)[1]
            if end <= now:
                before = dict(self._before(lot.moment, user.zones))
                yield Drawn(lot=lot, dosage=dosage, outcomes=dict(self._outcomes(lot.moment, end)), before=before)
            dosage = FADES * dosage + (1 - FADES) * lot.given

    def _outcomes(self, moment: Moment, end: datetime) -> Iterator[tuple[str, float]]:
        said = next((value for at, value in self.check_ins if end <= at < end + DAY), None)
        if said is not None:
            yield "next_check_in", said
        tomorrow = moment.date + DAY
        yield from self.nights.get(tomorrow, {}).items()
        if tomorrow in self.mornings:
            yield from _meters(self.mornings[tomorrow])

    def _before(self, moment: Moment, zones: ZoneHistory) -> Iterator[tuple[str, float]]:
        """Yield (name of an outcome, last value before the slot), and the steps of the day before."""
        start, date = slot_start(moment, zones), moment.date
        said = bisect_left(self.check_ins, (start,))
        if said:
            yield "next_check_in", self.check_ins[said - 1][1]
        yield from self.nights.get(date, {}).items()
        made = bisect_left(self.given, start, key=lambda one: one.created_at)
        if made:
            yield from _meters(self.given[made - 1])
        if date - DAY in self.steps:
            yield STEPS, self.steps[date - DAY]


def _meters(advice: FullRecommendation) -> Iterator[tuple[str, float]]:
    meters = advice.observation.get("meters", {})
    for name, meter in DAY_OUTCOMES:
        state = meters.get(str(meter), {})
        if state.get("coverage", 0) > 0:
            yield name, float(state["level"])


def aftermath(store: Store, user: User, *, now: datetime) -> Aftermath:
    """Return a user's recommendations made before ``now`` that were not replaced, with all later measurements.

    If several sources measured the same night, the source that the user prefers counts.
    """
    given = store.recommendations.full_between(user.id, since=BEGINNING, until=now)
    since = given[0].created_at.date() - 2 * DAY if given else now.date()
    samples = store.reading.samples(user.id, metrics=OUTCOME_METRICS, since=since, at=now)
    preference = load_preference(store, user)
    found = figures(samples, once(store.reading.episodes(user.id, since=since, at=now), preference))
    nights: dict[date, dict[str, float]] = {}
    steps: dict[date, float] = {}
    for (day, _), of in sorted(found.items(), key=lambda one: -preference.rank(one[0][1])):
        nights.setdefault(day, {}).update({name: of[metric].value for name, metric in NIGHT_OUTCOMES if metric in of})
        if Metric.STEPS in of:
            steps[day] = of[Metric.STEPS].value
    return Aftermath(
        given=given,
        nights=nights,
        check_ins=sorted((one.start, one.value) for _, one in samples if one.metric is Metric.CHECK_IN),
        mornings={one.moment.date: one for one in reversed(given)},
        steps=steps,
    )


def values_of(store: Store, user: User, metric: Metric, since: date, *, now: datetime) -> dict[date, float]:
    """Return date -> value of a metric from ``since`` on, ascending, from the preferred source."""
    preference = load_preference(store, user)
    samples = store.reading.samples(user.id, metrics=frozenset({metric}), since=since, at=now)
    nightly = METRICS[metric].shape is Shape.NIGHTLY
    episodes = once(store.reading.episodes(user.id, since=since, at=now), preference) if nightly else []
    found = figures(samples, episodes)
    values: dict[date, float] = {}
    for (day, _), of_day in sorted(found.items(), key=lambda one: -preference.rank(one[0][1])):
        if metric in of_day:
            values[day] = of_day[metric].value
    return dict(sorted(values.items()))


def _over(one: FullRecommendation, now: datetime) -> bool:
    return one.answer is not None or (one.shown_at is not None and one.expires_at <= now)
