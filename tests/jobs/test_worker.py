"""Workers in this process: chunks, limits that all of them share, errors with their times, lost leases."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

import lab
from bridge import config, installation, registry
from bridge.cli import app as cli
from bridge.daemon import backups, housekeeping, procrastinate_worker
from bridge.daemon.procrastinate_queue import open_queue
from bridge.domain.errors import SetupError, TryLater
from bridge.recordings.server import Answer, LabServer
from bridge.store import Store
from tests.daemon.stage import stalled
from tests.world import KEY, NOW


class Stage:
    """One person with 75 days at WHOOP, and what the jobs do in this process."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.vendor = registry.resolve("lab.vendors.whoop:Vendor")(lab.account("whoop", "week"))
        self.server = LabServer(self.vendor.application)
        for name, value in self.vendor.settings(self.server.url).items():
            monkeypatch.setenv(f"BRIDGE_WHOOP_{name}".upper(), value)
        monkeypatch.setenv("BRIDGE_DATABASE", url)
        monkeypatch.setenv("BRIDGE_KEY", KEY)
        self.store = Store(url)
        self.bridge = installation.Bridge(settings=config.load(), store=self.store)
        self.jobs = procrastinate_worker.Jobs(bridge=self.bridge, clock=lambda: NOW)
        self.user = self.store.people.add_user("ana", "Europe/Berlin", now=NOW)
        self.connections = [self.add(name) for name in ("one", "two")]

    def add(self, name: str) -> Any:
        connection = self.store.connections.connect(self.user.id, "whoop", name, now=NOW)
        self.bridge.account(connection, registry.spec("whoop")).save_token(self.vendor.grant())
        return connection


@pytest.fixture
def staged(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    stage = Stage(database_url, monkeypatch)
    with stage.server:
        yield stage
    stage.store.close()


def test_a_long_pull_comes_in_chunks_that_go_on_where_the_last_one_ended(staged: Stage) -> None:
    chunks = 1
    while staged.jobs.sync(staged.connections[0].id, 2 * chunks):
        chunks += 1
    assert chunks > 1
    assert not staged.jobs.sync(staged.connections[1].id, 1000)
    assert staged.store.scheduling.lease_holder(staged.connections[0].id) is None
    one, two = (set(_records(staged, connection.id)) for connection in staged.connections)
    assert one == two
    assert one


def _records(staged: Stage, connection_id: int) -> list[tuple[str, str]]:
    engine = sa.create_engine(staged.bridge.settings.database.replace("postgresql://", "postgresql+psycopg://"))
    query = sa.text("SELECT stream, key FROM records WHERE connection_id = :id").bindparams(id=connection_id)
    with engine.connect() as db:
        found = [(row.stream, row.key) for row in db.execute(query)]
    engine.dispose()
    return found


def test_what_a_clock_that_was_ahead_put_off_is_due_again(staged: Stage) -> None:
    ahead = procrastinate_worker.Jobs(bridge=staged.bridge, clock=lambda: NOW + timedelta(days=365))
    for connection in staged.connections:
        ahead.sync(connection.id, 1000)
    assert staged.jobs.due_connections() == []
    staged.jobs.repair_clock()
    assert {connection.id for connection in staged.jobs.due_connections()} == {one.id for one in staged.connections}


def test_no_more_of_a_source_are_synced_at_once_than_it_allows(staged: Stage) -> None:
    """Counted in the database: the others may be anywhere."""
    limit = registry.spec("whoop").at_once
    others = [staged.add(f"other{number}") for number in range(limit)]
    for number, connection in enumerate(others):
        assert staged.store.scheduling.claim(connection.id, f"elsewhere/{number}", now=NOW, lease=timedelta(minutes=5))
    with pytest.raises(TryLater) as busy:
        staged.jobs.sync(staged.connections[0].id, 10)
    assert busy.value.retry_at == NOW + procrastinate_worker.CROWDED_WAIT
    staged.store.scheduling.release(others[0].id, "elsewhere/0")
    assert not staged.jobs.sync(staged.connections[0].id, 1000)


def test_of_a_source_no_more_is_queued_than_can_start_and_each_end_brings_the_next(staged: Stage) -> None:
    for number in range(6):
        staged.add(f"other{number}")
    settings = replace(staged.bridge.settings, at_once={"whoop": 3})
    jobs = procrastinate_worker.Jobs(bridge=replace(staged.bridge, settings=settings), clock=lambda: NOW)
    first, *others = jobs.due_connections()
    assert len(others) == 2
    assert staged.store.scheduling.claim(first.id, "elsewhere", now=NOW, lease=timedelta(minutes=5))
    assert [one.id for one in jobs.due_connections()] == [one.id for one in others]
    following = jobs.next_due(first.id)
    assert following is not None
    assert following.id == others[0].id


def test_a_job_whose_twin_ran_meanwhile_leaves_alone_what_is_no_longer_due(staged: Stage) -> None:
    assert not staged.jobs.sync(staged.connections[0].id)
    asked = len(staged.server.asked)
    assert not staged.jobs.sync(staged.connections[0].id)
    assert len(staged.server.asked) == asked
    assert staged.jobs.sync(staged.connections[0].id, 1)


@pytest.mark.postgres
def test_a_job_to_be_tried_again_gives_way_to_a_twin_that_is_queued(postgres_url: str) -> None:
    """Queued while it was under way; nothing of that source would ever be begun again while it stays so."""
    queue = open_queue(postgres_url, 1)

    async def meet() -> list[Any]:
        async with queue.open_async():
            manager = queue.job_manager
            plain = queue.configure_task("sync", lock="1/whoop", queueing_lock="sync/1", allow_unknown=True)
            await plain.defer_async(connection_id=1)
            job = await manager.fetch_job(queues=None, worker_id=await manager.register_worker())
            twin = await plain.defer_async(connection_id=1)
            assert job is not None
            await manager.retry_job(job=job, retry_at=NOW)
            assert [job.id for job in await manager.list_jobs_async()] == [twin]
            return [await manager.fetch_job(queues=None, worker_id=await manager.register_worker())]

    assert [job.queueing_lock for job in asyncio.run(meet())] == ["sync/1"]


@pytest.mark.postgres
def test_a_worker_that_was_killed_in_its_first_look_keeps_no_other_from_looking(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(postgres_url, monkeypatch)
    queue = open_queue(postgres_url, 1)
    procrastinate_worker.declare(stage.jobs, queue)

    async def meet() -> list[str]:
        async with queue.open_async():
            manager, found = queue.job_manager, []
            for _ in range(2):  # the first is never heard of again
                await procrastinate_worker.look(queue)
                job = await manager.fetch_job(queues=None, worker_id=await manager.register_worker())
                found.append(job.task_name if job else "nothing")
            return found

    with stage.server, closing(stage.store):
        assert asyncio.run(meet()) == ["tick", "tick"]


def test_a_failure_comes_back_at_the_time_the_source_named(staged: Stage) -> None:
    staged.server.faults.append(lambda _: Answer(status=503, headers={"Retry-After": "3600"}))
    assert not staged.jobs.sync(staged.connections[0].id)
    failed = staged.store.connections.by_id(staged.connections[0].id)
    assert failed is not None
    assert failed.due_at is not None
    assert NOW + timedelta(minutes=59) < failed.due_at < NOW + timedelta(minutes=61)


def test_a_lease_that_ends_in_the_middle_of_work_is_another_workers(staged: Stage) -> None:
    """A worker that took a lease over keeps it. The first stops at its next page, and nothing is lost or doubled."""
    connection = staged.connections[0]
    late = procrastinate_worker.Jobs(
        bridge=installation.Bridge(settings=staged.bridge.settings, store=staged.store), clock=staged.jobs.clock
    )
    taken = threading.Event()

    def overtake(request: Any) -> None:
        if not taken.is_set():
            taken.set()
            staged.store.scheduling.release(connection.id, staged.store.scheduling.lease_holder(connection.id) or "")
            assert not late.sync(connection.id, 1000)

    staged.server.faults.append(overtake)
    staged.jobs.sync(connection.id, 1000)
    assert not staged.jobs.sync(staged.connections[1].id, 1000)
    one, two = (sorted(_records(staged, c.id)) for c in staged.connections)
    assert one == two


def work_off(staged: Stage, url: str) -> None:
    """Run one tick of a worker, and return the jobs that come of it."""
    queue = open_queue(url, 1)
    procrastinate_worker.declare(staged.jobs, queue)

    async def once() -> None:
        async with queue.open_async():
            await queue.configure_task("tick").defer_async(timestamp=0)
            await queue.run_worker_async(wait=False, install_signal_handlers=False, delete_jobs="always")

    asyncio.run(once())


def test_what_another_has_taken_over_is_not_paused_for_a_token_that_it_swapped(staged: Stage) -> None:
    connection = staged.connections[0]

    def overtake(request: Any) -> Answer:
        staged.store.scheduling.release(connection.id, staged.store.scheduling.lease_holder(connection.id) or "")
        staged.store.scheduling.claim(connection.id, "elsewhere", now=NOW, lease=timedelta(minutes=5))
        return Answer(status=403)

    staged.server.faults.append(overtake)
    assert not staged.jobs.sync(connection.id)
    assert staged.store.scheduling.lease_holder(connection.id) == "elsewhere"
    assert staged.store.scheduling.last_outcome(connection.id) is None
    assert staged.store.connections.by_id(connection.id) == connection


@pytest.mark.postgres
def test_a_wrong_setting_is_told_and_stops_no_sync(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in (("QUIET", "nigth"), ("KEEP_RAW", "ninety")):
        monkeypatch.setenv(f"BRIDGE_{name}", value)
    stage = Stage(postgres_url, monkeypatch)
    housekeeping.daily(stage.bridge, now=NOW - timedelta(days=2))
    with stage.server, closing(stage.store):
        work_off(stage, postgres_url)
        assert all(one.last_success for one in stage.store.connections.of_user(stage.user.id))
    assert "people: BRIDGE_QUIET" in caplog.text
    assert "housekeeping: BRIDGE_KEEP_RAW" in caplog.text


@pytest.mark.postgres
def test_what_failed_or_was_put_off_by_a_clock_that_was_ahead_is_in_nobodys_way(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, now = Stage(postgres_url, monkeypatch), installation.now()
    with stage.server, closing(stage.store):
        others = [stage.add(f"other{number}") for number in range(registry.spec("whoop").at_once)]
        stage.jobs.clock = lambda: now + timedelta(days=365)
        for other in others:
            stage.store.scheduling.claim(other.id, "elsewhere", now=stage.jobs.clock(), lease=timedelta(minutes=5))
        work_off(stage, postgres_url)  # it is crowded, and to be tried in a year
        stage.jobs.clock = lambda: now
        stage.store.scheduling.release(others[0].id, "elsewhere")
        stage.server.faults.append(lambda _: Answer(status=429))
        work_off(stage, postgres_url)
        assert [one.failures for one in stage.store.connections.of_user(stage.user.id)[:2]] == [1, 1]


@pytest.mark.postgres
def test_a_worker_waits_for_no_source_at_its_end(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEET_BEGAN", str(time.time()))
    stage = Stage(postgres_url, monkeypatch)
    with stage.server, closing(stage.store), stalled(stage.server) as reached:
        worker = subprocess.Popen([sys.executable, "-m", "tests.jobs.impatient", "worker"], stderr=subprocess.DEVNULL)
        assert reached.wait(60)
        worker.terminate()
        assert worker.wait(timeout=20) == 0


@pytest.mark.postgres
def test_a_worker_makes_the_days_backup_which_sqlite_restores(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, home = tmp_path / "backups", tmp_path / "home"
    folder.mkdir()
    for name, value in {"HOME": home, "DATABASE": postgres_url, "KEY": KEY, "BACKUPS": folder}.items():
        monkeypatch.setenv(f"BRIDGE_{name}", str(value))
    with closing(Store(postgres_url)) as store:
        store.people.add_user("ana", "Europe/Berlin", now=NOW)
    workers = [subprocess.Popen([sys.executable, "-m", "bridge", "worker"], stderr=subprocess.DEVNULL) for _ in "ab"]
    end = time.monotonic() + 60
    with closing(Store(postgres_url)) as store:
        while store.maintenance.last_done(backups.MADE) is None and time.monotonic() < end:
            time.sleep(0.2)
    for worker in workers:
        worker.terminate()
    assert [worker.wait(timeout=20) for worker in workers] == [0, 0]
    (made,) = folder.iterdir()  # two workers, and one backup
    monkeypatch.setenv("BRIDGE_DATABASE", "")
    done = CliRunner().invoke(cli, ["restore", made.name, "--json"])
    assert json.loads(done.output)["people"] == 1


def test_a_worker_whose_housekeeping_fails_makes_the_backup_all_the_same(
    staged: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    settings = replace(staged.bridge.settings, backups=str(folder), keep_raw="soon", folder=tmp_path / "home")
    bridge = replace(staged.bridge, settings=settings)
    staged.store.maintenance.mark_done(housekeeping.HOUSEKEEPING_NAME, "before", now=NOW - timedelta(days=2))
    jobs = procrastinate_worker.Jobs(bridge=bridge, clock=lambda: NOW)
    assert jobs.is_untidy()
    jobs.tidy()
    assert len(list(folder.iterdir())) == 1
    assert housekeeping.is_due(bridge, now=NOW)
    assert not backups.is_due(bridge, now=NOW)


@pytest.mark.postgres
def test_the_queue_is_made_once_and_stays(postgres_url: str) -> None:
    for _ in range(2):
        open_queue(postgres_url, 1)
    engine = sa.create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as db:
        assert db.execute(sa.text("SELECT count(*) FROM bridge_jobs.applied")).scalar_one() > 1
        assert sa.inspect(db).has_table("procrastinate_jobs", schema="bridge_jobs")
        assert not sa.inspect(db).has_table("procrastinate_jobs")
    engine.dispose()


def test_on_sqlite_the_next_command_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"bridge daemon.*bridge migrate --to postgresql"):
        open_queue(f"sqlite:///{tmp_path / 'bridge.db'}", 1)


def test_help_loads_no_queue() -> None:
    code = "import sys, bridge.cli; print(any(m.startswith(('procrastinate', 'sqlalchemy')) for m in sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
