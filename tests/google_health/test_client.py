"""Requests to Google Health, as Google describes them, and the samples of its points."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, RawRecord, Sample
from connectors.google.health.client import KINDS
from connectors.google.health.normalise import normalise
from tests.contract.test_google_described import document, methods
from tests.world import World, later

HOURS = "2026-11-18T{}:00:00Z"


def filters(world: World) -> dict[str, str]:
    """Data type -> the filter that a request asked for."""
    asked = [urlsplit(line.split(" ")[1]) for line in world.server.asked if ":reconcile" in line]
    return {one.path.split("/")[-2]: parse_qs(one.query)["filter"][0] for one in asked}


def test_every_filter_is_of_a_pattern_that_google_describes(world: World) -> None:
    """Sleep is filtered by its end alone, other sessions by their civil start, and daily points by their date."""
    assert world.sync().outcome == "ok"
    described = next(m for m in methods(document("google_health")["resources"]) if m["id"].endswith("dataPoints.list"))
    patterns = re.findall(r"Pattern: `([^`]+)`", described["parameters"]["filter"]["description"])
    shapes = [re.sub(r"\\\{[a-z_]+\\\}", "[a-z_0-9]+", re.escape(pattern)) for pattern in patterns]
    found = filters(world)
    assert set(found) == {kind.name for kind in KINDS.values() if kind.time}
    for text in found.values():
        for field, sign, day in re.findall(r'(\S+) (\S+) "([^"]+)"', text):
            assert any(re.fullmatch(shape, field) for shape in shapes), field
            assert sign in (">=", "<")
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    assert "sleep.interval.civil_end_time" in found["sleep"]
    assert "sleep.interval.start_time" not in patterns


def test_sums_are_asked_for_within_the_ranges_that_google_describes(world: World) -> None:
    """The server refuses ranges of more than 14 days of total calories, and of more than 90 of the others."""
    assert world.sync().outcome == "ok"
    asked = [line for line in world.server.asked if "total-calories" in line]
    assert len(asked) == 5  # 60 days


def test_pages_are_followed_to_their_end(world: World) -> None:
    wanted = world.contents() if world.sync().outcome == "ok" else {}
    world.vendor.page_size = 2
    after = later(world, minutes=30)
    assert after.sync().outcome == "ok"
    assert after.contents() == wanted
    assert [line for line in world.server.asked if "pageToken=page-2" in line]


def read(stream: str, payload: dict[str, Any]) -> Any:
    return normalise(RawRecord(stream=stream, key="k", payload=payload), None)


def sleep(**more: Any) -> dict[str, Any]:
    interval = {"startTime": HOURS.format("00"), "endTime": HOURS.format("07"), "endUtcOffset": "-18000s"}
    return {"sleep": {"interval": interval, **more}}


def test_the_day_is_that_of_the_persons_clock_at_waking() -> None:
    (night,) = read("sleep", sleep())
    assert (night.offset, night.day.isoformat()) == (-300, "2026-11-18")
    assert night.values == {Metric.IN_BED: 420.0}


def test_stages_count_where_no_summary_is_told() -> None:
    stages = [
        {"type": kind, "startTime": HOURS.format(start), "endTime": HOURS.format(end)}
        for kind, start, end in (
            ("LIGHT", "00", "03"),
            ("DEEP", "03", "04"),
            ("AWAKE", "04", "05"),
            ("REM", "05", "07"),
        )
    ]
    (night,) = read("sleep", sleep(stages=stages))
    assert isinstance(night, Episode)
    assert night.values == {
        Metric.LIGHT_SLEEP: 180.0,
        Metric.DEEP_SLEEP: 60.0,
        Metric.REM_SLEEP: 120.0,
        Metric.AWAKE: 60.0,
        Metric.ASLEEP: 360.0,
        Metric.IN_BED: 420.0,
    }


@pytest.mark.parametrize(
    ("metadata", "kind"),
    [
        ({"nap": True, "mainSleep": False}, EpisodeKind.NAP),
        ({"nap": False, "mainSleep": False}, EpisodeKind.SLEEP),
        ({"mainSleep": True}, EpisodeKind.SLEEP),
        ({}, EpisodeKind.SLEEP),
    ],
)
def test_google_says_which_sleep_is_a_nap(metadata: dict[str, bool], kind: EpisodeKind) -> None:
    (found,) = read("sleep", sleep(metadata=metadata))
    assert found.kind is kind


def test_a_short_sleep_by_day_is_a_nap_where_google_does_not_say() -> None:
    times = {"startTime": HOURS.format("13"), "endTime": HOURS.format("14"), "endUtcOffset": "3600s"}
    (found,) = read("sleep", {"sleep": {"interval": times}})
    assert found.kind is EpisodeKind.NAP


def test_a_sleep_in_process_has_no_minutes_yet() -> None:
    (night,) = read("sleep", sleep(metadata={"processed": False}, summary={"minutesAsleep": "12"}))
    assert night.values == {}


def test_whole_numbers_come_as_texts_and_sdnn_where_it_is_given() -> None:
    date = {"year": 2026, "month": 11, "day": 18}
    (rate,) = read("resting_heart_rate", {"dailyRestingHeartRate": {"date": date, "beatsPerMinute": "56"}})
    assert isinstance(rate, Sample)
    assert (rate.metric, rate.value, rate.day.isoformat()) == (Metric.RESTING_HR, 56.0, "2026-11-18")
    at = {"physicalTime": HOURS.format("03"), "utcOffset": "3600s"}
    told = {"sampleTime": at, "rootMeanSquareOfSuccessiveDifferencesMilliseconds": 45.5}
    assert read("readings", {"heartRateVariability": told}) == []
    (sdnn,) = read("readings", {"heartRateVariability": told | {"standardDeviationMilliseconds": 52.1}})
    assert (sdnn.metric, sdnn.value, sdnn.offset) == (Metric.HRV_SDNN, 52.1, 60)


def test_a_day_without_a_step_is_no_measurement() -> None:
    day = {"civilStartTime": {"date": {"year": 2026, "month": 11, "day": 18}}, "steps": {"countSum": "0"}}
    assert read("steps", day) == []


def test_what_a_person_wrote_of_a_workout_is_not_kept(world: World) -> None:
    world.vendor.account["exercise"][0]["exercise"]["notes"] = "with Bob"
    (kept,) = [one for one in world.records() if one.stream == "exercise" and one.key == "8001"]
    assert {"notes", "displayName"} & set(kept.payload["exercise"]) == set()  # type: ignore[call-overload]
