"""Check an installation: its settings, key, store, plug-ins, backups, webhook, login provider and MQTT broker.

Also check every source's settings, and every connection of every user.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from bridge import config, installation, origin, registry
from bridge.advice import outgoing_events
from bridge.auth import backup_key, key_storage, oidc
from bridge.daemon import backups, housekeeping
from bridge.daemon.backup_places import Place, places_of
from bridge.daemon.mqtt import link
from bridge.domain.errors import BridgeError, Fault, StoreFault
from bridge.domain.languages import plural
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import FOLDER_CONNECTION, PUSH_CONNECTION, Connection, User
from bridge.ingest import folder_pages
from bridge.ingest.connecting import is_kept, is_lost, mending_command

SQLITE = "sqlite:///"
OVERDUE = timedelta(hours=6)  # past its due time a connection tells that no daemon runs
TO_THE_DOCTOR = re.compile(r" \(see: bridge doctor\)|[;,] (?:and |or )?(?:then|see): bridge doctor")
FAULT_STEPS = {
    Fault.FULL: "make room on the disk",
    Fault.READ_ONLY: "make the disk and the database's file writable",
    Fault.LOCKED: "stop the program that writes into the database",
    Fault.FAILING: "look into the system's log for the disk",
    Fault.DAMAGED: "stop the bridge; restore a backup",
}
KEY_PLACES = {
    "InFile": "readable by you alone",
    "InKeyring": "in this machine's keyring",
    "InEnvironment": "from BRIDGE_KEY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of a check of the installation. ``next`` is the command that mends a fault, or "".

    ``optional`` marks something that is merely not set up, by the package extra named in ``extra``, if any.
    """

    check: str
    ok: bool
    text: str
    next: str = ""
    optional: bool = False
    extra: str = ""


def _fault(check: str, error: BridgeError, then: str) -> Finding:
    return Finding(check=check, ok=False, text=_cured(str(error)), next=then)


def _cured(text: str) -> str:
    """Return an error's text without its advice to run ``bridge doctor``."""
    return TO_THE_DOCTOR.sub("", text)


def examine() -> list[Finding]:
    """Check the installation and every user's connections, and return a finding per check, bad for a BridgeError."""
    try:
        settings = config.load()
        installation.refuse_unknown(settings)
    except BridgeError as error:
        return [_fault("settings", error, "correct it in the environment or config.toml")]
    findings = [Finding(check="settings", ok=True, text=str(settings.folder)), _key(settings)]
    try:
        with installation.open_bridge() as bridge:
            if (damage := bridge.store.database.damage()) is not None:
                return [*findings, _damaged(settings, damage)]
            if (fault := bridge.fault()) is not None:
                findings.append(_fault("disk", fault, FAULT_STEPS[fault.kind]))
            findings.append(_store(settings))
            findings.append(_plugins(bridge))
            findings.append(_rules(bridge))
            findings.extend(_backups(bridge))
            findings.extend(_webhook(settings))
            findings.extend(_logins(bridge))
            findings.extend(_mqtt(bridge))
            findings.extend(_shared_settings(bridge))
            findings.extend(_sources(bridge))
            findings.extend(_extras())
            findings.extend(_people(bridge))
    except StoreFault as error:
        damaged = error.kind is Fault.DAMAGED
        findings.append(_damaged(settings) if damaged else _fault("store", error, FAULT_STEPS[error.kind]))
    except BridgeError as error:
        findings.append(_fault("store", error, "check BRIDGE_DATABASE"))
    return findings


def _damaged(settings: config.Settings, damage: str = "") -> Finding:
    place = settings.database.removeprefix(SQLITE) if settings.database.startswith(SQLITE) else "its server"
    text = f"the database in {place} is damaged" + (f" ({damage})" if damage else "")
    return Finding(check="store", ok=False, text=text, next=f"stop the bridge; {backups.way_back(settings)}")


def _key(settings: config.Settings) -> Finding:
    place = key_storage.key_storage_of(settings.key, settings.folder)
    try:
        return _key_place(place)
    except BridgeError as error:
        return _fault("key", error, "correct BRIDGE_KEY")


def _key_place(place: key_storage.KeyStorage) -> Finding:
    match place:
        case key_storage.InFile(path) if not path.exists():
            return Finding(check="key", ok=True, text="will be made with the first consent")
        case key_storage.InFile(path) if sys.platform != "win32" and path.stat().st_mode & 0o077:
            return Finding(
                check="key", ok=False, text="other users of this machine can read it", next=f"chmod 600 {path}"
            )
    left = place.leftovers() if isinstance(place, key_storage.InFile) else []
    if left or (place.is_writable and len(place.keys()) > 1):
        return Finding(check="key", ok=False, text="a rotation was interrupted", next="bridge key rotate")
    return Finding(check="key", ok=True, text=KEY_PLACES[type(place).__name__])


def _store(settings: config.Settings) -> Finding:
    path = Path(settings.database.removeprefix(SQLITE))
    if settings.database.startswith(SQLITE) and sys.platform != "win32" and path.stat().st_mode & 0o077:
        text = "other users of this machine can read the database"
        return Finding(check="store", ok=False, text=text, next=f"chmod 600 {path}*")
    return Finding(check="store", ok=True, text="opened and up to date")


def _plugins(bridge: installation.Bridge) -> Finding:
    try:
        chosen = (bridge.classifier.name, bridge.policy().name)
    except BridgeError as error:
        return _fault("plug-ins", error, "bridge sources")
    return Finding(check="plug-ins", ok=True, text=f"classifier {chosen[0]}, policy {chosen[1]}")


def _rules(bridge: installation.Bridge) -> Finding:
    try:
        guard, _, kept = bridge.guard, bridge.proxies, housekeeping.days(bridge.settings.keep_raw)
    except BridgeError as error:
        return _fault("rules", error, "correct it in the environment or config.toml")
    text = f"{guard.explore:.0%} of advice is tried by lot, raw records are kept for {kept:g} days"
    return Finding(check="rules", ok=True, text=text)


def _backups(bridge: installation.Bridge) -> Iterator[Finding]:
    try:
        places = places_of(bridge.settings)
    except BridgeError as error:
        yield _fault("backups", error, "correct BRIDGE_BACKUPS_S3")
        return
    if not places:
        yield Finding(check="backups", ok=True, text="none are made by themselves", next="set BRIDGE_BACKUPS")
    yield from (_backup(bridge, place) for place in places)


def _backup(bridge: installation.Bridge, place: Place) -> Finding:
    """Restore a place's newest backup into a store of its own, and return a finding."""
    state = backups.state(bridge, installation.now())
    try:
        made = place.found()
        if not made:
            return Finding(check="backups", ok=not state.old, text="none was made yet", next="bridge up")
        people = backups.drill(bridge, place, made[-1].name)
    except BridgeError as error:
        return _fault("backups", error, "bridge backup PATH.age")
    if state.last is None or state.old:
        return Finding(check="backups", ok=False, text="the last good backup is too old", next="bridge up")
    key = bridge.settings.folder / backup_key.KEY_FILE
    text = (
        f"{made[-1].name} ({place.kind}) was restored for a try, "
        f"with {people} {'person' if people == 1 else 'people'}; keep a copy of {key} elsewhere"
    )
    return Finding(check="backups", ok=True, text=text)


def _mqtt(bridge: installation.Bridge) -> Iterator[Finding]:
    try:
        if link.broker_of(bridge.settings.of_plugin("mqtt", config.MQTT)) is None:
            return
        link.require_paho()
        shared = len(dict(link.sharing(bridge, bridge.store.people.users())))
    except BridgeError as error:
        yield _fault("mqtt", error, "correct it in the environment or config.toml")
        return
    yield Finding(check="mqtt", ok=True, text=f"{plural(shared, 'device')} at the broker, one of each who shares")


def _webhook(settings: config.Settings) -> Iterator[Finding]:
    try:
        target = outgoing_events.target_of(settings)
    except BridgeError as error:
        yield _fault("webhook", error, "correct it in the environment or config.toml")
        return
    if target is not None:
        titles = "with titles" if target.titles else "without titles"
        yield Finding(check="webhook", ok=True, text=f"new and done recommendations are sent, {titles}")


def _logins(bridge: installation.Bridge) -> Iterator[Finding]:
    try:
        client = oidc.client_of(bridge.settings)
        if client is not None:
            oidc.discover(client)
            yield Finding(check="logins", ok=True, text=f"people log in at {client.host}")
    except BridgeError as error:
        yield _fault("logins", error, "correct BRIDGE_OIDC_ISSUER")


def _shared_settings(bridge: installation.Bridge) -> Iterator[Finding]:
    if len(bridge.store.people.users()) < 2:
        return
    tables = [("mqtt", config.MQTT), *((spec.name, spec.settings) for spec in registry.specs())]
    for table, settings in tables:
        for setting in settings:
            if setting.personal and bridge.settings.installed(table, setting):
                text = f"{config.variable_of(table, setting)} belongs to one user and is ignored with several users"
                own = f"write {setting.name} into config.toml under [people.NAME.{table}]"
                yield Finding(check="settings", ok=False, text=text, next=own)


def _sources(bridge: installation.Bridge) -> Iterator[Finding]:
    for spec in registry.specs():
        needed = [setting for setting in spec.settings if setting.default is None]
        typed = bridge.typed_client(next((one.shared for one in needed if one.shared), spec.name)) if needed else {}
        missing = [one for one in needed if not bridge.settings.installed(spec.name, one) and one.name not in typed]
        if missing:
            variables = " and ".join(config.variable_of(one.shared or spec.name, one) for one in missing)
            begun = len(missing) < len(needed)
            text = f"lacks {variables}" if begun else f"live data needs {variables}"
            yield Finding(check=spec.name, ok=not begun, text=text, next="bridge up", optional=not begun)


def _extras() -> Iterator[Finding]:
    for extra in origin.missing():
        needs, then = origin.EXTRAS[extra][1], origin.adding(extra)
        yield Finding(check=f"extra {extra}", ok=True, text=f"for {needs}", next=then, optional=True, extra=extra)


def _people(bridge: installation.Bridge) -> Iterator[Finding]:
    people = bridge.store.people.users()
    if not people:
        yield Finding(check="people", ok=False, text="nobody has been added", next="bridge user add NAME")
    for user in people:
        connections = bridge.store.connections.of_user(user.id)
        if not connections:
            check, text = f"{user.name}", "nothing is connected"
            yield Finding(check=check, ok=False, text=text, next=f"bridge connect SOURCE --user {user.name}")
        yield from (_connection(bridge, user, connection) for connection in connections)


def _connection(bridge: installation.Bridge, user: User, connection: Connection) -> Finding:
    """Return the finding about a connection, with its first fault. Lasting faults come before passing ones."""
    check = f"{user.name}/{connection.source}"
    again = f"bridge sync --user {user.name} --source {connection.source}"
    login = f"bridge connect {connection.source} --user {user.name}"
    login += " --push" if connection.name == PUSH_CONNECTION else ""
    try:
        spec = registry.spec(connection.source)
        live = bridge.store.connections.secret(connection.id) is not None
        folder = _folder(bridge, user, connection)
        if live and folder is None:
            bridge.account(connection, spec).token()
    except BridgeError as error:
        return _fault(check, error, login)
    if folder is not None and live and not folder.is_dir():
        return Finding(check=check, ok=False, text="its folder is gone", next=f"{login} --folder PATH")
    if connection.paused:
        return Finding(
            check=check,
            ok=False,
            text=f"stopped: {_cured(connection.paused)}",
            next=mending_command(bridge, user, connection),
        )
    if is_lost(bridge, connection):
        text = "its consent is missing, because exports hold no consents"
        return Finding(check=check, ok=False, text=text, next=mending_command(bridge, user, connection))
    if connection.last_error:
        return Finding(
            check=check, ok=False, text=_cured(connection.last_error), next=mending_command(bridge, user, connection)
        )
    if connection.due_at is not None and installation.now() - connection.due_at > OVERDUE:
        return Finding(check=check, ok=False, text="should have been synced long ago", next="bridge up")
    if live and connection.last_success is None:
        last = bridge.store.scheduling.last_outcome(connection.id)
        if last is not None and last[1].outcome == "interrupted":
            return Finding(check=check, ok=True, text="its first sync is under way")
        return Finding(check=check, ok=False, text="has never been synced", next=again)
    more = login if connection.not_permitted else ""
    return Finding(check=check, ok=True, text=_describe(bridge, connection, spec, live=live), next=more)


def _folder(bridge: installation.Bridge, user: User, connection: Connection) -> Path | None:
    """Return the folder from which a connection imports files or pushes. None for a connection to an account."""
    if not connection.name.startswith(FOLDER_CONNECTION):
        return None
    account = installation.StoredAccount(connection.id, {}, bridge.store, bridge.vault)
    account.token()
    return folder_pages.folder_of(connection, account, bridge.settings.inbox(user.id))


def _describe(bridge: installation.Bridge, connection: Connection, spec: ConnectorSpec, *, live: bool) -> str:
    aside = len(bridge.store.ingest.set_aside(connection.id))
    if is_kept(bridge, connection):
        return "disconnected, its data is kept"
    works = "works" if live else "imported from files" if spec.reads else "told by hand"
    refused = spec.refusal(connection.not_permitted)
    left_out = f"; {aside} records set aside (see: bridge status --user NAME)" if aside else ""
    return works + left_out + (f"; {refused}" if refused else "")
