"""Find the rows of an Apple Health export without an XML parser, and turn their columns from texts into numbers.

A piece that is not wholly in Apple's own layout goes to an XML parser, which yields the same rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from connectors.apple.export.units import FIRST, LAST, instant, number

Column = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
_GAP = rb"[ \t\r\n]*+"
_BEAT = _GAP + rb'<InstantaneousBeatsPerMinute bpm="[^"<]*+" time="[^"<]*+"/>'
_LIST = (
    _GAP + rb"<HeartRateVariabilityMetadataList>(?:" + _BEAT + rb")*+" + _GAP + rb"</HeartRateVariabilityMetadataList>"
)
_ENTRY = _GAP + rb'<MetadataEntry key="[^"<]*+" value="[^"<]*+"/>'
_ROW = re.compile(
    rb'<Record (type="[^"]*+" sourceName="[^"]*+"(?: sourceVersion="[^"]*+")?+(?: device="[^"]*+")?+'
    rb'(?: unit="[^"]*+")?+) creationDate="[-+0-9: ]*+" startDate="([^"]*+)" endDate="([^"]*+)"'
    rb'(?: value="([^"]*+)")?+ ?+'
    rb"(/>|>(?:" + _ENTRY + rb")*+(?:" + _LIST + rb")?+" + _GAP + rb"</Record>)"
)
_REFERENCES = (b"&amp;", b"&lt;", b"&gt;", b"&quot;", b"&apos;")
_BARE = bytes({*range(0x20, 0x7F)} - {*b'&<"'})
_FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})


class Columns(NamedTuple):
    """Rows of an Apple Health export, a tuple of texts per column.

    ``heads`` holds the attributes before the times, and ``inside`` the XML within the row's element.
    """

    heads: tuple[bytes, ...]
    starts: tuple[bytes, ...]
    ends: tuple[bytes, ...]
    values: tuple[bytes, ...]
    inside: tuple[bytes, ...]


def columns(piece: bytes) -> Columns | None:
    """Return all rows of a piece of an export as columns (``heads`` unchecked). None if it needs an XML parser."""
    found = _ROW.findall(piece)
    if not found:
        return None
    rows = Columns(*zip(*found, strict=True))
    inside = b"".join(rows.inside)
    whole = _tags(piece) == len(found) + _tags(inside)
    return rows if whole and _readable(inside) and all(map(_bare, rows[1:4])) else None


def _tags(text: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(text, dtype=np.uint8) == ord("<")))


def _readable(inside: bytes) -> bool:
    if b"&" in inside and inside.count(b"&") != sum(map(inside.count, _REFERENCES)):
        return False
    return _is_utf8(inside) and len(inside.translate(None, _FORBIDDEN)) == len(inside)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _bare(texts: tuple[bytes, ...]) -> bool:
    return not b"".join(texts).translate(None, _BARE)


LENGTH = len("2024-01-01 01:01:36 +0200")
DIGIT_PLACES = (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18, 21, 22, 23, 24)
PLACES, MARKS = (4, 7, 10, 13, 16, 19), tuple(b"-- :: ")
EPOCH_DAYS = 719_468  # from 0000-03-01 to 1970-01-01
MONTH_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def instants(texts: Sequence[bytes]) -> Column:
    """Return Unix seconds for texts like ``2024-01-01 01:01:36 +0200``, with NaN for an unreadable text."""
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
    """Return (Unix seconds, mask of times that are valid) for texts in Apple's layout, given as rows of bytes."""
    digits = letters[:, DIGIT_PLACES] - np.uint8(ord("0"))  # unsigned, so characters below "0" wrap to more than 9
    sign = letters[:, 20]
    sure = (digits.max(axis=1, initial=0) <= 9) & (letters[:, PLACES] == MARKS).all(axis=1)
    sure &= (sign == ord("-")) | (sign == ord("+"))
    parts = (digits.astype(np.float64) @ _weights()).astype(np.int64).T
    year, month, day, second, away, hour, minute, past = parts
    sure &= (month >= 1) & (month <= 12) & (day >= 1) & (day <= np.take(MONTH_LENGTHS, np.minimum(month, 12)))
    sure &= (hour < 24) & (minute < 60) & (digits[:, 12] < 6) & (away < 86_400) & (past < 60)
    at = _days(year, month, day) * 86_400 + second - np.where(sign == ord("-"), -away, away)
    sure &= (at >= FIRST) & (at < LAST)
    return at.astype(np.float64), sure


@cache
def _weights() -> Column:
    """Return a matrix. The product of a time's digits and the matrix is the year, month and six more numbers."""
    weights = np.zeros((len(DIGIT_PLACES), 8))
    weights[0:4, 0] = 1000, 100, 10, 1
    weights[4:6, 1] = weights[6:8, 2] = weights[8:10, 5] = weights[10:12, 6] = weights[16:18, 7] = 10, 1
    weights[8:14, 3] = 36_000, 3600, 600, 60, 10, 1
    weights[14:18, 4] = 36_000, 3600, 600, 60
    return weights


def _days(year: np.ndarray, month: np.ndarray, day: np.ndarray) -> np.ndarray:
    years = year - (month <= 2)
    era = years // 400
    of_era = years - era * 400
    of_year = (153 * np.where(month > 2, month - 3, month + 9) + 2) // 5 + day - 1
    days: np.ndarray = era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - EPOCH_DAYS
    return days


def values(texts: Sequence[bytes]) -> Column:
    """Return the numbers in texts, with NaN for a text that is no number, or is beyond 1e12."""
    try:
        found = np.array(list(map(float, texts)))
    except ValueError:
        some = (number(text.decode("utf-8", "replace")) for text in texts)
        found = np.array([np.nan if value is None else value for value in some])
    found[~(np.abs(found) < 1e12)] = np.nan
    return found
