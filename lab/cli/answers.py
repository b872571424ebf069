"""Run ``bridge evaluate --deployed``, which grades a policy over lives of simulated people who give feedback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bridge.cli import show
from lab.cli import curves
from lab.cli.figures import ranged
from lab.cli.policies import Opened

if TYPE_CHECKING:
    from lab.evaluation.lives import Kind


def shown(body: Mapping[str, Any], *, plot: bool, picture: Path | None, json: bool) -> None:
    if json:
        show.document(body)
    else:
        tell(body)
        if plot:
            _bars(body)
    if picture is not None:  # last: it may have a wrong ending, and the figures take minutes
        curves.draw(picture, {"lives": [body]})


def _bars(body: Mapping[str, Any]) -> None:
    typer.echo("accepted " + curves.line([point["mean"] for point in body["accepted_over"]]))
    if body["archetypes"]:
        typer.echo("told     " + curves.line([point["share"] for point in body["archetypes"]["right_over"]]))


def evaluated(policy: str, lives: int, kind: Kind, against: str | None) -> dict[str, Any]:
    """Return the figures of a policy over simulated lives, compared with the policy ``against`` on the same people.

    Without ``against``, ``paired_gain`` is None. Raises SetupError if over 5 % of the decisions were left to a
    fallback.
    """
    from lab.evaluation.answers import figures, paired
    from lab.evaluation.grades import seeds_of
    from lab.evaluation.lives import lived

    seeds, find = seeds_of("discrete" if kind.told else kind.condition, lives), Opened()
    with show.Progress() as progress:
        names = [policy] if against is None else [policy, against]
        found = [
            lived(name, seeds, kind, find, progress.steps(f"{name}, {kind.condition}, deployed")) for name in names
        ]
    body = figures(policy, found[0], kind, believes=getattr(find(policy), "believes", True))
    body["paired_gain"] = None if against is None else paired(found[0], found[1], against)
    body["fallbacks"] = find.share()
    return body


def tell(body: Mapping[str, Any]) -> None:
    accepted, level = ranged(body["accepted"], ".3f"), ranged(body["mean_level"], ".3f")
    typer.echo(
        f"{body['policy']}, {body['lives']} lives of {body['weeks']} weeks: accepted {accepted}, mean level {level}"
    )
    first, level = ranged(body["accepted_first_28"], ".3f"), ranged(body["mean_level_first_28"], ".3f")
    typer.echo(f"of the first 28 answers: accepted {first}, mean level {level}")
    gain = body["paired_gain"]
    if gain is not None:
        accepted, level = ranged(gain["accepted"], ".3f"), ranged(gain["mean_level"], ".3f")
        typer.echo(f"over {gain['over']}, life by life: accepted {accepted}, mean level {level}")
    dimensions(body["belief_skill_at"], "skill after {} answers")
    dimensions(body["belief_coverage_at"], "within the stated 90 % after {}")
    told = body["archetypes"]
    if told:
        within = ranged(told["share_within_20"], ".2f")
        typer.echo(f"archetype right for good after {told['median']:.0f} answers (median); within 20: {within}")


def dimensions(found: Mapping[str, Any], heading: str) -> None:
    """Print a row for each trait of the belief and a column for each key of ``found``, or nothing without a belief.

    ``heading`` is a format string for the name of a key's column.
    """
    names: Mapping[str, Any] = next(iter(found.values()), {})
    rows = [
        {"belief": name, **{heading.format(at): ranged(some[name], ".2f") for at, some in found.items()}}
        for name in names
    ]
    if rows:
        show.table(rows, tuple(rows[0]))
