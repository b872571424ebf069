"""Turn the components of an iCalendar file into events and tasks, with the same meaning as those from Google."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.types import Item, RawRecord
from connectors.icalendar.meaning import meanings


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    return meanings("ics", record, record.stream)
