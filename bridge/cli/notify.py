"""``bridge notify``: where advice is sent to."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from rhythm_env.interface import ZoneHistory, zone_at

if TYPE_CHECKING:
    from bridge.app import Bridge
    from bridge.ports import User


def register(app: typer.Typer) -> None:
    app.command()(notify)


def notify(
    user: options.User,
    to: Annotated[
        str | None, typer.Option(help="An Apprise address; - reads it from standard input.", metavar="URL")
    ] = None,
    events: Annotated[bool, typer.Option(help="With --to: messages may name what is in the calendar then.")] = False,
    off: Annotated[bool, typer.Option("--off", help="Send nothing any more.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Send a first message now.")] = False,
    json: options.Json = False,
) -> None:
    """Have each slot's advice sent to your phone or mailbox, once; without options, show what went out."""
    from bridge import app
    from bridge import notify as post
    from bridge.errors import SetupError

    if off and (to or test):
        raise SetupError("--off stands alone")
    if events and to is None:
        raise SetupError(f"--events goes with an address: bridge notify --user {user} --to URL --events")
    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        if off:
            bridge.store.post.keep(person.id, None, now=app.now())
        if to is not None:
            address = sys.stdin.readline().strip() if to == "-" else to
            post.keep(bridge.store, bridge.vault, person, address, events=events, now=app.now())
        body = state(bridge, person)
        if test:
            address = post.address_of(bridge.store, bridge.vault, person.id)
            body["test"] = post.send(address, "rhythm-bridge", f"Advice for {user} will come here.") or "sent"
    show.result(body, _text(body, person.zones), json=json)
    if body.get("test", "sent") != "sent":
        raise typer.Exit(1)


def state(bridge: Bridge, person: User) -> dict[str, Any]:
    """What ``--json`` prints: whether it is on, counts by state, and what is not known to have gone out."""
    from bridge import app
    from bridge.notify import STATES, UNSENT

    channel = bridge.store.post.channel(person.id)
    found = bridge.store.post.notifications(person.id, STATES)
    counts = Counter(one.state for one in found)
    missed = bridge.store.post.missed(person.id, now=app.now(), quiet=bridge.guard.quiet)
    unsent = [one for one in found if one.state in UNSENT] + missed
    return {
        "user": person.name,
        "on": channel is not None,
        "events": channel is not None and channel.events,
        **{name: counts[name] for name in STATES},
        "missed": len(missed),
        "unsent": [
            {
                "recommendation": one.recommendation_id,
                "state": one.state,
                "at": one.at.isoformat(),
                "reason": one.reason or "whether it went out is not known",
            }
            for one in sorted(unsent, key=lambda one: one.at, reverse=True)
        ],
    }


def _text(body: dict[str, Any], zones: ZoneHistory) -> str:
    on = "is sent" if body["on"] else "is not sent"
    lines = [f"{body['user']}: advice {on}; {body['sent']} went out, {len(body['unsent'])} did not or may not have"]
    lines += [f"{_local(one['at'], zones)} {one['state']}: {one['reason']}" for one in body["unsent"][:5]]
    return "\n".join([*lines, *([f"test: {body['test']}"] if "test" in body else [])])


def _local(at: str, zones: ZoneHistory) -> str:
    """As the person's own clock showed it."""
    when = datetime.fromisoformat(at)
    return f"{when.astimezone(zone_at(when, zones)):%a %d %b %H:%M}"
