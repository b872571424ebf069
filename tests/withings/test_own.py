"""Peculiarities of Withings: times in Unix seconds, naps that are not told, offsets, and refusals within HTTP 200."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import requests

from bridge import http
from bridge.auth.token_transport import unwrapped
from bridge.domain.errors import BadRecord, BridgeError, NeedsLogin, SourceChanged, TryLater
from bridge.domain.types import Episode, EpisodeKind, RawRecord, Sample
from connectors.withings import SPEC, client
from connectors.withings.client import normalise

NOW = datetime(2025, 10, 21, 8, tzinfo=UTC)
NIGHT: dict[str, Any] = {
    "id": 1234,
    "timezone": "Europe/Berlin",
    "startdate": 1760911200,
    "enddate": 1760938800,
    "date": "2025-10-20",
    "data": {"total_sleep_time": 25200, "hr_average": 54, "sleep_efficiency": 0.93},
}
DAY: dict[str, Any] = {"date": "2025-10-20", "timezone": "Europe/Berlin", "steps": 8120, "hr_average": 71}


def items(stream: str, row: dict[str, Any]) -> list[Any]:
    return list(normalise(RawRecord(stream=stream, key="1", payload=row), None))


def session_of(monkeypatch: pytest.MonkeyPatch, *bodies: Any) -> tuple[client.Client, list[dict[str, str]]]:
    """A client whose requests get these bodies, and the forms that it posts."""
    asked: list[dict[str, str]] = []
    left = iter(bodies)

    def get_json(session: Any, url: str, *, now: datetime, data: dict[str, str]) -> Any:
        asked.append(data)
        return next(left)

    monkeypatch.setattr(http, "get_json", get_json)
    opened = client.Client.__new__(client.Client)
    opened._base, opened._days, opened._session = "", 5, None  # type: ignore[assignment]
    return opened, asked


def test_a_night_is_of_the_date_of_waking_on_the_clock_of_its_zone() -> None:
    episode, *samples = items("sleep", NIGHT)
    assert isinstance(episode, Episode)
    assert (episode.kind, episode.day, episode.offset) == (EpisodeKind.SLEEP, date(2025, 10, 20), 120)
    assert episode.end - episode.start == timedelta(seconds=27_600)
    assert {sample.metric: sample.value for sample in samples} == {"resting_hr": 54, "sleep_efficiency": 93}


def test_a_sleep_of_less_than_two_hours_is_a_nap_without_nightly_values() -> None:
    (episode,) = items("sleep", NIGHT | {"enddate": NIGHT["startdate"] + 7199})
    assert episode.kind is EpisodeKind.NAP
    longer, *_ = items("sleep", NIGHT | {"enddate": NIGHT["startdate"] + 7200})
    assert longer.kind is EpisodeKind.SLEEP


def test_what_was_not_measured_of_a_night_is_left_out() -> None:
    episode, sample = items("sleep", NIGHT | {"data": dict.fromkeys(NIGHT["data"]) | {"hr_average": 54}})
    assert episode.values == {}
    assert sample.metric == "resting_hr"


@pytest.mark.parametrize("odd", [{"startdate": "soon"}, {"enddate": None}, {"timezone": "Nowhere"}])
def test_a_sleep_without_its_times_or_its_zone_is_unreadable(odd: dict[str, Any]) -> None:
    with pytest.raises(BadRecord, match=next(iter(odd))):
        items("sleep", NIGHT | odd)


def test_a_day_begins_at_midnight_of_its_zone_and_its_mean_heart_rate_is_left_out() -> None:
    (steps,) = items("activity", DAY)
    assert isinstance(steps, Sample)
    assert (steps.metric, steps.value, steps.offset) == ("steps", 8120, 120)
    assert steps.start == datetime(2025, 10, 19, 22, tzinfo=UTC)
    (unplaced,) = items("activity", DAY | {"timezone": None})
    assert (unplaced.start, unplaced.offset) == (datetime(2025, 10, 20, tzinfo=UTC), None)


def test_the_next_page_begins_where_the_answer_says(monkeypatch: pytest.MonkeyPatch) -> None:
    opened, asked = session_of(
        monkeypatch,
        {"series": [NIGHT], "more": True, "offset": 1},
        {"series": [NIGHT | {"id": 1235}], "more": False, "offset": 0},
    )
    pages = list(opened.pull("sleep", None, now=NOW))
    assert [[record.key for record in page.records] for page in pages] == [["1234"], ["1235"]]
    assert [page.cursor is None for page in pages] == [True, False]
    assert [form.get("offset") for form in asked] == [None, "1"]
    assert asked[0]["action"] == "getsummary"
    assert "hr_average" in asked[0]["data_fields"].split(",")


@pytest.mark.parametrize("offset", [0, None, "1"])
def test_more_rows_at_no_later_place_are_a_change_of_the_source(monkeypatch: pytest.MonkeyPatch, offset: Any) -> None:
    opened, _ = session_of(monkeypatch, {"activities": [DAY], "more": True, "offset": offset})
    with pytest.raises(SourceChanged):
        list(opened.pull("activity", None, now=NOW))


@pytest.mark.parametrize(
    ("status", "error"), [(401, NeedsLogin), (503, SourceChanged), (601, TryLater), (2554, TryLater), (2555, TryLater)]
)
def test_a_status_within_an_answer_is_the_refusal_that_it_stands_for(status: int, error: type[BridgeError]) -> None:
    answer = requests.Response()
    answer.status_code, answer._content = 200, json.dumps({"status": status, "body": {}}).encode()
    assert SPEC.oauth is not None
    with pytest.raises(error):
        http.raise_for_status(unwrapped(answer, SPEC.oauth.envelope), now=NOW)
