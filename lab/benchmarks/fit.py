"""Daily FIT files with a heart rate and a stress level every minute, as watches write them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

FIRST = date(2026, 9, 1)
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def write(folder: Path, days: int) -> None:
    """Write a file per day, with Garmin's own encoder."""
    from lab.people.watch_files import watch_day

    for number in range(days):
        day = FIRST + timedelta(days=number)
        (folder / f"{number:03}_WELLNESS.fit").write_bytes(watch_day(day, steps=7000 + 50 * number))


def decode(folder: Path) -> None:
    """Read all files with Garmin's decoder and its defaults."""
    from garmin_fit_sdk import Decoder, Stream

    for place in sorted(folder.glob("*.fit")):
        errors: list[Any] = Decoder(Stream.from_file(str(place))).read()[1]
        if errors:
            raise SystemExit(f"the decoder failed: {errors}")
