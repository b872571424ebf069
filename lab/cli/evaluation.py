"""Run ``bridge evaluate``, which grades policies over simulated weeks, simulated lives or logged feedback."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError
from lab.cli.simulation import Condition, known_condition

COLUMNS = {
    "final_score": "score",
    "final_score_without_belief": "no belief",
    "belief_mae": "belief mae",
    "belief_skill": "skill",
    "reward_vs_oracle": "vs oracle",
    "inference_gain": "gain",
}
NEVER_LEARN_OR_KNOW = ("planner-no-inference", "oracle")
PLANNERS = (*NEVER_LEARN_OR_KNOW, "planner")


def register(app: typer.Typer) -> None:
    app.command()(evaluate)


def evaluate(
    policy: Annotated[
        str,
        typer.Option(
            help="A policy (see: bridge sources), or for weeks without --deployed also oracle or "
            "planner-no-inference. +constant behind the name states the belief 0.5, +blind takes every user as "
            "average. With --answers, --lives or --logged, several names with commas."
        ),
    ] = "heuristic",
    condition: Condition = "in",
    episodes: Annotated[
        int,
        typer.Option(
            help="Number of weeks, or with --deployed of lives, with the same seeds for all policies. --lives "
            "counts instead where policies are compared.",
            min=2,
        ),
    ] = 500,
    objective: Annotated[
        str,
        typer.Option(
            help="For weeks without --deployed: what policies that plan maximise, grade (as published) or reward "
            "(of the person's meters)."
        ),
    ] = "grade",
    against: Annotated[
        str | None,
        typer.Option(
            help="Also play this policy with the same seeds, and print the gain over it. Default: the same policy "
            "+blind, if there is one; with --deployed none."
        ),
    ] = None,
    deployed: Annotated[
        bool,
        typer.Option(
            "--deployed", help="Simulate lives of people who answer advice, with readings like those of real users."
        ),
    ] = False,
    answers_only: Annotated[
        bool,
        typer.Option(
            "--answers-only",
            help="With --deployed: simulate people without wearable or calendar, so the policy sees answers only.",
        ),
    ] = False,
    archetypes: Annotated[
        bool,
        typer.Option(
            "--archetypes",
            help="With --deployed: people are of three fixed types, and policies that can use that are told which.",
        ),
    ] = False,
    weeks: Annotated[int, typer.Option(help="With --deployed: the length of each life in weeks.", min=1, max=52)] = 2,
    answers: Annotated[
        str | None,
        typer.Option(
            help="With --deployed: compare policies (names with commas) among people who answer by other rules. "
            "Give worlds by name (with commas, or all), or a Python file with a class Person and its method "
            "chance. Default: as in the simulator."
        ),
    ] = None,
    lives: Annotated[
        int | None,
        typer.Option(
            help="With --deployed: compare policies over this number of lives, by the probabilities with which the "
            "simulated people accept. Default with --answers: 20.",
            min=1,
        ),
    ] = None,
    bare: Annotated[
        bool,
        typer.Option(
            "--bare",
            help="With --deployed: compare policies that advise in every slot, without the guard that narrows their "
            "choice.",
        ),
    ] = False,
    kept: Annotated[
        Path | None,
        typer.Option(
            help="With --lives or --answers: add each finished life to this file, a line of JSON each, and do not "
            "play again those that it holds. It is made if it is missing."
        ),
    ] = None,
    validity: Annotated[
        float | None,
        typer.Option(
            help="With --deployed: correlation of nights and stress as read with the truth, 0 to 1. Default: drawn "
            "for each person. It is not used with --lives or --answers.",
            min=0,
            max=1,
        ),
    ] = None,
    plot: Annotated[
        bool, typer.Option("--plot", help="Draw bars, or with --deployed curves, below the table.")
    ] = False,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Grade every baseline in every condition, beside the published figures.")
    ] = False,
    everything: Annotated[
        bool,
        typer.Option(
            "--comparison",
            help="Grade every policy in every condition and deployed, in --cores processes. It takes minutes.",
        ),
    ] = False,
    cores: Annotated[
        int,
        typer.Option(
            help="With --comparison, --lives or --answers: number of processes. Default: as many as this machine "
            "has cores.",
            min=1,
        ),
    ] = os.cpu_count() or 1,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Put the tables into this Markdown document, between <!-- MARK --> and <!-- /MARK -->. MARK is "
            "baselines with --baselines, policies with --comparison, worlds with --lives or --answers, and logged with "
            "--simulated. A missing document is made. Its other text stays."
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="With --deployed or --comparison: draw the curves into this file (.svg, .png or .pdf; needs "
            "the extra plot). An old file is replaced."
        ),
    ] = None,
    logged: Annotated[
        bool,
        typer.Option(
            "--logged",
            help="Estimate from logged feedback how the policies of --policy would have done. Only advice drawn by "
            "lot (BRIDGE_EXPLORE) counts.",
        ),
    ] = False,
    user: Annotated[
        str | None, typer.Option(help="With --logged: use this user's feedback. Default: all users'.")
    ] = None,
    simulated: Annotated[
        int | None,
        typer.Option(
            help="With --logged: use the feedback of this number of simulated lives instead, and compare with the "
            "truth.",
            min=2,
        ),
    ] = None,
    logger: Annotated[str, typer.Option(help="With --simulated: the policy that gave the advice.")] = "heuristic",
    json: options.Json = False,
) -> None:
    """Grade a policy over many simulated weeks, with 95 % intervals.

    With --deployed it is graded over lives instead (weeks of simulated people who answer advice like real users), and
    with --logged by the feedback that real users gave.
    """
    from lab.cli import answers as deployed_answers
    from lab.cli import comparison, worlds
    from lab.marked_documents import put

    if logged:
        from lab.cli import logged as by_log

        names = [name.strip() for name in policy.split(",")]
        if simulated is None:
            by_log.evaluate(names, user, json=json)
        else:
            by_log.simulate(names, logger, simulated, write=write, json=json)
        return
    from lab.environments.dynamics import CONDITIONS
    from lab.evaluation.grades import BASELINES
    from lab.evaluation.lives import Kind
    from lab.evaluation.strategies import OBJECTIVES
    from lab.evaluation.trials import Trial

    known_condition(condition)
    if objective not in OBJECTIVES:
        raise SetupError(f"there is no objective {objective!r}; choose one of {', '.join(OBJECTIVES)}")
    if everything:
        comparison.compare(episodes, cores, write, picture, json=json)
        return
    if deployed and (answers is not None or lives is not None or bare or "," in policy):
        life = Trial(world=answers or worlds.OWN, policy=policy, seed=0, weeks=weeks, bare=bare, condition=condition)
        found = worlds.evaluated(life, lives or worlds.LIVES, cores, kept)
        worlds.shown(found, answers or worlds.OWN, write, json=json)
        return
    if deployed:
        kind = Kind(condition=condition, weeks=weeks, validity=validity, answers_only=answers_only, told=archetypes)
        body = deployed_answers.evaluated(policy, episodes, kind, against)
        deployed_answers.shown(body, plot=plot, picture=picture, json=json)
        return
    asked = [(policy, condition, objective)]
    if baselines:
        asked = [(name, where, "grade") for where in CONDITIONS for name in BASELINES]
        asked += [(name, where, "reward") for where in CONDITIONS for name in NEVER_LEARN_OR_KNOW]
    with show.Progress() as progress:
        found = [_evaluated(one, episodes, against, progress) for one in asked]
    if json:
        show.document({"results": found, "checks": _checks()} if baselines else found[0])
    else:
        _tell(found, plot=plot, baselines=baselines)
    if write is not None:
        put(write, markdown(found, episodes), mark="baselines")


def _evaluated(
    asked: tuple[str, str, str], episodes: int, against: str | None, progress: show.Progress
) -> dict[str, Any]:
    from lab.cli.policies import Opened
    from lab.evaluation.grades import evaluate as run

    name, condition, objective = asked
    on_step, find = progress.steps(f"{name}, {condition}"), Opened()
    try:
        found = run(name, condition, episodes, objective=objective, find=find, against=against, on_step=on_step)
    except ValueError as error:
        raise SetupError(str(error)) from error
    return {**found, "fallbacks": find.share()}


def _published(found: Sequence[dict[str, Any]]) -> float:
    """Return the largest difference between a baseline's mean score without a belief and its published score."""
    distances = [abs(r["final_score_without_belief"]["mean"] - r["published"]) for r in found if r["published"]]
    return float(max(distances))


def _checks() -> dict[str, dict[str, float]]:
    from lab.evaluation.grades import checks

    return checks()


def _tell(found: Sequence[dict[str, Any]], *, plot: bool, baselines: bool) -> None:
    rows = [_row(result) for result in found]
    show.table(rows, tuple(rows[0]))
    if not baselines:
        _tell_inference(found[0])
    if plot:
        bars = [
            {"policy": f"{r['policy']}, {r['condition']}", "final score": show.bar(r["final_score"]["mean"], 40)}
            for r in found
        ]
        show.table(bars, ("policy", "final score"))
    if baselines:
        checked = [
            {"figure": name, "published": f"{v['published']:.3f}", "ours": f"{v['ours']:.3f}"}
            for name, v in _checks().items()
        ]
        show.table(checked, ("figure", "published", "ours"))
        typer.echo(f"furthest from a published final score: {_published(found):.3f}")


def _tell_inference(result: dict[str, Any]) -> None:
    """Print the skill of the belief by slot, the gain over the compared policy if any, and the time per decision."""
    from lab.cli import answers as deployed_answers
    from lab.cli.figures import ranged

    deployed_answers.dimensions(result["belief_skill_at"], "skill in slot {}")
    if result["paired_gain"] is not None:
        gain = result["paired_gain"]
        score, level = ranged(gain["final_score"], ".3f"), ranged(gain["mean_level"], ".3f")
        typer.echo(f"over {gain['over']}, week by week: score {score}, mean level {level}")
    versus = ranged(result["reward_vs_oracle"], ".3f")
    typer.echo(f"vs oracle {versus}; {result['ms_per_decision']:.1f} ms per decision")


def _row(result: dict[str, Any]) -> dict[str, Any]:
    from lab.evaluation.intervals import half

    published, planner = result["published"], result["policy"].partition("+")[0] in PLANNERS
    return {
        "policy": result["policy"] + (f" ({result['objective']})" if planner else ""),
        "condition": result["condition"],
        "published": "" if published is None else f"{published:.3f}",
        **{column: f"{result[name]['mean']:.3f}" for name, column in COLUMNS.items()},
        "±": f"{half(result['final_score']):.3f}",
    }


def markdown(found: Sequence[dict[str, Any]], episodes: int) -> str:
    """Return the tables of graded policies and of checked figures as Markdown, with the command that made them."""
    from lab.cli.figures import table

    rows = [_row(result) for result in found]
    lines = [
        f"{episodes} episodes each, written by `bridge evaluate --baselines --episodes {episodes} --write FILE`.",
        "",
        *table([{name.replace("_", " "): value for name, value in row.items()} for row in rows]),
    ]
    lines += ["", "| figure | published | ours |", "|---|---|---|"]
    lines += [f"| {name} | {v['published']:.3f} | {v['ours']:.3f} |" for name, v in _checks().items()]
    return "\n".join(lines)
