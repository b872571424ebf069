"""Turn check-ins, the user's own reports, into a signal, which is the strongest single input.

z is the exponentially weighted mean (alpha 0.3) of the answers against the user's own mean and spread. With few answers
both lean on the middle of the scale. An answer about a meter counts for that meter, a general answer for all meters.
The newer kind counts. The last answer may be six days old. Own analysis (PMData, LifeSnaps).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import sqrt
from statistics import fmean, pvariance

from bridge.domain.metrics import CHECK_INS
from bridge.domain.types import Sample
from bridge.meters.baseline import CLIP, clip
from bridge.meters.fuse import OWN_WORD, Signal, warmed
from rhythm_env.interface import Meter

CHECK_IN_METRICS = frozenset(CHECK_INS.values())
ALPHA = 0.3
EXPIRY = timedelta(days=6)
CHECK_INS_BACK = timedelta(days=60)
MIDDLE, SPREAD = 3.3, 0.9  # of most people's answers on a scale of 1 to 5; proposal
MIDDLE_WORTH, SPREAD_WORTH = (
    2,
    5,
)  # answers that the prior is worth; people differ more in their mean than in their spread


class Answers:
    """A user's check-in scores, per meter and for life as a whole, ascending by time."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._given: dict[str, list[tuple[datetime, float]]] = {}
        for sample in samples:
            if sample.metric in CHECK_IN_METRICS:
                self._given.setdefault(sample.metric, []).append((sample.start, sample.value))
        for answers in self._given.values():
            answers.sort()

    def about(self, meter: Meter, at: datetime) -> list[tuple[datetime, float]]:
        """Return (instant, score) of the answers about a meter in the 60 days before ``at``, ascending.

        If the last general answer is newer, the general answers are returned instead. The list is empty when the last
        answer is older than six days.
        """
        both = (self._within(metric, at) for metric in (CHECK_INS[meter], CHECK_INS[None]))
        newest = max(both, key=lambda given: given[-1][0] if given else at - CHECK_INS_BACK)
        return newest if newest and at - newest[-1][0] <= EXPIRY else []

    def _within(self, metric: str, at: datetime) -> list[tuple[datetime, float]]:
        given = self._given.get(metric, [])
        return given[bisect_left(given, (at - CHECK_INS_BACK, 0.0)) : bisect_right(given, (at, float("inf")))]


def check_in(answers: Answers, meter: Meter, at: datetime) -> Signal | None:
    """Return the signal of the user's answers about a meter. Return None if the last answer is older than six days."""
    given = answers.about(meter, at)
    if not given:
        return None
    said, score = given[-1]
    return Signal(
        name=OWN_WORD,
        z=clip(smoothed([value for _, value in given]), -CLIP, CLIP),
        quality=warmed(1.0, len(given)),
        age_hours=(at - said) / timedelta(hours=1),
        text=f"you said {score:g} of 5",
        source=OWN_WORD,
    )


def smoothed(scores: Sequence[float]) -> float:
    """Return the exponentially weighted mean of ascending scores, as a distance from the user's mean in spreads.

    >>> round(smoothed([3, 3, 3, 3, 5]), 2)
    0.34
    """
    n = len(scores)
    mean = (n * fmean(scores) + MIDDLE_WORTH * MIDDLE) / (n + MIDDLE_WORTH)
    spread = sqrt((n * pvariance(scores) + SPREAD_WORTH * SPREAD**2) / (n + SPREAD_WORTH))
    found = 0.0
    for score in scores:
        found += ALPHA * ((score - mean) / spread - found)
    return found
