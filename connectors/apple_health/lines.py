"""Rows the way Apple writes them, found without an XML parser: attributes in one order, nothing but a few children.

A piece of the file is read here or not at all: with anything in it that is written in another way, an XML parser reads
the whole piece, to the same rows.
"""

from __future__ import annotations

import re
from typing import NamedTuple

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
    """Rows by column: all attributes before the times as they are written, times, value, and the rest of each row."""

    heads: tuple[bytes, ...]
    starts: tuple[bytes, ...]
    ends: tuple[bytes, ...]
    values: tuple[bytes, ...]
    inside: tuple[bytes, ...]


def columns(piece: bytes) -> Columns | None:
    """All rows of a piece; None where an XML parser has to look at it. The heads are not checked here."""
    found = _ROW.findall(piece)
    if not found:
        return None
    rows = Columns(*zip(*found, strict=True))
    inside = b"".join(rows.inside)
    whole = piece.count(b"<") == len(found) + inside.count(b"<")
    return rows if whole and _readable(inside) and all(map(_bare, rows[1:4])) else None


def _readable(inside: bytes) -> bool:
    """Whether an XML parser would find the same letters."""
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
    """Whether all signs stand for themselves."""
    return not b"".join(texts).translate(None, _BARE)
