"""Time zones by IANA name, and clocks that no IANA zone keeps by their POSIX text (POSIX.1-2017, 8.3, TZ)."""

from __future__ import annotations

import io
import re
import struct
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

_OFFSET = r"[+-]?\d{1,2}(?::\d{2}){0,2}"
_CHANGE = rf",M\d{{1,2}}\.\d\.\d(?:/{_OFFSET})?"
_POSIX = re.compile(rf"<[+-]\d{{2,6}}>{_OFFSET}(?:<[+-]\d{{2,6}}>(?:{_OFFSET})?{_CHANGE}{_CHANGE})?")


def zone_named(name: Any) -> ZoneInfo | None:
    """Return the time zone of an IANA name or of a POSIX text. Return None for anything else.

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


@lru_cache(maxsize=256)
def _by_rule(text: str) -> ZoneInfo:
    """Return the zone of a POSIX text, from a file of zone data (RFC 8536) that holds only its last line."""
    if not _POSIX.fullmatch(text):
        raise ValueError("no POSIX text of a time zone")
    block = b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lbb", 0, 0, 0) + b"UTC\0"
    return ZoneInfo.from_file(io.BytesIO(block + block + f"\n{text}\n".encode()), key=text)
