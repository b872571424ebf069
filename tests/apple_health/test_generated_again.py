"""Exports of one life, one after the other: a later one changes what is new or came late, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.store import Store
from lab.people.apple import Plan, Truth, write_zip
from tests.world import NOW, contents

MONTH = timedelta(days=30)


def exports(folder: Path, plan: Plan) -> tuple[Path, Path, Truth]:
    """An export, the one of a month later, and what is true of that."""
    later = replace(plan, last=plan.last + MONTH, days=plan.days + MONTH.days)
    first, second = folder / "first.zip", folder / "second.zip"
    write_zip(plan, first)
    return first, second, write_zip(later, second)


def imported(places: list[Path]) -> tuple[dict[str, Any], list[Outcome]]:
    store = Store("sqlite://")
    try:
        bridge, user = (
            installation.Bridge(settings=load(), store=store),
            store.people.add_user("ana", "Europe/Berlin", now=NOW),
        )
        outcomes = [runs.import_path(bridge, user, place, at=NOW).outcomes[0] for place in places]
        return contents(store, user), outcomes
    finally:
        store.close()


@pytest.mark.parametrize("seed", [3, 8])
def test_a_later_export_adds_what_is_new_and_comes_to_the_same(tmp_path: Path, seed: int) -> None:
    plan = Plan(seed=seed, last=date(2026, 3, 20), days=40, sparse=True)
    first, second, truth = exports(tmp_path, plan)
    both, (begun, added, again) = imported([first, second, second])
    alone, (whole,) = imported([second])
    assert both == alone
    assert {outcome.outcome for outcome in (begun, added, again, whole)} == {"ok"}
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
    assert 0 < added.updated < begun.new / 2
    assert added.new == whole.new - begun.new
    steps = {sample["day"]: sample["value"] for sample in both["samples"] if sample["metric"] == "steps"}
    true = {day: some["steps"] for day, some in truth.days.items() if day != truth.exported}
    steps.pop(truth.exported, None)
    assert steps == pytest.approx(true)
