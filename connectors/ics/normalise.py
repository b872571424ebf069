"""Components of an iCalendar file as events and tasks. They mean the same as those from Google."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.types import Item, RawRecord
from connectors.icalendar.meaning import meanings


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """Return the event or the task of a record. Raises BadRecord naming the unreadable property."""
    return meanings("ics", record, record.stream)
