"""The entries that a user is asked about, so that few answers tell most of a calendar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.calendar.likeness import Case, Likeness, shares

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_READ = 1500  # entries that are compared, those with most weight
NOISE = 0.3  # variance of an answer, where that of a lone word is 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A series or single entry that a user may be asked about. It stands ``times`` times in the calendar."""

    series: str
    case: Case
    times: int


def questions(open_ones: Sequence[Question], answered: Sequence[Case], count: int) -> list[Question]:
    """Return at most ``count`` entries to ask about, the best first (greedy choice by a Gaussian process)."""
    import numpy as np

    found = _distinct(open_ones, answered)
    if not found or count < 1:
        return []
    doubt = 1 - shares([one.case for one in found]).max(axis=1)
    weights = np.sqrt(np.array([one.times for one in found]) * doubt)
    kept = np.sort(np.argsort(-weights, kind="stable")[:MOST_READ])
    found, weights = [found[at] for at in kept], weights[kept]
    cases = [*(one.case for one in found), *answered]
    features = Likeness([one.title for one in cases]).features(cases)
    unknown = (features @ features.T).toarray() / NOISE
    for at in range(len(found), len(cases)):
        unknown = _told(unknown, at)
    chosen: list[int] = []
    for _ in range(min(count, len(found))):
        told = unknown[: len(found), : len(found)]
        gain = (weights[:, None] * told**2).sum(axis=0) / (told.diagonal() + 1)
        gain[chosen] = -1
        chosen.append(int(gain.argmax()))
        unknown = _told(unknown, chosen[-1])
    return [found[at] for at in chosen]


def _distinct(open_ones: Sequence[Question], answered: Sequence[Case]) -> list[Question]:
    said = {one.title.casefold() for one in answered}
    found: dict[str, Question] = {}
    for one in open_ones:
        title = one.case.title.casefold()
        if title and title not in said and one.case.label.action is not None:
            times = one.times + (found[title].times if title in found else 0)
            first = found.get(title, one)
            found[title] = Question(series=first.series, case=first.case, times=times)
    return list(found.values())


def _told(unknown: NDArray[np.float64], at: int) -> NDArray[np.float64]:
    """Return what is left unknown (entry, entry) once the entry ``at`` is answered."""
    import numpy as np

    left: NDArray[np.float64] = unknown - np.outer(unknown[:, at], unknown[at]) / (unknown[at, at] + 1)
    return left
