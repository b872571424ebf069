"""Several standardised inputs -> one reading: a precision-weighted posterior around "your normal"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, log, sqrt

from bridge.meters.baseline import CALIBRATED, clip
from bridge.types import Because, Reading

NORMAL = 0.70
OFFSET = log(NORMAL / (1 - NORMAL))  # 0.8473
LOWEST, HIGHEST = 0.05, 0.98
HALF_LIFE = 16.0  # hours after which a night counts half; its validity a day later is about 0
EXPIRY = 30.0  # hours after which it counts nothing

NOTHING = "nothing fresh is known: shown at your normal"
NOT_VALIDATED = "not validated against people's reports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One input at a moment: z (+ is good, 0 is normal), and how far to trust it (0..1: quality times freshness)."""

    name: str
    z: float
    quality: float
    age_hours: float
    text: str
    source: str | None = None


def freshness(age_hours: float) -> float:
    """Trust in a nightly or daily value so many hours after it was complete: 0.5^(age/16 h), 0 after 30 h or before.

    >>> freshness(0), freshness(16), freshness(31)
    (1.0, 0.5, 0.0)
    """
    return 0.5 ** (age_hours / HALF_LIFE) if 0 <= age_hours <= EXPIRY else 0.0


def warmed(quality: float, n: int) -> float:
    """Half the trust while fewer than four values make up the baseline."""
    return quality if n >= CALIBRATED else quality / 2


def posterior(weights: Mapping[str, float], signals: Iterable[Signal]) -> tuple[float, float, tuple[Because, ...]]:
    """(Z, precision, reasons): Z = sum(l q z) / (1 + sum(l q)), precision = 1 + sum(l q).

    The 1 is the prior z = 0, so a missing input pulls towards normal. The reasons' contributions sum to Z.
    """
    used = [signal for signal in signals if signal.quality > 0]
    precision = 1 + sum(weights[s.name] * s.quality for s in used)
    because = tuple(
        Because(
            signal=s.name,
            source=s.source,
            z=s.z,
            contribution=weights[s.name] * s.quality * s.z / precision,
            age_hours=s.age_hours,
            text=s.text,
        )
        for s in used
    )
    return sum(b.contribution for b in because), precision, because


def level_of(z: float) -> float:
    """1 / (1 + exp(-(0.8473 + z))) within [0.05, 0.98]: 0 -> 0.70, -1 -> 0.46, +1 -> 0.86.

    >>> [round(level_of(z), 3) for z in (-2, -1, 0, 1)]
    [0.24, 0.462, 0.7, 0.864]
    """
    return clip(1 / (1 + exp(-(OFFSET + z))), LOWEST, HIGHEST)


def fuse(
    weights: Mapping[str, float], signals: Iterable[Signal | None], *, validated: bool = False, note: str | None = None
) -> Reading:
    """A meter's reading. ``weights`` names every input the meter knows; a signal of None is missing.

    coverage = sum(l q) / sum(l); sd = L (1 - L) / sqrt(1 + sum(l q)). No input at all: exactly 0.70, coverage 0.
    """
    z, precision, because = posterior(weights, (s for s in signals if s is not None))
    if not because:
        notes = (NOTHING, note)
        return Reading(
            level=NORMAL,
            sd=NORMAL * (1 - NORMAL),
            coverage=0.0,
            validated=validated,
            note="; ".join(n for n in notes if n),
        )
    level = level_of(z)
    return Reading(
        level=level,
        sd=level * (1 - level) / sqrt(precision),
        coverage=(precision - 1) / sum(weights.values()),
        because=because,
        validated=validated,
        note=note,
    )
