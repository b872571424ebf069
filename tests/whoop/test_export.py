"""The data export's CSV files, where they are damaged."""

from __future__ import annotations

import csv
import random
from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation
from bridge.advice.recommend import load_snapshot
from bridge.config import load
from bridge.domain.errors import SourceChanged
from bridge.domain.types import EpisodeKind, Outcome, Page
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.meters import read_slots
from bridge.store import Store
from connectors.whoop import export
from connectors.whoop.columns import TABLES
from rhythm_env.interface import Meter
from tests.world import NOW, contents

FILES = ("physiological_cycles.csv", "sleeps.csv", "workouts.csv", "journal_entries.csv")


def imported(store: Store, *names: str, case: str = "export") -> tuple[dict[str, Any], list[Outcome]]:
    """Return the result of these files, imported one after the other, and of each import."""
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    folder = lab.fixtures("whoop") / case
    ended = [runs.import_path(bridge, user, folder / name, at=NOW).outcomes[0] for name in names]
    return contents(store, user), ended


def nights(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Main sleeps without their keys, which tell the file they came from."""
    mains = [one for one in found["episodes"] if one["kind"] == EpisodeKind.SLEEP]
    return sorted(({k: v for k, v in one.items() if k != "key"} for one in mains), key=lambda one: one["start"])


def test_the_cycles_alone_hold_every_night() -> None:
    alone, _ = imported(Store("sqlite://"), "physiological_cycles.csv")
    both, _ = imported(Store("sqlite://"), *FILES[:2])
    assert nights(alone)
    named = {one["start"] for one in nights(alone)}
    assert nights(alone) == [one for one in nights(both) if one["start"] in named]
    breaths = [sample for sample in alone["samples"] if sample["metric"] == "respiratory_rate"]
    assert len(breaths) == len(nights(alone))


def test_cycles_and_sleeps_in_any_order_come_to_the_same_and_nothing_doubles(database_url: str) -> None:
    states = []
    for number, order in enumerate(permutations(FILES[:3])):
        store = Store(database_url if number == 0 else "sqlite://")
        state, _ = imported(store, *order)
        starts = [one["start"] for one in nights(state)]
        assert len(starts) == len(set(starts))
        user = store.people.user("ana")
        bridge = installation.Bridge(settings=load(), store=store)
        for name in order:
            again = runs.import_path(bridge, user, lab.fixtures("whoop") / "export" / name, at=NOW).outcomes[0]
            assert (again.new, again.updated, again.deleted) == (0, 0, 0)
        assert contents(store, user) == state
        states.append(state)
        store.close()
    assert all(state == states[0] for state in states)


def test_a_recovery_without_sleep_is_set_aside_with_its_reason(store: Store, tmp_path: Path) -> None:
    """Of the day that is not over, nothing else is known."""
    header = next(table for table in TABLES if table.stream == "export_cycle").columns
    told = {"Cycle start time": "2025-01-25 07:10:00", "Cycle timezone": "UTC+01:00"}
    with (tmp_path / "physiological_cycles.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, header)
        rows.writeheader()
        rows.writerow(told | {"Recovery score %": "87"})
        rows.writerow(told | {"Cycle start time": "2025-01-26 07:10:00"})
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    (ended,) = runs.import_path(bridge, user, tmp_path / "physiological_cycles.csv", at=NOW).outcomes
    assert ended.set_aside == 1
    assert "a recovery has no sleep" in str(ended)


def test_a_journal_says_that_it_was_left_alone() -> None:
    _, (outcome,) = imported(Store("sqlite://"), "journal_entries.csv")
    assert (outcome.outcome, outcome.new, outcome.set_aside) == ("ok", 0, 0)
    ((what, answers),) = outcome.left_out.items()
    assert (what, answers > 0) == (export.LEFT_ALONE, True)


def test_a_quotation_mark_that_is_never_closed_costs_what_follows_only(tmp_path: Path) -> None:
    good = (lab.fixtures("whoop") / "export" / "workouts.csv").read_text(encoding="utf-8").splitlines()
    place = tmp_path / "workouts.csv"
    place.write_text("\n".join([*good[:2], '"' + "x" * 1_000_001]), encoding="utf-8")
    found: list[Page] = []
    with pytest.raises(SourceChanged, match="the file is damaged"):
        found.extend(export.read(DiskFile(place, place.name), zone="UTC"))
    assert sum(len(page.records) for page in found) == 1


def made_up(folder: Path, *, times: bool) -> None:
    """Write 120 nights and some naps as cycles and as sleeps. Without ``times`` the cycles tell no time of sleep."""
    rng, cycles, sleeps = random.Random(10), [], []
    for number in range(120):
        asleep, awake, recovery = rng.gauss(420, 60), rng.uniform(20, 60), rng.randint(10, 99)
        begun = datetime(2026, 1, 1, 23, tzinfo=UTC) + timedelta(days=number, minutes=round(rng.gauss(0, 50)))
        cycle = {"Cycle start time": begun, "Cycle timezone": "UTC+01:00"}
        slept = {
            "Sleep onset": begun,
            "Wake onset": begun + timedelta(minutes=round(asleep + awake)),
            "Sleep performance %": round(min(asleep / 4.8, 100)),
            "Respiratory rate (rpm)": 15,
            "Asleep duration (min)": round(asleep),
            "In bed duration (min)": round(asleep + awake),
            "Light sleep duration (min)": round(asleep * 0.58),
            "Deep (SWS) duration (min)": round(asleep * 0.2),
            "REM duration (min)": round(asleep * 0.22),
            "Awake duration (min)": round(awake),
            "Sleep need (min)": 480,
            "Sleep efficiency %": round(100 * asleep / (asleep + awake)),
        }
        body = {"Recovery score %": recovery, "Resting heart rate (bpm)": 60 - recovery // 10}
        body["Heart rate variability (ms)"] = 40 + recovery // 4
        told = slept if times else {name: value for name, value in slept.items() if "onset" not in name}
        cycles.append({**cycle, **body, **told})
        sleeps.append({**cycle, **slept, "Nap": "false"})
        if number % 5 == 0:
            nap = {"Sleep onset": begun + timedelta(hours=15), "Wake onset": begun + timedelta(hours=16)}
            sleeps.append({**cycle, **slept, **nap, "Asleep duration (min)": 40, "Nap": "true"})
    for name, table, rows in (("physiological_cycles.csv", TABLES[0], cycles), ("sleeps.csv", TABLES[1], sleeps)):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, table.columns)
            writer.writeheader()
            writer.writerows({name: _cell(value) for name, value in row.items()} for row in reversed(rows))


def _cell(value: object) -> object:
    return f"{value:%Y-%m-%d %H:%M:%S}" if isinstance(value, datetime) else value


def levels(folder: Path, *names: str) -> list[dict[Meter, float]]:
    """The meters of 90 mornings from these files."""
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    last = datetime(2026, 4, 30, 10, tzinfo=UTC)
    for name in names:
        runs.import_path(bridge, user, folder / name, at=last)
    known = load_snapshot(bridge, user, at=last, back=timedelta(days=90))
    mornings = [last - timedelta(days=ago) for ago in range(89, -1, -1)]
    return [{meter: one.level for meter, one in readings.items()} for readings in read_slots(known, mornings)]


@pytest.mark.parametrize("times", [True, False])
def test_the_cycles_alone_read_like_the_whole_export(tmp_path: Path, times: bool) -> None:
    made_up(tmp_path, times=times)
    alone, both = (
        levels(tmp_path, "physiological_cycles.csv"),
        levels(tmp_path, "physiological_cycles.csv", "sleeps.csv"),
    )
    assert len({one[Meter.VITALITY] for one in alone}) > 60
    assert alone == both == levels(tmp_path, "sleeps.csv", "physiological_cycles.csv")
