"""The daemon's work as procrastinate jobs on PostgreSQL, for any number of workers on any machines.

Due times and leases stay in the bridge's own tables, so jobs may be deleted at any time.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable, Collection, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from bridge import installation, leases
from bridge.daemon import backups, due_tasks, housekeeping
from bridge.daemon.due_tasks import guarded, report
from bridge.daemon.worker_pool import SHUTDOWN_GRACE_SECONDS, SHUTDOWN_LAST_SECONDS, exit_process
from bridge.domain.errors import BridgeError, Interrupted, TryLater
from bridge.domain.records import Connection, User
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.ingest.outcomes import BACKOFF, SYNC_CADENCE, record_defect
from bridge.ingest.pacing import Ration
from bridge.leases import LEASE

if TYPE_CHECKING:
    from procrastinate import App

log = logging.getLogger(__name__)

TICK_CRON = "* * * * * */10"  # cron with seconds: every ten seconds
CHUNK_PAGES = 40  # of one job; the rest is a backfill, which waits behind all other jobs
CROWDED_WAIT = timedelta(seconds=2)  # before a source with all its threads in use is tried again
ELSEWHERE_WAIT = timedelta(minutes=1)  # before a connection that another process syncs is tried again
BACKFILL_PRIORITY, TICK_PRIORITY = -10, 10  # priorities of backfills and of ticks
BATCH_JOBS = 200  # jobs added at once; after so many the planner's statistics are stale
QUEUED_JOBS = "SELECT queueing_lock FROM procrastinate_jobs WHERE status = 'todo' AND queueing_lock IS NOT NULL"
RELEASE_JOBS_FAR_AHEAD = (
    "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo' AND scheduled_at > now() + interval '2m'"
)
SILENT_SECONDS = 30.0  # without a heartbeat; then a worker counts as dead, and its jobs are queued again


@dataclass(slots=True, kw_only=True)
class Jobs:
    """The work that queued jobs do. Once ``stopping`` is set, a sync ends after its next page."""

    bridge: installation.Bridge
    clock: Callable[[], datetime] = installation.now
    stopping: threading.Event = field(default_factory=threading.Event)
    unreleased: set[str] = field(default_factory=set)  # holders whose leases may still be held
    repaired_at: float = float("-inf")
    everybody: due_tasks.Everybody = field(init=False)

    def __post_init__(self) -> None:
        self.everybody = due_tasks.Everybody(self.bridge)

    def sync(self, connection_id: int, pages: int | None = None) -> bool:
        """Sync up to ``pages`` pages of a connection, and return True if more may follow.

        None stands for the usual number. Raises TryLater if the connection or its source is busy. A failed sync raises
        nothing, and is due again later.
        """
        mine = replace(self.bridge)  # a holder of its own
        try:
            return self._sync(mine, connection_id, pages)
        except BridgeError:
            raise
        except Exception:  # the database went away, and the lease may still be held
            self.unreleased.add(mine.holder)
            raise

    def _sync(self, mine: installation.Bridge, connection_id: int, pages: int | None) -> bool:
        with self.bridge.store.transaction(durable=False):
            connection = self.bridge.store.connections.by_id(connection_id)
            if connection is None or connection.paused is not None:
                return False
            if pages is None and connection.due_at is not None and connection.due_at > self.clock():
                return False
            user = self.bridge.store.people.user_by_id(connection.user_id)
            claimed = self._claim(mine, connection)
        chunk = _Chunk(pages=pages or CHUNK_PAGES, stopping=self.stopping, clock=self.clock)
        self._outcome(mine, user, connection, chunk, claimed)
        return chunk.full

    def _claim(self, mine: installation.Bridge, connection: Connection) -> Ration:
        """Take the lock (lease) on a connection, and reserve requests. Raises TryLater if the lock is taken."""
        store, now, limit = self.bridge.store, self.clock(), self.bridge.at_once(connection.source)
        if store.scheduling.lease_count(connection.source, now=now, alone=True) >= limit:
            raise TryLater(f"{connection.source} has as many syncs running as it allows", retry_at=now + CROWDED_WAIT)
        claim = partial(store.scheduling.claim, connection.id, mine.holder, now=now, lease=LEASE)
        if not (claim() or (leases.release_if_dead(store, connection) and claim())):
            raise TryLater(f"{connection.source} is being synced by another process", retry_at=now + ELSEWHERE_WAIT)
        ration = runs.ration(self.bridge, connection.source)
        ration.reserve()
        return ration

    def _outcome(
        self, mine: installation.Bridge, user: User, connection: Connection, chunk: _Chunk, claimed: Ration
    ) -> Outcome:
        now = self.clock()
        try:
            return runs.sync_connection(mine, user, connection, at=now, on_page=chunk.landed, claimed=claimed)
        except Exception as error:  # noqa: BLE001 - a defect in one source must not stop the rest
            log.error("%s: unexpected %s", connection.source, type(error).__name__)  # its text may be personal
            return record_defect(mine.store, connection, error, holder=mine.holder, now=now)

    def run_due_tasks(self, user_id: int) -> None:
        now, user = self.clock(), self.bridge.store.people.user_by_id(user_id)
        due_tasks.run_due_tasks(self.bridge, self.bridge.travelled(user, at=now), now=now)

    def due_connections(self) -> list[Connection]:
        """Return the due connections that may start now, as many as the limits of their sources allow."""
        now, work = self.clock(), self.bridge.store.scheduling
        sources = work.due_by_source(now=now)
        room = runs.room(self.bridge, sources)
        return [
            connection
            for source in sources
            for connection in work.due(
                now=now,
                source=source,
                limit=min(room[source], self.bridge.at_once(source) - work.lease_count(source, now=now)),
            )
        ]

    def next_due(self, connection_id: int) -> Connection | None:
        """Return a due connection of the source of ``connection_id``, or None if the source allows no further sync."""
        with self.bridge.store.view():
            ended = self.bridge.store.connections.by_id(connection_id)
            if ended is None or not runs.room(self.bridge, [ended.source])[ended.source]:
                return None
            return next(iter(self.bridge.store.scheduling.due(now=self.clock(), source=ended.source, limit=1)), None)

    def release_leases(self) -> None:
        """Release the leases of dead processes of this machine, and this process's leases whose release failed."""
        leases.release_dead(self.bridge.store)
        for holder in list(self.unreleased):
            self.bridge.store.scheduling.release_all(holder)
            self.unreleased.discard(holder)

    def repair_clock(self) -> None:
        """Repair due times that a machine set while its clock was ahead, at most once per sync interval."""
        if time.monotonic() - self.repaired_at >= SYNC_CADENCE.total_seconds():
            self.repaired_at = time.monotonic()
            self.bridge.store.scheduling.repair_clock(now=self.clock(), lease=LEASE)

    def is_untidy(self) -> bool:
        now = self.clock()
        return housekeeping.is_due(self.bridge, now=now) or backups.is_due(self.bridge, now=now)

    def tidy(self) -> None:
        """Do the day's housekeeping and backup, if they are due. If one fails, the other is still done."""
        if housekeeping.is_due(self.bridge, now=self.clock()):
            guarded("housekeeping", lambda: housekeeping.daily(self.bridge, now=self.clock()))
        if backups.is_due(self.bridge, now=self.clock()):
            guarded("backup", lambda: backups.daily(self.bridge, now=self.clock()))

    def waiting_users(self) -> list[User]:
        """Return the users with due tasks. An error is logged and gives an empty list, so that syncs go on."""
        found: list[User] = []
        bridge, now = self.bridge, self.clock()
        guarded("people", lambda: found.extend(due_tasks.users_with_due_tasks(bridge, self.everybody.at(now), now=now)))
        return found


@dataclass(slots=True, kw_only=True)
class _Chunk:
    """A limit on the pages that a job may sync. ``landed`` counts a page, and raises Interrupted at the limit."""

    pages: int
    stopping: threading.Event
    clock: Callable[[], datetime]
    full: bool = False

    def landed(self, stream: str, records: int) -> None:  # noqa: ARG002 - the callback's shape
        self.pages -= 1
        if self.stopping.is_set():
            raise Interrupted("the worker was stopped", retry_at=self.clock())
        if self.pages <= 0:
            self.full = True
            raise Interrupted("this job has synced as many pages as one job may", retry_at=self.clock() + BACKOFF)


def declare(jobs: Jobs, queue: App) -> None:
    """Register the tasks ``sync``, ``attend`` (due tasks), ``tidy``, and ``tick``, which queues the other three."""
    from procrastinate.retry import BaseRetryStrategy, RetryDecision

    class RetryAtStatedTime(BaseRetryStrategy):
        """A retry rule for TryLater alone, by which a job runs again at the time that the error states."""

        def get_retry_decision(self, *, exception: BaseException, job: Any) -> RetryDecision | None:  # noqa: ARG002
            if not isinstance(exception, TryLater):
                report("a sync", exception)  # procrastinate would log the error's text
                return None
            return RetryDecision(retry_at=exception.due(jobs.clock()) or jobs.clock() + ELSEWHERE_WAIT)

    @queue.task(name="sync", retry=RetryAtStatedTime())
    async def sync(connection_id: int, pages: int | None = None) -> None:
        is_full = await asyncio.to_thread(jobs.sync, connection_id, pages)
        await _go_on(jobs, queue, connection_id, 2 * (pages or CHUNK_PAGES) if is_full else 0)

    @queue.task(name="attend")
    async def attend(user_id: int) -> None:
        await asyncio.to_thread(jobs.run_due_tasks, user_id)

    @queue.task(name="tidy")
    async def tidy() -> None:
        await asyncio.to_thread(guarded, "housekeeping", jobs.tidy)

    @queue.periodic(cron=TICK_CRON)
    @queue.task(name="tick", queueing_lock="tick", priority=TICK_PRIORITY)
    async def tick(timestamp: int) -> None:  # noqa: ARG001 - the library's shape
        await _tick(jobs, queue)


async def _go_on(jobs: Jobs, queue: App, connection_id: int, pages: int) -> None:
    connection = await asyncio.to_thread(jobs.bridge.store.connections.by_id, connection_id) if pages else None
    if connection is not None:  # twice as many as before, so that a listing without resumption ends at last
        more = _sync_job(connection, pages=pages)
        await _enqueue(queue, "sync", [more], priority=BACKFILL_PRIORITY, queue="backfill")
    if following := await asyncio.to_thread(jobs.next_due, connection_id):
        await _enqueue(queue, "sync", [_sync_job(following)])


async def _tick(jobs: Jobs, queue: App) -> None:
    await _resume(queue)
    await asyncio.to_thread(jobs.release_leases)
    await asyncio.to_thread(jobs.repair_clock)
    if await asyncio.to_thread(jobs.is_untidy):
        await _enqueue(queue, "tidy", [_QueuedJob("tidy", "tidy", {})], priority=BACKFILL_PRIORITY)
    due = await asyncio.to_thread(jobs.due_connections)
    people = await asyncio.to_thread(jobs.waiting_users)
    await _enqueue(queue, "sync", [_sync_job(connection) for connection in due])
    await _enqueue(queue, "attend", [_QueuedJob(f"attend/{u.id}", f"attend/{u.id}", {"user_id": u.id}) for u in people])


@dataclass(frozen=True, slots=True)
class _QueuedJob:
    """A job to queue. Jobs with the same ``lock`` run one after the other. One per ``queueing_lock`` may wait."""

    lock: str | None
    queueing_lock: str
    arguments: dict[str, int]


def _sync_job(connection: Connection, **more: int) -> _QueuedJob:
    lock = f"{connection.user_id}/{connection.source}"
    return _QueuedJob(lock, f"sync/{connection.id}", {"connection_id": connection.id, **more})


async def _enqueue(at: App, task: str, wanted: Collection[_QueuedJob], **options: Any) -> None:
    """Queue jobs, except those of which an equal one waits. After many jobs, PostgreSQL's statistics are updated."""
    found = await at.connector.execute_query_all_async(query=QUEUED_JOBS) if len(wanted) > 1 else ()
    waiting = {row["queueing_lock"] for row in found}
    plain = at.configure_task(task, **options).job
    fresh = [
        plain.evolve(lock=one.lock, queueing_lock=one.queueing_lock, task_kwargs=one.arguments)
        for one in wanted
        if one.queueing_lock not in waiting
    ]
    for begin in range(0, len(fresh), BATCH_JOBS):
        await _add(at, fresh[begin : begin + BATCH_JOBS])
    if len(fresh) >= BATCH_JOBS:
        await at.connector.execute_query_async(query="ANALYZE procrastinate_jobs")


async def _add(queue: App, jobs: list[Any]) -> None:
    from procrastinate.exceptions import AlreadyEnqueued

    try:
        await queue.job_manager.batch_defer_jobs_async(jobs)
    except AlreadyEnqueued:
        if len(jobs) > 1:
            for job in jobs:
                await _add(queue, [job])


async def _resume(queue: App) -> None:
    await queue.connector.execute_query_async(query=RELEASE_JOBS_FAR_AHEAD)
    for job in await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=SILENT_SECONDS):
        await queue.job_manager.retry_job(job)


def work(bridge: installation.Bridge, *, concurrency: int) -> None:
    """Run jobs of the queue, up to ``concurrency`` at once, until a signal. Raises SetupError without a queue."""
    from bridge.daemon.procrastinate_queue import open_queue

    jobs = Jobs(bridge=bridge)
    queue = open_queue(bridge.settings.database, concurrency)
    declare(jobs, queue)
    asyncio.run(_until_stopped(jobs, queue, concurrency))


async def _until_stopped(jobs: Jobs, queue: App, concurrency: int) -> None:
    import psycopg
    from procrastinate.exceptions import ConnectorException

    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(ThreadPoolExecutor(concurrency + 4))

    def stop() -> None:
        jobs.stopping.set()
        stopped.set()
        end = threading.Timer(
            SHUTDOWN_GRACE_SECONDS + SHUTDOWN_LAST_SECONDS, exit_process
        )  # asyncio would wait for threads, and they for sources
        end.daemon = True
        end.start()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    log.info("working, %s at once", concurrency)
    while not stopped.is_set():
        try:
            await _until_done_or_stopped(_run(queue, concurrency), stopped)
        except (ConnectorException, psycopg.Error, OSError) as error:
            log.error("the database is away (%s)", type(error).__name__)
            await _until_done_or_stopped(asyncio.sleep(1.0), stopped)
    log.info("stopped")


async def look(queue: App) -> None:
    """Queue a tick, which is the job that looks for due work. Before that, queue the jobs of dead workers again."""
    await _resume(queue)
    await _enqueue(queue, "tick", [_QueuedJob(None, "tick", {"timestamp": 0})], priority=TICK_PRIORITY)


async def _run(queue: App, concurrency: int) -> None:
    async with queue.open_async():
        await look(queue)
        await queue.run_worker_async(
            concurrency=concurrency,
            delete_jobs="always",  # failed jobs are due again by our tables
            install_signal_handlers=False,
            fetch_job_polling_interval=1.0,
            update_heartbeat_interval=SILENT_SECONDS / 6,
            stalled_worker_timeout=SILENT_SECONDS,
            shutdown_graceful_timeout=SHUTDOWN_GRACE_SECONDS,
        )


async def _until_done_or_stopped(work: Coroutine[Any, Any, None], stopped: asyncio.Event) -> None:
    task, waiting = asyncio.ensure_future(work), asyncio.ensure_future(stopped.wait())
    await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    if not task.done():
        task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        if not stopped.is_set():
            raise
