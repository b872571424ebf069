"""The worth of a person's answers by their number: what an ablated policy sees, and what the command prints."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bridge import registry
from lab.evaluation.recall import ANOTHERS, ENDS, NONE, OWN, PASTS, PEOPLE, SHUFFLED, Ablated, recall
from rhythm_env.interface import ActionType, Answer, Belief, Decision, Interaction, Meter, MeterState, Observation, Slot
from tests.lab.evaluation.test_evaluation import bridge

BEGUN = datetime(2026, 1, 5, 6, tzinfo=UTC)
NOW = Observation(timestep=3, day=0, slot=Slot.NIGHT, meters={meter: MeterState(level=0.7) for meter in Meter})


class Listening:
    """A policy that keeps what it is shown, and always says the first possible action."""

    name, version = "listening", 1

    def __init__(self) -> None:
        self.seen: list[tuple[Interaction, ...]] = []

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        self.seen.append(observation.history)
        action = observation.feasible[0]
        return Decision(
            action=action, belief=Belief(social=0.5, morning=0.5, work=0.5), scores={}, probabilities={action: 1.0}
        )


def answered(count: int, action: ActionType) -> tuple[Interaction, ...]:
    """Return answers to one action in consecutive slots, of which every third is a refusal."""
    return tuple(
        Interaction(
            at=BEGUN + timedelta(hours=6 * n),
            day=n // 4 % 7,
            slot=Slot(n % 4),
            levels={},
            recommended=action,
            answer=Answer.ACCEPT if n % 3 else Answer.IGNORE,
        )
        for n in range(count)
    )


def shown(past: str, slots: int = 9) -> list[tuple[Interaction, ...]]:
    mine, other, policy = answered(slots, ActionType.LEARN), answered(slots, ActionType.SLEEP), Listening()
    ablated = Ablated(policy, past, other, seed=3)
    for slot in range(slots):
        ablated.decide(replace(NOW, history=mine[:slot]), random.Random(0))
    return policy.seen


def test_each_past_is_what_its_name_says() -> None:
    mine, other = answered(9, ActionType.LEARN), answered(9, ActionType.SLEEP)
    assert shown(OWN) == [mine[:slot] for slot in range(9)]
    assert shown(NONE) == [()] * 9
    assert shown(ANOTHERS) == [other[:slot] for slot in range(9)]
    last = shown(SHUFFLED)[-1]
    assert [one.recommended for one in last] == [ActionType.LEARN] * 8
    assert sorted(str(one.answer) for one in last) == sorted(str(one.answer) for one in mine[:8])
    assert [one.at for one in last] == [one.at for one in mine[:8]]
    assert any(one[-1].answer is not mine[len(one) - 1].answer for one in shown(SHUFFLED)[3:])


def test_anothers_past_covers_the_same_slots_when_old_answers_are_forgotten() -> None:
    mine, other, policy = answered(9, ActionType.LEARN), answered(9, ActionType.SLEEP), Listening()
    ablated = Ablated(policy, ANOTHERS, other, seed=3)
    for slot in range(9):
        ablated.decide(replace(NOW, history=mine[max(slot - 4, 0) : slot]), random.Random(0))
    assert policy.seen[-1] == other[4:8]


@pytest.mark.slow
def test_the_sequence_model_reads_its_own_past_and_is_misled_by_others() -> None:
    people = {name: PEOPLE[name] for name in ("archetypes", "tastes")}
    rows = recall("llm", 2, registry.policy, people=people)
    assert len(rows) == len(people) * len(PASTS) * len(ENDS)
    assert [row["answers"] for row in rows[: len(ENDS)]] == [[1, 7], [8, 28], [29, 56], [57, 112]]
    taken = {(row["past"], row["answers"][1]): row["taken"]["mean"] for row in rows if row["people"] == "tastes"}
    assert taken[OWN, 112] > max(taken[past, 112] for past in (NONE, SHUFFLED, ANOTHERS))
    assert {row["people"] for row in rows if row["error"] is None} == {"tastes"}
    assert all(0 <= row["taken"]["mean"] <= 1 for row in rows)


@pytest.mark.slow
def test_the_command_writes_its_table_between_its_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- recall -->\nold\n<!-- /recall -->\n\nafter\n")
    found = bridge("llm", "recall", "--policy", "random", "--lives", "2", "--write", str(page), "--json")
    body = json.loads(found.stdout)
    assert (body["policy"], len(body["rows"])) == ("random", 64)
    text = page.read_text()
    assert (text[:6], text[-6:], "old" in text) == ("before", "after\n", False)
    assert f"| anybody | {OWN} | " in text
    assert "--policy random --lives 2" in text
