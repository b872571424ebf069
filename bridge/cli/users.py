"""Run ``bridge user``, ``token``, ``export`` and ``forget``, which manage users, their logins and all their data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bridge.cli import options, show
from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from bridge.installation import Bridge

users = typer.Typer(help="Add and list the people this installation serves.", no_args_is_help=True)
options.commands.add_typer(users, name="user")
tokens = typer.Typer(help="Make, list and revoke tokens for programs that use the JSON API.", no_args_is_help=True)
options.commands.add_typer(tokens, name="token")


@users.command()
def add(
    name: Annotated[
        str,
        typer.Argument(
            help="The new user's name, which no other user has: letters and digits of any script, dot, dash, "
            "underscore."
        ),
    ],
    zone: Annotated[
        str | None,
        typer.Option(help="IANA time zone that the user lives in, e.g. Europe/Lisbon. Default: this machine's."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Add a user. Nothing else has to be set up before."""
    from bridge import config, installation

    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user(name, zone or config.local_zone(), now=installation.now())
    body = {"name": user.name, "zone": user.zones[-1].zone}
    ways = f"bridge import EXPORT --user {user.name}, or bridge connect SOURCE --user {user.name}"
    show.result(body, f"{user.name} lives in {body['zone']}. Next: {ways} (see: bridge sources)", json=json)


@users.command("list")
def list_users(json: options.Json = False) -> None:
    """List all users."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        rows = [{"name": u.name, "zone": u.zones[-1].zone} for u in bridge.store.people.users()]
    show.table(rows, ("name", "zone"), json=json)


@users.command()
def zone(
    name: Annotated[str, typer.Argument(help="The user's name (see: bridge user list).")],
    zone: Annotated[str, typer.Argument(help="IANA time zone, e.g. Europe/Lisbon.")],
    since: Annotated[
        str | None, typer.Option(help="The instant from which the zone holds (ISO 8601 with offset). Default: now.")
    ] = None,
) -> None:
    """Record that a user now lives in another zone. The past keeps the old zone."""
    from bridge import installation

    at = options.instant(since) if since else installation.now()
    with installation.open_bridge() as bridge:
        user = bridge.store.people.user(name)
        bridge.store.people.set_zone(user.id, zone, since=at)
    typer.echo(f"{name} lives in {zone} from {since or 'now'} on.")


@users.command()
def password(
    name: Annotated[str, typer.Argument(help="The user's name (see: bridge user list).")],
    remove: Annotated[
        bool,
        typer.Option(
            "--remove",
            help="Remove the password instead. Without another way to log in, the page then serves this machine alone.",
        ),
    ] = False,
) -> None:
    """Set or remove a user's password for the web page, of 12 to 256 characters. All the user's sessions end.

    A terminal asks for the password twice. Scripts send it as a line on standard input.
    """
    from bridge import installation
    from bridge.auth import access

    with installation.open_bridge() as bridge:
        user = bridge.store.people.user(name)
        access.set_password(bridge.store, user, None if remove else _ask_password(), now=installation.now())
    typer.echo(f"{name} has {'no password now' if remove else 'a new password'}. Next: bridge up")


def _ask_password() -> str:
    if sys.stdin.isatty():
        typed: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
        return typed
    return sys.stdin.readline().rstrip("\r\n")


Subject = Annotated[str, typer.Option(help="The account's id at the provider, which is the claim `sub` of its tokens.")]
Issuer = Annotated[
    str | None, typer.Option(help="The provider's issuer, an https address. Default: BRIDGE_OIDC_ISSUER.")
]


@users.command()
def link(
    name: Annotated[str, typer.Argument(help="The user's name (see: bridge user list).")],
    subject: Subject,
    issuer: Issuer = None,
    json: options.Json = False,
) -> None:
    """Let an account at an OpenID Connect provider log in as a user."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        place, user = _issuer(bridge, issuer), bridge.store.people.user(name)
        bridge.store.credentials.link(user.id, place, subject, now=installation.now())
    text = f"{subject} at {place} logs in as {user.name}. Next: bridge up"
    show.result({"name": user.name, "issuer": place, "subject": subject}, text, json=json)


@users.command()
def unlink(
    name: Annotated[str, typer.Argument(help="The user's name (see: bridge user list).")],
    subject: Subject,
    issuer: Issuer = None,
) -> None:
    """End the link of an account at a provider with a user. The user's open sessions go on."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        user = bridge.store.people.user(name)
        if not bridge.store.credentials.unlink(user.id, _issuer(bridge, issuer), subject):
            raise SetupError(f"{name} is linked with no such account; see: bridge user logins {name}")
    typer.echo(f"{subject} no longer logs in as {name}.")


@users.command()
def logins(
    name: Annotated[str, typer.Argument(help="The user's name (see: bridge user list).")], json: options.Json = False
) -> None:
    """List the ways in which a user can log in: password, passkeys, and accounts at a provider."""
    from bridge import installation
    from bridge.auth import access

    with installation.open_bridge() as bridge:
        user, credentials = bridge.store.people.user(name), bridge.store.credentials
        by_password = (
            [{"kind": "password", "name": "", "since": None}] if access.has_password(bridge.store, user) else []
        )
        by_passkey = [
            {
                "kind": "passkey",
                "name": f"{passkey.name} ({passkey.host})",
                "since": passkey.made_at.isoformat(timespec="minutes"),
            }
            for passkey in credentials.passkeys(user.id)
        ]
        by_account = [
            {"kind": identity.issuer, "name": identity.subject, "since": identity.made_at.isoformat(timespec="minutes")}
            for identity in credentials.identities(user.id)
        ]
    show.table([*by_password, *by_passkey, *by_account], ("kind", "name", "since"), json=json)


def _issuer(bridge: Bridge, given: str | None) -> str:
    from bridge.auth import oidc

    found = oidc.canonical(given or bridge.settings.oidc_issuer)
    if not found:
        raise SetupError("no login provider is set; give --issuer, or set BRIDGE_OIDC_ISSUER, then: bridge doctor")
    return found


@tokens.command("new")
def new_token(
    user: options.User,
    name: Annotated[
        str, typer.Option(help="A name for the program that uses the token, shown by bridge token list.")
    ] = "a program",
    assistant: Annotated[
        bool,
        typer.Option(
            "--assistant",
            help="Make a token for an AI assistant. It opens only /mcp, with the tools that bridge mcp allow allowed.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a token for the JSON API (/api/v1) and show it once. Only its hash is stored."""
    from bridge import installation
    from bridge.auth import access

    with installation.open_bridge() as bridge:
        store, now = bridge.store, installation.now()
        made, token = access.new_token(store, store.people.user(user), name, now=now, for_assistant=assistant)
    text = f"Token {made.id}, shown once: {token}\nSend it with every request:  Authorization: Bearer TOKEN"
    show.result({"id": made.id, "name": name, "token": token}, text, json=json)


@tokens.command("list")
def list_tokens(user: options.User, json: options.Json = False) -> None:
    """List a user's tokens with number, name and time of making, but not the tokens themselves."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        found = bridge.store.access.tokens(bridge.store.people.user(user).id)
    rows = [{"id": one.id, "name": one.name, "made_at": one.made_at.isoformat(timespec="minutes")} for one in found]
    show.table(rows, ("id", "name", "made_at"), json=json)


@tokens.command("revoke")
def revoke_token(
    number: Annotated[int, typer.Argument(help="The token's number (see: bridge token list).", max=options.ROW_ID_MAX)],
    user: options.User,
) -> None:
    """Revoke a token, so that programs with it are refused from now on."""
    from bridge import installation

    with installation.open_bridge() as bridge:
        if not bridge.store.access.revoke_token(bridge.store.people.user(user).id, number):
            raise SetupError(f"{user} has no token {number}; see: bridge token list --user {user}")
    typer.echo(f"Token {number} has ended.")


@options.command()
def export(
    user: options.User,
    to: Annotated[
        Path | None,
        typer.Option(
            help="The folder to write, which must be new or empty. Default: NAME-export in the current folder."
        ),
    ] = None,
    kind: Annotated[
        str,
        typer.Option(
            "--format",
            help="json, csv or parquet (needs the extra parquet) for everything; ieee1752 or fhir for "
            "nights, workouts and measurements.",
        ),
    ] = "json",
    json: options.Json = False,
) -> None:
    """Write all stored data of a user, except the consents, into a folder that bridge import can read.

    The formats ieee1752 (Open mHealth) and fhir (HL7 FHIR R5) are for other programs. They hold only nights, workouts
    and measurements, and bridge import cannot read them.
    """
    from bridge import installation
    from bridge.documents import standards
    from bridge.ingest import archive

    folder = to or Path(f"{user}-export")
    with installation.open_bridge() as bridge:
        person = bridge.store.people.user(user).id
        if kind in standards.FILES:
            reading = bridge.store.reading
            told = reading.samples(person), reading.episodes(person)
            counts = standards.write(user, told, folder, kind, at=installation.now())
        else:
            counts = archive.write(bridge.store.exports.dump(person), folder, kind)
    if json:
        show.document({"folder": str(folder), "format": kind, "tables": counts})
        return
    show.table([{"table": name, "rows": rows} for name, rows in counts.items()], ("table", "rows"))
    typer.echo(f"Written to {folder}. It is private: keep it where only you can read it.")


@options.command()
def forget(
    user: options.NamedUser,
    yes: Annotated[
        bool, typer.Option("--yes", help="Do not ask for confirmation. Without a terminal nothing is asked.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Revoke a user's consents and delete everything about them, for good."""
    from bridge.ingest import connecting

    with options.opened(user, flights=False) as (bridge, person, _):
        if not yes and sys.stdin.isatty():
            typer.confirm(f"Delete everything about {user}? It cannot be undone", abort=True, err=True)
        unconfirmed = connecting.forget(bridge, person)
    left = f" Revoke it there as well: {', '.join(unconfirmed)}." if unconfirmed else ""
    show.result(
        {"user": user, "forgotten": True, "not_confirmed": unconfirmed}, f"{user} is forgotten.{left}", json=json
    )
