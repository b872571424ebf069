"""Nights of a made-up person as an export of Apple Health."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random

DAY = timedelta(days=1)
RECORD = (
    '<Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" '
    'value="HKCategoryValueSleepAnalysisAsleepUnspecified" '
    'creationDate="{end} +0000" startDate="{start} +0000" endDate="{end} +0000"/>'
)


def export(folder: Path, first: date, days: int, more: Callable[[date], float], *, seed: int = 1) -> Path:
    """Write the nights that begin on ``days`` dates: about 420 minutes, longer at weekends, and ``more(date)``."""
    rng, rows = Random(seed), []
    for number in range(days):
        day = first + number * DAY
        minutes = 420 + 40 * (day.weekday() in (4, 5)) + rng.gauss(0, 15) + more(day)
        start = datetime.combine(day, time(22, 30))
        rows.append(RECORD.format(start=start, end=start + timedelta(minutes=round(minutes))))
    path = folder / "export.xml"
    path.write_text(f'<?xml version="1.0"?><HealthData locale="en_GB">{"".join(rows)}</HealthData>', encoding="utf-8")
    return path
