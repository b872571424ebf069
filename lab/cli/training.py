"""Run ``bridge train``, which trains the network policy from scratch."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError


def register(app: typer.Typer) -> None:
    app.command()(train)


def train(
    policy: Annotated[str, typer.Option(help="The policy to train; this command trains only network.")] = "network",
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for weights, trajectories and checkpoints. It is made if it is missing. If it holds a "
            "training already, --resume is needed."
        ),
    ] = Path("trained"),
    minutes: Annotated[
        float | None,
        typer.Option(help="Approximate length of the training in minutes of a core. Default: in full.", min=0.01),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of the training. The same seed and minutes give the same training.", min=0)
    ] = 0,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the training in the folder of --out.")] = False,
    plot: Annotated[
        bool,
        typer.Option(
            "--plot",
            help="Also draw training.svg and scores.svg, the scores beside the baselines, into the folder of --out "
            "(needs the extra plot).",
        ),
    ] = False,
    episodes: Annotated[
        int,
        typer.Option(
            help="With --plot: how many simulated weeks each policy plays in each of the simulator's conditions.",
            min=2,
        ),
    ] = 200,
    json: options.Json = False,
) -> None:
    """Train a policy from scratch on simulated people, and write its weights into the folder of --out."""
    from bridge import origin

    course = _course(policy)
    length = course.MINUTES if minutes is None else minutes
    if (out / "course.pt").exists() and not resume:
        raise SetupError(f"{out} holds a training already; go on with --resume, or name another folder with --out")
    try:
        with show.Progress() as progress:
            found: dict[str, Any] = course.train(out, minutes=length, seed=seed, resume=resume, watch=progress.steps)
            pictures = course.draw(out, episodes=episodes, watch=progress.steps) if plot else []
    except ImportError as error:
        command = origin.adding("train", origin.LABORATORY)
        raise SetupError(f"training needs {error.name}: {command}") from error
    except ValueError as error:
        raise SetupError(f"{error}; name another folder with --out") from error
    show.result({**found, "plots": [str(path) for path in pictures]}, _told(found, pictures), json=json)


def _course(policy: str) -> Any:
    """Return the module that trains a policy. Raises SetupError for a policy without training of this kind."""
    from importlib.util import find_spec

    if find_spec(f"lab.training.{policy}") is None:
        raise SetupError(f"there is no training of a policy {policy!r}; write: bridge train --policy network")
    found = import_module(f"lab.training.{policy}")
    if not hasattr(found, "train"):
        raise SetupError(f"{policy} is trained in several steps; see: bridge {policy} --help")
    return found


def _told(found: dict[str, Any], pictures: list[Path]) -> str:
    rows = [f"{name}: score {one['score']:.3f}, level {one['level']:.3f}" for name, one in _exams(found).items()]
    places = ", ".join(str(path) for path in (Path(found["out"]) / "weights.npz", *pictures))
    return "\n".join([*rows, f"written: {places}"])


def _exams(found: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in found["exam"].items() if isinstance(one, dict)}
