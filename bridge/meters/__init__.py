"""Read the five meters at an instant, which are Vitality, Cognition, Progress, Serenity and Connection.

Policies get levels that change more slowly, as in the simulator that trained them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from bridge.domain.metrics import NIGHT_MINUTES, metrics_of
from bridge.domain.records import Snapshot
from bridge.domain.types import Reading
from bridge.meters import cognition, connection, progress, serenity, vitality
from bridge.meters.baseline import clip
from bridge.meters.check_in import CHECK_IN_METRICS
from bridge.meters.hours import SIX_HOURS
from bridge.meters.past import Past, past_of
from rhythm_env.interface import Meter, MeterState

__all__ = [
    "INPUT_METRICS",
    "METERS",
    "SETTLING",
    "Past",
    "Readings",
    "States",
    "paced",
    "read",
    "read_at",
    "read_slots",
]

PACE_ON_WAKING, PACE_PER_SLOT = 0.25, 0.10
SETTLING = 8  # slots that pacing starts before the first slot wanted, enough for the starting level to be forgotten

States = dict[Meter, MeterState]
Readings = dict[Meter, Reading]

# The metrics that meters, routines and outcomes read. Heart rates through the day are most rows of a watch, and none of
# them is read.
INPUT_METRICS = (
    NIGHT_MINUTES
    | CHECK_IN_METRICS
    | metrics_of(
        "body_battery contacts daily_stress focus hrv_rmssd hrv_rmssd_beats hrv_rmssd_spot hrv_sdnn messages mindful "
        "recovery_score respiratory_rate resting_hr skin_temperature skin_temperature_delta sleep_efficiency "
        "sleep_need sleep_score steps stress stress_management"
    )
)

METERS: Mapping[Meter, Callable[[Past, datetime], Reading]] = MappingProxyType(
    {
        Meter.VITALITY: vitality.read,
        Meter.COGNITION: cognition.read,
        Meter.PROGRESS: progress.read,
        Meter.SERENITY: serenity.read,
        Meter.CONNECTION: connection.read,
    }
)


def read(known: Snapshot) -> dict[Meter, Reading]:
    """Return each meter's reading at ``known.at``, from values known by then. Missing input never counts as zero."""
    return read_at(past_of(known), known.at)


def read_slots(known: Snapshot, starts: Sequence[datetime], *, reasons: bool = True) -> list[dict[Meter, Reading]]:
    """Return the meters' readings at each instant of ``starts``, from values known by that instant.

    ``starts`` ascend, up to ``known.at``. ``known`` must reach 80 days back from the first. With ``reasons=False`` the
    readings have no reasons, which saves time.
    """
    past = Past(known, since=starts[0] if starts else None, reasons=reasons)
    return [read_at(past, at) for at in starts]


def read_at(past: Past, at: datetime) -> dict[Meter, Reading]:
    """Return each meter's reading at an instant, which must not be later than the snapshot behind ``past``."""
    return {meter: read_meter(past, at) for meter, read_meter in METERS.items()}


def paced(past: Past, readings: Sequence[tuple[datetime, Readings]]) -> list[States]:
    """Return the state of all meters for policies at each time, whose levels follow the readings at a limited pace.

    ``readings`` are (time, readings of all meters), ascending and not empty.
    """
    at, reading = readings[0]
    found = [{meter: one.state for meter, one in reading.items()}]
    woke = False
    for then, reading in readings[1:]:
        woke_before, woke = woke, past.nights.ended(at, then)
        pace = PACE_ON_WAKING if woke or woke_before else PACE_PER_SLOT
        cap = pace if woke else pace * min((then - at) / SIX_HOURS, 1.0)
        found.append({meter: _slowed(meter, one.state, found[-1][meter], cap) for meter, one in reading.items()})
        at = then
    return found


def _slowed(meter: Meter, state: MeterState, before: MeterState, cap: float) -> MeterState:
    """Return a state with its level at most ``cap`` away from ``before``. Progress is returned unchanged."""
    if meter is Meter.PROGRESS:
        return state
    return replace(state, level=clip(state.level, before.level - cap, before.level + cap))
