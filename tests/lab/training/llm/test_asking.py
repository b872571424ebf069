"""Asking a service: a right answer is taken, any other is one log line and the planner's decision."""

from __future__ import annotations

import json
import logging
import random
import socket
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import registry
from bridge.cli import app as command
from bridge.domain.errors import SetupError
from bridge.recordings.server import Answer, LabServer, Request
from lab.training.llm.teacher import written
from policies.llm import Llm, open_policy
from policies.llm.asking import Unreadable, read
from policies.llm.sequence import SequencePolicy
from rhythm_env.interface import ActionType, Belief, Decision, Policy
from tests.chat_service import choice
from tests.chat_service.adviser import NO_DECISION, ODD, Vendor, right
from tests.chat_service.faults import always, scripted, status
from tests.lab.training.llm.test_prompt import answered, seen

pytestmark = pytest.mark.slow

BELIEF = Belief(social=3 / 9, morning=8 / 9, work=7 / 9)
Opened = Callable[..., Policy]


def decide(policy: Policy) -> Decision:
    return policy.decide(seen(history=answered(20)), random.Random(1))


def planned() -> Decision:
    return decide(registry.policy("planner"))


def fell_back(decision: Decision) -> bool:
    known = planned()
    same = (decision.action, decision.belief, decision.scores) == (known.action, known.belief, known.scores)
    return same and decision.by == "planner"


def test_without_an_address_nobody_is_asked_and_the_shipped_model_decides() -> None:
    decision = decide(registry.policy("llm"))
    assert not fell_back(decision)
    assert decision.by == ""
    assert decision == SequencePolicy().decide(seen(history=answered(20)), random.Random(1))


def test_a_right_answer_is_the_decision(opened: Opened, vendor: Vendor) -> None:
    decision = decide(opened())
    assert (decision.action, decision.belief) == (ActionType.BINGE_WATCH, BELIEF)
    assert decision.reasons == ("lab-1 says: Mornings are clear.",)
    (body,) = vendor.bodies
    assert body["temperature"] == 0
    assert body["max_tokens"] >= 256


def test_only_what_is_possible_is_chosen(opened: Opened, server: LabServer) -> None:
    few = seen(feasible=(ActionType.LEARN, ActionType.SLEEP))
    assert opened().decide(few, random.Random(1)).action is ActionType.SLEEP
    server.faults.append(always(choice("3 8 7 DEEP_WORK")))
    assert opened().decide(few, random.Random(1)).action in few.feasible


@pytest.mark.parametrize("name", ODD)
def test_odd_spellings_are_understood(name: str, opened: Opened, server: LabServer) -> None:
    server.faults.append(always(ODD[name]))
    decision = decide(opened())
    assert (decision.action, decision.belief) == (ActionType.DEEP_WORK, BELIEF)
    assert all(reason.isprintable() for reason in decision.reasons)


@pytest.mark.parametrize("name", NO_DECISION)
def test_trouble_is_one_line_and_the_planners_decision(
    name: str, opened: Opened, server: LabServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.faults.append(always(NO_DECISION[name]))
    with caplog.at_level(logging.INFO):
        decision = decide(opened(timeout_s=5))
    assert fell_back(decision)
    (record,) = [one for one in caplog.records if one.name.startswith("policies")]
    assert "the planner decides" in record.getMessage()
    assert "SLEEP" not in record.getMessage()
    assert len(server.asked) <= 2


def test_a_malformed_answer_is_asked_for_once_more(
    opened: Opened, server: LabServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.faults.append(scripted(choice("what?")))
    decision = decide(opened())
    assert decision.belief == BELIEF
    assert len(server.asked) == 2
    assert [one.getMessage().split(";")[1] for one in caplog.records] == [" asked again"]


def test_a_slow_service_is_not_waited_for(opened: Opened, server: LabServer) -> None:
    server.faults.append(always(slow_answer))
    begun = monotonic()
    assert fell_back(decide(opened(timeout_s=0.3)))
    assert monotonic() - begun < 3


def slow_answer(request: Request) -> Answer:
    from time import sleep

    sleep(2)
    return choice(right(json.loads(request.body)))


def test_a_service_that_is_not_there(opened: Opened) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    assert fell_back(decide(opened(address=address)))


def test_a_refusal_is_not_asked_again(opened: Opened, server: LabServer) -> None:
    server.faults.append(always(status(403)))
    decide(opened())
    assert len(server.asked) == 1


def test_a_persons_adapter_is_asked_by_its_name_and_shown_five_days(opened: Opened, vendor: Vendor) -> None:
    policy = opened(tokens=20_000)
    assert isinstance(policy, Llm)
    own = policy.personal({"adapter": "u1-v1"})
    decisions = [one.decide(seen(history=answered(120)), random.Random(1)) for one in (own, policy)]
    assert [one.by for one in decisions] == ["u1-v1", ""]
    first, second = vendor.bodies
    assert (first["model"], second["model"]) == ("u1-v1", "lab-1")
    assert [body["messages"][1]["content"].count("user:") for body in (first, second)] == [20, 120]


def test_an_adapter_that_is_gone_is_replaced_by_what_everybody_has(opened: Opened, vendor: Vendor) -> None:
    policy = opened()
    assert isinstance(policy, Llm)
    decision = decide(policy.personal({"adapter": "u1-v9"}))
    assert (decision.belief, decision.by) == (BELIEF, "")
    assert [body["model"] for body in vendor.bodies] == ["lab-1"]


def graded(capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    command(["evaluate", "--policy", "llm", "--episodes", "2", *more, "--json"], standalone_mode=False)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


LIVES = ("--deployed", "--weeks", "1")


def test_figures_count_what_was_left_to_the_planner(
    opened: Opened, server: LabServer, capsys: pytest.CaptureFixture[str]
) -> None:
    opened()
    assert graded(capsys)["fallbacks"] == 0
    server.faults.append(scripted(choice("what?"), choice("what?")))
    assert graded(capsys, *LIVES)["fallbacks"] == pytest.approx(1 / (2 * 29))


@pytest.mark.parametrize("more", [(), LIVES, ("--logged", "--simulated", "2")], ids=["weeks", "lives", "logged"])
def test_the_planners_figures_are_not_given_as_the_models(
    more: tuple[str, ...], opened: Opened, server: LabServer, capsys: pytest.CaptureFixture[str]
) -> None:
    opened()
    server.faults.append(always(status(403)))
    with pytest.raises(SetupError, match=r"100% .* of llm were left to another"):
        graded(capsys, *more)


def test_no_life_is_led_by_a_policy_that_has_settings() -> None:
    """The processes that lives are led in know none: the planner would stand in throughout."""
    with pytest.raises(SetupError, match="evaluate --deployed --policy llm"):
        command(["live", "--people", "1", "--weeks", "1", "--policy", "random,llm"], standalone_mode=False)


@pytest.mark.parametrize(
    "wrong", [{"address": "localhost:8"}, {"address": "ftp://x"}, {"key": "ä"}, {"tokens": "few"}, {"timeout_s": "0"}]
)
def test_a_setting_that_cannot_be_used_is_named(wrong: dict[str, str], opened: Opened) -> None:
    (name,) = wrong
    with pytest.raises(SetupError, match=f"BRIDGE_POLICY_LLM_{name.upper()}"):
        opened(**wrong)


def test_the_policy_opens_without_any_settings() -> None:
    assert open_policy().name == "llm"


@given(text=st.text())
def test_any_text_is_a_legal_action_or_refused(text: str) -> None:
    with suppress(Unreadable):
        assert read(text, (ActionType.SLEEP,)).action is ActionType.SLEEP


@pytest.mark.parametrize("name", ["DEEP_WOR\u212a", "SOC\u0130ALIZE", "me_t\u0131me", "\u017fleep"])
@pytest.mark.parametrize("line", ["3 8 7 {}", "{} 3 8 7"])
def test_letters_that_only_look_alike_are_no_action(line: str, name: str) -> None:
    with pytest.raises(Unreadable):
        read(line.format(name), tuple(ActionType))


@given(
    reasoning=st.text(st.characters(exclude_characters="<")),
    digits=st.tuples(*[st.integers(0, 9)] * 3),
    action=st.sampled_from(ActionType),
)
def test_what_is_written_is_read_back(reasoning: str, digits: tuple[int, int, int], action: ActionType) -> None:
    belief = Belief(social=digits[0] / 9, morning=digits[1] / 9, work=digits[2] / 9)
    said = read(written(reasoning, belief, action), tuple(ActionType))
    assert (said.action, said.belief) == (action, belief)
    assert said.reasoning.isprintable()
