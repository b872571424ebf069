"""Notes that sources tell: a journal once it is switched on, and amounts of Apple Health."""

from __future__ import annotations

from datetime import date

import pytest

import lab
from bridge import installation
from bridge.config import load
from bridge.ingest import notes, runs
from bridge.query.exposures import CLASSES, exposures, names
from bridge.store import Store
from tests.world import NOW

EVENING = date(2026, 11, 18)


def test_a_journal_is_read_once_the_person_switches_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    journal = lab.fixtures("whoop") / "export" / "journal_entries.csv"
    runs.import_path(installation.Bridge(settings=load(), store=store), user, journal, at=NOW)
    assert names(store, user) == [*CLASSES]
    monkeypatch.setenv("BRIDGE_WHOOP_JOURNAL", "yes")
    bridge = installation.Bridge(settings=load(), store=store)
    (read,) = runs.import_path(bridge, user, journal, at=NOW).outcomes
    assert (read.new, read.set_aside, read.left_out) == (2, 0, {})
    assert names(store, user)[:2] == ["caffeine", "read in bed"]
    told = exposures(bridge, user, ["caffeine", "read in bed"], now=NOW)
    assert (told["caffeine"][EVENING], told["read in bed"][EVENING]) == (1, 0)
    assert notes.recent(store, user) == []  # what is not of the person's own hand is not taken back either


def test_tags_are_read_once_the_person_switches_it_on(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    folder = lab.fixtures("oura") / "tags"
    (left,) = runs.import_path(installation.Bridge(settings=load(), store=store), user, folder, at=NOW).outcomes
    assert (left.new, names(store, user), [*left.left_out.values()]) == (0, [*CLASSES], [4])
    monkeypatch.setenv("BRIDGE_OURA_TAGS", "yes")
    bridge = installation.Bridge(settings=load(), store=store)
    runs.import_path(bridge, user, folder, at=NOW)
    assert names(store, user)[:2] == ["alcohol", "cold bath"]
    told = exposures(bridge, user, ["alcohol"], now=NOW)["alcohol"]
    assert {day for day, amount in told.items() if amount} == {date(2026, 11, 17), EVENING}


def test_a_days_sum_of_drinks_is_of_that_day_and_two_sources_do_not_add_up() -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    for source in ("health_auto_export", "apple_health"):
        runs.import_path(bridge, user, lab.fixtures(source) / "week", at=NOW)
    told = exposures(bridge, user, ["alcohol", "caffeine"], now=NOW)
    assert {day: amount for day, amount in told["alcohol"].items() if amount} == {date(2026, 11, 17): 2, EVENING: 2}
    assert told["caffeine"][EVENING] == 95
    notes.record_note(store, user, notes.Note(at=NOW.replace(month=11, day=18, hour=20), name="alcohol"), now=NOW)
    assert exposures(bridge, user, ["alcohol"], now=NOW)["alcohol"][EVENING] == 2
