"""Find the time zones that a calendar names, by its own definition (VTIMEZONE), a known name or an offset.

The iCalendar library knows the names of IANA and Windows, and drops a zone with another name without a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache, lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

from bridge.domain.zones import zone_named

CALENDAR = re.compile(r"^BEGIN:VCALENDAR\s*$", re.MULTILINE | re.IGNORECASE)
DEFINITION = re.compile(r"^BEGIN:VTIMEZONE\s*$.*?^END:VTIMEZONE\s*$\n?", re.MULTILINE | re.DOTALL | re.IGNORECASE)
DEFINED = re.compile(r"^TZID(?:;[^:\n]*)?:([^\n]*)$", re.MULTILINE | re.IGNORECASE)
RULE = re.compile(r"^RRULE:([^\n]*)", re.MULTILINE | re.IGNORECASE)
ZONED = re.compile(r"^(?:DTSTART|DTEND|DUE|EXDATE|RDATE|RECURRENCE-ID);[^\n]*$", re.MULTILINE | re.IGNORECASE)
# Programs leave out the quotation marks around a name with a colon in it.
NAMED = re.compile(r';TZID=(?:"([^"]*)"|(.*?))(?=;[A-Z-]+=|$)', re.IGNORECASE)
DEFINITION_MAX_CHARS = 20_000  # of a zone's definition that is remembered
HEAD_MAX_CHARS = 500  # of a property before its value
WRITTEN_OFFSET = re.compile(
    r"\(?(?:UTC|GMT|Z)?\s*(?:([+\u2212-])\s*(\d{1,2})(?::?([0-5]\d))?)?\s*\)?(.*)", re.IGNORECASE
)
PLACES = re.compile(r"\s*[,;:/&]\s*|\s+-\s+")
TIME_OF = re.compile(r"\s+(?:standard |daylight |summer )?time\b.*", re.IGNORECASE)
SUMMER = re.compile(r"daylight|summer|[+-]\d", re.IGNORECASE)  # a second offset, of which no days are known
WING = re.compile(r"^(w|e)(?:est|ast) (?=central|africa)")  # Windows writes W. and E. in its identifiers
SHOWN = {  # names without a city or an identifier in them
    "baja california": "America/Tijuana",
    "coordinated universal time": "UTC",
    "indiana (east)": "America/Indiana/Indianapolis",
}
NO_PLACES = ("US/", "Canada/", "Brazil/", "Mexico/", "Chile/")
NO_CITIES = ("general", "east", "west", "north", "south", "center", "act", "nsw")
UNKNOWN = "unknown-zone"
OFFSET_MAX = timedelta(hours=15)
# What the library raises; OSError for a zone named like a folder of zones ("Pacific").
MALFORMED = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError, OSError)


def with_known_zones(text: str) -> str:
    """Return an iCalendar text with every zone name replaced by an IANA name, or by that of a definition in the text.

    Definitions are moved to the start of their calendar. A zone that is not understood is named ``UNKNOWN``, and its
    times cannot be read.
    """
    starts = [match.start() for match in CALENDAR.finditer(text)]
    bounds = [*starts, len(text)]
    parts = [text[begin:end] for begin, end in pairwise(bounds)]
    return text[: bounds[0]] + "".join(map(_with_known_zones, parts))


def _with_known_zones(calendar: str) -> str:
    definitions: dict[str, str] = {}
    for match in DEFINITION.finditer(calendar):
        name = DEFINED.search(match.group())
        works = _works if len(match.group()) <= DEFINITION_MAX_CHARS else _works.__wrapped__
        if name is not None and works(match.group()):
            definitions[_plain(name.group(1))] = match.group()
    names: dict[str, str] = {}

    def renamed(line: re.Match[str]) -> str:
        head, colon, value = line.group().rpartition(":")
        named = NAMED.search(head) if len(head) <= HEAD_MAX_CHARS else None
        if named is None:
            return line.group()
        name = named.group(1) or named.group(2)
        if name not in names:
            names[name] = _safe_name(name, definitions)
        return f"{head[: named.start()]};TZID={names[name]}{head[named.end() :]}{colon}{value}"

    head, begin, rest = DEFINITION.sub("", calendar).partition("\n")
    body = ZONED.sub(renamed, rest)
    used = dict.fromkeys(names.values())
    kept = (DEFINED.sub(f"TZID:{_own(name)}", block, count=1) for name, block in definitions.items())
    written = "".join(block for block in kept if DEFINED.search(block).group(1) in used)  # type: ignore[union-attr]
    return f"{head}{begin}{written}{body}"


def _safe_name(name: str, definitions: dict[str, str]) -> str:
    if name in available_timezones():
        return name
    if _plain(name) in definitions:
        return _own(_plain(name))
    found = zone_of_name(name)
    if found is not None and found.startswith("<"):
        definitions[_plain(name)] = _fixed(found)
        return _own(_plain(name))
    return found or UNKNOWN


def _own(plain: str) -> str:
    return "own-" + plain.encode().hex()


def _fixed(posix: str) -> str:
    offset = datetime(2026, 1, 1, tzinfo=zone_named(posix)).strftime("%z")
    return (
        f"BEGIN:VTIMEZONE\nTZID:{posix}\nBEGIN:STANDARD\nDTSTART:19700101T000000\n"
        f"TZOFFSETFROM:{offset}\nTZOFFSETTO:{offset}\nEND:STANDARD\nEND:VTIMEZONE\n"
    )


def _plain(name: str) -> str:
    return name.strip().strip('"').strip().casefold()


@lru_cache(maxsize=64)  # every entry of a calendar comes with its zones, and reading one takes 50 ms
def _works(definition: str) -> bool:
    """Return True if a definition is readable, and each of its rules gives a date every year from 2000 to 2040."""
    # The library would search for minutes for a date that never comes.
    from icalendar import Timezone
    from icalendar.timezone import tzp

    if not all(_comes_round(rule.group(1)) for rule in RULE.finditer(definition)):
        return False
    try:
        zone = Timezone.from_ical(definition).to_tz(tzp, lookup_tzid=False)  # type: ignore[attr-defined]
        return datetime(2026, 1, 1, tzinfo=zone).utcoffset() is not None
    except MALFORMED:
        return False


def _comes_round(rule: str) -> bool:
    from dateutil.rrule import rrulestr

    parts = [part for part in rule.upper().replace(" ", "").split(";") if not part.startswith(("UNTIL", "COUNT"))]
    within = ";".join([*parts, "UNTIL=20400101T000000"])
    try:
        found = rrulestr(within, dtstart=datetime(2000, 1, 1))  # noqa: DTZ001 - a wall clock
        return "FREQ=YEARLY" in parts and next(iter(found), None) is not None
    except MALFORMED:
        return False


@cache
def zone_of_name(text: str) -> str | None:
    """Return the IANA name or POSIX text of a zone that a program names in a way of its own, or None.

    Known are names in any case, names after an address, Windows's identifiers and displayed names, and offsets.

    >>> zone_of_name("/citadel.org/20210210_1/Europe/Berlin"), zone_of_name("W. EUROPE STANDARD TIME")
    ('Europe/Berlin', 'Europe/Berlin')
    >>> zone_of_name("(UTC-05:00) Eastern Time (US & Canada)"), zone_of_name("(GMT+01:00) Brüssel, Paris, Madrid")
    ('America/New_York', 'Europe/Paris')
    >>> zone_of_name("UTC-06:00"), zone_of_name("GMT+0545"), zone_of_name("Customized Time Zone")
    ('Etc/GMT+6', '<+0545>-5:45', None)
    """
    name = text.strip().strip('"').strip().replace("\\,", ",").replace("\\;", ";")
    parts = name.strip("/").split("/")
    for begin in range(len(parts)):
        found = _iana().get("/".join(parts[begin:]).casefold().replace(" ", "_"))
        if found is not None:
            return found
    for part in (name, parts[-1]):
        if found := _windows().get(part.casefold()):
            return found
    sign, hours, minutes, places = WRITTEN_OFFSET.fullmatch(name).groups()  # type: ignore[union-attr]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (1 if sign == "+" else -1)
    if sign is None and not re.match(r"\((?:UTC|GMT)\)", name, re.IGNORECASE):
        return _of_places(name, None)
    if abs(offset) > OFFSET_MAX or places[:1].isdigit() or SUMMER.search(places):
        return None
    return _of_places(places.strip(), offset) or _of_offset(offset)


def _of_places(text: str, offset: timedelta | None) -> str | None:
    """Return the zone of a text like "Eastern Time (US & Canada)", which must have ``offset`` if given, or None."""
    words = WING.sub(lambda wing: f"{wing[1]}. ", TIME_OF.sub("", text).casefold()).split()
    begun = (" ".join(words[:end]) for end in range(len(words), 0, -1))  # "Lord Howe Island" begins with "Lord Howe"
    if offset is None and TIME_OF.search(text) is None:
        words = []
    named = [SHOWN.get(text.casefold()), *(_windows().get(f"{one} standard time") for one in begun)]
    named += [zone for place in PLACES.split(text.casefold()) for zone in _cities().get(place.replace(" ", "_"), ())]
    if offset is None:
        named = [zone for zone in named if zone is not None and not zone.startswith(NO_PLACES)]
    known = (zone for zone in named if zone is not None)
    return next((zone for zone in known if offset == (_in_winter(zone) if offset is not None else None)), None)


def _of_offset(offset: timedelta) -> str | None:
    hours, rest = divmod(offset, timedelta(hours=1))
    if not rest:
        return "UTC" if not hours else zone.key if (zone := zone_named(f"Etc/GMT{-hours:+d}")) else None
    return posix_offset(offset)


def posix_offset(offset: timedelta) -> str:
    """Return the POSIX text of a fixed offset east of UTC. In POSIX, the sign is reversed.

    >>> posix_offset(timedelta(hours=-3, minutes=-30)), posix_offset(timedelta(hours=1))
    ('<-0330>3:30', '<+0100>-1:00')
    """
    hours, minutes = divmod(abs(offset) // timedelta(minutes=1), 60)
    ahead = offset >= timedelta(0)
    return f"<{'+' if ahead else '-'}{hours:02}{minutes:02}>{'-' if ahead else ''}{hours}:{minutes:02}"


@cache
def _iana() -> dict[str, str]:
    return {name.casefold(): name for name in sorted(available_timezones())}


@cache
def _windows() -> dict[str, str]:
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    return {name.casefold(): zone for name, zone in WINDOWS_TO_OLSON.items()}


@cache
def _cities() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in sorted(available_timezones(), key=lambda name: (name.split("/")[0] in ("Etc", "Brazil"), name)):
        if "/" in name and not name.startswith("Etc/") and not name.casefold().endswith(NO_CITIES):
            found.setdefault(name.rpartition("/")[2].casefold(), []).append(name)
    return found


@cache
def _in_winter(zone: str) -> timedelta:
    offsets = (datetime(2026, month, 1, tzinfo=ZoneInfo(zone)).utcoffset() for month in (1, 7))
    return min(offset for offset in offsets if offset is not None)


def clock_name(at: datetime, home: ZoneInfo) -> str | None:
    """Return the name of a time's zone, in IANA's form or as a yearly POSIX rule. None without either.

    A zone without an IANA name gets that of ``home``, or another's, if the offsets are the same all year.
    """
    if at.tzinfo is UTC or at.tzname() == "UTC":
        return "UTC"
    key = getattr(at.tzinfo, "key", None)
    if isinstance(key, str) or at.tzinfo is None:
        return key
    months = _months(at.year)
    offsets = tuple(month.replace(tzinfo=at.tzinfo).utcoffset() for month in months)
    if _offsets(home, months) == offsets:
        return home.key
    return _behaving(at.year, offsets) or _posix(at.tzinfo, at.year)


@cache
def _behaving(year: int, offsets: tuple[timedelta | None, ...]) -> str | None:
    months = _months(year)
    places = (name for name in sorted(available_timezones()) if "/" in name and not name.startswith("Etc/"))
    return next((name for name in places if _offsets(ZoneInfo(name), months) == offsets), None)


def _months(year: int) -> list[datetime]:
    return [datetime(year, month, day) for month in range(1, 13) for day in (1, 15)]  # noqa: DTZ001 - wall clocks


def _offsets(zone: tzinfo, months: Sequence[datetime]) -> tuple[timedelta | None, ...]:
    return tuple(month.replace(tzinfo=zone).utcoffset() for month in months)


@lru_cache(maxsize=64)
def _posix(zone: tzinfo, year: int) -> str | None:
    """Return the POSIX text of a zone whose rules stay the same for seven years from ``year``, else None."""
    changes = [list(_changes(zone, one)) for one in range(year, year + 7)]
    if not any(changes):
        return posix_offset(_offset(zone, datetime(year, 7, 1)))  # noqa: DTZ001 - a wall clock
    if any(len(found) != 2 for found in changes):
        return None
    halves = list(zip(*changes, strict=True))
    (before, after), (first, second) = halves[0][0][1:], (_rule([at for at, _, _ in half]) for half in halves)
    if first is None or second is None:
        return None
    east, rules = (after, (first, second)) if after > before else (before, (second, first))
    return posix_offset(min(before, after)) + posix_offset(east) + "," + ",".join(rules)


def _changes(zone: tzinfo, year: int) -> Iterator[tuple[datetime, timedelta, timedelta]]:
    low = datetime(year, 1, 1)  # noqa: DTZ001 - a wall clock
    for day in (low + timedelta(days=n) for n in range(365)):
        before, after = _offset(zone, day), _offset(zone, day + timedelta(days=1))
        if before != after:
            minutes = range(24 * 60)
            yet = next((n for n in minutes if _offset(zone, day + timedelta(minutes=n)) != before), minutes.stop)
            yield day + timedelta(minutes=yet), before, after


def _offset(zone: tzinfo, wall: datetime) -> timedelta:
    return wall.replace(tzinfo=zone).utcoffset() or timedelta(0)


def _rule(walls: Sequence[datetime]) -> str | None:
    weeks, last = (
        {(at.day - 1) // 7 + 1 for at in walls},
        all((at + timedelta(days=7)).month != at.month for at in walls),
    )
    same = {(at.month, at.isoweekday() % 7, at.hour, at.minute) for at in walls}
    if len(same) != 1 or not (last or len(weeks) == 1):
        return None
    ((month, weekday, hour, minute),) = same
    return f"M{month}.{5 if last else weeks.pop()}.{weekday}/{hour}:{minute:02}"
