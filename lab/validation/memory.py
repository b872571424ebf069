"""What the daily rhythm of ``bridge.meters.check_in`` adds to the likelihood of people's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from bridge.meters import check_in
from lab.validation.columns import column
from lab.validation.diary import Diary, Prompt
from lab.validation.diary_ranks import LEAST_PROMPTS

if TYPE_CHECKING:
    from lab.validation.columns import Column

MOST = 200  # first answers of a person that are looked at
HALVES = ("people that chose", "people that did not")


def gains(one: Diary, report: str) -> Mapping[str, list[float]]:
    """Return the gain per answer of each person by the shipped rhythm, over none, for every second person apart."""
    found: dict[str, list[float]] = {name: [] for name in HALVES}
    known = [given for prompts in one.people.values() if (given := _answers(prompts, report)) is not None]
    for k, (days, said) in enumerate(known):
        gain = _likelihood(days, said, check_in.RHYTHM) - _likelihood(days, said, 0.0)
        found[HALVES[k % 2]].append(gain / len(days))
    return found


def _answers(prompts: Sequence[Prompt], report: str) -> tuple[Column, Column] | None:
    """Return the days and the standardised answers of a person, or None for too few and for always the same."""
    given = [one for one in prompts if report in one.reports]
    said = column(one.reports[report] for one in given)
    if len(given) < LEAST_PROMPTS or not said.std():
        return None
    days = column((one.at - given[0].at) / timedelta(days=1) for one in given)
    return days[:MOST], ((said - said.mean()) / said.std())[:MOST]


def _likelihood(days: Column, said: Column, rhythm: float) -> float:
    """Return the logarithm of the density of answers, but for a constant."""
    import numpy as np

    apart = np.abs(days[:, None] - days[None, :])
    by_hour = 1 - rhythm + rhythm * np.cos(2 * np.pi * apart)
    alike = check_in.STRAYS * np.exp(-apart / check_in.STRAYS_DAYS) * by_hour
    alike += check_in.DRIFTS * np.exp(-apart / check_in.DRIFTS_DAYS) + check_in.NOISE * np.eye(len(days))
    root = np.linalg.cholesky(alike)
    left = np.linalg.solve(root, said)
    return float(-0.5 * (left @ left) - np.log(np.diag(root)).sum())
