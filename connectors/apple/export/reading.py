"""Read an Apple Health export piece by piece: in Apple's own layout by columns, and otherwise by an XML parser."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from bridge.domain.ports import File, StoredExport
from connectors.apple.export.collect import Collected
from connectors.apple.export.columns import columns
from connectors.apple.export.parts import PIECE_MAX, ROW, Memory, Part, cut, is_unchanged, mark_of
from connectors.apple.export.spill import blocks
from connectors.apple.export.units import bounds, day_at

CHUNK = 1 << 18  # bytes; half of it takes a twentieth longer, and more of it more memory
SLICE = 1 << 17
LONGEST_DTD = 1 << 20  # bytes; real files have under 20 KB
LONGEST_TAG = 1 << 20  # bytes; real tags have under 4 KB
DEEPEST, MAX_CHILDREN = 64, 10_000  # nested elements; children kept of an element
FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})
WANTED = frozenset({"Record", "Workout", "ActivitySummary", "ExportDate"})
ROOT = b"<HealthData"
BEGINS = re.compile(rb"<(?:Record|Workout|ActivitySummary|Correlation|ClinicalRecord|Audiogram)[ \t\r\n]")
DECLARED = re.compile(rb"<!DOCTYPE[^\[>]*\b(?:SYSTEM|PUBLIC)\b|<!ENTITY")
BROKEN_MAX = 100  # elements that are not XML; an export with more of them is damaged
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL)
ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["'](?!utf-8["']|us-ascii["'])""", re.IGNORECASE)
UNPACKING = (EOFError, OSError)  # with zlib.error and zipfile.BadZipFile, the errors of a damaged archive
LATELY_SECONDS = 16 * 86_400.0  # before an export, in which the next one is likely to change something


NOT_XML = "is not XML, and the element there was left out"


class CutOff(Exception):
    """The file ends before the root element's end, or what follows is not XML."""


class Reading:
    """A single reading of an export into ``collected``. Parts that the ``earlier`` export held are skipped at first.

    ``read_as`` names the way of reading rows. ``earlier`` is used only if it was read in that way.
    """

    def __init__(self, collected: Collected, read_as: str, earlier: Memory | None, *, remembers: bool) -> None:
        self.collected, self.memory, self._remembers = collected, Memory(read_as), remembers
        self.earlier = earlier if earlier is not None and earlier.read_as == read_as else None
        self.skipped: list[tuple[int, int, Part]] = []  # place in the file, length, what it holds

    def read(self, stream: BinaryIO) -> None:
        """Read the file, and pass its used elements to ``collected``, except those of skipped parts.

        Raises CutOff, after the last readable element, if the file ends early or is not such XML.
        """
        collected, chunks = self.collected, _chunks(stream)
        head, size, lines, resumes = _head(chunks)
        parser = _Parser(collected)
        plain = ENCODING.search(head) is None and head[:3].isascii() and b"<!" not in head.partition(ROOT)[2]
        begin = max(head.find(ROW), 0) or len(head)
        if parser.feed(head[:begin]) is not None:
            raise CutOff
        self._begin()
        line = lines - head[begin:].count(b"\n") + 1
        for piece, at in _pieces(chunks, head[begin:], size):
            may_skip = self._remembers and at >= size
            if not (plain and parser.between and self._taken(piece, at, may_skip=may_skip)):
                parser = self._fed(parser, piece, line, resumes=resumes and ENCODING.search(head) is None)
                plain = plain and b"<!" not in piece and b"<?" not in piece  # the next row may lie in a comment
            line += piece.count(b"\n")
        parser.close()

    def _fed(self, parser: _Parser, piece: bytes, line: int, *, resumes: bool) -> _Parser:
        """Parse a piece, and return the parser to go on with. With ``resumes``, rows with errors are skipped."""
        clean, begin = piece.translate(None, FORBIDDEN), 0
        while (bad := parser.feed(clean[begin:])) is not None:
            broken = sum(count for (_, why), count in self.collected.aside.items() if why.endswith(NOT_XML))
            following = BEGINS.search(clean, begin + max(bad, 1))
            if not resumes or broken >= BROKEN_MAX or b"<!" in clean or b"<?" in clean:
                raise CutOff
            at = max((one.start() for one in BEGINS.finditer(clean, begin, begin + bad)), default=begin)
            self.collected.aside["Record", f"line {line + clean.count(bytes([10]), 0, at)} {NOT_XML}"] += 1
            parser.drop()
            parser = _Parser(self.collected)
            parser.feed(ROOT + b">")
            if following is None:
                break
            begin = following.start()
        return parser

    def _begin(self) -> None:
        self.memory.limit = self.collected.exported
        if self.earlier is not None and self.earlier.limit > self.memory.limit:
            self.earlier = None
        if self.earlier is not None:
            lately = day_at(self.earlier.as_of - LATELY_SECONDS, 0)[:7]
            self._recent = blocks(*bounds(lately)).start

    def _taken(self, piece: bytes, at: int, *, may_skip: bool) -> bool:
        mark = mark_of(piece) if may_skip else ""
        part = self.earlier.parts.get(mark) if self.earlier is not None else None
        if part is not None and max(part.sums, default=0) < self._recent:
            self.skipped.append((at, len(piece), part))
            self.collected.recall(part)
        elif (rows := columns(piece)) is None:
            return False
        else:
            read, part = self.collected.part(rows)
            if not read:
                return False
        if part is not None and mark:
            self.memory.parts[mark] = part
        return True

    def still(self, marks: Mapping[str, str], stored: StoredExport) -> dict[str, Mapping[str, int]]:
        """Return month -> stream -> number of records, for stored months whose digest is that in ``marks``."""
        before = self.earlier
        if before is None:
            return {}
        found = [month for month, mark in marks.items() if is_unchanged(month, mark, before, stored)]
        return {month: before.months[month].records for month in found}

    def complete(self, file: File, wanted: set[int]) -> None:
        """Read skipped parts with rows in the blocks of time ``wanted``. Raises CutOff if the file has changed."""
        missing = [(at, length) for at, length, part in self.skipped if not wanted.isdisjoint(part.sums)]
        if not missing:
            return
        with file.open() as stream:
            for at, length in missing:
                stream.seek(at)
                rows = columns(stream.read(length))
                if rows is None or not self.collected.columns(rows):
                    raise CutOff  # the file was changed meanwhile


def _pieces(chunks: Iterator[bytes], text: bytes, end: int) -> Iterator[tuple[bytes, int]]:
    for chunk in chunks:
        text, end = text + chunk, end + len(chunk)
        begin = 0
        while len(text) - begin >= PIECE_MAX:
            piece = text[begin : begin + cut(text[begin : begin + PIECE_MAX])]
            yield piece, end - len(text) + begin
            begin += len(piece)
        text = text[begin:]
    while text:
        piece = text[: cut(text)]
        yield piece, end - len(text)
        text = text[len(piece) :]


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    import zipfile
    import zlib

    try:
        while chunk := stream.read(CHUNK):
            yield chunk
    except (*UNPACKING, zlib.error, zipfile.BadZipFile):
        return


def _head(chunks: Iterator[bytes]) -> tuple[bytes, int, int, bool]:
    head, size = b"", 0
    for chunk in chunks:
        size += len(chunk)
        head += chunk.translate(None, FORBIDDEN)
        if ROOT in DOCTYPE.sub(b"", head, count=1) or len(head) > LONGEST_DTD:
            break
    lines, declares = head.count(b"\n"), DECLARED.search(head) is not None
    head = DOCTYPE.sub(b"", head, count=1)
    before, root, _ = head.partition(ROOT)
    if not root or b"<!DOCTYPE" in before:
        raise CutOff  # a document type with entities
    return head, size, lines, not declares


class _Parser:
    def __init__(self, collected: Collected) -> None:
        from xml.parsers import expat

        self._not_xml: Any = expat.ExpatError
        self._fed = 0  # bytes of earlier pieces
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
        return self._depth == 1 and self._whole

    def feed(self, piece: bytes) -> int | None:
        """Parse the next piece of the file. Return None, or the offset in the piece at which it is not XML."""
        clean = piece.translate(None, FORBIDDEN)
        for at in range(0, len(clean), SLICE):
            self._silent += SLICE
            if not self._parse(clean[at : at + SLICE]):
                self._collected.flush()
                return min(max(self._expat.ErrorByteIndex - self._fed, 0), len(clean))
            if self._silent > LONGEST_TAG:
                raise CutOff
        self._fed += len(clean)
        self._whole = clean.rfind(b">") > clean.rfind(b"<") if clean else self._whole
        self._collected.flush()
        return None

    def drop(self) -> None:
        self._expat.StartElementHandler = self._expat.EndElementHandler = None

    def close(self) -> None:
        if not self._parse(b"", last=True):
            raise CutOff

    def _parse(self, some: bytes, *, last: bool = False) -> bool:
        try:
            self._expat.Parse(some, last)
        except self._not_xml:
            return False
        except (LookupError, ValueError):  # an unknown encoding, or nested too deep
            self._collected.flush()
            raise CutOff from None
        return True

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
