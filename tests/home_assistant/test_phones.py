"""The phone apps' sensors: which states are new readings, whose phone is read, units, and what never leaves it."""

from __future__ import annotations

import doctest
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import lab
from bridge.auth.account import Consent
from bridge.domain.errors import BadRecord, NeedsLogin, SetupError
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, RawRecord, Sample
from bridge.recordings.server import LabServer
from connectors.home_assistant import client
from connectors.home_assistant.client import authorise
from connectors.home_assistant.normalise import normalise
from lab.vendors.home_assistant import Vendor

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 11, 18, 23, tzinfo=UTC)  # midnight of the 19th in Berlin
ANDROID = {"sources": ["com.sec.android.app.shealth"], "unit_of_measurement": "steps"}
IPHONE = {
    "state_class": "total_increasing",
    "unit_of_measurement": "steps",
    "friendly_name": "Anas iPhone Health Steps",
}


class Silent:
    """A person who answers no question."""

    def ask(self, question: str) -> None:  # noqa: ARG002 - the port's shape
        return None


@pytest.fixture
def server() -> Iterator[tuple[Vendor, str]]:
    vendor = Vendor(lab.account("home_assistant", "awkward"))
    with LabServer(vendor.application) as served:
        yield vendor, served.url


def row(entity: str, state: Any, hours: float, **attributes: Any) -> dict[str, Any]:
    at = (START + timedelta(hours=hours)).isoformat()
    return {"entity_id": f"sensor.{entity}", "state": state, "last_changed": at, "attributes": attributes}


def read(*rows: dict[str, Any]) -> dict[str, Any]:
    """Return key -> the only item of each record that these states of an entity come to."""
    found = client.records([list(rows)], BERLIN, START)
    return {record.key: normalise(record, None)[0] for record in found}


def test_the_examples_in_the_docstrings_hold() -> None:
    assert doctest.testmod(client).failed == 0


def test_a_days_sum_is_its_last_and_not_its_greatest() -> None:
    steps = "pixel_8_daily_steps"
    found = read(
        row(steps, "900", 9, **ANDROID, endTime="2026-11-19T08:00:00Z"),
        row(steps, "880", 20, **ANDROID, endTime="2026-11-19T19:00:00Z"),
    )
    assert {key: item.value for key, item in found.items()} == {"steps/2026-11-19": 880}


def test_yesterdays_sum_told_again_after_a_restart_is_not_todays() -> None:
    steps = "anas_iphone_health_steps"
    evening, restart = row(steps, "9214", -2, **IPHONE), row(steps, "9214", 1, **IPHONE)
    assert read(evening, row(steps, "unavailable", 0.9), restart) == {}
    morning = read(evening, restart, row(steps, "312", 8, **IPHONE))
    assert {key: item.value for key, item in morning.items()} == {"steps/2026-11-19": 312}


def test_the_state_at_the_beginning_was_read_earlier() -> None:
    assert read({**row("anas_iphone_health_steps", "9214", 0, **IPHONE)}) == {}


@pytest.mark.parametrize("state", ["unknown", "unavailable", "", None])
def test_what_is_unknown_is_missing_and_not_zero(state: Any) -> None:
    assert read(row("anas_iphone_health_steps", state, 3, **IPHONE)) == {}


def test_a_sum_of_zero_without_an_app_behind_it_is_missing() -> None:
    nothing = row(
        "pixel_8_daily_steps", "0", 3, sources=[], unit_of_measurement="steps", endTime="2026-11-19T02:00:00Z"
    )
    assert read(nothing) == {}
    found = read(row("pixel_8_daily_steps", "0", 3, **ANDROID, endTime="2026-11-19T02:00:00Z"))
    assert [item.value for item in found.values()] == [0]


def test_the_same_value_with_a_new_date_is_a_new_reading() -> None:
    resting = "pixel_8_resting_heart_rate"
    told = [
        row(resting, "54", hours, date=date, source="a", unit_of_measurement="bpm")
        for hours, date in ((7, "2026-11-19T05:40:00Z"), (7, "2026-11-20T05:40:00Z"))
    ]
    assert sorted(read(*told)) == ["resting_hr/2026-11-19", "resting_hr/2026-11-20"]


def test_variability_is_rmssd_of_androids_app_and_sdnn_of_the_iphones() -> None:
    android = row("x_heart_rate_variability", "41", 3, date="2026-11-19T01:00:00Z", unit_of_measurement="ms")
    iphone = row("x_heart_rate_variability", "0.041", 3, state_class="measurement", unit_of_measurement="s")
    other = row("x_heart_rate_variability", "41", 3, unit_of_measurement="ms")
    (rmssd,), (sdnn,) = read(android).values(), read(iphone).values()
    assert (rmssd.metric, rmssd.value, sdnn.metric, sdnn.value) == (Metric.HRV_RMSSD_SPOT, 41, Metric.HRV_SDNN, 41)
    with pytest.raises(BadRecord, match="neither"):
        read(other)


@pytest.mark.parametrize(
    ("state", "unit", "metres"),
    [("6.43", "km", 6430), ("4", "mi", 6437.376), ("6430", "m", 6430), ("1000", "ft", 304.8)],
)
def test_units_are_those_that_the_owner_chose(state: str, unit: str, metres: float) -> None:
    (found,) = read(
        row("x_walking_running_distance", state, 3, state_class="total_increasing", unit_of_measurement=unit)
    ).values()
    assert found.value == pytest.approx(metres)


def test_a_night_without_stages_lasts_as_long_as_its_session() -> None:
    told = {"startTime": "2026-11-18T22:00:00Z", "endTime": "2026-11-19T05:30:00Z", "unit_of_measurement": "min"}
    staged, bare = (next(iter(read(row("x_sleep_duration", state, 7, **told)).values())) for state in ("401", "0"))
    assert isinstance(staged, Episode)
    assert staged.values == {Metric.ASLEEP: 401, Metric.IN_BED: 450}
    assert bare.values == {Metric.ASLEEP: 450, Metric.IN_BED: 450}


def test_names_of_people_and_phones_are_not_kept() -> None:
    kept = client.records([[row("anas_iphone_health_steps", "312", 8, **IPHONE)]], BERLIN, START)
    assert "anas" not in json.dumps([[record.key, record.payload] for record in kept]).lower()


def test_a_reading_without_a_time_is_set_aside_and_hides_no_other() -> None:
    good = row("x_resting_heart_rate", "58.0", 7, state_class="measurement", unit_of_measurement="bpm")
    found = client.records([[{**good, "last_changed": "today", "state": "57.0"}, good]], BERLIN, START)
    readable = [record for record in found if record.payload["at"] is not None]
    assert [normalise(record, None)[0].value for record in readable] == [58]
    with pytest.raises(BadRecord, match="at is not an instant"):
        normalise(next(record for record in found if record.payload["at"] is None), None)


def test_a_sample_is_of_the_day_on_the_persons_clock() -> None:
    (found,) = read(row("x_health_steps", "20", 0.5, **IPHONE)).values()
    assert isinstance(found, Sample)
    assert (str(found.day), found.offset) == ("2026-11-19", 60)


def consent(url: str, name: str = "", password: str = "lab-token") -> Consent:  # noqa: S107
    return Consent({"url": url, "name": name, "password": password, "days": "10"}, "Europe/Berlin", {"127.0.0.1"})


def test_of_two_phones_one_has_to_be_named(server: tuple[Vendor, str]) -> None:
    _, url = server
    with pytest.raises(SetupError, match="several phones"):
        authorise(consent(url), Silent())
    named = consent(url, "Annas iPhone")
    authorise(named, Silent())
    assert named.saved_token is not None
    assert named.saved_token["phone"] == "annas_iphone"
    with pytest.raises(SetupError, match="no sensor of that phone"):
        authorise(consent(url, "lenas_phone"), Silent())


def test_without_health_sensors_the_next_step_is_named(server: tuple[Vendor, str]) -> None:
    vendor, url = server
    vendor.account["states"] = [row("kitchen_temperature", "20.5", 3)]
    with pytest.raises(SetupError, match="companion app"):
        authorise(consent(url), Silent())


def test_a_wrong_token_and_a_wrong_address_are_told_apart(server: tuple[Vendor, str]) -> None:
    _, url = server
    with pytest.raises(NeedsLogin, match="make another"):
        authorise(consent(url, password="wrong"), Silent())
    with pytest.raises(NeedsLogin, match="standard input"):
        authorise(consent(url, password=""), Silent())
    with pytest.raises(SetupError, match="looks like"):
        authorise(consent("http://ana@home"), Silent())


def test_a_token_does_not_travel_unencrypted_to_a_strange_host() -> None:
    with pytest.raises(SetupError, match="unencrypted"):
        authorise(consent("http://home.example.org:8123"), Silent())


def test_an_unknown_kind_is_set_aside() -> None:
    with pytest.raises(BadRecord):
        normalise(RawRecord(stream="sensor", key="weight/2026-11-19", payload={}), None)
