"""Read what processes, PostgreSQL and its queue use, from /proc and from the database."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from bridge.daemon.procrastinate_queue import SCHEMA
from bridge.store import Store

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
WATCH = f"""
CREATE TABLE {SCHEMA}.fleet_waits (task text, seconds float8);
CREATE FUNCTION {SCHEMA}.fleet_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO {SCHEMA}.fleet_waits SELECT OLD.task_name, EXTRACT(epoch FROM
    max(at) FILTER (WHERE type = 'started') - min(at) FILTER (WHERE type = 'deferred'))
    FROM {SCHEMA}.procrastinate_events WHERE job_id = OLD.id;
  RETURN OLD; END $$;
CREATE TRIGGER fleet_wait BEFORE DELETE ON {SCHEMA}.procrastinate_jobs
  FOR EACH ROW EXECUTE FUNCTION {SCHEMA}.fleet_wait();
"""  # noqa: S608 - the queue deletes a job when it ends, and its events with it


class Moment(NamedTuple):
    """CPU seconds used so far. ``postgres`` is None for a server on another machine."""

    workers: float
    postgres: float | None
    machine: float
    others: float  # neither this run's processes nor its PostgreSQL

    def since(self, before: Moment) -> Moment:
        postgres = None if self.postgres is None or before.postgres is None else self.postgres - before.postgres
        others = max(0.0, self.others - before.others)
        return Moment(self.workers - before.workers, postgres, self.machine - before.machine, others)


def used(pids: Iterable[int], postmaster: int | None) -> Moment:
    """Return the CPU seconds used so far by processes, by a PostgreSQL server and by this machine."""
    fields = [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    machine = (sum(fields) - fields[3] - fields[4]) / TICKS_PER_SECOND  # neither idle nor waiting for a disk
    postgres = None if postmaster is None else _family(postmaster)
    return Moment(
        workers=sum(sum(_times(pid)[:2]) for pid in pids),
        postgres=postgres,
        machine=machine,
        others=machine - _family(os.getpid()) - (postgres or 0.0),
    )


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _times(pid: int) -> list[float]:
    """Return the user and system time of a process, then those of its children that have ended, in seconds."""
    return [int(field) / TICKS_PER_SECOND for field in _stat(pid)[11:15]]


def _family(parent: int) -> float:
    total = sum(_times(parent))
    for found in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            if int(_stat(int(found.name))[1]) == parent:
                total += sum(_times(int(found.name))[:2])
    return total


def megabytes(pids: Iterable[int]) -> float:
    """Return the resident memory of processes, together, in MB."""
    pages = (int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in pids)
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def postmaster(store: Store) -> int | None:
    """Return the process id of the store's PostgreSQL server, or None if it does not run on this machine."""
    try:
        with store.database.read() as db:
            folder = db.execute(sa.text("SHOW data_directory")).scalar_one()
        pid = int((Path(folder) / "postmaster.pid").read_text().splitlines()[0])
        return pid if "postgres" in Path(f"/proc/{pid}/comm").read_text() else None
    except (OSError, sa.exc.ProgrammingError):
        return None


def machine(store: Store) -> str:
    """Return the processor, cores, memory and server of a run, in words."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    with store.database.read() as db:
        server = db.execute(sa.text("SHOW server_version")).scalar_one().split()[0]
    return f"{model or platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB, PostgreSQL {server}"


def watch_queue(store: Store) -> None:
    """Let the database record from now on how long every job waits in the queue."""
    with store.database.write() as db:
        db.execute(sa.text(WATCH))


def waits(store: Store, task: str) -> list[float]:
    """Return the sorted seconds that jobs of a task waited in the queue, and delete the recorded times of all tasks."""
    with store.database.write() as db:
        found = db.execute(sa.text(f"DELETE FROM {SCHEMA}.fleet_waits RETURNING task, seconds"))  # noqa: S608
        return sorted(row.seconds for row in found if row.task == task and row.seconds is not None)


def jobs(store: Store) -> tuple[int, int]:
    """Return (workers registered at the queue, jobs running)."""
    with store.database.read() as db:
        query = f"""SELECT (SELECT count(*) FROM {SCHEMA}.procrastinate_workers) AS workers,
            (SELECT count(*) FROM {SCHEMA}.procrastinate_jobs WHERE status = 'doing') AS doing"""  # noqa: S608
        row = db.execute(sa.text(query)).one()
        return row.workers, row.doing


def connections(store: Store) -> int:
    """Return the number of open connections to the store's database, without the one that asks."""
    query = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
    with store.database.read() as db:
        return int(db.execute(sa.text(query)).scalar_one())
