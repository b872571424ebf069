"""``bridge calendar list``, ``use``, ``ignore`` and ``mark``: what they show, keep, refuse and take back."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import app as cli
from bridge.cli import exit_code
from bridge.domain.errors import BridgeError
from tests.calendar.families import Entry, as_ics
from tests.world import NOW

Run = Callable[..., Any]
TITLES = ("CW Preschool", "CW: Ballet", "Swimming (CW)", "Ben - Climbing", "Ben Band", "Ben Chess", "Trash day", "Yoga")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run ``bridge calendar`` for ana, who has a family's calendar; returns its document, or (code, error)."""
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    entries = [
        Entry(title, title, "", None, NOW + timedelta(days=week * 7, hours=number))
        for week in range(3)
        for number, title in enumerate(TITLES)
    ]
    (tmp_path / "family.ics").write_text(as_ics(entries), encoding="utf-8")
    cli(("user", "add", "ana", "--zone", "Europe/Berlin"), standalone_mode=False)
    cli(("import", str(tmp_path / "family.ics"), "--user", "ana"), standalone_mode=False)

    def command(*arguments: str, is_json: bool = True) -> Any:
        capsys.readouterr()
        try:
            cli(("calendar", *arguments, *(["--json"] * is_json), "--user", "ana"), standalone_mode=False)
        except BridgeError as error:
            return exit_code(error), str(error)
        printed = capsys.readouterr().out
        return json.loads(printed) if is_json else printed

    return command


def shown(run: Run) -> set[str]:
    return {event["title"] for slot in run("--week", "2026-11-20")["slots"] for event in slot["events"]}


def test_a_calendar_is_left_out_and_used_again(run: Run) -> None:
    (row,) = run("list")
    assert (row["name"], row["source"], row["used"], row["entries"]) == ("Family", "ics", True, 24)
    assert "Yoga" in shown(run)
    assert run("ignore", "family")[0]["used"] is False
    assert shown(run) == set()
    assert run("use", "Family") == [row]
    assert "Yoga" in shown(run)
    code, said = run("use", "Work")
    assert (code, "bridge calendar list --user ana" in said) == (2, True)


def test_a_series_that_is_over_is_no_entry_of_the_year(run: Run, tmp_path: Path) -> None:
    past = as_ics([Entry("Choir", "Choir", "", None, NOW - timedelta(days=3000))], "Choir")
    for name, rule in (("over", "FREQ=WEEKLY;COUNT=3"), ("open", "FREQ=WEEKLY")):
        told = past.replace("SUMMARY:", f"RRULE:{rule}\r\nSUMMARY:").replace("Choir", name)
        (tmp_path / f"{name}.ics").write_text(told, encoding="utf-8")
        cli(("import", str(tmp_path / f"{name}.ics"), "--user", "ana"), standalone_mode=False)
    assert {row["name"]: row["entries"] for row in run("list")} == {"Family": 24, "open": 1, "over": 0}


def test_the_bridge_asks_whose_a_name_is_and_one_answer_tells_all_entries_of_it(run: Run) -> None:
    asked = run("mark")["asked"]
    assert {one["name"] for one in asked} == {"ben", "cw"}
    preschool = next(one for one in asked if one["name"] == "cw")
    done = run("mark", preschool["title"], "not-mine", "--like")
    assert (done["whose"], done["like"], done["name"]) == ("not-mine", True, "cw")
    assert done["changes"] == 9
    assert [title for title in shown(run) if "CW" in title] == []
    assert len([title for title in shown(run) if "Ben" in title]) == 3
    assert {one["name"] for one in run("mark")["asked"]} >= {"ben"}
    assert "whose is it?" in run("mark", is_json=False)
    run("mark", done["event"], "mine")
    assert run("mark")["marks"] == []
    assert len([title for title in shown(run) if "CW" in title]) == 3


def test_one_entry_is_marked_alone_and_a_reminder_takes_no_time(run: Run) -> None:
    assert run("mark", "yoga", "not-mine")["changes"] == 1
    assert "Yoga" not in shown(run)
    done = run("mark", "Trash day", "no-time", "--like")
    assert (done["like"], done["name"], done["changes"]) == (True, None, 3)
    busy = {event["title"]: event["busy"] for slot in run()["slots"] for event in slot["events"]}
    assert busy["Trash day"] is False
    assert busy["Ben Band"] is True
    assert [one["title"] for one in run("mark")["marks"]] == ["Trash day", "Yoga"]
    assert "yours again" in run("mark", "Yoga", "mine", is_json=False)
    assert "To undo it: bridge calendar mark" in run("mark", "Ben Band", "not-mine", "--series", is_json=False)


@pytest.mark.parametrize("arguments", [("mark", "Opera", "not-mine"), ("mark", "Yoga", "hers"), ("mark", "Yoga")])
def test_what_cannot_be_marked_is_told_with_the_next_command(run: Run, arguments: tuple[str, ...]) -> None:
    code, said = run(*arguments)
    assert (code, "bridge calendar" in said) == (2, True)
    assert run("mark")["marks"] == []
