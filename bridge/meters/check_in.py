"""Check-ins: the user's own reports, the strongest single input, which fade as they say less about today.

Answers are a Gaussian process on top of what the body shows. How a person feels strays for about a day and drifts over
two weeks, and each answer is taken with noise. The process was fitted to the daily reports of LifeSnaps alone
(likelihood of 34 persons). An answer counts until it tells next to nothing, which is after three weeks.

Answers are compared with the user's own mean and spread. With few answers both lean on the middle of the scale. An
answer about a meter counts for that meter, a general answer for all meters; the newer kind counts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from math import exp, sqrt
from statistics import fmean, pvariance

from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import CHECK_INS
from bridge.domain.types import Sample
from bridge.meters.baseline import CLIP, clip
from bridge.meters.fuse import OWN_WORD, Signal, warmed
from rhythm_env.interface import Meter

CHECK_IN_METRICS = frozenset(CHECK_INS.values())
CHECK_INS_BACK = timedelta(days=60)
ANSWERS_MAX = 200  # newest answers that are read
DAY = timedelta(days=1)
# Of the variance of a person's answers: what strays for a day, what drifts over two weeks, and what is noise.
STRAYS, STRAYS_DAYS = 0.25, 1.0
DRIFTS, DRIFTS_DAYS = 0.10, 14.0
NOISE = 0.65
FULL_WEIGHT = 0.5  # of answers together; daily answers have 0.66, and a single one from this moment has 0.35
LEAST_WEIGHT = 0.02  # of answers, below which they tell next to nothing
MIDDLE, SPREAD = 3.3, 0.9  # of most people's answers on a scale of 1 to 5; proposal
MIDDLE_WORTH, SPREAD_WORTH = (
    2,
    5,
)  # answers that the prior is worth; people differ more in their mean than in their spread


class Answers:
    """A user's check-in scores (1 to 5) with their instants, ascending.

    They are kept apart by the meter they are about. General answers are about life as a whole.
    """

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._given: dict[str, list[tuple[datetime, float]]] = {}
        for sample in samples:
            if sample.metric in CHECK_IN_METRICS:
                self._given.setdefault(sample.metric, []).append((sample.start, sample.value))
        for answers in self._given.values():
            answers.sort()

    def about(self, meter: Meter, at: datetime) -> list[tuple[datetime, float]]:
        """Return (instant, score) of the answers about a meter in the 60 days before ``at``, ascending.

        If the last general answer is newer, the general answers of these days are returned instead. Only the newest 200
        are returned. Without answers the list is empty.
        """
        if not self._given:
            return []
        both = (self._within(metric, at) for metric in (CHECK_INS[meter], CHECK_INS[None]))
        return max(both, key=lambda given: given[-1][0] if given else at - CHECK_INS_BACK)[-ANSWERS_MAX:]

    def _within(self, metric: str, at: datetime) -> list[tuple[datetime, float]]:
        given = self._given.get(metric, [])
        return given[bisect_left(given, (at - CHECK_INS_BACK, 0.0)) : bisect_right(given, (at, float("inf")))]


def check_in(answers: Answers, meter: Meter, at: datetime) -> Signal | None:
    """Return the signal of the user's answers about a meter.

    Its quality is the answers' weight divided by 0.5, at most 1, and halved below four answers. Returns None if their
    weight is below 0.02, or without answers in 60 days.
    """
    given = answers.about(meter, at)
    if not given:
        return None
    scores = standardised([score for _, score in given])
    said, weight = remembered([((at - when) / DAY, z) for (when, _), z in zip(given, scores, strict=True)])
    if weight < LEAST_WEIGHT:
        return None
    last, score = given[-1]
    return Signal(
        name=OWN_WORD,
        z=said,
        quality=warmed(min(weight / FULL_WEIGHT, 1.0), len(given)),
        age_hours=(at - last) / timedelta(hours=1),
        fact=_told(score, (at - last).days, scores[-1], said),
        source=OWN_WORD,
    )


def standardised(scores: Sequence[float]) -> list[float]:
    """Return scores (1 to 5) in the user's own spreads, where 0 is usual. Mean and spread lean on 3.3 and 0.9, which
    count as much as 2 and 5 scores.

    >>> [round(z, 2) for z in standardised([3, 3, 3, 3, 1])]
    [0.23, 0.23, 0.23, 0.23, -2.11]
    """
    n = len(scores)
    mean = (n * fmean(scores) + MIDDLE_WORTH * MIDDLE) / (n + MIDDLE_WORTH)
    spread = sqrt((n * pvariance(scores) + SPREAD_WORTH * SPREAD**2) / (n + SPREAD_WORTH))
    return [(score - mean) / spread for score in scores]


def remembered(answers: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return (mean of the answers, their weight from 0 to 1) now, from (days ago, z) of each answer, oldest first.

    The Gaussian process expects mean times weight. It is the sum of two processes that forget exponentially, so that a
    Kalman filter with two states gives it exactly.

    >>> [round(x, 2) for x in remembered([(0, -2.0)])], [round(x, 2) for x in remembered([(7, -2.0)])]
    ([-2.0, 0.35], [-2.0, 0.06])
    >>> [round(x, 2) for x in remembered([(day, 1.0) for day in range(30, -1, -1)])]
    [1.0, 0.66]
    """
    strays, drifts, both = STRAYS, DRIFTS, 0.0  # variances of what is not known, and their covariance
    said, share = (0.0, 0.0), (0.0, 0.0)  # expected part that strays and part that drifts, of z and of 1
    before = answers[0][0]
    for days, z in answers:
        fast, slow = exp((days - before) / STRAYS_DAYS), exp((days - before) / DRIFTS_DAYS)
        strays, drifts = STRAYS + (strays - STRAYS) * fast**2, DRIFTS + (drifts - DRIFTS) * slow**2
        both *= fast * slow
        told = strays + 2 * both + drifts + NOISE
        gains = (strays + both) / told, (both + drifts) / told
        said = _moved(said, (fast, slow), gains, z)
        share = _moved(share, (fast, slow), gains, 1.0)
        strays, drifts, both = (
            strays - gains[0] ** 2 * told,
            drifts - gains[1] ** 2 * told,
            both - gains[0] * gains[1] * told,
        )
        before = days
    fast, slow = exp(-before / STRAYS_DAYS), exp(-before / DRIFTS_DAYS)
    weight = share[0] * fast + share[1] * slow
    return clip((said[0] * fast + said[1] * slow) / weight, -CLIP, CLIP), weight


def _moved(
    parts: tuple[float, float], kept: tuple[float, float], gains: tuple[float, float], told: float
) -> tuple[float, float]:
    """Return the two expected parts after they faded by ``kept`` and met what an answer told.

    ``gains`` is the share of the surprise that each part takes.
    """
    first, second = parts[0] * kept[0], parts[1] * kept[1]
    off = told - first - second
    return first + gains[0] * off, second + gains[1] * off


def _told(score: float, days: int, newest: float, said: float) -> Fact:
    """Return the last answer, with its age from 2 ``days`` on.

    If all answers together point the other way, the fact adds that lower or higher answers came before. ``newest`` is
    the last answer's z, and ``said`` the z of all answers.
    """
    told = fact("check_in_before", score=score, days=days) if days > 1 else fact("check_in", score=score)
    if newest * said >= 0:
        return told
    return fact("check_in_lower" if said < 0 else "check_in_higher", answer=told)
