"""Turn Garmin's raw records into samples and episodes, with a reader function for each stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from bridge.domain.errors import BadRecord
from bridge.domain.types import Item, RawRecord
from connectors.garmin import account_export, connect, watch
from connectors.garmin.fields import settled
from connectors.payload import mapping

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
    "fit_day": watch.day,
    "fit_sleep": watch.sleep,
    "fit_hrv": watch.hrv,
}
SAVED = "saved_"  # begins the stream of answers that came as files


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    if record.stream == "workout":
        return list(_workout(record))
    if record.stream.startswith(SAVED):
        return _saved(record, parent)
    reader = READERS.get(record.stream)
    if reader is None:
        raise BadRecord(f"garmin/{record.stream}: not a stream of garmin")
    return list(reader(record, parent))


def _saved(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    if parent is not None:
        return ()
    answer = settled(mapping(record.payload.get("rows")))
    return normalise(replace(record, stream=record.stream.removeprefix(SAVED), payload=answer, parent=None), None)


def _workout(record: RawRecord) -> Iterator[Item]:
    by_id, sessions = mapping(record.payload.get("rows")), mapping(record.payload.get("fit"))
    for number in sorted(by_id):
        row = settled(mapping(by_id.get(number)))
        exported = row.get("stream") == "export_activity"
        yield account_export.activity(number, row) if exported else connect.recorded(number, row)
    if not by_id:
        yield watch.session(record.key, settled(sessions), record.payload.get("zone"))
