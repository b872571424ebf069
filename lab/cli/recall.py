"""Run ``bridge llm recall``, which measures what a policy reads from a person's answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any

import typer

from bridge.cli import options, show
from lab.cli.figures import give_or_take, table
from lab.cli.policies import Opened
from lab.marked_documents import put


def recall(
    policy: Annotated[str, typer.Option(help="The policy (see: bridge sources).")] = "llm",
    lives: Annotated[
        int,
        typer.Option(
            help="Number of lives of four weeks per kind of people and kind of answers seen.",
            min=2,
        ),
    ] = 24,
    write: Annotated[
        Path | None,
        typer.Option(
            help="Also put the table of results into this Markdown document, between the lines <!-- recall --> and "
            "<!-- /recall -->. A missing document is made. Other text of a document stays."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Measure how the share of advice that is taken, and the error of the policy's belief about a person, change with
    the number of answers.

    This is measured four times: the policy is shown the person's own answers, none, the same answers in random order,
    or another person's answers.
    """
    from lab.evaluation.recall import recall as measured

    with show.Progress() as progress:
        found = measured(policy, lives, Opened(), progress.steps(f"{policy}, lives"))
    if json:
        show.document({"policy": policy, "lives": lives, "rows": found})
    else:
        rows = wide(found, lambda figure: f"{figure['mean']:.3f}")
        show.table(rows, tuple(rows[0]))
    if write is not None:
        command = f"`bridge llm recall --policy {policy} --lives {lives} --write FILE`"
        said = f"{lives} lives of each kind, written by {command}. ± is half of a 95 % interval."
        put(write, "\n".join([said, "", *table(wide(found, give_or_take))]), mark="recall")


def wide(found: Sequence[dict[str, Any]], shown: Callable[[dict[str, Any]], str]) -> list[dict[str, str]]:
    """Return a row for each kind of people and history, with acceptance by range of answers and errors of the belief.

    ``shown`` converts a figure with its interval to text.
    """
    rows = []
    for (people, past), some in groupby(found, key=lambda row: (row["people"], row["past"])):
        spans = list(some)
        taken = {"{} to {}".format(*span["answers"]): shown(span["taken"]) for span in spans}
        errors = {f"error, {span['answers'][1]}": shown(span["error"]) if span["error"] else "" for span in spans[::3]}
        rows.append({"people": people, "past": past, **taken, **errors})
    return rows
