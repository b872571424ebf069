"""Read a payload's fields, for all connectors, and define tables that map metrics to fields.

Optional fields give None if absent or unreadable. Required fields raise ``BadRecord`` then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import RawRecord
from connectors.instants import (
    OFFSET_MAX_MINUTES,
    calendar_date,
    local_date,
    midnight,
    offset_in,
    time_zone,
    unix_second,
    utc,
    utc_of_naive,
    utc_of_unix,
    written_offset,
)
from connectors.stretches import Stretch

# Factors into a metric's unit. A fraction divides exactly: 25,200 s are 420 min and not 419.99999999999994.
SECONDS = Fraction(1, 60)
MILLISECONDS = Fraction(1, 60_000)
CENTIMETRES = Fraction(1, 100)
KILOJOULES = Fraction(1000, 4184)  # 4.184 kJ are 1 kcal
METRES_A_SECOND = Fraction(36, 10)  # km/h
SHARE = Fraction(100)  # 0.93 is 93 %

SPAN_MAX = timedelta(days=3)  # of a night or a workout

WHOLE_NUMBER = re.compile(r"-?\d{1,15}")  # a whole number in a text
WRITTEN_SECONDS = re.compile(r"(-?\d{1,6})s")  # an offset such as "3600s"
# An ISO 8601 duration of hours, minutes and seconds.
DURATION = re.compile(r"PT(?=\d)(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,7}(?:\.\d{1,9})?)S)?")

Table = Mapping[Metric, str | tuple[str, Fraction]]  # metric -> field, or field and factor
Choice = TypeVar("Choice")


def words(value: Any) -> str | None:
    """Return a text unchanged if it is not blank. Return None for a blank text and for other values."""
    return value if isinstance(value, str) and value.strip() else None


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a JSON object unchanged, or an empty mapping for anything else."""
    return value if isinstance(value, dict) else {}


def rows(value: Any) -> Sequence[Any]:
    """Return a list unchanged, or an empty tuple for anything else."""
    return value if isinstance(value, list) else ()


def total(*parts: float | None) -> float | None:
    """Return the sum, or None if any part is None, because a partial sum would be too small."""
    present = [part for part in parts if part is not None]
    return sum(present) if len(present) == len(parts) else None


@dataclass(frozen=True, slots=True)
class Fields:
    """A payload, and the name under which its errors are reported, such as ``oura/sleep``.

    Methods name a field by its path, with dots between, as in ``score.stage_summary.total_in_bed_time_milli``.
    """

    payload: Mapping[str, Any]
    name: str

    @classmethod
    def of(cls, source: str, record: RawRecord) -> Fields:
        """Return the Fields of a record. Their errors name ``source`` and the record's stream."""
        return cls(record.payload, f"{source}/{record.stream}")

    def bad(self, reason: str) -> BadRecord:
        """Return a BadRecord error with ``reason``, which names a field and quotes no value."""
        return BadRecord(f"{self.name}: {reason}")

    def get(self, path: str) -> Any:
        """Return a field's value as the vendor sent it. Return None if the field or an object around it is absent."""
        value: Any = self.payload
        for part in path.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def inner(self, path: str) -> Fields:
        """Return the object in a field as Fields. Without such an object they are empty."""
        return Fields(mapping(self.get(path)), self.name)

    def number(self, path: str, factor: Fraction = Fraction(1), *, written: bool = False) -> float | None:
        """Return a field's number times ``factor``, or None for anything else and for numbers of 1e15 and more.

        With ``written``, a text of digits counts as a number, as in the JSON of Google's APIs.

        >>> Fields({"count": "8421"}, "pebble/walk").number("count", written=True)
        8421.0
        """
        told = self.get(path)
        value = finite(int(told) if written and isinstance(told, str) and WHOLE_NUMBER.fullmatch(told) else told)
        return None if value is None else value * factor.numerator / factor.denominator

    def cell(self, path: str) -> float | None:
        """Return the number in a field, which may be a text with decimals as in CSV files. None for anything else."""
        told = self.get(path)
        try:
            return finite(float(told) if isinstance(told, str) else told)
        except ValueError:
            return None

    def needed(self, *paths: str, written: bool = False) -> float:
        """Return the first number among the fields. Raises BadRecord if none holds a number.

        With ``written``, a text of digits counts as a number.
        """
        read = self.cell if written else self.number
        found = next((value for path in paths if (value := read(path)) is not None), None)
        if found is None:
            raise self.bad(f"{paths[0]} is not a number")
        return found

    def parts(self, name: str) -> Mapping[str, Any]:
        """Return the object in a field, or {} if the field is absent. Raises BadRecord for other values."""
        found = self.payload.get(name, {})
        if not isinstance(found, Mapping):
            raise self.bad(f"{name} is unreadable")
        return found

    def needed_in(self, value: Any) -> float:
        """Return a number unchanged. Raises BadRecord for anything else."""
        return self.figures([value], 1)[0]

    def figures(self, values: Any, count: int) -> list[float]:
        """Return the numbers of a list of ``count`` numbers. Raises BadRecord for anything else."""
        numbers = [number for value in rows(values) if (number := finite(value)) is not None]
        if not len(numbers) == len(rows(values)) == count:
            raise self.bad("a reading is unreadable")
        return numbers

    def objects(self, path: str) -> list[tuple[str, Fields]]:
        """Return (key, object as Fields) for each object in the object at ``path``, sorted by key."""
        return [(key, Fields(mapping(row), self.name)) for key, row in sorted(mapping(self.get(path)).items())]

    def measured(self, table: Table, *, written: bool = False) -> dict[Metric, float | None]:
        """Return metric -> value in its unit, None if its field holds no number.

        ``table`` maps a metric to its field, or to (field, factor). With ``written``, a text of digits counts as a
        number.
        """
        sources = {metric: (field, Fraction(1)) if isinstance(field, str) else field for metric, field in table.items()}
        return {metric: self.number(*source, written=written) for metric, source in sources.items()}

    def key(self, path: str) -> str:
        """Return an identifier (a text or a whole number) as text. Raises BadRecord for anything else."""
        value = self.get(path)
        if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
            raise self.bad(f"{path} is missing")
        return str(value)

    def choice(self, path: str, choices: Mapping[str, Choice]) -> Choice:
        """Return the entry of ``choices`` for the text in a field. Raises BadRecord if there is none."""
        value = self.get(path)
        if not isinstance(value, str) or value not in choices:
            raise self.bad(f"{path} is missing or unknown")
        return choices[value]

    def instant(self, path: str) -> datetime:
        """Return the UTC instant of an ISO 8601 text with an offset.

        Raises BadRecord for anything else, and for a year outside 1990 to 2199.
        """
        at = utc(self.get(path))
        if at is None:
            raise self.bad(f"{path} is not an instant")
        return at

    def unix(self, path: str, *, per_second: int = 1) -> datetime:
        """Return the UTC instant of a count of 1/``per_second`` s since 1970.

        Raises BadRecord for anything else, and for a year outside 1990 to 2199.
        """
        at = utc_of_unix(self.get(path), per_second=per_second)
        if at is None:
            raise self.bad(f"{path} is not an instant")
        return at

    def wall(self, path: str) -> datetime:
        """Return the user's local time, as a datetime marked as UTC. A text with an offset gives its instant in UTC.

        Raises BadRecord for anything else than an ISO 8601 text, and for a year outside 1990 to 2199.

        >>> Fields({"start": "2026-11-20T00:30:00"}, "pebble/walk").wall("start").isoformat()
        '2026-11-20T00:30:00+00:00'
        """
        text = self.get(path)
        at = utc_of_naive(text) if isinstance(text, str) else None
        if at is None:
            raise self.bad(f"{path} is not a time")
        return at

    def offset(self, path: str) -> int:
        """Return minutes east of UTC from a written offset, a whole number of minutes, or seconds such as ``3600s``.

        Raises BadRecord for anything else, and beyond 15 hours.

        >>> told = Fields({"zone": "+01:00", "minutes": 60, "east": "3600s"}, "pebble/walk")
        >>> [told.offset(name) for name in ("zone", "minutes", "east")]
        [60, 60, 60]
        """
        return self.east(self.get(path), path)

    def east(self, told: Any, path: str = "a part") -> int:
        """Return ``told``, the value at ``path``, as minutes east of UTC. Raises BadRecord if it is unreadable."""
        number, seconds = finite(told), WRITTEN_SECONDS.fullmatch(told) if isinstance(told, str) else None
        minutes = written_offset(told) if number is None else int(number) if number.is_integer() else None
        if seconds is not None:
            minutes = int(seconds[1]) // 60
        if minutes is None or abs(minutes) > OFFSET_MAX_MINUTES:
            raise self.bad(f"{path} is not an offset from UTC")
        return minutes

    def second(self, told: Any, path: str = "a part") -> int:
        """Return ``told``, a number or its text at ``path``, as whole Unix seconds. Raises BadRecord if unreadable."""
        at = unix_second(told)
        if at is None:
            raise self.bad(f"{path} is not a time")
        return at

    def duration(self, path: str, *, per_second: int | None = None) -> timedelta:
        """Return an ISO 8601 duration in hours, minutes and seconds, or with ``per_second=1`` a number of seconds.

        Raises BadRecord for anything else, and for a number below 0 or of more than three days.

        >>> str(Fields({"lasted": "PT1H2M3.5S"}, "pebble/walk").duration("lasted"))
        '1:02:03.500000'
        >>> str(Fields({"length_s": 2710}, "pebble/walk").duration("length_s", per_second=1))
        '0:45:10'
        """
        if per_second is not None:
            number = self.number(path, Fraction(1, per_second))
            if number is None or not 0 <= number <= SPAN_MAX.total_seconds():
                raise self.bad(f"{path} is not a duration")
            return timedelta(seconds=number)
        found = DURATION.fullmatch(words(self.get(path)) or "")
        if found is None:
            raise self.bad(f"{path} is not a duration")
        hours, minutes, seconds = (float(part or 0) for part in found.groups())
        return timedelta(hours=hours, minutes=minutes, seconds=seconds)

    def day(self, path: str) -> date:
        """Return the date of a text such as "2026-11-20". Raises BadRecord for anything else."""
        day = calendar_date(self.get(path))
        if day is None:
            raise self.bad(f"{path} is not a date")
        return day

    def date_in(self, path: str) -> date:
        """Return the date at the beginning of a text. Raises BadRecord for anything else."""
        day = calendar_date(str(self.get(path))[:10])
        if day is None:
            raise self.bad(f"{path} is not a date")
        return day

    def zone(self, path: str) -> ZoneInfo:
        """Return the zone of an IANA name. Raises BadRecord for an unknown name."""
        zone = time_zone(self.get(path))
        if zone is None:
            raise self.bad(f"{path} is no known time zone")
        return zone

    def readings(self, path: str, *, at: str, value: str) -> Iterator[tuple[datetime, float]]:
        """Yield (instant in ``at``, number in ``value``) of those objects of a list that hold both.

        Raises BadRecord if the field is no list.
        """
        if not isinstance(self.get(path), list):
            raise self.bad(f"{path} is not a list")
        for row in rows(self.get(path)):
            fields = Fields(mapping(row), self.name)
            instant, number = utc(fields.get(at)), fields.number(value)
            if instant is not None and number is not None:
                yield instant, number

    def civil_day(self, day: str, start: str = "", *, offset: str | None = None) -> Stretch:
        """Return the day whose date is in the field ``day``, as a stretch with a start but no end.

        It starts at the instant in the field ``start``, with that text's offset, or at midnight UTC without one.
        With ``offset``, the field of an offset, it starts at midnight there. Raises BadRecord for an unreadable date
        or offset.

        >>> lasted = Fields({"date": "2026-11-20", "east": 60}, "pebble/day").civil_day("date", offset="east")
        >>> lasted.start.isoformat(), lasted.offset
        ('2026-11-19T23:00:00+00:00', 60)
        """
        date_of, at = self.day(day), utc(self.get(start))
        if offset is not None:
            east = self.offset(offset)
            return Stretch(start=midnight(date_of) - timedelta(minutes=east), end=None, offset=east, day=date_of)
        told = None if at is None else written_offset(self.get(start))
        return Stretch(start=at or midnight(date_of), end=None, offset=told, day=date_of)

    def day_in(self, day: str, zone: str) -> Stretch:
        """Return the day whose date and IANA zone are in the fields, as a stretch from midnight without an end.

        With an unknown zone it begins at midnight UTC, without an offset. Raises BadRecord without a date.

        >>> lasted = Fields({"date": "2026-11-20", "tz": "Europe/Berlin"}, "pebble/day").day_in("date", "tz")
        >>> lasted.start.isoformat(), lasted.offset, str(lasted.day)
        ('2026-11-19T23:00:00+00:00', 60, '2026-11-20')
        """
        date_of, place = self.day(day), time_zone(self.get(zone))
        start = datetime.combine(date_of, time(), place or UTC).astimezone(UTC)
        return Stretch(start=start, end=None, offset=offset_in(place, start) if place else None, day=date_of)

    def ordered(self, start: datetime, end: datetime, longest: timedelta | None = SPAN_MAX) -> None:
        """Raise BadRecord if ``end`` is before ``start``, or more than ``longest`` (None for no limit) after it."""
        if end < start or (longest is not None and end - start > longest):
            raise self.bad("it ends before it starts, or days later")

    def stretch(
        self,
        start: str,
        end: str,
        *,
        day: str | None = None,
        offset: str | None = None,
        per_second: int | None = None,
    ) -> Stretch:
        """Return the time between the instants in the fields ``start`` and ``end``.

        ``day`` and ``offset`` are the fields of the date and offset, by default those of the end. With
        ``per_second``, the instants are counts of 1/``per_second`` s since 1970. Raises BadRecord for an unreadable
        field, a wrong order, or more than three days.

        >>> told = {"from": 1763920000, "to": 1763923600, "east": 60}
        >>> walk = Fields(told, "pebble/walk").stretch("from", "to", offset="east", per_second=1)
        >>> walk.start.isoformat(), walk.minutes, walk.offset
        ('2025-11-23T17:46:40+00:00', 60.0, 60)
        """
        begun, over = (
            self.instant(path) if per_second is None else self.unix(path, per_second=per_second)
            for path in (start, end)
        )
        east = self.offset(offset or end)
        self.ordered(begun, over)
        date_of = self.day(day) if day else local_date(over, east)
        return Stretch(start=begun, end=over, offset=east, day=date_of)

    def wall_stretch(self, start: str, offset: str, *, duration: str) -> Stretch:
        """Return the span of time that begins at a local time, from the fields of start, offset and length.

        ``start`` has no offset of its own, and ``offset`` says how far it is from UTC. The date is that of the start.
        Raises BadRecord if a field is unreadable, or for more than three days.

        >>> told = {"start": "2026-11-20T00:30:00", "east": 60, "lasted": "PT45M"}
        >>> walk = Fields(told, "pebble/walk").wall_stretch("start", "east", duration="lasted")
        >>> walk.start.isoformat(), walk.minutes, str(walk.day)
        ('2026-11-19T23:30:00+00:00', 45.0, '2026-11-20')
        """
        wall, minutes = self.wall(start), self.offset(offset)
        begun = wall - timedelta(minutes=minutes)
        over = begun + self.duration(duration)
        self.ordered(begun, over)
        return Stretch(start=begun, end=over, offset=minutes, day=wall.date())
