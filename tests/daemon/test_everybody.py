"""A tick asks the database as often for many people as for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bridge.daemon.due_tasks import Everybody, run_due_tasks, users_with_due_tasks
from bridge.daemon.procrastinate_worker import Jobs
from bridge.domain.records import Channel
from bridge.domain.slots import moment_at
from bridge.leases import LEASE
from tests.daemon.stage import Stage, staged

ZONES = ("Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Pacific/Auckland")


@contextmanager
def statements() -> Iterator[list[tuple[str, Any]]]:
    """Gather (text, parameters) of each statement."""
    found: list[tuple[str, Any]] = []

    def note(*arguments: Any) -> None:
        found.append(arguments[2:4])

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


def test_a_tick_costs_as_many_statements_for_many_people(stage: Stage) -> None:
    counts = []
    for people in (1, 12):
        while len(stage.users) < people:
            stage.add(f"user{len(stage.users)}", ZONES[len(stage.users) % len(ZONES)])
        everybody = Everybody(stage.bridge)
        with statements() as cold:
            users_with_due_tasks(stage.bridge, everybody.at(stage.now), now=stage.now)
        with statements() as warm:
            found = users_with_due_tasks(stage.bridge, everybody.at(stage.now), now=stage.now)
        assert len(found) == people
        counts.append((len(cold), len(warm)))
    assert counts[0] == counts[1]


def test_a_tick_with_nothing_due_fetches_as_many_rows_for_many_people(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with staged(tmp_path, monkeypatch, url=database_url) as stage:
        counts = [rows_of_a_tick(stage, people) for people in (len(ZONES), 2 * len(ZONES))]
        assert counts[0] == counts[1]


def rows_of_a_tick(stage: Stage, people: int) -> list[int]:
    """Return how many rows each statement of a tick fetches where everybody has been looked at, and has a channel."""
    store = stage.bridge.store
    while len(stage.users) < people:
        stage.add(f"user{len(stage.users)}", ZONES[len(stage.users) % len(ZONES)])
        user = stage.users[-1]
        moment = moment_at(stage.now, user.zones)
        if len(stage.users) % 2:
            store.recommendations.add_silence(user.id, moment, probability=0.5, now=stage.now)
        else:
            run_due_tasks(stage.bridge, user, now=stage.now)
            given = store.recommendations.of_slot(user.id, moment)
            assert given is not None
            store.recommendations.mark_shown(given.id, now=stage.now)
        store.notifications.save_channel(user.id, Channel(sealed=b"", events=False), now=stage.now)
    jobs = Jobs(bridge=stage.bridge, clock=lambda: stage.now)
    jobs.everybody.at(stage.now)
    for connection in store.scheduling.due(now=stage.now, limit=1000):
        store.scheduling.claim(connection.id, "elsewhere/1", now=stage.now, lease=LEASE)
    with statements() as asked:
        assert (jobs.due_connections(), jobs.waiting_users()) == ([], [])
    with store.database.read() as db:
        return [len(db.exec_driver_sql(*one).all()) for one in asked if one[0].startswith(("SELECT", "WITH"))]


def test_a_person_is_advised_without_asking_who_else_was(stage: Stage) -> None:
    stage.add("ana", "Europe/Berlin")
    stage.add("ben", "Europe/Berlin")
    ana, ben = stage.users
    waiting, moment = stage.bridge.store.waiting, moment_at(stage.now, ana.zones)
    for user in (ana, ben):
        stage.bridge.store.recommendations.add_silence(user.id, moment, probability=0.5, now=stage.now)
    known = {"since": stage.now, "now": stage.now}
    assert waiting.by_slot([moment], **known) == {moment: ({ana.id, ben.id}, set())}
    assert waiting.by_slot([moment], **known, user_id=ana.id) == {moment: ({ana.id}, set())}
    assert waiting.by_slot([], **known) == {}


def test_slots_change_on_the_quarter_and_somebody_new_is_there_at_once(stage: Stage) -> None:
    stage.add("ana", "Asia/Kathmandu")
    everybody = Everybody(stage.bridge)
    for minutes in range(0, 24 * 60, 5):
        at = stage.now + timedelta(minutes=minutes)
        assert list(everybody.at(at)) == [moment_at(at, stage.users[0].zones)]
    stage.add("ben", "UTC")
    assert [[user.name for user in users.values()] for users in everybody.at(at).values()] == [["ana"], ["ben"]]
    stage.bridge.store.people.set_zone(stage.users[0].id, "America/New_York", since=at - timedelta(hours=1))
    moved = moment_at(at, stage.bridge.store.people.user("ana").zones)
    assert stage.users[0].id in everybody.at(at)[moved]
