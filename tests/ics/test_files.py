"""Calendars as files: what a newer one replaces, and what the person's own addresses say of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.records import User
from bridge.domain.types import Outcome
from bridge.ingest import connecting, runs
from bridge.store import Store
from connectors.ics.parse import pages
from tests.ics.components import AT_EIGHT, ME, calendar, vevent, vtodo
from tests.world import NOW, contents

Person = tuple[installation.Bridge, User]


@pytest.fixture
def ana() -> Iterator[Person]:
    store = Store("sqlite://")
    yield installation.Bridge(settings=load(), store=store), store.people.add_user("ana", "Europe/Berlin", now=NOW)
    store.close()


def written(place: Path, *uids: str, kind: str = "event") -> Path:
    """A calendar of the name that Outlook gives to every mailbox's."""
    parts = [vevent(AT_EIGHT, uid=uid) if kind == "event" else vtodo(uid=uid) for uid in uids]
    place.write_bytes(calendar("X-WR-CALNAME:Calendar", *(line for part in parts for line in part)))
    return place


def imported(ana: Person, place: Path) -> Outcome:
    (outcome,) = runs.import_path(*ana, place, at=NOW).outcomes
    assert outcome.outcome == "ok"
    return outcome


def test_another_calendar_of_the_same_name_deletes_nothing(ana: Person, tmp_path: Path) -> None:
    assert imported(ana, written(tmp_path / "work.ics", "a", "b")).deleted == 0
    assert imported(ana, written(tmp_path / "private.ics", "c", "d")).deleted == 0
    assert imported(ana, written(tmp_path / "private.ics", "e", kind="task")).deleted == 0
    assert {event["series"] for event in contents(ana[0].store, ana[1])["events"]} == {"a", "b", "c", "d"}


def test_a_newer_export_replaces_and_what_is_gone_is_gone(ana: Person, tmp_path: Path) -> None:
    imported(ana, written(tmp_path / "work.ics", "a", "b"))
    assert imported(ana, written(tmp_path / "work.ics", "a", "c")).deleted == 1
    assert imported(ana, written(tmp_path / "work (1).ics", "c")).deleted == 1  # as browsers name it
    assert imported(ana, written(tmp_path / "work.ics")).deleted == 1


def test_an_invitation_is_no_calendar_that_replaces_another(ana: Person, tmp_path: Path) -> None:
    """Programs of mail call every one of them the same, and a downloaded one after the last."""
    for uid in ("a", "b"):
        (tmp_path / "invite.ics").write_bytes(calendar("METHOD:REQUEST", *vevent(AT_EIGHT, uid=uid)))
        assert imported(ana, tmp_path / "invite.ics").deleted == 0
    assert {event["series"] for event in contents(ana[0].store, ana[1])["events"]} == {"a", "b"}


def test_a_name_that_is_no_text_costs_nothing(ana: Person, tmp_path: Path) -> None:
    """As on a disk that an older system wrote."""
    place = tmp_path / os.fsdecode(b"\xdcbung.ics")
    place.write_bytes(calendar(*vevent(AT_EIGHT)))
    assert imported(ana, place).new == 1
    written(tmp_path / "work.ics", "a")
    assert (imported(ana, tmp_path).new, imported(ana, tmp_path).unchanged) == (1, 2)


def test_what_is_no_text_in_a_file_is_no_part_of_its_keys() -> None:
    content = calendar("X-WR-CALNAME:Wo\0rk", *vevent(AT_EIGHT, uid="a\0b"))
    assert [record.key for page in pages(content, name="x", zone="UTC") for record in page.records] == ["Work/ab"]


def test_a_folder_is_all_there_is(ana: Person, tmp_path: Path) -> None:
    written(tmp_path / "2025.ics", "a")
    written(tmp_path / "2026.ics", "b")
    assert imported(ana, tmp_path).deleted == 0
    (tmp_path / "2025.ics").unlink()
    assert imported(ana, tmp_path).deleted == 1


def test_what_two_files_hold_is_as_it_was_when_they_come_again(ana: Person, tmp_path: Path) -> None:
    for name in ("work.ics", "old.ics"):
        written(tmp_path / name, "a", "b")
    assert (imported(ana, tmp_path).new, imported(ana, tmp_path).unchanged) == (2, 2)


def test_of_a_connected_folder_a_part_that_comes_later_leaves_the_others(ana: Person, tmp_path: Path) -> None:
    written(tmp_path / "2025.ics", "a")
    written(tmp_path / "2026.ics", "b")
    connection = connecting.connect_folder(*ana, "ics", tmp_path)
    assert runs.sync_connection(*ana, connection, at=NOW).items == {"event": 2}
    written(tmp_path / "2027.ics", "c")
    later = runs.sync_connection(*ana, connection, at=NOW)
    assert (later.new, later.deleted, later.files) == (1, 0, 1)


def test_what_could_not_be_read_is_forgotten_when_it_can(ana: Person, tmp_path: Path) -> None:
    place = tmp_path / "work.ics"
    place.write_bytes(calendar("X-WR-CALNAME:Calendar", *vevent("DURATION:x", AT_EIGHT), *vevent(AT_EIGHT, uid="2")))
    assert imported(ana, place).set_aside == 1
    assert imported(ana, written(place, "1", "2")).new == 1
    (connection,) = ana[0].store.connections.of_user(ana[1].id)
    assert list(ana[0].store.ingest.set_aside(connection.id)) == []


def test_an_invitation_that_i_declined_is_declined_in_a_file_too(
    ana: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("ORGANIZER:mailto:bo@example.com", f"ATTENDEE;PARTSTAT=DECLINED:mailto:{ME}", "ATTENDEE:mailto:cy@x.org")
    (tmp_path / "work.ics").write_bytes(calendar(*vevent(AT_EIGHT, *lines)))
    for addresses, response in (("", None), (f"other@example.com, {ME.upper()}", "declined")):
        monkeypatch.setenv("BRIDGE_ICS_ADDRESSES", addresses)
        imported(ana, tmp_path / "work.ics")
        (event,) = contents(ana[0].store, ana[1])["events"]
        assert event.get("response") == response
