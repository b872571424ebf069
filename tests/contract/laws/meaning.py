"""Laws of meaning: values of the size that people have, on the person's own days."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from statistics import median
from zoneinfo import ZoneInfo

from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.domain.types import Episode, EpisodeKind, Item, Sample
from tests.contract import accounts
from tests.contract.laws.stage import HOME, alive, cases, meanings, read
from tests.contract.population import spreads_away
from tests.world import KEY, World

AWAY = ("Pacific/Kiritimati", "Pacific/Honolulu")  # UTC+14 and UTC-10, all year: mornings and evenings change the date
SPREADS = 5.0


def medians_are_of_people(source: str) -> None:
    """A unit or a sign that is wrong moves a metric's median far from that of people."""
    values: dict[tuple[str, str], list[float]] = {}
    for case in cases(source):
        with alive(source, case) as world:
            for kind, metric, value in figures(meanings(world)):
                values.setdefault((kind, metric), []).append(value)
    for (kind, metric), found in values.items():
        away = spreads_away(kind, metric, median(found))
        assert away <= SPREADS, f"{metric} ({kind}): the median lies {away:.1f} spreads from people's"


def figures(items: list[Item]) -> Iterator[tuple[str, str, float]]:
    """Yield (kind of stretch, metric, value) of samples, nights and workouts. Naps vary too much to tell."""
    for item in items:
        if isinstance(item, Sample):
            yield "sample", item.metric, item.value
        elif isinstance(item, Episode) and item.kind is not EpisodeKind.NAP:
            for metric, value in item.values.items():
                yield str(item.kind), metric, value


def days_are_the_persons(source: str) -> None:
    """The same life in another zone reads the same on the wall. Dates stay, and offsets are
    the zone's, by their sign.
    """
    spec = registry.spec(source)
    if not spec.delivers - {"events", "tasks"}:
        return
    with alive(source, "week") as world:
        items = lived(world, HOME, world.now)
        account = copy.deepcopy(world.vendor.account)
        for away in AWAY:
            accounts.become(world.vendor.account, accounts.moved(account, HOME, away, world.now))
            moved = lived(world, away, shifted(world.now, away))
            assert walls(items, HOME) == walls(moved, away), f"dates or times change with the zone ({away})"
            assert nights_end_on_their_day(moved)


def lived(world: World, zone: str, now: datetime) -> list[Sample | Episode]:
    """Return the items of a person who lives in ``zone``, a day later, when today's are whole anywhere."""
    account = installation.StoredAccount(
        world.connection.id,
        world.account.settings,
        world.store,
        Vault([KEY]),
        zone=zone,
        allow_hosts=world.allow_hosts,
    )
    with closing(registry.resolve(world.spec.opens or "")(account)) as connector:
        pages = [
            page for stream in world.spec.streams for page in connector.pull(stream, None, now=now + timedelta(days=1))
        ]
    records = {record.path: record for page in pages for record in page.records if not record.deleted}
    normalise = installation.normaliser(world.spec)
    items = [item for record in records.values() for item in read(normalise, record, records)]
    return [item for item in items if isinstance(item, Sample | Episode)]


def shifted(at: datetime, zone: str) -> datetime:
    """The instant at which the clocks of ``zone`` show what those at home do."""
    wall = at.astimezone(ZoneInfo(HOME)).replace(tzinfo=None)
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def walls(items: list[Sample | Episode], zone: str) -> Counter[tuple[str, date, datetime | None, str]]:
    """Count items by their wall clock. A told offset is the zone's, and 0 is that of times told in UTC."""
    found: Counter[tuple[str, date, datetime | None, str]] = Counter()
    for item in items:
        kind = str(item.metric if isinstance(item, Sample) else item.kind)
        value = f"{item.value:.4f}" if isinstance(item, Sample) else json.dumps(dict(sorted(item.values.items())))
        home = int((item.start.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0)) / timedelta(minutes=1))
        assert item.offset in (None, 0, home), f"{kind}: an offset of {item.offset} minutes in {zone}"
        wall = (item.start + timedelta(minutes=item.offset)).replace(tzinfo=None) if item.offset else None
        found[kind, item.day, wall, value] += 1
    return found


def nights_end_on_their_day(items: list[Sample | Episode]) -> bool:
    nights = [i for i in items if isinstance(i, Episode) and i.kind is EpisodeKind.SLEEP and i.offset]
    return all((night.end + timedelta(minutes=night.offset or 0)).date() == night.day for night in nights)
