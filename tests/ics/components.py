"""Components of a calendar, made short for the tests."""

from __future__ import annotations

from datetime import UTC, datetime

from bridge.domain.types import Item, RawRecord
from connectors.icalendar.meaning import of_file as normalise
from connectors.ics.parse import pages

ME = "ana@example.com"
AT_EIGHT = "DTSTART:20261119T080000Z"


def calendar(*lines: str) -> bytes:
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", *lines, "END:VCALENDAR", ""]).encode()


def vevent(*lines: str, uid: str = "1") -> list[str]:
    return ["BEGIN:VEVENT", f"UID:{uid}", *lines, "END:VEVENT"]


def vtodo(*lines: str, uid: str = "1") -> list[str]:
    return ["BEGIN:VTODO", f"UID:{uid}", *lines, "END:VTODO"]


def records(*lines: str, zone: str = "Europe/Berlin", mine: str = ME) -> list[RawRecord]:
    found = pages(calendar(*lines), name="file", zone=zone, mine=frozenset({mine}))
    return [record for page in found for record in page.records]


def items(*lines: str, zone: str = "Europe/Berlin") -> list[Item]:
    return [item for record in records(*lines, zone=zone) for item in normalise(record, None)]


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
