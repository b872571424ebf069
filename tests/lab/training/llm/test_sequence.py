"""The sequence model: what it reads, that numpy computes what PyTorch does, how it plays, what it costs, how it learns.

Tests of training need PyTorch (``make test-train``). The shipped weights are played everywhere, without it.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge import registry
from lab.evaluation.grades import Result, play, seeds_of
from lab.evaluation.recall import ANOTHERS, NONE, OWN, PASTS
from lab.evaluation.strategies import strategy
from lab.evaluation.week import begin, observation
from lab.training.llm.sequence.ablations import Player
from policies.llm.sequence import WEIGHTS, SequencePolicy, inputs
from policies.llm.sequence.forward import LARGEST, Model, load, packed, think, unpacked
from policies.llm.sequence.inputs import read
from policies.llm.sequence.slots import PER_SLOT, PRESENT
from rhythm_env.dynamics import ACTIONS, EAGERNESS, acceptance
from rhythm_env.interface import ActionType, Answer
from tests.lab.policies.test_network import answering, lived
from tests.pace import paces

needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is an extra: make test-train")
WEEKS = 40


@cache
def played(past: str, condition: str) -> Result:
    seeds = seeds_of(condition, WEEKS)
    return play(begin(seeds, condition), Player(WEIGHTS, past, seeds))


@pytest.fixture(scope="module")
def by_past() -> dict[str, float]:
    """Mean grade of the same weeks by the past that the model is shown."""
    return {past: float(played(past, "ood").score().mean()) for past in PASTS}


@given(st.floats(-3, 3))
def test_a_number_in_small_steps_is_still_the_number(value: float) -> None:
    columns, low, high = inputs.PAST_NUMBERS[3]
    slots = np.zeros((1, PER_SLOT), np.float32)
    slots[0, columns.start] = value
    begins = PER_SLOT + inputs.HATS * sum(len(c) for c, _, _ in inputs.PAST_NUMBERS[:3])
    hats = inputs.past(slots)[0, begins : begins + inputs.HATS]
    assert hats.sum() == pytest.approx(1, abs=1e-4)
    assert (hats > 0).sum() <= 2
    assert hats @ np.linspace(low, high, inputs.HATS) == pytest.approx(value, abs=1e-4)


def test_what_is_read_has_the_size_that_is_said() -> None:
    assert inputs.past(np.zeros((3, PER_SLOT), np.float32)).shape == (3, inputs.PAST)
    assert inputs.past(np.zeros((0, PER_SLOT), np.float32)).shape == (0, inputs.PAST)
    assert inputs.now(np.zeros((2, PRESENT), np.float32)).shape == (2, inputs.NOW)


def test_shares_of_taken_advice_stand_beside_their_counts() -> None:
    seen = answering(60, frozenset({ActionType.EXERCISE}))
    _, now = read(seen)
    rates = inputs.now(now[None])[0, -inputs.RATES :]
    taken = [one.answer is Answer.ACCEPT for one in seen.history]
    of_all = (sum(taken) + inputs.AS_MANY * inputs.USUAL) / (len(taken) + inputs.AS_MANY)
    assert rates[0] == pytest.approx(4 * (of_all - inputs.USUAL), abs=1e-4)
    each = rates[1 : 1 + len(ACTIONS)]
    assert each.argmax() == ACTIONS.index(ActionType.EXERCISE)
    assert (each > 0).sum() == 1
    assert inputs.now(np.zeros((1, PRESENT), np.float32))[0, -inputs.RATES :].tolist() == [0.0] * inputs.RATES


def test_eight_bits_keep_a_weight_within_half_a_step() -> None:
    rng = np.random.default_rng(0)
    weight = rng.standard_normal((5, 7)).astype(np.float32)
    weight[2] = 0
    stored = packed({"a.weight": weight, "a.bias": weight[0]})
    assert stored["a.weight"].dtype == np.int8
    step = np.abs(weight).max(axis=1, keepdims=True) / LARGEST
    assert (np.abs(unpacked(stored, "a.weight") - weight) <= step * 0.5001 + 1e-12).all()
    assert unpacked(stored, "a.bias") == pytest.approx(weight[0], abs=1e-2)


def test_its_weights_are_two_million_in_two_megabytes() -> None:
    assert WEIGHTS.stat().st_size < 2.2e6
    assert 1.9e6 < sum(value.size for value in load(WEIGHTS).known.values()) < 2.2e6


@pytest.mark.parametrize("step", [0, 1, 7, 20, 27])
def test_what_lies_behind_the_last_seven_slots_changes_nothing(step: int) -> None:
    weeks = lived(step)
    slots, now = read(observation(weeks, 1))
    assert len(slots) == min(step, 7)
    thought = think(slots, now, load(WEIGHTS))
    assert thought.belief.shape == thought.sd.shape == (3,)
    assert np.exp(thought.scores).sum(axis=1) == pytest.approx(1)
    assert ((thought.belief >= 0) & (thought.belief <= 1)).all()


def test_the_shipped_model_plays_offline_and_says_why() -> None:
    decision = registry.policy("llm").decide(observation(lived(9), 0), random.Random(1))
    assert decision.action in ActionType
    assert decision.by == ""
    assert decision.belief_sd is not None
    assert all("planner" not in reason for reason in decision.reasons)


@pytest.mark.slow
@pytest.mark.parametrize("condition", ["in", "ood", "discrete"])
def test_plays_well_above_what_the_published_model_and_its_teacher_reached(condition: str) -> None:
    result = played(OWN, condition)
    assert result.score().mean() > {"in": 0.795, "ood": 0.795, "discrete": 0.825}[condition]
    assert result.weeks.final_score().mean() > 0.605


@pytest.mark.slow
def test_its_past_is_what_it_reads_a_person_by(by_past: dict[str, float]) -> None:
    seeds = seeds_of("ood", WEEKS)
    weeks = begin(seeds, "ood")
    rival = play(weeks, strategy("heuristic+constant", weeks, seeds, "grade", registry.policy)).score().mean()
    gain = by_past[OWN] - rival
    assert by_past[ANOTHERS] < by_past[NONE] < by_past[OWN]
    assert by_past[OWN] - by_past[NONE] > 0.4 * gain


def test_who_answers_is_served_by_their_own_reward() -> None:
    seen = answering(40, frozenset({ActionType.EXERCISE}))
    grade, reward = (SequencePolicy(aim).decide(seen, random.Random(1)) for aim in ("grade", "reward"))
    assert grade == reward


def test_what_was_always_taken_is_liked_more_than_what_was_always_refused() -> None:
    taken, refused = (
        SequencePolicy().decide(answering(84, frozenset(some)), random.Random(1)).scores
        for some in ({ActionType.EXERCISE}, set(ActionType) - {ActionType.EXERCISE})
    )
    assert taken[ActionType.EXERCISE] > refused[ActionType.EXERCISE]


def test_without_learning_nothing_of_the_past_counts() -> None:
    blind = SequencePolicy(learns=False)
    seen = answering(30, frozenset({ActionType.SLEEP}))
    other = replace(seen, history=tuple(replace(one, answer=Answer.ACCEPT) for one in seen.history))
    assert blind.decide(seen, random.Random(1)).scores == blind.decide(other, random.Random(1)).scores


def test_decides_quickly_in_a_week_and_after_thirty_days_of_answers() -> None:
    policy, week, life = SequencePolicy(), observation(lived(20), 0), answering(120, frozenset(ActionType))
    policy.decide(week, random.Random(1))
    assert paces(lambda: policy.decide(week, random.Random(1))) < 12
    assert paces(lambda: policy.decide(life, random.Random(1))) < 20


def test_deciding_needs_no_pytorch() -> None:
    code = (
        "import random, sys; sys.modules['torch'] = None\n"
        "from policies.llm import open_policy; from lab.evaluation.week import begin, observation\n"
        "print(open_policy().decide(observation(begin([3]), 0), random.Random(1)).action)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in list(ActionType)


def test_the_command_grades_it_as_any_policy() -> None:
    command = ("evaluate", "--policy", "llm", "--episodes", "3", "--against", "heuristic", "--json")
    done = subprocess.run([sys.executable, "-m", "bridge", *command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["policy"], found["fallbacks"]) == ("llm", 0)
    assert found["belief_stated"]
    assert found["final_score"]["mean"] > 0.7


@needs_torch
def test_numpy_computes_what_pytorch_does_slot_by_slot_and_week_by_week(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from lab.training.llm.sequence import learning, refine
    from lab.training.llm.sequence.model import HEADS, LAYERS, SequenceModel

    monkeypatch.setattr(learning, "half", lambda device: nullcontext())  # noqa: ARG005 - all in single precision
    torch.manual_seed(1)
    model = SequenceModel()
    for block in model.blocks:
        torch.nn.init.normal_(block.distance)
    group = refine.group(model, range(refine.FRESH, refine.FRESH + 3))
    with torch.no_grad():
        said = model(*learning.inputs(group.lessons, group.digits, torch.device("cpu")))
    means = said.digits.exp() @ torch.arange(10.0)
    assert (means.round() == group.digits).all()  # played slot by slot, it says what it says in one pass
    plain = Model({name: value.detach().numpy() for name, value in model.state_dict().items()}, LAYERS, HEADS)
    for week, step in ((0, 0), (1, 3), (2, 15), (5, 27)):
        slots, now = group.lessons.slots[week], group.lessons.now[week, step]
        thought = think(slots[max(step - 7, 0) : step], now, plain)
        assert thought.belief * 9 == pytest.approx(means[week, step].numpy(), abs=1e-3)
        assert thought.scores == pytest.approx(said.scores[week, step].numpy(), abs=1e-3)


@needs_torch
def test_no_slot_reads_the_labels_of_another() -> None:
    """The digits told in training are the truth; a later slot that saw them would learn nothing."""
    import torch

    from lab.training.llm.sequence import learning, lessons
    from lab.training.llm.sequence.model import SequenceModel

    torch.manual_seed(2)
    model, some = SequenceModel(), lessons.weeks(range(900_000_000, 900_000_002), lessons.teacher())
    digits = torch.zeros(2, 28, 3, dtype=torch.long)
    other = digits.clone()
    other[:, 10] = 9
    with torch.no_grad():
        one, two = (model(*learning.inputs(some, told, torch.device("cpu"))) for told in (digits, other))
    changed = (one.scores != two.scores).flatten(2).any(dim=2).any(dim=0)
    assert changed.nonzero().flatten().tolist() == [10]
    assert (one.digits[:, :, 0] == two.digits[:, :, 0]).all()


@needs_torch
def test_rolled_weeks_try_every_action_and_go_on_from_the_action_that_was_played() -> None:
    from lab.training.llm.sequence import lessons, rolled
    from lab.training.network import simulate

    found = rolled.led(range(900_000_000, 900_000_003), lessons.teacher())
    weeks = simulate.begin(range(900_000_000, 900_000_003))
    for actions in found.actions.T:
        weeks.advance(actions.astype(np.intp))
    last = found.worth[np.arange(3), -1, found.actions[:, -1]]
    assert last == pytest.approx(weeks.final_score(), abs=1e-6)  # in the last slot nothing goes on
    assert (found.worth[:, 0].max(axis=1) > weeks.final_score()).all()  # before it, a belief is paid for, too
    again = lessons.rolled(found)
    assert (again.slots[:, :, : len(ACTIONS)].argmax(axis=2)[:, :27] == found.actions[:, :27]).all()
    assert again.weighed.tolist() == [[1, 0]] * 3
    assert np.exp(again.wanted).sum(axis=-1) == pytest.approx(1)


@needs_torch
def test_lives_have_people_who_answer_by_the_simulators_rule_and_by_tastes_of_their_own() -> None:
    from lab.training.llm.sequence import answering, lessons

    some = answering.begin(range(900_000_000, 900_000_400))
    first = some.chances(0)
    simulated = (some.own == 0) & (some.slope == EAGERNESS)
    assert 0.4 < simulated.mean() < 0.6
    assert first[:, simulated] == pytest.approx(acceptance(some.standings(0))[:, simulated])
    some.weeks.meters[:] = 0.5
    own = some.own == 1
    assert some.chances(0)[:, own] == pytest.approx(first[:, own])  # their tastes do not heed the meters
    assert (some.chances(0)[:, simulated] != first[:, simulated]).any()
    lives = lessons.lives(range(900_000_000, 900_000_004), lessons.teacher())
    assert len(lives) == 4 * 4
    assert lives.answers.all()
    assert ((lives.chances >= 0) & (lives.chances <= 1)).all()
    assert lives.single.all()


@needs_torch
def test_the_exam_of_people_who_answer_decides_as_the_served_model_does() -> None:
    from lab.training.llm.sequence import led, lessons
    from lab.training.llm.sequence.model import opened
    from lab.training.llm.sequence.playing import Reader

    model = opened(WEIGHTS)
    some = led.week(range(900_000_000, 900_000_008), lessons.teacher(), 1, strangers=False)
    reader = Reader(model, len(some), inputs.SLOTS_MAX)
    for step in range(28):
        scores = reader.decide(some.now[:, step]).numpy()
        for week in (0, 7):
            thought = think(some.slots[week, :step], some.now[week, step], load(WEIGHTS))
            assert scores[week] == pytest.approx(thought.scores, abs=1e-2)
        reader.complete(some.slots[:, step])
    assert reader.belief[7] == pytest.approx(thought.belief, abs=1e-3)


@needs_torch
def test_a_later_week_of_strangers_shows_what_they_took_before() -> None:
    from lab.training.llm.sequence import led, lessons
    from policies.llm.sequence.slots import TALLIES

    some = led.week(range(900_000_000, 900_000_040), lessons.teacher(), 2, strangers=True)
    assert some.slots.shape == (40, 28, PER_SLOT)
    assert some.now.shape == (40, 28, PRESENT)
    ever = np.expm1(3 * some.now[:, :, inputs.TOLD][:, :, : TALLIES // 2]).sum(axis=2)
    assert ever == pytest.approx(
        np.tile(np.arange(28) + 56, (40, 1)), abs=0.01
    )  # two weeks of answers, then each slot's
    best = some.chances.argmax(axis=2)
    assert (best[:, :24] == best[:, 4:]).all()  # their tastes are of the hour, whatever the meters
    assert (some.wanted[:, :, 0].argmax(axis=2) == best).all()
    taken = some.slots[:, :, : len(ACTIONS)].sum(axis=2).mean()
    assert taken > some.chances.mean() + 0.05  # the adviser goes by what was taken


@needs_torch
def test_weights_of_something_else_are_refused(tmp_path: Path) -> None:
    from lab.training.llm.sequence.model import opened

    np.savez(tmp_path / "weights.npz", first=np.zeros(3))
    with pytest.raises(ValueError, match="no weights of this sequence model"):
        opened(tmp_path / "weights.npz")
    with pytest.raises(ValueError, match="no weights of this sequence model"):
        opened(tmp_path / "missing.npz")


def nobody(name: str) -> Any:
    return unseen


def unseen(done: int, total: int) -> None:
    """Take no progress report."""


@needs_torch
@pytest.mark.timeout(900)
def test_a_course_goes_on_where_it_was_killed_and_ends_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lab.training.llm.sequence import course, exam, lessons, practice, refine

    monkeypatch.setattr(course, "PART_STEPS", 2)
    monkeypatch.setattr(course, "BATCH", {"weeks": 4, "lives": 2})
    monkeypatch.setattr(course, "SECOND", {"weeks": 2, "lives": 2, "firsts": 1, "rolled": 2})
    monkeypatch.setattr(course, "MADE", {"lives": 2, "rolled": 2})
    monkeypatch.setattr(course, "MADE_SECOND", {"firsts": 2})
    monkeypatch.setattr(practice, "PARTS", 2 * course.WEEKS // 32)
    monkeypatch.setattr(practice, "PART_STEPS", 2)
    monkeypatch.setattr(practice, "BATCH", {"strangers": 1, "others": 1, "weeks": 1})
    monkeypatch.setattr(course, "examined", lambda model: exam.examined(model, range(10_500_000, 10_500_008)))
    monkeypatch.setattr(practice, "looked", course.examined)
    monkeypatch.setattr(refine, "examined", course.examined)

    def killed_in(stage: str, at: int) -> Any:
        def watch(name: str) -> Any:
            def on_step(done: int, total: int) -> None:
                if (name, done) == (stage, at):
                    raise KeyboardInterrupt

            return on_step

        return watch

    size, straight, broken = 32, tmp_path / "straight", tmp_path / "broken"
    course.train(straight, size, seed=1, resume=False, watch=nobody)
    for stage, at in (("learning", 3), ("practising", 1)):
        with pytest.raises(KeyboardInterrupt):
            course.train(broken, size, seed=1, resume=True, watch=killed_in(stage, at))
    found = course.train(broken, size, seed=1, resume=True, watch=nobody)
    one, other = (load(folder / "weights.npz").known for folder in (straight, broken))
    assert all((one[name] == other[name]).all() for name in one)
    assert found["step"] == 8 + 4
    told = json.loads((broken / "notes.json").read_text())
    assert told[-1]["core_minutes"] == found["core_minutes"]
    second = sum(lessons.seconds_of(path) for path in broken.glob("*-*.npz"))
    assert 0 < second / 60 <= found["core_minutes"] + 0.05
    with pytest.raises(ValueError, match="another course"):
        course.train(broken, size, seed=2, resume=True, watch=nobody)
    refined = refine.train(straight, tmp_path / "grpo", updates=1, seed=1, resume=False, on_step=unseen)
    better = refined["score_after"] > refined["score_before"] and refined["level_after"] > refined["level_before"]
    assert refined["kept"] or not better
    same = load(tmp_path / "grpo" / "weights.npz").known
    assert all((one[name] == same[name]).all() for name in one) is not refined["kept"]


@needs_torch
@pytest.mark.timeout(900)
def test_learning_lowers_the_loss() -> None:
    import torch

    from lab.training.llm.sequence import learning, lessons
    from lab.training.llm.sequence.model import SequenceModel

    torch.manual_seed(0)
    model, rng = SequenceModel(width=48, layers=2, heads=4), np.random.default_rng(0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    some = lessons.weeks(range(900_000_000, 900_000_032), lessons.teacher())
    losses = [learning.step(model, optimiser, some.pick(slice(0, 32)), rng)["total"] for _ in range(30)]
    assert np.mean(losses[-5:]) < 0.8 * losses[0]


@needs_torch
def test_an_adapter_begins_as_the_model_and_learns_the_answers_it_is_shown() -> None:
    import torch

    from lab.training.llm.sequence import personal
    from lab.training.llm.sequence.model import opened

    plain = opened(WEIGHTS)
    one = personal.lived(plain, range(900_000_000, 900_000_002), weeks=1).one(0)
    always = replace(one, taken=torch.ones_like(one.taken))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(personal, "UPDATES", 0)
        untaught = personal.adapter(WEIGHTS, always, 20)
    before, same = (personal.losses(personal.forecasts(each, always), always.taken) for each in (plain, untaught))
    assert (before == same).all()
    taught = personal.adapter(WEIGHTS, always, 20)
    after = personal.losses(personal.forecasts(taught, always), always.taken)
    assert after[:, :20].mean() < before[:, :20].mean() - 0.02
    assert sum(value.numel() for value in taught.parameters() if value.requires_grad) < 0.05 * 2e6


@needs_torch
def test_an_adapter_is_kept_only_beyond_its_error() -> None:
    from lab.training.llm.sequence.personal import better

    plainly = np.array([0.7, 0.6, 0.8, 0.9])
    assert better(plainly, plainly - [0.10, 0.12, 0.09, 0.11])
    assert not better(plainly, plainly - [0.5, -0.4, 0.3, -0.2])
    assert not better(plainly, plainly + 0.1)


@needs_torch
def test_a_trial_of_adapters_tells_what_the_past_is_worth() -> None:
    from lab.training.llm.sequence import personal

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(personal, "UPDATES", 1)
        found = personal.trial(WEIGHTS, 6, seed=2, on_step=unseen)
    assert found["people"] == 6
    assert found["context"] < found["none"]  # what people took before helps to forecast what they take
    assert found["gain"] == pytest.approx(found["context"] - found["adapted"])
    assert 0 <= found["kept_by_chance"] <= 1
