"""WHOOP's records as samples and episodes. Names and units: developer.whoop.com, API v2; the export: its headers.

PENDING_SCORE and UNSCORABLE records are episodes without figures: a pending zero is not a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from bridge.errors import BadRecord
from bridge.measured import finite, in_range, samples
from bridge.metrics import Metric
from bridge.types import Episode, EpisodeKind, Item, RawRecord, Sample

MILLI_PER_MINUTE = 60_000
KILOJOULE_PER_KILOCALORIE = 4.184

STAGES = {
    Metric.IN_BED: "total_in_bed_time_milli",
    Metric.AWAKE: "total_awake_time_milli",
    Metric.LIGHT_SLEEP: "total_light_sleep_time_milli",
    Metric.DEEP_SLEEP: "total_slow_wave_sleep_time_milli",
    Metric.REM_SLEEP: "total_rem_sleep_time_milli",
}
NEED = ("baseline_milli", "need_from_sleep_debt_milli", "need_from_recent_strain_milli", "need_from_recent_nap_milli")
SLEEP_PERCENT = {
    Metric.SLEEP_SCORE: "sleep_performance_percentage",
    Metric.SLEEP_EFFICIENCY: "sleep_efficiency_percentage",
    Metric.SLEEP_CONSISTENCY: "sleep_consistency_percentage",
}
RECOVERY = {
    Metric.HRV_RMSSD: "hrv_rmssd_milli",
    Metric.RESTING_HR: "resting_heart_rate",
    Metric.RECOVERY_SCORE: "recovery_score",
    Metric.SPO2: "spo2_percentage",
    Metric.SKIN_TEMPERATURE: "skin_temp_celsius",
}
WORKOUT = {
    Metric.STRAIN: "strain",
    Metric.HEART_RATE: "average_heart_rate",
    Metric.DISTANCE: "distance_meter",
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """What a record means. Raises BadRecord naming the unreadable field, never its value."""
    if record.stream.startswith("export_"):
        from connectors.whoop.columns import normalise_row

        return normalise_row(record)
    match record.stream:
        case "cycle":
            return list(_cycle(record.payload))
        case "sleep":
            return list(_sleep(record.payload))
        case "recovery":
            return list(_recovery(record, parent))
        case "workout":
            return [_workout(record.payload)]
    raise BadRecord(f"whoop/{record.stream}: not a stream of whoop")


def _cycle(payload: Mapping[str, Any]) -> Iterator[Sample]:
    """A cycle runs from one sleep's onset to the next and belongs to the civil date that most of it lies in.

    The running cycle has no end, so its figures are still growing: nothing yet.
    """
    if payload.get("end") is None:
        return
    start, end, offset = _span(payload, "cycle")
    score = _score(payload)
    values = {Metric.STRAIN: _number(score, "strain"), Metric.TOTAL_ENERGY: _kilocalories(score)}
    day = _local_date(start + (end - start) / 2, offset)
    yield from samples(values, key=_text(payload, "id", "cycle"), start=start, end=end, offset=offset, day=day)


def _sleep(payload: Mapping[str, Any]) -> Iterator[Item]:
    start, end, offset = _span(payload, "sleep")
    nap = payload.get("nap")
    if not isinstance(nap, bool):
        raise BadRecord("whoop/sleep: nap is neither true nor false")
    key, day = _text(payload, "id", "sleep"), _local_date(end, offset)
    score = _score(payload)
    kind = EpisodeKind.NAP if nap else EpisodeKind.SLEEP
    values = in_range(_stages(score) | {m: _number(score, field) for m, field in SLEEP_PERCENT.items()})
    yield Episode(key=key, kind=kind, start=start, end=end, offset=offset, day=day, values=values)
    if not nap:
        breath = {Metric.RESPIRATORY_RATE: _number(score, "respiratory_rate")}
        yield from samples(breath, key=key, start=start, end=end, offset=offset, day=day)


def _stages(score: Mapping[str, Any]) -> dict[Metric, float | None]:
    """Minutes per stage, asleep (light + slow wave + REM) and needed (four parts, the nap's being negative)."""
    summary, needed = _inner(score, "stage_summary"), _inner(score, "sleep_needed")
    values = {metric: _minutes(summary, field) for metric, field in STAGES.items()}
    values[Metric.ASLEEP] = _sum(values[Metric.LIGHT_SLEEP], values[Metric.DEEP_SLEEP], values[Metric.REM_SLEEP])
    values[Metric.SLEEP_NEED] = _sum(*(_minutes(needed, field) for field in NEED))
    return values


def _recovery(record: RawRecord, parent: RawRecord | None) -> Iterator[Sample]:
    """A recovery has no time of its own: it is the night's whose sleep it names."""
    if parent is None:
        raise BadRecord("whoop/recovery: its sleep has not arrived")
    if parent.payload.get("nap") is True:
        return
    start, end, offset = _span(parent.payload, "recovery's sleep")
    score = _score(record.payload)
    values = {metric: _number(score, field) for metric, field in RECOVERY.items()}
    yield from samples(values, key=record.key, start=start, end=end, offset=offset, day=_local_date(end, offset))


def _workout(payload: Mapping[str, Any]) -> Episode:
    start, end, offset = _span(payload, "workout")
    score = _score(payload)
    values = {metric: _number(score, field) for metric, field in WORKOUT.items()}
    sport = payload.get("sport_name")
    return Episode(
        key=_text(payload, "id", "workout"),
        kind=EpisodeKind.WORKOUT,
        start=start,
        end=end,
        offset=offset,
        day=_local_date(start, offset),
        label=sport if isinstance(sport, str) and sport else None,
        values=in_range(values | {Metric.TOTAL_ENERGY: _kilocalories(score)}),
    )


def _score(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """The figures, or nothing while they are pending or could not be made."""
    state = payload.get("score_state")
    if state not in ("SCORED", "PENDING_SCORE", "UNSCORABLE"):
        raise BadRecord("whoop: score_state is missing or unknown")
    return _inner(payload, "score") if state == "SCORED" else {}


def _inner(payload: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    inner = payload.get(field)
    return inner if isinstance(inner, Mapping) else {}


def _span(payload: Mapping[str, Any], what: str) -> tuple[datetime, datetime, int]:
    """Start and end in UTC, and the offset in minutes that was valid for the person."""
    start, end = _instant(payload, "start", what), _instant(payload, "end", what)
    if end < start:
        raise BadRecord(f"whoop/{what}: ends before it starts")
    return start, end, _offset(payload, what)


def _instant(payload: Mapping[str, Any], field: str, what: str) -> datetime:
    try:
        at = datetime.fromisoformat(payload[field]).astimezone(UTC)
        if datetime.fromisoformat(payload[field]).tzinfo is None or not 2000 <= at.year < 2100:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadRecord(f"whoop/{what}: {field} is no instant") from None
    return at


def _offset(payload: Mapping[str, Any], what: str) -> int:
    """Minutes east of UTC from ``+hh:mm``, ``-hh:mm`` or ``Z``."""
    text = payload.get("timezone_offset")
    try:
        if not isinstance(text, str):
            raise ValueError
        zone = datetime.fromisoformat(f"2000-01-01T00:00:00{text}").utcoffset()
        if zone is None:
            raise ValueError
    except ValueError:
        raise BadRecord(f"whoop/{what}: timezone_offset is unreadable") from None
    return int(zone / timedelta(minutes=1))


def _local_date(at: datetime, offset: int) -> date:
    return (at + timedelta(minutes=offset)).date()


def _text(payload: Mapping[str, Any], field: str, what: str) -> str:
    value = payload.get(field)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise BadRecord(f"whoop/{what}: {field} is missing")
    return str(value)


def _number(payload: Mapping[str, Any], field: str) -> float | None:
    return finite(payload.get(field))


def _minutes(payload: Mapping[str, Any], field: str) -> float | None:
    milli = _number(payload, field)
    return None if milli is None else milli / MILLI_PER_MINUTE


def _kilocalories(score: Mapping[str, Any]) -> float | None:
    kilojoule = _number(score, "kilojoule")
    return None if kilojoule is None else kilojoule / KILOJOULE_PER_KILOCALORIE


def _sum(*parts: float | None) -> float | None:
    """Missing when any part is: a sum of what is there would be too small."""
    return None if any(part is None for part in parts) else sum(part for part in parts if part is not None)
