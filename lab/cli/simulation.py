"""Run ``bridge simulate``, which plays a week of a simulated person and prints each step."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

Condition = Annotated[
    str,
    typer.Option(
        help="Simulated people: in (drawn as in training), ood (drawn alike, but never trained on), shifted (with "
        "traits outside the training's range) or discrete (of three fixed types)."
    ),
]


def register(app: typer.Typer) -> None:
    app.command()(simulate)


def simulate(
    policy: Annotated[
        str,
        typer.Option(
            help="A policy (see: bridge sources); without --deployed also oracle, planner-no-inference, "
            "NAME+constant or NAME+blind (see: bridge evaluate)."
        ),
    ] = "heuristic",
    seed: Annotated[int, typer.Option(help="Seed of the person and of the events.", min=0)] = 0,
    condition: Condition = "in",
    deployed: Annotated[
        bool,
        typer.Option(
            "--deployed",
            help="Simulate two weeks of a person who answers advice like a real user, and print the second.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Play one simulated week and print each step."""
    from bridge import registry
    from lab.evaluation.strategies import strategy
    from lab.evaluation.week import begin

    known_condition(condition)
    if deployed:
        _deployed(policy, seed, condition, json=json)
        return
    weeks = begin([seed], condition)
    try:
        player = strategy(policy, weeks, [seed], "grade", registry.policy)
    except ValueError as error:
        raise SetupError(str(error)) from error
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
    """Simulate two weeks with answers and print the second. The first week fills the history."""
    from bridge import registry
    from lab.evaluation.deployed import Life

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
    """Return a slot of a simulated life as a table row.

    It holds the recommendation, the answer, the action done, and the product's meters (``seen``) and the hidden meters
    (``hidden``).
    """
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


def known_condition(condition: str) -> None:
    from lab.environments.dynamics import CONDITIONS

    if condition not in CONDITIONS:
        raise SetupError(f"there is no condition {condition!r}; choose one of {', '.join(CONDITIONS)}")
