"""Run ``bridge llm``, which teaches, refines, grades and serves models that decide, and tunes them to a user."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError
from lab.cli.recall import recall
from lab.cli.simulation import Condition, known_condition

if TYPE_CHECKING:
    from bridge.domain.records import Prior

commands = typer.Typer(
    name="llm",
    help="Teach models to advise from what they see of a user; refine, grade and serve them, or tune them to a user.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Lessons = Annotated[Path, typer.Option(help="File that bridge llm teacher wrote. The sequence model needs none.")]
Out = Annotated[
    Path, typer.Option(help="Folder to write: model, record of the training, checkpoints. To continue there: --resume.")
]
NICE = 15  # of a training beside the daemon
Seed = Annotated[int, typer.Option(help="Seed of the training. The same seed gives the same training.", min=0)]
Resume = Annotated[bool, typer.Option("--resume", help="Continue the training in the folder of --out.")]
FourBits = Annotated[
    bool,
    typer.Option(
        "--four-bits/--full",
        help="Load the language model's weights in four bits, on a graphics card with bitsandbytes, or in full.",
    ),
]
TAUGHT = Path("trained/llm")
WEEKS = TAUGHT / "teacher.jsonl"
SMALL = "small"


def register(app: typer.Typer) -> None:
    commands.command()(recall)
    app.add_typer(commands, name="llm")


@contextmanager
def _able() -> Iterator[None]:
    """Return a context manager that raises SetupError for an ImportError, a ValueError or an OSError in its block.

    For an ImportError the message has the command that installs what is missing.
    """
    from bridge import origin

    try:
        yield
    except ImportError as error:
        command = origin.adding("llm-train", origin.LABORATORY)
        raise SetupError(f"this needs {error.name}: {command}") from error
    except (ValueError, OSError) as error:
        raise SetupError(str(error)) from error


def _part(name: str) -> Any:
    return import_module(f"lab.training.llm.{name.removeprefix('training.')}")


@commands.command()
def teacher(
    out: Annotated[Path, typer.Option(help="File of lessons to add to: a line of JSON for each week or life.")] = WEEKS,
    weeks: Annotated[int, typer.Option(help="Number of simulated weeks.", min=1)] = 150,
    lives: Annotated[
        int,
        typer.Option(
            help="Number of simulated lives, each of two weeks of a person who answers advice like a real user.", min=0
        ),
    ] = 20,
    first: Annotated[
        int,
        typer.Option(
            help="First seed of the weeks and of the lives. Evaluations use the seeds from 0 and from 10000.", min=0
        ),
    ] = 1000,
    condition: Condition = "in",
    model: Annotated[
        str | None,
        typer.Option(
            help="Name of a language model at the address BRIDGE_POLICY_LLM_ADDRESS, which advises. Default: the "
            "policy planner advises."
        ),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(help="With --model: number of weeks and lives that are simulated at the same time.", min=1)
    ] = 3,
    prices: Annotated[
        Path | None,
        typer.Option(
            help="TOML file of prices, by which the cost is counted: a table per model's name, with input and output "
            "in USD per million tokens."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Record how the planner, or a large language model (--model), advises simulated people, as lessons for a
    smaller model (bridge llm sft). Print the grade of the weeks. A run that was stopped continues.
    """
    known_condition(condition)
    part = _part("teacher")
    with _able():
        known = part.prices_of(prices) if prices else {}
        teaches = part.Planned() if model is None else _asked(part, model, concurrency)
        out.parent.mkdir(parents=True, exist_ok=True)
        with show.Progress() as progress:
            seeds = {"weeks": range(first, first + weeks), "lives": range(first, first + lives)}
            try:
                found = part.teach(
                    out, teaches, **seeds, condition=condition, on_step=progress.steps(f"taught by {teaches.name}")
                )
            except part.Fault as fault:
                raise SetupError(f"the teacher stopped ({fault}); go on with the same command") from fault
        report = part.report(found, known)
    show.result({"out": str(out), **report}, _lines({"out": out, **report}), json=json)


def _asked(part: Any, model: str, concurrency: int) -> Any:
    """Return a teacher that asks ``model`` at BRIDGE_POLICY_LLM_ADDRESS. Raises SetupError without an address."""
    from bridge import registry

    settings = registry.policy_settings("llm")
    if not settings["address"]:
        raise SetupError("a model needs an address: set BRIDGE_POLICY_LLM_ADDRESS, or teach without --model")
    chat = part.Chat(
        address=settings["address"],
        key=settings["key"],
        seconds=float(settings["timeout_s"]),
        answer_tokens=int(settings["answer_tokens"]),
    )
    return part.Asked(chat, model, concurrent=concurrency, tokens=int(settings["tokens"]))


@commands.command()
def sft(
    lessons: Lessons = WEEKS,
    out: Out = TAUGHT / "sft",
    model: Annotated[
        str | None,
        typer.Option(
            help="Name or folder of a language model, for which a LoRA (a small file of changes to its weights) is "
            "trained."
        ),
    ] = None,
    size: Annotated[
        str,
        typer.Option(
            help="Model to train without --model: small (the sequence model), or the language models tiny or 50m (of "
            "50 million weights).",
        ),
    ] = "small",
    weeks: Annotated[
        int | None, typer.Option(help="With --size small: simulated weeks, each seen once. Default: 50176.", min=64)
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            help="With --size small: begin with this file of weights (.npz), and do only the last part of the training."
        ),
    ] = None,
    tokens: Annotated[int, typer.Option(help="Largest length of a prompt in tokens.", min=300)] = 2000,
    epochs: Annotated[
        float,
        typer.Option(
            help="How often the training goes through all lessons (the weeks and lives of --lessons).", min=0.01
        ),
    ] = 3.0,
    batch: Annotated[int, typer.Option(help="Lessons per step.", min=1)] = 16,
    rate: Annotated[float | None, typer.Option(help="Learning rate. Default: 2e-4 with --model, else 3e-3.")] = None,
    four_bits: FourBits = True,
    seed: Seed = 0,
    resume: Resume = False,
    json: options.Json = False,
) -> None:
    """Train a model by examples: the sequence model by simulated weeks, a language model by the file that bridge llm
    teacher wrote.

    The sequence model is trained with --size small and without --model. It ignores all other options than --out,
    --weeks, --start, --seed and --resume.
    """
    with _able(), show.Progress() as progress:
        if size == SMALL and model is None:
            part, free = _part("training.sequence.course"), _free(out, resume)
            many = part.WEEKS if weeks is None else weeks
            found = part.train(free, many, seed=seed, resume=resume, watch=progress.steps, start=start)
        else:
            course = _part("training.sft").Course(
                lessons=lessons, out=_free(out, resume), base=model, size=size, tokens=tokens, epochs=epochs,
                batch=batch, rate=rate, four_bits=four_bits, seed=seed, resume=resume,
            )  # fmt: skip
            found = _part("training.sft").train(course, progress.steps)
    show.result(found, _lines(found), json=json)


@commands.command()
def grpo(
    lessons: Lessons = WEEKS,
    model: Annotated[Path, typer.Option(help="Folder of the taught model (by bridge llm sft).")] = TAUGHT / "sft",
    out: Out = TAUGHT / "grpo",
    steps: Annotated[
        int | None, typer.Option(help="Number of updates. Default: 500, or 120 for the sequence model.", min=1)
    ] = None,
    group: Annotated[int, typer.Option(help="Number of answers that are sampled for each prompt.", min=2)] = 8,
    prompts: Annotated[int, typer.Option(help="Number of prompts per update.", min=1)] = 4,
    rate: Annotated[float, typer.Option(help="Learning rate.")] = 1e-5,
    room: Annotated[
        int | None,
        typer.Option(
            help="Largest length of an answer in tokens. Default: enough for the longest answer of --lessons."
        ),
    ] = None,
    four_bits: FourBits = True,
    seed: Seed = 0,
    resume: Resume = False,
    json: options.Json = False,
) -> None:
    """Improve a model that bridge llm sft trained, by reinforcement: a language model by the published rewards of
    single answers, the sequence model by the grade of whole weeks.

    The sequence model uses only --model, --out, --steps, --seed and --resume.
    """
    with _able(), show.Progress() as progress:
        if (model / "taught.pt").exists():
            part, free, on_step = _part("training.sequence.refine"), _free(out, resume), progress.steps("refining")
            found = part.train(model, free, updates=steps or part.UPDATES, seed=seed, resume=resume, on_step=on_step)
        else:
            course = _part("training.grpo").Course(
                lessons=lessons, base=model, out=_free(out, resume), steps=steps or 500, group=group, prompts=prompts,
                rate=rate, room=room, four_bits=four_bits, seed=seed, resume=resume,
            )  # fmt: skip
            found = _part("training.grpo").train(course, progress.steps)
    show.result(found, _lines(found), json=json)


def _free(out: Path, resume: bool) -> Path:
    if any((out / name).exists() for name in ("checkpoints", "course.pt", "practice.pt")) and not resume:
        raise SetupError(f"{out} holds a training already; go on with --resume, or name another folder with --out")
    return out


@commands.command("eval")
def grade(
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=FOLDER of a taught model, repeatable. Default: the shipped model and those in trained/llm."
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(help="Weeks per condition, with the same seeds for all models.", min=2)] = 50,
    out: Annotated[
        Path, typer.Option(help="Folder to write four plots and scores.json into. A missing folder is made.")
    ] = TAUGHT,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Markdown document for scores, cost, actions by archetype and pictures, between <!-- contest --> and "
            "<!-- /contest -->. A missing document is made. Other text of a document stays."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Grade trained models beside simple policies in three conditions, and draw four plots of trainings and scores."""
    import json as jsonlib

    from lab.marked_documents import put

    models = dict(_named(one) for one in model) if model else _there()
    with _able():
        contest = _part("training.contest")
        with show.Progress() as progress:
            rows = contest.contest(models, episodes=episodes, watch=progress.steps)
        plots = _part("training.page").draw(models, rows, out)
    (out / "scores.json").write_text(jsonlib.dumps(rows, indent=1), encoding="utf-8")
    shown = contest.columns(rows)
    if json:
        show.document({"rows": rows, "plots": [str(path) for path in plots]})
    else:
        show.table(shown, list(shown[0]))
        typer.echo(f"written: {', '.join(str(path) for path in plots)}")
    if write is not None:
        put(write, "\n".join(_part("training.page").lines(rows, models, plots, write.parent)), mark="contest")


def _there() -> dict[str, Path]:
    """Return the folders of the shipped sequence model and of the models trained here, by name."""
    from policies.llm.sequence import WEIGHTS

    return {"sequence": WEIGHTS.parent} | {name: TAUGHT / name for name in ("sft", "grpo") if (TAUGHT / name).exists()}


def _named(text: str) -> tuple[str, Path]:
    name, equals, place = text.partition("=")
    if not equals or not name or not place:
        raise SetupError(f"{text!r} names no model; write it like sft={TAUGHT / 'sft'}")
    return name, Path(place)


@commands.command()
def personalise(
    user: options.User,
    model: Annotated[
        Path | None, typer.Option(help="Folder of the served model. Default: BRIDGE_POLICY_LLM_FOLDER.")
    ] = None,
    threads: Annotated[
        int, typer.Option(help="Processor threads for the tuning, which always runs at low priority.", min=1)
    ] = 1,
    epochs: Annotated[int, typer.Option(help="How often each of the user's answers is seen.", min=1)] = 3,
    undo: Annotated[
        bool, typer.Option("--undo", help="Withdraw the newest adapter. The adapter before it is used again.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="List all attempts, and change nothing.")] = False,
    json: options.Json = False,
) -> None:
    """Tune the language model that advises to a user's answers, and keep the result if it predicts later answers
    better than the model.
    """
    from bridge import installation as app
    from bridge.advice.adapters import attempts
    from lab.training.llm.attempts import take_back

    with app.open_bridge() as bridge:
        person = bridge.store.people.user(user)
        if undo:
            take_back(bridge, person)
        elif not history:
            _tune(bridge, person, model, threads, epochs)
        rows = [_attempt(attempt) for attempt in attempts(bridge, person)]
    if json:
        show.document(rows if history else {"user": user, "undone": undo, **rows[0]})
    elif history or undo:
        show.table(rows, ("made_at", "adapter", "learnt_from", "tried_on", "gain", "kept"))
    else:
        typer.echo(_said(rows[0], user))


def _tune(bridge: Any, person: Any, model: Path | None, threads: int, epochs: int) -> None:
    import os

    from bridge import installation as app
    from bridge import registry

    base = str(model or registry.policy_settings("llm", bridge.settings)["folder"])
    if not base:
        raise SetupError("no model is named; give the folder of the served model: --model, or BRIDGE_POLICY_LLM_FOLDER")
    os.nice(NICE)
    with _able(), show.Progress() as progress:
        tuning = _part("tuning")
        course = tuning.Course(base=Path(base), out=bridge.settings.adapters, threads=threads, epochs=epochs)
        tuning.make(bridge, person, course, now=app.now(), on_step=progress.steps("tuning"))


@commands.command()
def adapt(
    people: Annotated[int, typer.Option(help="Number of simulated people, who answer for four weeks.", min=2)] = 40,
    weights: Annotated[
        Path | None, typer.Option(help="Weights of the sequence model (.npz). Default: the shipped weights.")
    ] = None,
    seed: Seed = 0,
    json: options.Json = False,
) -> None:
    """Tune the sequence model to each of some simulated people, and test each adapter on answers not learnt from."""
    from policies.llm.sequence import WEIGHTS

    with _able(), show.Progress() as progress:
        file = weights or WEIGHTS
        found = _part("training.sequence.personal").trial(file, people, seed=seed, on_step=progress.steps("adapting"))
    show.result(found, _lines(found), json=json)


def _attempt(prior: Prior) -> dict[str, Any]:
    return {
        "made_at": prior.made_at.isoformat(timespec="seconds"),
        "adapter": prior.body["adapter"],
        "learnt_from": prior.learnt_from,
        "tried_on": prior.tried_on,
        "gain": round(prior.gain, 4),
        "kept": prior.kept,
    }


def _said(row: dict[str, Any], user: str) -> str:
    tried = f"{row['gain']:+.3f} on the last {row['tried_on']} of {row['learnt_from']} answers"
    if row["kept"]:
        undo = f"bridge llm personalise --undo --user {user}"
        return f"Kept {row['adapter']} ({tried}). From now on it is shown five days of answers. To undo: {undo}"
    return f"Not kept ({tried}): the model that everybody has does as well."


@commands.command()
def serve(
    model: Annotated[Path, typer.Option(help="Folder of a taught language model.")] = TAUGHT / "grpo",
    name: Annotated[str, typer.Option(help="Name by which requests ask for the model.")] = "rhythm",
    port: Annotated[
        int, typer.Option(help="The port of 127.0.0.1 to listen on. 0 takes any that is free.", min=0, max=65535)
    ] = 8081,
    threads: Annotated[int, typer.Option(help="Processor threads that the model uses.", min=1)] = 1,
    json: Annotated[
        bool, typer.Option("--json", help="Print address and model as a JSON document, before serving.")
    ] = False,
) -> None:
    """Serve a model and users' adapters to this machine, by OpenAI's chat completions API. Stop it with Ctrl-C."""
    from bridge import config

    with _able():
        serving = _part("training.serving")
        served = serving.Served(model, name, config.load().adapters)
        try:
            server = serving.server(served, port, threads)
        except OSError as error:
            raise SetupError(f"port {port} is not free ({error.strerror}); try: bridge llm serve --port 0") from None
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    show.result({"address": address, "model": name}, f"{name} answers at {address}", json=json)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()


def _lines(found: dict[str, Any]) -> str:
    return "\n".join(
        f"{name}: {value:.3f}" if isinstance(value, float) else f"{name}: {value}" for name, value in found.items()
    )
