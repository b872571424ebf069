"""Read dates and times that a spreadsheet program has rewritten, such as ``7/11/2024 23:17``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta

REWRITTEN = re.compile(
    r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)(?:,?[ T]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(?:([AP])\.?M\.?)?)?",
    re.IGNORECASE,
)
ISO_DATE = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")
NEAR = timedelta(days=1)  # a night begins on the day before its date


class DayOrder:
    """The order of day and month in a table's dates, derived from all cells. If it stays unclear, no date is read."""

    def __init__(self, cells: Iterable[str]) -> None:
        found: set[tuple[int, int, int]] = set()
        dots = False
        whole: set[date] = set()
        for cell in cells:
            if told := REWRITTEN.fullmatch(cell.strip()):
                found.add((int(told[1]), int(told[3]), _year(told[4])))
                dots = dots or told[2] == "."
            elif told := ISO_DATE.match(cell.strip()):
                whole |= {day for day in [_date(*map(int, told[0].split("-")))] if day}
        self.rewritten = bool(found)
        first, second = (max((one[n] for one in found), default=0) > 12 for n in (0, 1))
        self._day_first: bool | None = None
        if first != second or dots:
            self._day_first = first or (dots and not second)
        elif found and not first:
            keys = [
                _merit([_date(y, b, a) if day_first else _date(y, a, b) for a, b, y in found], whole)
                for day_first in (True, False)
            ]
            self._day_first = None if keys[0] == keys[1] else keys[0] < keys[1]

    def iso(self, cell: str, between: str = "T") -> str:
        """Return a rewritten date, or date and time, in ISO form with ``between`` before the time.

        Other texts stay unchanged, as do all dates if their order of day and month is unclear.
        """
        told = REWRITTEN.fullmatch(cell.strip())
        if told is None or self._day_first is None:
            return cell
        a, b = int(told[1]), int(told[3])
        day = _date(_year(told[4]), b, a) if self._day_first else _date(_year(told[4]), a, b)
        if day is None or told[5] is None:
            return cell if day is None else day.isoformat()
        hour = int(told[5]) if told[8] is None else int(told[5]) % 12 + 12 * (told[8] in "Pp")
        try:
            return datetime(day.year, day.month, day.day, hour, int(told[6]), int(told[7] or 0)).isoformat(between)  # noqa: DTZ001 - the wall's
        except ValueError:
            return cell


def _merit(days: list[date | None], whole: set[date]) -> tuple[int, int, float]:
    known = [day for day in days if day is not None]
    far = sum(not whole & {day - NEAR, day, day + NEAR} for day in known) if whole else 0
    return len(days) - len(known), far, (max(known) - min(known)).days if known else 0


def _year(text: str) -> int:
    return int(text) + (2000 if len(text) == 2 else 0)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
