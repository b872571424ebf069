"""Find time zones by IANA name or place, and clocks without an IANA name by their POSIX text."""

from __future__ import annotations

import io
import re
import struct
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

CONTINENTS = frozenset(
    {"Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
YEARS = range(1970, 2038)
_OFFSET = r"[+-]?\d{1,2}(?::\d{2}){0,2}"
_CHANGE = rf",M\d{{1,2}}\.\d\.\d(?:/{_OFFSET})?"
_POSIX = re.compile(rf"<[+-]\d{{2,6}}>{_OFFSET}(?:<[+-]\d{{2,6}}>(?:{_OFFSET})?{_CHANGE}{_CHANGE})?")


def zone_named(name: Any) -> ZoneInfo | None:
    """Return the time zone of an IANA name or of a POSIX rule such as ``<-0230>2:30``. Return None for anything else.

    >>> zone_named("Europe/Berlin").key, zone_named("<-0230>2:30").key, zone_named("Pacific"), zone_named(None)
    ('Europe/Berlin', '<-0230>2:30', None, None)
    """
    if not isinstance(name, str) or not name:
        return None
    try:
        return _by_rule(name) if name.startswith("<") else ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # of unknown names, of names that are no path, of folders
        return None


def place_of(zone: str) -> str:
    """Return the place after which a time zone is named.

    >>> place_of("America/New_York")
    'New York'
    """
    return zone.rpartition("/")[2].replace("_", " ")


@cache
def zones_by_place() -> Mapping[str, str]:
    """Return IANA name -> name of the place, for UTC and all zones named after places, sorted by place."""
    parts = {name: name.replace("_", " ").split("/")[1:] for name in available_timezones() if name[:1].isupper()}
    found = {name: ", ".join(reversed(of)) for name, of in parts.items() if of and name.split("/")[0] in CONTINENTS}
    return {"UTC": "UTC"} | dict(sorted(found.items(), key=lambda one: one[1]))


def zone_meant(text: str) -> str:
    """Return the zone of a place as people type it in English, German or French, or the text if it is no place.

    >>> zone_meant("berlin"), zone_meant("New York"), zone_meant("europe/lisbon"), zone_meant("Mars")
    ('Europe/Berlin', 'America/New_York', 'Europe/Lisbon', 'Mars')
    >>> zone_meant("Wien"), zone_meant("Köln")
    ('Europe/Vienna', 'Europe/Berlin')
    """
    wanted = text.strip().casefold().replace("_", " ")
    named = [name for name in zones_by_place() if name.casefold().replace("_", " ") == wanted]
    found = named or [
        name
        for name, place in zones_by_place().items()
        if wanted in (place.casefold(), place_of(name).casefold(), *_other_names().get(name, ()))
    ]
    return max(found) if len({_clocks(name) for name in found}) == 1 else text.strip()


@cache
def _other_names() -> Mapping[str, Sequence[str]]:
    text = Path(__file__).with_name("places.toml").read_text(encoding="utf-8")
    return {zone: [name.casefold() for name in names] for zone, names in tomllib.loads(text).items()}


def _clocks(name: str) -> tuple[timedelta | None, ...]:
    """Return a zone's UTC offsets in many years, which are equal for two names of the same zone."""
    return tuple(datetime(year, month, 1, tzinfo=ZoneInfo(name)).utcoffset() for year in YEARS for month in (1, 7))


@lru_cache(maxsize=256)
def _by_rule(text: str) -> ZoneInfo:
    if not _POSIX.fullmatch(text):
        raise ValueError("no POSIX text of a time zone")
    block = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lbb", 0, 0, 0) + b"UTC\0"
    return ZoneInfo.from_file(io.BytesIO(block + block + f"\n{text}\n".encode()), key=text)
