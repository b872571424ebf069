"""What ``bridge doctor`` looks at: the folder, the key, the store, the plug-ins and every connection."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bridge import app, config, housekeeping, intake, keyplace, registry
from bridge.errors import BridgeError
from bridge.intake import FOLDER, PUSHED
from bridge.ports import Connection, ConnectorSpec, User

LATE = timedelta(hours=6)  # past due: nobody is syncing any more
KEPT = {
    "InFile": "readable by you alone",
    "InKeyring": "in this machine's keyring",
    "InEnvironment": "from BRIDGE_KEY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing looked at; ``next`` is the command or step that mends it."""

    check: str
    ok: bool
    text: str
    next: str = ""


def examine() -> list[Finding]:
    """Look at everything; an error of ours is a finding, not a failure of the doctor."""
    try:
        settings = config.load()
    except BridgeError as error:
        return [Finding(check="settings", ok=False, text=str(error), next="correct the file")]
    findings = [Finding(check="settings", ok=True, text=str(settings.folder)), _key(settings)]
    try:
        with app.open_bridge() as bridge:
            findings.append(Finding(check="store", ok=True, text="opened and up to date"))
            findings.append(_plugins(bridge))
            findings.append(_rules(bridge))
            findings.extend(_people(bridge))
    except BridgeError as error:
        findings.append(Finding(check="store", ok=False, text=str(error), next="check BRIDGE_DATABASE"))
    return findings


def _key(settings: config.Settings) -> Finding:
    place = keyplace.place_of(settings.key, settings.folder)
    try:
        return _kept(place)
    except BridgeError as error:
        return Finding(check="key", ok=False, text=str(error), next="correct BRIDGE_KEY")


def _kept(place: keyplace.KeyPlace) -> Finding:
    match place:
        case keyplace.InFile(path) if not path.exists():
            return Finding(check="key", ok=True, text="will be made with the first consent")
        case keyplace.InFile(path) if sys.platform != "win32" and path.stat().st_mode & 0o077:
            return Finding(check="key", ok=False, text="others on this machine can read it", next=f"chmod 600 {path}")
    if place.ours and len(place.keys()) > 1:
        return Finding(check="key", ok=False, text="a rotation was interrupted", next="bridge key rotate")
    return Finding(check="key", ok=True, text=KEPT[type(place).__name__])


def _plugins(bridge: app.Bridge) -> Finding:
    try:
        chosen = (bridge.classifier.name, bridge.policy().name)
    except BridgeError as error:
        return Finding(check="plug-ins", ok=False, text=str(error), next="bridge sources")
    return Finding(check="plug-ins", ok=True, text=f"classifier {chosen[0]}, policy {chosen[1]}")


def _rules(bridge: app.Bridge) -> Finding:
    """What every piece of advice and every night's tidying reads, and stops at when it is wrong."""
    try:
        guard, _, kept = bridge.guard, bridge.proxies, housekeeping.days(bridge.settings.keep_raw)
    except BridgeError as error:
        return Finding(check="rules", ok=False, text=str(error), next="correct it in the environment or config.toml")
    text = f"{guard.explore:.0%} of advice is tried by lot, raw records are kept for {kept:g} days"
    return Finding(check="rules", ok=True, text=text)


def _people(bridge: app.Bridge) -> Iterator[Finding]:
    people = bridge.store.users()
    if not people:
        yield Finding(check="people", ok=False, text="nobody has been added", next="bridge user add NAME")
    for user in people:
        connections = bridge.store.connections(user.id)
        if not connections:
            check, text = f"{user.name}", "nothing is connected"
            yield Finding(check=check, ok=False, text=text, next=f"bridge connect SOURCE --user {user.name}")
        yield from (_connection(bridge, user, connection) for connection in connections)


def _connection(bridge: app.Bridge, user: User, connection: Connection) -> Finding:
    """The first thing that is wrong with a connection, from what stops it for good to what may be waited for."""
    check = f"{user.name}/{connection.source}"
    again = f"bridge sync --user {user.name} --source {connection.source}"
    login = f"bridge connect {connection.source} --user {user.name}" + (" --push" if connection.name == PUSHED else "")
    try:
        spec = registry.spec(connection.source)
        live = bridge.store.secret(connection.id) is not None
        folder = _folder(bridge, user, connection)
        if live and folder is None:
            bridge.account(connection, spec).token()
    except BridgeError as error:
        return Finding(check=check, ok=False, text=str(error), next=login)
    if folder is not None and not folder.is_dir():
        return Finding(check=check, ok=False, text="its folder is gone", next=f"{login} --folder PATH")
    if connection.paused:
        return Finding(
            check=check, ok=False, text=f"stopped: {connection.paused}", next=mending(bridge, user, connection)
        )
    if lost(bridge, connection):
        text = "its consent is not here: exports hold none"
        return Finding(check=check, ok=False, text=text, next=mending(bridge, user, connection))
    if connection.last_error:
        return Finding(check=check, ok=False, text=connection.last_error, next=mending(bridge, user, connection))
    if connection.due_at is not None and app.now() - connection.due_at > LATE:
        return Finding(check=check, ok=False, text="should have been synced long ago", next="bridge daemon")
    if live and connection.last_success is None:
        last = bridge.store.last_outcome(connection.id)
        if last is not None and last[1].outcome == "interrupted":
            return Finding(check=check, ok=True, text="its first sync is under way")
        return Finding(check=check, ok=False, text="has never been synced", next=again)
    return Finding(check=check, ok=True, text=_well(bridge, connection, spec, live=live))


def lost(bridge: app.Bridge, connection: Connection) -> bool:
    """Whether an account or a folder has nothing left to be reached with."""
    return connection.name.startswith(("account", FOLDER)) and bridge.store.secret(connection.id) is None


def mending(bridge: app.Bridge, user: User, connection: Connection) -> str:
    """The next command for a connection that failed, was stopped or has lost its consent."""
    login = f"bridge connect {connection.source} --user {user.name}"
    if connection.name == app.IMPORT:
        return f"bridge import PATH --user {user.name}"
    if lost(bridge, connection):
        pushed = connection.name == PUSHED
        return login + ("" if connection.name == "account" else " --push" if pushed else " --folder PATH")
    last = bridge.store.last_outcome(connection.id)
    if connection.paused and not (last and last[1].outcome == "stopped"):
        return login
    return f"bridge sync --user {user.name} --source {connection.source}"


def _folder(bridge: app.Bridge, user: User, connection: Connection) -> Path | None:
    """The connected folder, if the connection is one. Raises SetupError where no key opens the consent."""
    if not connection.name.startswith(FOLDER):
        return None
    account = app.StoredAccount(connection.id, {}, bridge.store, bridge.vault)
    account.token()
    return intake.place_of(connection, account, bridge.settings.inbox(user.id))


def _well(bridge: app.Bridge, connection: Connection, spec: ConnectorSpec, *, live: bool) -> str:
    aside = len(bridge.store.set_aside(connection.id))
    works = "works" if live else "imported from files" if spec.reads else "told by hand"
    return works + (f"; {aside} records set aside (see: bridge status --user NAME)" if aside else "")
