"""Correlate a user's body signals with the user's check-ins. The result is only shown and changes no level."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from math import sqrt
from statistics import fmean

from bridge.domain.languages import say
from bridge.domain.records import Snapshot
from bridge.domain.types import Sample
from bridge.meters import METERS
from bridge.meters.check_in import CHECK_IN_METRICS, Answers
from bridge.meters.past import Past
from rhythm_env.interface import Meter

CHECK_INS_BACK = timedelta(days=60)
LEAST_ANSWERS = 20
PRIOR_ANSWERS = 20.0  # answers that "nothing to do with each other" is worth
MUCH, LITTLE = 0.30, 0.10  # shrunk correlation
FELT_BY_BODY = (Meter.VITALITY, Meter.SERENITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The rank correlation between a meter, read without check-ins, and the user's check-ins (``answers`` in number).

    It is shrunk towards zero.
    """

    correlation: float
    answers: int

    @property
    def text(self) -> str:
        """Return the correlation in words, such as "much" or "little".

        >>> Sensitivity(correlation=0.4, answers=30).text
        'your body says much about how you feel (0.40 over 30 answers)'
        """
        amount = 2 if self.correlation >= MUCH else 0 if self.correlation < LITTLE else 1
        return say(SAYS[amount], correlation=self.correlation, answers=self.answers)


SAYS = (
    say("your body says little about how you feel ({correlation:.2f} over {answers} answers)"),
    say("your body says something about how you feel ({correlation:.2f} over {answers} answers)"),
    say("your body says much about how you feel ({correlation:.2f} over {answers} answers)"),
)


def sensitivity(known: Snapshot, meter: Meter) -> Sensitivity | None:
    """Return the rank correlation of a meter, read without check-ins, with recent check-ins, shrunk towards zero.

    Returns None for too few check-ins, and for meters but Vitality and Serenity. ``known`` must reach 80 days back.
    """
    if meter not in FELT_BY_BODY:
        return None
    answers = Answers(sample for _, sample in known.samples if sample.metric in CHECK_IN_METRICS)
    given = [one for one in answers.about(meter, known.at) if known.at - one[0] <= CHECK_INS_BACK]
    unsaid = replace(known, samples=[pair for pair in known.samples if not _is_answer(pair[1])])
    past = Past(unsaid, since=given[0][0] if given else None)
    readings = [(METERS[meter](past, when), score) for when, score in given]
    both = [(reading.level, score) for reading, score in readings if reading.coverage > 0]
    if len(both) < LEAST_ANSWERS:
        return None
    correlation = rank_correlation([level for level, _ in both], [score for _, score in both])
    return Sensitivity(correlation=correlation * len(both) / (len(both) + PRIOR_ANSWERS), answers=len(both))


def rank_correlation(one: list[float], other: list[float]) -> float:
    """Return Spearman's rank correlation with ties, or 0 if all values of a list are equal.

    >>> rank_correlation([1, 2, 3], [2, 4, 9]), rank_correlation([1, 2, 3], [5, 5, 5])
    (1.0, 0.0)
    """
    x, y = _ranks(one), _ranks(other)
    dx, dy = [a - fmean(x) for a in x], [b - fmean(y) for b in y]
    scale = sqrt(sum(a * a for a in dx) * sum(b * b for b in dy))
    return round(sum(a * b for a, b in zip(dx, dy, strict=True)) / scale, 12) if scale else 0.0


def _ranks(values: list[float]) -> list[float]:
    order = sorted(values)
    places: dict[float, list[int]] = {}
    for place, value in enumerate(order):
        places.setdefault(value, []).append(place)
    return [fmean(places[value]) for value in values]


def _is_answer(sample: Sample) -> bool:
    return sample.metric in CHECK_IN_METRICS
