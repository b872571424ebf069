"""The demo is the whole chain: everything the command line promises is asserted on what it prints."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from rhythm_env.interface import ActionType, Meter
from tests import commands


def bridge(*arguments: str, folder: Path) -> CompletedProcess[str]:
    with chdir(folder):
        return commands.bridge(*arguments)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Any:
    done = bridge("demo", "--json", folder=tmp_path_factory.mktemp("elsewhere"))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_first_sync_lands_and_the_second_finds_nothing_new(shown: Any) -> None:
    first, second = shown["first_sync"], shown["second_sync"]
    assert {row["source"] for row in first} == {"whoop", "garmin", "google_calendar", "google_tasks", "ics"}
    assert [(row["source"], row["outcome"]) for row in shown["imported"]] == [("apple_health", "ok")]
    assert all(row["outcome"] == "ok" and row["new"] > 0 for row in first)
    assert all(row["outcome"] == "ok" and (row["new"], row["updated"], row["deleted"]) == (0, 0, 0) for row in second)


def test_the_observation_is_the_models(shown: Any) -> None:
    observation = shown["observation"]
    assert set(observation["meters"]) == {str(meter) for meter in Meter}
    for state in observation["meters"].values():
        assert 0 <= state["level"] <= 1
        assert state["sd"] > 0
        assert 0 <= state["coverage"] <= 1
    assert observation["timestep"] == observation["day"] * 4 + observation["slot"]
    assert len(observation["step_history"]) == 7
    assert observation["meters"]["VITALITY"]["coverage"] > 0.5
    for reading in observation["readings"].values():
        assert reading["because"] or reading["note"]


def test_todays_events_have_action_types(shown: Any) -> None:
    actions = [event["action"] for event in shown["events"]]
    assert len(actions) >= 4
    assert all(action is None or action in set(ActionType) for action in actions)


def test_one_recommendation(shown: Any) -> None:
    advice = shown["recommendation"]
    assert advice["action"] in set(ActionType)
    assert set(advice["belief"]) == {"social", "morning", "work"}
    assert advice["reasons"]
    assert sum(advice["probabilities"].values()) == pytest.approx(1)


def test_people_see_tables(tmp_path: Path) -> None:
    done = bridge("demo", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for word in (
        "whoop",
        "google_calendar",
        "garmin",
        "apple_health",
        "google_tasks",
        "ics",
        "Vitality",
        "Serenity",
        "Answer: bridge feedback",
        "$ bridge sync --user demo",
    ):
        assert word in done.stdout
    assert list(tmp_path.iterdir()) == []
