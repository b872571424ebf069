"""A person behind a vendor with a fixture's account, and what the laws of rows and meaning share."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from bridge import installation
from bridge.domain.errors import BadRecord
from bridge.domain.types import Item, Outcome, RawRecord
from bridge.store import Store
from tests.contract import accounts
from tests.world import World, contents, living, served

HOME = "Europe/Berlin"


def cases(source: str) -> list[str]:
    return [case for other, case in served() if other == source]


@contextmanager
def alive(source: str, case: str) -> Iterator[World]:
    """Yield a person behind a vendor with a fixture's account, and an empty store."""
    with closing(Store("sqlite://")) as store, living(store, source, case) as world:
        yield replace(world)


def went_well(outcome: Outcome) -> None:
    assert outcome.outcome == "ok", outcome.skipped_because


def change(world: World, wanted: accounts.Account, at: datetime) -> None:
    """Make the vendor hold another account from a moment on."""
    before = copy.deepcopy(world.vendor.account)
    accounts.become(world.vendor.account, wanted)
    if hasattr(world.vendor, "account_changed"):
        world.vendor.account_changed(before, at)


def fresh(world: World) -> dict[str, list[Any]]:
    """Everything a first sync of the same account would find now."""
    with closing(Store("sqlite://")) as store:
        user = store.people.add_user("ana", HOME, now=world.now)
        connection = store.connections.connect(user.id, world.spec.name, world.spec.name, now=world.now)
        anew = replace(world, store=store, user=user, connection=connection)
        anew.account.save_token(world.vendor.grant())
        went_well(anew.sync())
        return contents(store, user)


def young(world: World) -> list[accounts.Row]:
    """Return rows that every sync reads again, because they lie well within the overlap or bear no time."""
    margin = min(timedelta(days=2), world.spec.overlap / 3)
    since = world.now - world.spec.overlap + margin
    found = accounts.rows(world.vendor.account)
    return [row for row in found if accounts.within(row, since, world.now + timedelta(days=1))]


def halves(found: list[accounts.Row]) -> list[list[accounts.Row]]:
    return [half for half in (found[::2], found[1::2]) if half]


def meanings(world: World, streams: set[str] | None = None) -> list[Item]:
    """Return the items of the records that a first pull delivers, of some streams or all."""
    records = {record.path: record for record in world.records()}
    normalise = installation.normaliser(world.spec)
    found: list[Item] = []
    for record in records.values():
        if not record.deleted and (streams is None or record.stream in streams):
            found += read(normalise, record, records)
    return found


def read(normalise: Any, record: RawRecord, records: dict[str, RawRecord]) -> list[Item]:
    try:
        return list(normalise(record, records.get(record.parent or "")))
    except BadRecord:
        return []
