"""Compare the store after a load test with the vendors' accounts, so that no row is missing or doubled."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import sqlalchemy as sa

from bridge.store import Store, tables
from bridge.store.rows import TABLE_OF_KIND
from lab.fleet.accounts import KINDS, MARK, holdings, number_of

TOGETHER = 200  # people who are looked at at once


class Counted(NamedTuple):
    lost: int = 0
    doubled: int = 0

    def and_more(self, wanted: Counter[str], found: Counter[str]) -> Counted:
        return Counted(self.lost + (wanted - found).total(), self.doubled + (found - wanted).total())


def count(store: Store, users: int, days: int) -> Counted:
    """Return the numbers of wanted, found, missing and doubled rows of all users and sources."""
    held, counted = holdings(days), Counted()
    for begin in range(1, users + 1, TOGETHER):
        some = range(begin, min(begin + TOGETHER, users + 1))
        found = _found(store, some)
        for person in some:
            for source, (paths, rows) in held[person % KINDS].items():
                mine = [f"record {path}".replace(MARK, number_of(person)) for path in paths]
                wanted = Counter(mine) + rows + Counter({"arrival": len(paths)})
                counted = counted.and_more(wanted, found[person, source])
    return counted


def _found(store: Store, people: range) -> dict[tuple[int, str], Counter[str]]:
    """Return by (user, source) the number of each record by its path, and of all other rows by their kind."""
    found: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    c, r = tables.connections.c, tables.records.c
    mine = tables.connections.join(tables.sources)
    who = [c.user_id, tables.sources.c.name.label("source")]
    theirs = c.user_id.between(people[0], people[-1])
    with store.database.read() as db:
        for row in db.execute(sa.select(*who, r.stream, r.key).select_from(mine.join(tables.records)).where(theirs)):
            found[row.user_id, row.source][f"record {row.stream}/{row.key}"] += 1
        for what, joined, number in _others(mine):
            counts = sa.select(*who, number.label("rows")).select_from(joined).where(theirs).group_by(*who)
            for row in db.execute(counts):
                found[row.user_id, row.source][what] += row.rows
    return found


def _others(mine: sa.Join) -> Iterator[tuple[str, sa.Join, sa.ColumnElement[int]]]:
    """Yield (kind of row, joined tables, expression for the number of rows). A packed row counts once per sample."""
    yield "arrival", mine.join(tables.records).join(tables.arrivals), sa.func.count()
    readings = ("sample", tables.packed_samples, sa.func.sum(tables.packed_samples.c.count))
    for kind, table, number in (*((kind, table, sa.func.count()) for kind, table in TABLE_OF_KIND.items()), readings):
        yield kind, mine.join(table, table.c.connection_id == tables.connections.c.id), number


def missed(store: Store, rounds: int) -> int:
    """Return how many more successful syncs are needed until every connection has ``rounds`` of them."""
    c, runs = tables.connections.c, tables.sync_runs
    well = sa.func.sum(sa.case((runs.c.outcome.like('%"outcome": "ok"%'), 1), else_=0))
    query = sa.select(well.label("well")).select_from(tables.connections.outerjoin(runs)).group_by(c.id)
    with store.database.read() as db:
        return sum(max(0, rounds - int(row.well or 0)) for row in db.execute(query))
