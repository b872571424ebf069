"""What stands before the times of a row: type, source and unit; the same for thousands of rows, and read once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from connectors.apple_health.kinds import KINDS, Kind
from connectors.apple_health.sources import Source, rank
from connectors.apple_health.units import source_name

if TYPE_CHECKING:
    import numpy as np

REMEMBERED = 20_000  # texts; a device's address in memory may differ from row to row
FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})
UNWANTED = -1
ADDRESS = re.compile(rb"HKDevice: 0x[0-9a-f]+")
FRACTION = 1.5  # a share above it was written in percent


@dataclass(frozen=True, slots=True)
class Head:
    """A type of record in one unit from one source. ``kind`` is None for what only ``--keep-all`` keeps."""

    type: str
    unit: str
    source: Source
    kind: Kind | None

    @property
    def looks_inside(self) -> bool:
        return self.kind is not None and self.kind.role in ("sleep", "sdnn")

    def converted(self, found: np.ndarray) -> np.ndarray:
        """Values in the metric's unit; NaN in a unit that is not known."""
        import numpy as np

        factor, plus = (self.kind.units if self.kind else {}).get(self.unit, (np.nan, 0.0))
        if self.unit == "%":
            return np.where(found <= FRACTION, found * factor, found)
        return found * factor + plus

    def plausible(self, found: np.ndarray) -> np.ndarray:
        kind = self.kind
        good: np.ndarray = (found >= kind.low) & (found <= kind.high) if kind else found == found
        return good

    def reasons(self, found: np.ndarray, good: np.ndarray) -> dict[str, int]:
        """Why rows are passed over, with how many."""
        unread = int((found != found).sum())
        unit = self.kind is not None and self.unit not in self.kind.units
        why = {
            "its unit is not known" if unit else "its value is no number": unread,
            "its value cannot be true": int((~good).sum()) - unread,
        }
        return {reason: rows for reason, rows in why.items() if rows}


class Heads:
    """Every head met so far, by number. ``every``: of types that are of no use, too."""

    def __init__(self, order: Sequence[str], *, every: bool) -> None:
        self.heads: list[Head] = []
        self._order, self._every = order, every
        self._numbers: dict[tuple[str, str, Source], int] = {}
        self._texts: dict[bytes, int] = {}
        self._bare: dict[bytes, int] = {}  # without the address

    def numbers(self, texts: Sequence[bytes]) -> np.ndarray | None:
        """The number of each row's head, or UNWANTED. None when one of them is no XML."""
        import numpy as np

        known = self._texts
        if texts.count(texts[0]) == len(texts):  # as mostly
            texts, rows = texts[:1], len(texts)
        else:
            rows = 1
        for text in {*texts} - known.keys():
            number = self._read(ADDRESS.sub(b"HKDevice: ", text))
            if number is None:
                return None
            known[text] = number
        found = np.fromiter(map(known.__getitem__, texts), dtype=np.int64, count=len(texts))
        if len(known) > REMEMBERED:
            known.clear()
        return np.repeat(found, rows)

    def _read(self, text: bytes) -> int | None:
        number = self._bare.get(text)
        if number is None and (attributes := _attributes(text)) is not None:
            if len(self._bare) > REMEMBERED:
                self._bare.clear()
            number = self._bare[text] = self.of(attributes)
        return number

    def of(self, attributes: Mapping[str, str]) -> int:
        """The number of a row's head by its attributes."""
        name = attributes.get("type", "")
        kind = KINDS.get(name)
        if kind is None and not self._every:
            return UNWANTED
        mine = name, attributes.get("unit", ""), self.source(attributes)
        number = self._numbers.setdefault(mine, len(self.heads))
        if number == len(self.heads):
            self.heads.append(Head(*mine, kind))
        return number

    def source(self, attributes: Mapping[str, str]) -> Source:
        """Who wrote an element."""
        name = source_name(attributes.get("sourceName", ""))
        return rank(name, attributes.get("device", ""), self._order), name


def _attributes(text: bytes) -> dict[str, str] | None:
    """A row's head as an XML parser reads it."""
    from xml.parsers import expat

    found: list[dict[str, str]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda _, attributes: found.append(attributes)
    try:
        parser.Parse(b"<Record " + text.translate(None, FORBIDDEN) + b"/>", True)
    except (expat.ExpatError, ValueError):
        return None
    return found[0] if len(found) == 1 else None
