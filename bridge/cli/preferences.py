"""Run ``bridge mode``, ``prefer``, ``share``, ``watch`` and ``notify``, which set how the bridge treats a user."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.domain.slots import ZoneHistory


SWITCHES = ("on", "off", "advice-on", "advice-off")


@options.command()
def mode(
    user: options.User,
    kind: Annotated[
        str | None,
        typer.Argument(
            help="ill, away, holiday, odd (just different) or normal, which ends it. Without it, show the mode."
        ),
    ] = None,
    begin: Annotated[
        str | None, typer.Option("--from", help="The first day, such as 2026-12-01 or monday. Without it: today.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(help="The last day, such as 2026-12-04. Without it: 3 days if ill, else a week.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Say that today or some later days are different, for example because you are ill. This mode ends by itself, and
    your routine learns nothing from its days. The word normal ends it. If no mode holds today, it cancels later ones.
    """
    from bridge.advice import modes
    from bridge.advice.recommend import load_person
    from bridge.day.body import Mode
    from bridge.documents.inputs import parse_day
    from bridge.documents.planning import mode_document
    from bridge.domain.slots import today_at

    if kind is None and (until is not None or begin is not None):
        option = f"--from {begin}" if until is None else f"--until {until}"
        raise SetupError(
            f"{option[:7].rstrip()} needs a mode to begin, such as: bridge mode holiday {option} --user {user}"
        )
    with options.opened(user) as (bridge, person, now):
        one = load_person(bridge, person, now=now)
        if kind is not None:
            today = today_at(now, person.zones)
            first, last = (None if day is None else parse_day(day, today) for day in (begin, until))
            said = Mode(kind=modes.parse_mode(kind, person), since=first, until=last)
            modes.change_mode(bridge.store, person, said, person=one)
        body = mode_document(modes.stand(bridge.store, person, one))
    planned = body.get("planned", [])
    lines = [body["mode"] if body["until"] is None else f"{body['mode']} until {body['until']:%A} {body['until']}"]
    lines += [
        f"{one['mode']} from {one['since']:%A} {one['since']} until {one['until']:%A} {one['until']} "
        f"(to take it back: bridge mode normal --from {one['since']} --until {one['until']} --user {user})"
        for one in planned
    ]
    lines += [f"{'; '.join(ask['because'])} If so: bridge mode {ask['mode']} --user {user}" for ask in body["noticed"]]
    show.result(body, "\n".join(map(str, lines)), json=json)


@options.command()
def prefer(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            help="Sources of nights, days or workouts in your order, the first preferred, e.g. oura garmin. "
            "SOURCE/DEVICE names a single device. They need not be connected.",
            metavar="[SOURCE]...",
            show_default=False,
        ),
    ] = None,
    user: options.OptionalUser = None,
    clear: Annotated[
        bool, typer.Option("--clear", help="Go back to the usual order. It cannot be combined with sources.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Say which source counts where several show the same night, day or workout. Without sources, show the order."""
    from bridge.advice.preference import choose
    from bridge.documents.preference import preference_document

    if sources and clear:
        raise SetupError(
            "--clear cannot be combined with sources; write: bridge prefer SOURCE..., or: bridge prefer --clear"
        )
    name = options.only_user() if user is None else user
    with options.opened(name, flights=False) as (bridge, person, now):
        if sources or clear:
            choose(bridge.store, person, sources or (), now=now)
        body = preference_document(bridge.store, person, now)
    if json:
        show.document(body)
        return
    if not body["order"]:
        typer.echo("no source of nights or workouts is connected; see: bridge sources")
        return
    show.table(body["order"], ("name", "because"))
    typer.echo(f"To change it: bridge prefer --user {name} SOURCE...")


@options.command()
def share(
    meters: Annotated[
        list[str] | None,
        typer.Argument(
            help="The meters to share, e.g. vitality serenity. They replace those shared with the person of --with "
            "before.",
            metavar="[METER]...",
            show_default=False,
        ),
    ] = None,
    user: options.OptionalUser = None,
    other: Annotated[
        str | None,
        typer.Option(
            "--with", help="The user of this installation who may see them. It is needed with meters and with --stop."
        ),
    ] = None,
    stop: Annotated[
        bool,
        typer.Option(
            "--stop", help="Share nothing with the person of --with any more. It cannot be combined with meters."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Let another person here see chosen meters, in words alone. Without meters, show what is shared."""
    from bridge.auth import sharing
    from bridge.documents.household import household_document, read_now

    if (meters or stop) and other is None:
        raise SetupError("--with is missing, which says who may see the meters: bridge share vitality --with NAME")
    if other is not None and bool(meters) == stop:
        raise SetupError(
            "give either meters or --stop: bridge share vitality --with NAME, or: bridge share --stop --with NAME"
        )
    chosen = [options.meter(meter) for meter in meters or ()]
    name = options.only_user() if user is None else user
    with options.opened(name, flights=False) as (bridge, person, now):
        if other is not None and stop:
            sharing.withdraw(bridge.store, person, other, now=now)
        elif other is not None:
            sharing.share(bridge.store, person, other, chosen, now=now)
        body = household_document(bridge, person, read_now(bridge, now))
    if json:
        show.document(body)
        return
    for given in body["given"]:
        typer.echo(f"{given['name']} sees: {', '.join(given['meters']).lower()}")
    if not body["given"]:
        typer.echo(f"{name} shares nothing. To share: bridge share vitality --user {name} --with NAME")
    rows = [
        {"from": one["name"], **meter, "level": meter["level"] or "not known"}
        for one in body["received"]
        for meter in one["meters"]
    ]
    if rows:
        show.table(rows, ("from", "meter", "level", "coverage", "newest_hours"))


@options.command()
def watch(
    switch: Annotated[
        str | None,
        typer.Argument(
            help="on or off switches the watch, advice-on or advice-off all advice. Without it, show the watch.",
            metavar="on | off | advice-on | advice-off",
            show_default=False,
        ),
    ] = None,
    because: Annotated[
        str | None, typer.Option(help="The reason, for your history. It is needed to switch.", show_default=False)
    ] = None,
    user: options.OptionalUser = None,
    json: options.Json = False,
) -> None:
    """Show or switch the watch over harm. It stops advice if meters are lower or nights worse with it than without."""
    from bridge.advice import harm
    from bridge.documents import watch as told
    from bridge.domain.guard import ADVICE, WATCH, Switch

    way = f'write one of {", ".join(SWITCHES)}, such as: bridge watch off --because "REASON"'
    if switch is not None and switch not in SWITCHES:
        raise SetupError(f"{switch!r} is not a switch; {way}")
    if because is not None and switch is None:
        raise SetupError(f"--because tells why something is switched, and nothing is; {way}")
    name = options.only_user() if user is None else user
    with options.opened(name) as (bridge, person, now):
        if switch is not None:
            what = ADVICE if switch.startswith("advice") else WATCH
            harm.switch(bridge.store, person, Switch(at=now, what=what, on=switch.endswith("on"), reason=because or ""))
        found = harm.watched(bridge.store, person, now=now)
        switches = bridge.store.people.preferences(person.id).switches
    lines = [told.watch_line(found, switches), told.finds_line(), *(told.event_line(one, person) for one in switches)]
    show.result(told.watch_document(found, switches), "\n".join(map(str, lines)), json=json)


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
    """Set where each slot's recommendation is sent: phone or mailbox. Without options, show what was sent."""
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
