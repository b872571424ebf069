"""Rank correlations of a diary's meters with reports within each person, beside those of simple predictors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from bridge.domain.records import ProxyMap
from bridge.meters import check_in
from lab.validation import ranks
from lab.validation.columns import column
from lab.validation.diary import Diary, Prompt, levels
from lab.validation.ranks import DIGITS
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from lab.validation.columns import Column

LEAST_PROMPTS = 6  # with a report and a reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    prompts: Sequence[Prompt]
    levels: Mapping[Meter, Sequence[float]]


def compared(one: Diary, proxies: ProxyMap, on_step: Callable[[int, int], None]) -> list[dict[str, Any]]:
    """Return a row for each meter and report, with the mean over people of the rank correlation between the two.

    ``hour_alone`` is the correlation of the report with the negated hour of day, and ``minus_hour`` the meter's less
    this. Only people with LEAST_PROMPTS prompts count.
    """
    people: list[Person] = []
    for k, prompts in enumerate(one.people.values()):
        people.append(Person(prompts=prompts, levels=levels(prompts, proxies)))
        on_step(k + 1, len(one.people))
    reports = dict.fromkeys(name for prompts in one.people.values() for p in prompts for name in p.reports)
    return [{"diary": one.name, **row(people, meter, report)} for report in reports for meter in Meter]


def row(people: Sequence[Person], meter: Meter, report: str) -> dict[str, Any]:
    """Return the row of a meter and a report. Means are None if nobody has enough prompts."""
    found = [one for person in people if (one := _of_person(person, meter, report)) is not None]
    own = [own for _, _, own, _ in found if own is not None]
    return {
        "meter": str(meter),
        "report": report,
        **figure([mine for mine, _, _, _ in found]),
        "prompts": sum(count for _, _, _, count in found),
        "hour_alone": figure([hour for _, hour, _, _ in found]),
        "minus_hour": figure([mine - hour for mine, hour, _, _ in found]),
        "last_own_report": figure(own),
    }


def rho(person: Person, meter: Meter, report: str) -> float | None:
    """Return a meter's rank correlation with a report within a person, or None with too few prompts or no variation."""
    found = _of_person(person, meter, report)
    return None if found is None else found[0]


def figure(values: Sequence[float]) -> dict[str, Any]:
    """Return the mean over persons, its 95 % interval, and the number of persons."""
    mean = round(fmean(values), DIGITS) if values else None
    return {"mean": mean, "interval": ranks.interval(values) if values else [None, None], "persons": len(values)}


def _of_person(person: Person, meter: Meter, report: str) -> tuple[float, float, float | None, int] | None:
    """Return correlations of meter, hour and last report with a report, and the prompts, or None without the first."""
    if meter not in person.levels:
        return None
    used = [k for k, prompt in enumerate(person.prompts) if report in prompt.reports]
    said = column(person.prompts[k].reports[report] for k in used)
    if len(used) < LEAST_PROMPTS:
        return None
    mine = ranks.spearman(column(person.levels[meter][k] for k in used), said)
    if mine is None:
        return None
    hour = ranks.spearman(-column(_hour(person.prompts[k]) for k in used), said)
    return mine, hour or 0.0, _of_last(said), len(used)


def _of_last(said: Column) -> float | None:
    return ranks.spearman(said[:-1], said[1:]) if len(said) > LEAST_PROMPTS else None


def _hour(prompt: Prompt) -> float:
    return prompt.at.hour + prompt.at.minute / 60


MOST = 200  # first answers of a person that are looked at
HALVES = ("people that chose", "people that did not")


def gains(one: Diary, report: str) -> Mapping[str, list[float]]:
    """Return people's gains of log likelihood per answer by the shipped daily rhythm against none, by name of HALVES.

    People belong to the two halves in turn. The rhythm was chosen on one of them.
    """
    found: dict[str, list[float]] = {name: [] for name in HALVES}
    known = [given for prompts in one.people.values() if (given := _answers(prompts, report)) is not None]
    for k, (days, said) in enumerate(known):
        gain = _likelihood(days, said, check_in.RHYTHM) - _likelihood(days, said, 0.0)
        found[HALVES[k % 2]].append(gain / len(days))
    return found


def _answers(prompts: Sequence[Prompt], report: str) -> tuple[Column, Column] | None:
    given = [prompt for prompt in prompts if report in prompt.reports]
    said = column(one.reports[report] for one in given)
    if len(given) < LEAST_PROMPTS or not said.std():
        return None
    days = column((one.at - given[0].at) / timedelta(days=1) for one in given)
    return days[:MOST], ((said - said.mean()) / said.std())[:MOST]


def _likelihood(days: Column, said: Column, rhythm: float) -> float:
    """Return the log density of answers ``said`` at times ``days`` with a daily ``rhythm`` (0..1), less a constant."""
    apart = np.abs(days[:, None] - days[None, :])
    by_hour = 1 - rhythm + rhythm * np.cos(2 * np.pi * apart)
    alike = check_in.STRAYS * np.exp(-apart / check_in.STRAYS_DAYS) * by_hour
    alike += check_in.DRIFTS * np.exp(-apart / check_in.DRIFTS_DAYS) + check_in.NOISE * np.eye(len(days))
    root = np.linalg.cholesky(alike)
    left = np.linalg.solve(root, said)
    return float(-0.5 * (left @ left) - np.log(np.diag(root)).sum())
