"""Wrong input and settings end in a sentence and an exit code, and no output is cut."""

from __future__ import annotations

import io
import json
import re
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from bridge.cli import main, show
from tests.commands import bridge

FAR = "99999999999999999999"


@pytest.fixture
def ana() -> None:
    assert bridge("user", "add", "ana", "--zone", "Asia/Tokyo").returncode == 0


@pytest.mark.usefixtures("ana")
@pytest.mark.parametrize("command", [("feedback", "accept", "--id", FAR), ("token", "revoke", FAR)])
def test_a_number_that_no_row_can_have(command: tuple[str, ...]) -> None:
    done = bridge(*command, "--user", "ana")
    assert (done.returncode, "Input should be less than" in done.stderr) == (2, True)


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_terminal_without_our_letters(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [
        _shown(encoding, monkeypatch, "classify", "Zoë: 朝のヨガ", "--by", "keywords", *how)
        for how in ((), ("--json",))
    ]
    assert "????" in shown[0]
    assert json.loads(shown[1])[0]["title"] == "Zoë: 朝のヨガ"


def _shown(encoding: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, write_through=True) as out, redirect_stdout(out):
        monkeypatch.setattr("sys.argv", ["bridge", *arguments])
        with pytest.raises(SystemExit):
            main()
        return raw.getvalue().decode(encoding)


def test_a_narrow_terminal_shows_every_word(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")
    command = "bridge connect google_calendar --user ana"
    columns = ("source", "connection", "last_success", "next_due", "newest", "rows", "set_aside", "next")
    show.table([{**dict.fromkeys(columns, "google_calendar"), "next": command}], columns)
    drawn = capsys.readouterr().out
    assert "…" not in drawn
    assert command in drawn


def test_at_80_columns_no_word_is_broken(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    row = {
        "source": "google_calendar",
        "connection": "account",
        "last_success": "11-20 10:05",
        "next_due": "11-20 10:20",
        "newest": "12 h ago",
        "rows": 1234,
        "set_aside": 2,
        "next": "bridge sync --user ana --source google_calendar",
    }
    show.table([row], tuple(row))
    drawn = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    words = {word for column, cell in row.items() for word in (*column.split("_"), *str(cell).split())}
    assert words <= set(drawn.replace("│", " ").replace("┃", " ").split())
    assert max(len(line) for line in drawn.splitlines()) <= 80


@pytest.mark.usefixtures("ana")
def test_a_title_moves_no_cursor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", "BEGIN:VEVENT", "UID:1", "DTSTART:20261120T090000Z")
    lines += ("DTEND:20261120T100000Z", "SUMMARY:\x1b[2JGym \u202e", "END:VEVENT", "END:VCALENDAR")
    (tmp_path / "week.ics").write_text("\r\n".join(lines), encoding="utf-8", newline="")
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T08:00:00+00:00")
    assert bridge("import", str(tmp_path / "week.ics"), "--user", "ana").returncode == 0
    fixed = ("classify", "--user", "ana", "--fix", "\x1b[2JGym \u202e", "LEARN")
    for command in (("today", "--user", "ana"), ("classify", "\x1b[2JGym"), fixed):
        shown = bridge(*command).stdout
        assert "\ufffd[2JGym" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


@pytest.mark.usefixtures("ana")
def test_nothing_is_to_be_revoked_where_no_consent_was_given() -> None:
    assert bridge("checkin", "4", "--user", "ana").returncode == 0
    said = bridge("disconnect", "check_in", "--user", "ana", "--yes").stdout
    assert said == "check_in is disconnected and its data deleted.\n"


@pytest.mark.parametrize("command", ["status", "today", "plan", "meters"])
def test_a_user_name_of_bytes_that_are_no_letters(command: str) -> None:
    done = bridge(command, "-u", b"\xff\xfe".decode(errors="surrogateescape"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("error: there is no user of that name")
    assert "bridge user list" in done.stderr
