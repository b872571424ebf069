"""Recorded answers as lines of JSON, a line per week. Prompts are made again when the lines are read.

The same seed and actions give the same observations, so the weeks are played again with any length of prompts, and
their scores are checked.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from policies.llm.prompt import TOKENS, Message, messages
from rhythm_env.interface import STEPS_PER_WEEK, ActionType, Belief, Decision, Observation, Policy

if TYPE_CHECKING:
    from lab.evaluation.week import Weeks

WEEK, LIFE = "week", "life"
LIFE_WEEKS = 2
SAME = 1e-9  # of scores that are lived again


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """An answer in a slot. ``text`` is None if the teacher's answer was not readable and the planner decided."""

    text: str | None
    action: str
    belief: tuple[float, float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """A simulated week, or a life of two weeks with answers. Tokens are None if they were not counted."""

    kind: str
    seed: int
    condition: str
    teacher: str
    answers: tuple[Answered, ...]
    score: float | None = None  # published grade, of a week
    prompt_tokens: int | None = None
    answer_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A prompt with the answer to learn. ``before`` are the actions of the week so far."""

    kind: str
    seed: int
    condition: str
    prompt: list[Message]
    answer: str
    before: tuple[str, ...]


def write(path: Path, episode: Episode) -> None:
    """Append an episode as a line of JSON."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(episode)) + "\n")


def read(path: Path) -> list[Episode]:
    """Return the episodes of all complete lines. Raises ValueError for a complete line that is no episode."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    return [_episode(line) for line in lines[:-1] if line]


def mend(path: Path) -> None:
    """Remove an incomplete line at the end of the file."""
    if path.exists() and (whole := path.read_bytes().rpartition(b"\n"))[2]:
        path.write_bytes(whole[0] + whole[1])


def _episode(line: str) -> Episode:
    try:
        body = json.loads(line)
        answers = tuple(Answered(**{**one, "belief": tuple(one["belief"])}) for one in body.pop("answers"))
        return Episode(answers=answers, **body)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"a line is not an episode ({type(error).__name__})") from None


class Scripted:
    """A policy that gives recorded answers in turn, and keeps the observations in ``seen``."""

    name, version = "scripted", 1

    def __init__(self, answers: Sequence[Answered]) -> None:
        self._answers = list(answers)
        self.seen: list[Observation] = []

    def decide(self, observation: Observation, rng: random.Random) -> Decision:  # noqa: ARG002 - nothing is drawn
        one = self._answers[len(self.seen)]
        self.seen.append(observation)
        action = ActionType(one.action)
        social, morning, work = one.belief
        belief = Belief(social=social, morning=morning, work=work)
        return Decision(action=action, belief=belief, scores={action: 1.0}, probabilities={action: 1.0})


def observations(episode: Episode) -> list[Observation]:
    """Return the observation of each slot. Raises ValueError if a week's score differs from the recorded score."""
    script = Scripted(episode.answers)
    if episode.kind == LIFE:
        from lab.evaluation.deployed import Life

        for _ in Life(episode.seed, episode.condition).live(script, len(episode.answers) // STEPS_PER_WEEK):
            pass
        return script.seen
    score = graded(lived(script, episode.seed, episode.condition), episode.answers[-1].belief)
    if episode.score is None or abs(score - episode.score) > SAME:
        raise ValueError(f"week {episode.seed} comes to another score when it is lived again")
    return script.seen


def lived(policy: Policy, seed: int, condition: str) -> Weeks:
    """Play a week with a policy to its end, and return it."""
    from lab.evaluation.strategies import INDEX
    from lab.evaluation.week import begin, observation

    weeks, rng = begin([seed], condition), random.Random(f"policy/{seed}")
    while not weeks.done:
        weeks.advance(np.array([INDEX[policy.decide(observation(weeks, 0), rng).action]]))
    return weeks


def graded(weeks: Weeks, belief: Sequence[float]) -> float:
    """Return the published grade of a finished week of one person with this last belief."""
    return float(weeks.final_score(1 - error(weeks, belief))[0])


def error(weeks: Weeks, belief: Sequence[float]) -> float:
    """Return the mean absolute error of a belief about the single person of ``weeks``."""
    from lab.environments.grading import belief_mae
    from rhythm_env.profiles import belief_target

    return float(belief_mae(np.array(belief)[:, None], belief_target(weeks.people))[0])


def lessons(episodes: Sequence[Episode], tokens: int = TOKENS) -> Iterator[Lesson]:
    """Yield a lesson for every readable answer, with prompts of at most ``tokens`` tokens."""
    for episode in episodes:
        done: tuple[str, ...] = ()
        for seen, one in zip(observations(episode), episode.answers, strict=True):
            if one.text is not None:
                yield Lesson(
                    kind=episode.kind,
                    seed=episode.seed,
                    condition=episode.condition,
                    prompt=messages(seen, tokens=tokens),
                    answer=one.text,
                    before=done,
                )
            done = (*done, one.action)
