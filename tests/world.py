"""One connected person behind one real vendor server, for the tests of every source."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import requests

import lab
from bridge import config, installation, registry
from bridge.auth.vault import Vault
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import Connection, User
from bridge.domain.types import Outcome, RawRecord
from bridge.domain.wishes import Wishes
from bridge.ingest.checkins import CheckIn, record_check_in
from bridge.ingest.sync import Source, sync
from bridge.recordings.server import LabServer
from bridge.store import Store
from lab.vendors import Vendor
from rhythm_env.interface import ActionType

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
FIRST_SYNC_DAYS = 14  # of a source that asks day by day; the fixtures hold no more, and 90 days are 195 requests


def bridge_of(store: Store, classifier: str = "keywords") -> installation.Bridge:
    """The installation around a store."""
    return installation.Bridge(settings=replace(config.load(), classifier=classifier), store=store)


def served() -> list[tuple[str, str]]:
    """(source, case) of every fixture account that a vendor server can serve."""
    cases = []
    for source in registry.names("connectors"):
        if importlib.util.find_spec(f"lab.vendors.{source}") is not None:
            files = sorted(lab.fixtures(source).glob("*.json"))
            cases += [(source, file.stem) for file in files if is_case(file)]
    return cases


def is_case(file: Path) -> bool:
    """Say whether a file of the fixtures is an account, and neither a sample nor what an account comes to."""
    return file.stem != "sample" and not file.stem.endswith(".expected")


def vendor_of(source: str) -> type[Vendor]:
    """The class that plays a source's vendor, which states what tests ask of each."""
    found: type[Vendor] = registry.resolve(f"lab.vendors.{source}:Vendor")
    return found


def filed() -> list[tuple[str, str]]:
    """(source, case) of every folder of fixture files."""
    return [
        (source, folder.name)
        for source in registry.names("connectors")
        for folder in sorted(lab.fixtures(source).glob("*/"))
    ]


def told() -> list[tuple[str, str]]:
    """(source, case) of what people say themselves: of sources that have neither an account nor files."""
    return [
        (source, file.stem)
        for source in registry.names("connectors")
        if registry.spec(source).opens is None and registry.spec(source).reads is None
        for file in sorted(lab.fixtures(source).glob("*.json"))
        if not file.stem.endswith(".expected")
    ]


def told_records(source: str, case: str) -> list[RawRecord]:
    """The ``records`` of such a case, as they arrive."""
    return [RawRecord(**record) for record in lab.account(source, case)["records"]]


def delivered_records(source: str, case: str) -> dict[str, RawRecord]:
    """By path, everything a case delivers at first, whether a vendor serves it or a person says it."""
    if (source, case) in told():
        return {record.path: record for record in told_records(source, case)}
    with closing(Store("sqlite://")) as store, living(store, source, case) as world:
        return {record.path: record for record in world.records()}


def moment_of_case(source: str, case: str) -> datetime:
    """When a case is looked at: the account says so, or the tests' usual moment."""
    text = lab.account(source, case).get("now")
    return datetime.fromisoformat(text) if text else NOW


@dataclass(frozen=True, kw_only=True)
class World:
    """A store with one user, one connection, and its vendor."""

    store: Store
    vendor: Any
    server: LabServer
    user: User
    connection: Connection
    spec: ConnectorSpec
    now: datetime
    allow_hosts: frozenset[str] = frozenset({"127.0.0.1"})  # where the vendor is

    @cached_property
    def account(self) -> installation.StoredAccount:
        settings = self.vendor.settings(self.server.url)
        return installation.StoredAccount(
            self.connection.id, settings, self.store, Vault([KEY]), allow_hosts=self.allow_hosts
        )

    def connector(self) -> Any:
        return registry.resolve(self.spec.opens or "")(self.account)

    def source(self) -> Source:
        return Source(
            connection=self.connection,
            spec=self.spec,
            open=self.connector,
            normalise=installation.normaliser(self.spec),
        )

    def sync(self, *, at: datetime | None = None) -> Outcome:
        self.vendor.now = at or self.now
        return sync(self.source(), self.store, holder="test/1", now=at or self.now)

    def persist(self) -> Outcome:
        """Sync whenever it is due, for a day at most, until that goes well or a person has to act."""
        world, until = self, self.now + timedelta(days=1)
        while True:
            outcome = world.sync()
            connection = self.store.connections.by_id(self.connection.id)
            assert connection is not None
            if connection.due_at is None or outcome.outcome == "ok" or connection.due_at > until:
                return outcome
            world = replace(world, connection=connection, now=max(connection.due_at, world.now))

    def records(self) -> list[RawRecord]:
        """Everything the vendor delivers in a first pull."""
        self.vendor.now = self.now
        with closing(self.connector()) as connector:
            pages = [page for stream in self.spec.streams for page in connector.pull(stream, None, now=self.now)]
        return [record for page in pages for record in page.records]

    def contents(self) -> dict[str, list[Any]]:
        return contents(self.store, self.user)


class Agreeing:
    """Somebody who agrees at once, and pastes where they were sent."""

    def open(self, url: str) -> None:
        self.sent = requests.get(url, timeout=10, allow_redirects=False).headers["Location"]

    def paste(self) -> str | None:
        return self.sent

    def ask(self, question: str) -> str | None:
        raise AssertionError(question)


@contextmanager
def living(store: Store, source: str, case: str) -> Iterator[World]:
    """A person whose vendor holds the fixture ``case``."""
    now = moment_of_case(source, case)
    vendor = registry.resolve(f"lab.vendors.{source}:Vendor")(lab.account(source, case))
    if hasattr(vendor, "days"):
        vendor.days = FIRST_SYNC_DAYS
    user = store.people.add_user("ana", "Europe/Berlin", now=now)
    connection = store.connections.connect(user.id, source, source, now=now)
    with LabServer(vendor.application) as server:
        world = World(
            store=store,
            vendor=vendor,
            server=server,
            user=user,
            connection=connection,
            spec=registry.spec(source),
            now=now,
        )
        world.account.save_token(vendor.grant())
        yield world


def contents(store: Store, user: User) -> dict[str, list[Any]]:
    """Return the rows of a person in a store, in a comparable order."""
    span = {"since": datetime(1990, 1, 1, tzinfo=UTC), "until": datetime(2100, 1, 1, tzinfo=UTC)}
    found: dict[str, list[Any]] = {
        "samples": store.reading.samples(user.id),
        "episodes": store.reading.episodes(user.id),
        "events": store.reading.events(user.id, **span),
        "tasks": store.reading.tasks(user.id),
    }
    rows = {kind: [{"source": s, **plain(item)} for s, item in items] for kind, items in found.items()}
    return {kind: sorted(items, key=str) for kind, items in rows.items()}


def plain(value: Any) -> Any:
    """Dataclasses, and all that their fields hold, as JSON would hold them. What is None is left out."""
    match value:
        case str() if type(value) is str:
            return value
        case float():
            return round(value, 6)
        case int() | None:
            return value
        case dict():
            return {str(key): plain(item) for key, item in value.items() if item is not None}
        case list() | tuple():
            return [plain(item) for item in value]
        case datetime() | date():
            return value.isoformat()
    if is_dataclass(value):
        return plain({field.name: getattr(value, field.name) for field in fields(value)})
    return str(value)


def introduce(store: Store, user: User, *, now: datetime) -> None:
    """Let a user say a week before how it goes. Without any data nothing is advised."""
    record_check_in(store, user, CheckIn(at=now - timedelta(days=7), score=3), now=now)
    aim(store, user, now=now)


def aim(store: Store, user: User, *, now: datetime) -> None:
    """Let a user aim at every action alike, so that each can be suggested whenever it makes sense."""
    store.people.save_wishes(user.id, Wishes(goals=dict.fromkeys(ActionType, 21)), now=now)


def later(world: World, **span: float) -> World:
    """The same world some time later."""
    return replace(world, now=world.now + timedelta(**span))


def expected(source: str, case: str) -> dict[str, list[Any]]:
    """The expected result of a case: ``fixtures/<source>/<case>.expected.json``."""
    path = lab.fixtures(source) / f"{case}.expected.json"
    body: dict[str, list[Any]] = json.loads(path.read_text(encoding="utf-8"))
    return body
