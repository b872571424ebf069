"""Run ``bridge evaluate --logged``, which estimates from logged feedback how other policies would have done."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bridge.cli import show
from bridge.domain.errors import SetupError
from lab.cli.figures import ranged, table
from lab.cli.policies import Opened
from lab.marked_documents import put

if TYPE_CHECKING:
    from lab.evaluation.offpolicy import Logged
    from lab.evaluation.simulated_logs import Log

WAYS = {"ips": "inverse propensity", "snips": "self-normalised", "dr": "doubly robust"}


def evaluate(names: Sequence[str], user: str | None, *, json: bool) -> None:
    """Print estimates of the mean answer (+1 or -1) to each policy's recommendations, from real users' answers.

    ``user`` None takes all users. Raises SetupError if no answered recommendation was drawn at random.
    """
    from bridge import installation
    from lab.evaluation.offpolicy import feedback, model

    with installation.open_bridge() as bridge:
        people = [bridge.store.people.user(user)] if user else bridge.store.people.users()
        found = feedback(bridge.store, people, at=installation.now())
        if not found:
            raise SetupError(
                "no advice that was drawn by lot has been answered yet; set BRIDGE_EXPLORE above 0, ask for advice "
                "and answer it: bridge recommend --user NAME"
            )
        supposed = model(found)
        rows = [_row(name, found, supposed) for name in names]
    _tell(rows, f"feedback of {user or f'{len(people)} people'}", json=json)


def simulate(names: Sequence[str], logger: str, lives: int, *, write: Path | None, json: bool) -> None:
    """Print estimates for policies from the answers of simulated people to the policy ``logger``, beside the true
    values.

    If given, the table is put into the document ``write``.
    """
    from bridge.domain.guard import Guard
    from lab.evaluation import simulated_logs
    from lab.evaluation.guarded import Guarded
    from lab.evaluation.offpolicy import model

    with show.Progress() as progress:
        find = Opened()
        made = partial(_guarded, logger, Guard(), Guarded, find)
        log = simulated_logs.simulated(made, range(lives), on_step=progress.steps(f"{lives} lives with {logger}"))
        find.share()
        supposed = model(log.logged)
        rows = [_row(name, log.logged, supposed, log) for name in names]
    _tell(rows, f"{lives} simulated lives, advised by {logger}", json=json)
    if write is not None:
        put(write, _markdown(rows, logger, lives, names), mark="logged")


def _guarded(name: str, guard: Any, wrap: Any, find: Any) -> Any:
    return wrap(find(name), guard)


def _row(name: str, found: Sequence[Logged], supposed: Any, log: Log | None = None) -> dict[str, Any]:
    from lab.evaluation.offpolicy import estimate, summary
    from lab.evaluation.simulated_logs import wanted

    find = Opened()
    chosen = wanted(found, lambda: find(name))
    known: dict[str, Any] = {} if log is None else {"truth": float((chosen * log.truth).sum(axis=1).mean())}
    known |= {"logged": summary([one.reward for one in found], [one.cluster for one in found])}
    return {"policy": name, **estimate(found, chosen, modelled=supposed), "fallbacks": find.share(), **known}


def _tell(rows: list[dict[str, Any]], of: str, *, json: bool) -> None:
    if json:
        show.document({"of": of, "results": rows})
        return
    typer.echo(f"{of}: {rows[0]['decisions']} decisions drawn by lot, mean answer {ranged(rows[0]['logged'], '+.3f')}")
    show.table([_shown(row) for row in rows], tuple(_shown(rows[0])))
    typer.echo(
        "+1 accepted, -1 not; in brackets the 95 % interval. Of single decisions, in the situations as they were."
    )
    if any(row["dr"] is None for row in rows):
        typer.echo("-: too few of the logged decisions were, or could have been, what that policy wants.")


def _shown(row: dict[str, Any]) -> dict[str, str]:
    known = {"truth": f"{row['truth']:+.3f}"} if "truth" in row else {}
    counted = {"support": f"{row['support']:.0%}", "effective": f"{row['effective']:.0f}"}
    ways = {title: "-" if row[way] is None else ranged(row[way], "+.3f") for way, title in WAYS.items()}
    return {"policy": row["policy"], **known, **ways, **counted}


def _markdown(rows: list[dict[str, Any]], logger: str, lives: int, names: Sequence[str]) -> str:
    shown = [_shown(row) for row in rows]
    command = f"bridge evaluate --logged --simulated {lives} --logger {logger} --policy {','.join(names)} --write FILE"
    lines = [f"{rows[0]['decisions']} decisions of {lives} simulated lives advised by {logger}; `{command}`.", ""]
    return "\n".join([*lines, *table(shown)])
