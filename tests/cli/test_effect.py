"""``bridge effect``: what is known of advice's effect, from stored decisions and what followed them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge import installation
from bridge.cli import app as command
from bridge.domain.errors import SetupError
from bridge.domain.records import Recommendation
from bridge.domain.slots import moment_at
from rhythm_env.interface import ActionType, Answer, Observation

START = datetime(2026, 9, 7, 7, tzinfo=UTC)
Run = Callable[..., Any]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def effect(*more: str) -> Any:
        capsys.readouterr()
        command(("effect", *more), standalone_mode=False)
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in more else out

    return effect


def live(slots: int) -> None:
    """Somebody who takes LEARN nine times in ten and everything else three times in ten, advised by lot."""
    rng, actions = random.Random(3), [str(action) for action in ActionType]
    with installation.open_bridge() as bridge, bridge.store.transaction():
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        for slot in range(slots):
            now, action = START + timedelta(hours=6 * slot), ActionType(rng.choice(actions))
            moment = moment_at(now, user.zones)
            seen = Observation(timestep=moment.timestep, day=moment.day, slot=moment.slot, meters={})
            advice = Recommendation(
                id=0,
                user_id=user.id,
                moment=moment,
                action=action,
                policy="random@1",
                belief={},
                scores={},
                probabilities=dict.fromkeys(actions, 1 / len(actions)),
                reasons=(),
                observation=seen.to_json(),
                created_at=now,
                expires_at=now + timedelta(hours=6),
            )
            kept = bridge.store.recommendations.add(advice)
            taken = rng.random() < (0.9 if action is ActionType.LEARN else 0.3)
            bridge.store.recommendations.save_feedback(
                kept.id, Answer.ACCEPT if taken else Answer.IGNORE, now=now, moved_to=None
            )


def test_an_effect_is_told_from_enough_decisions_and_else_what_is_missing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    live(240)
    monkeypatch.setenv("BRIDGE_NOW", (START + timedelta(days=61)).isoformat())
    body = run("--user", "ana", "--json")
    learn = body["actions"]["LEARN"]
    assert body["decisions"] == 240
    low, high = learn["taken"]["ci95"]
    assert 0 < low < 1.1 < high + 0.6  # ln(0.9 / 0.3)
    assert learn["taken"]["scale"] == "log ratio of chances"
    assert len(learn["taken"]["moderation"]) == 2  # the evening, and how much was advised of late
    night = learn["next_night_hrv_ms"]
    assert (night["effect"], night["points"]) == (None, 0)
    assert night["missing"] > 0
    assert body["advice"]["effect"] is None
    assert "LEARN" in run("--all")


def test_the_review_names_what_is_known(run: Run) -> None:
    from bridge.advice.effect import known_effects

    live(240)
    with installation.open_bridge() as bridge:
        user, now = bridge.store.people.user("ana"), START + timedelta(days=61)
        found = list(known_effects(bridge.store, user, [ActionType.LEARN], now=now))
        assert list(known_effects(bridge.store, user, [], now=now)) == []
        early = list(known_effects(bridge.store, user, [ActionType.LEARN], now=START + timedelta(days=1)))
    assert [(one.action, one.outcome) for one in found] == [(ActionType.LEARN, "taken")]
    assert 0 < found[0].low < found[0].effect < found[0].high
    assert early == []


def test_it_is_said_how_much_more_it_takes(run: Run) -> None:
    live(8)
    assert "Not known yet: about" in run("--user", "ana")


def test_a_person_or_everybody_is_named(run: Run) -> None:
    with pytest.raises(SetupError, match="--all"):
        run()
