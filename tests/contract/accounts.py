"""Changes to a lab account without knowing the vendor, in its rows, its moments, and the zone of its person.

An account is JSON. A row is an object in a list, an object filed under a date, or a component of an iCalendar file.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from lab.fixture_maker import is_offset

CHANGED = re.compile(r"(date_?)?(last_?)?(modified|updated?)(_?(at|time|date))?", re.IGNORECASE)
DAY = re.compile(r"\d{4}-\d\d-\d\d")
COMPACT = re.compile(r"(?<![0-9A-Za-z])(\d{8})(?:T(\d{6})Z?)?(?![0-9A-Za-z])")  # in an iCalendar line
INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?")
SECONDS = range(1_200_000_000, 2_500_000_000)  # of the years 2008 to 2049, since 1970
BEGIN, END = "BEGIN:V", "END:V"

Account = dict[str, Any]
Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of an account and the way to it. ``length`` counts the lines of an iCalendar component, else 1."""

    path: Path
    value: Any
    length: int = 1


def rows(account: Any, path: Path = ()) -> Iterator[Row]:
    """Yield every row of an account in its order. Rows within rows belong to theirs."""
    if isinstance(account, dict):
        filed = account and all(isinstance(v, dict) and DAY.fullmatch(k) for k, v in account.items())
        for name, value in account.items():
            if filed:
                yield Row(path=(*path, name), value=value)
            else:
                yield from rows(value, (*path, name))
    elif isinstance(account, list) and all(isinstance(line, str) for line in account):
        yield from _components(account, path)
    elif isinstance(account, list):
        yield from (Row(path=(*path, i), value=v) for i, v in enumerate(account) if isinstance(v, dict))


def _components(lines: list[str], path: Path) -> Iterator[Row]:
    begun = 0
    for number, line in enumerate(lines):
        if line in (f"{BEGIN}EVENT", f"{BEGIN}TODO"):
            begun = number
        elif line in (f"{END}EVENT", f"{END}TODO"):
            yield Row(path=(*path, begun), value=lines[begun : number + 1], length=number + 1 - begun)


def without(account: Account, gone: list[Row]) -> Account:
    """A copy of an account that lacks some of its rows."""
    found = copy.deepcopy(account)
    for row in reversed(gone):  # the last first: the others keep their places
        holder = _at(found, row.path[:-1])
        if isinstance(holder, dict):
            del holder[row.path[-1]]
        else:
            begin = int(row.path[-1])
            del holder[begin : begin + row.length]
    return found


def with_dependents(account: Account, gone: list[Row]) -> list[Row]:
    """Return some rows and all that name the id of any. Vendors delete a sleep's recovery with the sleep."""
    ids = {
        row.value["id"] for row in gone if isinstance(row.value, dict) and isinstance(row.value.get("id"), str | int)
    }
    named = [row for row in rows(account) if isinstance(row.value, dict) and _names(row.value, ids)]
    paths = {row.path for row in [*gone, *named]}
    return [row for row in rows(account) if row.path in paths]


def _names(row: dict[str, Any], ids: set[Any]) -> bool:
    return any(isinstance(v, str | int) and v in ids for name, v in row.items() if name.lower().endswith("id"))


def stamped(account: Account, some: list[Row], at: datetime) -> Account:
    """A copy of an account in which some rows say that they were changed ``at``, where they say when they were."""
    found = copy.deepcopy(account)
    for row in some:
        if isinstance(row.value, dict):
            value = _at(found, row.path)
            value.update({name: _written(old, at) for name, old in value.items() if CHANGED.fullmatch(name)})
    return found


def tells_changes(row: Row) -> bool:
    """Say if a row says when it was changed."""
    return isinstance(row.value, dict) and any(CHANGED.fullmatch(n) and list(moments(v)) for n, v in row.value.items())


def _written(old: Any, at: datetime) -> Any:
    """Return ``at`` in the notation of an older moment. Anything else stays."""
    if isinstance(old, bool) or not list(moments(old)):
        return old
    if isinstance(old, int | float):
        return type(old)(at.timestamp() * (1 if int(old) in SECONDS else 1000))
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def become(account: Account, wanted: Account) -> None:
    """Make an account hold what another holds, in place, so that holders of a part see the change."""
    for name in [name for name in account if name not in wanted]:
        del account[name]
    for name, value in copy.deepcopy(wanted).items():
        held = account.get(name)
        if isinstance(held, dict) and isinstance(value, dict):
            become(held, value)
        elif isinstance(held, list) and isinstance(value, list):
            held[:] = value
        else:
            account[name] = value


def moments(value: Any) -> Iterator[datetime]:
    """Every instant and date a value speaks of, but for its changes and identifiers.

    A date is its midnight in UTC, and so is a time without a zone.
    """
    if isinstance(value, dict) and value.keys() >= {"year", "month", "day"}:  # a date as Google writes it
        yield from moments(f"{value['year']:04}-{value['month']:02}-{value['day']:02}")
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from () if CHANGED.fullmatch(name) or name.lower().endswith("id") else moments(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from moments(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        for scale in (1, 1000):
            if int(value / scale) in SECONDS:
                yield datetime.fromtimestamp(value / scale, UTC)
    elif isinstance(value, str):
        yield from moments_of_text(value)


def moments_of_text(text: str) -> Iterator[datetime]:
    """Yield the moments of a text, which may be a cursor, as dates, ISO instants, iCalendar's, or seconds."""
    for found in INSTANT.findall(text):
        yield _aware(found)
    for found in DAY.findall(INSTANT.sub(" ", text)):
        yield _aware(found)
    for day, clock in COMPACT.findall(DAY.sub(" ", text)):
        yield _aware(f"{day}T{clock or '000000'}")
    for number in re.findall(r"(?<![\w.-])\d{10}(?:\d{3})?(?![\w-])", text):
        yield from moments(int(number))


def _aware(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:  # 2026-02-31: awkward accounts hold such dates
        return datetime.min.replace(tzinfo=UTC)
    return at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)


def within(row: Row, since: datetime, until: datetime) -> bool:
    """Say if all moments of a row lie in a stretch of time. True for a row without any."""
    return all(since <= at <= until for at in moments(row.value))


def moved(account: Account, home: str, away: str, at: datetime) -> Account:
    """Return the same life in another zone, with every wall clock as before and every instant moved.

    Written offsets and names of the zone are those of the new one. Numbers of seconds, times in UTC, and times under a
    name with "gmt" are instants; times without zone and dates are the wall's, and so is all under a name with "local".
    """
    before, after = (at.astimezone(ZoneInfo(zone)).utcoffset() or timedelta(0) for zone in (home, away))

    def change(value: Any, name: str = "") -> Any:
        if isinstance(value, dict):
            return {key: change(inner, key) for key, inner in value.items()}
        if isinstance(value, list):
            return [change(inner, name) for inner in value]
        if isinstance(value, bool) or "local" in name.lower() or name.lower().endswith("id"):
            return value
        if isinstance(value, int | float):
            return _moved_number(value, name, before, after)
        return _moved_text(value, name, home, away, before, after) if isinstance(value, str) else value

    return {name: value if name in ("origin", "about") else change(value, name) for name, value in account.items()}


def _moved_number(value: float, name: str, before: timedelta, after: timedelta) -> float:
    if is_offset(name, value, before):
        return type(value)(value * (after / before))
    for unit in (1, 1000):
        if int(value / unit) in SECONDS:
            return type(value)(value + (before - after).total_seconds() * unit)
    return value


def _moved_text(text: str, name: str, home: str, away: str, before: timedelta, after: timedelta) -> str:
    if text in (home, _offset(before), _offset(before).replace(":", "")):
        return {home: away}.get(text, _offset(after) if ":" in text else _offset(after).replace(":", ""))
    if text == _seconds(before):
        return _seconds(after)
    return INSTANT.sub(lambda found: _moved_instant(found.group(), name, before, after), text)


def _moved_instant(text: str, name: str, before: timedelta, after: timedelta) -> str:
    if text.endswith(_offset(before)):
        return text.removesuffix(_offset(before)) + _offset(after)
    gmt = text.endswith(("Z", "+00:00")) or ("gmt" in name.lower() and "+" not in text)
    return _shifted(text, before - after) if gmt else text


def _shifted(text: str, by: timedelta) -> str:
    """A text's instant moved, in the same notation."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d(?::\d\d)?)(.*)", text)
    assert found is not None
    day, gap, clock, rest = found.groups()
    at = datetime.fromisoformat(f"{day}T{clock}") + by
    return f"{at.date()}{gap}{at.time().isoformat('seconds' if clock.count(':') > 1 else 'minutes')}{rest}"


def _offset(of: timedelta) -> str:
    minutes = int(of / timedelta(minutes=1))
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _seconds(of: timedelta) -> str:
    return f"{int(of.total_seconds())}s"


def latest_date(at: datetime) -> date:
    """Return the latest date that any person's calendar shows at an instant, that of UTC+14."""
    return (at.astimezone(UTC) + timedelta(hours=14)).date()


def _at(account: Any, path: Path) -> Any:
    for step in path:
        account = account[step]
    return account
