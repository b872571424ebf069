"""Choose suggestions and their times on a day so that the sum of their values is largest, with a limit per kind and
gaps.

Branch and bound searches the exact answer, the best candidates first. After ``NODES`` steps it stops with its best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

NODES = 16_000  # steps of the search


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A time for the suggestion number ``choice``: steps of five minutes ``start`` to ``end``, slot ``group``."""

    choice: int
    kind: str
    start: int
    end: int
    value: float
    group: int = 0


Apart = Callable[[Place, Place], bool]  # two places can stand beside each other
Most = Mapping[str, int]


def solve(places: Sequence[Place], most: Most, apart: Apart) -> list[Place]:
    """Return the chosen suggestions with times, by start, none without value. ``most`` limits each kind."""
    by_choice: dict[int, list[Place]] = {}
    for one in sorted(places, key=lambda place: -place.value):
        if one.value > 0 and most.get(one.kind, 0) > 0:
            by_choice.setdefault(one.choice, []).append(one)
    choices = sorted(by_choice.values(), key=lambda of: -of[0].value)
    search = _Search(choices=choices, most=most, apart=apart, left=NODES)
    search.run(0, [], 0.0)
    return sorted(search.best, key=lambda one: one.start)


def total(chosen: Sequence[Place]) -> float:
    return sum(one.value for one in chosen)


def fits(one: Place, chosen: Sequence[Place], most: Most, apart: Apart) -> bool:
    """Return True if a suggestion at a time can be added to those chosen."""
    if sum(other.kind == one.kind for other in chosen) >= most.get(one.kind, 0):
        return False
    return all(other.choice != one.choice and apart(one, other) for other in chosen)


@dataclass(slots=True, kw_only=True)
class _Search:
    """A depth-first search for the best plan, which abandons plans that cannot become the best."""

    choices: Sequence[Sequence[Place]]
    most: Most
    apart: Apart
    left: int
    best: list[Place] = field(default_factory=list)

    def run(self, at: int, chosen: list[Place], value: float) -> None:
        """Try the candidates from ``at`` on in addition to those chosen."""
        if value > total(self.best) + 1e-9:
            self.best = list(chosen)
        if at == len(self.choices) or self.left <= 0 or value + self._bound(at, chosen) <= total(self.best) + 1e-9:
            return
        for one in self.choices[at]:
            self.left -= 1
            if fits(one, chosen, self.most, self.apart):
                self.run(at + 1, [*chosen, one], value + one.value)
        self.run(at + 1, chosen, value)

    def _bound(self, at: int, chosen: Sequence[Place]) -> float:
        room = {kind: most - sum(one.kind == kind for one in chosen) for kind, most in self.most.items()}
        bound = 0.0
        for of in self.choices[at:]:
            if room[of[0].kind] > 0:
                room[of[0].kind] -= 1
                bound += of[0].value
        return bound
