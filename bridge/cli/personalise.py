"""``bridge personalise``: what the model has learnt of one person, if it foretells their answers better."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.errors import SetupError

if TYPE_CHECKING:
    from bridge.ports import Prior


def register(app: typer.Typer) -> None:
    app.command()(personalise)


def personalise(
    user: options.User,
    undo: Annotated[bool, typer.Option("--undo", help="Take the newest one back; the one before it counts.")] = False,
    history: Annotated[bool, typer.Option("--history", help="List all attempts, and change nothing.")] = False,
    json: options.Json = False,
) -> None:
    """Make all answers of a person into the model's own prior of them, kept only if it foretells better."""
    from bridge import app
    from bridge import personalise as personal

    with app.open_bridge() as bridge:
        person, policy, now = bridge.store.user(user), bridge.policy(), app.now()
        if undo:
            when = bridge.store.take_back_prior(person.id, f"{policy.name}@{policy.version}")
            if when is None:
                raise SetupError(
                    f"nothing was learnt of {user} that could be taken back: bridge personalise --user {user}"
                )
        elif not history:
            personal.personalise(bridge.store, person, policy, now=now)
        rows = [_row(one) for one in bridge.store.priors(person.id)]
    if json:
        show.document(rows if history else {"user": user, "undone": undo, **rows[0]})
    elif history or undo:
        show.table(rows, ("made_at", "policy", "learnt_from", "tried_on", "gain", "kept"))
    else:
        typer.echo(_said(rows[0], user))


def _row(prior: Prior) -> dict[str, Any]:
    return {
        "made_at": prior.made_at.isoformat(timespec="seconds"),
        "policy": prior.policy,
        "learnt_from": prior.learnt_from,
        "tried_on": prior.tried_on,
        "gain": round(prior.gain, 4),
        "kept": prior.kept,
    }


def _said(row: dict[str, Any], user: str) -> str:
    tried = f"of {row['learnt_from']} answers, tried on the last {row['tried_on']}: {row['gain']:+.3f} nats an answer"
    if row["kept"]:
        undo = f"bridge personalise --undo --user {user}"
        return f"Learnt ({tried}). From now on five days of answers are enough. To undo: {undo}"
    return f"Not kept ({tried}): the model as it was foretells as well. It is tried again as answers come in."
