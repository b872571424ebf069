"""Run ``bridge live``, in which the whole bridge syncs and advises simulated people, and policies are compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from lab.closed_loop.run import Plan, Played

MARKS = {False: "live", True: "ablation"}  # of the tables in a document, with and without --ablation


def register(app: typer.Typer) -> None:
    app.command()(live)


def live(
    people: Annotated[int, typer.Option(help="Number of people.", min=1)] = 10,
    weeks: Annotated[int, typer.Option(help="Weeks with advice, after some weeks without.", min=1, max=52)] = 4,
    policy: Annotated[
        str,
        typer.Option(
            help="The policies to play, with commas (names: bridge sources); each is compared with the first. "
            "NAME:old advises in every slot, also where the bridge would be silent."
        ),
    ] = "planner",
    seed: Annotated[
        int, typer.Option(help="Seed of the first person; the next people take the next seeds.", min=0)
    ] = 0,
    answers: Annotated[
        str | None,
        typer.Option(
            help="How people answer: rules of answering by name (a world), or a Python file with a class Person (see: "
            "bridge evaluate --help). Default: as in the simulator."
        ),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(help="Number of processes. Default: as many as this machine has cores.", min=1)
    ] = None,
    ablation: Annotated[
        bool,
        typer.Option(
            "--ablation",
            help="Also simulate the first policy with one stage (such as the meters) made perfect at a time.",
        ),
    ] = False,
    moments: Annotated[
        Path | None,
        typer.Option(
            help="Folder that holds the files of the dataset LifeSnaps: compare its measurements with the simulated "
            "people's."
        ),
    ] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Also put the tables into this Markdown document, between <!-- MARK --> and <!-- /MARK -->. MARK is "
            "ablation with --ablation, else live. --answers WORLD adds -WORLD to it, as in live-habits. A missing "
            "document is made. Its other text stays."
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Also draw the curves into this file (.svg, .png or .pdf; needs the extra plot). An old "
            "file is replaced."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Run the real bridge for made-up people, whose data come from imitations of the vendors' servers, and measure how
    its advice changes their weeks.

    For comparison, the same people also live with random advice, and with the advice of an oracle. The oracle knows
    profile, meters and calendar.
    """
    from lab.cli import live_document
    from lab.closed_loop.figures import dots
    from lab.closed_loop.run import Plan, report, seconds
    from lab.marked_documents import put

    asked = tuple(dict.fromkeys(name.strip() for name in policy.split(",") if name.strip()))
    plan = _checked(Plan(people=people, weeks=weeks, policies=asked, seed=seed, ablated=ablation, answers=answers))
    lives = _played(plan, processes or os.cpu_count() or 1)
    body = report(plan, lives)
    if moments is not None:
        body["moments"] = _beside(lives, moments)
    spent = ", ".join(f"{stage} {ms:.1f}" for stage, ms in seconds(lives).items())
    typer.echo(f"Processor time, ms per person and slot: {spent}", err=True)
    text = live_document.markdown(body, seconds(lives))
    if json:
        show.document(body)
    else:
        typer.echo(text)
    if write is not None:
        put(write, text, mark=_mark(answers, ablation=ablation))
    if picture is not None:
        live_document.draw(picture, body, dots(next(iter(lives.values()))))


def _mark(answers: str | None, *, ablation: bool) -> str:
    """Return the mark of a run's tables, "live" or "ablation", with -WORLD at the end if ``answers`` is given."""
    where = "" if answers is None else f"-{Path(answers).stem}"
    return MARKS[ablation] + where


def _checked(plan: Plan) -> Plan:
    """Return the plan unchanged. Raises SetupError if one of its policies, rules or options cannot be simulated."""
    from bridge import registry
    from lab.closed_loop.ablations import asked_for
    from lab.evaluation.strategies import variant_of
    from lab.evaluation.worlds import world

    if not plan.policies:
        raise SetupError("--policy is empty; name a policy: bridge live --policy planner")
    names = [asked_for(name).policy for name in plan.policies]
    if set_up := [name for name in names if registry.policy_settings(name)]:
        raise SetupError(
            f"{set_up[0]} needs settings, which the processes of simulated people do not have; grade it by: "
            f"bridge evaluate --deployed --policy {set_up[0]}"
        )
    first, *_ = [registry.policy(name) for name in names]
    if plan.ablated and asked_for(plan.policies[0]).alone:
        raise SetupError(f"--ablation needs a policy without :old; write: bridge live --policy {names[0]} --ablation")
    if plan.ablated and variant_of(first, "knows") is None:
        raise SetupError(
            f"--ablation tells the policy who a person is, which {plan.policies[0]} cannot use; write: "
            "bridge live --policy planner --ablation"
        )
    if plan.answers is not None:
        try:
            world(plan.answers)
        except ValueError as error:
            raise SetupError(f"{error}; see: bridge live --help") from error
    return plan


def _played(plan: Plan, processes: int) -> Played:
    from lab.closed_loop.run import play

    with show.Progress() as progress:
        return play(plan, processes, progress.steps("lives"))


def _beside(lives: Played, folder: Path) -> list[dict[str, Any]]:
    from lab.closed_loop.body_statistics import beside

    return beside(next(iter(lives.values())), folder)
