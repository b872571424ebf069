"""A secret address of Google's names its owner: the bridge asks, and what the owner declined does not count."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from bridge.recordings.server import Answer, LabServer
from tests.commands import bridge
from tests.ics.components import calendar, vevent
from tests.world import KEY, NOW

OWNER = "Me@gmail.com"
TIMES = ("DTSTART:20261120T100000Z", "DTEND:20261120T140000Z", "ORGANIZER:mailto:boss@example.org")
DECLINED = (f"ATTENDEE;PARTSTAT=DECLINED:mailto:{OWNER.lower()}", "ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@example.org")


def told(name: str, *lines: str, typed: str, monkeypatch: pytest.MonkeyPatch, **settings: str) -> tuple[str, list[str]]:
    """Return what a connection of a calendar of that name says, and the titles of the day after its first sync."""
    for key, value in {"BRIDGE_KEY": KEY, "BRIDGE_NOW": NOW.isoformat(), **settings}.items():
        monkeypatch.setenv(key, value)
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
    content = calendar(f"X-WR-CALNAME:{name}", *vevent("SUMMARY:Review", *TIMES, *lines))
    with LabServer(lambda _: Answer(body=content)) as server:
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        connected = bridge("connect", "ics", "--user", "ana", "--url", f"{server.url}/basic.ics")
        assert connected.returncode == 0, connected.stderr
        assert bridge("sync", "--user", "ana").returncode == 0
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T12:00:00+01:00")
    today = bridge("today", "--user", "ana", "--json")
    return connected.stderr, [row["title"] for row in json.loads(today.stdout)]


@pytest.mark.parametrize(
    ("typed", "titles"),
    [
        ("yes\n", []),
        ("Ja\n", []),
        (f"{OWNER}\n", []),
        ("no\n", ["Review"]),
        ("", ["Review"]),
        ("other@x.org\n", ["Review"]),
    ],
)
def test_a_meeting_that_the_owner_declined_goes(monkeypatch: pytest.MonkeyPatch, typed: str, titles: list[str]) -> None:
    said, shown = told(OWNER, *DECLINED, typed=typed, monkeypatch=monkeypatch)
    assert (f"named {OWNER}. Is that you?" in said, shown) == (True, titles)


@pytest.mark.parametrize(("name", "settings"), [("Work", {}), (OWNER, {"BRIDGE_ICS_ADDRESSES": "me@x.org"})])
def test_nothing_is_asked_where_it_is_known_or_no_address(
    monkeypatch: pytest.MonkeyPatch, name: str, settings: dict[str, str]
) -> None:
    said, shown = told(name, *DECLINED, typed="yes\n", monkeypatch=monkeypatch, **settings)
    assert ("Is that you" in said, shown) == (False, ["Review"])


def test_a_file_asks_too_and_the_address_is_given_with_the_next_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T12:00:00+01:00")
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
    place = tmp_path / "basic.ics"
    place.write_bytes(calendar(f"X-WR-CALNAME:{OWNER}", *vevent("SUMMARY:Review", *TIMES, *DECLINED)))

    def titles(*more: str) -> tuple[str, list[str]]:
        said = bridge("import", str(place), "--user", "ana", *more).stdout
        return said, [row["title"] for row in json.loads(bridge("today", "--user", "ana", "--json").stdout)]

    said, shown = titles()
    assert ("ics: 1 entries declined by the person" in said, "--me ADDRESS" in said, shown) == (True, True, ["Review"])
    assert OWNER not in said
    said, shown = titles("--me", OWNER)
    assert ("--me" in said, shown) == (False, [])


@pytest.mark.parametrize(("name", "lines"), [("Work", DECLINED), (OWNER, DECLINED[1:])])
def test_a_file_asks_nothing_without_need(tmp_path: Path, name: str, lines: tuple[str, ...]) -> None:
    assert bridge("user", "add", "ana", "--zone", "Europe/Berlin").returncode == 0
    place = tmp_path / "basic.ics"
    place.write_bytes(calendar(f"X-WR-CALNAME:{name}", *vevent("SUMMARY:Review", *TIMES, *lines)))
    assert "--me" not in bridge("import", str(place), "--user", "ana").stdout
