"""Turn records of a CalDAV calendar into events and tasks, with the same meaning as those of an iCalendar file."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.types import Item, RawRecord
from connectors.icalendar.meaning import meanings


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    kind = "task" if record.payload.get("kind") == "task" else "event"
    master = None if record.parent is None else record.parent.partition("/")[2]
    return meanings("caldav", record, kind, master=master or record.key)
