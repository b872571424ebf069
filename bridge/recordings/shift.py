"""Move all times of a recording by a secret number of weeks."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

from bridge.domain.zones import zone_named

WEEKS_BACK = range(53, 53 + 520)  # more than a year, so that no date of the recording is one of the person's
MINUTE, HOUR, WEEK = timedelta(minutes=1), timedelta(hours=1), timedelta(weeks=1)
TIME = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)(?:(?P<t>[T ])(?P<clock>\d\d:\d\d(?::\d\d)?)(?P<fraction>\.\d{1,9})?"
    r"(?P<offset>Z|[+-]\d\d:\d\d)?)?"
)
BASIC = re.compile(r"(?P<date>\d{8})(?P<clock>T\d{6}Z?)?")
SECONDS = range(10**9, 10**10)  # of Unix times: 2001 to 2286
LONGEST_OFFSET = 15 * 60
RULE_PART = re.compile(
    r"FREQ=(?:DAILY|WEEKLY|MONTHLY|YEARLY)|(?:INTERVAL|COUNT|BYSETPOS)=-?\d{1,4}"
    r"|(?:WKST|BYDAY)=[-+]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU)(?:,[-+]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU))*"
)
UTC_NAMES = ("UTC", "Etc/UTC", "GMT", "Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A move of times by whole weeks, which keeps the weekday and the local time.

    The user's zone is replaced by one without summer time, because the date of the change would reveal the weeks.
    """

    by: timedelta
    home: ZoneInfo
    now: datetime  # before it is moved

    @classmethod
    def secret(cls, home: ZoneInfo, now: datetime) -> Self:
        """Return a random move back by one to eleven years."""
        return cls(by=-secrets.choice(WEEKS_BACK) * WEEK, home=home, now=now)

    @property
    def east(self) -> timedelta:
        """The offset of the user's zone from UTC at ``now``. In the recording, it holds all year."""
        return self.now.astimezone(self.home).utcoffset() or timedelta(0)

    def zone(self, value: Any) -> str | None:
        """Return a zone with the constant offset that the zone named ``value``, or else the user's, has at ``now``."""
        if value in UTC_NAMES:
            return "UTC"
        named = zone_named(value) if isinstance(value, str) else None
        east = self.now.astimezone(named or self.home).utcoffset() or timedelta(0)
        if east % HOUR == timedelta(0):
            return f"Etc/GMT{-(east // HOUR):+d}" if east else "UTC"
        return f"<{_written(east).replace(':', '')}>{_written(-east).removeprefix('+')}"  # a POSIX text

    def wall(self, value: Any) -> Any:
        """Return a date or a local time moved by the weeks, or None for another value."""
        if isinstance(value, str):
            found = TIME.fullmatch(value)
            return None if found is None else self._dated(found)
        return self._unix(value, timedelta(0))

    def walls_in(self, text: str) -> str:
        return TIME.sub(lambda found: self._dated(found) or "", text)

    def instant(self, value: Any) -> Any:
        """Return an instant moved so that the local time stays, or None for another value."""
        if not isinstance(value, str):
            return self._unix(value, None)
        found = TIME.fullmatch(value)
        if found is None:
            return None
        offset = _minutes(found["offset"]) or 0
        if found["clock"] is None or (found["clock"].startswith("00:00") and not offset):
            return self._dated(found)  # a date, also as midnight in UTC
        return self._clocked(found, offset * MINUTE)

    def _clocked(self, found: re.Match[str], east: timedelta) -> str | None:
        """Return a moved time in the same form, which keeps either the local time or the instant's distance."""
        try:
            at = datetime.fromisoformat(f"{found['date']}T{found['clock']}+00:00") - east
            moved, written = at + self.by + self._change(at), found["offset"] or ""
        except (ValueError, OverflowError):
            return None
        if east or (written not in ("", "Z") and at.astimezone(self.home).utcoffset() == east):
            east -= self._change(at)
            moved, written = moved + east, _written(east)
        clock = moved.time().isoformat("minutes" if len(found["clock"]) == len("00:00") else "seconds")
        return f"{moved:%Y-%m-%d}{found['t']}{clock}{found['fraction'] or ''}{written}"

    def offset(self, value: Any) -> Any:
        """Return an offset from UTC. Each offset that the user's zone has within a year becomes the present one."""
        minutes = _minutes(value)
        if minutes is None or abs(minutes) > LONGEST_OFFSET:
            return None
        year = (self.now - n * 4 * WEEK for n in range(14))
        if minutes * MINUTE not in {at.astimezone(self.home).utcoffset() for at in year}:
            return value
        if isinstance(value, int):
            return self.east // MINUTE
        return f"{self.east.total_seconds():.0f}s" if value.endswith("s") else _written(self.east)

    def civil(self, value: Mapping[str, Any]) -> dict[str, int] | None:
        """Return an object with year, month and day moved by the weeks, or None for another object."""
        try:
            day = date(value["year"], value["month"], value["day"]) + self.by
        except (KeyError, TypeError, ValueError, OverflowError):
            return None
        return {"year": day.year, "month": day.month, "day": day.day}

    def rule(self, value: Any) -> str | None:
        """Return a recurrence line of RFC 5545 without days of the month or year, which would reveal the weeks."""
        head, _, tail = value.partition(":") if isinstance(value, str) else ("", "", "")
        kind = head.partition(";")[0]
        if kind in ("EXDATE", "RDATE"):
            dates = [self._basic(one) for one in tail.split(",")]
            zone = f";TZID={self.zone('')}" if "TZID=" in head else ";VALUE=DATE" if "VALUE=DATE" in head else ""
            return f"{kind}{zone}:{','.join(map(str, dates))}" if all(dates) else None
        if kind not in ("RRULE", "EXRULE"):
            return None
        parts = [part for part in tail.split(";") if RULE_PART.fullmatch(part)]
        until = [self._basic(part.removeprefix("UNTIL=")) for part in tail.split(";") if part.startswith("UNTIL=")]
        return f"{kind}:{';'.join([*parts, *(f'UNTIL={day}' for day in until if day)])}" if parts else None

    def _change(self, at: datetime) -> timedelta:
        """Return the user's offset from UTC at ``at`` minus the present one."""
        return (at.astimezone(self.home).utcoffset() or timedelta(0)) - self.east

    def _basic(self, text: str) -> str | None:
        found = BASIC.fullmatch(text)
        return None if found is None else self._dated(found)

    def _unix(self, value: Any, change: timedelta | None) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        unit = 1000 if abs(value) >= SECONDS.stop else 1
        if int(value / unit) not in SECONDS:
            return None
        if change is None:
            change = self._change(datetime.fromtimestamp(value / unit, UTC))
        return value + int((self.by + change).total_seconds()) * unit

    def _dated(self, found: re.Match[str]) -> str | None:
        pattern = "%Y-%m-%d" if "-" in found["date"] else "%Y%m%d"
        try:
            day = datetime.strptime(found["date"], pattern).replace(tzinfo=UTC) + self.by
        except (ValueError, OverflowError):
            return None
        return f"{day:{pattern}}{found[0].removeprefix(found['date'])}"


def _minutes(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if not isinstance(value, str):
        return None
    if found := re.fullmatch(r"([+-])(\d\d):(\d\d)", value):
        return int(f"{found[1]}1") * (60 * int(found[2]) + int(found[3]))
    return int(value[:-1]) // 60 if re.fullmatch(r"-?\d{1,5}s", value) else None


def _written(east: timedelta) -> str:
    minutes = abs(east) // MINUTE
    return f"{'-' if east < timedelta(0) else '+'}{minutes // 60:02}:{minutes % 60:02}"
