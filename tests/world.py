"""One connected person behind one real vendor server, for the tests of every source."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from bridge import app, lab, registry
from bridge.lab.server import LabServer
from bridge.ports import Connection, ConnectorSpec, Store, User
from bridge.store import open_store
from bridge.sync import Source, sync
from bridge.types import Outcome, RawRecord
from bridge.vault import Vault

KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)


def served() -> list[tuple[str, str]]:
    """(source, case) of every fixture account that a vendor server can serve."""
    cases = []
    for source in registry.names("connectors"):
        if (Path(lab.__file__).parent / f"{source}.py").exists():
            files = sorted(lab.fixtures(source).glob("*.json"))
            cases += [(source, file.stem) for file in files if not file.stem.endswith(".expected")]
    return cases


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
    with closing(open_store("sqlite://")) as store, living(store, source, case) as world:
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

    @cached_property
    def account(self) -> app.StoredAccount:
        return app.StoredAccount(self.connection.id, self.vendor.settings(self.server.url), self.store, Vault([KEY]))

    def connector(self) -> Any:
        return registry.resolve(self.spec.opens or "")(self.account)

    def source(self) -> Source:
        return Source(
            connection=self.connection, spec=self.spec, open=self.connector, normalise=app.normaliser(self.spec)
        )

    def sync(self, *, at: datetime | None = None) -> Outcome:
        return sync(self.source(), self.store, holder="test/1", now=at or self.now)

    def records(self) -> list[RawRecord]:
        """Everything the vendor delivers in a first pull."""
        with closing(self.connector()) as connector:
            pages = [page for stream in self.spec.streams for page in connector.pull(stream, None, now=self.now)]
        return [record for page in pages for record in page.records]

    def contents(self) -> dict[str, list[Any]]:
        return contents(self.store, self.user)


@contextmanager
def living(store: Store, source: str, case: str) -> Iterator[World]:
    """A person whose vendor holds the fixture ``case``."""
    now = moment_of_case(source, case)
    vendor = registry.resolve(f"bridge.lab.{source}:Vendor")(lab.account(source, case))
    user = store.add_user("ana", "Europe/Berlin", now=now)
    connection = store.connect(user.id, source, source, now=now)
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
    """What a store says of a person, in a comparable order."""
    span = {"since": datetime(1990, 1, 1, tzinfo=UTC), "until": datetime(2100, 1, 1, tzinfo=UTC)}
    found: dict[str, list[Any]] = {
        "samples": store.samples(user.id),
        "episodes": store.episodes(user.id),
        "events": store.events(user.id, **span),
        "tasks": store.tasks(user.id),
    }
    rows = {kind: [plain({"source": s, **asdict(item)}) for s, item in items] for kind, items in found.items()}
    return {kind: sorted(items, key=str) for kind, items in rows.items()}


def plain(value: Any) -> Any:
    """Dataclass fields as JSON would hold them."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float):
        return round(value, 6)
    return value if isinstance(value, int | bool | type(None)) else str(value)


def later(world: World, **span: float) -> World:
    """The same world some time later."""
    return replace(world, now=world.now + timedelta(**span))


def expected(source: str, case: str) -> dict[str, list[Any]]:
    """What a case must come to: ``fixtures/<source>/<case>.expected.json``."""
    path = lab.fixtures(source) / f"{case}.expected.json"
    body: dict[str, list[Any]] = json.loads(path.read_text(encoding="utf-8"))
    return body
