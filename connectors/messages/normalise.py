"""Turn a day's counts into samples. The file names no zone, so a sample starts at the day's midnight in UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.types import Item, RawRecord, Sample
from connectors.instants import calendar_date, midnight

COUNTS = {"contacts": Metric.CONTACTS, "messages": Metric.MESSAGES}
UNREADABLE_REASONS = {
    "line": "a line is no CSV",
    "cells": "a line has more cells than there are columns",
    "date": "date is not written like 2026-11-20",
    "contacts": "contacts is no count",
    "messages": "messages is no count",
    "twice": "a date occurs twice; the first line with it is used",
}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    payload = record.payload
    if "unreadable" in payload:
        raise BadRecord(f"messages/day: {UNREADABLE_REASONS.get(str(payload['unreadable']), 'a line is no day')}")
    day = _day(payload)
    values = {metric: _count(payload, name, metric) for name, metric in COUNTS.items()}
    return [
        Sample(key=f"{record.key}/{metric}", metric=metric, start=midnight(day), day=day, value=float(value))
        for metric, value in values.items()
        if value is not None
    ]


def _day(payload: Mapping[str, Any]) -> date:
    day = calendar_date(payload.get("date"))
    if day is None:
        raise BadRecord(f"messages/day: {UNREADABLE_REASONS['date']}")
    return day


def _count(payload: Mapping[str, Any], name: str, metric: Metric) -> int | None:
    value = payload.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= METRICS[metric].high:
        raise BadRecord(f"messages/day: {UNREADABLE_REASONS[name]}")
    return value
