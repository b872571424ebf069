"""The demo person: the same on every machine, in the vendors' shapes, and with something to do every day."""

from __future__ import annotations

import hashlib
import json
import math
import re
import statistics
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr

from lab.people.demo import latest_workday
from lab.people.person import HARD_WEEK, demo_person

FRIDAY = date(2026, 11, 20)
BERLIN = ZoneInfo("Europe/Berlin")
WEEK = [FRIDAY + timedelta(days=ahead) for ahead in range(7)]
DST_DAYS = [date(2026, 3, 29), date(2026, 10, 25), date(2026, 11, 2)]

RECORD = {"user_id", "created_at", "updated_at", "score_state"}
KEYS = {
    "cycles": RECORD | {"id", "start", "timezone_offset"},
    "sleeps": RECORD | {"id", "cycle_id", "start", "end", "timezone_offset", "nap"},
    "recoveries": RECORD | {"cycle_id", "sleep_id"},
    "workouts": RECORD | {"id", "start", "end", "timezone_offset", "sport_name"},
}
STAGES = {
    *("total_in_bed_time_milli", "total_awake_time_milli", "total_no_data_time_milli", "total_light_sleep_time_milli"),
    *("total_slow_wave_sleep_time_milli", "total_rem_sleep_time_milli", "sleep_cycle_count", "disturbance_count"),
}
NEED = {
    *("baseline_milli", "need_from_sleep_debt_milli"),
    *("need_from_recent_strain_milli", "need_from_recent_nap_milli"),
}
SCORES = {
    "cycles": {"strain", "kilojoule", "average_heart_rate", "max_heart_rate"},
    "sleeps": {
        *("stage_summary", "sleep_needed", "respiratory_rate"),
        *("sleep_performance_percentage", "sleep_efficiency_percentage"),
    },
    "recoveries": {
        *("user_calibrating", "recovery_score", "resting_heart_rate"),
        *("hrv_rmssd_milli", "spo2_percentage", "skin_temp_celsius"),
    },
    "workouts": {
        *("strain", "average_heart_rate", "max_heart_rate"),
        *("kilojoule", "percent_recorded", "zone_durations"),
    },
}


@cache
def person(today: date = FRIDAY, **options: Any) -> dict[str, dict[str, Any]]:
    return demo_person(today, **options)


def whoop(today: date = FRIDAY, **options: Any) -> dict[str, Any]:
    return person(today, **options)["whoop"]


def events(today: date = FRIDAY) -> list[dict[str, Any]]:
    return [event for held in person(today)["google_calendar"]["events"].values() for event in held]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def nights(today: date = FRIDAY, **options: Any) -> list[dict[str, Any]]:
    return [sleep for sleep in whoop(today, **options)["sleeps"] if not sleep["nap"]]


def test_the_same_person_in_another_process() -> None:
    code = (
        "import hashlib, json, datetime; from lab.people.person import demo_person;"
        "print(hashlib.sha256(json.dumps(demo_person(datetime.date(2026, 11, 20))).encode()).hexdigest())"
    )
    environment = {"PYTHONHASHSEED": "12345", "TZ": "Asia/Tokyo"}
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert there.stdout.strip() == hashlib.sha256(json.dumps(demo_person(FRIDAY)).encode()).hexdigest()


def test_seed_and_day_make_the_person() -> None:
    assert person() != person(seed=8)
    assert [n["start"] for n in nights()] != [n["start"] for n in nights(FRIDAY + timedelta(days=1))]


def test_a_person_needs_a_past() -> None:
    with pytest.raises(ValueError, match="at least 7"):
        demo_person(FRIDAY, days=6)
    assert len(nights(days=7)) == 7


@pytest.mark.parametrize("collection", KEYS)
def test_records_have_the_vendors_keys(collection: str) -> None:
    records = whoop()[collection]
    for record in records:
        assert KEYS[collection] <= set(record) <= KEYS[collection] | {"score", "end"}
        assert ("score" in record) == (record["score_state"] == "SCORED")
        assert SCORES[collection] <= set(record.get("score", SCORES[collection]))
        assert at(record["created_at"]) <= at(record["updated_at"])
    assert [r["created_at"] for r in records] == sorted(r["created_at"] for r in records)


def test_the_profile_and_origin() -> None:
    assert set(whoop()["profile"]) == {"user_id", "email", "first_name", "last_name"}
    assert {account["origin"] for account in person().values()} == {"generated"}
    assert all(account["about"] for account in person().values())


def test_no_address_outside_the_examples() -> None:
    assert set(re.findall(r"@([\w.-]+)", json.dumps(person()))) == {"example.com", "choir.example.com"}
    assert set(re.findall(r"https?://([\w.-]+)", json.dumps(person()))) <= {
        *("calendar.example.com", "meet.example.com", "mail.example.com")
    }


def test_ids_are_unique_and_of_the_vendors_kind() -> None:
    for collection in ("sleeps", "workouts"):
        ids = [record["id"] for record in whoop()[collection]]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", i) for i in ids)
    cycles = [record["id"] for record in whoop()["cycles"]]
    assert cycles == sorted(set(cycles))
    keys = [event["id"] for event in events()]
    assert len(set(keys)) == len(keys)


def test_nights_stages_and_needs_add_up() -> None:
    scored = [sleep for sleep in whoop()["sleeps"] if "score" in sleep]
    for sleep in scored:
        summary, need = sleep["score"]["stage_summary"], sleep["score"]["sleep_needed"]
        assert set(summary) == STAGES
        assert set(need) == NEED
        assert all(isinstance(value, int) for value in (*summary.values(), *need.values()))
        in_bed = summary["total_in_bed_time_milli"]
        assert sum(value for key, value in summary.items() if key.startswith("total")) == 2 * in_bed
        assert (at(sleep["end"]) - at(sleep["start"])) / timedelta(milliseconds=1) == pytest.approx(in_bed, abs=1)
        assert need["need_from_recent_nap_milli"] <= 0
    naps = {at(sleep["start"]).astimezone(BERLIN).date() for sleep in scored if sleep["nap"]}
    credited = {
        at(sleep["end"]).astimezone(BERLIN).date() - timedelta(days=1)
        for sleep in scored
        if sleep["score"]["sleep_needed"]["need_from_recent_nap_milli"] < 0
    }
    assert len(naps) >= 3
    assert credited
    assert credited <= naps


@pytest.mark.parametrize("today", [*WEEK, *DST_DAYS])
def test_last_night_is_there_and_scored(today: date) -> None:
    last = nights(today)[-1]
    recovery = whoop(today)["recoveries"][-1]
    assert at(last["end"]).astimezone(BERLIN).date() == today
    assert recovery["sleep_id"] == last["id"]
    assert last["score_state"] == recovery["score_state"] == "SCORED"
    morning = datetime(today.year, today.month, today.day, 10, 5, tzinfo=BERLIN)
    stamps = [r["updated_at"] for name in KEYS for r in whoop(today)[name]]
    assert max(map(at, (*stamps, *(event["updated"] for event in events(today) if "updated" in event)))) < morning


def test_one_night_is_missing_and_one_could_not_be_scored() -> None:
    days = [at(night["end"]).astimezone(BERLIN).date() for night in nights()]
    assert len(set(days)) == len(days) == 74
    assert (days[-1] - days[0]).days == 74
    assert [night["score_state"] for night in nights()].count("UNSCORABLE") == 1
    assert [r["score_state"] for r in whoop()["recoveries"]].count("UNSCORABLE") == 1


@pytest.mark.parametrize("today", [FRIDAY, *DST_DAYS])
def test_cycles_run_from_one_sleep_to_the_next(today: date) -> None:
    cycles, main = whoop(today)["cycles"], nights(today)
    assert [c["start"] for c in cycles] == [n["start"] for n in main]
    assert [c["id"] for c in cycles] == [n["cycle_id"] for n in main]
    assert [c["end"] for c in cycles[:-1]] == [c["start"] for c in cycles[1:]]
    assert "end" not in cycles[-1]
    spans = {c["id"]: (at(c["start"]), at(c.get("end", "2999-01-01T00:00:00Z"))) for c in cycles}
    for sleep in whoop(today)["sleeps"]:
        start, end = spans[sleep["cycle_id"]]
        assert start <= at(sleep["start"]) < at(sleep["end"]) < end


@pytest.mark.parametrize("today", [FRIDAY, *DST_DAYS])
@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Asia/Kolkata"])
def test_offsets_are_those_of_the_day(today: date, zone: str) -> None:
    place = ZoneInfo(zone)
    told = set()
    for collection in ("cycles", "sleeps", "workouts"):
        for record in whoop(today, zone=zone)[collection]:
            local = at(record["start"]).astimezone(place).isoformat()
            assert local.endswith(record["timezone_offset"])
            told.add(record["timezone_offset"])
    if today in (FRIDAY, DST_DAYS[-1]):
        assert len(told) == (1 if zone == "Asia/Kolkata" else 2)


def test_the_body_makes_sense() -> None:
    scores = [record["score"] for record in whoop()["recoveries"] if "score" in record]
    hrv = [math.log(score["hrv_rmssd_milli"]) for score in scores]
    assert 45 < math.exp(statistics.mean(hrv)) < 65
    assert 0.1 < statistics.stdev(hrv) < 0.35
    assert statistics.correlation(hrv[:-1], hrv[1:]) > 0.2
    assert statistics.correlation(hrv, [score["resting_heart_rate"] for score in scores]) < -0.6
    assert statistics.correlation(hrv, [score["recovery_score"] for score in scores]) > 0.6
    assert all(92 < score["spo2_percentage"] <= 100 for score in scores)
    for night in nights():
        if "score" in night:
            summary = night["score"]["stage_summary"]
            asleep = summary["total_in_bed_time_milli"] - summary["total_awake_time_milli"]
            assert 4 < asleep / 3_600_000 < 10
            assert 0.08 < summary["total_slow_wave_sleep_time_milli"] / asleep < 0.32
            assert 0.12 < summary["total_rem_sleep_time_milli"] / asleep < 0.34


@pytest.mark.parametrize("seed", range(7, 12))
def test_the_hard_week_shows(seed: int) -> None:
    account = whoop(seed=seed)
    day = {n["id"]: at(n["end"]).astimezone(BERLIN).date() for n in account["sleeps"]}
    hard = {FRIDAY - timedelta(days=ago - 1) for ago in HARD_WEEK}
    levels: dict[bool, list[float]] = {True: [], False: []}
    for record in account["recoveries"]:
        if "score" in record:
            levels[day[record["sleep_id"]] in hard].append(record["score"]["hrv_rmssd_milli"])
    assert statistics.mean(levels[True]) < 0.97 * statistics.mean(levels[False])


def test_days_with_a_workout_are_the_strenuous_ones() -> None:
    trained = {at(w["start"]).astimezone(BERLIN).date() for w in whoop()["workouts"] if w["sport_name"] != "yoga"}
    strain: dict[bool, list[float]] = {True: [], False: []}
    for cycle, night in zip(whoop()["cycles"][:-1], nights()[:-1], strict=True):
        strain[at(night["end"]).astimezone(BERLIN).date() in trained].append(cycle["score"]["strain"])
    assert statistics.mean(strain[True]) > statistics.mean(strain[False]) + 2
    assert len(whoop()["workouts"]) > 25
    for workout in whoop()["workouts"]:
        zones = workout["score"]["zone_durations"]
        assert list(zones) == [f"zone_{n}_milli" for n in ("zero", "one", "two", "three", "four", "five")]
        length = (at(workout["end"]) - at(workout["start"])) / timedelta(milliseconds=1)
        assert sum(zones.values()) == pytest.approx(length, abs=5)


def test_the_calendars() -> None:
    calendars = person()["google_calendar"]["calendars"]
    assert [entry.get("primary", False) for entry in calendars] == [True, False]
    assert [entry["id"] for entry in calendars] == list(person()["google_calendar"]["events"])
    for entry in calendars:
        assert {"kind", "etag", "id", "summary", "timeZone", "accessRole", "selected"} <= set(entry)


def test_events_have_the_vendors_shape() -> None:
    for event in events():
        assert event["kind"] == "calendar#event"
        assert re.fullmatch(r'"\d+"', event["etag"])
        if event["status"] == "cancelled":
            assert {"id", "recurringEventId", "originalStartTime"} <= set(event)
            assert "summary" not in event
            continue
        assert {"summary", "iCalUID", "organizer", "creator", "created", "updated", "eventType", "sequence"} <= set(
            event
        )
        assert at(event["created"]) <= at(event["updated"])
        start, end = event["start"], event["end"]
        if "date" in start:
            assert date.fromisoformat(start["date"]) < date.fromisoformat(end["date"])
        else:
            assert at(start["dateTime"]) < at(end["dateTime"])
            assert at(start["dateTime"]).utcoffset() == at(start["dateTime"]).astimezone(BERLIN).utcoffset()
            assert start["timeZone"] == end["timeZone"] == "Europe/Berlin"
        if "attendees" in event:
            assert [person["email"] for person in event["attendees"] if person.get("self")] == [
                "ana.keller@example.com"
            ]


def test_series_begin_on_a_day_of_theirs_and_exceptions_name_an_instance() -> None:
    masters = {event["id"]: event for event in events() if "recurrence" in event}
    assert len(masters) >= 20
    starts = {}
    for key, master in masters.items():
        if "dateTime" in master["start"]:
            begin = at(master["start"]["dateTime"]).replace(tzinfo=None)
            starts[key] = rrulestr(master["recurrence"][0], dtstart=begin)
            assert starts[key][0] == begin
    exceptions = [event for event in events() if "recurringEventId" in event]
    for event in exceptions:
        original = at(event["originalStartTime"]["dateTime"])
        wall = original.replace(tzinfo=None)
        assert starts[event["recurringEventId"]].between(wall, wall, inc=True) == [wall]
        assert event["id"] == f"{event['recurringEventId']}_{original.astimezone(UTC):%Y%m%dT%H%M%SZ}"
    assert {event["status"] for event in exceptions} == {"confirmed", "cancelled"}


def test_the_life_has_a_bit_of_everything() -> None:
    assert {e["eventType"] for e in events() if "eventType" in e} == {
        *("default", "focusTime", "outOfOffice", "workingLocation", "birthday", "fromGmail")
    }
    mine = [p["responseStatus"] for e in events() for p in e.get("attendees", ()) if p.get("self")]
    assert set(mine) == {"accepted", "declined", "tentative", "needsAction"}
    assert any("conferenceData" in e for e in events())
    assert any(e.get("organizer", {}).get("self") is None for e in events() if e["status"] == "confirmed")
    assert 50 < len(events()) < 120


@pytest.mark.parametrize("today", [*WEEK, *DST_DAYS])
def test_today_has_events_from_morning_to_evening(today: date) -> None:
    hours = sorted(_today(today))
    assert len(hours) >= 4
    assert hours[0] < 12
    assert any(12 <= hour < 18 for hour in hours)
    assert hours[-1] >= 18


def _today(today: date) -> list[int]:
    """Start hours of today's timed events; the generator's promise is that none of them is an exception."""
    begin = datetime(today.year, today.month, today.day)  # noqa: DTZ001 - wall-clock times
    hours = []
    for event in events(today):
        if "recurringEventId" in event:
            assert at(event["originalStartTime"]["dateTime"]).date() != today
        elif "dateTime" in event["start"]:
            start = at(event["start"]["dateTime"]).replace(tzinfo=None)
            if "recurrence" in event:
                found = rrulestr(event["recurrence"][0], dtstart=start)
                hours += [s.hour for s in found.between(begin, begin + timedelta(days=1), inc=True)]
            elif start.date() == today:
                hours.append(start.hour)
    return hours


@pytest.mark.parametrize("ago", range(7))
def test_the_demo_is_on_the_latest_workday(ago: int) -> None:
    """The person's Saturday morning is full, so that a demo on it would end without advice."""
    day = date(2026, 11, 29) - timedelta(days=ago)
    found = latest_workday(day)
    assert found.weekday() < 5
    assert found == (day if day.weekday() < 5 else date(2026, 11, 27))
