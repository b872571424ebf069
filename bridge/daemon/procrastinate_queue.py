"""Open the job queue of procrastinate (a library). Its tables lie in a schema of their own in PostgreSQL."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bridge import origin
from bridge.domain.errors import SetupError
from bridge.store.database import has_spoken

if TYPE_CHECKING:
    from procrastinate import App
    from procrastinate.manager import JobManager

SCHEMA = "bridge_jobs"
OPTIONS = f"-c search_path={SCHEMA}"
_LOCK = 7_211_482_907  # an arbitrary number: workers that start together create the tables one after the other


def open_queue(database: str, concurrency: int) -> App:
    """Open the store's job queue for ``concurrency`` jobs at once, creating or migrating its tables.

    Raises SetupError for SQLite or if that fails.
    """
    if not database.startswith(("postgresql", "postgres")):
        raise SetupError(
            "workers need a PostgreSQL store, and this store is SQLite: use bridge daemon, or move the store: "
            "bridge migrate --to postgresql://..."
        )
    try:
        from procrastinate import App, PsycopgConnector
        from psycopg_pool import AsyncConnectionPool
    except ModuleNotFoundError:
        raise origin.lacking("postgres") from None

    async def check(connection: Any) -> None:
        if has_spoken(connection):  # to ask each time would take a tenth of a sync
            await AsyncConnectionPool.check_connection(connection)

    for name in ("procrastinate", "psycopg.pool"):  # their tracebacks may hold personal texts
        logging.getLogger(name).setLevel(logging.CRITICAL)
    address = _plain(database)
    _prepare(address)
    connector = PsycopgConnector(
        conninfo=address,
        kwargs={"options": OPTIONS},
        min_size=1,
        max_size=max(4, concurrency // 2),
        timeout=10.0,
        pool_factory=lambda **options: AsyncConnectionPool(**options | {"check": check}),
    )
    queue = App(connector=connector)
    queue.job_manager = _manager(connector)
    return queue


def _manager(connector: Any) -> JobManager:
    """Return procrastinate's job manager, changed to drop a retried job if an equal one waits, instead of failing."""
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
    import sqlalchemy as sa

    return sa.make_url(database).set(drivername="postgresql").render_as_string(hide_password=False)


def _prepare(address: str) -> None:
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
        why = type(error).__name__
        raise SetupError(f"the database cannot be opened ({why}); check BRIDGE_DATABASE, then: bridge doctor") from None


def _steps(*, fresh: bool) -> list[tuple[str, Any]]:
    from procrastinate.schema import SchemaManager

    found = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    if not fresh:
        return [(path.name, path.read_text(encoding="utf-8")) for path in found]
    return [("schema", SchemaManager.get_schema()), *((path.name, "SELECT 1") for path in found)]
