"""Pack readings of a metric and day into one JSON text that SQL views can read, and unpack them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import chain, groupby, repeat
from typing import Any, NamedTuple

from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.types import Sample
from bridge.store.tables import MICROSECOND, instant, microseconds

READINGS_MAX = 1000  # of a text; ten days of quarter-hours


class Known(NamedTuple):
    sample: Sample
    known_at: int


def pack(readings: Sequence[Known]) -> str:
    """Return readings of one metric and day as JSON text. Raises ValueError for a number that is not finite."""
    samples = [sample for sample, _ in readings]
    starts = [microseconds(sample.start) for sample in samples]
    begins = [start - starts[0] for start in starts]
    unit, name = math.gcd(*begins) or 1, samples[0].metric.value
    columns = {
        "unit": unit,
        "at": [begin // unit for begin in begins],
        **_values(samples),
        "length": _shared([_length(sample) for sample in samples]),
        "offset": _shared([sample.offset for sample in samples]),
        "low": _shared([_short(sample.low) for sample in samples]),
        "high": _shared([_short(sample.high) for sample in samples]),
        "device": _shared([sample.device for sample in samples]),
        "key": _shared([None if sample.key == _usual_key(name, sample.start) else sample.key for sample in samples]),
        "known": [[at, len([*some])] for at, some in groupby(known_at for _, known_at in readings)],
    }
    return _JSON.encode({name: column for name, column in columns.items() if column is not None})


def _values(samples: Sequence[Sample]) -> dict[str, list[Any] | None]:
    counts = [sample.count for sample in samples]
    kept = None if counts == [None] * len(counts) else counts
    sums = [_sum(sample) for sample in samples]
    if None in sums:
        return {"value": [_short(sample.value) for sample in samples], "count": kept}
    return {"sum": sums, "count": kept}


def _sum(sample: Sample) -> int | None:
    if not sample.count or not math.isfinite(product := sample.value * sample.count):
        return None
    total = round(product)
    return total if total / sample.count == sample.value else None


def _length(sample: Sample) -> int | None:
    return None if sample.end is None else (sample.end - sample.start) // MICROSECOND


def _short(value: float | None) -> float | None:
    return value if value is None or value % 1 else int(value)


def _shared(values: list[Any]) -> Any:
    return values[0] if values.count(values[0]) == len(values) else values


def _usual_key(metric: str, start: datetime) -> str:
    return f"{metric}/{start.isoformat()[:16]}Z"


def unpack(text: str, metric: Metric, day: date, start: int) -> list[Known]:
    """Return the readings in a row's JSON text. ``start`` is the first one's, in microseconds since 1970 UTC.

    Raises SetupError if the text is damaged.
    """
    try:
        return list(_unpacked(json.loads(text), metric, day, start))
    except (ValueError, KeyError, TypeError, OverflowError, ZeroDivisionError) as error:
        raise SetupError(
            f"readings of {metric} in the database are damaged ({type(error).__name__}); "
            "derive them again: bridge rebuild --user NAME"
        ) from None


def _unpacked(body: dict[str, Any], metric: Metric, day: date, start: int) -> Iterable[Known]:
    unit, at, name = body["unit"], body["at"], metric.value
    if not 0 < len(at) <= READINGS_MAX:
        raise ValueError("too many readings or none")
    totals, shares = ("sum", body["count"]) if "sum" in body else ("value", repeat(1, len(at)))
    values = [total / share for total, share in zip(body[totals], shares, strict=True)]
    columns = (
        _spread(body.get(name), len(at)) for name in ("count", "length", "offset", "low", "high", "device", "key")
    )
    known = chain.from_iterable(repeat(known_at, times) for known_at, times in body["known"])
    for step, value, number, length, offset, low, high, device, key, known_at in zip(
        at, values, *columns, known, strict=True
    ):
        begin = start + step * unit
        started = instant(begin)
        sample = Sample(
            key=_usual_key(name, started) if key is None else key,
            metric=metric,
            start=started,
            end=None if length is None else instant(begin + length),
            offset=offset,
            day=day,
            value=value,
            device=device,
            count=number,
            low=_float(low),
            high=_float(high),
        )
        yield Known(sample, known_at)


def _spread(column: Any, length: int) -> Iterable[Any]:
    return column if isinstance(column, list) else repeat(column, length)


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


_JSON = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
