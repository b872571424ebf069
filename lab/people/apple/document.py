"""Apple's export file, row by row in the order and with the escapes of the Health app."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

LATE = 86_400  # seconds after which a row stands behind the others of its kind
DELAY = 30  # seconds from the end of a measurement to its entry
BUFFER = 1 << 20

ELEMENTS = {
    "HealthData": ("(ExportDate,Me,(Record|Correlation|Workout|ActivitySummary)*)", ("locale",)),
    "ExportDate": ("EMPTY", ("value",)),
    "Record": (
        "((MetadataEntry|HeartRateVariabilityMetadataList)*)",
        ("type", "unit", "value", "sourceName", "sourceVersion", "device", "creationDate", "startDate", "endDate"),
    ),
    "Correlation": ("((MetadataEntry|Record)*)", ("type", "sourceName", "creationDate", "startDate", "endDate")),
    "Workout": (
        "((MetadataEntry|WorkoutEvent|WorkoutRoute|WorkoutStatistics)*)",
        ("workoutActivityType", "duration", "durationUnit", "sourceName", "creationDate", "startDate", "endDate"),
    ),
    "ActivitySummary": ("EMPTY", ("dateComponents", "activeEnergyBurned", "activeEnergyBurnedUnit")),
    "MetadataEntry": ("EMPTY", ("key", "value")),
    "InstantaneousBeatsPerMinute": ("EMPTY", ("bpm", "time")),
}


def document_type(version: int) -> str:
    """Return the document type of an export. Version 13 has the syntax error that iOS 16 writes."""
    lines = ["<!DOCTYPE HealthData [", f"<!-- HealthKit Export Version: {version} -->"]
    for name, (content, attributes) in ELEMENTS.items():
        lines += [f"<!ELEMENT {name} {content}>", f"<!ATTLIST {name}"]
        lines += [f"  {attribute:17} CDATA #IMPLIED" for attribute in attributes]
        lines += [">", ">"] if version == 13 and name == "Record" else [">"]
    return "\n".join([*lines, "]>", ""])


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


class Stamps:
    """A formatter of times as the export prints them, all at the phone's ``offset`` (seconds) when it exports."""

    def __init__(self, offset: int) -> None:
        sign, minutes = "-" if offset < 0 else "+", abs(offset) // 60
        ending = f"{sign}{minutes // 60:02}{minutes % 60:02}"
        self._offset = offset
        self._days: dict[int, str] = {}
        self._clock = [
            f" {hour:02}:{minute:02}:{second:02} {ending}"
            for hour in range(24)
            for minute in range(60)
            for second in range(60)
        ]

    def text(self, at: int) -> str:
        day, second = divmod(at + self._offset, 86_400)
        written = self._days.get(day)
        if written is None:
            written = self._days[day] = f"{datetime.fromtimestamp(0, UTC) + timedelta(days=day):%Y-%m-%d}"
        return written + self._clock[second]


class Sheet:
    """A writer of the export's rows, without data that reached the phone after ``exported`` (Unix seconds)."""

    def __init__(self, write: Callable[[bytes], object], *, exported: int, offset: int) -> None:
        self.exported, self.offset = exported, offset
        self.rows: Counter[str] = Counter()
        self.size = 0
        self.stamp = Stamps(offset).text
        self._write = write
        self._waiting: list[str] = []
        self._late: list[str] = []
        self._length = 0

    def has(self, end: int, late: int = 0) -> bool:
        """Return True if a measurement that ended at ``end`` and arrived ``late`` seconds later is in the export."""
        return end + DELAY + late <= self.exported

    def line(self, text: str, name: str = "") -> None:
        """Write ``text``, which is one element or more, and add one to the count of ``name``."""
        self.rows[name] += 1
        self._waiting.append(text)
        self._length += len(text)
        if self._length > BUFFER:
            self._flush()

    def row(
        self, head: str, start: int, end: int, value: object, *, late: int = 0, double: bool = False, inside: str = ""
    ) -> bool:
        """Write a record that begins with ``head`` (see ``Source.head``). Returns False if the export does not hold it
        yet.

        ``start`` and ``end`` are Unix seconds, ``late`` is seconds, ``double`` writes it twice, and ``inside`` is XML
        within it.
        """
        if not self.has(end, late):
            return False
        stamp = self.stamp
        closing = f">\n{inside} </Record>\n" if inside else "/>\n"
        given = "" if value is None else f' value="{value}"'
        text = (
            f'{head}creationDate="{stamp(end + DELAY + late)}" startDate="{stamp(start)}" endDate="{stamp(end)}"'
            f"{given}{closing}"
        )
        for _ in range(1 + double):
            if late >= LATE:
                self.rows["Record"] += 1
                self._late.append(text)
            else:
                self.line(text, "Record")
        return True

    def end_of_kind(self) -> None:
        """Write the rows that arrived late, after all others of their type."""
        self._waiting += self._late
        self._late = []

    def close(self) -> None:
        self.end_of_kind()
        self._flush()

    def _flush(self) -> None:
        written = "".join(self._waiting).encode()
        self._waiting, self._length = [], 0
        self.size += len(written)
        self._write(written)


def metadata(entries: Iterable[tuple[str, object]]) -> str:
    return "".join(f'  <MetadataEntry key="{key}" value="{value}"/>\n' for key, value in entries)


QUANTITY, CATEGORY = "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A device or app that writes rows. Of sources that saw the same time, that with the lowest ``rank`` counts."""

    rank: int
    name: str
    version: str
    device: str = ""

    def head(self, kind: str, unit: str = "") -> str:
        """Return the beginning of a row of type ``kind``. The device's memory address varies by type, as in reality."""
        named = f'sourceName="{escaped(self.name)}" sourceVersion="{self.version}" '
        address = 0x280000000 + sum(map(ord, kind + self.name)) * 0x1A0
        device = f'device="{escaped(self.device.replace("ADDRESS", f"{address:#x}"))}" ' if self.device else ""
        return f' <Record type="{kind}" {named}{device}' + (f'unit="{unit}" ' if unit else "")


WATCH = Source(
    rank=0,
    name="Ana’s Apple\u00a0Watch",
    version="10.1",
    device="<<HKDevice: ADDRESS>, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,7, "
    "software:10.1>",
)
PHONE = Source(
    rank=1,
    name="Ana’s\u00a0iPhone",
    version="17.1.2",
    device="<<HKDevice: ADDRESS>, name:iPhone, manufacturer:Apple Inc., model:iPhone, hardware:iPhone14,5, "
    "software:17.1.2>",
)
OTHER = Source(rank=2, name="Connect", version="20240101")
