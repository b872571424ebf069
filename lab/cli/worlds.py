"""Run ``bridge evaluate --deployed --answers``, which compares policies among people who answer by other rules."""

from __future__ import annotations

import json as text
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.cli import show
from bridge.domain.errors import SetupError
from lab.cli.figures import table
from lab.marked_documents import put
from lab.pool import worked

if TYPE_CHECKING:
    from lab.evaluation.trials import Trial

LIVES = 20  # by default
ALL, OWN, SERVED = "all", "simulated", "default"
SHOWN = {
    "advice_per_day": "a day",
    "taken_first28": "first 28",
    "taken_later": "later",
    "taken_last_week": "last week",
    "best": "best",
    "random": "random",
    "level": "level",
    "belief_coverage": "held",
    "belief_half": "half",
}


def evaluated(asked: Trial, lives: int, cores: int, kept: Path | None) -> list[dict[str, Any]]:
    """Simulate ``lives`` lives as ``asked`` for each policy and world, and return a table row for each.

    Policies and worlds are names with commas, or "all" worlds, or a Python file. Finished lives are read from the file
    ``kept`` and new lives are added to it. Raises SetupError for an unknown world or policy.
    """
    from lab.evaluation.trials import rows, trials
    from lab.evaluation.worlds import WORLDS, world

    names = _split(asked.policy)
    where = list(WORLDS) if asked.world == ALL else _split(asked.world)
    for one in where:
        try:
            world(one)
        except ValueError as error:
            raise SetupError(f"{error}; or {ALL} for every world: bridge evaluate --help") from error
    for one in names:
        opened(one)
    return rows(_played(trials(asked, where, names, lives), cores, kept))


def shown(found: Sequence[Mapping[str, Any]], answers: str, write: Path | None, *, json: bool) -> None:
    """Print the table of ``evaluated``, and put it into the document ``write`` if given."""
    if json:
        show.document(found)
    else:
        show.table([_shown(row) for row in found], tuple(_shown(found[0])))
    if write is not None:
        put(write, _markdown(found, answers), mark="worlds")


def _split(names: str) -> list[str]:
    found = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not found:
        raise SetupError(
            "--answers or --policy is empty; name a world and policies: "
            "bridge evaluate --deployed --answers tastes --policy default,planner"
        )
    return found


def opened(name: str) -> Any:
    """Return the policy called ``name``, where "default" is the policy that BRIDGE_POLICY sets."""
    from bridge import config, registry

    return registry.policy(config.load().policy if name == SERVED else name)


def play(trial: Trial) -> dict[str, float]:
    """Simulate a trial and return its figures. Unless the trial is ``bare``, the product's limits apply."""
    from bridge.domain.guard import Guard
    from lab.evaluation import trials
    from lab.evaluation.guarded import Guarded

    policy, guard = opened(trial.policy), Guard()
    if trial.bare:
        return trials.play(trial, policy, None)
    guarded = Guarded(policy, guard)
    return trials.play(trial, guarded, guarded.gives)


def _played(asked: Sequence[Trial], cores: int, kept: Path | None) -> dict[Trial, Mapping[str, float]]:
    """Return the results of all trials, simulated in ``cores`` processes.

    Results in the file ``kept``, if given, are read from it, and new results are added to it.
    """
    found = {} if kept is None else _kept(kept)
    missing = [trial for trial in asked if trial not in found]
    with show.Progress() as progress:
        for trial, figures in worked(play, missing, cores, progress.steps("lives")):
            _keep(kept, found, trial, figures)
    return {trial: found[trial] for trial in asked}


def _kept(path: Path) -> dict[Trial, Mapping[str, float]]:
    """Return the results by trial in the file ``path``, or nothing if it is missing. Invalid lines are skipped."""
    from lab.evaluation.trials import from_json

    found: dict[Trial, Mapping[str, float]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            trial, figures = from_json(text.loads(line))
        except (ValueError, KeyError, TypeError):
            continue
        found[trial] = figures
    return found


def _keep(path: Path | None, found: dict[Trial, Mapping[str, float]], trial: Trial, figures: dict[str, float]) -> None:
    from lab.evaluation.trials import to_json

    found[trial] = figures
    if path is not None:
        with path.open("a") as file:
            file.write(text.dumps(to_json(trial, figures)) + "\n")


def _shown(row: Mapping[str, Any]) -> dict[str, str]:
    figures = {title: _figure(row[name]["mean"]) for name, title in SHOWN.items()}
    return {"answers": row["answers"], "policy": row["policy"], **figures}


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _markdown(found: Sequence[Mapping[str, Any]], answers: str) -> str:
    lives, weeks = found[0]["lives"], found[0]["weeks"]
    names = ",".join(dict.fromkeys(str(row["policy"]) for row in found))
    drawn = "" if found[0]["condition"] == "in" else f" --condition {found[0]['condition']}"
    command = (
        f"bridge evaluate --deployed --answers {answers} --policy {names}{drawn} --lives {lives} --weeks {weeks} "
        "--write FILE"
    )
    return "\n".join([f"{lives} lives of {weeks} weeks each; `{command}`.", "", *table([_shown(row) for row in found])])
