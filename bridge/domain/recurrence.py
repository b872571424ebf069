"""Expand the recurrence lines of a calendar entry to wall-clock starts (RFC 5545, sections 3.3.10 and 3.8.5)."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from heapq import merge
from itertools import chain, groupby, islice, takewhile
from zoneinfo import ZoneInfo

from bridge.domain.zones import zone_named

# Step per INTERVAL by which a rule without COUNT may be moved towards the window; None: read from its beginning.
STRIDE: dict[str, timedelta | None] = {
    "SECONDLY": timedelta(seconds=1),
    "MINUTELY": timedelta(minutes=1),
    "HOURLY": timedelta(hours=1),
    "DAILY": timedelta(days=1),
    "WEEKLY": timedelta(weeks=1),
    "MONTHLY": None,
    "YEARLY": None,
}
RULE_MAX_STARTS = 20_000  # starts read of a rule: 54 years of daily starts
DAY_MAX_STARTS = 96  # of a rule within 24 hours: every quarter of an hour
# The calendar repeats every 400 years (146,097 days, whole weeks). Rules are read near Python's last year. A rule that
# never matches (30 February) therefore ends after about 400 years instead of 8,000.
FAR = 19 * timedelta(days=146_097)
LONGEST_PERIOD = timedelta(days=366)  # of an RDATE; a longer period is an error
DURATION = re.compile(r"\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")  # RFC 5545, 3.3.6
BROKEN = (ValueError, TypeError, KeyError, IndexError, OverflowError)  # errors of dateutil for broken rules
OFTEN = {"SECONDLY", "MINUTELY", "HOURLY", "BYHOUR", "BYMINUTE", "BYSECOND"}
OF_DAYS = {"BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYDAY", "WKST"}  # parts that choose days
OTHERS = {"BYDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS", "BYHOUR", "BYMINUTE", "BYSECOND"}  # not read together with SKIP
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)


def day_meant(at: datetime, zones: Iterable[tzinfo]) -> date:
    """Return the date that an instant of an all-day series means, in the first of ``zones`` where it is midnight."""
    clocks = [*zones, UTC]
    for clock in clocks:
        wall = at.astimezone(clock)
        if wall.time() == time() or (wall.hour, wall.minute) == (23, 59):
            return wall.date()
    last = SECOND if at.second == 59 else timedelta(0)
    begins = at.astimezone(UTC) + last
    if begins.minute % 15 or begins.second:
        return at.astimezone(clocks[0]).date()
    return (begins + DAY / 2 - SECOND).date() - (DAY if last else timedelta(0))


def nominal(text: str) -> tuple[timedelta, timedelta] | None:
    """Return a duration as (whole days, exact rest), because a day of a wall clock may have 23 hours (RFC 5545, 3.3.6).

    Return None for a text that is no duration from 0 to 366 days.

    >>> nominal("P1DT2H"), nominal("-PT1H")
    ((datetime.timedelta(days=1), datetime.timedelta(seconds=7200)), None)
    """
    found = DURATION.fullmatch(text.strip().upper())
    if found is None:
        return None
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    try:
        whole = timedelta(weeks=weeks, days=days)
        rest = timedelta(hours=hours, minutes=minutes, seconds=seconds)
        return (whole, rest) if whole + rest <= LONGEST_PERIOD else None
    except OverflowError:
        return None


def ended(start: datetime, zone: tzinfo, length: tuple[timedelta, timedelta]) -> datetime:
    """Return the end of an event of ``length``, which is (whole days on the clock of ``zone``, exact further time)."""
    days, rest = length
    wall = (start.astimezone(zone).replace(tzinfo=None) + days).replace(tzinfo=zone, fold=start.astimezone(zone).fold)
    return wall.astimezone(UTC) + rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The recurrence of a repeating event: its RRULE, RDATE and EXDATE ``lines``, and its first start.

    ``first`` is on the wall clock of ``zone``, which is None for an all-day event.
    """

    lines: Sequence[str]
    first: datetime  # naive, whole seconds
    zone: ZoneInfo | None
    homes: Sequence[tzinfo] = ()

    def starts(self, low: datetime, high: datetime) -> list[datetime]:
        """Return the starts in [low, high] without excluded starts, as naive wall-clock times, ascending."""
        return sorted({at for at in self._left(low, high) if low <= at <= high})

    def first_without(self, replaced: Collection[datetime]) -> datetime | None:
        """Return the first start not in ``replaced``, or None."""
        left = self._left(self.first, datetime.max)  # noqa: DTZ901 - a wall clock
        return next((at for at in left if at not in replaced), None)

    def _left(self, low: datetime, high: datetime) -> Iterator[datetime]:
        try:
            found = self._by_rules(low, high)
        except BROKEN:
            found = iter(sorted({self.first, *self._dates("RDATE")}))
        excluded = self.excluded()
        return (at for at in found if at not in excluded)

    def fault(self) -> bool:
        """Return True if a rule is broken, or has more than 96 starts a day, which no person's calendar has."""
        try:
            for value, _ in self._lines("RRULE"):
                self._followed(_parts(value), self.first)
        except BROKEN:
            return True
        return False

    def excluded(self) -> set[datetime]:
        """Return the wall-clock starts that EXDATE lines exclude. Unreadable values are skipped."""
        return set(self._dates("EXDATE"))

    def _by_rules(self, low: datetime, high: datetime) -> Iterator[datetime]:
        rules = [self._followed(_parts(value), low) for value, _ in self._lines("RRULE")]
        over = bool(rules) and all(until < self.first for _, until in rules)
        more = sorted({*(() if over else (self.first,)), *self._dates("RDATE")})
        return merge(more, *(self._up_to(min(high, until), found) for found, until in rules))

    @staticmethod
    def _up_to(last: datetime, found: Iterator[datetime]) -> Iterator[datetime]:
        return takewhile(lambda at: at <= last, islice(found, RULE_MAX_STARTS))

    def _followed(self, rule: dict[str, str], low: datetime) -> tuple[Iterator[datetime], datetime]:
        parts = dict(rule)
        until, skip = parts.pop("UNTIL", None), parts.pop("SKIP", "OMIT")
        if int(parts.get("COUNT", "1")) < 1:  # some programs write -1 for an endless rule
            del parts["COUNT"]
        every, stride = int(parts.get("INTERVAL", "1")), STRIDE[parts["FREQ"]]
        is_short = int(parts.get("COUNT", "0")) in range(1, DAY_MAX_STARTS + 1) and not any(
            n[:2] == "BY" for n in parts
        )
        too_often = stride is not None and stride * every < DAY / DAY_MAX_STARTS and not is_short
        if every < 1 or "BYEASTER" in parts or too_often:
            raise ValueError("a recurrence rule no calendar makes")
        if parts["FREQ"] == "SECONDLY" and not is_short:
            minutes, seconds = divmod(every, 60)
            if seconds:  # dateutil may look at every second of centuries for one that matches
                raise ValueError("a recurrence rule no calendar makes")
            parts |= {"FREQ": "MINUTELY", "INTERVAL": str(minutes)}
        found = self._skipped(parts, skip) if skip != "OMIT" else _by_dateutil(parts, self._anchor(parts, low))
        return found, datetime.max if until is None else self._until(until)  # noqa: DTZ901 - a wall clock

    def _skipped(self, parts: dict[str, str], skip: str) -> Iterator[datetime]:
        """Return the starts of a rule with SKIP (RFC 7529, 4.1). Raises ValueError for unsupported rules."""
        count = int(parts.pop("COUNT", str(RULE_MAX_STARTS)))
        days = sorted({int(day) for day in parts.pop("BYMONTHDAY", str(self.first.day)).split(",")})
        if parts["FREQ"] not in ("MONTHLY", "YEARLY") or OTHERS & {*parts} or days[0] < 1:
            raise ValueError("a rule that moves more than days of months")
        if skip not in ("BACKWARD", "FORWARD"):
            raise ValueError("SKIP is unreadable")
        if parts["FREQ"] == "YEARLY":
            parts.setdefault("BYMONTH", str(self.first.month))
        months = _by_dateutil({**parts, "BYMONTHDAY": "1"}, self.first.replace(day=1))
        moved = (_day_of(month, day, skip) for month in months for day in days)
        different = (at for at, _ in groupby(at for at in moved if at >= self.first))
        return islice(different, count)

    def _anchor(self, parts: dict[str, str], low: datetime) -> datetime:
        """Return a start near ``low``, a whole number of intervals after the first, to skip earlier instances."""
        stride = STRIDE[parts["FREQ"]]
        if stride is None or "COUNT" in parts or low <= self.first:
            return self.first
        step = stride * int(parts.get("INTERVAL", "1"))
        return self.first + step * ((low - self.first) // step)

    def _until(self, text: str) -> datetime:
        until = self._wall(text, None)
        return until if isinstance(until, datetime) else datetime.combine(until, time.max)

    def _dates(self, name: str) -> Iterator[datetime]:
        for values, tzid in self._lines(name):
            for text in values.split(","):
                try:
                    at = self._wall(text.split("/")[0], tzid)
                except BROKEN:
                    continue
                yield at if isinstance(at, datetime) else datetime.combine(at, self.first.time())

    def lengths(self) -> dict[datetime, timedelta]:
        """Return wall-clock start -> length for the RDATE values that are periods. Overlong periods are left out."""
        found = {}
        for values, tzid in self._lines("RDATE"):
            for text in values.split(","):
                try:
                    at, length = self._period(text, tzid)
                except BROKEN:
                    continue
                if timedelta(0) <= length <= LONGEST_PERIOD:
                    found[at] = length
        return found

    def length(self) -> tuple[timedelta, timedelta] | None:
        """Return the line DURATION as (whole days, exact rest), or None if there is no such line."""
        return next((nominal(value) for value, _ in self._lines("DURATION")), None)

    def _period(self, text: str, tzid: str | None) -> tuple[datetime, timedelta]:
        """Return (wall-clock start, exact length) of ``START/END`` or ``START/DURATION``."""
        begin, end = text.split("/")
        start = self._wall(begin, tzid)
        if not isinstance(start, datetime):
            raise ValueError("an all-day series has no periods")
        begun = start.replace(tzinfo=self.zone).astimezone(UTC)
        length = nominal(end)
        if length is not None:
            return start, ended(begun, self.zone or UTC, length) - begun
        last = self._wall(end, tzid)
        if not isinstance(last, datetime):
            raise ValueError("a period ends at an instant")
        return start, last.replace(tzinfo=self.zone).astimezone(UTC) - begun

    def _lines(self, name: str) -> Iterator[tuple[str, str | None]]:
        for line in self.lines:
            head, _, value = line.strip().rpartition(":")
            title, *parameters = head.split(";")
            if title.upper() == name:
                yield value, next((p[5:].strip('"') for p in parameters if p.upper().startswith("TZID=")), None)

    def _wall(self, text: str, tzid: str | None) -> date | datetime:
        text = text.strip()
        if len(text) == len("20261120"):
            return date.fromisoformat(text)
        at = datetime.fromisoformat(text)
        if self.zone is None:
            return at.date() if at.tzinfo is None else day_meant(at, self.homes)
        if at.tzinfo is None:
            at = at.replace(tzinfo=zone_named(tzid) or self.zone)
        return at.astimezone(self.zone).replace(tzinfo=None)


def _parts(rule: str) -> dict[str, str]:
    """Return name -> value of a rule's parts, without extensions (X-). Raises ValueError for a non-Gregorian rule."""
    pairs = (part.split("=", 1) for part in "".join(rule.upper().split()).split(";") if part)
    found = {name: value for name, value in pairs if not name.startswith("X-")}
    if found.pop("RSCALE", "GREGORIAN") != "GREGORIAN":
        raise ValueError("a calendar other than the Gregorian")
    return found


def _by_dateutil(parts: dict[str, str], first: datetime) -> Iterator[datetime]:
    from dateutil.rrule import rrulestr

    found = iter(rrulestr(_text(parts), dtstart=first + FAR))
    if parts["FREQ"] in OFTEN:
        days = {"FREQ": "DAILY"} | {name: value for name, value in parts.items() if name in OF_DAYS}
        if next(iter(rrulestr(_text(days), dtstart=first + FAR)), None) is None:
            return iter(())  # each hour of centuries would be looked at
    begun = list(islice(found, DAY_MAX_STARTS + 1)) if OFTEN & {*parts, parts["FREQ"]} else []
    if len(begun) > DAY_MAX_STARTS and begun[-1] - begun[0] < DAY:
        raise ValueError("more starts than a day of a calendar holds")
    return (far - FAR for far in chain(begun, found))


def _text(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _day_of(month: datetime, day: int, skip: str) -> datetime:
    """Return a day of a month. If the month lacks the day, return its last day (BACKWARD) or the next month's first."""
    last = monthrange(month.year, month.month)[1]
    found = month.replace(day=min(day, last))
    return found + DAY if day > last and skip == "FORWARD" else found
