"""When a person's adapter is made, that it is kept apart from the planner's priors, and that it can be forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from bridge import installation, registry
from bridge.advice import adapters, personalise
from bridge.cli import app as command
from bridge.domain.errors import SetupError
from bridge.domain.facts import prose
from bridge.domain.records import Feedback, FullRecommendation, Prior, User
from bridge.domain.slots import slot_bounds
from bridge.ingest import connecting
from lab.evaluation.deployed import ZONES, Life, Slice
from lab.training.llm.attempts import enough
from lab.training.llm.personal import row
from policies.llm import PERSONAL_DAYS, Llm


@pytest.fixture(scope="module")
def month() -> list[Slice]:
    return list(Life(12).live(registry.policy("heuristic"), 4))


@pytest.fixture
def bridge() -> Iterator[installation.Bridge]:
    with installation.open_bridge() as opened:
        yield opened


def stored(bridge: installation.Bridge, slices: list[Slice]) -> User:
    """Somebody whose advice and answers were these."""
    user = bridge.store.people.add_user("ana", ZONES[0].zone, now=begin(slices[0]))
    for one in slices:
        kept = bridge.store.recommendations.add(
            FullRecommendation(
                id=0,
                user_id=user.id,
                moment=one.moment,
                action=one.decision.action,
                policy="heuristic@1",
                belief=asdict(one.decision.belief),
                scores={},
                probabilities={str(one.decision.action): 1.0},
                facts=tuple(map(prose, one.decision.reasons)),
                observation=one.observation.to_json(),
                created_at=begin(one),
                expires_at=slot_bounds(one.moment, ZONES)[1],
                shown_at=begin(one),
            )
        )
        bridge.store.recommendations.save_feedback(kept.id, Feedback(answer=one.answer, answered_at=begin(one)))
    return user


def begin(one: Slice) -> Any:
    return slot_bounds(one.moment, ZONES)[0]


def attempt(user: User, one: Slice, *, kept: bool = True) -> Prior:
    return Prior(
        policy="llm@2",
        made_at=begin(one),
        body={"adapter": f"u{user.id}-v1", "through": begin(one).isoformat()},
        learnt_from=60,
        tried_on=20,
        gain=0.1,
        kept=kept,
    )


def test_too_little_is_said_with_the_next_command(
    bridge: installation.Bridge, month: list[Slice], tmp_path: Path
) -> None:
    user = stored(bridge, month[:30])
    with pytest.raises(SetupError, match=r"30 times .* it takes 40 in 21 days; .*: bridge recommend"):
        enough(bridge, user, adapters.given(bridge, user, begin(month[40])), begin(month[40]))


def test_the_daemon_makes_none_unless_a_model_is_named(bridge: installation.Bridge, month: list[Slice]) -> None:
    user = stored(bridge, month)
    assert not adapters.personalise_due(bridge, user, begin(month[-1]) + timedelta(hours=6))


def test_a_new_attempt_waits_for_a_week_and_new_answers(bridge: installation.Bridge, month: list[Slice]) -> None:
    user, now = stored(bridge, month), begin(month[-1]) + timedelta(hours=6)
    given = adapters.given(bridge, user, now)
    assert not adapters.lacking(bridge, user, given, now, again=adapters.RETRAIN_AFTER)
    bridge.store.lessons.add_prior(user.id, attempt(user, month[-20], kept=False))
    assert "since the last attempt" in adapters.lacking(bridge, user, given, now, again=adapters.RETRAIN_AFTER)
    assert not adapters.lacking(bridge, user, given, now, again=timedelta(0))
    bridge.store.lessons.add_prior(user.id, attempt(user, month[-5]))
    assert "4 times since" in adapters.lacking(bridge, user, given, now, again=timedelta(0))


def test_forgotten_answers_teach_nothing(bridge: installation.Bridge, month: list[Slice]) -> None:
    user, now = stored(bridge, month), begin(month[-1]) + timedelta(hours=6)
    bridge.store.lessons.add_reset(user.id, now=begin(month[-10]))
    given = adapters.given(bridge, user, now)
    assert len(given) == 10
    assert "it takes" in adapters.lacking(bridge, user, given, now, again=timedelta(0))
    bridge.store.lessons.withdraw_reset(user.id, now=begin(month[-5]))
    assert len(adapters.given(bridge, user, now)) == len(month)


def test_a_kept_adapter_is_the_persons_policy_and_the_planners_prior_is_another(
    bridge: installation.Bridge, month: list[Slice], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_POLICY_LLM_ADDRESS", "http://127.0.0.1:9/v1")
    user, policy = stored(bridge, month[:1]), registry.policy("llm")
    assert personalise.for_person(bridge.store, user, policy) is policy
    bridge.store.lessons.add_prior(user.id, attempt(user, month[0]))
    assert isinstance(personalise.for_person(bridge.store, user, policy), Llm)
    assert personalise.for_person(bridge.store, user, policy) is not policy
    planner = registry.policy("planner")
    assert personalise.for_person(bridge.store, user, planner) is planner


def test_it_is_listed_and_taken_back_by_the_command(
    bridge: installation.Bridge, month: list[Slice], capsys: pytest.CaptureFixture[str]
) -> None:
    user = stored(bridge, month[:1])
    bridge.store.lessons.add_prior(user.id, attempt(user, month[0]))
    command(["llm", "personalise", "--user", "ana", "--undo", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["kept"] is False
    command(["llm", "personalise", "--user", "ana", "--history", "--json"], standalone_mode=False)
    assert [one["adapter"] for one in json.loads(capsys.readouterr().out)] == [f"u{user.id}-v1"]
    with pytest.raises(SetupError, match="bridge llm personalise"):
        command(["llm", "personalise", "--user", "ana", "--undo"], standalone_mode=False)
    with pytest.raises(SetupError, match="BRIDGE_POLICY_LLM_FOLDER"):
        command(["llm", "personalise", "--user", "ana"], standalone_mode=False)


def test_a_served_model_does_not_want_the_pages_port() -> None:
    commands: Any = get_command(command)
    made = [commands.commands["web"], commands.commands["llm"].commands["serve"]]
    ports = [option.default for one in made for option in one.params if option.name == "port"]
    assert len(set(ports)) == 2


def test_adapters_go_with_the_person(bridge: installation.Bridge, month: list[Slice]) -> None:
    user = stored(bridge, month[:1])
    for name in (f"u{user.id}-v1", f"u{user.id}-v2", f"u{user.id}9-v1"):
        (bridge.settings.adapters / name).mkdir(parents=True)
    connecting.forget(bridge, user)
    assert [place.name for place in bridge.settings.adapters.iterdir()] == [f"u{user.id}9-v1"]


def test_a_row_shows_five_days_and_thirty_and_says_what_was_said(month: list[Slice]) -> None:
    last = month[-1]
    one = row(
        replace(last.observation, history=last.observation.history),
        reasons=("rhythm says: mornings are clear (0.70)", "other"),
        belief={"social": 0.0, "morning": 1.0, "work": 5 / 9},
        action=last.decision.action,
        taken=False,
        tokens=20_000,
    )
    assert one.written == "<reasoning>mornings are clear; other</reasoning>\n0 9 5"
    assert one.narrow[1]["content"].count("user:") == PERSONAL_DAYS * 4
    assert one.wide[1]["content"].count("user:") == len(month) - 1
