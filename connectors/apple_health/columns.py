"""Texts of many rows as arrays of numbers: instants and values, NaN where a text says nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from connectors.apple_health.units import FIRST, LAST, instant, number

if TYPE_CHECKING:
    import numpy as np

    Column = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

LENGTH = len("2024-01-01 01:01:36 +0200")
DIGITS = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 21, 22, 23, 24)
PLACES, MARKS = (4, 7, 10, 13, 16, 19), tuple(b"-- :: ")
EPOCH_DAYS = 719_468  # from 0000-03-01 to 1970-01-01
MONTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def instants(texts: Sequence[bytes]) -> Column:
    """Unix seconds of texts like ``2024-01-01 01:01:36 +0200``."""
    import numpy as np

    if {*map(len, texts)} != {LENGTH}:
        return np.array([_scalar(text) for text in texts])
    found, sure = _regular(np.frombuffer(b"".join(texts), dtype=np.uint8).reshape(-1, LENGTH))
    for row in np.flatnonzero(~sure).tolist():
        found[row] = _scalar(texts[row])
    return found


def _scalar(text: bytes) -> float:
    at = instant(text.decode("utf-8", "replace"))
    return float("nan") if at is None else at


def _regular(letters: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> tuple[Column, np.ndarray]:
    """Instants, and which of them are surely right: a date in doubt is left to the calendar."""
    import numpy as np

    digits = letters[:, DIGITS] - np.uint8(ord("0"))  # what is less than a digit becomes more than one
    sign = letters[:, 20]
    sure = (digits.max(axis=1, initial=0) <= 9) & (letters[:, PLACES] == MARKS).all(axis=1)
    sure &= (sign == ord("-")) | (sign == ord("+"))
    parts = (digits.astype(np.float64) @ _weights()).astype(np.int64).T
    year, month, day, second, away, hour, minute, past = parts
    sure &= (month >= 1) & (month <= 12) & (day >= 1) & (day <= np.take(MONTHS, np.minimum(month, 12)))
    sure &= (hour < 24) & (minute < 60) & (digits[:, 12] < 6) & (away < 86_400) & (past < 60)
    at = _days(year, month, day) * 86_400 + second - np.where(sign == ord("-"), -away, away)
    sure &= (at >= FIRST) & (at < LAST)
    return at.astype(np.float64), sure


@cache
def _weights() -> Column:
    """What each digit counts in: year, month, day, second of the day, offset, hour, minute, minute of the offset."""
    import numpy as np

    weights = np.zeros((len(DIGITS), 8))
    weights[0:4, 0] = 1000, 100, 10, 1
    weights[4:6, 1] = weights[6:8, 2] = weights[8:10, 5] = weights[10:12, 6] = weights[16:18, 7] = 10, 1
    weights[8:14, 3] = 36_000, 3600, 600, 60, 10, 1
    weights[14:18, 4] = 36_000, 3600, 600, 60
    return weights


def _days(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    """Days since 1970 in the Gregorian calendar, by counting years from March."""
    import numpy as np

    years = year - (month <= 2)
    era = years // 400
    of_era = years - era * 400
    of_year = (153 * np.where(month > 2, month - 3, month + 9) + 2) // 5 + day - 1
    days: np.ndarray = era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - EPOCH_DAYS
    return days


def values(texts: Sequence[bytes]) -> Column:
    """Numbers; NaN for a text that is none, or none that anything was ever measured to be."""
    import numpy as np

    try:
        found = np.array(list(map(float, texts)))
    except ValueError:
        some = (number(text.decode("utf-8", "replace")) for text in texts)
        found = np.array([np.nan if value is None else value for value in some])
    found[~(np.abs(found) < 1e12)] = np.nan
    return found
