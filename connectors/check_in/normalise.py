"""Turn a user's check-in or note into a sample at the instant that it describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bridge.domain.errors import BadRecord
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.samples import CHECK_INS
from bridge.domain.types import Item, RawRecord, Sample
from connectors.instants import local_date, utc

ABOUT = {None if meter is None else meter.lower(): metric for meter, metric in CHECK_INS.items()}
NAME_MAX = 60  # characters
FARTHEST = 14 * 60  # minutes; no place's clock is further from UTC


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    payload = record.payload
    if record.stream == "note":
        return [_note(payload)]
    metric, at, offset = _metric(payload), _instant(payload), _offset(payload)
    day, value = local_date(at, offset), _score(payload, metric)
    return [Sample(key=record.key, metric=metric, start=at, offset=offset, day=day, value=value)]


def _note(payload: Mapping[str, Any]) -> Sample:
    at, offset, name, amount = _instant(payload), _offset(payload), payload.get("name"), payload.get("amount")
    if not isinstance(name, str) or not 0 < len(name) <= NAME_MAX:
        raise BadRecord(f"check_in/note: the field name must have 1 to {NAME_MAX} characters")
    spec = METRICS[Metric.NOTED]
    if not isinstance(amount, int | float) or isinstance(amount, bool) or not spec.low <= amount <= spec.high:
        raise BadRecord(f"check_in/note: the field amount is not from {spec.low:.0f} to {spec.high:.0f}")
    day = local_date(at, offset)
    return Sample(key=name, metric=Metric.NOTED, start=at, offset=offset, day=day, value=float(amount))


def _metric(payload: Mapping[str, Any]) -> Metric:
    about = payload.get("about", "")
    if not isinstance(about, str | None) or about not in ABOUT:
        raise BadRecord("check_in/answer: the field 'about' holds no meter's name")
    return ABOUT[about]


def _instant(payload: Mapping[str, Any]) -> datetime:
    at = utc(payload.get("at"))
    if at is None:
        raise BadRecord(
            "check_in/answer: the field at is not an instant with an offset, such as 2026-11-20T10:05:00+01:00"
        )
    return at


def _offset(payload: Mapping[str, Any]) -> int:
    offset = payload.get("offset")
    if not isinstance(offset, int) or isinstance(offset, bool) or abs(offset) > FARTHEST:
        raise BadRecord("check_in/answer: the field offset must be whole minutes east of UTC, from -840 to 840")
    return offset


def _score(payload: Mapping[str, Any], metric: Metric) -> float:
    score, spec = payload.get("score"), METRICS[metric]
    if not isinstance(score, int | float) or isinstance(score, bool) or not spec.low <= score <= spec.high:
        raise BadRecord(f"check_in/answer: the field score is not from {spec.low:.0f} to {spec.high:.0f}")
    if score * 2 % 1:
        raise BadRecord("check_in/answer: the field score is neither a whole number nor a half")
    return float(score)
