"""Processor time of a question over ten years of days, nights and workouts, in units of this machine's own speed."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bridge.installation import open_bridge
from bridge.query.asking import typed
from bridge.query.parse import Words
from tests.pace import paces
from tests.query.wearer import NOW, Wearer, land

LIMIT = 60.0  # paces, which are about milliseconds
QUESTIONS: list[dict[str, Any]] = [
    {"what": "steps"},
    {"what": "steps", "of": "share", "where": ("steps > 8000",), "by": "weekday"},
    {"what": "steps", "of": "trend", "where": ("weekday < 6",)},
    {"what": "deep_sleep/asleep", "by": "month"},
    {"what": "nights", "where": ("night.start > 23:30", "deep_sleep/asleep > 0.2")},
    {"what": "workouts.minutes", "of": "sum", "by": "sport"},
    {"what": "asleep", "where": ("workout.sport = running",)},
    {"what": "workouts.distance", "where": ("asleep > 400", "workout.start < 12:00")},
    {"what": "resting_hr", "against": "asleep"},
    {"what": "hrv_rmssd", "where": ("before.workout.minutes > 0",)},
    {"what": "asleep", "against": "workout.minutes > 30", "of": "std"},
]


@pytest.mark.slow
def test_a_question_over_ten_years_is_answered_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_DATABASE", f"sqlite:///{tmp_path / 'ten.db'}")
    with ExitStack() as stack:
        bridge = stack.enter_context(open_bridge())
        user = bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
        items = Wearer(seed=7, count=3650, first=date(2016, 12, 1)).items
        for first in range(0, len(items), 5_000):
            land(bridge.store, user, items[first : first + 5_000])
        user = bridge.person("ana", at=NOW)
        spent = {str(one): paces(lambda one=one: typed(bridge, user, Words(**one), now=NOW)) for one in QUESTIONS}
    print(*(f"{took:6.1f} {one}" for one, took in spent.items()), sep="\n")
    assert {one: took for one, took in spent.items() if took > LIMIT} == {}
