"""Feedback on stored advice, and what it tells of another policy."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest

from bridge import installation, registry
from bridge.advice import feedback, recommend
from bridge.cli import app as command
from bridge.domain.errors import SetupError
from bridge.domain.guard import Guard
from bridge.domain.records import Deed, Feedback, Silence
from lab.evaluation import offpolicy as logged
from rhythm_env.interface import Answer, Decision, Observation
from tests.world import bridge_of, introduce

START = datetime(2026, 11, 2, 7, tzinfo=UTC)
SLOTS = 80
Run = Callable[..., Any]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def evaluate(*more: str) -> Any:
        capsys.readouterr()
        command(("evaluate", "--logged", *more), standalone_mode=False)
        return json.loads(capsys.readouterr().out)

    return evaluate


class Lot:
    """The policy ``random`` without scores, to which a day's facts would add so much that little is left to the lot."""

    name, version = "lot", 1

    def decide(self, observation: Observation, rng: Random) -> Decision:
        return replace(registry.policy("random").decide(observation, rng), scores={})


def live(slots: int) -> None:
    """Somebody takes every LEARN, says that nothing else was done, and never looks at the last advice."""
    with installation.open_bridge() as opened:
        bridge, policy = bridge_of(opened.store), Lot()
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        introduce(bridge.store, user, now=START)
        for slot in range(slots):
            now = START + timedelta(hours=6 * slot)
            guard = Guard(explore=0.2, silent=False)
            advice = recommend.recommend(bridge, user, policy, now=now, guard=guard)
            if isinstance(advice, Silence) or slot == slots - 1:
                continue
            bridge.store.recommendations.mark_shown(advice.id, now=now)
            if advice.action == "LEARN":
                bridge.store.recommendations.save_feedback(advice.id, Feedback(answer=Answer.ACCEPT, answered_at=now))
            elif slot != slots - 2:  # shown, over, and of an outcome that is not known: no answer
                feedback.say(bridge.store, user, advice.id, Deed.NOT_DONE, now=now)


def test_without_feedback_the_next_command_is_named(run: Run) -> None:
    with pytest.raises(SetupError, match="bridge recommend"):
        run("--json")


def test_what_is_logged_is_the_lot_and_the_answer(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    live(SLOTS)
    monkeypatch.setenv("BRIDGE_NOW", (START + timedelta(hours=6 * SLOTS)).isoformat())
    with installation.open_bridge() as bridge:
        found = logged.feedback(bridge.store, bridge.store.people.users(), at=installation.now())
        stored = bridge.store.recommendations.full_between(
            bridge.store.people.user("ana").id, since=START, until=installation.now()
        )
    suggested = [one for one in stored if one.kind == "suggested"]  # sleep needs no advice, and is no answer
    drawn = [one for one in suggested if sum(p > 0 for p in one.probabilities.values()) > 1][: len(found)]
    days = 3 * SLOTS // 4  # at night there is nothing to choose, and in some slots a single action fits
    assert days * 3 / 4 < len(found) <= days
    assert len({one.cluster for one in found}) == SLOTS // 4
    for one, advice in zip(found, drawn, strict=True):
        assert sum(one.chances) == pytest.approx(1)
        assert one.reward == (1.0 if one.action == "LEARN" else -1.0)
        assert {a for a, p in advice.probabilities.items() if p > 0} == {str(a) for a in one.observation.feasible}
    body = run("--policy", "random,heuristic", "--user", "ana", "--json")
    random, heuristic = body["results"]
    assert random["decisions"] == len(found)
    assert random["ips"]["mean"] == pytest.approx(random["logged"]["mean"], abs=0.05)
    assert (random["support"], heuristic["policy"]) == (pytest.approx(1.0), "heuristic")
    assert heuristic["dr"] is None  # of eighty answers too few were to what it would have said
