"""Run ``bridge notify``, which sends recommendations to a phone or mailbox."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show

if TYPE_CHECKING:
    from bridge.domain.slots import ZoneHistory


@options.command()
def notify(
    user: options.User,
    to: Annotated[
        str | None,
        typer.Option(
            help="Store the Apprise address to send to, e.g. ntfys://ntfy.sh/TOPIC, in place of an earlier one. A "
            "dash (-) reads it from standard input.",
            metavar="URL",
        ),
    ] = None,
    events: Annotated[
        bool, typer.Option(help="With --to: let messages name the slot's calendar events, or not.")
    ] = False,
    quiet: Annotated[
        str | None,
        typer.Option(
            help="With --to: slots of the day without messages, besides those of BRIDGE_QUIET, e.g. evening,night. "
            "The slots are morning, afternoon, evening and night. Default: none."
        ),
    ] = None,
    off: Annotated[
        bool,
        typer.Option(
            "--off", help="Stop sending. The stored address, and the browsers that take messages, are forgotten."
        ),
    ] = False,
    test: Annotated[
        bool, typer.Option("--test", help="Send a test message now, after --to if that is given too.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Send each slot's recommendation to your phone or mailbox, once. Without options, show what was sent."""
    from bridge.advice import notify as post
    from bridge.documents import inputs
    from bridge.documents.connections import notifications_document
    from bridge.domain.errors import SetupError

    if off and (to or test):
        raise SetupError("--off cannot be combined with --to or --test; leave those out")
    if (events or quiet) and to is None:
        asked = "--events" if events else "--quiet night"
        raise SetupError(f"{asked} needs an address: bridge notify --user {user} --to URL {asked}")
    slots = inputs.parse_slots(quiet or "none")
    with options.opened(user, flights=False) as (bridge, person, now):
        if off:
            bridge.store.notifications.save_channel(person.id, None, now=now)
        if to is not None:
            address = sys.stdin.readline().strip() if to == "-" else to
            post.keep(bridge.store, bridge.vault, person, address, events=events, quiet=slots, now=now)
        body: dict[str, Any] = {**notifications_document(bridge, person, now)}
        if test:
            body["test"] = post.deliver_test(bridge, person, now=now) or "sent"
    show.result(body, _text(body, person.zones), json=json)
    if body.get("test", "sent") != "sent":
        raise typer.Exit(1)


def _text(body: dict[str, Any], zones: ZoneHistory) -> str:
    on = "is sent" if body["on"] else "is not sent"
    lines = [f"{body['user']}: advice {on}; {body['sent']} went out, {len(body['unsent'])} did not or may not have"]
    lines += [f"{_local(one['at'], zones)} {one['state']}: {one['reason']}" for one in body["unsent"][:5]]
    return "\n".join([*lines, *([f"test: {body['test']}"] if "test" in body else [])])


def _local(at: str, zones: ZoneHistory) -> str:
    from bridge.domain.slots import local_time

    when = datetime.fromisoformat(at)
    return f"{local_time(when, zones):%a %d %b %H:%M}"
