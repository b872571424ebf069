"""The comparison of all policies in all conditions, in weeks of exact simulation and in lives with feedback.

It is cut into independent parts that several processes can play.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lab.environments.dynamics import CONDITIONS
from lab.evaluation.answers import figures, paired
from lab.evaluation.grades import evaluate, seeds_of
from lab.evaluation.lives import Kind, Lived, lived, together
from lab.evaluation.strategies import Find

CHUNK = 50  # lives to a part
VALIDITIES = (0.0, 0.1, 0.3, 0.5)
ANSWERS = Kind(weeks=4, answers_only=True)
TOLD = Kind(condition="discrete", answers_only=True, told=True)
UNTOLD = Kind(condition="discrete", answers_only=True)
NEXT_TO = ("heuristic+constant", "planner-no-inference+constant", "oracle")  # whom weeks are compared with


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A simulation that the comparison consists of, which is of lives if ``kind`` is given, else of weeks."""

    policy: str
    condition: str
    seeds: range
    objective: str = "reward"
    against: str | None = None
    kind: Kind | None = None

    def play(self, find: Find) -> dict[str, Any] | Lived:
        if self.kind is not None:
            return lived(self.policy, self.seeds, self.kind, find)
        return evaluate(
            self.policy, self.condition, len(self.seeds), objective=self.objective, find=find, against=self.against
        )


def parts(episodes: int, learners: Sequence[str]) -> list[Part]:
    """Return the parts of the whole comparison, with ``episodes`` weeks and a smaller number of lives.

    ``learners`` are the policies that infer traits.
    """
    some = max(episodes * 2 // 5, 2)
    lives = [*_lives([*learners, "heuristic", "thompson"], ANSWERS, some), *_lives(["planner"], TOLD, some)]
    lives += _lives([*learners, "heuristic", "thompson"], UNTOLD, some)
    for validity in VALIDITIES:
        lives += _lives(["planner"], Kind(weeks=1, validity=validity), some)
    return [*_weeks(episodes, learners), *lives, *_lives(["heuristic"], Kind(weeks=1, validity=0.0), some)]


def _weeks(episodes: int, learners: Sequence[str]) -> Iterator[Part]:
    """Yield the parts that grade weeks, of learners against themselves without inference (by reward, the planner)."""
    for objective, against in (("grade", None), ("reward", "planner-no-inference")):
        for condition in CONDITIONS:
            found = seeds_of(condition, episodes)
            seeds = range(found[0], found[-1] + 1)
            for policy in (*learners, *NEXT_TO):
                over = against if policy in learners else None
                yield Part(policy=policy, condition=condition, seeds=seeds, objective=objective, against=over)


def _lives(policies: Sequence[str], kind: Kind, lives: int) -> Iterator[Part]:
    for policy in policies:
        for first in range(0, lives, CHUNK):
            seeds = range(first, min(first + CHUNK, lives))
            yield Part(policy=policy, condition=kind.condition, seeds=seeds, kind=kind)


def gathered(asked: Sequence[Part], found: Sequence[dict[str, Any] | Lived], find: Find) -> dict[str, Any]:
    """Return the results of all parts as {"weeks": [...], "lives": [...]}, with equal kinds of lives joined."""
    chunks: dict[tuple[str, Kind], list[Lived]] = {}
    for part, result in zip(asked, found, strict=True):
        if part.kind is not None and isinstance(result, Lived):
            chunks.setdefault((part.policy, part.kind), []).append(result)
    joined = {key: together(some) for key, some in chunks.items()}
    return {
        "weeks": [result for result in found if isinstance(result, dict)],
        "lives": [_figures(policy, kind, joined, find) for policy, kind in joined],
    }


def _figures(policy: str, kind: Kind, joined: dict[tuple[str, Kind], Lived], find: Find) -> dict[str, Any]:
    mine, other = joined[policy, kind], joined.get(("heuristic", kind))
    body = figures(policy, mine, kind, believes=getattr(find(policy), "believes", True))
    if policy != "heuristic" and other is not None and other.levels.shape == mine.levels.shape:
        body["paired_gain"] = paired(mine, other, "heuristic")
    return body
