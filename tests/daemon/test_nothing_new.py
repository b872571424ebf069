"""A sync that finds nothing new leaves next to nothing, and webhooks that come make it rare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bridge import registry
from bridge.auth.vault import Vault
from bridge.daemon.procrastinate_worker import Jobs
from bridge.domain.types import Notice
from bridge.ingest import outcomes, runs
from bridge.ingest.outcomes import SYNC_CADENCE
from bridge.installation import Bridge, open_bridge
from bridge.recordings.recorded_life import environment
from lab.fleet import accounts, stage

COMMITS, CHECKOUTS = 3, 4  # claim, pages, end; and a transaction of reads


@pytest.fixture(scope="module")
def vendors() -> Iterator[dict[str, str]]:
    """A process with every vendor, and the settings of an installation that uses it."""
    with stage.staged(2, None) as variables:
        yield variables


@pytest.fixture
def opened(vendors: dict[str, str], database_url: str, tmp_path: Path) -> Iterator[Bridge]:
    own = {"BRIDGE_HOME": str(tmp_path), "BRIDGE_DATABASE": database_url}
    with environment(vendors | own), open_bridge() as found:
        stage.populate(found.store, 1, Vault([vendors["BRIDGE_KEY"]]))
        yield found


@contextmanager
def told(engine: sa.Engine) -> Iterator[Counter[str]]:
    """Count transactions and written tables."""
    found: Counter[str] = Counter()
    heard: dict[str, Any] = {
        "commit": lambda *_: found.update(["commit"]),
        "checkout": lambda *_: found.update(["checkout"]),
        "after_cursor_execute": lambda _db, cursor, text, *_: found.update(written(text, cursor.rowcount)),
    }
    for name, hear in heard.items():
        sa.event.listen(engine, name, hear)
    try:
        yield found
    finally:
        for name, hear in heard.items():
            sa.event.remove(engine, name, hear)


def written(text: str, rows: int) -> list[str]:
    table = re.match(r"(?:INSERT INTO|UPDATE|DELETE FROM)\s+\"?(\w+)", text)
    return [f"{text.split()[0]} {table[1]}"] * rows if table and rows > 0 else []


def test_a_sync_without_news_leaves_next_to_nothing(opened: Bridge) -> None:
    now = [accounts.NOW]
    jobs = Jobs(bridge=opened, clock=lambda: now[0])
    connections = opened.store.connections.of_user(1)
    for _ in range(2):
        for connection in connections:
            assert not jobs.sync(connection.id)
        now[0] += SYNC_CADENCE
    for connection in connections:
        with told(opened.store.database.engine) as found:
            assert not jobs.sync(connection.id)
        assert found["commit"] <= COMMITS, connection.source
        shared = registry.spec(connection.source).shares_limit  # which other processes may have met, page by page
        assert found["checkout"] <= CHECKOUTS + 4 * shared, connection.source
        assert (found["UPDATE sync_runs"], found["INSERT sync_runs"]) == (1, 0), connection.source
        assert found["UPDATE connections"] == 2, connection.source  # the lease and the end
        last = opened.store.scheduling.last_outcome(connection.id)
        assert last is not None
        assert last[0] == now[0]


def test_nothing_new_takes_no_place_of_news(opened: Bridge) -> None:
    (connection, *_) = opened.store.connections.of_user(1)
    jobs = Jobs(bridge=opened, clock=lambda: accounts.NOW)
    assert not jobs.sync(connection.id, 1000)
    assert not jobs.sync(connection.id, 1000)
    with opened.store.database.read() as db:
        outcomes = list(db.execute(sa.text("SELECT outcome FROM sync_runs ORDER BY id")).scalars())
    assert ['"new": ' in one for one in outcomes] == [True, False]


def test_a_source_whose_webhooks_come_is_polled_less_until_one_is_missed(opened: Bridge) -> None:
    store = opened.store
    number = next(one.id for one in store.connections.of_user(1) if one.source == "whoop")
    user = store.people.user_by_id(1)

    def wait(at: datetime) -> timedelta:
        connection = store.connections.by_id(number)
        assert connection is not None
        assert runs.sync_connection(opened, user, connection, at=at).outcome == "ok"
        after = store.connections.by_id(number)
        assert after is not None
        assert after.due_at is not None
        return after.due_at - at

    def push(at: datetime, trace: str) -> None:
        store.ingest.add_notice(
            number, Notice(member="1", stream="sleep", key="none", deleted=True, trace=trace), now=at
        )

    at = accounts.NOW
    assert wait(at) == SYNC_CADENCE
    push(at, "a")
    assert wait(at + timedelta(minutes=1)) == outcomes.BESIDE_PUSHES
    with store.database.write() as db:  # a night that the vendor has and told nobody of
        db.execute(sa.text("DELETE FROM records WHERE stream = 'sleep' AND connection_id = :id"), {"id": number})
    assert wait(at + timedelta(hours=3)) == SYNC_CADENCE
    assert wait(at + timedelta(hours=4)) == SYNC_CADENCE  # until the next one comes
    push(at + timedelta(hours=5), "b")
    assert wait(at + timedelta(hours=5)) == outcomes.BESIDE_PUSHES
    assert wait(at + timedelta(days=2)) == SYNC_CADENCE  # a day without any proves nothing
