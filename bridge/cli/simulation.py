"""``bridge simulate`` and ``bridge evaluate``: the simulated weeks a model is trained on and graded by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.errors import SetupError

Condition = Annotated[str, typer.Option(help="in, ood, shifted or discrete.")]
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
BEGIN, END = "<!-- baselines -->", "<!-- /baselines -->"


def register(app: typer.Typer) -> None:
    app.command()(simulate)
    app.command()(evaluate)


def simulate(
    policy: Annotated[str, typer.Option(help="A policy (see: bridge sources), oracle or planner-no-inference.")] = (
        "heuristic"
    ),
    seed: Annotated[int, typer.Option(help="Which person and which events.", min=0)] = 0,
    condition: Condition = "in",
    deployed: Annotated[
        bool,
        typer.Option("--deployed", help="See the person as a real one, who answers advice; the second week is shown."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Play one simulated week and print each step."""
    from bridge import registry
    from rhythm_env.strategies import strategy
    from rhythm_env.week import begin

    known_condition(condition)
    if deployed:
        _deployed(policy, seed, condition, json=json)
        return
    weeks = begin([seed], condition)
    player = strategy(policy, weeks, [seed], "grade", registry.policy)
    steps = []
    while not weeks.done:
        weeks.advance(player.actions(weeks))
        steps.append(_step(weeks))
    score = float(weeks.final_score()[0])
    if json:
        show.document({"policy": policy, "seed": seed, "condition": condition, "steps": steps, "final_score": score})
        return
    rows = [{**step, **{name: f"{level:.2f}" for name, level in step["meters"].items()}} for step in steps]
    show.table(rows, ("day", "slot", "event", "action", "reward", *steps[0]["meters"]))
    typer.echo(f"final score {score:.3f}, without a belief")


def _deployed(policy: str, seed: int, condition: str, *, json: bool) -> None:
    """Two weeks of a deployed life, of which the second is shown: the first fills the history."""
    from bridge import registry
    from rhythm_env.deployed import Life

    lived = list(Life(seed, condition).live(registry.policy(policy), 2))
    rows = [_slice(one) for one in lived[len(lived) // 2 :]]
    share = sum(row["answer"] == "ACCEPT" for row in rows) / len(rows)
    if json:
        document = {"policy": policy, "seed": seed, "condition": condition, "steps": rows, "accepted": share}
        show.document(document)
        return
    shown = [
        {**row, **{m.lower(): f"{row['seen'][m]:.2f} / {row['hidden'][m]:.2f}" for m in row["seen"]}} for row in rows
    ]
    meters = [meter.lower() for meter in rows[0]["seen"]]
    show.table(shown, ("day", "slot", "advised", "answer", "done", *meters))
    typer.echo(f"accepted {share:.0%}; meters as the bridge reads them / as they are")


def _slice(one: Any) -> dict[str, Any]:
    """A slot of a deployed life."""
    from rhythm_env.interface import DAY_NAMES

    return {
        "timestep": one.moment.timestep,
        "day": DAY_NAMES[one.moment.day],
        "slot": one.moment.slot.name.lower(),
        "advised": str(one.decision.action),
        "answer": str(one.answer),
        "done": str(one.done),
        "seen": {str(meter): state.level for meter, state in one.observation.meters.items()},
        "hidden": {str(meter): level for meter, level in one.before.items()},
    }


def _step(weeks: Any) -> dict[str, Any]:
    """The step that was just lived."""
    from rhythm_env.dynamics import ACTIONS, EVENT_NAMES
    from rhythm_env.interface import DAY_NAMES, Meter, Slot

    at = weeks.step - 1
    return {
        "timestep": at,
        "day": DAY_NAMES[at // 4],
        "slot": Slot(at % 4).name.lower(),
        "event": EVENT_NAMES[weeks.events[at, 0]],
        "action": str(ACTIONS[weeks.actions[-1][0]]),
        "reward": float(weeks.rewards[-1][0]),
        "meters": {str(meter): float(level) for meter, level in zip(Meter, weeks.meters[:, 0], strict=True)},
    }


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
        put(write, markdown(found, episodes))


def known_condition(condition: str) -> None:
    from rhythm_env.profiles import CONDITIONS

    if condition not in CONDITIONS:
        raise SetupError(f"there is no condition {condition!r}; choose one of {', '.join(CONDITIONS)}")


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
    rows = [
        {
            "belief": name,
            **{f"skill in slot {slot}": _range(at[name], 2) for slot, at in result["belief_skill_at"].items()},
        }
        for name in next(iter(result["belief_skill_at"].values()), {})
    ]
    if rows:
        show.table(rows, tuple(rows[0]))
    if result["paired_gain"] is not None:
        gain = result["paired_gain"]
        score, level = _range(gain["final_score"], 3), _range(gain["mean_level"], 3)
        typer.echo(f"over {gain['over']}, week by week: score {score}, mean level {level}")
    typer.echo(f"vs oracle {_range(result['reward_vs_oracle'], 3)}; {result['ms_per_decision']:.1f} ms per decision")


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


def put(path: Path, table: str) -> None:
    """Replace what stands between the marks of a document. Raises SetupError for one without them."""
    text = path.read_text(encoding="utf-8") if path.exists() else f"{BEGIN}\n{END}\n"
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SetupError(f"{path} has no {BEGIN} ... {END} to write between")
    path.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")
