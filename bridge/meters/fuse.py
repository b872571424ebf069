"""Several standardised inputs -> one reading: a precision-weighted posterior around "your normal"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from bridge.meters.baseline import CALIBRATED, clip
from bridge.ports.proxies import Proxy, ProxyMap
from bridge.types import Because, Reading
from rhythm_env.interface import Meter

NORMAL = 0.70
OFFSET = log(NORMAL / (1 - NORMAL))  # 0.8473
LOWEST, HIGHEST = 0.05, 0.98
EXPIRY = 30.0  # hours after which what fades counts nothing: a night's validity a day later is about 0
THIN = 0.05  # coverage below which nothing is claimed
NO_DISTANCE = 1e-9
OWN_WORD = "check_in"  # the signal that is no sign
FELT = (Meter.VITALITY, Meter.COGNITION, Meter.SERENITY)  # read from signs; progress and company are counted
# Of how body and mind are, the share of variance that their signs can tell at most: the square of 0.5, the upper end of
# the correlations found on people. Without it, 90 % intervals held simulated people's Vitality in 79 % of slots.
KNOWABLE = 0.25

NOTHING = "nothing fresh is known"
NOT_VALIDATED = "not validated against people's reports"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One input at a moment: z (+ is more of it, 0 is the person's normal), and its quality (0..1) before it fades."""

    name: str
    z: float
    quality: float
    age_hours: float
    text: str
    source: str | None = None


def freshness(age_hours: float, half_life_h: float | None) -> float:
    """Trust so many hours after a value was complete: 0.5^(age / half-life), 0 after 30 h; 1 where nothing fades.

    >>> freshness(0, 16), freshness(16, 16), freshness(31, 16), freshness(100, None)
    (1.0, 0.5, 0.0, 1.0)
    """
    if half_life_h is None:
        return 1.0
    return 0.5 ** (age_hours / half_life_h) if 0 <= age_hours <= EXPIRY else 0.0


def warmed(quality: float, n: int) -> float:
    """Half the trust while fewer than four values make up the baseline."""
    return quality if n >= CALIBRATED else quality / 2


def level_of(z: float) -> float:
    """1 / (1 + exp(-(0.8473 + z))) within [0.05, 0.98]: 0 -> 0.70, -1 -> 0.46, +1 -> 0.86.

    >>> [round(level_of(z), 3) for z in (-2, -1, 0, 1)]
    [0.24, 0.462, 0.7, 0.864]
    """
    return clip(1 / (1 + exp(-(OFFSET + z))), LOWEST, HIGHEST)


def fuse(proxies: ProxyMap, meter: Meter, signals: Iterable[Signal | None]) -> Reading:
    """A meter's reading from the signals that are there; one that is None is missing and leaves the rest to normal.

    With l the weight and q the trust of each: Z = sum(l q z) / (1 + sum(l q)), where the 1 is the prior z = 0, so
    that a missing input pulls towards normal; sd as in ``spread``; coverage = sum(l q) / sum(l) without optional inputs
    in the divisor (unless they alone have a weight), at most 1. Contributions sum to the level's distance from 0.70.
    Where next to nothing is known, the level is exactly 0.70 and the coverage 0.
    """
    rows, validity = proxies.of(meter), proxies.validity.get(meter)
    trusts = [
        (signal, rows[signal.name], _trust(signal, rows[signal.name])) for signal in signals if signal is not None
    ]
    used = [one for one in trusts if one[2] > 0]
    total = sum(trust for _, _, trust in used)
    said = sum(trust for signal, _, trust in used if signal.name == OWN_WORD)
    coverage = min(1.0, total / _whole(rows)) if used else 0.0
    if coverage < THIN:
        return nothing(validity, [signal for signal, _, _ in used])
    z = sum(trust * row.direction * signal.z for signal, row, trust in used) / (1 + total)
    level = level_of(z)
    return Reading(
        level=level,
        sd=spread(meter, level, total - said, said),
        coverage=coverage,
        because=tuple(_because(one, 1 + total, slope(z, level)) for one in used),
        validity=validity,
        note=None if validity is not None else NOT_VALIDATED,
    )


def spread(meter: Meter, level: float, signs: float, said: float = 0.0) -> float:
    """The sd of a level that rests on signs of this total trust, and on the person's own word of that.

    L (1 - L) / sqrt(1 / (1 - k signs / (1 + signs)) + said), where k is 1 for what is counted, which gives the usual
    L (1 - L) / sqrt(1 + signs + said), and ``KNOWABLE`` for what only signs tell of.
    """
    return level * (1 - level) / sqrt(1 / (1 - _told(meter) * signs / (1 + signs)) + said)


def precision(meter: Meter, level: float, sd: float) -> float:
    """1 + the total trust of the signs behind a reading without the person's own word, from its level and sd."""
    return 1 / (1 - (1 - (sd / (level * (1 - level))) ** 2) / _told(meter))


def _told(meter: Meter) -> float:
    return KNOWABLE if meter in FELT else 1.0


def nothing(validity: float | None, thin: Sequence[Signal]) -> Reading:
    """Exactly normal, and why."""
    why = f"too little to tell from {', '.join(s.name for s in thin)} alone" if thin else NOTHING
    return Reading(
        level=NORMAL,
        sd=NORMAL * (1 - NORMAL),
        coverage=0.0,
        validity=validity,
        note=why if validity is not None else f"{why}; {NOT_VALIDATED}",
    )


def slope(z: float, level: float) -> float:
    """Level per unit of Z between normal and here, so that shares of Z become shares of the distance."""
    return (level - NORMAL) / z if abs(z) > NO_DISTANCE else NORMAL * (1 - NORMAL)


def _whole(rows: Mapping[str, Proxy]) -> float:
    return sum(row.weight for row in rows.values() if not row.optional) or sum(row.weight for row in rows.values())


def _trust(signal: Signal, row: Proxy) -> float:
    return row.weight * signal.quality * freshness(signal.age_hours, row.half_life_h)


def _because(one: tuple[Signal, Proxy, float], precision: float, per_z: float) -> Because:
    signal, row, trust = one
    z = row.direction * signal.z
    return Because(
        signal=signal.name,
        source=signal.source,
        z=z,
        contribution=per_z * trust * z / precision,
        age_hours=signal.age_hours,
        text=signal.text,
    )
