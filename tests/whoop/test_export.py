"""The data export's CSV files, where they are damaged."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation
from bridge.config import load
from bridge.domain.errors import SourceChanged
from bridge.domain.types import EpisodeKind, Outcome, Page
from bridge.ingest import runs
from bridge.ingest.files import DiskFile
from bridge.store import Store
from connectors.whoop import export
from tests.world import NOW, contents

FILES = ("physiological_cycles.csv", "sleeps.csv", "workouts.csv", "journal_entries.csv")


def imported(store: Store, *names: str, case: str = "export") -> tuple[dict[str, Any], list[Outcome]]:
    """What these files of the export come to, imported one after the other, and how each import ended."""
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
    with pytest.raises(SourceChanged, match="it is damaged"):
        found.extend(export.read(DiskFile(place, place.name), zone="UTC"))
    assert sum(len(page.records) for page in found) == 1
