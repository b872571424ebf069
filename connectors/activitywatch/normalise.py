"""Turn a day at the computer into samples of focus, each for a stretch of work."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.metrics import Metric
from bridge.domain.types import Item, RawRecord, Sample
from connectors.instants import offset_in
from connectors.payload import Fields, mapping, rows


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    fields = Fields.of("activitywatch", record)
    day, zone = Fields({"day": record.key}, fields.name).day("day"), fields.zone("zone")
    found: list[Item] = []
    for number, payload in enumerate(rows(fields.get("stretches"))):
        told = Fields(mapping(payload), fields.name)
        start, end, minutes = told.instant("start"), told.instant("end"), told.number("minutes")
        if minutes is None or end < start:
            raise fields.bad("a stretch has no minutes, or ends before it starts")
        found.append(
            Sample(
                key=f"{record.key}/{number}",
                metric=Metric.FOCUS,
                start=start,
                end=end,
                offset=offset_in(zone, start),
                day=day,
                value=minutes,
            )
        )
    return found
