"""Remember the parts of an Apple Health export, so that the next export's equal parts need not be read.

Parts are recognised by a digest of their bytes. A month whose rows are all unchanged stays as it is stored.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from base64 import b85decode, b85encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from bridge.domain.ports import StoredExport
from bridge.domain.types import Page
from connectors.apple.export.heads import DEVICE_ADDRESS

PARTS_VERSION = 1  # of what is remembered; raise it when rows or records are made in another way
ROW = b"<Record "
PIECE_MAX, PIECE_MIN = 1 << 18, 3 << 16  # bytes
EVERY_EIGHT_HOURS = re.compile(rb'startDate="[-0-9]{10} (?:00|08|16):')
MARK_CHARS = 32


def cut(window: bytes) -> int:
    """Return the length of the piece to cut from the start of ``window``, which depends on these bytes alone.

    After a change in a file, cuts therefore soon fall at the same rows as before.
    """
    last = window.rfind(ROW)
    if last <= 0:
        return len(window)
    kind = window[: window.find(b'" ', len(ROW) + len('type="')) + 1]
    if not window.startswith(kind, last):
        return max(window.find(ROW, window.rfind(kind) + 1), 0) or last
    found = EVERY_EIGHT_HOURS.search(window, PIECE_MIN)
    return max(window.rfind(ROW, 0, found.start()), 0) or last if found else last


def mark_of(piece: bytes) -> str:
    """Return a digest of a piece of an export, leaving out memory addresses, which differ from export to export."""
    return hashlib.sha256(DEVICE_ADDRESS.sub(b"HKDevice: ", piece)).hexdigest()[:MARK_CHARS]


class Part(NamedTuple):
    """The result of reading a piece of an export, with times in Unix seconds.

    ``sums`` maps blocks of time to checksums of the piece's rows. ``seen`` holds the zones as (second, zone).
    """

    first: float
    last: float
    sums: Mapping[int, int]
    seen: list[tuple[float, str]]


class Month(NamedTuple):
    """A digest of everything that a month's records are made of, and stream -> number of these records."""

    mark: str
    records: dict[str, int]


@dataclass
class Memory:
    """The content of an export as digests, kept for the next import. ``limit`` and ``as_of`` are Unix seconds."""

    read_as: str
    limit: float = 0.0
    as_of: float = 0.0
    parts: dict[str, Part] = field(default_factory=dict)
    months: dict[str, Month] = field(default_factory=dict)

    def count(self, page: Page) -> None:
        month = self.months.get(page.records[0].key[:7]) if page.records else None
        if month is not None:
            month.records[page.stream] = len(page.records)

    def packed(self) -> str:
        """Return the memory as text. The reverse is ``unpacked``."""
        parts = ",".join(f"{_text(mark)}:{_text(_packed(part))}" for mark, part in self.parts.items())
        told = f"[{_text(self.read_as)},{_text(self.limit)},{_text(self.as_of)},{{{parts}}},{_text(self.months)}]"
        return b85encode(zlib.compress(told.encode())).decode()


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def unpacked(text: str | None) -> Memory | None:
    """Return the memory from the text that ``packed`` returned. None without a text, or for an older layout."""
    if not text:
        return None
    try:
        read_as, limit, as_of, parts, months = json.loads(zlib.decompress(b85decode(text)))
        return Memory(
            read_as,
            limit,
            as_of,
            {mark: _unpacked(part) for mark, part in parts.items()},
            {month: Month(*one) for month, one in months.items()},
        )
    except (ValueError, TypeError, zlib.error):
        return None


def _packed(part: Part) -> list[Any]:
    # Times become differences, because those compress well.
    names = list(dict.fromkeys(place for _, place in part.seen))
    times = [at for at, _ in part.seen]
    steps = [late - early for early, late in pairwise([0.0, *times])]
    exact = list(accumulate(steps, initial=0.0))[1:] == times
    places = [names.index(place) for _, place in part.seen]
    return [part.first, part.last, list(part.sums.items()), names, places, exact, steps if exact else times]


def _unpacked(packed: list[Any]) -> Part:
    first, last, sums, names, places, exact, given = packed
    times = list(accumulate(given, initial=0.0))[1:] if exact else given
    seen = [(float(at), names[place]) for at, place in zip(times, places, strict=True)]
    return Part(first, last, dict(sums), seen)


def is_unchanged(month: str, mark: str, earlier: Memory, stored: StoredExport) -> bool:
    """Return True if ``mark``, a month's digest, is the ``earlier`` export's, whose records are all still stored.

    ``stored`` maps (stream, month) to the number of stored records and the date of their export.
    """
    before = earlier.months.get(month)
    if before is None or before.mark != mark:
        return False
    as_of = datetime.fromtimestamp(earlier.as_of, UTC)
    held = {stream: some for (stream, name), some in stored.items() if name == month}
    return held == {stream: (records, as_of) for stream, records in before.records.items()}
