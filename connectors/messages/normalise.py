"""A day's counts as samples. The file names no zone: the day is what counts, and its midnight in UTC stands for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from bridge.errors import BadRecord
from bridge.metrics import METRICS, Metric
from bridge.types import Item, RawRecord, Sample

COUNTS = {"contacts": Metric.CONTACTS, "messages": Metric.MESSAGES}
UNREADABLE = {
    "line": "a line is no CSV",
    "cells": "a line has more cells than there are columns",
    "date": "date is not written like 2026-11-20",
    "contacts": "contacts is no count",
    "messages": "messages is no count",
    "twice": "a date stands there twice; the first counts",
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    """One sample per count of a day. Raises BadRecord naming what cannot be read, never quoting it."""
    payload = record.payload
    if "unreadable" in payload:
        raise BadRecord(f"messages/day: {UNREADABLE.get(str(payload['unreadable']), 'a line is no day')}")
    day = _day(payload)
    start = datetime.combine(day, time(), tzinfo=UTC)
    values = {metric: _count(payload, name, metric) for name, metric in COUNTS.items()}
    return [
        Sample(key=f"{record.key}/{metric}", metric=metric, start=start, day=day, value=float(value))
        for metric, value in values.items()
        if value is not None
    ]


def _day(payload: Mapping[str, Any]) -> date:
    try:
        day = date.fromisoformat(str(payload.get("date")))
    except ValueError:
        day = None
    if day is None or not 1990 <= day.year < 2200:
        raise BadRecord(f"messages/day: {UNREADABLE['date']}")
    return day


def _count(payload: Mapping[str, Any], name: str, metric: Metric) -> int | None:
    """None where the file left it empty."""
    value = payload.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= METRICS[metric].high:
        raise BadRecord(f"messages/day: {UNREADABLE[name]}")
    return value
