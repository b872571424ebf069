"""A teacher's weeks: written down, lived again, resumed, paid for; and the rewards that a refinement is given."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from bridge.cli import app as command
from bridge.recordings.server import LabServer
from lab.evaluation.strategies import INDEX
from lab.evaluation.week import begin
from lab.training.llm import rewards, teacher, trajectories
from lab.training.llm.teacher import written
from lab.training.llm.trajectories import LIFE, LIFE_WEEKS, Episode
from policies.llm.asking import Chat, Said, read
from policies.planner import Planner
from rhythm_env.chat import Fault
from rhythm_env.interface import ActionType, Belief, Decision, Observation, Policy
from rhythm_env.profiles import belief_target
from tests.chat_service import KEY, choice
from tests.chat_service.adviser import Vendor
from tests.chat_service.faults import always, scripted, status

WEEKS = range(1000, 1004)


def unseen(done: int, total: int) -> None:
    """Take no progress report."""


def taught(path: Path, lives: range = range(0)) -> list[Episode]:
    return teacher.teach(path, teacher.Planned(), weeks=WEEKS, lives=lives, condition="in", on_step=unseen)


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("taught") / "weeks.jsonl"
    taught(path, range(2000, 2001))
    return path


def test_the_planners_answers_are_right_and_beat_the_heuristic(weeks: Path) -> None:
    found = teacher.report(trajectories.read(weeks), {})
    assert (found["weeks"], found["lives"], found["unreadable"], found["cost_usd"]) == (4, 1, 0, 0.0)
    assert found["wins"] == 4
    assert found["score"] > found["heuristic_constant"] > found["heuristic"]
    assert found["belief_mae"] < found["constant_mae"]


def test_lessons_are_what_was_seen_and_said(weeks: Path) -> None:
    lessons = list(trajectories.lessons(trajectories.read(weeks), tokens=900))
    assert len(lessons) == 4 * 28 + 56
    assert all(read(one.answer, tuple(ActionType)) for one in lessons)
    assert [len(one.before) for one in lessons[:28]] == list(range(28))
    life = [one for one in lessons if one.kind == LIFE]
    assert "-> user: " in life[-1].prompt[1]["content"]


def test_a_week_that_was_changed_is_not_learned(weeks: Path, tmp_path: Path) -> None:
    first = trajectories.read(weeks)[0]
    answers = (replace(first.answers[0], action="BINGE_WATCH"), *first.answers[1:])
    with pytest.raises(ValueError, match="week 1000"):
        trajectories.observations(replace(first, answers=answers))


def test_a_run_that_was_killed_goes_on_with_what_is_missing(weeks: Path, tmp_path: Path) -> None:
    lines = weeks.read_bytes().splitlines(keepends=True)
    path = tmp_path / "weeks.jsonl"
    path.write_bytes(b"".join(lines[:2]) + lines[2][:1000])
    made = []
    teacher.teach(
        path, teacher.Planned(), weeks=WEEKS, lives=range(0), condition="in", on_step=lambda d, t: made.append((d, t))
    )
    assert made == [(1, 2), (2, 2)]
    assert sorted(path.read_bytes().splitlines()) == sorted(line.strip() for line in lines[:4])


def asked(server: LabServer, concurrent: int = 2) -> teacher.Asked:
    chat = Chat(address=f"{server.url}/v1", key=KEY, seconds=5)
    return teacher.Asked(chat, "lab-1", concurrent=concurrent)


def test_a_model_teaches_with_its_bill(tmp_path: Path) -> None:
    with LabServer(Vendor().application) as server:
        server.faults.append(scripted(None, choice("what?"), status(429, Retry_After="0")))
        found = teacher.teach(
            tmp_path / "w", asked(server), weeks=WEEKS[:2], lives=range(0), condition="in", on_step=unseen
        )
    report = teacher.report(found, {"lab-1": {"input": 2.0, "output": 10.0}})
    answers = 2 * 28 + 1  # the malformed one is paid for, too
    assert report["unreadable"] == 0
    assert (report["prompt_tokens"], report["answer_tokens"]) == (answers * 900, answers * 400)
    assert report["cost_usd"] == pytest.approx(answers * (900 * 2 + 400 * 10) / 1e6)
    assert teacher.report(found, {})["cost_usd"] is None  # a price that is not known is not zero


def test_what_is_unreadable_is_not_taught(tmp_path: Path) -> None:
    with LabServer(Vendor().application) as server:
        server.faults.append(always(choice("no")))
        found = teacher.teach(
            tmp_path / "w", asked(server), weeks=WEEKS[:1], lives=range(0), condition="in", on_step=unseen
        )
    assert teacher.report(found, {})["unreadable"] == 28
    assert list(trajectories.lessons(found)) == []


def test_a_service_that_refuses_stops_the_teacher_and_what_is_done_stays(tmp_path: Path) -> None:
    with LabServer(Vendor().application) as server:
        server.faults.append(scripted(*[None] * 30, *[status(403)] * 28))
        path = tmp_path / "w"
        with pytest.raises(Fault, match="403"):
            teacher.teach(path, asked(server, 1), weeks=WEEKS, lives=range(0), condition="in", on_step=unseen)
        assert len(trajectories.read(path)) == 1


class Stopped(teacher.Planned):
    """Weeks stop once the life beside them has its last answer."""

    concurrent = 2

    def __init__(self) -> None:
        super().__init__()
        self.left, self.lived = LIFE_WEEKS * 28, Event()

    def answer(self, observation: Observation, model: Policy) -> tuple[str | None, Decision | Said, teacher.Usage]:
        if isinstance(model, Planner) and model.objective == "grade":
            assert self.lived.wait(30)
            raise Fault("busy")
        self.left -= 1
        if not self.left:
            self.lived.set()
        return super().answer(observation, model)


def test_a_week_that_stops_takes_no_other_with_it(tmp_path: Path) -> None:
    with pytest.raises(Fault, match="busy"):
        teacher.teach(
            tmp_path / "w", Stopped(), weeks=WEEKS[:1], lives=range(2000, 2001), condition="in", on_step=unseen
        )
    assert [(one.kind, one.seed) for one in trajectories.read(tmp_path / "w")] == [(LIFE, 2000)]


def test_prices_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text('["lab-1"]\ninput = 2\noutput = 10.0\n')
    assert teacher.prices_of(path) == {"lab-1": {"input": 2.0, "output": 10.0}}
    path.write_text("[lab-1]\ninput = 2\n")
    with pytest.raises(ValueError, match="prices"):
        teacher.prices_of(path)


RIGHT = written("x", Belief(social=3 / 9, morning=7 / 9, work=5 / 9), ActionType.DEEP_WORK)


def test_rewards_are_the_published_ones() -> None:
    assert (rewards.form(RIGHT), rewards.form("DEEP_WORK")) == (1.0, -2.0)
    assert (rewards.legality("7 DEEP_WORK"), rewards.legality("3 7 5 FLY"), rewards.legality("")) == (0.5, -1.0, -1.0)
    assert rewards.environment("3 7 5 FLY", 42, "in", ()) == -3.0
    assert rewards.belief("DEEP_WORK", 42, "in") == -0.5  # no default stands in for a belief that is missing
    assert -0.5 <= rewards.belief(RIGHT, 42, "in") <= 0.5


def test_variety_is_paid_and_cycles_cost() -> None:
    cycle = ["MEDITATE", "EXERCISE"] * 3
    assert rewards.variety(cycle) == pytest.approx(-0.4)
    assert rewards.variety([*cycle, "LEARN"]) == pytest.approx(0.2)
    assert rewards.variety(["SLEEP", "SLEEP", "SLEEP"]) == pytest.approx(-0.3)
    assert rewards.variety([*list(ActionType)[:6], "BINGE_WATCH"]) == 0.0


def test_the_last_slot_is_paid_for_the_week(weeks: Path) -> None:
    week = trajectories.read(weeks)[0]
    last = week.answers[-1]
    before = [one.action for one in week.answers[:-1]]
    whole = rewards.environment(str(last.text), week.seed, week.condition, before)
    assert whole > 5 * (float(week.score or 0) - 0.5) - 1.5


@pytest.mark.parametrize("condition", ["in", "shifted", "discrete"])
def test_a_lesson_is_paid_for_by_the_person_it_is_of(condition: str) -> None:
    weeks = begin([7], condition)
    social, morning, work = map(float, belief_target(weeks.people)[:, 0])
    weeks.advance(np.array([INDEX[ActionType.SOCIALIZE]]))
    text = written("x", Belief(social=social, morning=morning, work=work), ActionType.SOCIALIZE)
    assert rewards.belief(text, 7, condition) == pytest.approx(0.5, abs=1 / 18)  # said in digits
    assert rewards.environment(text, 7, condition, ()) == pytest.approx(float(weeks.rewards[0][0]) + rewards.NEW)


def bridge(*arguments: str, without: str = "") -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.modules[{without!r}] = None\nsys.argv = ['bridge', *{list(arguments)!r}]\n"
    return subprocess.run(
        [sys.executable, "-c", code + "from bridge.cli import main; main()"], capture_output=True, text=True
    )


def test_the_command_teaches_and_names_what_comes_next(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "weeks.jsonl"
    done = bridge("llm", "teacher", "--weeks", "2", "--lives", "0", "--out", str(path), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["answers"] == 56
    done = bridge("llm", "sft", "--lessons", str(path), "--out", str(tmp_path / "sft"), without="torch")
    assert (done.returncode, "lab[llm-train]" in done.stderr) == (2, True)
    done = bridge("llm", "teacher", "--model", "lab-1", "--out", str(path))
    assert (done.returncode, "BRIDGE_POLICY_LLM_ADDRESS" in done.stderr) == (2, True)
    done = bridge("train", "--policy", "llm")
    assert (done.returncode, "bridge llm --help" in done.stderr) == (2, True)


def test_the_teacher_has_the_room_that_is_set_for_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vendor = Vendor()
    with LabServer(vendor.application) as server:
        for name, value in {**vendor.settings(server.url), "answer_tokens": "700"}.items():
            monkeypatch.setenv(f"BRIDGE_POLICY_LLM_{name}".upper(), value)
        out = ("--out", str(tmp_path / "w"), "--json")
        command(["llm", "teacher", "--weeks", "1", "--lives", "0", "--model", "lab-1", *out], standalone_mode=False)
    assert {body["max_tokens"] for body in vendor.bodies} == {700}
