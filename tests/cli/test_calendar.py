"""``bridge calendar``: 28 slots as table, document and file, from calendars that were really imported."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge import registry
from bridge.cli import app as cli
from bridge.cli.show import PIPED_WIDTH
from bridge.documents.text import printable, title_of
from bridge.domain.errors import SetupError
from bridge.domain.types import Event
from bridge.recordings.server import Answer, LabServer
from rhythm_env.interface import ActionType

Run = Callable[..., Any]
NOW = "2026-10-21T10:05:00+02:00"  # a Wednesday; the clocks go back in the night that Saturday ends with
INVITED = ("ATTENDEE:mailto:ana@example.com", "ATTENDEE:mailto:lena@example.com")
EVENTS = (
    ("standup", "20261019T091500", "20261019T094500", "Team standup", *INVITED),
    ("review", "20261019T095000", "20261019T110000", "Design review", *INVITED),
    ("writing", "20261019T103000", "20261019T120000", "Focus time: writing"),
    ("free", "20261019T060000", "20261019T070000", "Maybe a run", "TRANSP:TRANSPARENT"),
    ("dinner", "20261020T170000", "20261020T200000", "Dinner with \x1b[31mAna", "CLASS:PRIVATE"),
    ("sleep", "20261025T000000", "20261025T060000", "Sleep"),
)


def file() -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//made up//EN"]
    for key, start, end, title, *more in EVENTS:
        zone = "TZID=Europe/Berlin"
        entry = [f"UID:{key}@example.com", f"DTSTART;{zone}:{start}", f"DTEND;{zone}:{end}", f"SUMMARY:{title}", *more]
        lines += ["BEGIN:VEVENT", "DTSTAMP:20261001T000000Z", *entry, "END:VEVENT"]
    lines += ["BEGIN:VEVENT", "UID:fair@example.com", "DTSTAMP:20261001T000000Z", "DTSTART;VALUE=DATE:20261022"]
    lines += ["DTEND;VALUE=DATE:20261024", "SUMMARY:Book fair", "END:VEVENT", "END:VCALENDAR", ""]
    return "\r\n".join(lines).encode()


@pytest.fixture
def ana(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Runs commands of ana, who has imported a calendar; JSON comes back read."""
    monkeypatch.setenv("BRIDGE_NOW", NOW)

    def run(*arguments: str) -> Any:
        capsys.readouterr()
        assert not cli([*arguments], standalone_mode=False)
        printed = capsys.readouterr().out
        return json.loads(printed) if "--json" in arguments else printed

    (tmp_path / "life.ics").write_bytes(file())
    run("user", "add", "ana", "--zone", "Europe/Berlin")
    run("import", str(tmp_path / "life.ics"), "--user", "ana")
    return run


def test_28_slots_with_what_every_event_is_and_how_that_was_found(ana: Run) -> None:
    week = ana("calendar", "--user", "ana", "--week", "--json")
    assert (week["week"], week["zone"], week["calendar"]) == ("2026-W43", "Europe/Berlin", True)
    slots = week["slots"]
    assert [slot["timestep"] for slot in slots] == list(range(28))
    assert [slot["hours"] for slot in slots if slot["hours"] != 6] == [7.0]
    assert all(set(slot["planned"]) == set(ActionType) for slot in slots)
    events = [event for slot in slots for event in slot["events"]]
    assert len(events) == 15  # dinner in two slots, the fair in eight
    assert all(0 <= event["probability"] <= 1 and event["by"] and event["why"] for event in events)
    assert {event["action"] for event in events} <= {*ActionType, None}


def test_overlaps_count_once_and_what_is_free_not_at_all(ana: Run) -> None:
    monday = ana("calendar", "--user", "ana", "--json")["slots"][0]
    assert [event["minutes"] for event in monday["events"]] == [60.0, 30.0, 70.0, 90.0]
    assert [event["busy"] for event in monday["events"]] == [False, True, True, True]
    assert monday["busy"] == pytest.approx(160 / 360)
    assert sum(monday["planned"].values()) == pytest.approx(160 / 360)
    facts = monday["facts"]
    assert facts["meeting_density"] == pytest.approx(100 / 360)
    assert (facts["back_to_back"], facts["short_gaps"]) == (1, 1)
    assert facts["next_free"] == {"start": "2026-10-19T06:00:00+02:00", "end": "2026-10-19T09:15:00+02:00"}


def test_a_night_of_seven_hours_and_the_whole_week(ana: Run) -> None:
    week = ana("calendar", "--user", "ana", "--json")
    night = week["slots"][23]
    assert (night["start"], night["end"]) == ("2026-10-25T00:00:00+02:00", "2026-10-25T06:00:00+01:00")
    assert (night["busy"], night["facts"]["next_free"]) == (1.0, None)
    assert week["facts"]["busy"] * 169 == pytest.approx((160 + 180 + 420) / 60)
    assert week["facts"]["social_events_7d"] == 1


def test_a_week_by_number_or_by_any_of_its_dates(ana: Run) -> None:
    named = [ana("calendar", "--user", "ana", "--week", text, "--json")["start"] for text in ("2026-W42", "2026-10-18")]
    assert named == ["2026-10-12T06:00:00+02:00"] * 2
    for text in ("soon", "2026-W60", "0001-01-01"):
        with pytest.raises(SetupError, match="2026-W47"):
            cli(["calendar", "--user", "ana", "--week", text], standalone_mode=False)


def test_the_table_reads_from_80_columns_on(ana: Run) -> None:
    told = ana("calendar", "--user", "ana")
    assert all(len(line) <= PIPED_WIDTH for line in told.splitlines())
    for words in ("Mon 19 Oct", "evening", "Design review", "1 in a row", "all day", "17:00-...", "12.7 h"):
        assert words in told, told
    assert "\x1b" not in told  # what stands in a title must not move the cursor
    assert printable("a\x1b[2Jb\u202e") == "a\ufffd[2Jb\ufffd"
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
    assert printable(family) == family
    assert title_of(Event(key="k", calendar="c", title="half \ud83d")) == "half ?"


def test_the_file_reads_back_with_the_advice_that_was_taken(ana: Run, tmp_path: Path) -> None:
    from icalendar import Calendar

    ana("wish", "--user", "ana", "--goal", "MEDITATE 7", "--goal", "EXERCISE 7", "--goal", "LEARN 7")
    advice = ana("recommend", "--user", "ana", "--json")
    ana("feedback", "accept", "--user", "ana", "--id", str(advice["id"]))
    week = ana("calendar", "--user", "ana", "--ics", str(tmp_path / "week.ics"), "--json")
    assert week["slots"][8]["advice"] == [
        {"id": advice["id"], "action": advice["action"], "answer": "ACCEPT", "moved_here": False}
        | {"policy": advice["policy"]}
    ]
    entries = {
        str(one["summary"]): one for one in Calendar.from_ical((tmp_path / "week.ics").read_bytes()).walk("VEVENT")
    }
    assert len(entries) == len(EVENTS) + 2
    taken = entries[f"{advice['action']} (advised)"]
    assert (taken["X-RHYTHM-ADVICE"], taken["TRANSP"]) == ("ACCEPT", "TRANSPARENT")
    assert taken.start == datetime.fromisoformat("2026-10-21T06:00:00+02:00")
    assert (entries["Book fair"].start, entries["Book fair"].end) == (date(2026, 10, 22), date(2026, 10, 24))
    assert entries["Dinner with \x1b[31mAna"]["CLASS"] == "PRIVATE"
    review = entries["Design review"]
    assert (review.categories, review["X-RHYTHM-BY"]) == (
        ["ADMIN_WORK"],
        f"linear@{registry.classifier('linear').version}",
    )
    ana("user", "add", "ben", "--zone", "Europe/Berlin")
    ana("import", str(tmp_path / "week.ics"), "--user", "ben")
    again = ana("calendar", "--user", "ben", "--json")
    assert [slot["busy"] for slot in again["slots"]] == [slot["busy"] for slot in week["slots"]]


def test_an_unknown_calendar_is_not_an_empty_one(ana: Run) -> None:
    ana("user", "add", "ben")
    week = ana("calendar", "--user", "ben", "--json")
    assert week["calendar"] is False
    assert all(slot["busy"] is None and slot["planned"] is None for slot in week["slots"])
    assert set(week["facts"].values()) == {None}
    assert "bridge connect google_calendar --user ben" in ana("calendar", "--user", "ben")


def test_a_file_that_cannot_be_written_says_so(ana: Run, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="--ics FILE"):
        cli(["calendar", "--user", "ana", "--ics", str(tmp_path / "no" / "week.ics")], standalone_mode=False)


def test_a_calendar_is_known_though_nothing_stands_in_it(ana: Run, tmp_path: Path) -> None:
    ana("user", "add", "eve", "--zone", "Europe/Berlin")
    assert ana("calendar", "--user", "eve", "--json")["calendar"] is False
    empty = file().decode().splitlines()[:3]
    (tmp_path / "empty.ics").write_text("\r\n".join([*empty, "END:VCALENDAR", ""]))
    ana("import", str(tmp_path / "empty.ics"), "--user", "eve")
    assert ana("calendar", "--user", "eve", "--json")["calendar"] is True


def test_a_calendar_that_nobody_read_yet_is_not_an_empty_one(ana: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")
    ana("user", "add", "eve")
    with LabServer(lambda _: Answer(body=b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n")) as server:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{server.url}/secret.ics\n"))
        ana("connect", "ics", "--user", "eve")
    week = ana("calendar", "--user", "eve", "--json")
    assert (week["calendar"], week["facts"]["busy"], week["slots"][0]["busy"]) == (False, None, None)


def test_the_day_whose_night_has_an_hour_more_is_told_to_its_end(
    ana: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    early = file().replace(b"20261025T000000", b"20261025T053000").replace(b"Sleep", b"Early run")
    (tmp_path / "run.ics").write_bytes(early)
    ana("import", str(tmp_path / "run.ics"), "--user", "ana")
    monkeypatch.setenv("BRIDGE_NOW", "2026-10-24T12:00:00+02:00")
    assert "Early run" in [row["title"] for row in ana("today", "--user", "ana", "--json")]


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        ("2026-10-20T08:00", []),
        ("2026-10-20T23:00", []),
        ("2026-10-21T03:00", ["Public holiday"]),  # today is the date of the clock
        ("2026-10-21T08:00", ["Public holiday"]),
        ("2026-10-22T03:00", []),
        ("2026-10-22T08:00", []),
    ],
)
def test_an_all_day_entry_is_of_its_own_day(
    ana: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: str, shown: list[str]
) -> None:
    days = ("DTSTART;VALUE=DATE:20261021", "DTEND;VALUE=DATE:20261022", "SUMMARY:Public holiday")
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:1", *days, "END:VEVENT", "END:VCALENDAR", ""]
    (tmp_path / "holiday.ics").write_text("\r\n".join(lines))
    monkeypatch.setenv("BRIDGE_NOW", "2026-10-19T08:00:00+02:00")
    ana("import", str(tmp_path / "holiday.ics"), "--user", "ana")
    monkeypatch.setenv("BRIDGE_NOW", f"{now}:00+02:00")
    assert [
        row["title"] for row in ana("today", "--user", "ana", "--json") if row["title"] == "Public holiday"
    ] == shown
