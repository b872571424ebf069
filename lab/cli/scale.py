"""Keep a document's tables of load runs: the newest run per number of people and database, and how costs grow."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import linear_regression
from typing import Any

from bridge.domain.errors import SetupError
from lab.cli.figures import table

BEGIN, END = "<!-- fleet -->", "<!-- /fleet -->"
COLUMNS = {  # heading -> the figure behind it
    "users": "users",
    "database": "database",
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
    "database MB": "database_mb",
    "bytes/user-day": "bytes_per_user_day",
    "of it raw": "raw_bytes_per_user_day",
    "bytes/sync run": "bytes_per_sync_run",
    "bytes/advice": "bytes_per_advice",
    "bytes/user-year": "bytes_per_user_year",
}
GROWING = ("CPU ms, first sync", "CPU ms, nothing new", "MB late", "bytes/user-day")  # of which exponents are told


def keep(path: Path, figures: dict[str, Any]) -> None:
    """Put a run's figures into the table of load runs in a document, between its marks, with exponents below it.

    The row of a run with as many people and the same kind of database is replaced. Raises SetupError for a document
    without the marks, also if it is missing.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    before, begin, rest = text.partition(BEGIN)
    within, end, after = rest.partition(END)
    if not begin or not end:
        raise SetupError(f"{path} has no place for load runs; add the lines {BEGIN} and {END} to it")
    rows = {(row["users"], row["database"]): row for row in _rows(within)}
    fresh = {heading: str(figures[name]) for heading, name in COLUMNS.items()}
    rows[fresh["users"], fresh["database"]] = fresh
    ordered = [rows[key] for key in sorted(rows, key=lambda key: (key[1], int(key[0])))]
    growth = list(_growth(ordered))
    lines = [*table(ordered), *(["", *table(growth)] if growth else [])]
    path.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{after}", encoding="utf-8")


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return e of the power law cost = c * size ** e, by least squares of the logarithms.

    >>> exponent([10, 100, 1000], [2, 2, 2]), exponent([1, 2, 4], [3, 6, 12])
    (0.0, 1.0)
    """
    return round(linear_regression([math.log(x) for x in sizes], [math.log(y) for y in costs]).slope, 3)


def _growth(rows: Sequence[dict[str, str]]) -> Iterator[dict[str, Any]]:
    """Yield a row per database: the exponent of the number of users with which each cost grows.

    A database with fewer than two runs, or with a cost of 0, is left out.
    """
    for database in dict.fromkeys(row["database"] for row in rows):
        some = [row for row in rows if row["database"] == database]
        users = [float(row["users"]) for row in some]
        costs = {name: [float(row[name]) for row in some] for name in GROWING}
        if len(some) > 1 and min(min(each) for each in costs.values()) > 0:
            yield {"exponent in users": database} | {name: exponent(users, each) for name, each in costs.items()}


def _rows(within: str) -> list[dict[str, str]]:
    """Return the rows of the first table, which ends at an empty line, as heading -> cell."""
    runs = within.strip().partition("\n\n")[0]
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in runs.splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]] if lines else []
