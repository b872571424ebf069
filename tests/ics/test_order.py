"""Exports of one calendar come to the same in any order: the one whose changes are newest counts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from itertools import permutations
from pathlib import Path

import pytest

from bridge import installation
from bridge.config import load
from bridge.ingest import connecting, runs
from bridge.ingest.imports import ImportResult
from bridge.store import Store
from tests.ics.components import AT_EIGHT, calendar, vevent
from tests.world import NOW, contents

Titles = Mapping[str, tuple[str, str]]  # uid -> title, day of its last change
OCTOBER = {"1": ("Choir at six", "1001"), "2": ("Yoga", "1002"), "3": ("Fair", "1003")}
NOVEMBER = {"1": ("Choir at seven", "1101"), "3": ("Fair", "1003"), "4": ("Opera", "1102")}
LATER = {"1": ("Choir at seven", "1101"), "4": ("Opera", "1102"), "5": ("Picnic", "1110")}
AT_LAST = ["Choir at seven", "Opera", "Picnic"]


@pytest.fixture
def bridge() -> Iterator[installation.Bridge]:
    store = Store("sqlite://")
    yield installation.Bridge(settings=load(), store=store)
    store.close()


def exported(place: Path, events: Titles) -> Path:
    lines = []
    for uid, (title, changed) in events.items():
        lines += vevent(AT_EIGHT, f"SUMMARY:{title}", f"DTSTAMP:2026{changed}T080000Z", uid=uid)
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(calendar("X-WR-CALNAME:Family", *lines))
    return place


def taken(bridge: installation.Bridge, person: str, place: Path) -> ImportResult:
    return runs.import_path(bridge, bridge.store.people.user(person), place, at=NOW)


def titles(bridge: installation.Bridge, person: str) -> list[str]:
    return sorted(event["title"] for event in contents(bridge.store, bridge.store.people.user(person))["events"])


def by_order(bridge: installation.Bridge, places: Mapping[str, Path]) -> dict[str, list[str]]:
    """The titles at the end, by the order of the exports."""
    found = {}
    for order in permutations(places):
        person = "-".join(order)
        bridge.store.people.add_user(person, "Europe/Berlin", now=NOW)
        for name in order:
            taken(bridge, person, places[name])
        found[person] = titles(bridge, person)
    return found


@pytest.mark.parametrize("kind", ["file", "folder", "zip"])
def test_the_newest_export_counts_in_any_order(bridge: installation.Bridge, tmp_path: Path, kind: str) -> None:
    """A newer file's changes stay, its missing entries are gone, and its own entries stay."""
    places = {}
    for name, events in (("october", OCTOBER), ("november", NOVEMBER), ("later", LATER)):
        file = exported(tmp_path / name / "Family.ics", events)
        zipped = shutil.make_archive(str(tmp_path / name), "zip", file.parent)
        places[name] = {"file": file, "folder": file.parent, "zip": Path(zipped)}[kind]
    found = by_order(bridge, places)
    assert found == dict.fromkeys(found, AT_LAST)


def test_an_export_that_is_cut_off_comes_to_the_same_in_any_order(bridge: installation.Bridge, tmp_path: Path) -> None:
    lives = {"october": OCTOBER, "cut": NOVEMBER, "later": LATER}
    places = {name: exported(tmp_path / name / "Family.ics", events) for name, events in lives.items()}
    places["cut"].write_bytes(places["cut"].read_bytes().removesuffix(b"END:VCALENDAR\r\n"))
    found = by_order(bridge, places)
    assert found == dict.fromkeys(found, AT_LAST)


def test_the_part_of_an_earlier_year_is_not_kept_out_by_that_of_a_later_one(
    bridge: installation.Bridge, tmp_path: Path
) -> None:
    bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
    taken(bridge, "ana", exported(tmp_path / "all" / "2026.ics", {"2": ("Opera", "1102")}).parent)
    taken(bridge, "ana", exported(tmp_path / "2025.ics", {"1": ("Choir", "0101")}))
    assert titles(bridge, "ana") == ["Choir", "Opera"]


def test_an_older_copy_in_a_connected_folder_changes_nothing(bridge: installation.Bridge, tmp_path: Path) -> None:
    user = bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
    exported(tmp_path / "folder" / "Family.ics", LATER)
    connection = connecting.connect_folder(bridge, user, "ics", tmp_path / "folder")
    runs.sync_connection(bridge, user, connection, at=NOW)
    exported(tmp_path / "folder" / "Family (1).ics", OCTOBER)
    later = runs.sync_connection(bridge, user, connection, at=NOW)
    assert (later.new, later.updated, later.deleted) == (0, 0, 0)
    assert titles(bridge, "ana") == AT_LAST


def test_equally_named_parts_of_a_calendar_each_change(bridge: installation.Bridge, tmp_path: Path) -> None:
    """In one folder per year, say. An earlier part's change is not taken for an older export of the later part."""
    bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for change in ("Choir", "Yoga"):
        exported(tmp_path / "2025" / "Family.ics", {change: (change, "0102")})
        exported(tmp_path / "2026" / "Family.ics", {"2": ("Opera", "1102")})
        taken(bridge, "ana", tmp_path)
    assert titles(bridge, "ana") == ["Opera", "Yoga"]
    (again,) = taken(bridge, "ana", tmp_path).outcomes
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)


def test_a_part_that_can_no_longer_be_read_costs_nothing(bridge: installation.Bridge, tmp_path: Path) -> None:
    bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
    part = exported(tmp_path / "all" / "2025.ics", {"1": ("Choir", "0101")})
    taken(bridge, "ana", exported(tmp_path / "all" / "2026.ics", {"2": ("Opera", "1102")}).parent)
    part.write_bytes(b"BEGIN:VCALENDAR\r\nX-WR-CALNAME:Family\r\nBEGIN:VEV")
    (outcome,) = taken(bridge, "ana", part.parent).outcomes
    assert (outcome.deleted, len(outcome.failed_files)) == (0, 1)
    assert titles(bridge, "ana") == ["Choir", "Opera"]


MEETING = ("METHOD:CANCEL", "SEQUENCE:2"), ("METHOD:REQUEST", "SEQUENCE:1")


@pytest.mark.parametrize("stamps", [(), ("20261101T080000Z", "20261105T080000Z")])
def test_an_older_invitation_revives_no_cancelled_meeting(
    bridge: installation.Bridge, tmp_path: Path, stamps: tuple[str, ...]
) -> None:
    """By its SEQUENCE, also if it was sent again later, and the other way round (RFC 5546, 2.1.5)."""
    places = {}
    for number, (method, version) in enumerate(MEETING):
        stamp = [f"DTSTAMP:{stamps[number]}"] if stamps else []
        place = tmp_path / str(number) / "meeting.ics"
        place.parent.mkdir()
        place.write_bytes(calendar(method, *vevent(AT_EIGHT, "SUMMARY:Review", version, *stamp)))
        places[method] = place
    for person, order in {"ana": places, "ben": reversed(places)}.items():
        bridge.store.people.add_user(person, "Europe/Berlin", now=NOW)
        for name in order:
            taken(bridge, person, places[name])
        (event,) = contents(bridge.store, bridge.store.people.user(person))["events"]
        assert event["cancelled"]


def test_of_one_sequence_the_last_stamp_counts_wherever_it_stands(bridge: installation.Bridge, tmp_path: Path) -> None:
    bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
    newer = vevent(AT_EIGHT, "SUMMARY:Review", "STATUS:CANCELLED", "SEQUENCE:1", "DTSTAMP:20261105T080000Z")
    older = vevent(AT_EIGHT, "SUMMARY:Review", "SEQUENCE:1", "DTSTAMP:20261101T080000Z")
    place = tmp_path / "meeting.ics"
    place.write_bytes(calendar(*newer, *older))
    taken(bridge, "ana", place)
    (event,) = contents(bridge.store, bridge.store.people.user("ana"))["events"]
    assert event["cancelled"]
