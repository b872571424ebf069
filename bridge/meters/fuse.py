"""Combine a meter's signals into one reading, as a mean weighted by trust that includes the user's normal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt

from bridge.domain.facts import Fact
from bridge.domain.languages import say
from bridge.domain.records import Proxy, ProxyMap
from bridge.domain.types import Because, Reading
from bridge.meters.baseline import CALIBRATED, clip
from rhythm_env.interface import Meter, MeterState

NORMAL = 0.70
OFFSET = log(NORMAL / (1 - NORMAL))  # 0.8473
LOWEST, HIGHEST = 0.05, 0.98
EXPIRY = 30.0  # hours after which a decaying value counts 0, because a night predicts nothing a day later
THIN = 0.05  # coverage below which the reading stays at normal
NO_DISTANCE = 1e-9
OWN_WORD = "check_in"  # the user's own report, unlike the signs
FELT = (Meter.VITALITY, Meter.COGNITION, Meter.SERENITY)  # inferred from signs; progress and connection are counted
# Largest share of a felt meter's variance that signs can explain: 0.5 squared, the upper end of correlations found in
# people. Without this limit, 90 % intervals held the Vitality of simulated people in only 79 % of slots.
KNOWABLE = 0.25

NOTHING_FRESH = say("nothing fresh is known")
NOT_VALIDATED = say("not validated against people's reports")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """An input of a meter. ``z`` is its distance from normal in standard deviations, ``quality`` the trust (0 to 1).

    ``source`` is None for an input that comes from no single source, such as the calendar.
    """

    name: str
    z: float
    fact: Fact
    quality: float = 1.0
    age_hours: float = 0.0
    source: str | None = None


def freshness(age_hours: float, half_life_h: float | None) -> float:
    """Return the trust (0 to 1) in a value of this age, which halves per ``half_life_h`` and is 0 after 30 hours.

    Without a half-life it is 1. A negative age gives 0.

    >>> freshness(0, 16), freshness(16, 16), freshness(31, 16), freshness(100, None)
    (1.0, 0.5, 0.0, 1.0)
    """
    if half_life_h is None:
        return 1.0
    return 0.5 ** (age_hours / half_life_h) if 0 <= age_hours <= EXPIRY else 0.0


def warmed(quality: float, n: int) -> float:
    """Return ``quality``, halved if the user's normal is based on fewer than ``CALIBRATED`` values (``n``)."""
    return quality if n >= CALIBRATED else quality / 2


def level_of(z: float) -> float:
    """Return the level (0 to 1) for a distance ``z`` from normal, 1 / (1 + exp(-(0.8473 + z))), within [0.05, 0.98].

    >>> [round(level_of(z), 3) for z in (-2, -1, 0, 1)]
    [0.24, 0.462, 0.7, 0.864]
    """
    return clip(1 / (1 + exp(-(OFFSET + z))), LOWEST, HIGHEST)


def fuse(
    proxies: ProxyMap,
    meter: Meter,
    signals: Iterable[Signal | None],
    *,
    model: MeterState | None = None,
    reasons: bool = True,
) -> Reading:
    """Compute a meter's reading from its signals. A signal that is None is missing.

    ``model`` is the state for policies, or None for the reading's own. With ``reasons=False`` the reading has no
    reasons. Raises KeyError for a signal without a row in the meter's proxies.

    l is each signal's weight, q its quality times freshness, and z its distance times the row's direction (1 or -1).
    The level is ``level_of`` Z = sum(l q z) / (1 + sum(l q)). The 1 is the weight of the prior z = 0, so that missing
    signals leave the level near normal. The sd comes from ``spread``. Coverage = sum(l q) / sum(l), at most 1. Optional
    inputs are left out of the divisor, unless only they have a weight. Contributions sum to the level's distance from
    0.70. Below 5 % coverage the level is exactly 0.70 and the coverage 0.
    """
    rows, validity = proxies.of(meter), proxies.validity.get(meter)
    found = [(signal, rows[signal.name]) for signal in signals if signal is not None]
    used = [(signal, row, trust) for signal, row in found if (trust := _trust(signal, row)) > 0]
    total = sum([trust for _, _, trust in used])
    said = sum([trust for signal, _, trust in used if signal.name == OWN_WORD])
    coverage = min(1.0, total / full_trust(rows)) if used else 0.0
    if coverage < THIN:
        return nothing(validity, [signal for signal, _, _ in used], model)
    z = sum([trust * row.direction * signal.z for signal, row, trust in used]) / (1 + total)
    level = level_of(z)
    per_z = slope(z, level)
    return Reading(
        level=level,
        sd=spread(meter, level, total - said, said),
        coverage=coverage,
        because=tuple([_because(one, 1 + total, per_z) for one in used]) if reasons else (),
        validity=validity,
        note=None if validity is not None else NOT_VALIDATED,
        model=model,
    )


def spread(meter: Meter, level: float, signs: float, said: float = 0.0) -> float:
    """Return the standard deviation of a meter's level L, L (1 - L) / sqrt(1 / (1 - k signs / (1 + signs)) + said).

    ``signs`` is the total trust of measured signals, ``said`` that of check-ins. k is 1 for Progress and Connection,
    which are counted, and ``KNOWABLE`` for the others.
    """
    return level * (1 - level) / sqrt(1 / (1 - _explainable(meter) * signs / (1 + signs)) + said)


def precision(meter: Meter, level: float, sd: float) -> float:
    """Return 1 + the total trust of the measured signals, from a reading's level and standard deviation."""
    return 1 / (1 - (1 - (sd / (level * (1 - level))) ** 2) / _explainable(meter))


def _explainable(meter: Meter) -> float:
    return KNOWABLE if meter in FELT else 1.0


def nothing(validity: float | None, thin: Sequence[Signal], model: MeterState | None = None) -> Reading:
    """Return a reading at the user's normal with coverage 0, whose note names the signals that were not enough.

    ``validity`` is the correlation with users' reports, if known. ``model`` is the state for policies, if it differs.
    """
    names = ", ".join(signal.name for signal in thin)
    why = say("too little to tell from {inputs} alone", inputs=names) if thin else NOTHING_FRESH
    return Reading(
        level=NORMAL,
        sd=NORMAL * (1 - NORMAL),
        coverage=0.0,
        validity=validity,
        note=why if validity is not None else say("{first}; {rest}", first=why, rest=NOT_VALIDATED),
        model=model,
    )


def slope(z: float, level: float) -> float:
    """Return the mean change of the level per unit of ``z``, on the way from normal to ``level``."""
    return (level - NORMAL) / z if abs(z) > NO_DISTANCE else NORMAL * (1 - NORMAL)


def full_trust(rows: Mapping[str, Proxy]) -> float:
    """Return the sum of weights that stands for full coverage. Optional inputs count only if there are no others."""
    return sum([row.weight for row in rows.values() if not row.optional]) or sum([row.weight for row in rows.values()])


def _trust(signal: Signal, row: Proxy) -> float:
    return row.weight * signal.quality * freshness(signal.age_hours, row.half_life_h)


def _because(one: tuple[Signal, Proxy, float], precision: float, per_z: float) -> Because:
    signal, row, trust = one
    z = row.direction * signal.z
    contribution = per_z * trust * z / precision
    return Because(
        signal=signal.name,
        source=signal.source,
        z=z,
        contribution=contribution,
        age_hours=signal.age_hours,
        fact=signal.fact.weighed(contribution),
    )
