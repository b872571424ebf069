"""The document's table of load runs, with the newest run per number of people and database."""

from __future__ import annotations

from pathlib import Path
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


def keep(path: Path, figures: dict[str, Any]) -> None:
    """Put a run's figures into the table of load runs in a document, between its marks.

    The row of a run with as many people and the same kind of database is replaced. Raises SetupError for a document
    without the marks, also if it is missing.
    """
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    before, begin, rest = text.partition(BEGIN)
    within, end, after = rest.partition(END)
    if not begin or not end:
        raise SetupError(f"{path} has no table of load runs: it needs the lines {BEGIN} and {END}")
    rows = {(row["users"], row["database"]): row for row in _rows(within)}
    fresh = {heading: str(figures[name]) for heading, name in COLUMNS.items()}
    rows[fresh["users"], fresh["database"]] = fresh
    ordered = [rows[key] for key in sorted(rows, key=lambda key: (key[1], int(key[0])))]
    path.write_text(f"{before}{BEGIN}\n" + "\n".join(table(ordered)) + f"\n{END}{after}", encoding="utf-8")


def _rows(within: str) -> list[dict[str, str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in within.strip().splitlines()]
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]] if lines else []
