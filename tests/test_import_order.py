"""Exports of one source come to the same in any order, and imports of one source follow one another."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation
from bridge.config import load
from bridge.domain.records import IMPORT_CONNECTION
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.store import Store
from tests.apple_health.documents import Text, document, quantity, slept, steps
from tests.world import NOW

AUGUST = "2026-09-05 10:00:00 +0200"
AUTUMN = "2026-11-10 10:00:00 +0100"


def land(store: Store, person: str, place: Path) -> Outcome:
    bridge = installation.Bridge(settings=load(), store=store)
    (outcome,) = runs.import_path(bridge, store.people.user(person), place, at=NOW).outcomes
    return outcome


def state(store: Store, person: str) -> list[Any]:
    user = store.people.user(person)
    return sorted(map(str, [*store.reading.samples(user.id), *store.reading.episodes(user.id)]))


def states_by_order(store: Store, places: list[Path]) -> dict[str, list[Any]]:
    """Return the stored rows after importing the files, by the order in which they came."""
    found = {}
    for order in permutations(places):
        person = "-".join(place.stem for place in order)
        store.people.add_user(person, "Europe/Berlin", now=NOW)
        for place in order:
            land(store, person, place)
        found[person] = state(store, person)
    return found


def written(folder: Path, exports: Mapping[str, Text]) -> list[Path]:
    places = []
    for name, export in exports.items():
        places.append(folder / f"{name}.xml")
        places[-1].write_bytes(export.content)
    return places


def walked(day: str, value: int) -> str:
    return steps(value, f"2026-{day} 08:00:00 +0200", f"2026-{day} 08:10:00 +0200")


def asleep(day: str, since: str) -> str:
    return slept("AsleepCore", f"2026-{day} {since}:00 +0200", f"2026-{day} 07:00:00 +0200")


def rate(day: str, hour: int) -> str:
    return quantity("HeartRate", 60 + hour, "count/min", f"2026-{day} {hour:02}:00:00 +0200")


OLDER = document(
    *(walked(day, 100) for day in ("06-10", "07-10", "07-20", "08-10", "09-05")),
    *(asleep(day, "02:00") for day in ("06-10", "07-10", "08-10", "08-11")),
    rate("09-05", 8),
    exported=AUGUST,
)
NEWER = document(  # days were corrected, deleted and added on the phone
    *(walked(day, 120) for day in ("06-10", "07-10", "08-10", "09-05", "09-06", "10-10", "11-09")),
    *(asleep(day, "01:00") for day in ("06-10", "08-10", "09-06", "10-10")),
    rate("09-05", 20),
    exported=AUTUMN,
)
CUT_OFF = Text(document(rate("11-12", 8), rate("11-12", 9), walked("11-12", 30)).content[:-20])


def test_the_newer_apple_export_counts_in_any_order(store: Store, tmp_path: Path) -> None:
    """Also where the newer one has less: a day it no longer holds does not come back."""
    places = written(tmp_path, {"older": OLDER, "newer": NEWER})
    found = states_by_order(store, places)
    assert found["newer-older"] == found["older-newer"]
    text = "\n".join(found["newer-older"])
    assert "2026, 7, 20" not in text
    assert "value=100.0" in text or "value=120.0" in text
    assert "value=100.0" not in text


def test_an_export_that_is_cut_off_comes_to_the_same_in_any_order(store: Store, tmp_path: Path) -> None:
    found = states_by_order(store, written(tmp_path, {"newer": NEWER, "cut": CUT_OFF}))
    assert found["newer-cut"] == found["cut-newer"]
    assert "2026, 11, 12" in "\n".join(found["cut-newer"])


def test_three_exports_come_to_the_same_in_any_order(store: Store, tmp_path: Path) -> None:
    between = document(
        *(walked(day, 110) for day in ("06-10", "07-10", "07-21", "08-10", "10-01")),
        exported="2026-10-02 10:00:00 +0200",
    )
    found = states_by_order(store, written(tmp_path, {"older": OLDER, "between": between, "newer": NEWER}))
    assert len({tuple(one) for one in found.values()}) == 1


def test_an_export_that_is_cut_off_after_two_others_comes_to_the_same_in_any_order(
    store: Store, tmp_path: Path
) -> None:
    """It adds an hour to a day of which the others say something else."""
    corrected = quantity("HeartRate", 99, "count/min", "2026-08-20 08:00:00 +0200")
    exports = {
        "older": document(rate("08-20", 8), walked("09-04", 30), exported=AUGUST),
        "newer": document(corrected, walked("10-01", 30), exported="2026-10-02 10:00:00 +0200"),
        "cut": Text(document(rate("08-20", 9), walked("10-20", 30)).content[:-20]),
    }
    found = states_by_order(store, written(tmp_path, exports))
    text = "\n".join(found["older-cut-newer"])
    assert "value=99.0" in text
    assert "value=69.0" in text
    assert "value=68.0" not in text
    assert len({tuple(one) for one in found.values()}) == 1


def test_an_older_export_brings_what_only_it_has(store: Store, tmp_path: Path) -> None:
    """A new phone's export begins where it begins; what was before stays to be told by the old one."""
    new_phone = document(walked("10-10", 120), walked("11-09", 120), exported=AUTUMN)
    found = states_by_order(store, written(tmp_path, {"older": OLDER, "phone": new_phone}))
    assert found["older-phone"] == found["phone-older"]
    assert "2026, 7, 20" in "\n".join(found["phone-older"])


def test_either_export_again_brings_nothing(store: Store, tmp_path: Path) -> None:
    places = written(tmp_path, {"newer": NEWER, "older": OLDER})
    store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for place in places:
        land(store, "ana", place)
    before = state(store, "ana")
    again = [land(store, "ana", place) for place in places]
    assert [(one.new, one.updated, one.deleted) for one in again] == [(0, 0, 0)] * 2
    assert state(store, "ana") == before


@pytest.mark.parametrize(
    ("database_url", "year"),
    [
        *(("sqlite", year) for year in (2030, 2099)),
        pytest.param("postgres", 2030, marks=pytest.mark.postgres),
        pytest.param("postgres", 2099, marks=[pytest.mark.postgres, pytest.mark.slow]),
    ],
    indirect=["database_url"],
)
def test_an_export_dated_ahead_keeps_no_later_one_out(store: Store, tmp_path: Path, year: int) -> None:
    wild = document(walked("10-10", 1), walked("11-09", 1), exported=f"{year}-01-01 10:00:00 +0100")
    store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    wild_place, later = written(
        tmp_path, {"wild": wild, "later": document(walked("10-10", 2), exported=f"{year}-01-02 10:00:00 +0100")}
    )
    land(store, "ana", wild_place)
    runs.import_path(bridge, store.people.user("ana"), later, at=NOW.replace(year=2027))
    assert "value=2.0" in "\n".join(state(store, "ana"))


def test_two_imports_of_one_source_follow_one_another_in_one_process(store: Store, tmp_path: Path) -> None:
    """The second reads nothing before the first has ended, and knows what that one has read."""
    store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge, user = installation.Bridge(settings=load(), store=store), store.people.user("ana")
    first, second = written(tmp_path, {"first": NEWER, "second": NEWER})
    said: list[str] = []
    begun, tried = threading.Event(), threading.Event()

    def importing(place: Path, first_bytes: Callable[[], object]) -> Outcome:
        def on_bytes(_done: int, _total: int) -> None:
            if place.stem not in said:
                first_bytes()
            said.append(place.stem)

        (outcome,) = runs.import_path(bridge, user, place, at=NOW, on_bytes=lambda _: on_bytes).outcomes
        return outcome

    with ThreadPoolExecutor() as threads:
        one = threads.submit(importing, first, lambda: (begun.set(), tried.wait(1)))
        assert begun.wait(10)
        other = threads.submit(importing, second, tried.set)
        outcomes = [one.result(60), other.result(60)]
    assert said == sorted(said)
    assert set(said) == {"first", "second"}
    assert outcomes[0].new > 0
    assert (outcomes[1].new, outcomes[1].updated, outcomes[1].unchanged) == (0, 0, outcomes[0].new)


def test_an_import_that_finds_a_sync_of_its_source_for_long_is_skipped(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "IMPORT_PATIENCE", timedelta(seconds=0.5))
    store.people.add_user("ana", "Europe/Berlin", now=NOW)
    connection = store.connections.connect(store.people.user("ana").id, "apple_health", IMPORT_CONNECTION, now=NOW)
    assert store.scheduling.claim(connection.id, "elsewhere/1/x/", now=NOW, lease=timedelta(minutes=5))
    (place,) = written(tmp_path, {"first": NEWER})
    outcome = land(store, "ana", place)
    assert (outcome.outcome, outcome.new) == ("skipped", 0)
    assert store.scheduling.lease_holder(connection.id) == "elsewhere/1/x/"


def _whoop(*rates: int) -> str:
    """Cycles of as many nights as there are resting rates, from the 10th of November on."""
    file = lab.fixtures("whoop") / "export" / "physiological_cycles.csv"
    header, row = file.read_text(encoding="utf-8").splitlines()[:2]
    rows = []
    for n, rate in enumerate(rates, start=1):
        cells = row.replace("2026-11-19", f"2026-11-{9 + n}").replace("2026-11-20", f"2026-11-{10 + n}").split(",")
        cells[header.split(",").index("Resting heart rate (bpm)")] = str(rate)
        rows.append(",".join(cells))
    return "\n".join([header, *rows])


def _auto_export(*steps: int) -> str:
    points = [{"date": f"2026-11-{9 + n} 00:00:00 +0100", "qty": one} for n, one in enumerate(steps, start=1)]
    return json.dumps({"data": {"metrics": [{"name": "step_count", "units": "count", "data": points}]}})


def _garmin_account(*steps: int) -> str:
    return json.dumps(
        [
            {
                "calendarDate": f"2026-11-{9 + n}",
                "totalSteps": one,
                "restingHeartRate": 50,
                "wellnessStartTimeGmt": f"2026-11-{8 + n}T23:00:00.0",
            }
            for n, one in enumerate(steps, start=1)
        ]
    )


def _messages(*counts: int) -> str:
    days = [f"2026-11-{9 + n},3,{one}" for n, one in enumerate(counts, start=1)]
    return "\n".join(["date,contacts,messages", *days])


@pytest.mark.parametrize(
    ("name", "written_as"),
    [
        ("physiological_cycles.csv", _whoop),
        ("HealthAutoExport.json", _auto_export),
        ("UDSFile_2026-11-01_2026-11-20.json", _garmin_account),
        ("counts.csv", _messages),
    ],
)
def test_the_newest_date_in_an_export_decides(
    store: Store, tmp_path: Path, name: str, written_as: Callable[..., str]
) -> None:
    """The newer one says 72 of the day of which the older one, made during that day, said 51."""
    places = []
    for export, figures in (("older", (60, 51)), ("newer", (60, 72, 55))):
        (tmp_path / export).mkdir()
        places.append(tmp_path / export / name)
        places[-1].write_text(written_as(*figures), encoding="utf-8")
    found = {}
    for order in (places, places[::-1]):
        person = "-".join(place.parent.name for place in order)
        store.people.add_user(person, "Europe/Berlin", now=NOW)
        for place in order:
            assert land(store, person, place).outcome == "ok"
        found[person] = "\n".join(state(store, person))
    assert found["older-newer"] == found["newer-older"]
    assert "value=72.0" in found["newer-older"]
    assert "value=51.0" not in found["newer-older"]


def titles(store: Store, person: str) -> list[str | None]:
    found = store.reading.events(
        store.people.user(person).id, since=NOW - timedelta(days=9), until=NOW + timedelta(days=9)
    )
    return [event.title for _, event in found]


def _calendar(title: str, changed: str, *more: str) -> str:
    event = ["BEGIN:VEVENT", "UID:1", f"DTSTAMP:{changed}", "DTSTART:20261120T080000Z", "DTEND:20261120T090000Z"]
    lines = ["BEGIN:VCALENDAR", "X-WR-CALNAME:Family", *event, f"SUMMARY:{title}", "END:VEVENT", *more, "END:VCALENDAR"]
    return "\r\n".join(lines) + "\r\n"


@pytest.mark.parametrize("stamps", [("20261101T080000Z", "20261102T080000Z"), ("20261101T080000Z",) * 2])
def test_versions_of_one_event_in_several_files_come_to_one(
    store: Store, tmp_path: Path, stamps: tuple[str, str]
) -> None:
    """The newest counts, or one by content alone; a second import changes nothing."""
    found = []
    for person, names in (("ana", ("a.ics", "b.ics")), ("eva", ("b.ics", "a.ics"))):
        folder = tmp_path / person
        folder.mkdir()
        for name, title, stamp in zip(names, ("Choir", "Opera"), stamps, strict=True):
            (folder / name).write_bytes(_calendar(title, stamp).encode())
        store.people.add_user(person, "Europe/Berlin", now=NOW)
        land(store, person, folder)
        again = land(store, person, folder)
        assert (again.new, again.updated, again.deleted) == (0, 0, 0)
        found.append(titles(store, person))
    assert found[0] == found[1]
    assert len(found[0]) == 1
    if stamps[0] != stamps[1]:
        assert found[0] == ["Opera"]


def test_an_older_version_of_an_event_does_not_replace_a_newer_one(store: Store, tmp_path: Path) -> None:
    store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for name, title, stamp in (("new.ics", "Opera", "20261102T080000Z"), ("old.ics", "Choir", "20261101T080000Z")):
        (tmp_path / name).write_bytes(_calendar(title, stamp).encode())
        land(store, "ana", tmp_path / name)
    assert titles(store, "ana") == ["Opera"]
