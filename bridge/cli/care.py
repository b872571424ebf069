"""``bridge sources``, ``status``, ``doctor``, ``demo``: seeing that all is well, and what to do where it is not."""

from __future__ import annotations

import json as jsonlib
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import redirect_stdout
from datetime import datetime, timedelta
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bridge.cli import options, show
from rhythm_env.interface import zone_at

if TYPE_CHECKING:
    from bridge.app import Bridge
    from bridge.ports import Connection, User


def register(app: typer.Typer) -> None:
    app.command()(sources)
    app.command()(status)
    app.command()(doctor)
    app.command()(demo)


def sources(json: options.Json = False) -> None:
    """List the plug-ins found: sources, classifiers and policies."""
    from bridge import registry

    rows: list[dict[str, Any]] = [
        {
            "kind": "source",
            "name": spec.name,
            "title": spec.title,
            "live": spec.opens is not None,
            "files": spec.reads is not None,
            "delivers": sorted(str(what) for what in spec.delivers),
        }
        for spec in registry.specs()
    ]
    for kind in ("classifiers", "policies"):
        rows += [{"kind": kind, "name": name, "title": name} for name in registry.names(kind)]
    if not json:
        for row in rows:
            row["delivers"] = ", ".join(row.get("delivers", ()))
    show.table(rows, ("kind", "name", "live", "files", "delivers"), json=json)


def status(user: options.User, json: options.Json = False) -> None:
    """Show each connection: last success, next due, how old its newest data is, what was set aside, what to do."""
    from bridge import app

    with app.open_bridge() as bridge:
        person = bridge.store.user(user)
        now = app.now()
        rows = connection_rows(bridge, person, now) + _notices(bridge, person, now)
    if json:
        show.document(rows)
        return
    show.table(
        [_readable(row) for row in rows],
        ("source", "connection", "last_success", "next_due", "newest", "rows", "set_aside", "next"),
    )
    for row in rows:
        for what, count in row["set_aside_reasons"].items():
            typer.echo(f"{row['source']}: {count} set aside, {what}")
        if row["error"]:
            typer.echo(f"{row['source']}: {row['error']}")


def connection_rows(bridge: Bridge, user: User, now: datetime) -> list[dict[str, Any]]:
    """A person's connections as ``--json`` prints them."""
    counts = bridge.store.counts(user.id)
    return [
        _row(bridge, user, connection, now, counts.get(connection.source, {}))
        for connection in bridge.store.connections(user.id)
    ]


def _row(
    bridge: Bridge, user: User, connection: Connection, now: datetime, counts: Mapping[str, int]
) -> dict[str, Any]:
    """``lag_hours`` is since the end of the newest thing it measured, null for a
    source that measures nothing; ``last_change`` is when anything last arrived that was new or changed."""
    aside = Counter(reason for _, reason in bridge.store.set_aside(connection.id))
    newest = bridge.store.newest(connection.id, now)
    return {
        "source": connection.source,
        "connection": connection.name,
        "last_success": _minutes(connection.last_success, user),
        "next_due": _minutes(connection.due_at, user),
        "newest": _minutes(newest, user),
        "newest_day": newest and newest.astimezone(zone_at(newest, user.zones)).date().isoformat(),
        "lag_hours": newest and round((now - newest) / timedelta(hours=1), 1),
        "last_change": _minutes(bridge.store.changed(connection.id), user),
        "rows": sum(counts.values()),
        "counts": dict(counts),
        "set_aside": sum(aside.values()),
        "set_aside_reasons": dict(aside),
        "paused": connection.paused,
        "error": connection.last_error,
        "next": next_step(bridge, user, connection, now),
    }


def _notices(bridge: Bridge, user: User, now: datetime) -> list[dict[str, Any]]:
    """One row more for who has advice sent: ``unsent`` lists what did not go out, or may not have.

    It is an error for two weeks.
    """
    from bridge.cli.notify import state
    from bridge.notify import REPORTED

    body = state(bridge, user)
    if not body["on"] and not body["unsent"]:
        return []
    count = sum(datetime.fromisoformat(one["at"]) >= now - REPORTED for one in body["unsent"])
    return [
        {
            **dict.fromkeys(("last_success", "next_due", "newest", "newest_day", "lag_hours", "last_change", "paused")),
            "source": "notify",
            "connection": "advice",
            "rows": body["sent"],
            "counts": {"sent": body["sent"]},
            "set_aside": 0,
            "set_aside_reasons": {},
            "error": f"{count} not sent" if count else None,
            "unsent": body["unsent"],
            "next": f"bridge notify --user {user.name}" if count else "",
        }
    ]


def _readable(row: Mapping[str, Any]) -> dict[str, Any]:
    """The same in a narrow table: months, days and minutes, and an age."""
    dates = {when: row[when] and row[when][5:16].replace("T", " ") for when in ("last_success", "next_due")}
    lag = row["lag_hours"]
    return {**row, **dates, "newest": None if lag is None else f"{lag:.0f} h ago" if lag < 48 else row["newest_day"]}


def _minutes(at: datetime | None, user: User) -> str | None:
    """As the person's own clock showed it, wherever this runs."""
    return None if at is None else at.astimezone(zone_at(at, user.zones)).isoformat(timespec="minutes")


def next_step(bridge: Bridge, user: User, connection: Connection, now: datetime) -> str:
    """The command to run now, or nothing when all is well."""
    from bridge import health

    wrong = connection.paused or connection.last_error or health.lost(bridge, connection)
    if wrong or connection.last_success is connection.due_at is None:
        return health.mending(bridge, user, connection)
    overdue = connection.due_at is not None and connection.due_at < now
    return f"bridge sync --user {user.name}" if overdue else ""


def doctor(json: options.Json = False) -> None:
    """Check the installation and every connection; say what is wrong and the next command."""
    from bridge.health import examine

    findings = examine()
    rows = [{"check": f.check, "ok": f.ok, "finding": f.text, "next": f.next} for f in findings]
    if not json:
        for row in rows:
            row["ok"] = "ok" if row["ok"] else "!!"
    show.table(rows, ("ok", "check", "finding", "next"), json=json)
    if not all(f.ok for f in findings):
        raise typer.Exit(1)


def demo(
    seed: Annotated[int, typer.Option(help="Another made-up person.")] = 7,
    json: options.Json = False,
) -> None:
    """Run everything once on a made-up person: vendor servers on loopback, sync over HTTP, meters, advice."""
    from bridge.lab.demo import NAME, ZONE, stage

    with stage(seed=seed) as (served, downloads):
        person = ("--user", NAME)
        script = {
            "user": ("user", "add", NAME, "--zone", ZONE),
            **{f"connect_{source}": ("connect", source, *person) for source in served},
            "imported": ("import", *downloads, *person),
            "first_sync": ("sync", *person),
            "second_sync": ("sync", *person),
            "status": ("status", *person),
            "observation": ("observe", *person),
            "events": ("today", *person),
            "recommendation": ("recommend", *person),
        }
        body = {name: _play(command, json=json) for name, command in script.items()}
    if json:
        show.document(body)


def _play(command: tuple[str, ...], *, json: bool) -> Any:
    """Run one command of ours as a person would; with ``json`` return its document instead of printing."""
    from bridge.cli import app

    if not json:
        typer.echo(f"\n$ bridge {' '.join(command)}")
        code = app(command, standalone_mode=False)
        document = None
    elif command[0] == "connect":
        with redirect_stdout(sys.stderr):
            code = app(command, standalone_mode=False)
        document = "connected"
    else:
        with redirect_stdout(StringIO()) as printed:
            code = app((*command, "--json"), standalone_mode=False)
        document = jsonlib.loads(printed.getvalue())
    if code:
        raise typer.Exit(code)
    return document
