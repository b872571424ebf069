"""Past one machine: the daemon's work as procrastinate jobs on PostgreSQL, for any number of workers anywhere.

A tick, which one worker at a time begins, asks the database what is due and queues it; the jobs do what the daemon
does. No two jobs of one person's source run at once (``lock``), none is queued twice (``queueing_lock``). What is due,
and who is at it, stays in our own tables: jobs may be deleted at any time, the next tick queues them anew.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from bridge import app, housekeeping, leases, registry, rhythm
from bridge.ending import GRACE, LAST, leave
from bridge.errors import BridgeError, Interrupted, TryLater
from bridge.ports import Connection, User
from bridge.rhythm import guarded, report
from bridge.sync import BACKOFF, CADENCE, LEASE, failed
from bridge.types import Outcome

if TYPE_CHECKING:
    from procrastinate import App

log = logging.getLogger(__name__)

TICK = "* * * * * */10"  # cron, with seconds: every ten
CHUNK = 40  # pages of one job; what is left is a backfill, which waits behind everything else
AT_ONCE = 2000  # connections queued by one tick
CROWDED = timedelta(seconds=2)  # until a source that as many as allowed are at is tried again
ELSEWHERE = timedelta(minutes=1)  # until a connection that somebody else is syncing is tried again
BEHIND, FIRST = -10, 10  # priorities of backfills and of ticks
TOGETHER = 200  # jobs added at once; after so many the planner's statistics are stale
WAITING = "SELECT queueing_lock FROM procrastinate_jobs WHERE status = 'todo' AND queueing_lock IS NOT NULL"
LEAPT = (
    "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo' AND scheduled_at > now() + interval '2m'"
)
SILENT = 30.0  # seconds after which a worker that says nothing is taken for dead, and its jobs for nobody's


@dataclass(slots=True, kw_only=True)
class Jobs:
    """What the jobs do, at an open bridge; ``stopping`` ends them at their next page."""

    bridge: app.Bridge
    clock: Callable[[], datetime] = app.now
    stopping: threading.Event = field(default_factory=threading.Event)
    owed: set[str] = field(default_factory=set)  # whose leases may not have been given back
    recalled: float = float("-inf")

    def sync(self, connection_id: int, pages: int | None = None) -> bool:
        """Sync one connection, up to so many pages; True when more is to come. Raises TryLater where it cannot begin.

        What failed is over, and due again by the tables. ``pages``: of a backfill. Without, a connection that is no
        longer due is left alone: a job may wait for longer.
        """
        connection = self.bridge.store.connection(connection_id)
        if connection is None or connection.paused is not None:
            return False
        if pages is None and connection.due_at is not None and connection.due_at > self.clock():
            return False
        mine = replace(self.bridge)  # a holder of its own
        try:
            return self._sync(mine, connection, pages or CHUNK)
        except BridgeError:
            raise
        except Exception:  # the database went away: whether the lease is given back is not known
            self.owed.add(mine.holder)
            raise

    def _sync(self, mine: app.Bridge, connection: Connection, pages: int) -> bool:
        user = self.bridge.store.person(connection.user_id)
        leases.free_dead(self.bridge.store, connection)
        self._enter(mine, connection)
        chunk = _Chunk(pages=pages, stopping=self.stopping, clock=self.clock)
        outcome = self._outcome(mine, user, connection, chunk)
        if outcome.outcome == "skipped":
            raise TryLater(f"{connection.source}: somebody else is at it", retry_at=self.clock() + ELSEWHERE)
        return chunk.full

    def _enter(self, mine: app.Bridge, connection: Connection) -> None:
        """Take the lease, unless as many of this source are being synced, anywhere, as it allows at once."""
        store, now, limit = self.bridge.store, self.clock(), registry.spec(connection.source).at_once
        with store.lock(f"entering-{connection.source}"):
            if store.busy(connection.source, now=now) >= limit:
                raise TryLater(f"{connection.source} is busy enough", retry_at=now + CROWDED)
            store.claim(connection.id, mine.holder, now=now, lease=LEASE)

    def _outcome(self, mine: app.Bridge, user: User, connection: Connection, chunk: _Chunk) -> Outcome:
        """Whatever happens, it is an outcome, and the connection is due again later."""
        now = self.clock()
        try:
            return app.sync_connection(mine, user, connection, at=now, on_page=chunk.landed)
        except Exception as error:  # noqa: BLE001 - a defect in one source must not stop the others
            log.error("%s: unexpected %s", connection.source, type(error).__name__)  # the text may be personal
            return failed(mine.store, connection, error, holder=mine.holder, now=now)

    def attend(self, user_id: int) -> None:
        rhythm.attend(self.bridge, self.bridge.store.person(user_id), now=self.clock())

    def due(self) -> list[Connection]:
        return self.bridge.store.due(now=self.clock(), limit=AT_ONCE)

    def give_back(self) -> None:
        """Leases of the dead of this machine, and those of our own that are over."""
        leases.free_all_dead(self.bridge.store)
        for holder in list(self.owed):
            self.bridge.store.work.free_all(holder)
            self.owed.discard(holder)

    def recall(self) -> None:
        """What a machine whose clock was ahead put off is due again; not often, for it may be ours that is behind."""
        if time.monotonic() - self.recalled >= CADENCE.total_seconds():
            self.recalled = time.monotonic()
            self.bridge.store.work.recall(now=self.clock(), lease=LEASE)

    def untidy(self) -> bool:
        return housekeeping.is_due(self.bridge, now=self.clock())

    def tidy(self) -> None:
        if self.untidy():
            housekeeping.daily(self.bridge, now=self.clock())

    def waiting(self) -> list[User]:
        """Those for whom something is due: a slot without advice, advice that is not sent, an answer to be written.

        Nobody where that cannot be told, for a setting that is wrong: syncs do not go by it.
        """
        found: list[User] = []
        now, users = self.clock(), self.bridge.store.users
        guarded("people", lambda: found.extend(rhythm.waiting(self.bridge, users(), now=now)))
        return found


@dataclass(slots=True, kw_only=True)
class _Chunk:
    """Counts pages, and stops after one that has landed: after so many, or when the worker is to end."""

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
            raise Interrupted("there is more; it follows", retry_at=self.clock() + BACKOFF)


def declare(jobs: Jobs, queue: App) -> None:
    """The tasks, by name: ``tick``, ``sync``, ``attend``, ``tidy``."""
    from procrastinate.retry import BaseRetryStrategy, RetryDecision

    class AsTold(BaseRetryStrategy):
        """TryLater knows its time, at most ``ELSEWHERE``: jobs of that person's source wait for this one. Whatever
        else happens is over, and due again by the tables."""

        def get_retry_decision(self, *, exception: BaseException, job: Any) -> RetryDecision | None:  # noqa: ARG002
            if not isinstance(exception, TryLater):
                report("a sync", exception)  # procrastinate's own lines hold texts
                return None
            return RetryDecision(retry_at=exception.due(jobs.clock()) or jobs.clock() + ELSEWHERE)

    @queue.task(name="sync", retry=AsTold())
    async def sync(connection_id: int, pages: int | None = None) -> None:
        if await asyncio.to_thread(jobs.sync, connection_id, pages):
            connection = await asyncio.to_thread(jobs.bridge.store.connection, connection_id)
            if connection is not None:  # twice as much: a listing that cannot be resumed comes to its end all the same
                more = _wanted(connection, pages=2 * (pages or CHUNK))
                await _enqueue(queue, "sync", [more], priority=BEHIND, queue="backfill")

    @queue.task(name="attend")
    async def attend(user_id: int) -> None:
        await asyncio.to_thread(jobs.attend, user_id)

    @queue.task(name="tidy")
    async def tidy() -> None:
        await asyncio.to_thread(guarded, "housekeeping", jobs.tidy)

    @queue.periodic(cron=TICK)
    @queue.task(name="tick", queueing_lock="tick", priority=FIRST)
    async def tick(timestamp: int) -> None:  # noqa: ARG001 - the library's shape
        await _resume(queue)
        await asyncio.to_thread(jobs.give_back)
        await asyncio.to_thread(jobs.recall)
        if await asyncio.to_thread(jobs.untidy):
            await _enqueue(queue, "tidy", [_Wanted("tidy", "tidy", {})], priority=BEHIND)
        due = await asyncio.to_thread(jobs.due)
        people = await asyncio.to_thread(jobs.waiting)
        await _enqueue(queue, "sync", [_wanted(connection) for connection in due])
        await _enqueue(
            queue, "attend", [_Wanted(f"attend/{u.id}", f"attend/{u.id}", {"user_id": u.id}) for u in people]
        )


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A job to queue: what it must not run beside, what it must not be queued beside, and its arguments.

    A tick runs beside any: the next would wait for ever for one whose worker was killed, for it is ticks that see that.
    """

    lock: str | None
    queueing_lock: str
    arguments: dict[str, int]


def _wanted(connection: Connection, **more: int) -> _Wanted:
    lock = f"{connection.user_id}/{connection.source}"
    return _Wanted(lock, f"sync/{connection.id}", {"connection_id": connection.id, **more})


async def _enqueue(at: App, task: str, wanted: Iterable[_Wanted], **options: Any) -> None:
    """Queue what is not waiting already. After many at once the planner is told: it would fetch ten times slower."""
    waiting = {row["queueing_lock"] for row in await at.connector.execute_query_all_async(query=WAITING)}
    plain = at.configure_task(task, **options).job
    fresh = [
        plain.evolve(lock=one.lock, queueing_lock=one.queueing_lock, task_kwargs=one.arguments)
        for one in wanted
        if one.queueing_lock not in waiting
    ]
    for begin in range(0, len(fresh), TOGETHER):
        await _add(at, fresh[begin : begin + TOGETHER])
    if len(fresh) >= TOGETHER:
        await at.connector.execute_query_async(query="ANALYZE procrastinate_jobs")


async def _add(queue: App, jobs: list[Any]) -> None:
    """Add jobs at once, or one by one where another worker has queued one of them a moment ago."""
    from procrastinate.exceptions import AlreadyEnqueued

    try:
        await queue.job_manager.batch_defer_jobs_async(jobs)
    except AlreadyEnqueued:
        if len(jobs) > 1:
            for job in jobs:
                await _add(queue, [job])


async def _resume(queue: App) -> None:
    """What dead workers had begun is begun again; unless it is queued already, then their jobs are dropped. What a
    worker whose clock is ahead has put off waits no longer."""
    await queue.connector.execute_query_async(query=LEAPT)
    for job in await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=SILENT):
        await queue.job_manager.retry_job(job)


def work(bridge: app.Bridge, *, concurrency: int) -> None:
    """Work until SIGTERM or Ctrl-C; what is under way is finished up to its next page, if that takes no ten seconds."""
    from bridge.queue import open_queue

    jobs = Jobs(bridge=bridge)
    queue = open_queue(bridge.settings.database, concurrency)
    declare(jobs, queue)
    asyncio.run(_until_stopped(jobs, queue, concurrency))


async def _until_stopped(jobs: Jobs, queue: App, concurrency: int) -> None:
    """Work; where the database goes away, come back when it does."""
    import psycopg
    from procrastinate.exceptions import ConnectorException

    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(ThreadPoolExecutor(concurrency + 4))

    def stop() -> None:
        jobs.stopping.set()
        stopped.set()
        end = threading.Timer(GRACE + LAST, leave)  # asyncio would wait for threads, and they for sources
        end.daemon = True
        end.start()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    log.info("working, %s at once", concurrency)
    while not stopped.is_set():
        try:
            await _stoppable(_run(queue, concurrency), stopped)
        except (ConnectorException, psycopg.Error, OSError) as error:
            log.error("the database is away (%s)", type(error).__name__)
            await _stoppable(asyncio.sleep(1.0), stopped)
    log.info("stopped")


async def look(queue: App) -> None:
    """Let some worker look at once what is due."""
    await _resume(queue)
    await _enqueue(queue, "tick", [_Wanted(None, "tick", {"timestamp": 0})], priority=FIRST)


async def _run(queue: App, concurrency: int) -> None:
    async with queue.open_async():
        await look(queue)
        await queue.run_worker_async(
            concurrency=concurrency,
            delete_jobs="always",  # those that failed are due again by our tables
            install_signal_handlers=False,
            fetch_job_polling_interval=1.0,
            update_heartbeat_interval=SILENT / 6,
            stalled_worker_timeout=SILENT,
            shutdown_graceful_timeout=GRACE,
        )


async def _stoppable(work: Coroutine[Any, Any, None], stopped: asyncio.Event) -> None:
    """Until it is done, or it is time to stop: then it is told so and waited for."""
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
