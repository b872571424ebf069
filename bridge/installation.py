"""Open an installation from its settings: its store, keys, classifier, policy, proxy map and guard."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bridge import config, leases, registry
from bridge.auth.account import StoredAccount as StoredAccount
from bridge.auth.vault import Vault, open_vault
from bridge.calendar.flights import followed
from bridge.calendar.ownership import Ownership, Whose
from bridge.domain.errors import BridgeError, Fault, SetupError, StoreFault
from bridge.domain.guard import Guard, guard_from_settings
from bridge.domain.ports import ConnectorSpec, EventClassifier, Normaliser, Setting
from bridge.domain.records import Connection, ProxyMap, User
from bridge.domain.slots import zone_at
from rhythm_env.interface import Policy

if TYPE_CHECKING:
    from bridge.store import Store

FLIGHTS_NEAR = timedelta(days=60)  # before and after an instant, in which flights count


def now() -> datetime:
    """Return the present time in UTC, or the instant in ``BRIDGE_NOW``. Raises SetupError without an offset."""
    fixed = os.environ.get("BRIDGE_NOW")
    if not fixed:
        return datetime.now(UTC)
    try:
        at = datetime.fromisoformat(fixed)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise SetupError("the instant in BRIDGE_NOW needs an offset; write it like 2026-11-20T10:05:00+01:00")
    return at.astimezone(UTC)


@dataclass(frozen=True, kw_only=True)
class Bridge:
    """An open installation, with its settings, its store, and the parts that the settings choose."""

    settings: config.Settings
    store: Store

    @cached_property
    def vault(self) -> Vault:
        """The vault that encrypts and decrypts secrets with the installation's keys."""
        return open_vault(self.settings.key, self.settings.folder)

    @cached_property
    def classifier(self) -> EventClassifier:
        """The classifier that the settings name, which tells the action of calendar events."""
        return registry.classifier(self.settings.classifier, self.settings)

    @cached_property
    def snapshots(self) -> threading.local:
        """The last snapshots that each thread loaded, by what they rest on."""
        return threading.local()

    @property
    def proxies(self) -> ProxyMap:
        """The proxy map with this installation's changes, read each time. Raises SetupError for a bad change."""
        from bridge.meters import proxy

        return proxy.current(self.settings.folder / proxy.OVERRIDES)

    @cached_property
    def guard(self) -> Guard:
        """The guard that ``BRIDGE_EXPLORE`` and ``BRIDGE_QUIET`` describe. Raises SetupError for unreadable values."""
        return guard_from_settings(self.settings.explore, self.settings.quiet)

    def policy(self, name: str | None = None) -> Policy:
        """Open the policy ``name``, by default that of the settings. Raises SetupError for a bad name or setting."""
        return registry.policy(name or self.settings.policy, self.settings)

    def fault(self) -> StoreFault | None:
        """Return what keeps the store or the bridge's folder from being used, or None if all is well."""
        from bridge.store import faults

        database = self.store.database
        if database.fault not in (None, Fault.DAMAGED, Fault.LOCKED):
            with suppress(StoreFault):
                self.store.maintenance.mark_done("store tried", self.holder, now=now())
        places = (self.settings.folder, *([database.path.parent] if database.path else []))
        kinds = (database.fault, *map(faults.of_disk, places))
        found = next((kind for kind in kinds if kind not in (None, Fault.LOCKED)), None)
        return None if found is None else faults.fault(found)

    @cached_property
    def holder(self) -> str:
        """The name, new for each ``Bridge``, under which it holds leases (rights to sync a connection)."""
        return leases.holder()

    def person(self, name: str, *, at: datetime) -> User:
        """Return a user by name, whose time zones follow flights. Raises SetupError if there is none."""
        return self.travelled(self.store.people.user(name), at=at)

    def travelled(self, user: User, *, at: datetime) -> User:
        """Return a user whose time zones also follow the user's own flights, as they are known at ``at``.

        Flights that arrive within 60 days before and after ``at`` count.
        """
        found = self.store.reading.arrivals(user.id, since=at - FLIGHTS_NEAR, until=at + FLIGHTS_NEAR)
        whose = self.store.people.preferences(user.id).ownership(user.name) if found else Ownership()
        flights = [one for one in found if whose.whose(one) in (None, Whose.MINE)]
        return replace(user, zones=followed(user.zones, flights, now=at)) if flights else user

    def travelled_all(self, *, at: datetime) -> list[User]:
        """Return all users, with time zones that follow the flights in their calendars. One query reads all flights."""
        flights = self.store.reading.all_arrivals(since=at - FLIGHTS_NEAR, until=at + FLIGHTS_NEAR)
        return [
            replace(user, zones=followed(user.zones, flights[user.id], now=at)) if user.id in flights else user
            for user in self.store.people.users()
        ]

    def at_once(self, source: str) -> int:
        """The accounts of a source that may be synced at the same time, by all processes together."""
        return self.settings.at_once.get(source, registry.spec(source).at_once)

    def rate(self, source: str) -> float | None:
        """The requests a second that a source is sent, by all processes together; None is no limit of ours."""
        return self.settings.rate.get(source, registry.spec(source).rate)

    def account(self, connection: Connection, spec: ConnectorSpec, user: User | None = None) -> StoredAccount:
        """Return the account of a connection to the source ``spec``. Raises SetupError naming a bad setting."""
        user = user or self.store.people.user_by_id(connection.user_id)
        settings, zone = self.settings_of(user, spec.name, spec.settings), zone_at(now(), user.zones).key
        allowed = self.settings.allow_hosts
        return StoredAccount(connection.id, settings, self.store, self.vault, zone=zone, allow_hosts=allowed)

    def settings_of(self, user: User, plugin: str, wanted: Sequence[Setting]) -> dict[str, str]:
        """Return name -> value of a plug-in's settings ``wanted`` for a user. Raises SetupError for a bad one."""
        return self.settings.of_plugin(
            plugin,
            wanted,
            person=user.name,
            is_alone=lambda: not self.store.people.has_others(user.id),
            typed=self.typed_client,
        )

    def settings_of_source(self, spec: ConnectorSpec) -> dict[str, str]:
        """Return name -> value of a source's settings that belong to no user. Raises SetupError for a bad one."""
        return self.settings.of_plugin(spec.name, spec.settings, typed=self.typed_client)

    def typed_client(self, name: str) -> Mapping[str, str]:
        """Return the client id and secret that were typed for a source or shared name, or an empty mapping."""
        sealed = self.store.connections.client(name)
        return {} if sealed is None else self.vault.unseal(sealed)


@contextmanager
def open_bridge() -> Iterator[Bridge]:
    """Open the installation that the environment and ``config.toml`` describe, and close its store afterwards.

    Raises SetupError for wrong settings or database, StoreFault for a full disk or damaged data.
    """
    from bridge.store import Store, faults

    settings = config.load()
    refuse_unknown(settings)
    with closing(Store(settings.database)) as store:
        try:
            yield Bridge(settings=settings, store=store)
        except BridgeError:
            raise
        except Exception as error:
            kind = faults.kind_of(error) or (Fault.DAMAGED if store.database.damage() else None)
            if kind is None:
                raise
            raise faults.fault(kind) from error


VARIABLES = frozenset({"home", "log", "now", "samples"})  # of BRIDGE_...; they are no lines of config.toml
TYPO = 0.8  # how like a setting a variable must be to be a slip; other programs may use BRIDGE_ too


def refuse_unknown(settings: config.Settings) -> None:
    """Raise SetupError for a line of ``config.toml`` that is no setting, and for a misspelt ``BRIDGE_...`` variable."""
    common = {setting.name for setting in config.INSTALLATION} | VARIABLES
    variables = [name for name in os.environ if name.startswith("BRIDGE_") and name[7:].lower() not in common]
    if not variables and not settings.sources:
        return
    tables = registry.settings_by_table([*(name[7:].lower() for name in variables), *settings.sources])
    known = {f"{table}_{name}" for table, names in tables.items() for name in names}
    for variable in variables:
        name = variable[7:].lower()
        near = config.nearest(name, known | common, cutoff=TYPO)
        if name not in known and near:
            raise config.unknown_setting(variable, f"BRIDGE_{near}".upper())
    for table, lines in settings.sources.items():
        if table == "people":
            for person in lines.values():
                _refuse_lines(person if isinstance(person, dict) else {}, tables, "people.NAME.")
        else:
            _refuse_lines({table: lines}, tables, "")


def _refuse_lines(written: Mapping[str, Any], tables: Mapping[str, Collection[str]], before: str) -> None:
    for table, lines in written.items():
        if table not in tables:
            raise config.unknown_setting(f"[{before}{table}] in config.toml", f"[{config.nearest(table, tables)}]")
        for name in lines if isinstance(lines, dict) else ():
            if name not in tables[table]:
                near = config.nearest(name, tables[table])
                raise config.unknown_setting(f"{name} under [{before}{table}] in config.toml", near)


def normaliser(spec: ConnectorSpec) -> Normaliser:
    """Return the function by which a source's raw records become samples, episodes, events and tasks."""
    found: Normaliser = registry.resolve(spec.normaliser)
    return found
