"""Garmin's records as samples and episodes: which stream is read by what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from bridge.errors import BadRecord
from bridge.types import Item, RawRecord
from connectors.garmin import account_export, connect, watch

Reader = Callable[[RawRecord, RawRecord | None], Iterator[Item]]

READERS: Mapping[str, Reader] = {
    "summary": connect.summary,
    "sleep": connect.sleep,
    "hrv": connect.hrv,
    "stress": connect.stress,
    "heart_rate": connect.heart_rate,
    "body_battery": connect.body_battery,
    "activity": connect.activity,
    "uds": account_export.daily,
    "export_sleep": account_export.sleep,
    "export_health": account_export.health,
    "export_activity": account_export.activity,
    "fit_day": watch.day,
    "fit_sleep": watch.sleep,
    "fit_hrv": watch.hrv,
    "fit_activity": watch.activity,
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    """What a record means. Raises BadRecord naming the unreadable field, never its value."""
    reader = READERS.get(record.stream)
    if reader is None:
        raise BadRecord(f"garmin/{record.stream}: not a stream of garmin")
    return list(reader(record, parent))
