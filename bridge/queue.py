"""The job queue: procrastinate's tables in a PostgreSQL schema of their own, brought up to date on opening."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge.errors import SetupError

if TYPE_CHECKING:
    from procrastinate import App
    from procrastinate.manager import JobManager

SCHEMA = "bridge_jobs"
OPTIONS = f"-c search_path={SCHEMA}"
_LOCK = 7_211_482_907  # any number of our own: two workers that start at once make the tables one after the other


def open_queue(database: str, concurrency: int) -> App:
    """The queue beside a store's tables. Raises SetupError for SQLite, or where procrastinate is not installed."""
    if not database.startswith(("postgresql", "postgres")):
        raise SetupError(
            "workers share a PostgreSQL store; this one is SQLite, for which there is: bridge daemon. To move: "
            "bridge migrate --to postgresql://..."
        )
    try:
        from procrastinate import App, PsycopgConnector
    except ModuleNotFoundError:
        raise SetupError("workers need procrastinate: pip install 'rhythm-bridge[postgres]'") from None
    for name in ("procrastinate", "psycopg.pool"):  # they log tracebacks, whose texts may be personal
        logging.getLogger(name).setLevel(logging.CRITICAL)
    address = _plain(database)
    _prepare(address)
    connector = PsycopgConnector(
        conninfo=address, kwargs={"options": OPTIONS}, min_size=1, max_size=max(4, concurrency // 2), timeout=10.0
    )
    queue = App(connector=connector)
    queue.job_manager = _manager(connector)
    return queue


def _manager(connector: Any) -> JobManager:
    """procrastinate's own, but that a job to be tried again whose twin is queued already is dropped: that one does it.

    ``queueing_lock`` is unique among what waits, so that procrastinate's fails there, and the job stays begun for ever.
    """
    from procrastinate.exceptions import UniqueViolation
    from procrastinate.jobs import Job, Status
    from procrastinate.manager import JobManager

    class Manager(JobManager):
        async def retry_job(self, job: Job, *arguments: Any, **how: Any) -> None:
            try:
                await super().retry_job(job, *arguments, **how)
            except UniqueViolation:
                await self.finish_job(job, status=Status.FAILED, delete_job=True)

    return Manager(connector)


def _plain(database: str) -> str:
    """The address as the driver takes it."""
    import sqlalchemy as sa

    return sa.make_url(database).set(drivername="postgresql").render_as_string(hide_password=False)


def _prepare(address: str) -> None:
    """Make procrastinate's tables, or apply the migrations that are new since. Once, whoever comes first."""
    import psycopg

    try:
        with psycopg.connect(address, options=OPTIONS) as db:
            db.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            db.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}".encode())
            db.execute("CREATE TABLE IF NOT EXISTS applied (name text PRIMARY KEY)")
            applied = {row[0] for row in db.execute("SELECT name FROM applied")}
            for name, statements in _steps(fresh=not applied):
                if name not in applied:
                    db.execute(statements.encode())
                    db.execute("INSERT INTO applied VALUES (%s)", (name,))
        with psycopg.connect(address, options=OPTIONS, autocommit=True) as db:
            db.execute("ANALYZE procrastinate_jobs")
    except psycopg.OperationalError as error:
        raise SetupError(f"the database cannot be opened ({type(error).__name__}); check BRIDGE_DATABASE") from None


def _steps(*, fresh: bool) -> list[tuple[str, Any]]:
    """procrastinate's own migrations by name; for a fresh schema they are all in the first step."""
    from procrastinate.schema import SchemaManager

    found = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    if not fresh:
        return [(path.name, path.read_text(encoding="utf-8")) for path in found]
    return [("schema", SchemaManager.get_schema()), *((path.name, "SELECT 1") for path in found)]
