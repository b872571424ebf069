"""``bridge evaluate``: grade a policy over many simulated weeks, or over lives in deployed mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.cli.simulation import Condition, known_condition
from bridge.documents import put
from bridge.errors import SetupError

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
            help="A policy, oracle or planner-no-inference; NAME+constant states a constant belief, NAME+blind goes "
            "without its inference."
        ),
    ] = "heuristic",
    condition: Condition = "in",
    episodes: Annotated[int, typer.Option(help="Weeks, with seeds that every policy gets.", min=2)] = 500,
    objective: Annotated[str, typer.Option(help="What a planner maximises: grade or reward.")] = "grade",
    against: Annotated[
        str | None, typer.Option(help="Whom to pair with, week by week; by itself: the same policy +blind, if any.")
    ] = None,
    deployed: Annotated[
        bool, typer.Option("--deployed", help="See people as real ones, who answer advice; two weeks each.")
    ] = False,
    validity: Annotated[
        float | None, typer.Option(help="With --deployed: how far readings follow the truth, 0 to 1.", min=0, max=1)
    ] = None,
    plot: Annotated[bool, typer.Option("--plot", help="Draw bars below the table.")] = False,
    baselines: Annotated[
        bool, typer.Option("--baselines", help="Every baseline in every condition, beside the published figures.")
    ] = False,
    write: Annotated[Path | None, typer.Option(help="With --baselines: put the table into this document.")] = None,
    json: options.Json = False,
) -> None:
    """Grade a policy over many simulated weeks, with uncertainties."""
    from rhythm_env.evaluation import BASELINES
    from rhythm_env.planning import OBJECTIVES
    from rhythm_env.profiles import CONDITIONS

    known_condition(condition)
    if objective not in OBJECTIVES:
        raise SetupError(f"there is no objective {objective!r}; choose one of {', '.join(OBJECTIVES)}")
    if deployed:
        _evaluate_deployed(policy, condition, episodes, validity, json=json)
        return
    asked = [(policy, condition, objective)]
    if baselines:
        asked = [(name, where, "grade") for where in CONDITIONS for name in BASELINES]
        asked += [(name, where, "reward") for where in CONDITIONS for name in NEVER_LEARN_OR_KNOW]
    with show.Progress() as progress:
        found = [_evaluated(name, where, episodes, aim, against, progress) for name, where, aim in asked]
    if json:
        show.document({"results": found, "checks": _checks()} if baselines else found[0])
    else:
        _tell(found, plot=plot, baselines=baselines)
    if write is not None:
        put(write, markdown(found, episodes), mark="baselines")


def _evaluate_deployed(policy: str, condition: str, lives: int, validity: float | None, *, json: bool) -> None:
    from bridge import registry
    from rhythm_env.lives import evaluate_deployed

    with show.Progress() as progress:
        on_step = progress.steps(f"{policy}, {condition}, deployed")
        found = evaluate_deployed(registry.policy(policy), condition, lives, validity=validity, on_step=on_step)
    if json:
        show.document(found)
        return
    accepted, level = _range(found["accepted"], 3), _range(found["mean_level"], 3)
    typer.echo(f"{policy}, {lives} lives of {found['weeks']} weeks: accepted {accepted}, mean level {level}")
    _tell_skills(found["belief_skill_at"], "after {} answers")


def _evaluated(
    name: str, condition: str, episodes: int, objective: str, against: str | None, progress: show.Progress
) -> dict[str, Any]:
    from bridge import registry
    from rhythm_env.evaluation import evaluate as run

    on_step = progress.steps(f"{name}, {condition}")
    try:
        return run(
            name, condition, episodes, objective=objective, find=registry.policy, against=against, on_step=on_step
        )
    except ValueError as error:
        raise SetupError(str(error)) from error


def _published(found: Sequence[dict[str, Any]]) -> float:
    """The furthest that a baseline lies from its published figure."""
    distances = [abs(r["final_score_without_belief"]["mean"] - r["published"]) for r in found if r["published"]]
    return float(max(distances))


def _checks() -> dict[str, dict[str, float]]:
    from rhythm_env.evaluation import checks

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
    """What was believed and when, what the inference is worth, and what a decision costs."""
    _tell_skills(result["belief_skill_at"], "skill in slot {}")
    if result["paired_gain"] is not None:
        gain = result["paired_gain"]
        score, level = _range(gain["final_score"], 3), _range(gain["mean_level"], 3)
        typer.echo(f"over {gain['over']}, week by week: score {score}, mean level {level}")
    typer.echo(f"vs oracle {_range(result['reward_vs_oracle'], 3)}; {result['ms_per_decision']:.1f} ms per decision")


def _tell_skills(found: dict[str, Any], heading: str) -> None:
    """A row per dimension of the belief, a column per slot; nothing where no belief was stated."""
    dimensions: dict[str, Any] = next(iter(found.values()), {})
    rows = [
        {"belief": name, **{heading.format(slot): _range(at[name], 2) for slot, at in found.items()}}
        for name in dimensions
    ]
    if rows:
        show.table(rows, tuple(rows[0]))


def _range(figure: dict[str, Any], digits: int) -> str:
    """A figure with its 95 % interval."""
    low, high = figure["ci95"]
    return f"{figure['mean']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _row(result: dict[str, Any]) -> dict[str, Any]:
    low, high = result["final_score"]["ci95"]
    published, planner = result["published"], result["policy"].partition("+")[0] in PLANNERS
    return {
        "policy": result["policy"] + (f" ({result['objective']})" if planner else ""),
        "condition": result["condition"],
        "published": "" if published is None else f"{published:.3f}",
        **{column: f"{result[name]['mean']:.3f}" for name, column in COLUMNS.items()},
        "±": f"{(high - low) / 2:.3f}",
    }


def markdown(found: Sequence[dict[str, Any]], episodes: int) -> str:
    """The table of ``rhythm_env/README.md``."""
    rows = [_row(result) for result in found]
    columns = list(rows[0])
    lines = [
        f"{episodes} episodes each, written by `bridge evaluate --baselines --episodes {episodes} --write FILE`.",
        "",
    ]
    lines += ["| " + " | ".join(name.replace("_", " ") for name in columns) + " |", "|---" * len(columns) + "|"]
    lines += ["| " + " | ".join(str(row[name]) for name in columns) + " |" for row in rows]
    lines += ["", "| figure | published | ours |", "|---|---|---|"]
    lines += [f"| {name} | {v['published']:.3f} | {v['ours']:.3f} |" for name, v in _checks().items()]
    return "\n".join(lines)
