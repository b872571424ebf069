"""Make the fixture cases of a source from a sample row per list. Run ``python -m lab.fixture_maker NAME``.

``fixtures/NAME/sample.json`` holds a row per list, copied from the vendor's documentation as it is. Rows may be of
different dates: each is moved by its own. The sample's members beside the lists are:

- ``origin`` ("docs" or "recorded"), ``about`` (a sentence) and ``zone`` (that of the rows; cases are of ``HOME``)
- ``ids``: the names of the fields that identify a row, such as ``["night_id", "id"]``. ``["id"]`` without it
- ``sleeps``: list -> the fields by which a nap differs, of the lists that hold naps and second nights
- ``deleted``: list -> the fields of a deleted row beside its ids and times of change, where the vendor tells such rows
- ``odd``: list -> fields that an odd row of ``awkward`` has in place of the usual, such as an unreadable time
- ``more``: case -> list -> further rows of that case, as they are: rows of another kind that alone yield a metric go
  under ``week``, with dates from 13 to 20 November 2026

Three cases are written. ``week`` has eight ordinary days, ``empty`` no row, and ``awkward`` forty days with a change of
the clocks, a flight, nulls, a row without its end, a nap, two nights on a date and a day whose row is gone. A case that
differs from what the sample makes is kept; ``--anew`` writes it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import lab
from bridge.domain.errors import SetupError

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)  # when the cases are looked at; the clocks changed on 25 October
WEEK_DAYS, AWKWARD_DAYS = 8, 40
HOME, AWAY = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")  # the contract tests' person lives in HOME
FLIGHT = range(10, 14)  # days ago that were spent in AWAY
ODD, NULLS, ENDLESS, DELETED, NAP, TWO_NIGHTS = 8, 16, 18, 20, 22, 24  # days ago
FACTS = ("origin", "about", "zone", "ids", "sleeps", "deleted", "odd", "more")
EXTRA_NUMBER = 1000  # added to the number of a second row of a day
INSTANT = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
OF_CHANGE = re.compile("modif|updat|creat", re.IGNORECASE)  # in the name of the time of a change
IN_UTC = re.compile("gmt|utc", re.IGNORECASE)  # in the name of an instant
DATE = re.compile(r"\d{4}-\d\d-\d\d")
OFFSET = re.compile(  # the name of a field that holds an offset from UTC
    r"(\w+_)??(time_?zone|tz|utc|gmt)|\w*?offset(_?from_?(utc|gmt))?(_?(in_?)?(minutes|mins?|seconds|secs?|s|millis|ms))?",
    re.IGNORECASE,
)
OFFSET_UNITS = (timedelta(minutes=1), timedelta(seconds=1), timedelta(milliseconds=1))
APART = timedelta(days=90)  # of a row's date and its times
UNIX_SECONDS = range(1_200_000_000, 2_500_000_000)  # of the years 2008 to 2049
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A move of a row by ``days`` at the same local time, from zone ``home`` to ``zone``. New ids hold ``number``."""

    days: int
    home: ZoneInfo
    zone: ZoneInfo
    number: int
    named: frozenset[str]  # the names of fields that identify a row
    ids: frozenset[Any]  # of the sample's rows, which other rows may name
    before: timedelta  # the offsets from UTC, of the row's date in its own zone and of the new date in the new zone
    after: timedelta

    def row(self, row: Row) -> Row:
        """Return a row with its dates, times and ids moved, in their own notation."""
        return {name: self._value(name, value) for name, value in row.items()}

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return self.row(value)
        if isinstance(value, list):
            return [self._value(name, inner) for inner in value]
        if name in self.named or name.lower().endswith("id"):
            return self._named(value)
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return value
        return self._text(name, value) if isinstance(value, str) else self._number(name, value)

    def _named(self, value: Any) -> Any:
        """Return ``value``, with the row's number added or moved (if a date) if it is an id of the sample."""
        if isinstance(value, bool) or not isinstance(value, str | int) or value not in self.ids:
            return value
        if isinstance(value, str) and DATE.fullmatch(value):
            moved = str(date.fromisoformat(value) + timedelta(days=self.days))
            return moved if self.number < EXTRA_NUMBER else f"{moved}-{self.number}"
        return value + self.number if isinstance(value, int) else f"{value}-{self.number}"

    def at(self, instant: datetime) -> datetime:
        """Return the instant with the same local time in the new zone, ``days`` days later."""
        wall = instant.astimezone(self.home).replace(tzinfo=None) + timedelta(days=self.days)
        return wall.replace(tzinfo=self.zone)

    def _number(self, name: str, value: float) -> float:
        if is_offset(name, value, self.before):
            return type(value)(value * (self.after / self.before))
        for unit in (1, 1000):
            if int(value / unit) in UNIX_SECONDS:
                return type(value)(self.at(datetime.fromtimestamp(value / unit, UTC)).timestamp() * unit)
        return value

    def _text(self, name: str, text: str) -> str:
        if text == self.home.key:
            return self.zone.key
        if DATE.fullmatch(text):
            return str(date.fromisoformat(text) + timedelta(days=self.days))
        if OFFSET.fullmatch(name) and text == _written(self.before):
            return _written(self.after)
        found = INSTANT.fullmatch(text)
        return text if found is None else self._instant(name, found)

    def _instant(self, name: str, found: re.Match[str]) -> str:
        clock, fraction, offset = found.groups()
        timespec = "seconds" if clock.count(":") > 1 else "minutes"
        said = datetime.fromisoformat(clock + (offset or ""))
        utc = offset == "Z" or (offset is None and IN_UTC.search(name) is not None)
        if offset is None and not utc:
            return (said + timedelta(days=self.days)).isoformat(timespec=timespec) + (fraction or "")
        moved = self.at(said if said.tzinfo else said.replace(tzinfo=UTC))
        if utc:
            moved = moved.astimezone(UTC).replace(tzinfo=None)
            return moved.isoformat(timespec=timespec) + (fraction or "") + (offset or "")
        text, own = moved.replace(tzinfo=None).isoformat(timespec=timespec), _written(moved.utcoffset() or timedelta(0))
        return text + (fraction or "") + (own if ":" in str(offset) else own.replace(":", ""))


def is_offset(name: str, value: float, offset: timedelta) -> bool:
    """Return True if a number is the offset from UTC in some unit and has a name for one, with either sign."""
    sizes = [abs(offset) / unit for unit in OFFSET_UNITS]
    return bool(offset) and OFFSET.fullmatch(name) is not None and abs(value) in sizes


def cases(sample: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the accounts by name of the case.

    Raises SetupError for lists without a row, and for rows whose times are far apart.
    """
    lists = {name: rows for name, rows in sample.items() if name not in FACTS}
    bare = sorted(name for name, rows in lists.items() if not rows)
    if bare or not lists:
        what = ", ".join(bare) or "any list"
        raise SetupError(f"the sample has no row of {what}; copy one from the vendor's documentation into sample.json")
    for name, rows in lists.items():
        _check_times(name, rows[0], ZoneInfo(sample["zone"]))
    about = {"week": _WEEK, "awkward": _about_awkward(sample), "empty": "An account that holds nothing."}
    days = {"week": _week, "awkward": _awkward, "empty": lambda *_: iter(())}
    return {
        case: {"origin": sample["origin"], "about": text, "now": NOW.isoformat()}
        | {name: [*days[case](sample, name), *sample.get("more", {}).get(case, {}).get(name, [])] for name in lists}
        for case, text in about.items()
    }


_WEEK = "An ordinary week: eight days of each list."


def _about_awkward(sample: dict[str, Any]) -> str:
    sleeps = ", a nap, two nights on a date" if sample.get("sleeps") else ""
    odd = ", odd rows" if sample.get("odd") or sample.get("more") else ""
    usual = "the end of summer time, a flight to New York, nulls, a row without its end"
    return f"Forty days with {usual}{sleeps}{odd}, and a day whose row is gone."


def _week(sample: dict[str, Any], name: str) -> Iterator[Row]:
    for ago in reversed(range(WEEK_DAYS)):
        yield _moved(sample, name, ago)


def _awkward(sample: dict[str, Any], name: str) -> Iterator[Row]:
    for ago in reversed(range(AWKWARD_DAYS)):
        row = _moved(sample, name, ago, AWAY if ago in FLIGHT else None)
        if ago == DELETED:
            marked = sample.get("deleted", {}).get(name)
            kept = {key: value for key, value in row.items() if key in _named(sample) or OF_CHANGE.search(key)}
            yield from [] if marked is None else [kept | marked]
        elif ago == ODD:
            yield row | sample.get("odd", {}).get(name, {})
        elif ago == NULLS:
            yield {
                key: None
                if isinstance(value, int | float) and key not in _named(sample) and not _is_fact(key, value)
                else value
                for key, value in row.items()
            }
        elif ago == ENDLESS:
            yield row | dict.fromkeys(_span(row)[1:])
        else:
            yield row
        if ago in (NAP, TWO_NIGHTS) and name in sample.get("sleeps", {}):
            yield _second(sample, name, ago)


def _second(sample: dict[str, Any], name: str, ago: int) -> Row:
    """Return a second row of a day, either a nap of 35 minutes or two more hours of the night."""
    row = _moved(sample, name, ago, number=ago + EXTRA_NUMBER)
    start, end = _span(row)[0], _span(row)[-1]
    over = _read(row[end])
    begun = over + (timedelta(hours=6) if ago == NAP else timedelta(minutes=30))
    length = timedelta(minutes=35) if ago == NAP else timedelta(hours=2)
    times = {start: _like(row[start], begun), end: _like(row[end], begun + length)}
    for key in row:
        if OF_CHANGE.search(key) and _is_instant(row[key]):
            times[key] = _like(row[key], _read(row[key]) + (begun + length - over))
    return row | times | (sample["sleeps"][name] if ago == NAP else {})


def _moved(sample: dict[str, Any], name: str, ago: int, zone: ZoneInfo | None = None, number: int | None = None) -> Row:
    """Return the first row of the sample's list ``name``, moved to ``ago`` days before NOW and to ``zone`` or HOME."""
    row, home = sample[name][0], ZoneInfo(sample["zone"])
    named = _named(sample)
    ids = frozenset(r[key] for n, rows in sample.items() if n not in FACTS for r in rows for key in named & {*r})
    said, day, there = _date(row, home), NOW.astimezone(HOME).date() - timedelta(days=ago), zone or HOME
    number = AWKWARD_DAYS - ago if number is None else number
    offsets = {"before": _offset(said, home), "after": _offset(day, there)}
    return Move(days=(day - said).days, home=home, zone=there, number=number, named=named, ids=ids, **offsets).row(row)


def _named(sample: dict[str, Any]) -> frozenset[str]:
    """Return the names of the fields that identify a row."""
    return frozenset(sample.get("ids", ["id"]))


def _date(row: Row, home: ZoneInfo) -> date:
    """Return the latest local date in a row. Raises SetupError if it has neither a date nor an instant."""
    dates = [date.fromisoformat(v) for v in row.values() if isinstance(v, str) and DATE.fullmatch(v)]
    dates = dates or [_local_date(name, row[name], home) for name in _span(row)]
    if not dates:
        raise SetupError("a sample row holds neither a date nor an instant, so it cannot be moved to other days")
    return max(dates)


def _check_times(name: str, row: Row, home: ZoneInfo) -> None:
    """Raise SetupError for a row with an instant more than APART from its date."""
    day = datetime.combine(_date(row, home), time(), UTC)
    apart = [field for field, value in row.items() if _is_instant(value) and abs(_read(value) - day) > APART]
    if apart:
        raise SetupError(
            f"the sample's row of {name} is of {day.date()}, and its {apart[0]} of {_read(row[apart[0]]).date()}; "
            "change sample.json so that a row speaks of the same days"
        )


def _local_date(name: str, value: Any, home: ZoneInfo) -> date:
    said = datetime.fromisoformat(value) if isinstance(value, str) else None
    if said is not None and said.tzinfo is None and not IN_UTC.search(name):
        return said.date()
    return _read(value).astimezone(home).date()


def _span(row: Row) -> list[str]:
    """Return the names of a row's instants in order of time, without times of change."""
    found = [name for name, value in row.items() if _is_instant(value) and not OF_CHANGE.search(name)]
    return sorted(found, key=lambda name: _read(row[name]))


def _is_instant(value: Any) -> bool:
    if isinstance(value, str):
        return INSTANT.fullmatch(value) is not None
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and any(int(value / u) in UNIX_SECONDS for u in (1, 1000))
    )


def _is_fact(name: str, value: Any) -> bool:
    return (
        name.lower().endswith("id")
        or OFFSET.fullmatch(name) is not None
        or _is_instant(value)
        or isinstance(value, bool)
    )


def _read(value: Any) -> datetime:
    """Return an instant. Without an offset it is read as UTC."""
    if isinstance(value, str):
        at = datetime.fromisoformat(value)
        return at if at.tzinfo else at.replace(tzinfo=UTC)
    return datetime.fromtimestamp(value / (1 if int(value) in UNIX_SECONDS else 1000), UTC)


def _like(old: Any, at: datetime) -> Any:
    if not isinstance(old, str):
        return type(old)(at.timestamp() * (1 if int(old) in UNIX_SECONDS else 1000))
    said = datetime.fromisoformat(old)
    text = at.astimezone(said.tzinfo or UTC).isoformat(timespec="seconds")
    return (
        text.replace("+00:00", "Z" if old.endswith("Z") else "") if said.utcoffset() in (None, timedelta(0)) else text
    )


def _offset(day: date, zone: ZoneInfo) -> timedelta:
    """Return the offset from UTC of a date, at noon."""
    return datetime.combine(day, time(12), zone).utcoffset() or timedelta(0)


def _written(offset: timedelta) -> str:
    minutes = int(offset / timedelta(minutes=1))
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def write(source: str, folder: Path | None = None, *, anew: bool = False) -> list[str]:
    """Write the cases of a source beside its sample. Returns a line per file that says what changed.

    A file that differs may have been edited, and is overwritten only with ``anew``. Raises SetupError without a sample,
    or for a sample that lacks a row.
    """
    place = folder or lab.fixtures(source)
    if not (place / "sample.json").is_file():
        raise SetupError(f"there is no {place / 'sample.json'}; write it, or begin with: bridge new-connector {source}")
    sample = json.loads((place / "sample.json").read_text(encoding="utf-8"))
    return [_case(place / f"{case}.json", body, source, anew=anew) for case, body in cases(sample).items()]


def _case(path: Path, body: dict[str, Any], source: str, *, anew: bool) -> str:
    """Write a case, unless its file exists and differs. Returns a line that says which."""
    if anew or not path.is_file() or json.loads(path.read_text(encoding="utf-8")) == body:
        return written(path, body)
    return f"{path.name}: kept, it differs; to write it: python -m lab.fixture_maker {source} --anew"


def written(path: Path, body: dict[str, Any]) -> str:
    """Write JSON to a file if its content differs. Returns a line that says what changed."""
    before = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    if before == body:
        return f"{path.name}: unchanged"
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    counts = [f"{name} {_count(before, name)} -> {len(rows)}" for name, rows in body.items() if isinstance(rows, list)]
    return f"{path.name}: {'new' if before is None else 'changed'} ({', '.join(counts)})"


def _count(before: dict[str, Any] | None, name: str) -> int:
    return len((before or {}).get(name, []))


if __name__ == "__main__":
    try:
        named = [name for name in sys.argv[1:] if name != "--anew"]
        print(*[line for name in named for line in write(name, anew="--anew" in sys.argv)], sep="\n")
    except SetupError as error:
        sys.exit(str(error))
