"""Composition: settings become a store, a vault, opened sources, a classifier and a policy."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from bridge import config, registry
from bridge.errors import SetupError
from bridge.ports import (
    Browser,
    Connection,
    Connector,
    ConnectorSpec,
    EventClassifier,
    Landing,
    Normaliser,
    Store,
    User,
)
from bridge.sync import OnPage, Source, silent, sync, take
from bridge.types import Outcome
from bridge.vault import Vault, open_vault
from rhythm_env.interface import Policy, zone_at


def now() -> datetime:
    """The time, or ``BRIDGE_NOW`` (ISO 8601 with offset) where a day is replayed."""
    fixed = os.environ.get("BRIDGE_NOW")
    if fixed is None:
        return datetime.now(UTC)
    at = datetime.fromisoformat(fixed)
    if at.tzinfo is None:
        raise SetupError("BRIDGE_NOW needs an offset, e.g. 2026-11-20T10:05:00+01:00")
    return at.astimezone(UTC)


class StoredAccount:
    """A connection's settings and its token, sealed in the store."""

    def __init__(self, connection_id: int, settings: Mapping[str, str], store: Store, vault: Vault) -> None:
        self.settings = settings
        self._connection_id = connection_id
        self._store = store
        self._vault = vault

    def token(self) -> dict[str, Any] | None:
        sealed = self._store.secret(self._connection_id)
        return None if sealed is None else self._vault.unseal(sealed)

    def save_token(self, token: Mapping[str, Any]) -> None:
        self._store.save_secret(self._connection_id, self._vault.seal(token))


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """One installation, opened."""

    settings: config.Settings
    store: Store

    @cached_property
    def vault(self) -> Vault:
        return open_vault(self.settings.key, self.settings.folder)

    @cached_property
    def classifier(self) -> EventClassifier:
        return registry.classifier(self.settings.classifier)

    def policy(self, name: str | None = None) -> Policy:
        return registry.policy(name or self.settings.policy)

    @cached_property
    def holder(self) -> str:
        """Who we are in a lease: host, process, and a mark that survives a reused process number."""
        return f"{socket.gethostname()}/{os.getpid()}/{uuid.uuid4().hex[:8]}"

    def account(self, connection: Connection, spec: ConnectorSpec) -> StoredAccount:
        return StoredAccount(connection.id, self.settings.of_source(spec), self.store, self.vault)


@contextmanager
def open_bridge() -> Iterator[Bridge]:
    """Open the installation the settings name; a fresh one needs no other step."""
    from bridge.store import open_store

    settings = config.load()
    store = open_store(settings.database)
    try:
        yield Bridge(settings=settings, store=store)
    finally:
        store.close()


def connect(bridge: Bridge, user: User, source: str, browser: Browser) -> Connection:
    """Obtain consent and keep the connection; a consent that fails leaves no new connection behind."""
    spec = registry.spec(source)
    if spec.authorises is None:
        raise SetupError(f"{source} needs no consent; give it a file: bridge import PATH --user {user.name}")
    settings = bridge.settings.of_source(spec)
    fresh = _Consent(settings)
    registry.resolve(spec.authorises)(fresh, browser)
    if fresh.obtained is None:
        raise SetupError(f"{source} gave no token; try again: bridge connect {source} --user {user.name}")
    with bridge.store.transaction():
        connection = bridge.store.connect(user.id, source, "account", now=now())
        bridge.account(connection, spec).save_token(fresh.obtained)
    return connection


class _Consent:
    """An account before its connection exists."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self.settings = settings
        self.obtained: dict[str, Any] | None = None

    def token(self) -> dict[str, Any] | None:
        return self.obtained

    def save_token(self, token: Mapping[str, Any]) -> None:
        self.obtained = dict(token)


def disconnect(bridge: Bridge, user: User, source: str) -> bool:
    """Revoke the consent at the vendor, then delete the connection and all that came through it.

    Returns whether the vendor confirmed; the data is deleted either way.
    """
    spec = registry.spec(source)
    confirmed = False
    for connection in chosen(bridge, user, source):
        if spec.revokes is not None and bridge.store.secret(connection.id) is not None:
            confirmed = bool(registry.resolve(spec.revokes)(bridge.account(connection, spec)))
        bridge.store.disconnect(connection.id)
    return confirmed


def chosen(bridge: Bridge, user: User, source: str | None) -> list[Connection]:
    """The user's connections, or those to one source. Raises SetupError when there is none."""
    found = [c for c in bridge.store.connections(user.id) if source in (None, c.source)]
    if not found:
        what = source or "anything"
        raise SetupError(
            f"{user.name} is not connected to {what}: bridge connect {source or 'SOURCE'} --user {user.name}"
        )
    return found


def sync_user(
    bridge: Bridge,
    user: User,
    source: str | None,
    *,
    at: datetime,
    watch: Callable[[str], OnPage] | None = None,
) -> list[Outcome]:
    """Sync every live connection of a user (files are not pulled), one after the other."""
    connections = [c for c in chosen(bridge, user, source) if registry.spec(c.source).opens is not None]
    live = [c for c in connections if bridge.store.secret(c.id) is not None]
    if not live:
        raise SetupError(f"{user.name} has no live connection: bridge connect {source or 'SOURCE'} --user {user.name}")
    return [sync_connection(bridge, c, at=at, on_page=watch(c.source) if watch else silent) for c in live]


def sync_connection(bridge: Bridge, connection: Connection, *, at: datetime, on_page: OnPage = silent) -> Outcome:
    """Open one connection and sync it. A connection that cannot be opened is an outcome too, not a crash."""
    spec = registry.spec(connection.source)
    free_dead_lease(bridge.store, connection)

    def opened() -> Connector:
        connector: Connector = registry.resolve(spec.opens or "")(bridge.account(connection, spec))
        return connector

    source = Source(connection=connection, spec=spec, open=opened, normalise=normaliser(spec))
    return sync(source, bridge.store, holder=bridge.holder, now=at, on_page=on_page)


def import_file(bridge: Bridge, user: User, path: Path, *, at: datetime, on_page: OnPage = silent) -> Outcome:
    """Land what a file or folder holds, through the connector that recognises it by content."""
    spec = recognise(path)
    connection = bridge.store.connect(user.id, spec.name, "import", now=at)
    source = Source(connection=connection, spec=spec, open=None, normalise=normaliser(spec))
    zone = zone_at(at, user.zones).key
    pages = registry.resolve(spec.reads or "")(path, zone=zone)
    return take(source, pages, bridge.store, holder=bridge.holder, now=at, on_page=on_page)


def recognise(path: Path) -> ConnectorSpec:
    """The source whose file this is. Raises SetupError when the file is missing or nobody knows it."""
    if not path.exists():
        raise SetupError(f"there is no file or folder {path}")
    readers = [spec for spec in registry.specs() if spec.recognises is not None]
    for spec in readers:
        if registry.resolve(spec.recognises or "")(path):
            return spec
    known = ", ".join(spec.title for spec in readers)
    raise SetupError(f"{path.name} is no export this bridge can read (it reads: {known})")


def rebuild(
    bridge: Bridge, user: User, source: str | None, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, list[Landing]]:
    """Derive everything again from the kept records, without the network."""
    landings: dict[str, list[Landing]] = {}
    for connection in chosen(bridge, user, source):
        spec = registry.spec(connection.source)
        landings.setdefault(connection.source, []).extend(
            bridge.store.rebuild(connection, normaliser(spec), version=spec.normaliser_version, progress=progress)
        )
    return landings


def normaliser(spec: ConnectorSpec) -> Normaliser:
    found: Normaliser = registry.resolve(spec.normaliser)
    return found


def free_dead_lease(store: Store, connection: Connection) -> None:
    """A lease whose holder was killed on this machine would block every sync until it runs out: free it."""
    holder = store.holder(connection.id)
    if holder is None:
        return
    host, _, rest = holder.partition("/")
    process = rest.partition("/")[0]
    if host == socket.gethostname() and process.isdigit() and not _alive(int(process)):
        store.release(connection.id, holder)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
