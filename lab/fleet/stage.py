"""The set-up of a load test, with vendors and workers as processes and a store of connected users."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bridge import registry
from bridge.auth.vault import Vault
from bridge.domain.errors import BridgeError, SetupError
from bridge.store import Store, names, tables
from lab.fleet.accounts import NOW, SOURCES, ZONE, accounts, consent

OWN_CLUSTER = "postgresql"
TOGETHER = 500  # people who are put into the store at once


class Stopped(BridgeError):
    """The error of a process of the load test that ended too early."""


@contextmanager
def staged(days: int, database: str | None, *, wait: float = 0.0) -> Iterator[dict[str, str]]:
    """Start the vendors, and yield the environment variables for commands that use them and the database.

    The vendors answer after ``wait`` seconds. The database "postgresql" is a private cluster that is deleted
    afterwards.
    """
    from cryptography.fernet import Fernet

    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rhythm-bridge-fleet-"))
        if database == OWN_CLUSTER:
            database = _in_own_cluster(stack)
        variables = {
            "BRIDGE_HOME": folder,
            "BRIDGE_DATABASE": database or f"sqlite:///{folder}/bridge.db",
            "BRIDGE_KEY": Fernet.generate_key().decode(),
            "BRIDGE_GARMIN_DAYS": str(days),
        }
        ports = heard(stack.enter_context(process("vendors", str(days), str(wait))))
        for source, account in accounts(0, days).items():
            vendor = registry.resolve(f"lab.vendors.{source}:Vendor")(account)
            for name, value in vendor.settings(f"http://127.0.0.1:{ports[source]}").items():
                variables.setdefault(f"BRIDGE_{source}_{name}".upper(), value)
        yield variables


def _in_own_cluster(stack: ExitStack) -> str:
    """Start a PostgreSQL cluster until ``stack`` closes, and return the address of its empty database.

    Raises SetupError if PostgreSQL is not installed.
    """
    from lab.postgres_cluster import cluster

    try:
        return f"{stack.enter_context(cluster())}/postgres"
    except RuntimeError as error:
        raise SetupError(str(error)) from error


@contextmanager
def process(module: str, *arguments: str, variables: Mapping[str, str] = {}) -> Iterator[subprocess.Popen[str]]:
    """Run a module of ``lab.fleet`` as a process until the context ends."""
    command = [sys.executable, "-m", f"lab.fleet.{module}", *arguments]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env={**os.environ, **variables}, **pipes) as started:  # noqa: S603
        try:
            yield started
        finally:
            if started.stdin is not None:
                started.stdin.close()


def heard(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the next line of JSON that a process prints. Raises Stopped at the end of its output."""
    line = process.stdout.readline() if process.stdout is not None else ""
    if not line:
        raise Stopped("a process of the fleet stopped; with fewer people: bridge fleet --users 20")
    said: dict[str, Any] = json.loads(line)
    return said


def populate(store: Store, users: int, vault: Vault) -> None:
    """Add users, each connected to every source. Raises SetupError for a store that has users already."""
    with store.database.write() as db:
        if db.execute(sa.select(tables.users.c.id).limit(1)).first():
            raise SetupError("that store holds somebody; the fleet needs one of its own: bridge fleet --users 20")
        numbers = [names.number(db, tables.sources, source) for source in SOURCES]
        for begin in range(1, users + 1, TOGETHER):
            people = range(begin, min(begin + TOGETHER, users + 1))
            _add(db, people, numbers, vault)


def _add(db: sa.Connection, people: range, numbers: list[int], vault: Vault) -> None:
    db.execute(sa.insert(tables.users), [{"id": n, "name": f"person{n}", "created_at": NOW} for n in people])
    db.execute(sa.insert(tables.zones), [{"user_id": n, "since": NOW, "zone": ZONE.key} for n in people])
    rows = [
        {
            "user_id": n,
            "source_id": number,
            "name": "account",
            "created_at": NOW,
            "secret": vault.seal(consent(source, n)),
        }
        for n in people
        for source, number in zip(SOURCES, numbers, strict=True)
    ]
    db.execute(sa.insert(tables.connections), rows)


def spread(store: Store, base: datetime, until: datetime) -> None:
    """Make the connections due one after the other, evenly spaced from ``base`` to ``until``."""
    with store.database.write() as db:
        c = tables.connections.c
        low, high = db.execute(sa.select(sa.func.min(c.id), sa.func.max(c.id))).one()
        pace = tables.microseconds(until) - tables.microseconds(base)
        due = tables.microseconds(base) + sa.type_coerce(c.id - low, sa.BigInteger) * (pace // (high - low + 1))
        db.execute(sa.update(tables.connections).values(due_at=sa.type_coerce(due, tables.Instant)))


def size(store: Store) -> int:
    """Return the size of the database in bytes, without free space."""
    with store.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
        if db.dialect.name == "postgresql":
            return int(db.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one())
    with store.database.read() as db:
        count, free, page = (
            int(db.exec_driver_sql(f"PRAGMA {name}").scalar_one())
            for name in ("page_count", "freelist_count", "page_size")
        )
        return (count - free) * page


def part(store: Store, table: sa.Table) -> int:
    """Return the bytes that a table takes with its indices."""
    with store.database.read() as db:
        if db.dialect.name == "postgresql":
            query = sa.text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
            return int(db.execute(query, {"name": table.name}).scalar_one())
        mine = "SELECT name FROM sqlite_schema WHERE tbl_name = :name"
        query = sa.text(f"SELECT sum(pgsize) FROM dbstat WHERE name IN ({mine})")  # noqa: S608
        return int(db.execute(query, {"name": table.name}).scalar_one() or 0)
