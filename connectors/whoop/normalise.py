"""Turn WHOOP's raw records into samples and episodes. Names and units: developer.whoop.com (API v2).

Records that are PENDING_SCORE or UNSCORABLE give no numbers, because their zeros are not measurements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, RawRecord
from connectors.instants import local_date
from connectors.payload import KILOJOULES, MILLISECONDS, Fields, Table, total, words
from connectors.stretches import Stretch

STAGES: Table = {
    Metric.IN_BED: ("total_in_bed_time_milli", MILLISECONDS),
    Metric.AWAKE: ("total_awake_time_milli", MILLISECONDS),
    Metric.LIGHT_SLEEP: ("total_light_sleep_time_milli", MILLISECONDS),
    Metric.DEEP_SLEEP: ("total_slow_wave_sleep_time_milli", MILLISECONDS),
    Metric.REM_SLEEP: ("total_rem_sleep_time_milli", MILLISECONDS),
}
# Milliseconds; the nap's part is negative.
SLEEP_NEED = (
    "baseline_milli",
    "need_from_sleep_debt_milli",
    "need_from_recent_strain_milli",
    "need_from_recent_nap_milli",
)
SLEEP_FIELDS: Table = {
    Metric.SLEEP_SCORE: "sleep_performance_percentage",
    Metric.SLEEP_EFFICIENCY: "sleep_efficiency_percentage",
    Metric.SLEEP_CONSISTENCY: "sleep_consistency_percentage",
}
RECOVERY: Table = {
    Metric.HRV_RMSSD: "hrv_rmssd_milli",
    Metric.RESTING_HR: "resting_heart_rate",
    Metric.RECOVERY_SCORE: "recovery_score",
    Metric.SPO2: "spo2_percentage",
    Metric.SKIN_TEMPERATURE: "skin_temp_celsius",
}
CYCLE: Table = {Metric.STRAIN: "strain", Metric.TOTAL_ENERGY: ("kilojoule", KILOJOULES)}
WORKOUT: Table = {**CYCLE, Metric.HEART_RATE: "average_heart_rate", Metric.DISTANCE: "distance_meter"}
SCORED = {"SCORED": True, "PENDING_SCORE": False, "UNSCORABLE": False}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    if record.stream.startswith("export_"):
        from connectors.whoop.columns import normalise_row

        return normalise_row(record, parent)
    fields = Fields.of("whoop", record)
    match record.stream:
        case "cycle":
            return list(_cycle(fields))
        case "sleep":
            return list(_sleep(fields))
        case "recovery":
            return list(_recovery(record.key, fields, parent))
        case "workout":
            return [_workout(fields)]
    raise fields.bad("not a stream of whoop")


def _cycle(fields: Fields) -> Iterator[Item]:
    # A cycle that has not ended yields nothing, because both still grow.
    if fields.get("end") is None:
        return
    lasted = _stretch(fields)
    middle = lasted.start + timedelta(minutes=lasted.minutes / 2)
    whole = replace(lasted, day=local_date(middle, lasted.offset))
    yield from whole.samples(fields.key("id"), _score(fields).measured(CYCLE))


def _sleep(fields: Fields) -> Iterator[Item]:
    night, nap, key, score = _stretch(fields), fields.get("nap"), fields.key("id"), _score(fields)
    if not isinstance(nap, bool):
        raise fields.bad("nap is neither true nor false")
    yield night.episode(
        EpisodeKind.NAP if nap else EpisodeKind.SLEEP, key, _stages(score) | score.measured(SLEEP_FIELDS)
    )
    if not nap:
        yield from night.samples(key, score.measured({Metric.RESPIRATORY_RATE: "respiratory_rate"}))


def _stages(score: Fields) -> dict[Metric, float | None]:
    values, needed = score.inner("stage_summary").measured(STAGES), score.inner("sleep_needed")
    values[Metric.ASLEEP] = total(values[Metric.LIGHT_SLEEP], values[Metric.DEEP_SLEEP], values[Metric.REM_SLEEP])
    values[Metric.SLEEP_NEED] = total(*(needed.number(part, MILLISECONDS) for part in SLEEP_NEED))
    return values


def _recovery(key: str, fields: Fields, parent: RawRecord | None) -> Iterator[Item]:
    if parent is None:
        raise fields.bad("the sleep of this recovery has not arrived")
    if parent.payload.get("nap") is not True:
        night = _stretch(Fields(parent.payload, "whoop/recovery's sleep"))
        yield from night.samples(key, _score(fields).measured(RECOVERY))


def _workout(fields: Fields) -> Episode:
    lasted = _stretch(fields)
    began = replace(lasted, day=local_date(lasted.start, lasted.offset))
    sport = words(fields.get("sport_name"))
    return began.episode(EpisodeKind.WORKOUT, fields.key("id"), _score(fields).measured(WORKOUT), label=sport)


def _score(fields: Fields) -> Fields:
    return fields.inner("score") if fields.choice("score_state", SCORED) else Fields({}, fields.name)


def _stretch(fields: Fields) -> Stretch:
    start, end, offset = fields.instant("start"), fields.instant("end"), fields.offset("timezone_offset")
    fields.ordered(start, end, longest=None)  # a cycle lasts until the next sleep that is worn
    return Stretch(start=start, end=end, offset=offset, day=local_date(end, offset))
