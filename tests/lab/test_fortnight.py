"""A fortnight of an export beside a calendar: moved by whole weeks, at the clock's hours, and refused if too short."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from lab.plans.fortnight import fortnight
from lab.plans.replay import fullest

HEAD = Path("fixtures/whoop/export/sleeps.csv").read_text(encoding="utf-8").splitlines()[0]
ZONE, MONDAY, DAY = "Europe/Berlin", date(2021, 3, 22), timedelta(days=1)  # the clock changes in this fortnight


def calendar(folder: Path) -> Path:
    entries = [
        f"BEGIN:VEVENT\nUID:{n}\nSUMMARY:Design doc\nDTSTART;TZID={ZONE}:{MONDAY + n * DAY:%Y%m%d}T140000\n"
        f"DTEND;TZID={ZONE}:{MONDAY + n * DAY:%Y%m%d}T150000\nEND:VEVENT\n"
        for n in range(14)
    ]
    lines = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//y//EN\n{''.join(entries)}END:VCALENDAR\n"
    (folder / "own.ics").write_text(lines.replace("\n", "\r\n"))
    return folder / "own.ics"


def export(folder: Path, nights: int) -> Path:
    (folder / "watch").mkdir()
    begun = datetime(2025, 1, 5, 23, 10)  # noqa: DTZ001 - the export's local time
    starts = [begun + n * DAY for n in range(nights)]
    rows = [
        f"{at},,UTC-08:00,{at},{at + timedelta(hours=7, minutes=40)},86,14.9,432,460,228,96,108,28,470,22,92,81,false"
        for at in starts
    ]
    (folder / "watch" / "sleeps.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    return folder / "watch"


def test_the_nights_of_an_export_lie_over_the_fullest_fortnight_of_a_calendar(tmp_path: Path) -> None:
    lines = list(fortnight("c0ffee", export(tmp_path, 60), calendar(tmp_path), ZONE))
    assert re.fullmatch(
        r"The export is moved by -\d+ weeks, .* \(14 nights\) .* \(14 days with timed entries\)\.", lines[0]
    )
    looks = [line for line in lines if line.startswith("## ")]
    assert len(looks) == 42
    later = [line for line in looks if not re.search(r" 0[78]:", line)]  # the watch tells a night once it is over
    assert all("In bed 23:10 to 06:50, asleep for 7 h 12 min." in line for line in later)


def test_an_export_of_too_few_nights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="the export holds 13 nights, and a fortnight takes 14; name another"):
        list(fortnight("c0ffee", export(tmp_path, 13), calendar(tmp_path), ZONE))


def test_the_fullest_fortnight_begins_on_a_monday_with_most_of_the_weeks_before() -> None:
    days = [MONDAY + n * DAY for n in range(70) if n != 60]
    assert fullest(days, Random(1)) == MONDAY + 42 * DAY
    assert fullest([], Random(1)) is None
