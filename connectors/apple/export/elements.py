"""Elements of an export, read piece by piece in little memory, without an XML parser where the layout is Apple's.

The document type is dropped unread: those of iOS 16 are broken, and none may define entities. Control characters that
XML forbids are dropped too, because some apps write them into their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

from connectors.apple.export.columns import columns

if TYPE_CHECKING:
    from connectors.apple.export.collect import Collected

CHUNK = 1 << 17
SLICE = 1 << 17
LONGEST_DTD = 1 << 20  # bytes; real files have under 20 KB
LONGEST_TAG = 1 << 20  # bytes; real tags have under 4 KB
DEEPEST, MAX_CHILDREN = 64, 10_000  # nested elements; children kept of an element
FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})
WANTED = frozenset({"Record", "Workout", "ActivitySummary", "ExportDate"})
ROOT, ROW = b"<HealthData", b"<Record "
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL)
ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])""", re.IGNORECASE)
UNPACKING = (EOFError, OSError)  # with zlib.error and zipfile.BadZipFile, the errors of a damaged archive


class CutOff(Exception):
    """The document ends, or stops being XML, before its end."""


def read_into(collected: Collected, stream: BinaryIO) -> None:
    """Pass every useful element to ``collected``. Raises CutOff after the last readable element."""
    chunks = _chunks(stream)
    head = _head(chunks)
    parser = _Parser(collected)
    plain = ENCODING.search(head) is None and head[:3].isascii() and b"<!" not in head.partition(ROOT)[2]
    rest = _fed_until_row(parser, head)
    for chunk in chunks:
        buffer = rest + chunk
        cut = max(buffer.rfind(ROW), 0) or len(buffer)
        piece, rest = buffer[:cut], buffer[cut:]
        rows = columns(piece) if plain and parser.between else None
        if rows is None or not collected.columns(rows):
            parser.feed(piece)
            plain = plain and b"<!" not in piece and b"<?" not in piece  # the next row may lie in a comment
    parser.feed(rest)
    parser.close()


def _fed_until_row(parser: _Parser, head: bytes) -> bytes:
    """Feed the beginning up to its last row. Return the remainder."""
    cut = max(head.rfind(ROW), 0) or len(head)
    parser.feed(head[:cut])
    return head[cut:]


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the file's chunks. A damaged archive ends early."""
    import zipfile
    import zlib

    try:
        while chunk := stream.read(CHUNK):
            yield chunk
    except (*UNPACKING, zlib.error, zipfile.BadZipFile):
        return


def _head(chunks: Iterator[bytes]) -> bytes:
    """Return the document up to its root, without document type and forbidden characters. Raises CutOff without a
    root.
    """
    head = b""
    for chunk in chunks:
        head += chunk.translate(None, FORBIDDEN)
        if ROOT in DOCTYPE.sub(b"", head, count=1) or len(head) > LONGEST_DTD:
            break
    head = DOCTYPE.sub(b"", head, count=1)
    before, root, _ = head.partition(ROOT)
    if not root or b"<!DOCTYPE" in before:
        raise CutOff  # a document type with entities
    return head


class _Parser:
    """An XML parser that keeps a single child of the root at a time."""

    def __init__(self, collected: Collected) -> None:
        from xml.parsers import expat

        self._error: Any = (expat.ExpatError, LookupError, ValueError)
        self._collected = collected
        self._expat = expat.ParserCreate()
        self._expat.StartElementHandler = self._begin
        self._expat.EndElementHandler = self._end
        self._depth = self._silent = 0
        self._whole = True
        self._name = ""
        self._attributes: dict[str, str] = {}
        self._within: list[tuple[str, dict[str, str]]] = []

    @property
    def between(self) -> bool:
        """Tell if the next element is a child of the root."""
        return self._depth == 1 and self._whole

    def feed(self, piece: bytes) -> None:
        """Parse a piece. Raises CutOff for text that is not XML, or for a tag longer than any phone writes."""
        clean = piece.translate(None, FORBIDDEN)
        for at in range(0, len(clean), SLICE):
            self._silent += SLICE
            self._parse(clean[at : at + SLICE])
            if self._silent > LONGEST_TAG:
                raise CutOff
        self._whole = clean.rfind(b">") > clean.rfind(b"<") if clean else self._whole
        self._collected.flush()

    def close(self) -> None:
        """Finish parsing. Raises CutOff when the document is not complete."""
        self._parse(b"", last=True)

    def _parse(self, some: bytes, *, last: bool = False) -> None:
        try:
            self._expat.Parse(some, last)
        except self._error:  # not XML, or in an unknown encoding
            self._collected.flush()
            raise CutOff from None

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._silent = 0
        if self._depth == 2:
            self._name, self._attributes, self._within = name, attributes, []
        elif self._depth > DEEPEST:
            raise ValueError
        elif 3 <= self._depth <= 4 and self._name in WANTED and len(self._within) < MAX_CHILDREN:
            self._within.append((name if self._depth == 3 else f"/{name}", attributes))

    def _end(self, name: str) -> None:
        self._depth -= 1
        self._silent = 0
        if self._depth == 1 and name in WANTED:
            self._collected.element(name, self._attributes, self._within)
