"""Make of a source, and of its connections, what the templates of pages show."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bridge.documents.connections import ConnectionDocument
from bridge.domain.languages import date_text, say, shown
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import FOLDER_CONNECTION, IMPORT_CONNECTION, PUSH_CONNECTION, Connection
from bridge.ingest import connecting
from bridge.ingest.checkins import CHECK_IN_CONNECTION
from bridge.web import phrases
from bridge.web.phrases import kind_name
from bridge.web.state import Visit

UNNAMED = "calendar"  # what a calendar without a name of its own is called
BY = {  # the name of a connection, without its number -> how its data come
    connecting.ACCOUNT: say("account"),
    IMPORT_CONNECTION: say("file"),
    FOLDER_CONNECTION: say("folder"),
    PUSH_CONNECTION: say("app"),
    CHECK_IN_CONNECTION: say("check-in"),
}
ICONS = {
    **dict.fromkeys(("apple_health", "health_auto_export", "health_connect", "samsung_health"), "phone"),
    "activitywatch": "screen",
    "check_in": "face",
    "home_assistant": "house",
    "messages": "bubble",
    "oura": "ring",
}
PLANS = {"events", "tasks"}  # joined to a consent by default; consents to health data are broader and end earlier


def consents_of(visit: Visit) -> list[Connection]:
    store = visit.bridge.store
    return [c for c in store.connections.of_user(visit.user.id) if store.connections.secret(c.id) is not None]


def shown_source(
    visit: Visit,
    spec: ConnectorSpec,
    rows: list[ConnectionDocument] | None = None,
    consents: list[Connection] | None = None,
) -> dict[str, Any]:
    """Return a source with its connections for the template. ``live`` is True if an account there has a consent.

    ``rows`` None stands for no connections. ``consents`` None looks up those of the user.
    """
    rows = rows or []
    jobs = {job.title: job for job in visit.app.jobs.running(visit.user.id)}
    consents = consents_of(visit) if consents is None else consents
    connected = {one.source for one in consents}
    mine = [one for one in consents if one.source == spec.name]
    title, more = phrases.source_name(spec.title)
    ways = {"account": spec.authorises, "files": spec.reads, "pushes": spec.receives}
    kinds = rows[0]["counts"] if rows else {}
    return {
        "name": spec.name,
        "title": title,
        "icon": _icon(spec),
        "more": more,
        "how": [way for way, capability in ways.items() if capability is not None],
        "also": [
            (one, spec.delivers | one.delivers <= PLANS)
            for one in connecting.joined_by(spec)
            if one.name not in connected
        ],
        "writes": spec.writes is not None,
        "asked": [setting for setting in spec.settings if setting.asked],
        "reads": sorted(kind_name(str(kind)) for kind in spec.delivers),
        "connections": [_connection(visit, row) | {"refusal": spec.refusal(row["not_permitted"])} for row in rows],
        "live": any(one.name.startswith(connecting.ACCOUNT) for one in mine),
        "accounts": [_account(visit, one) for one in mine if spec.several and one.name.startswith(connecting.ACCOUNT)],
        "several": spec.several,
        "reachable": bool(mine),
        "paused": any(row["paused"] for row in rows),
        "kinds": sorted((kind_name(kind), count) for kind, count in kinds.items()),
        "rows": sum(kinds.values()),
        "job": jobs.get(title),
    }


def _icon(spec: ConnectorSpec) -> str:
    kinds = set(map(str, spec.delivers))
    return ICONS.get(spec.name) or ("calendar" if "events" in kinds else "list" if "tasks" in kinds else "watch")


def _account(visit: Visit, connection: Connection) -> dict[str, str]:
    host, _address = connecting.host_and_address(visit.bridge, connection)
    calendar = visit.bridge.store.reading.calendar_name(connection.id)
    named = calendar if calendar not in (None, UNNAMED, host) else ""
    return {"name": connection.name, "title": named or host, "host": host if named else ""}


def _connection(visit: Visit, row: ConnectionDocument) -> dict[str, Any]:
    state = "stopped" if row["paused"] else "failed" if row["error"] else "well"
    lag = row["lag_hours"]
    aside = [phrases.unread(why, count) for why, count in row["set_aside_reasons"].items()]
    success = row["last_success"] and datetime.fromisoformat(row["last_success"])
    return {
        **row,
        "state": state,
        "by": shown(BY.get(row["connection"].rstrip("0123456789-"), BY[FOLDER_CONNECTION])),
        "newest_age": None if lag is None else phrases.age(lag, visit.local(visit.now)),
        "last_success_at": success and date_text(success, "%-d %b %Y, %H:%M"),
        "aside": aside,
    }
