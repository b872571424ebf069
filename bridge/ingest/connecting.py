"""Connect a user to a source, disconnect a source, forget a user, and find the command that mends a connection."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge import registry
from bridge.auth.account import Consent
from bridge.auth.account import StoredAccount as StoredAccount
from bridge.auth.vault import SEALING_LOCK
from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import say
from bridge.domain.ports import Browser, ConnectorSpec
from bridge.domain.records import FOLDER_CONNECTION, IMPORT_CONNECTION, PUSH_CONNECTION, Connection, User
from bridge.domain.slots import zone_at
from bridge.http import egress
from bridge.ingest import clients, folder_pages, webhooks
from bridge.ingest.files import delete_folders
from bridge.installation import Bridge, now

if TYPE_CHECKING:
    from bridge.installation import Bridge


ACCOUNT, ACCOUNTS_MAX = "account", 20  # the name of the first; how many a source may have of a user
WRITES_FIELD = "writes"  # beside a consent: whether accepted advice is written there


@dataclass(frozen=True, kw_only=True)
class NewConsent:
    """A consent that a user wants to give at ``source``, with ``write`` also for writing.

    It also covers the sources ``also``. ``given`` are typed settings, ``by_operator`` if typed at the command line.
    With ``add``, other accounts stay connected.
    """

    source: str
    write: bool = False
    also: Sequence[str] = ()
    given: Mapping[str, str | None] = field(default_factory=dict)
    by_operator: bool = False
    add: bool = False


def connect(bridge: Bridge, user: User, wanted: NewConsent, browser: Browser) -> Connection:
    """Obtain a user's consent at a source through ``browser``, save it, and return its connection.

    Raises SetupError if the source needs no consent, cannot be written to or gave no token, or for an unknown setting.
    """
    source, write = wanted.source, wanted.write
    spec = registry.spec(source)
    if spec.authorises is None:
        raise SetupError(f"{source} has no login to connect by; {_by_hand(spec, user)}")
    if write and spec.writes is None:
        raise SetupError(
            f"nothing can be written to {source}; connect without --write: bridge connect {source} --user {user.name}"
        )
    others = [_served_as_well(spec, other) for other in wanted.also]
    typed = {name: value for name, value in wanted.given.items() if value is not None}
    unknown = sorted(set(typed) - {setting.name for setting in spec.settings})
    if unknown:
        raise SetupError(f"{source} takes no --{unknown[0]}; leave it out: bridge connect {source} --user {user.name}")
    zone = zone_at(now(), user.zones).key
    settings = bridge.settings_of(user, spec.name, spec.settings)
    named = (typed if wanted.by_operator else {}).get("url") or settings.get("url", "")
    hosts = {*bridge.settings.allow_hosts, *filter(None, [egress.host_of(named)])}
    fresh = Consent({**settings, **typed}, zone, hosts)
    more: dict[str, Any] = {"also": [scope for one in others for scope in one.consent_scopes]} if others else {}
    registry.resolve(spec.authorises)(fresh, browser, **more, **({"write": True} if write else {}))
    if fresh.saved_token is None:
        again = f"bridge connect {source} --user {user.name}"
        raise SetupError(say("{source} gave no token; try again: {command}", source=source, command=again))
    for other in others:
        if set(other.consent_scopes) & set(fresh.saved_token.get("scopes", ())):
            _save_consent(bridge, user, other, fresh.saved_token | {WRITES_FIELD: False})
    account = _account_for(bridge, user, spec, fresh.saved_token) if wanted.add and spec.several else ACCOUNT
    return _save_consent(bridge, user, spec, fresh.saved_token | {WRITES_FIELD: write}, account)


def _account_for(bridge: Bridge, user: User, spec: ConnectorSpec, token: Mapping[str, Any]) -> str:
    mine = [one for one in bridge.store.connections.of_user(user.id) if one.source == spec.name]
    same = [one.name for one in mine if host_and_address(bridge, one)[1] == token.get("url")]
    taken = {one.name for one in mine}
    free = [name for name in (ACCOUNT, *(f"{ACCOUNT}-{n}" for n in range(2, ACCOUNTS_MAX + 1))) if name not in taken]
    if not same and not free:
        raise SetupError(
            say("a source can have at most {count} accounts; remove one of them first", count=ACCOUNTS_MAX)
        )
    return same[0] if same else free[0]


def host_and_address(bridge: Bridge, connection: Connection) -> tuple[str, str]:
    """Return (host, whole address) of a connection whose address the user typed, or ("", ""). The address is secret."""
    try:
        address = StoredAccount(connection.id, {}, bridge.store, bridge.vault).token_field("url")
    except BridgeError:
        return "", ""
    return egress.host_of(address) if address else "", address


def _served_as_well(spec: ConnectorSpec, source: str) -> ConnectorSpec:
    other = registry.spec(source)
    if source not in {one.name for one in joined_by(spec)}:
        raise SetupError(
            f"a consent at {spec.name} does not serve {source}; "
            f"connect that by itself: bridge connect {source} --user NAME"
        )
    return other


def joined_by(spec: ConnectorSpec) -> list[ConnectorSpec]:
    """Return the vendor's other sources that the consent at a source can cover too."""
    if not spec.consent_scopes:
        return []
    found = (one for one in registry.specs() if one.consent_scopes and one.name != spec.name)
    return [one for one in found if one.registration == spec.registration]


def writes_advice(bridge: Bridge, user: User) -> bool:
    """Return True if accepted recommendations are written into a connected calendar of the user."""
    for connection in bridge.store.connections.of_user(user.id):
        spec = registry.spec(connection.source)
        if spec.writes is not None and connection.paused is None:
            with suppress(SetupError):  # a setting of the source is missing, so nothing is written
                if (bridge.account(connection, spec).token() or {}).get(WRITES_FIELD):
                    return True
    return False


def _save_consent(
    bridge: Bridge, user: User, spec: ConnectorSpec, token: Mapping[str, Any], account: str = ACCOUNT
) -> Connection:
    """Save a consent while holding the refresh lock, because a running sync could overwrite it with an older token."""
    with ExitStack() as locks:
        for earlier in bridge.store.connections.of_user(user.id):
            if (earlier.source, earlier.name) == (spec.name, account):
                locks.enter_context(bridge.account(earlier, spec).refresh_lock())
        locks.enter_context(bridge.store.lock(SEALING_LOCK))
        locks.enter_context(bridge.store.transaction())
        connection = bridge.store.connections.connect(user.id, spec.name, account, now=now())
        bridge.account(connection, spec).save_token(token)
    return connection


def _by_hand(spec: ConnectorSpec, user: User) -> str:
    if spec.receives is not None:
        return (
            f"have it sent: bridge connect {spec.name} --user {user.name} --push, "
            f"or give it a file: bridge import PATH --user {user.name}"
        )
    if spec.reads is not None:
        return f"give it a file: bridge import PATH --user {user.name}"
    return f"say it yourself: bridge checkin SCORE --user {user.name}"


def disconnect(bridge: Bridge, user: User, source: str, *, keep: bool = False, name: str | None = None) -> bool:
    """Disconnect the user from a source, or only from the connection ``name``.

    Return True if every consent was revoked. With ``keep`` the data stay stored. Raises SetupError if the user is not
    connected to the source.
    """
    spec = registry.spec(source)
    confirmed = True
    mine = connections_of(bridge, user, source)
    ended = [one for one in mine if name in (None, one.name)]
    for connection in ended:
        confirmed = _revoked(bridge, connection, spec) and confirmed
        if keep:
            _drop_consent(bridge, connection)
        else:
            bridge.store.connections.disconnect(connection.id)
    if spec.registers is not None and not _is_connected(bridge, source):
        webhooks.register(bridge, spec, None, now=now())
    if not keep:
        if len(ended) == len(mine):
            shutil.rmtree(bridge.settings.inbox(user.id) / source, ignore_errors=True)
        shutil.rmtree(bridge.settings.cache / "trends", ignore_errors=True)  # drawn from the deleted data
    return confirmed


def _revoked(bridge: Bridge, connection: Connection, spec: ConnectorSpec) -> bool:
    """Revoke a connection's consent at the vendor. Return False if it may still be valid there."""
    held = bridge.store.connections.secret(connection.id) is not None
    if not held or connection.name.startswith(FOLDER_CONNECTION) or _is_shared(bridge, connection, spec):
        return True
    if spec.revokes is not None:
        with suppress(BridgeError):  # without settings or key the vendor cannot be told
            webhooks.unsubscribe(bridge.account(connection, spec), spec, now=now())
            return bool(registry.resolve(spec.revokes)(bridge.account(connection, spec)))
    return False


def _is_connected(bridge: Bridge, source: str) -> bool:
    held = (c for user in bridge.store.people.users() for c in bridge.store.connections.of_user(user.id))
    return any(c.source == source and bridge.store.connections.secret(c.id) is not None for c in held)


def _is_shared(bridge: Bridge, connection: Connection, spec: ConnectorSpec) -> bool:
    """Return True if another connection uses the same refresh token, so that it must not be revoked."""
    if not spec.consent_scopes:
        return False
    with suppress(BridgeError):  # without the key nothing can be revoked either
        mine = StoredAccount(connection.id, {}, bridge.store, bridge.vault).token_field("refresh_token")
        others = (c for c in bridge.store.connections.of_user(connection.user_id) if c.id != connection.id)
        held = (StoredAccount(c.id, {}, bridge.store, bridge.vault) for c in others if c.name == connection.name)
        return bool(mine) and any(one.token_field("refresh_token") == mine for one in held)
    return False


def _drop_consent(bridge: Bridge, connection: Connection) -> None:
    """Delete a consent while holding its refresh lock. A running sync could save a refreshed token otherwise."""
    with StoredAccount(connection.id, {}, bridge.store, bridge.vault).refresh_lock():
        bridge.store.connections.drop_consent(connection.id)


def forget(bridge: Bridge, user: User) -> list[str]:
    """Revoke every consent and delete the user with all data. Return the sources whose consent may still be valid.

    The user's name goes last, so that a failed call can be repeated. Raises SetupError if a folder cannot be deleted.
    """
    unconfirmed, connections = [], bridge.store.connections.of_user(user.id)
    given = {
        c.source
        for c in connections
        if bridge.store.connections.secret(c.id) and not c.name.startswith(FOLDER_CONNECTION)
    }
    for source in sorted({c.source for c in connections}):
        confirmed = False
        with suppress(BridgeError):  # the source is no longer installed
            confirmed = disconnect(bridge, user, source)
        if source in given and not confirmed:
            unconfirmed.append(source)
    delete_folders(bridge.settings.folders_of_user(user.id), f"bridge forget --user {user.name}")
    shutil.rmtree(bridge.settings.cache, ignore_errors=True)
    bridge.store.people.forget(user.id)
    if not bridge.store.people.users():
        clients.drop_all(bridge)
    return unconfirmed


def connections_of(bridge: Bridge, user: User, source: str | None) -> list[Connection]:
    """Return the user's connections to ``source``, or to all sources for None. Raises SetupError if there are none."""
    found = [c for c in bridge.store.connections.of_user(user.id) if source in (None, c.source)]
    if not found:
        what = source or "anything"
        raise SetupError(
            f"{user.name} is not connected to {what}: bridge connect {source or 'SOURCE'} --user {user.name}"
        )
    return found


def connect_folder(bridge: Bridge, user: User, source: str, folder: Path) -> Connection:
    """Connect a folder, whose new files every sync imports, and return the connection.

    Raises SetupError if the source reads no files, or if the folder is missing.
    """
    spec = registry.spec(source)
    if spec.reads is None:
        instead = f"log in instead: bridge connect {source} --user {user.name}"
        raise SetupError(f"{source} reads no files; {instead if spec.authorises else _by_hand(spec, user)}")
    if not folder.is_dir():
        raise SetupError(
            f"there is no folder {folder}; name another: bridge connect {source} --folder PATH --user {user.name}"
        )
    place = str(folder.resolve())
    others = [
        c
        for c in bridge.store.connections.of_user(user.id)
        if c.source == source and c.name.startswith(FOLDER_CONNECTION)
    ]
    name = folder_pages.connection_name(
        place, {c.name: StoredAccount(c.id, {}, bridge.store, bridge.vault) for c in others}
    )
    with bridge.store.lock(SEALING_LOCK), bridge.store.transaction():
        connection = bridge.store.connections.connect(user.id, source, name, now=now())
        StoredAccount(connection.id, {}, bridge.store, bridge.vault).save_token({"folder": place})
    return connection


def is_lost(bridge: Bridge, connection: Connection) -> bool:
    """Return True if a connection lost its consent without the user ending it, as after restoring an export."""
    return _has_no_secret(bridge, connection) and not is_kept(bridge, connection)


def is_kept(bridge: Bridge, connection: Connection) -> bool:
    """Return True if the user disconnected a connection but kept its data, so that it is never synced again."""
    ended = connection.due_at is None and connection.paused is None and connection.last_success is not None
    return ended and _has_no_secret(bridge, connection)


def _has_no_secret(bridge: Bridge, connection: Connection) -> bool:
    return (
        connection.name.startswith(("account", FOLDER_CONNECTION))
        and bridge.store.connections.secret(connection.id) is None
    )


def mending_command(bridge: Bridge, user: User, connection: Connection) -> str:
    """Return the command that repairs a connection which failed, was paused or has lost its consent."""
    login = f"bridge connect {connection.source} --user {user.name}"
    if connection.name == IMPORT_CONNECTION:
        return f"bridge import PATH --user {user.name}"
    if is_lost(bridge, connection):
        pushed = connection.name == PUSH_CONNECTION
        return login + ("" if connection.name.startswith("account") else " --push" if pushed else " --folder PATH")
    last = bridge.store.scheduling.last_outcome(connection.id)
    if connection.paused and not (last and last[1].outcome == "stopped"):
        return login
    return f"bridge sync --user {user.name} --source {connection.source}"


def next_step(bridge: Bridge, user: User, connection: Connection, now: datetime) -> str:
    """Return the command that a user should run next for a connection, or "" if all is well."""
    wrong = connection.paused or connection.last_error or is_lost(bridge, connection)
    if wrong or connection.last_success is connection.due_at is None:
        return mending_command(bridge, user, connection)
    if connection.due_at is not None and connection.due_at < now:
        return f"bridge sync --user {user.name}"
    return f"bridge connect {connection.source} --user {user.name}" if connection.not_permitted else ""
