"""The tables of load runs in a document, with the newest run by number of users and database and how costs grow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import linear_regression
from typing import Any

from bridge import registry
from bridge.ingest.outcomes import BESIDE_PUSHES, SYNC_CADENCE
from lab.cli.figures import table
from lab.fleet.accounts import SOURCES
from lab.marked_documents import put, within
from rhythm_env.interface import SLOTS_PER_DAY

MARK = "fleet"
KEY = {"users": "users", "database": "database"}  # of every table's rows
SPEED = {  # heading -> the figure behind it
    "days": "days",
    "workers": "workers",
    "syncs/s": "syncs_per_s",
    "CPU ms, first sync": "cpu_ms_per_first_sync",
    "CPU ms, nothing new": "cpu_ms_per_sync_nothing_new",
    "lag p50 s": "lag_p50_s",
    "lag p95 s": "lag_p95_s",
    "MB early": "mb_early",
    "MB late": "mb_late",
    "lost": "lost",
    "doubled": "doubled",
}
SPACE = {
    "database MB": "database_mb",
    "bytes/user-day": "bytes_per_user_day",
    "of it raw": "raw_bytes_per_user_day",
    "bytes/sync run": "bytes_per_sync_run",
    "bytes/advice": "bytes_per_advice",
    "bytes/user-year": "bytes_per_user_year",
}
DEPLOYED = {  # of runs with real workers
    "queued p95 s": "queued_p95_s",
    "pace": "pace",
    "PostgreSQL ms, first sync": "postgres_ms_per_first_sync",
    "PostgreSQL ms, nothing new": "postgres_ms_per_sync_nothing_new",
    "CPU ms, advice": "cpu_ms_per_advice",
    "PostgreSQL ms, advice": "postgres_ms_per_advice",
    "idle, workers ms/s": "cpu_ms_idle_per_s",
    "idle, PostgreSQL ms/s": "postgres_ms_idle_per_s",
    "rows/user-day": "rows_per_user_day",
    "index bytes/user-day": "index_bytes_per_user_day",
    "connections/worker": "connections_per_worker",
}
TOLD = {
    "jobs at once": "jobs_at_once",
    "vendors answer after s": "vendors_answer_after_s",
    "first wall": "first_wall",
    "by other programs": "others_in_use",
    "date": "date",
    "machine": "machine",
}
COLUMNS = KEY | SPEED | SPACE
GROWING = ("CPU ms, first sync", "CPU ms, nothing new", "MB late", "bytes/user-day")  # of which exponents are told
MANY = (100_000, 1_000_000)
CORES = 8  # of a machine
DAY = timedelta(days=1)
PUSHING = tuple(source for source in SOURCES if registry.spec(source).notices is not None)


def keep(path: Path, figures: dict[str, Any]) -> None:
    """Put a run's figures into the tables of load runs in a document, with the growth of costs and an extrapolation.

    The row of a run with as many users and the same kind of database is replaced. Raises SetupError for a document that
    is missing or has no marks.
    """
    rows = _rows(within(path, MARK, "load runs"))
    more = DEPLOYED | TOLD if "first_wall" in figures else {}
    fresh = {heading: str(figures[name]) for heading, name in (COLUMNS | more).items()}
    rows[fresh["users"], fresh["database"]] = fresh
    ordered = [rows[key] for key in sorted(rows, key=lambda key: (key[1], int(key[0])))]
    put(path, "\n\n".join("\n".join(table(found)) for found in _tables(ordered) if found), mark=MARK)


def _tables(rows: Sequence[dict[str, str]]) -> Iterator[list[dict[str, Any]]]:
    deployed = [row for row in rows if "first wall" in row]
    local = [row for row in deployed if row["PostgreSQL ms, advice"] != "None"]  # where its CPU could be read
    yield _with(rows, SPEED)
    yield list(_growth(rows))
    yield _with(rows, SPACE)
    yield _with(deployed, DEPLOYED)
    yield [{**_key(row), **per_day(row)} for row in local]
    yield _with(deployed, TOLD)
    if len(local) > 1:  # of one run there is no exponent
        yield [on_paper(local, users) for users in MANY]


def _with(rows: Sequence[dict[str, str]], columns: dict[str, str]) -> list[dict[str, Any]]:
    return [{heading: row[heading] for heading in KEY | columns} for row in rows]


def _key(row: dict[str, str]) -> dict[str, str]:
    return {heading: row[heading] for heading in KEY}


def syncs_a_day(*, pushed: bool) -> int:
    """Return the number of a user's syncs per day by polling, or less often where vendors push (``pushed``)."""
    every = [BESIDE_PUSHES if pushed and source in PUSHING else SYNC_CADENCE for source in SOURCES]
    return sum(DAY // cadence for cadence in every)


def per_day(row: dict[str, str]) -> dict[str, float]:
    """Return the CPU seconds of a user's day, by process and by way of syncing, from the measured costs in ``row``."""
    return {
        f"{part} CPU s/person-day, {how}": round(
            (
                syncs_a_day(pushed=pushed) * float(row[f"{heading}, nothing new"])
                + SLOTS_PER_DAY * float(row[f"{heading}, advice"])
            )
            / 1000,
            2,
        )
        for how, pushed in (("polling", False), ("webhooks", True))
        for part, heading in (("worker", "CPU ms"), ("PostgreSQL", "PostgreSQL ms"))
    }


def on_paper(rows: Sequence[dict[str, str]], users: int) -> dict[str, Any]:
    """Return an extrapolation to ``users`` users from the largest run.

    A user's costs grow as a power of the number of users, with the exponent estimated from the runs.
    """
    largest, day = rows[-1], per_day(rows[-1])
    times = users / float(largest["users"])
    cpu, space = (
        max(0.0, _of(rows, name)) for name in ("CPU ms, nothing new", "bytes/user-day")
    )  # nothing gets cheaper
    cores = {name: users * seconds / DAY.total_seconds() * times**cpu for name, seconds in day.items()}
    polling = [count for name, count in cores.items() if name.endswith("polling")]
    bytes_a_year, rows_a_day, indexed_a_day = (
        float(largest[name]) for name in ("bytes/user-year", "rows/user-day", "index bytes/user-day")
    )
    return {
        "people": users,
        **{
            f"syncs/s, {how}": round(users * syncs_a_day(pushed=pushed) / DAY.total_seconds())
            for how, pushed in (("polling", False), ("webhooks", True))
        },
        "exponent of CPU": cpu,
        **{name.replace("CPU s/person-day", "cores"): math.ceil(count) for name, count in cores.items()},
        f"machines of {CORES} cores": math.ceil(sum(polling) / CORES),
        "connections": math.ceil(polling[0]) * int(largest["connections/worker"]),
        "exponent of bytes": space,
        "rows a year": f"{users * 365 * rows_a_day:.1e}",
        "TB after a year": round(users * bytes_a_year * times**space / 1e12, 2),
        "TB of indices": round(users * 365 * indexed_a_day * times**space / 1e12, 2),
    }


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return e of the power law cost = c * size ** e, by least squares of the logarithms.

    >>> exponent([10, 100, 1000], [2, 2, 2]), exponent([1, 2, 4], [3, 6, 12])
    (0.0, 1.0)
    """
    return round(linear_regression([math.log(x) for x in sizes], [math.log(y) for y in costs]).slope, 3)


def _of(rows: Sequence[dict[str, str]], name: str) -> float:
    return exponent([float(row["users"]) for row in rows], [float(row[name]) for row in rows])


def _growth(rows: Sequence[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield a row for each database with the exponent of growth of each cost in the number of users."""
    for database in dict.fromkeys(row["database"] for row in rows):
        some = [row for row in rows if row["database"] == database]
        if len(some) > 1 and min(float(row[name]) for row in some for name in GROWING) > 0:
            yield {"exponent in users": database} | {name: _of(some, name) for name in GROWING}


def _rows(tables: str) -> dict[tuple[str, str], dict[str, str]]:
    """Return the rows of runs by (users, database), each as heading -> cell, from the text of all tables."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for written in filter(None, tables.strip().split("\n\n")):
        head, _, *lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in written.splitlines()]
        if head[:2] == list(KEY):
            for line in lines:
                rows.setdefault((line[0], line[1]), {}).update(zip(head, line, strict=True))
    return rows
