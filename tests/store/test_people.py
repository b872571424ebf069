"""People, zones, connections, secrets, leases, cursors and outcomes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.records import AfterSync
from bridge.domain.types import Outcome
from bridge.store import Store
from tests.store.toy import HOUR, T0, connected, day, land, part, tables

T = TypeVar("T")


def at_once(work: Callable[[int], T], *, threads: int = 4) -> list[T]:
    """Return the results of several threads that begin together."""
    barrier, found = threading.Barrier(threads), []

    def run(number: int) -> None:
        barrier.wait()
        found.append(work(number))

    started = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert len(found) == threads
    return found


def test_users_have_a_history_of_zones(store: Store) -> None:
    ana = store.people.add_user("ana", "Europe/Berlin", now=T0)
    store.people.set_zone(ana.id, "Asia/Tokyo", since=T0 + HOUR)
    store.people.set_zone(ana.id, "America/Lima", since=T0 + HOUR)
    zones = store.people.user("ana").zones
    assert [(span.since, span.zone) for span in zones] == [(T0, "Europe/Berlin"), (T0 + HOUR, "America/Lima")]
    assert [user.name for user in store.people.users()] == ["ana"]


def test_a_zone_that_is_changed_again_within_hours_was_a_slip(store: Store) -> None:
    ana = store.people.add_user("ana", "Europe/Berlin", now=T0)
    for hours, zone in ((5, "Asia/Tokyo"), (6, "America/Lima"), (10, "Europe/Berlin")):
        store.people.set_zone(ana.id, zone, since=T0 + hours * HOUR)
    assert [span.zone for span in store.people.user("ana").zones] == ["Europe/Berlin", "America/Lima", "Europe/Berlin"]


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a!", "a" * 65, "a\n"])
def test_names_are_plain(store: Store, name: str) -> None:
    with pytest.raises(SetupError, match="bridge user add"):
        store.people.add_user(name, "UTC", now=T0)


@pytest.mark.parametrize("zone", ["", "Mars/Base", "../etc/passwd", "Europe"])
def test_an_unknown_zone_is_refused_and_nobody_added(store: Store, zone: str) -> None:
    with pytest.raises(SetupError, match="Europe/Berlin"):
        store.people.add_user("ana", zone, now=T0)
    assert store.people.users() == []


def test_the_way_out_is_named(store: Store) -> None:
    with pytest.raises(SetupError, match="bridge user add ana"):
        store.people.user("ana")
    store.people.add_user("ana", "UTC", now=T0)
    with pytest.raises(SetupError, match="bridge user list"):
        store.people.add_user("ana", "UTC", now=T0)


def test_connecting_again_resumes(store: Store) -> None:
    first = connected(store)
    failed = Outcome(source="toy", connection="toy", outcome="needs_login", skipped_because="log in")
    store.scheduling.finish_sync(first.id, failed, AfterSync(at=T0, due_at=None))
    assert store.connections.of_user(first.user_id)[0].paused == "log in"
    again = store.connections.connect(first.user_id, "toy", "toy", now=T0 + HOUR)
    assert (again.id, again.paused, again.created_at) == (first.id, None, T0)
    second = store.connections.connect(first.user_id, "toy", "second", now=T0)
    assert {found.id for found in store.connections.of_user(first.user_id)} == {first.id, second.id}


def test_disconnecting_takes_everything_along(store: Store) -> None:
    kept = connected(store)
    land(store, kept, day("a", 1))
    dropped = store.connections.connect(kept.user_id, "other", "x", now=T0)
    before = tables(store)
    store.connections.save_secret(dropped.id, b"sealed")
    store.ingest.save_cursor(dropped.id, "day", "1", 1)
    land(store, dropped, day("a", 1), part("x", 1, "a"), part("y", 2, "a"))
    land(store, dropped, day("a", 3), now=T0 + HOUR)
    outcome = Outcome(source="other", connection="x", outcome="ok")
    store.scheduling.finish_sync(dropped.id, outcome, AfterSync(at=T0, due_at=None))
    store.connections.disconnect(dropped.id)
    store.connections.connect(kept.user_id, "other", "x", now=T0)
    after = tables(store)
    same = set(after) - {"connections"}  # the new one has another number on PostgreSQL
    assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_secrets_are_kept_as_they_are(store: Store) -> None:
    connection = connected(store)
    assert store.connections.secret(connection.id) is None
    store.connections.save_secret(connection.id, bytes(range(256)))
    assert store.connections.secret(connection.id) == bytes(range(256))


def test_one_of_many_gets_the_lease(store: Store) -> None:
    connection = connected(store)
    won = at_once(lambda number: store.scheduling.claim(connection.id, f"holder {number}", now=T0, lease=HOUR))
    assert sorted(won) == [False, False, False, True]


def test_a_lease_is_renewed_released_and_runs_out(store: Store) -> None:
    connection = connected(store)
    assert store.scheduling.lease_holder(connection.id) is None
    assert store.scheduling.claim(connection.id, "one", now=T0, lease=HOUR)
    assert store.scheduling.claim(connection.id, "one", now=T0 + HOUR / 2, lease=HOUR)
    assert not store.scheduling.claim(connection.id, "two", now=T0 + HOUR, lease=HOUR)
    store.scheduling.release(connection.id, "two")
    assert store.scheduling.lease_holder(connection.id) == "one"
    assert store.scheduling.claim(connection.id, "two", now=T0 + 1.5 * HOUR, lease=HOUR)
    store.scheduling.release(connection.id, "two")
    assert store.scheduling.claim(connection.id, "one", now=T0, lease=HOUR)


def test_two_at_once_add_one_user_one_connection_and_one_device(store: Store) -> None:
    def add(number: int) -> str:
        try:
            return store.people.add_user("ana", "UTC", now=T0).name
        except SetupError:
            return "taken"

    assert sorted(at_once(add)) == ["ana", "taken", "taken", "taken"]
    ana = store.people.user("ana").id
    assert len(set(at_once(lambda _: store.connections.connect(ana, "toy", "toy", now=T0).id))) == 1
    mine = [connected(store) for _ in range(4)]
    assert at_once(lambda number: land(store, mine[number], day("a", 2))) == [["new"]] * 4


def test_a_cursor_belongs_to_its_version(store: Store) -> None:
    connection = connected(store)
    store.ingest.save_cursor(connection.id, "day", "1", 1)
    store.ingest.save_cursor(connection.id, "day", "2", 1)
    assert store.ingest.cursor(connection.id, "day", 1) == "2"
    assert store.ingest.cursor(connection.id, "day", 2) is store.ingest.cursor(connection.id, "part", 1) is None
    store.ingest.save_cursor(connection.id, "day", "3", 2)
    assert (store.ingest.cursor(connection.id, "day", 1), store.ingest.cursor(connection.id, "day", 2)) == (None, "3")
    store.ingest.drop_cursors(connection.id)
    assert store.ingest.cursor(connection.id, "day", 2) is None


def test_outcomes_come_back_equal(store: Store) -> None:
    connection = connected(store)
    assert store.scheduling.last_outcome(connection.id) is None
    good = Outcome(source="toy", connection="toy", outcome="ok", new=3, streams={"day": 3})
    bad = Outcome(
        source="toy", connection="toy", outcome="failed", reasons=("x (1)",), skipped_because="429", retry_at=T0 + HOUR
    )
    store.scheduling.finish_sync(connection.id, good, AfterSync(at=T0 + HOUR, due_at=T0 + HOUR))
    store.scheduling.finish_sync(connection.id, bad, AfterSync(at=T0 + 2 * HOUR, due_at=None))
    assert store.scheduling.last_outcome(connection.id) == (T0 + 2 * HOUR, bad)
    found = store.connections.of_user(connection.user_id)[0]
    assert (found.last_success, found.last_error, found.due_at) == (T0 + HOUR, "429", None)
    assert datetime(2026, 3, 1, 13, tzinfo=UTC) == found.last_success
