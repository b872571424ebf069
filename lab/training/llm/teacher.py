"""Recorded answers of a teacher, from which a smaller model learns.

The teacher is the planner with its reasons in words, or a language model of a service. A service is asked for several
weeks at once, its cost is counted by a table of prices, and a run that was stopped continues with the missing weeks.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean
from threading import Lock
from time import sleep
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from lab.training.llm import trajectories
from lab.training.llm.trajectories import LIFE, LIFE_WEEKS, WEEK, Answered, Episode
from policies import heuristic, planner
from policies.llm.asking import CLOSED, OPENED, Chat, Question, Said, Unreadable, asked, read
from policies.llm.prompt import TOKENS, messages
from rhythm_env.chat import Fault
from rhythm_env.interface import ActionType, Belief, Decision, Observation, Policy

if TYPE_CHECKING:
    from lab.evaluation.week import Weeks

TRIES = 3  # per slot, busy services included
PATIENCE = 60.0  # seconds that a busy service is waited for
REASONS = 3  # of the planner's, in an answer
ASIDE = re.compile(r" \([^)]*\)")  # figures in brackets
MILLION = 1_000_000

Step = Callable[[int, int], None]


class Usage(NamedTuple):
    """The tokens of requests, each None if the service does not count them."""

    prompt: int | None = 0
    answer: int | None = 0

    def plus(self, prompt: int | None, answer: int | None) -> Usage:
        return Usage(_sum(self.prompt, prompt), _sum(self.answer, answer))


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class Teacher(Protocol):
    """A policy whose answers are recorded. ``concurrent`` is the number of weeks that are played at once."""

    name: str
    concurrent: int

    def answer(self, observation: Observation, model: Policy) -> tuple[str | None, Decision | Said, Usage]:
        """Return (text to learn or None, decision, tokens). ``model`` decides if the teacher's text is unreadable."""
        ...


class Planned:
    """The planner as a teacher, with its first reasons as the reasoning."""

    concurrent = 1

    def __init__(self) -> None:
        self.name = f"planner@{planner.Planner.version}"

    def answer(self, observation: Observation, model: Policy) -> tuple[str | None, Decision | Said, Usage]:
        decision = model.decide(observation, random.Random(0))
        why = ASIDE.sub("", "; ".join(decision.reasons[:REASONS]))
        text = written(why, decision.belief, decision.action)
        return text, read(text, observation.feasible), Usage()


class Asked:
    """A language model of a service as a teacher."""

    def __init__(self, chat: Chat, model: str, *, concurrent: int, tokens: int = TOKENS) -> None:
        self.name, self.concurrent = model, concurrent
        self._chat, self._tokens = chat, tokens

    def answer(self, observation: Observation, model: Policy) -> tuple[str | None, Decision | Said, Usage]:
        """Ask the service, and after TRIES unreadable answers let ``model`` decide.

        Returns (text to learn or None, decision, tokens). Raises Fault if the service fails.
        """
        question, used = Question(model=self.name, messages=messages(observation, tokens=self._tokens)), Usage()
        for left in reversed(range(TRIES)):
            try:
                reply = asked(self._chat, question, self._chat.seconds)
            except Fault as fault:
                if not left or fault.wait is None or fault.wait > PATIENCE:
                    raise
                sleep(fault.wait)
                continue
            used = used.plus(reply.prompt_tokens, reply.answer_tokens)
            try:
                if not reply.cut:
                    return reply.text, read(reply.text, observation.feasible), used
            except Unreadable:
                continue
        return None, model.decide(observation, random.Random(0)), used


def teach(
    path: Path, teacher: Teacher, *, weeks: Sequence[int], lives: Sequence[int], condition: str, on_step: Step
) -> list[Episode]:
    """Return the episodes of all seeds, played and added to ``path`` unless it holds them.

    Raises Fault if the service fails, after weeks under way in other threads are finished and stored.
    """
    trajectories.mend(path)
    known = {(e.kind, e.seed, e.condition): e for e in trajectories.read(path) if e.teacher == teacher.name}
    wanted = [(WEEK, seed, condition) for seed in weeks] + [(LIFE, seed, condition) for seed in lives]
    missing = [one for one in wanted if one not in known]
    writing = Lock()

    def kept(one: tuple[str, int, str]) -> Episode:
        made = _lived(teacher, *one)
        with writing:
            trajectories.write(path, made)
        return made

    with ThreadPoolExecutor(teacher.concurrent) as pool:
        for done, (one, made) in enumerate(zip(missing, pool.map(kept, missing), strict=True), start=1):
            known[one] = made
            on_step(done, len(missing))
    return [known[one] for one in wanted]


class Recorded:
    """A policy that passes on the teacher's decisions and records them."""

    name, version = "recorded", 1

    def __init__(self, teacher: Teacher, model: Policy) -> None:
        self._teacher, self._model = teacher, model
        self.answers: list[Answered] = []
        self.used = Usage()

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        text, said, used = self._teacher.answer(observation, self._model)
        self.used = self.used.plus(*used)
        self.answers.append(Answered(text=text, action=str(said.action), belief=said.belief.vector()))
        one = {said.action: 1.0}
        return Decision(action=said.action, belief=said.belief, scores=one, probabilities=one)


def _lived(teacher: Teacher, kind: str, seed: int, condition: str) -> Episode:
    model = planner.Planner("grade" if kind == WEEK else "reward")
    policy, score = Recorded(teacher, model), None
    if kind == WEEK:
        weeks = trajectories.lived(policy, seed, condition)
        score = trajectories.graded(weeks, policy.answers[-1].belief)
    else:
        from lab.evaluation.deployed import Life

        for _ in Life(seed, condition).live(policy, LIFE_WEEKS):
            pass
    return Episode(
        kind=kind,
        seed=seed,
        condition=condition,
        teacher=teacher.name,
        answers=tuple(policy.answers),
        score=score,
        prompt_tokens=policy.used.prompt,
        answer_tokens=policy.used.answer,
    )


def report(episodes: Sequence[Episode], prices: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Return the grades of the recorded weeks, beside the heuristic's on the same people, with the cost.

    Every week is played again as a check. ``prices`` are those of ``prices_of``.
    """
    weeks = [episode for episode in episodes if episode.kind == WEEK]
    for episode in weeks:
        trajectories.observations(episode)
    rival = [trajectories.lived(heuristic.open_policy(), e.seed, e.condition) for e in weeks]
    mine = [float(e.score or 0) for e in weeks]
    answers = [answer for e in episodes for answer in e.answers]
    used = Usage()
    for e in episodes:
        used = used.plus(e.prompt_tokens, e.answer_tokens)
    return {
        "teacher": episodes[0].teacher,
        "weeks": len(weeks),
        "lives": len(episodes) - len(weeks),
        "answers": len(answers),
        "unreadable": sum(answer.text is None for answer in answers),
        **(_grades(weeks, mine, rival) if weeks else {}),
        "prompt_tokens": used.prompt,
        "answer_tokens": used.answer,
        "cost_usd": cost(episodes[0].teacher, used, prices),
    }


def _grades(weeks: Sequence[Episode], mine: Sequence[float], rival: Sequence[Weeks]) -> dict[str, Any]:
    """Return mean grades of the teacher's weeks ``mine`` and of the heuristic's, and in how many the former is higher.

    The heuristic counts as stating a belief of 0.5 there.
    """
    constant = [trajectories.graded(week, (0.5, 0.5, 0.5)) for week in rival]
    errors = [trajectories.error(week, e.answers[-1].belief) for week, e in zip(rival, weeks, strict=True)]
    return {
        "score": mean(mine),
        "heuristic": mean(float(week.final_score()[0]) for week in rival),
        "heuristic_constant": mean(constant),
        "wins": sum(a > b for a, b in zip(mine, constant, strict=True)),
        "belief_mae": mean(errors),
        "constant_mae": mean(trajectories.error(week, (0.5, 0.5, 0.5)) for week in rival),
    }


def prices_of(path: Path) -> dict[str, dict[str, float]]:
    """Return by model the prices ``input`` and ``output`` in USD per million tokens, from a TOML file.

    Raises ValueError for a file that is no such table.
    """
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        return {model: {name: float(row[name]) for name in ("input", "output")} for model, row in read.items()}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"{path} is not a table of prices ({type(error).__name__}): a table per model with input and output"
        ) from None


def cost(model: str, used: Usage, prices: Mapping[str, Mapping[str, float]]) -> float | None:
    """Return the cost in USD, None without a known price or count, and 0 if nothing was asked."""
    if used == Usage(0, 0):
        return 0.0
    if model not in prices or used.prompt is None or used.answer is None:
        return None
    return (used.prompt * prices[model]["input"] + used.answer * prices[model]["output"]) / MILLION


def written(reasoning: str, belief: Belief, action: ActionType) -> str:
    """Return an answer's text in the form that ``policies.llm.asking.read`` parses."""
    return f"{OPENED}{reasoning}{CLOSED}\n{belief.digits()} {action}"
