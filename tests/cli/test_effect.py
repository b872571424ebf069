"""``bridge effect``: what is known of advice's effect, from stored decisions and what followed them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge import installation, registry
from bridge.advice import feedback, recommend
from bridge.advice.effect import controlled
from bridge.advice.excursion import Point, effect
from bridge.cli import app as command
from bridge.domain.errors import SetupError
from bridge.domain.guard import SILENT as SILENT_BOUNDS
from bridge.domain.records import Feedback, FullRecommendation, Recommendation
from bridge.domain.slots import Moment, moment_at
from rhythm_env.interface import ActionType, Answer, Meter, MeterState, Observation
from tests.world import bridge_of, introduce

START = datetime(2026, 9, 7, 7, tzinfo=UTC)
Run = Callable[..., Any]
SILENT = 0.15  # probability of a slot without advice


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def effect(*more: str) -> Any:
        capsys.readouterr()
        command(("effect", *more), standalone_mode=False)
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in more else out

    return effect


def advice(user_id: int, now: datetime, moment: Moment, action: ActionType, seen: Observation) -> Recommendation:
    return FullRecommendation(
        id=0,
        user_id=user_id,
        moment=moment,
        action=action,
        policy="random@1",
        belief={},
        scores={},
        probabilities=dict.fromkeys(map(str, ActionType), 1 / len(ActionType)),
        facts=(),
        observation=seen.to_json(),
        created_at=now,
        expires_at=now + timedelta(hours=6),
        silence=SILENT,
    )


def live(slots: int) -> None:
    """Somebody who takes LEARN nine times in ten and everything else three times in ten, advised by lot."""
    rng, actions = random.Random(3), [str(action) for action in ActionType]
    with installation.open_bridge() as bridge, bridge.store.transaction():
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        for slot in range(slots):
            now, action = START + timedelta(hours=6 * slot), ActionType(rng.choice(actions))
            moment = moment_at(now, user.zones)
            seen = Observation(timestep=moment.timestep, day=moment.day, slot=moment.slot, meters={})
            kept = bridge.store.recommendations.add(replace(advice(user.id, now, moment, action, seen), silence=None))
            taken = rng.random() < (0.9 if action is ActionType.LEARN else 0.3)
            bridge.store.recommendations.save_feedback(
                kept.id, Feedback(answer=Answer.ACCEPT if taken else Answer.IGNORE, answered_at=now)
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
    assert body["lots"] == 0
    assert body["advice"]["next_day_vitality"]["effect"] is None
    assert "LEARN" in run("--all")


def live_with_lots(name: str, days: int, *, worth: float) -> None:
    """Somebody who gets advice in 85 % of the slots; each piece raises the next day's Vitality by ``worth``."""
    rng, yesterday = random.Random(name), 0
    with installation.open_bridge() as bridge, bridge.store.transaction():
        user = bridge.store.people.add_user(name, "UTC", now=START)
        for day in range(days):
            vitality, given = 0.5 + worth * yesterday + rng.gauss(0, 0.02), 0
            for slot in range(4):
                now = START + timedelta(days=day, hours=6 * slot)
                moment = moment_at(now, user.zones)
                if rng.random() < SILENT:
                    bridge.store.recommendations.add_silence(user.id, moment, probability=SILENT, now=now)
                    continue
                given += 1
                state = MeterState(level=vitality, sd=0.05, coverage=1.0)
                seen = Observation(
                    timestep=moment.timestep, day=moment.day, slot=moment.slot, meters={Meter.VITALITY: state}
                )
                kept = bridge.store.recommendations.add(advice(user.id, now, moment, ActionType.LEARN, seen))
                if slot == 1:  # another entry took its time; the lot had given advice all the same
                    bridge.store.recommendations.supersede(kept.id, now=now)
                    later = replace(advice(user.id, now, moment, ActionType.SLEEP, seen), silence=None)
                    bridge.store.recommendations.add(later)
            yesterday = given


def test_advice_is_compared_with_slots_that_a_lot_left_without(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    live_with_lots("ana", 120, worth=0.05)
    monkeypatch.setenv("BRIDGE_NOW", (START + timedelta(days=121)).isoformat())
    body = run("--user", "ana", "--json")
    found = body["advice"]["next_day_vitality"]
    assert (body["lots"], found["missing"]) == (480, 0)
    assert found["ci95"][0] < 0.05 < found["ci95"][1]
    assert found["ci95"][0] > 0
    assert "ADVICE" in run("--user", "ana")


def test_every_lot_between_advice_and_none_is_kept_with_its_chance() -> None:
    policy, advised = registry.policy("heuristic"), []
    with installation.open_bridge() as opened:
        bridge = bridge_of(opened.store)
        user = bridge.store.people.add_user("ana", "UTC", now=START)
        introduce(bridge.store, user, now=START)
        for slot in range(48):
            now = START + timedelta(hours=6 * slot)
            found = recommend.recommend(bridge, user, policy, now=now)
            if isinstance(found, Recommendation):
                feedback.give_feedback(bridge.store, user, found.id, Feedback(answer=Answer.IGNORE), now=now)
                advised.append(found)
        drawn = bridge.store.recommendations.lots(user.id, until=START + timedelta(days=13))
    assert advised[0].silence is None  # before the first answer every slot gets advice
    assert {one.moment: one.silence for one in advised if one.silence} == {
        one.moment: one.silence for one in drawn if one.given
    }
    assert 1 <= sum(not one.given for one in drawn) <= 16
    assert all(SILENT_BOUNDS[0] <= one.silence <= SILENT_BOUNDS[1] for one in drawn)


def test_people_lend_each_other_what_is_known_of_advice(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        live_with_lots(f"person-{number}", 60, worth=0.03)
    monkeypatch.setenv("BRIDGE_NOW", (START + timedelta(days=61)).isoformat())
    alone = run("--user", "person-3", "--json")["advice"]["next_day_vitality"]
    found = run("--all", "--json")["advice"]["next_day_vitality"]
    together = found["users"]["person-3"]
    assert len(found["users"]) == 6
    assert together["own"] < 0.9
    assert abs(together["effect"] - found["effect"]) < abs(alone["effect"] - found["effect"])
    assert together["ci95"][0] < 0.03 < together["ci95"][1]


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
    said = run("--user", "ana")
    assert "Not known yet: about" in said
    assert "Advice against no advice is not known yet: about" in said


def test_the_only_person_needs_no_name(run: Run) -> None:
    live(8)
    assert run("--json")["user"] == "ana"
    with pytest.raises(SetupError, match="--all"):
        run("--user", "ana", "--all")
    with installation.open_bridge() as bridge:
        bridge.store.people.add_user("ben", "UTC", now=START)
    with pytest.raises(SetupError, match="--user NAME"):
        run()


def test_what_was_known_before_narrows_the_interval() -> None:
    rng, points, before = random.Random(5), [], []
    for day in range(120):
        level, given = rng.gauss(0, 1), rng.random() < 0.5
        outcome = level + 0.3 * given + rng.gauss(0, 0.5)
        points.append(Point(cluster=str(day), given=given, chance=0.5, outcome=outcome))
        before.append({"next_check_in": level} if day % 4 else {})
    plain, found = effect(points), effect(controlled(points, before, "next_check_in"))
    assert plain is not None
    assert found is not None
    assert found.errors[0] < 0.75 * plain.errors[0]
    assert found.ci95[0][0] < 0.3 < found.ci95[0][1]
    assert controlled(points, [{}] * 120, "next_check_in") == points  # nothing was known
    assert controlled(points[:20], before[:20], "next_check_in") == points[:20]  # a control would cost the estimate
