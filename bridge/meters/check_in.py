"""Check-ins: the user's own reports, the strongest single input, which fade as they say less about today.

Answers are a Gaussian process on top of what the body shows. How a person feels strays for about a day, in part with
the hour of the day, and drifts over two weeks, and each answer is taken with noise. Memory and noise were fitted to the
daily reports of LifeSnaps alone (likelihood of 34 persons), the daily rhythm to prompts of Bailon 2020
(docs/evidence.md). An answer counts until it tells next to nothing, which is after three weeks.

Answers are compared with the mean and spread of all that the user ever answered. With few answers both lean on the
middle of the scale. An answer about a meter counts for that meter, a general answer for all meters; the newer kind
counts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from math import cos, exp, pi, sin, sqrt

from bridge.domain.facts import Fact, fact
from bridge.domain.samples import CHECK_INS
from bridge.domain.types import Sample
from bridge.meters.baseline import CLIP, clip
from bridge.meters.fuse import OWN_WORD, Signal, warmed
from rhythm_env.interface import Meter

CHECK_IN_METRICS = frozenset(CHECK_INS.values())
ANSWERS_MAX = 2000  # newest answers of a kind that are read
DAY = timedelta(days=1)
# Of the variance of a person's answers: what strays for a day, what drifts over two weeks, and what is noise.
STRAYS, STRAYS_DAYS = 0.25, 1.0
DRIFTS, DRIFTS_DAYS = 0.10, 14.0
NOISE = 0.65
RHYTHM = 0.2  # of what strays, the share that returns at the same hour
FULL_WEIGHT = 0.5  # of answers together; daily answers have 0.66, and a single one from this moment has 0.35
LEAST_WEIGHT = 0.02  # of answers, below which they tell next to nothing
MIDDLE, SPREAD = 3.3, 0.9  # of most people's answers on a scale of 1 to 5; proposal
# Answers that the prior is worth: people differ more in their mean than in their spread.
MIDDLE_WORTH, SPREAD_WORTH = 2, 5

# What strays, what strays with the hour as a point that turns once a day (two numbers), and what drifts.
Parts = tuple[float, float, float, float]
NOTHING: Parts = (0.0, 0.0, 0.0, 0.0)
VARIANCES: Parts = (STRAYS * (1 - RHYTHM), STRAYS * RHYTHM, STRAYS * RHYTHM, DRIFTS)


class Answers:
    """A user's check-in scores (1 to 5) with their times, by the meter that they are about or life as a whole."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        given: dict[str, list[tuple[datetime, float]]] = {}
        for sample in samples:
            if sample.metric in CHECK_IN_METRICS:
                given.setdefault(sample.metric, []).append((sample.start, sample.value))
        self._said = {metric: Said(sorted(answers)[-ANSWERS_MAX:]) for metric, answers in given.items()}

    def about(self, meter: Meter, at: datetime) -> list[tuple[datetime, float]]:
        """Return (time, score) of the check-ins by ``at`` that count for a meter, ascending.

        They are about the meter or about life as a whole, whichever kind has the newest check-in.
        """
        said, count = self.latest(meter, at)
        return [] if said is None else said.given[:count]

    def latest(self, meter: Meter, at: datetime) -> tuple[Said | None, int]:
        """Return (the check-ins that count for a meter, or None; their number by ``at``), chosen as in ``about``."""
        found = [(said, said.count(at)) for m in (CHECK_INS[meter], CHECK_INS[None]) if (said := self._said.get(m))]
        known = [one for one in found if one[1]]
        return max(known, key=lambda one: one[0].given[one[1] - 1][0]) if known else (None, 0)


class Said:
    """The check-ins about one meter or life as a whole, ascending as (time, score) in ``given``."""

    def __init__(self, given: Sequence[tuple[datetime, float]]) -> None:
        self.given = list(given)
        self._when = [when for when, _ in given]
        self._sums = list(accumulate(score for _, score in given))
        self._squares = list(accumulate(score * score for _, score in given))
        self._memories: list[Memory] = []

    def count(self, at: datetime) -> int:
        return bisect_right(self._when, at)

    def scale(self, count: int) -> tuple[float, float]:
        """Return mean and standard deviation of the first ``count`` scores, both drawn towards usual values."""
        total, squares = self._sums[count - 1], self._squares[count - 1]
        mean = (total + MIDDLE_WORTH * MIDDLE) / (count + MIDDLE_WORTH)
        apart = max(squares - total * total / count, 0.0)
        return mean, sqrt((apart + SPREAD_WORTH * SPREAD**2) / (count + SPREAD_WORTH))

    def remembered(self, count: int, at: datetime) -> tuple[float, float]:
        """Return (z, weight from 0 to 1) of what the first ``count`` check-ins still say about the time ``at``.

        z is their weighted mean in standard deviations from the user's own mean. The weight falls with their age.
        """
        for k in range(len(self._memories), count):
            before = self._memories[-1] if self._memories else Memory()
            days = (self._when[k] - self._when[k - 1]) / DAY if k else 0.0
            self._memories.append(before.after(days).hearing(self.given[k][1]))
        faded = self._memories[count - 1].after((at - self._when[count - 1]) / DAY)
        (mean, spread), weight = self.scale(count), felt(faded.share)
        return (clip((felt(faded.score) / weight - mean) / spread, -CLIP, CLIP) if weight > 0 else 0.0), weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The state of a Kalman filter over check-ins, with the expected ``score`` in four parts (see ``felt``).

    ``share`` is the weight of the check-ins in each part, ``doubt`` the covariance of the parts.
    """

    score: Parts = NOTHING
    share: Parts = NOTHING
    doubt: tuple[Parts, ...] = ()

    def after(self, days: float) -> Memory:
        """Return the filter's state ``days`` later, without a check-in between."""
        if not self.doubt:
            return Memory(doubt=tuple(_on_diagonal(k, variance) for k, variance in enumerate(VARIANCES)))
        fast, slow, turn = exp(-days / STRAYS_DAYS), exp(-days / DRIFTS_DAYS), 2 * pi * days
        kept = fast, fast * cos(turn), fast * sin(turn), slow
        fresh = [
            variance * (1 - share * share) for variance, share in zip(VARIANCES, (fast, fast, fast, slow), strict=True)
        ]
        half = [_faded(row, kept) for row in self.doubt]
        rows = [_faded(row, kept) for row in zip(*half, strict=True)]
        doubt = tuple(_plus(row, _on_diagonal(k, new)) for k, (row, new) in enumerate(zip(rows, fresh, strict=True)))
        return Memory(score=_faded(self.score, kept), share=_faded(self.share, kept), doubt=doubt)

    def hearing(self, score: float) -> Memory:
        first, here, aside, last = (felt(row) for row in self.doubt)
        told = first, here, aside, last
        gains = _plus(NOTHING, told, 1 / (felt(told) + NOISE))
        doubt = tuple(_plus(row, told, -gain) for row, gain in zip(self.doubt, gains, strict=True))
        return Memory(
            score=_plus(self.score, gains, score - felt(self.score)),
            share=_plus(self.share, gains, 1 - felt(self.share)),
            doubt=doubt,
        )


def felt(parts: Parts) -> float:
    """Return the sum of those parts of the state that a check-in measures, which are all but the rhythm's sine."""
    return parts[0] + parts[1] + parts[3]


def _faded(parts: Parts, kept: Parts) -> Parts:
    first, here, aside, last = parts
    fast, cosine, sine, slow = kept
    return first * fast, here * cosine - aside * sine, here * sine + aside * cosine, last * slow


def _plus(one: Parts, other: Parts, times: float = 1.0) -> Parts:
    return one[0] + times * other[0], one[1] + times * other[1], one[2] + times * other[2], one[3] + times * other[3]


def _on_diagonal(place: int, value: float) -> Parts:
    first, here, aside, last = (value if k == place else 0.0 for k in range(4))
    return first, here, aside, last


def check_in(answers: Answers, meter: Meter, at: datetime) -> Signal | None:
    """Return a signal of the user's check-ins for a meter, or None if there are none or they are too old.

    The quality grows with their weight up to 1, and is halved below ``CALIBRATED`` check-ins.
    """
    given, count = answers.latest(meter, at)
    if given is None:
        return None
    said, weight = given.remembered(count, at)
    if weight < LEAST_WEIGHT:
        return None
    last, score = given.given[count - 1]
    mean, spread = given.scale(count)
    return Signal(
        name=OWN_WORD,
        z=said,
        quality=warmed(min(weight / FULL_WEIGHT, 1.0), count),
        age_hours=(at - last) / timedelta(hours=1),
        fact=_told(score, (at - last).days, (score - mean) / spread, said),
        source=OWN_WORD,
    )


def _told(score: float, days: int, newest: float, said: float) -> Fact:
    told = fact("check_in_before", score=score, days=days) if days > 1 else fact("check_in", score=score)
    if newest * said >= 0:
        return told
    return fact("check_in_lower" if said < 0 else "check_in_higher", answer=told)
