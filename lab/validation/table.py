"""Read a cohort from a CSV file with a row per person and local date of waking. Blank cells are missing."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from math import isfinite
from pathlib import Path

from bridge.domain.errors import SetupError
from lab.validation.cohort import DAY, NUMBERS, OF_A_NIGHT, Cohort, Day, Person

HOUR = "report_hour"
REPORT = "report_"
NEEDED = ("person", "date")
MISSING = frozenset({"", "na", "nan", "none", "null"})

Row = Mapping[str, str]


def read(path: Path) -> Cohort:
    """Read the cohort of a CSV table, named after the file.

    Columns are ``person``, ``date``, ``sleep_onset``, ``wake`` (local ISO), those of ``cohort.NUMBERS``,
    ``report_hour`` and any other ``report_*``, where higher is better. Rows and cells that are not usable are left out
    and counted. Raises SetupError for a file that is no such table.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file)
            known = [name.strip() for name in lines.fieldnames or ()]
            rows = [{k.strip(): v.strip() for k, v in line.items() if k and isinstance(v, str)} for line in lines]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise SetupError(f"{path} cannot be read as a table: {type(error).__name__}") from None
    if absent := [name for name in NEEDED if name not in known]:
        raise SetupError(f"{path} has no column {' and no column '.join(absent)}")
    return cohort(path.stem, rows)


def cohort(name: str, rows: Iterable[Row], *, assumed: tuple[str, ...] = (), licence: str = "") -> Cohort:
    """Return a cohort made from rows (column -> text). Rows and cells that are not usable are left out and counted."""
    aside: Counter[str] = Counter()
    people: dict[str, dict[date, Day]] = {}
    for row in rows:
        person, on = row.get("person", ""), _date(row.get("date", ""))
        if not person or on is None:
            aside["a row without person or date"] += 1
        elif on in people.setdefault(person, {}):
            aside["a second row for the same day"] += 1
        else:
            people[person][on] = _day(on, row, aside)
    persons = (Person(name=p, days=tuple(days[d] for d in sorted(days))) for p, days in sorted(people.items()) if days)
    return Cohort(name=name, persons=tuple(persons), aside=aside, assumed=assumed, licence=licence)


def _day(on: date, row: Row, aside: Counter[str]) -> Day:
    values = {name: number(row, name, aside, *limits) for name, limits in NUMBERS.items()}
    reports = {name[len(REPORT) :]: number(row, name, aside) for name in row if _is_report(name)}
    onset, wake = _clock(row, "sleep_onset", aside), _clock(row, "wake", aside)
    found = {name: value for name, value in values.items() if value is not None}
    if reason := _impossible(on, onset, wake):
        aside[reason] += 1
        onset = wake = None
        found = {name: value for name, value in found.items() if name not in OF_A_NIGHT}
    return Day(
        date=on,
        onset=onset,
        wake=wake,
        values=found,
        reports={name: value for name, value in reports.items() if value is not None},
        hour=number(row, HOUR, aside, 0, 24),
    )


def _is_report(name: str) -> bool:
    return name.startswith(REPORT) and name not in (REPORT, HOUR)


def _impossible(on: date, onset: datetime | None, wake: datetime | None) -> str | None:
    """Return why the times cannot be those of the night that ended on ``on``, or None if they can."""
    if wake is not None and wake.date() != on:
        return "a night that ended on another date than the row's"
    if wake is not None and onset is not None and not DAY / 24 / 4 <= wake - onset <= DAY:
        return "a night that ended before it began, or lasted over a day"
    return None


def number(
    row: Row, name: str, aside: Counter[str], low: float = float("-inf"), high: float = float("inf")
) -> float | None:
    text = row.get(name, "")
    if text.lower() in MISSING:
        return None
    try:
        value = float(text)
    except ValueError:
        aside[f"a cell that is not a number: {name}"] += 1
        return None
    if not isfinite(value) or not low <= value <= high:
        aside[f"an impossible value: {name}"] += 1
        return None
    return value


def _clock(row: Row, name: str, aside: Counter[str]) -> datetime | None:
    text = row.get(name, "")
    if text.lower() in MISSING:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except ValueError:
        aside[f"a cell that is not a time: {name}"] += 1
        return None


def _date(text: str) -> date | None:
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None
