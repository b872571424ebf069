"""Measures the gain of a meter from one-tap check-ins. The product uses a user's earlier check-ins as a signal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from math import log

from bridge.domain.metrics import CHECK_INS
from bridge.domain.records import Proxy
from bridge.domain.types import Reading, Sample
from bridge.meters.check_in import Answers, check_in
from bridge.meters.fuse import OFFSET, precision
from lab.validation.cohort import Day

LOWEST, HIGHEST = 1.0, 5.0  # of the product's scale
JUST_AFTER = timedelta(minutes=1)  # the report: what is to be told from earlier answers does not count as one


def every(answers: Mapping[date, float], days: int) -> dict[date, float]:
    """The answers of a person who is asked again only so many days after the last answer."""
    kept: dict[date, float] = {}
    last: date | None = None
    for day in sorted(answers):
        if last is None or (day - last).days >= days:
            kept[day] = answers[day]
            last = day
    return kept


def given(days: Sequence[Day], answers: Mapping[date, float]) -> Answers:
    """Answers as the product keeps them, the person's own range of answers spread over 1 to 5."""
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
    """Return the meter's Z with earlier check-ins as an input, (Z p + l z) / (p + l), where p is the precision."""
    z = log(reading.level / (1 - reading.level)) - OFFSET
    said = check_in(answers, row.meter, at)
    if said is None:
        return z
    sure = precision(row.meter, reading.level, reading.sd)
    weight = row.weight * said.quality
    return (z * sure + weight * said.z) / (sure + weight)
