"""Turn readings of Home Assistant's phone sensors into samples, and sleep durations into nights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import EpisodeKind, Item, RawRecord
from connectors.instants import local_date, offset_in
from connectors.payload import KILOJOULES, Fields
from connectors.stretches import Stretch

# Home Assistant shows a sensor in the unit that its owner chose.
Units = Mapping[str, Fraction | int]
LENGTHS: Units = {"m": 1, "km": 1000, "cm": Fraction(1, 100), "mi": Fraction("1609.344"), "ft": Fraction("0.3048")}
ENERGIES: Units = {
    "kcal": 1,
    "cal": Fraction(1, 1000),
    "kJ": KILOJOULES,
    "J": KILOJOULES / 1000,
    "MJ": KILOJOULES * 1000,
    "Wh": KILOJOULES * Fraction(36, 10),
    "kWh": KILOJOULES * 3600,
}
DURATIONS_MS: Units = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
TOTAL_TABLE: Mapping[str, tuple[Metric, Units]] = {
    "steps": (Metric.STEPS, {"steps": 1}),
    "distance": (Metric.DISTANCE, LENGTHS),
    "active_energy": (Metric.ACTIVE_ENERGY, ENERGIES),
    "total_energy": (Metric.TOTAL_ENERGY, ENERGIES),
    "resting_hr": (Metric.RESTING_HR, {"bpm": 1}),
}
UNIT = "attributes.unit_of_measurement"


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    fields, kind = Fields.of("home_assistant", record), record.key.partition("/")[0]
    if kind == "sleep":
        return [_sleep(fields, record.key)]
    if kind == "hrv":
        metric = _variability(fields)
        value = _value(fields, DURATIONS_MS)
    elif kind in TOTAL_TABLE:
        metric, units = TOTAL_TABLE[kind]
        value = _value(fields, units)
    else:
        raise fields.bad("no sensor that is read")
    return list(_stretch(fields).samples(record.key, {metric: value}))


def _stretch(fields: Fields) -> Stretch:
    at = fields.instant("at")
    offset = offset_in(fields.zone("zone"), at)
    return Stretch(start=at, end=None, offset=offset, day=local_date(at, offset))


def _value(fields: Fields, units: Units) -> float:
    unit = fields.get(UNIT)
    if not isinstance(unit, str) or unit not in units:
        raise fields.bad("unit_of_measurement is missing or unknown")
    state = fields.get("state")
    try:
        number = finite(float(state) if isinstance(state, str) else state)
    except ValueError:
        number = None
    if number is None:
        raise fields.bad("state is not a number")
    factor = Fraction(units[unit])
    return number * factor.numerator / factor.denominator


def _variability(fields: Fields) -> Metric:
    if fields.get("attributes.date") is not None:
        return Metric.HRV_RMSSD_SPOT
    if fields.get("attributes.state_class") == "measurement":
        return Metric.HRV_SDNN
    raise fields.bad("variability of neither phone app")


def _sleep(fields: Fields, key: str) -> Item:
    begun, over = fields.instant("attributes.startTime"), fields.instant("attributes.endTime")
    fields.ordered(begun, over)
    offset = offset_in(fields.zone("zone"), over)
    lasted = Stretch(start=begun, end=over, offset=offset, day=local_date(over, offset))
    asleep = _value(fields, DURATIONS_MS) / 60_000 or lasted.minutes
    kind = EpisodeKind.NAP if lasted.is_nap else EpisodeKind.SLEEP
    return lasted.episode(kind, key, {Metric.ASLEEP: asleep, Metric.IN_BED: lasted.minutes})
