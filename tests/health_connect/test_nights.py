"""Nights of several origins, revised nights, naps, and what was measured in them."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from connectors.health_connect.normalise import EXERCISES
from tests.health_connect.reading import PHONE, WATCH, document, landed
from tests.pushed import values

AT = "2026-11-18T"


def session(end: str, hours: float, *stages: tuple[str, str, str], metadata: Any = None) -> dict[str, Any]:
    """A night that ends at a UTC time, with stages as (word, start, end)."""
    told = [{"stage": word, "start_time": start, "end_time": end} for word, start, end in stages]
    row = {"session_end_time": end, "duration_seconds": int(hours * 3600), "stages": told}
    return row if metadata is None else row | {"metadata": metadata}


WATCHED = session(
    f"{AT}06:00:00Z",
    7,
    ("4", "2026-11-17T23:10:00Z", f"{AT}03:00:00Z"),
    ("5", f"{AT}03:00:00Z", f"{AT}04:00:00Z"),
    ("6", f"{AT}04:00:00Z", f"{AT}05:40:00Z"),
    ("1", f"{AT}05:40:00Z", f"{AT}06:00:00Z"),
    metadata=WATCH,
)


def episodes(items: list[Item]) -> list[Episode]:
    return [item for item in items if isinstance(item, Episode)]


def test_of_phone_and_watch_one_night_remains_in_any_order() -> None:
    phone = session(f"{AT}06:30:00Z", 8, metadata=PHONE)
    for order in permutations(([phone], [WATCHED])):
        (night,) = episodes(landed(*(document(sleep=rows) for rows in order)))
        assert night.kind is EpisodeKind.SLEEP
        assert night.day.isoformat() == "2026-11-18"
        assert (night.start.isoformat(), night.end.isoformat()) == (
            "2026-11-17T23:10:00+00:00",
            "2026-11-18T05:40:00+00:00",
        )
        assert night.values == {
            Metric.IN_BED: 420.0,
            Metric.ASLEEP: 390.0,
            Metric.LIGHT_SLEEP: 230.0,
            Metric.DEEP_SLEEP: 60.0,
            Metric.REM_SLEEP: 100.0,
            Metric.AWAKE: 20.0,
        }


def test_words_and_numbers_of_stages_mean_the_same() -> None:
    words = {"4": "light", "5": "deep", "6": "rem", "1": "awake"}
    worded = WATCHED | {"stages": [one | {"stage": words[one["stage"]]} for one in WATCHED["stages"]]}
    assert landed(document(sleep=[WATCHED])) == landed(document(sleep=[worded]))


def test_a_session_without_stages_is_asleep_for_its_length() -> None:
    (night,) = episodes(landed(document(sleep=[session(f"{AT}06:00:00Z", 7.5)])))
    assert night.values == {Metric.IN_BED: 450.0, Metric.ASLEEP: 450.0}


def test_a_revised_night_replaces_itself() -> None:
    longer = WATCHED | {"session_end_time": f"{AT}07:00:00Z", "duration_seconds": 8 * 3600}
    (night,) = episodes(landed(document(sleep=[WATCHED]), document(sleep=[longer])))
    assert night.values[Metric.IN_BED] == 480.0


def test_a_short_sleep_by_day_is_a_nap() -> None:
    found = episodes(landed(document(sleep=[WATCHED, session(f"{AT}13:00:00Z", 0.5)])))
    assert [one.kind for one in found] == [EpisodeKind.SLEEP, EpisodeKind.NAP]


def rmssd(value: float, at: str, metadata: Any = WATCH) -> dict[str, Any]:
    return {"rmssd_millis": value, "time": f"{AT}{at}:00Z", "metadata": metadata}


def test_the_night_has_the_mean_rmssd_of_one_origin_and_the_day_has_spots() -> None:
    rows = [rmssd(40, "01:00"), rmssd(50, "02:00"), rmssd(90, "02:00", PHONE), rmssd(33, "12:00", PHONE)]
    items = landed(
        document(heart_rate_variability=rows[:2]), document(heart_rate_variability=rows[2:], sleep=[WATCHED])
    )
    assert values(items, "hrv_rmssd") == {"2026-11-18": 45.0}
    assert [
        (one.start.hour, one.value) for one in items if isinstance(one, Sample) and one.metric == "hrv_rmssd_spot"
    ] == [(12, 33.0)]


def test_before_the_night_came_readings_are_spots() -> None:
    items = landed(document(heart_rate_variability=[rmssd(40, "01:00"), rmssd(50, "02:00")]))
    assert values(items, "hrv_rmssd") == {}
    assert len([one for one in items if isinstance(one, Sample)]) == 2


def test_an_iphones_variability_is_sdnn() -> None:
    row = {"heart_rate_variability_millis": 52.0, "time": f"{AT}02:00:00Z", "source": "Ana's Apple Watch"}
    assert values(landed(document(heart_rate_variability=[row], source="healthkit_ios")), "hrv_sdnn") == {
        "2026-11-18": 52.0
    }
    assert values(landed(document(heart_rate_variability=[row], source="health_connect")), "hrv_sdnn") == {}


def test_windows_count_by_their_number_of_readings() -> None:
    rows = [
        {
            "bucket_start": f"{AT}01:00:00Z",
            "bucket_end": f"{AT}01:15:00Z",
            "sample_count": 3,
            "avg": 40.0,
            "min": 30,
            "max": 50,
        },
        {
            "bucket_start": f"{AT}02:00:00Z",
            "bucket_end": f"{AT}02:15:00Z",
            "sample_count": 1,
            "avg": 60.0,
            "min": 60,
            "max": 60,
        },
    ]
    assert values(landed(document(heart_rate_variability=rows, sleep=[WATCHED])), "hrv_rmssd") == {"2026-11-18": 45.0}


def test_a_detected_walk_within_a_recorded_run_is_left_out() -> None:
    run = {"type": "57", "start_time": f"{AT}09:00:00Z", "end_time": f"{AT}09:40:00Z"}
    treadmill = run | {"metadata": {"data_origin": "com.lifefitness", "recording_method": "actively_recorded"}}
    walk = run | {"type": "79", "metadata": WATCH | {"recording_method": "automatically_recorded"}}
    treadmill |= {"distance_meters": 7000.0, "steps": 8010}
    swim = run | {"type": "swimming_pool", "start_time": f"{AT}15:00:00Z", "end_time": f"{AT}15:30:00Z"}
    found = episodes(landed(document(exercise=[walk, treadmill, swim])))
    assert [one.label for one in found] == ["running treadmill", "swimming pool"]
    assert [dict(one.values) for one in found] == [{Metric.DISTANCE: 7000, Metric.STEPS: 8010}, {}]
    assert EXERCISES["56"] == "running"


def test_what_the_app_sends_to_try_the_address_is_not_read() -> None:
    assert landed(document(sleep=[WATCHED], test=True)) == []
