"""Expand the recurrence lines of a calendar entry to wall-clock starts (RFC 5545, sections 3.3.10 and 3.8.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

# Step per INTERVAL by which a rule without COUNT may be moved towards the window; None: read from its beginning.
STRIDE: dict[str, timedelta | None] = {
    "DAILY": timedelta(days=1),
    "WEEKLY": timedelta(weeks=1),
    "MONTHLY": None,
    "YEARLY": None,
}
RULE_MAX_STARTS = 20_000  # starts read of a rule: 54 years of daily starts
# The calendar repeats every 400 years (146,097 days, whole weeks). Rules are read near Python's last year. A rule that
# never matches (30 February) therefore ends after about 400 years instead of 8,000.
FAR = 19 * timedelta(days=146_097)
LONGEST_PERIOD = timedelta(days=366)  # of an RDATE; a longer period is an error
DURATION = re.compile(r"\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")  # RFC 5545, 3.3.6
BROKEN = (ValueError, TypeError, KeyError, IndexError, OverflowError)  # errors of dateutil for broken rules


def zone_named(name: str | None) -> ZoneInfo | None:
    """Return the time zone of an IANA name, or None for a missing or unknown name.

    Calendars also use names of their own making, which are unknown.
    """
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The recurrence of a repeating event: its RRULE, RDATE and EXDATE ``lines``, and its first start.

    ``first`` is on the wall clock of ``zone``. ``zone`` is None for an all-day event.
    """

    lines: Sequence[str]
    first: datetime  # naive, whole seconds
    zone: ZoneInfo | None

    def starts(self, low: datetime, high: datetime) -> list[datetime]:
        """Return the starts in [low, high] without excluded starts, as naive wall-clock times, ascending.

        At most 20,000 starts of a rule are read. A broken rule leaves only the first start. Rules more frequent than
        daily count as broken, because no calendar makes them, and they could hold millions of starts.
        """
        try:
            found = self._by_rules(low, high)
        except BROKEN:
            found = {self.first}
        return sorted(at for at in found - self.excluded() if low <= at <= high)

    def excluded(self) -> set[datetime]:
        """Return the wall-clock starts that EXDATE lines exclude. Unreadable values are skipped."""
        return set(self._dates("EXDATE"))

    def _by_rules(self, low: datetime, high: datetime) -> set[datetime]:
        """Return the starts by RRULEs in [low, high], all RDATEs, and the first start, even if no rule gives it.

        DTSTART defines the first start (RFC 5545, 3.8.5.3). If every rule ended before it, the first start is left out:
        programs write an emptied series this way.
        """
        rules = [_parts(value) for value, _ in self._lines("RRULE")]
        found = {at for rule in rules for at in self._matches(rule, low, high)}
        over = bool(rules) and all("UNTIL" in rule and self._until(rule["UNTIL"]) < self.first for rule in rules)
        return found | (set() if over else {self.first}) | set(self._dates("RDATE"))

    def _matches(self, rule: dict[str, str], low: datetime, high: datetime) -> Iterator[datetime]:
        """Yield the wall-clock starts of an RRULE, given as name -> value, up to ``high``.

        Some may lie before ``low``. Raises an error in ``BROKEN`` for a rule that is broken or more frequent than
        daily.
        """
        from dateutil.rrule import rrulestr

        parts = dict(rule)
        until = parts.pop("UNTIL", None)
        if int(parts.get("COUNT", "1")) < 1:  # some programs write -1 for an endless rule
            del parts["COUNT"]
        if parts["FREQ"] not in STRIDE or int(parts.get("INTERVAL", "1")) < 1 or "BYEASTER" in parts:
            raise ValueError("a recurrence rule no calendar makes")
        last = high if until is None else min(high, self._until(until))
        text = ";".join(f"{name}={value}" for name, value in parts.items())
        for far in islice(rrulestr(text, dtstart=self._anchor(parts, low) + FAR), RULE_MAX_STARTS):
            if far - FAR > last:
                return
            yield far - FAR

    def _anchor(self, parts: dict[str, str], low: datetime) -> datetime:
        """Return the start from which a rule is expanded, so that old events cost no more than new events.

        It lies a whole number of intervals after the first start, and not after ``low``. Monthly and yearly rules, and
        rules with COUNT, begin at the first start.
        """
        stride = STRIDE[parts["FREQ"]]
        if stride is None or "COUNT" in parts or low <= self.first:
            return self.first
        step = stride * int(parts.get("INTERVAL", "1"))
        return self.first + step * ((low - self.first) // step)

    def _until(self, text: str) -> datetime:
        """Return the wall time of a rule's UNTIL ``text``. A date means the end of that day."""
        until = self._wall(text, None)
        return until if isinstance(until, datetime) else datetime.combine(until, time.max)

    def _dates(self, name: str) -> Iterator[datetime]:
        """Yield the wall times in the lines called ``name``, RDATE or EXDATE.

        A date without a time gets the time of the first start. Unreadable values are skipped.
        """
        for values, tzid in self._lines(name):
            for text in values.split(","):
                try:
                    at = self._wall(text.split("/")[0], tzid)
                except BROKEN:
                    continue
                yield at if isinstance(at, datetime) else datetime.combine(at, self.first.time())

    def lengths(self) -> dict[datetime, timedelta]:
        """Return wall-clock start -> length for RDATEs that are periods of at most 366 days.

        Longer periods and plain times are left out.
        """
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

    def _period(self, text: str, tzid: str | None) -> tuple[datetime, timedelta]:
        """Return (wall-clock start, exact length) of a period ``START/END`` or ``START/DURATION``.

        Raises ValueError, or another error in ``BROKEN``, for any other text.
        """
        begin, end = text.split("/")
        start = self._wall(begin, tzid)
        if not isinstance(start, datetime):
            raise ValueError("an all-day series has no periods")
        duration = DURATION.fullmatch(end)
        if duration is not None:
            weeks, days, hours, minutes, seconds = (int(part or 0) for part in duration.groups())
            return start, timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
        last = self._wall(end, tzid)
        if not isinstance(last, datetime):
            raise ValueError("a period ends at an instant")
        return start, last.replace(tzinfo=self.zone).astimezone(UTC) - start.replace(tzinfo=self.zone).astimezone(UTC)

    def _lines(self, name: str) -> Iterator[tuple[str, str | None]]:
        """Yield (value, name of the time zone or None) of the lines called ``name``."""
        for line in self.lines:
            head, _, value = line.strip().rpartition(":")
            title, *parameters = head.split(";")
            if title.upper() == name:
                yield value, next((p[5:].strip('"') for p in parameters if p.upper().startswith("TZID=")), None)

    def _wall(self, text: str, tzid: str | None) -> date | datetime:
        """Return a date or time of a recurrence line on the series' own clock.

        A time without a zone is read in ``tzid``, or in the series' own zone without a known ``tzid``. In an all-day
        series, a time becomes its date. Raises ValueError for other text.
        """
        if len(text) == len("20261120"):
            return date.fromisoformat(text)
        at = datetime.fromisoformat(text)
        if self.zone is None:
            return at.date()
        if at.tzinfo is None:
            at = at.replace(tzinfo=zone_named(tzid) or self.zone)
        return at.astimezone(self.zone).replace(tzinfo=None)


def _parts(rule: str) -> dict[str, str]:
    return dict(part.split("=", 1) for part in rule.upper().strip(";").split(";"))
