"""A tick asks the database as often for many people as for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bridge.daemon.due_tasks import Everybody, users_with_due_tasks
from bridge.domain.slots import moment_at
from tests.daemon.stage import Stage, staged

ZONES = ("Europe/Berlin", "Asia/Kathmandu", "America/New_York", "Pacific/Auckland")


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(tmp_path, monkeypatch) as found:
        yield found


@contextmanager
def statements() -> Iterator[list[str]]:
    found: list[str] = []

    def note(*arguments: Any) -> None:
        found.append(arguments[2])

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


def test_a_person_is_advised_without_asking_who_else_was(stage: Stage) -> None:
    stage.add("ana", "Europe/Berlin")
    stage.add("ben", "Europe/Berlin")
    ana, ben = stage.users
    work, moment = stage.bridge.store.scheduling, moment_at(stage.now, ana.zones)
    for user in (ana, ben):
        stage.bridge.store.recommendations.add_silence(user.id, moment, probability=0.5, now=stage.now)
    known = {"since": stage.now, "now": stage.now}
    assert work.users_advised([moment], **known) == {moment: {ana.id, ben.id}}
    assert work.users_advised([moment], **known, user_id=ana.id) == {moment: {ana.id}}
    assert work.users_advised([], **known) == {}


def test_slots_change_on_the_quarter_and_somebody_new_is_there_at_once(stage: Stage) -> None:
    stage.add("ana", "Asia/Kathmandu")
    everybody = Everybody(stage.bridge)
    for minutes in range(0, 24 * 60, 5):
        at = stage.now + timedelta(minutes=minutes)
        assert [moment for _, moment in everybody.at(at)] == [moment_at(at, stage.users[0].zones)]
    stage.add("ben", "UTC")
    assert [user.name for user, _ in everybody.at(at)] == ["ana", "ben"]
    stage.bridge.store.people.set_zone(stage.users[0].id, "America/New_York", since=at - timedelta(hours=1))
    assert everybody.at(at)[0][1] == moment_at(at, stage.bridge.store.people.user("ana").zones)
