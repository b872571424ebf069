"""What a one-tap check-in adds to a meter: the person's own earlier answers, fused in as one more input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from statistics import fmean, pstdev

from bridge.types import Reading

ALPHA = 0.3  # of the moving average, an answer's weight
WEIGHT = 1.0  # beside the meters' own inputs
EXPIRY = 6  # days after the last answer
LEAST_ANSWERS = 4  # before that nobody's usual is known

Answers = Sequence[tuple[date, float]]  # ascending


def earlier(answers: Mapping[date, float], at: date) -> Answers:
    """The answers given before that day; the day's own is what is to be told from them."""
    return [(day, answers[day]) for day in sorted(answers) if day < at]


def every(answers: Mapping[date, float], days: int) -> dict[date, float]:
    """The answers of a person who is asked again only so many days after the last answer."""
    kept: dict[date, float] = {}
    last: date | None = None
    for day in sorted(answers):
        if last is None or (day - last).days >= days:
            kept[day] = answers[day]
            last = day
    return kept


def standing(answers: Answers, at: date) -> float | None:
    """The moving average of past answers in the person's own standard deviations from the own mean, both past too.

    None below four answers, six days after the last one, or when all were the same.
    """
    if len(answers) < LEAST_ANSWERS or (at - answers[-1][0]).days > EXPIRY:
        return None
    values = [value for _, value in answers]
    spread = pstdev(values)
    if spread == 0:
        return None
    average = values[0]
    for value in values[1:]:
        average += ALPHA * (value - average)
    return (average - fmean(values)) / spread


def fused(reading: Reading, answer: float | None) -> float:
    """The meter's Z with the check-in as one more input of weight 1: (Z p + z) / (p + 1), p the reading's precision."""
    z = sum(because.contribution for because in reading.because)
    if answer is None:
        return z
    precision = (reading.level * (1 - reading.level) / reading.sd) ** 2
    return (z * precision + WEIGHT * answer) / (precision + WEIGHT)
