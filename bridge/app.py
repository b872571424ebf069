"""Composition: settings become a store, a vault, opened sources, a classifier and a policy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from bridge import archive, channels, config, intake, leases, plans, registry
from bridge.account import SEALING, Consent
from bridge.account import StoredAccount as StoredAccount
from bridge.errors import BridgeError, SetupError
from bridge.files import delete_folders, found
from bridge.filing import Reading, refused, take
from bridge.guard import Guard, guard_of
from bridge.intake import FOLDER
from bridge.meters import proxy
from bridge.ports import (
    Browser,
    Connection,
    Connector,
    ConnectorSpec,
    EventClassifier,
    Landing,
    Normaliser,
    ProxyMap,
    Store,
    User,
)
from bridge.sync import Lease, OnPage, Source, held, silent, sync
from bridge.types import Outcome
from bridge.vault import Vault, open_vault
from rhythm_env.interface import Policy, zone_at

IMPORT = "import"  # connections of this name hold what was imported from files
WRITES = "writes"  # beside a consent: whether accepted advice is written there


def now() -> datetime:
    """The time, or ``BRIDGE_NOW`` (ISO 8601 with offset) where a day is replayed."""
    fixed = os.environ.get("BRIDGE_NOW")
    if fixed is None:
        return datetime.now(UTC)
    at = datetime.fromisoformat(fixed)
    if at.tzinfo is None:
        raise SetupError("BRIDGE_NOW needs an offset, e.g. 2026-11-20T10:05:00+01:00")
    return at.astimezone(UTC)


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
        return registry.classifier(self.settings.classifier, self.settings)

    @property
    def proxies(self) -> ProxyMap:
        """As it is now: what is changed by ``bridge meters map`` reaches what is running, for one look at the file."""
        return proxy.current(self.settings.folder / proxy.OVERRIDES)

    @cached_property
    def guard(self) -> Guard:
        return guard_of(self.settings.explore, self.settings.quiet)

    def policy(self, name: str | None = None) -> Policy:
        return registry.policy(name or self.settings.policy, self.settings)

    @cached_property
    def holder(self) -> str:
        """Who we are in a lease."""
        return leases.holder()

    def account(self, connection: Connection, spec: ConnectorSpec) -> StoredAccount:
        zone = zone_at(now(), self.store.person(connection.user_id).zones).key
        return StoredAccount(connection.id, self.settings.of_source(spec), self.store, self.vault, zone=zone)


@contextmanager
def open_bridge() -> Iterator[Bridge]:
    """Open the installation the settings name; a fresh one needs no other step."""
    from bridge.store import open_store

    settings = config.load()
    with closing(open_store(settings.database)) as store:
        yield Bridge(settings=settings, store=store)


def connect(bridge: Bridge, user: User, source: str, browser: Browser, *, write: bool = False) -> Connection:
    """Obtain consent and keep the connection; a consent that fails leaves no new connection behind.

    ``write``: also to write accepted advice there; a consent without it ends an earlier one that had it.
    """
    spec = registry.spec(source)
    if spec.authorises is None:
        raise SetupError(f"{source} needs no consent; {_by_hand(spec, user)}")
    if write and spec.writes is None:
        raise SetupError(f"nothing can be written to {source}; only read: bridge connect {source} --user {user.name}")
    fresh = Consent(bridge.settings.of_source(spec), zone_at(now(), user.zones).key)
    registry.resolve(spec.authorises)(fresh, browser, **({"write": True} if write else {}))
    if fresh.obtained is None:
        raise SetupError(f"{source} gave no token; try again: bridge connect {source} --user {user.name}")
    return _keep(bridge, user, spec, fresh.obtained | {WRITES: write})


def _keep(bridge: Bridge, user: User, spec: ConnectorSpec, token: Mapping[str, Any]) -> Connection:
    """Not while a sync swaps the token of an earlier consent: what it then saves would replace this one."""
    with ExitStack() as locks:
        for earlier in bridge.store.connections(user.id):
            if (earlier.source, earlier.name) == (spec.name, "account"):
                locks.enter_context(bridge.account(earlier, spec).swapping())
        locks.enter_context(bridge.store.lock(SEALING))
        locks.enter_context(bridge.store.transaction())
        connection = bridge.store.connect(user.id, spec.name, "account", now=now())
        bridge.account(connection, spec).save_token(token)
    return connection


def _by_hand(spec: ConnectorSpec, user: User) -> str:
    """How data comes in that no account gives."""
    if spec.receives is not None:
        return f"have it sent: bridge connect {spec.name} --user {user.name} --push, or: bridge import PATH"
    if spec.reads is not None:
        return f"give it a file: bridge import PATH --user {user.name}"
    return f"say it yourself: bridge checkin SCORE --user {user.name}"


def disconnect(bridge: Bridge, user: User, source: str) -> bool:
    """Revoke the consent at the vendor, then delete the connection and all that came through it, either way.
    Returns whether no consent is left there: none was given, or the vendor confirmed.
    """
    spec = registry.spec(source)
    confirmed = True
    for connection in chosen(bridge, user, source):
        live = bridge.store.secret(connection.id) is not None and not connection.name.startswith(FOLDER)
        confirmed = confirmed and not live
        if spec.revokes is not None and live:
            with suppress(BridgeError):  # settings or key are gone: then nobody can tell the vendor
                channels.end(bridge.account(connection, spec), spec, now=now())
                confirmed = bool(registry.resolve(spec.revokes)(bridge.account(connection, spec)))
        bridge.store.disconnect(connection.id)
    shutil.rmtree(bridge.settings.inbox(user.id) / source, ignore_errors=True)
    shutil.rmtree(bridge.settings.cache / "trends", ignore_errors=True)  # what was drawn from it
    return confirmed


def forget(bridge: Bridge, user: User) -> list[str]:
    """Revoke every consent and delete the person with everything, also where revoking fails, and all caches, which do
    not tell whose they are. Returns the sources that did not confirm. The name goes last: what fails is done again.
    """
    unconfirmed, connections = [], bridge.store.connections(user.id)
    given = {c.source for c in connections if bridge.store.secret(c.id) and not c.name.startswith(FOLDER)}
    for source in sorted({c.source for c in connections}):
        confirmed = False
        with suppress(BridgeError):  # a source that is no longer installed
            confirmed = disconnect(bridge, user, source)
        if source in given and not confirmed:
            unconfirmed.append(source)
    delete_folders(bridge.settings.of_person(user.id), f"bridge forget --user {user.name}")
    shutil.rmtree(bridge.settings.cache, ignore_errors=True)
    bridge.store.forget(user.id)
    return unconfirmed


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
    """Sync every connection of a user that can be synced (accounts and folders), one after the other."""
    live = [c for c in chosen(bridge, user, source) if bridge.store.secret(c.id) is not None]
    if not live:
        raise SetupError(f"{user.name} has no live connection: bridge connect {source or 'SOURCE'} --user {user.name}")
    return [sync_connection(bridge, user, c, at=at, on_page=watch(c.source) if watch else silent) for c in live]


def sync_connection(
    bridge: Bridge, user: User, connection: Connection, *, at: datetime, on_page: OnPage = silent
) -> Outcome:
    """Open one connection and sync it. A connection that cannot be opened is an outcome too, not a crash."""
    spec = registry.spec(connection.source)
    leases.free_dead(bridge.store, connection)
    if connection.name.startswith(FOLDER):
        return _sync_folder(bridge, user, connection, spec, at=at, on_page=on_page)

    def opened() -> Connector:
        connector: Connector = registry.resolve(spec.opens or "")(bridge.account(connection, spec))
        return connector

    source = Source(connection=connection, spec=spec, open=opened, normalise=normaliser(spec))
    outcome = sync(source, bridge.store, holder=bridge.holder, now=at, on_page=on_page)
    if outcome.outcome == "ok":
        write_plans(bridge, user, connection, at=at)
        lease = Lease(store=bridge.store, connection=connection, holder=replace(bridge).holder, now=at)
        channels.keep(bridge.account(connection, spec), spec, bridge.settings.url, lease)
    return outcome


def write_plans(bridge: Bridge, user: User, connection: Connection, *, at: datetime) -> bool:
    """Bring accepted advice to where a person wants it written; False when that is to be tried again.

    By a holder of its own, as what follows a sync: where the daemon syncs the connection again, it is that sync's.
    """
    spec = registry.spec(connection.source)
    if spec.writes is None:
        return True
    account = bridge.account(connection, spec)
    if not (account.token() or {}).get(WRITES):
        return True
    write = partial(registry.resolve(spec.writes), account)
    lease = Lease(store=bridge.store, connection=connection, holder=replace(bridge).holder, now=at)
    return plans.keep(bridge.store, user, bridge.classifier, write, lease)


def _sync_folder(
    bridge: Bridge, user: User, connection: Connection, spec: ConnectorSpec, *, at: datetime, on_page: OnPage
) -> Outcome:
    """Import what is new in a connected folder."""
    account = StoredAccount(connection.id, {}, bridge.store, bridge.vault)
    try:
        folder = intake.place_of(connection, account, bridge.settings.inbox(user.id))
        settings = bridge.settings.of_plugin(spec.name, spec.file_settings)
    except BridgeError as error:
        source = Source(connection=connection, spec=spec, open=None, normalise=normaliser(spec))
        return refused(source, error, bridge.store, holder=bridge.holder, now=at)
    cursor = bridge.store.cursor(connection.id, intake.SEEN, spec.cursor_version)
    reading = intake.Folder(spec, folder, zone_at(at, user.zones).key, cursor, user.zones, settings)
    return _take(bridge, connection, spec, reading, at=at, on_page=on_page)


def _take(
    bridge: Bridge, connection: Connection, spec: ConnectorSpec, reading: Reading, *, at: datetime, on_page: OnPage
) -> Outcome:
    recurring = connection.name.startswith(FOLDER)
    source = Source(connection=connection, spec=spec, open=None, normalise=normaliser(spec), recurring=recurring)
    return take(source, reading, bridge.store, holder=bridge.holder, now=at, on_page=on_page)


def connect_folder(bridge: Bridge, user: User, source: str, folder: Path) -> Connection:
    """Keep a folder as a connection: every sync imports what is new in it. One source may have several folders."""
    spec = registry.spec(source)
    if spec.reads is None:
        instead = f"log in instead: bridge connect {source} --user {user.name}"
        raise SetupError(f"{source} reads no files; {instead if spec.authorises else _by_hand(spec, user)}")
    if not folder.is_dir():
        raise SetupError(f"there is no folder {folder}")
    place = str(folder.resolve())
    others = [c for c in bridge.store.connections(user.id) if c.source == source and c.name.startswith(FOLDER)]
    name = intake.name_for(place, {c.name: StoredAccount(c.id, {}, bridge.store, bridge.vault) for c in others})
    with bridge.store.lock(SEALING), bridge.store.transaction():
        connection = bridge.store.connect(user.id, source, name, now=now())
        StoredAccount(connection.id, {}, bridge.store, bridge.vault).save_token({"folder": place})
    return connection


def import_path(
    bridge: Bridge,
    user: User,
    path: Path,
    *,
    at: datetime,
    settings: Mapping[str, str] = {},
    on_bytes: Callable[[str], intake.OnBytes] = lambda _: intake.unwatched,
) -> intake.Imported:
    """Land what a file or folder holds, each file through the source that recognises it by its content.

    ``settings`` outrank those of the installation, for readers that have them. Raises SetupError when the file is
    missing or nobody knows anything in there.
    """
    if not path.exists():
        raise SetupError(f"there is no file or folder {path}")
    with ExitStack() as stack:
        exported = archive.opened(path, stack)
        if exported is not None:
            outcome = archive.restore(bridge.store, user.id, exported)
            return intake.Imported(outcomes=[outcome], unknown=[], unreadable=[])
        files = intake.sort_out(found(path, stack), registry.specs())
        if not files.known and not files.unreadable:
            titles = ", ".join(spec.title for spec in registry.specs() if spec.reads is not None)
            raise SetupError(f"{path.name} is no export this bridge can read (it reads: {titles})")
        outcomes = []
        for source, chosen_files in sorted(files.known.items()):
            spec = registry.spec(source)
            connection = bridge.store.connect(user.id, source, IMPORT, now=at)
            leases.free_dead(bridge.store, connection)
            wanted = bridge.settings.of_plugin(source, spec.file_settings)
            reading = intake.Files(
                spec,
                chosen_files,
                zone_at(at, user.zones).key,
                {name: settings.get(name, value) for name, value in wanted.items()},
                bridge.store.cursor(connection.id, intake.IMPORTED, spec.cursor_version),
                on_bytes(source),
                zones=user.zones,
                whole=path.is_dir() or len(chosen_files) > 1,
            )
            outcomes.append(_take(bridge, connection, spec, reading, at=at, on_page=silent))
    return intake.Imported(outcomes=outcomes, unknown=files.unknown, unreadable=files.unreadable)


def rebuild(
    bridge: Bridge, user: User, source: str | None, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, list[Landing]]:
    """Derive everything again from the kept records, without the network.

    Raises TryLater where a sync of one of them is running: what it lands would be lost.
    """
    landings: dict[str, list[Landing]] = {}
    for connection in chosen(bridge, user, source):
        spec = registry.spec(connection.source)
        leases.free_dead(bridge.store, connection)
        with held(Lease(store=bridge.store, connection=connection, holder=bridge.holder, now=now())) as lease:
            told, version = lease.renewing(progress), spec.normaliser_version
            done = bridge.store.rebuild(connection, normaliser(spec), version=version, progress=told)
        landings.setdefault(connection.source, []).extend(done)
    return landings


def normaliser(spec: ConnectorSpec) -> Normaliser:
    found: Normaliser = registry.resolve(spec.normaliser)
    return found
