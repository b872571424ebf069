"""A person's rows as columns, which are the reports and all predictors that are compared with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from math import log
from statistics import fmean, pstdev

import numpy as np
from numpy.typing import NDArray

from bridge.domain.records import Proxy, ProxyMap
from bridge.domain.samples import CHECK_INS
from bridge.domain.types import Reading, Sample
from bridge.meters.check_in import Answers, check_in
from bridge.meters.fuse import OFFSET, OWN_WORD, precision
from lab.validation import life
from lab.validation.cohort import DAY, Day, Person
from lab.validation.formulas import FORMULAS, Window, slow_heart
from rhythm_env.interface import Meter

Column = NDArray[np.float64]

COMPOSITE = "composite"
METERS = {meter: meter.title() for meter in Meter}
OWN_REPORT = "yesterday's own report"
ASKED_EVERY = {"daily check-in": 1, "check-in every 3 days": 3, "check-in every 7 days": 7}  # name -> days
ASKED = (Meter.VITALITY, Meter.SERENITY)  # the meters people's reports are about


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Columns of equal length, with a row per report in order of time. NaN is missing.

    ``rows`` is 1 for rows that all predictors share. ``own`` maps a target to predictors from the person's earlier
    answers to it. ``inputs`` are the meters' standardised inputs, 0 where missing.
    """

    person: str
    rows: Column
    targets: Mapping[str, Column]
    predictors: Mapping[str, Column]
    own: Mapping[str, Mapping[str, Column]] = field(default_factory=dict)
    inputs: Mapping[str, Column] = field(default_factory=dict)


def column(values: Iterable[float | None]) -> Column:
    return np.array([float("nan") if value is None else value for value in values], dtype=np.float64)


def of_person(person: Person, proxies: ProxyMap) -> Columns:
    """Return the columns of a person's days with reports."""
    days, readings = person.asked, life.readings(person, proxies)
    reports = _reports(days)
    meters = {name: [reading[meter] for reading in readings] for meter, name in METERS.items()}
    return Columns(
        person=person.name,
        rows=column(_row(day, reading) for day, reading in zip(days, readings, strict=True)),
        targets={name: column(answers.get(day.date) for day in days) for name, answers in reports.items()},
        predictors=_predictors(person, meters),
        own={name: _own(days, answers, meters, proxies) for name, answers in reports.items()},
        inputs=_inputs(readings),
    )


def _row(day: Day, reading: Mapping[Meter, Reading]) -> float:
    """Return 1 if the night before the report is known, else 2 if vitality or serenity has input, else 0."""
    if day.night_known and day.slept is not None:
        return 1.0
    return 2.0 if reading[Meter.VITALITY].coverage or reading[Meter.SERENITY].coverage else 0.0


def _reports(days: Sequence[Day]) -> dict[str, dict[date, float]]:
    """Return the answers by target and date, and a COMPOSITE of the standardised targets if it is missing."""
    names = list(dict.fromkeys(name for day in days for name in day.reports))
    found = {name: {day.date: day.reports[name] for day in days if name in day.reports} for name in names}
    parts = [_standardised(answers) for name, answers in found.items() if name != COMPOSITE]
    if len(parts) >= 2 and COMPOSITE not in found:
        together = {day.date: [part[day.date] for part in parts if day.date in part] for day in days}
        found[COMPOSITE] = {on: fmean(values) for on, values in together.items() if len(values) >= 2}
    return found


def _standardised(answers: Mapping[date, float]) -> dict[date, float]:
    """Return a person's answers standardised, or nothing for a person who always answers the same."""
    centre, spread = fmean(answers.values()), pstdev(answers.values())
    return {on: (value - centre) / spread for on, value in answers.items()} if spread else {}


def _predictors(person: Person, meters: Mapping[str, Sequence[Reading]]) -> dict[str, Column]:
    days = person.asked
    before = {day.date: day for day in person.days}
    found = {name: column(r.level if r.coverage else None for r in readings) for name, readings in meters.items()}
    found |= {name: column(_known(day, figure) for day in days) for name, figure in RAW.items()}
    found["steps yesterday"] = column(_value(before.get(day.date - DAY), "steps") for day in days)
    found["vendor stress (Garmin)"] = column(_garmin(day, before.get(day.date - DAY)) for day in days)
    windows = [_window(person, day) for day in days]
    return found | {name: column(formula(window) for window in windows) for name, formula in FORMULAS.items()}


def _own(
    days: Sequence[Day],
    answers: Mapping[date, float],
    meters: Mapping[str, Sequence[Reading]],
    proxies: ProxyMap,
) -> dict[str, Column]:
    found = {OWN_REPORT: column(answers.get(day.date - DAY) for day in days)}
    for how, apart in ASKED_EVERY.items():
        earlier = given(days, every(answers, apart))
        for meter in ASKED:
            name = METERS[meter]
            read = zip(days, meters[name], strict=True)
            row = proxies.of(meter)[OWN_WORD]
            found[f"{name} + {how}"] = column(
                fused(reading, earlier, row, day.asked) if reading.coverage else None for day, reading in read
            )
    return found


def _inputs(readings: Sequence[Mapping[Meter, Reading]]) -> dict[str, Column]:
    seen = [
        {b.signal: b.z for m in (Meter.SERENITY, Meter.VITALITY) for b in reading[m].because} for reading in readings
    ]
    return {name: column(one.get(name, 0.0) for one in seen) for name in sorted({name for one in seen for name in one})}


def _ln(name: str) -> Callable[[Day], float | None]:
    def logarithm(day: Day) -> float | None:
        value = day.values.get(name)
        return None if value is None else log(value)

    return logarithm


RAW: Mapping[str, Callable[[Day], float | None]] = {
    "raw lnRMSSD": _ln("hrv_rmssd_ms"),
    "raw lnSDNN": _ln("hrv_sdnn_ms"),
    "raw -RHR": slow_heart,
    "raw sleep hours": lambda day: day.slept,
    "vendor sleep score": lambda day: _value(day, "vendor_sleep_score"),
    "vendor stress (Fitbit)": lambda day: _value(day, "stress_fitbit"),
}  # of the night before the report


def _known(day: Day, figure: Callable[[Day], float | None]) -> float | None:
    return figure(day) if day.night_known else None


def _value(day: Day | None, name: str) -> float | None:
    return None if day is None else day.values.get(name)


def _garmin(day: Day, yesterday: Day | None) -> float | None:
    """Return the day's Garmin stress, negated, or that of the day before if the report has an hour."""
    value = _value(day if day.hour is None else yesterday, "stress_garmin")
    return None if value is None else -value


def _window(person: Person, today: Day) -> Window:
    """Return the days that a formula may use. A night that was not over at the report is left out."""
    seen = today if today.night_known else Day(date=today.date)
    return Window(today=seen, before=[day for day in person.days if -30 <= (day.date - today.date).days < 0])


LOWEST, HIGHEST = 1.0, 5.0  # of the product's scale
JUST_AFTER = timedelta(minutes=1)  # the report: what is to be told from earlier answers does not count as one


def every(answers: Mapping[date, float], days: int) -> dict[date, float]:
    """Return the answers that are left if a person is asked again only ``days`` days or more after the last answer."""
    kept: dict[date, float] = {}
    last: date | None = None
    for day in sorted(answers):
        if last is None or (day - last).days >= days:
            kept[day] = answers[day]
            last = day
    return kept


def given(days: Sequence[Day], answers: Mapping[date, float]) -> Answers:
    """Return answers in the product's form, with the person's range of answers stretched to LOWEST..HIGHEST."""
    low, high = min(answers.values(), default=0.0), max(answers.values(), default=0.0)
    return Answers(
        Sample(
            key=f"{day.date}",
            metric=CHECK_INS[None],
            start=day.asked + JUST_AFTER,
            day=day.date,
            value=LOWEST + (HIGHEST - LOWEST) * (answers[day.date] - low) / (high - low) if high > low else HIGHEST,
        )
        for day in days
        if day.date in answers
    )


def fused(reading: Reading, answers: Answers, row: Proxy, at: datetime) -> float:
    """Return the meter's standardised level with earlier check-ins as another input.

    It is (z p + l w) / (p + w), with the meter's z and precision p, and the check-in's z l and weight w.
    """
    z = log(reading.level / (1 - reading.level)) - OFFSET
    said = check_in(answers, row.meter, at)
    if said is None:
        return z
    sure = precision(row.meter, reading.level, reading.sd)
    weight = row.weight * said.quality
    return (z * sure + weight * said.z) / (sure + weight)
