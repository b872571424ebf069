"""Lives of people who answer: what is counted, on planted answers, and what the command prints."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bridge import registry
from lab.cli.comparison import markdown
from lab.evaluation.answers import accepted_over, coverage, errors_over, figures, leans, paired, told_apart
from lab.evaluation.comparison import Part, gathered, parts
from lab.evaluation.deployed import Life
from lab.evaluation.lives import Kind, Lived, lived, served, together
from rhythm_env.constants import ARCHETYPES
from rhythm_env.interface import Meter
from rhythm_env.profiles import archetypes, belief_target
from tests.lab.evaluation.test_evaluation import bridge

pytestmark = pytest.mark.slow

CORNERS = belief_target(archetypes(list(ARCHETYPES))).T
DEPLOYED = ("evaluate", "--deployed", "--episodes")


def planted(beliefs: list[list[float]], target: list[float], sd: float = 0.1) -> Lived:
    """One life whose beliefs are these, and who took every other advice."""
    slots = len(beliefs) - 1
    return Lived(
        accepted=np.array([[float(n % 2) for n in range(slots)]]),
        levels=np.full((1, slots), 0.5),
        beliefs=np.array([beliefs]),
        sds=np.full((1, slots + 1, 3), sd),
        targets=np.array([target]),
        ms=np.array([1.0]),
    )


def test_a_mixture_leans_to_its_largest_share() -> None:
    for shares in ((0.5, 0.3, 0.2), (0.1, 0.46, 0.44), (0.0, 0.0, 1.0)):
        assert leans(np.array(shares) @ CORNERS) == int(np.argmax(shares))


def test_an_archetype_is_told_once_it_is_right_for_good() -> None:
    introvert, extrovert, _ = (list(corner) for corner in CORNERS)
    found = planted([extrovert, introvert, extrovert, introvert, introvert], introvert)
    told = told_apart(found)
    assert told["median"] == 3
    assert told["watched_for"] == 4
    assert [point["share"] for point in told["right_over"]] == [1.0, 0.0, 1.0, 1.0]
    always = told_apart(planted([extrovert, introvert, introvert], introvert))
    assert (always["median"], always["never"]) == (1, 0)
    never = told_apart(planted([introvert, introvert, extrovert], introvert))
    assert (never["median"], never["never"]) == (3, 1)


def test_who_is_within_the_stated_interval_is_counted() -> None:
    beliefs = [[0.5, 0.5, 0.5]] * 10
    near, far = planted(beliefs, [0.66, 0.5, 0.34]), planted(beliefs, [0.67, 0.5, 0.33])
    assert [one["mean"] for one in coverage(near, 8).values()] == [1, 1, 1]
    assert [one["mean"] for one in coverage(together([near, far]), 8).values()] == [0.5, 1, 0.5]
    assert errors_over(near)[9]["social"] == pytest.approx(0.16)


def test_no_interval_is_counted_where_none_was_stated() -> None:
    people = ([0.2, 0.3, 0.4], [0.8, 0.7, 0.6])
    found = together([planted([[0.5] * 3] * 10, one, sd=float("nan")) for one in people])
    body = figures("llm", found, Kind(), believes=True)
    assert (list(body["belief_skill_at"]), body["belief_coverage_at"]) == (["8"], {})
    json.dumps(body, allow_nan=False)


def test_curves_and_pairs() -> None:
    found = planted([[0.5] * 3] * 15, [0.5] * 3)
    assert [point["answers"] for point in accepted_over(found)] == [7, 14]
    assert accepted_over(found)[0]["mean"] == pytest.approx(3 / 7)
    assert paired(found, found, "itself")["accepted"]["ci95"] == [None, None]
    two = together([found, planted([[0.5] * 3] * 15, [0.2, 0.3, 0.4])])
    assert paired(two, two, "itself")["accepted"]["ci95"] == [0, 0]
    body = figures("planner", two, Kind(condition="discrete"), believes=True)
    assert set(body["belief_skill_at"]) == {"8"}
    assert body["archetypes"]["watched_for"] == 14


def test_of_whom_nothing_is_recorded_nothing_but_answers_is_seen() -> None:
    life = Life(3, recorded=False)
    slices = list(life.live(registry.policy("random"), 1))
    seen = slices[-1].observation
    assert all(state.coverage == 0 for meter, state in seen.meters.items() if meter is not Meter.PROGRESS)
    assert seen.meters[Meter.PROGRESS].coverage == 0
    taken = {one.moment.timestep: one.decision.action for one in slices if one.answer == "ACCEPT"}
    assert all(record.action == taken.get(record.timestep) for record in seen.step_history)
    assert len(seen.history) == 27


@pytest.mark.slow
def test_the_planner_is_taken_more_often_than_those_who_do_not_infer() -> None:
    kind = Kind(weeks=1, answers_only=True, told=True)
    found = {name: lived(name, range(8), kind, registry.policy) for name in ("planner", "heuristic", "thompson")}
    taken = {name: float(one.accepted.mean()) for name, one in found.items()}
    assert taken["planner"] > taken["heuristic"] + 0.1 > taken["thompson"]
    assert told_apart(found["planner"])["median"] <= 8
    assert found["planner"].beliefs.shape == (8, 29, 3)
    assert np.isnan(found["thompson"].sds).all()


@pytest.mark.slow
def test_the_comparison_is_put_together_from_its_parts() -> None:
    asked = parts(4, ["planner"])
    weeks = [part for part in asked if part.kind is None]
    assert {part.objective for part in weeks} == {"grade", "reward"}
    assert {part.policy for part in asked} >= {"planner", "heuristic", "thompson", "oracle", "heuristic+constant"}
    short = Kind(weeks=1, answers_only=True)
    some = [
        *(part for part in weeks if part.condition == "in" and part.policy in ("planner", "oracle")),
        *(
            Part(policy=p, condition="in", seeds=range(n, n + 2), kind=short)
            for p in ("planner", "heuristic")
            for n in (0, 2)
        ),
        Part(policy="planner", condition="discrete", seeds=range(2), kind=Kind(weeks=1, answers_only=True, told=True)),
        Part(policy="planner", condition="in", seeds=range(2), kind=Kind(weeks=1, validity=0.0)),
    ]
    body = gathered(some, [part.play(registry.policy) for part in some], registry.policy)
    assert [one["lives"] for one in body["lives"]] == [4, 4, 2, 2]
    assert body["lives"][0]["paired_gain"]["over"] == "heuristic"
    text = markdown({"episodes": 4, "cores": 1, "minutes": 1.0, "core_minutes": 1.0, **body})
    assert "planner, told" in text
    assert "nobody is served so" in text


def test_only_who_can_be_told_of_the_archetypes_is() -> None:
    kind = Kind(weeks=1, answers_only=True, told=True)
    told, untold = (lived("network", range(1), one, registry.policy) for one in (kind, replace(kind, told=False)))
    assert told.accepted.shape == untold.accepted.shape == (1, 28)
    assert getattr(served("planner", registry.policy, told=True), "three", False)


@pytest.mark.slow
def test_lives_are_printed_with_their_uncertainty() -> None:
    done = bridge(*DEPLOYED, "2", "--policy", "planner", "--validity", "0", "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert (body["lives"], body["weeks"], body["validity"]) == (2, 2, 0.0)
    assert 0 < body["accepted"]["mean"] < 1
    assert set(body["belief_skill_at"]) == set(body["belief_coverage_at"]) == {"8", "28", "56"}
    shown = bridge(*DEPLOYED, "2", "--policy", "random", "--weeks", "1", "--picture", "lives.bad")
    assert "accepted" in shown.stdout  # nor do they get lost with a picture that cannot be drawn
    assert (shown.returncode, "end it with" in shown.stderr) == (2, True)


def test_answers_alone_and_archetypes_are_asked_for_by_name(tmp_path: Path) -> None:
    picture = tmp_path / "answers.svg"
    arguments = (*DEPLOYED, "3", "--answers-only", "--archetypes", "--policy", "planner", "--against", "heuristic")
    done = bridge(*arguments, "--weeks", "1", "--picture", str(picture), "--json")
    assert done.returncode == 0, done.stderr
    body = json.loads(done.stdout)
    assert body["condition"] == "discrete"
    assert set(body["archetypes"]) >= {"median", "share_within_8", "share_within_20", "right_over"}
    assert body["paired_gain"]["over"] == "heuristic"
    assert "<svg" in picture.read_text()
    shown = bridge(*DEPLOYED, "2", "--answers-only", "--archetypes", "--policy", "planner", "--weeks", "1", "--plot")
    assert "archetype right for good after" in shown.stdout
    assert "▇" in shown.stdout or "█" in shown.stdout


def test_a_life_is_the_same_whoever_played_before() -> None:
    first, second = (lived("planner", [5], Kind(weeks=1), registry.policy) for _ in range(2))
    random.random()
    assert np.array_equal(first.beliefs, second.beliefs)
    assert np.array_equal(first.accepted, second.accepted)
