"""The elements of an export, one after the other, in little memory whatever its size.

The document type is dropped unread: those of iOS 16 are broken, and none may define entities. Control characters that
XML forbids are dropped as well; some apps write them into their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

CHUNK = 1 << 18
LONGEST_DTD = 1 << 20  # bytes; real ones are under 20 KB
FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})
WANTED = frozenset({"Record", "Workout", "ActivitySummary", "ExportDate"})
ROOT = b"<HealthData"
DOCTYPE = re.compile(rb"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", re.DOTALL)


class CutOff(Exception):
    """The document ends, or turns into something else, before its end."""


def elements(stream: BinaryIO) -> Iterator[Element]:
    """Every wanted child of the root, whole. Raises CutOff after the last one that could be read."""
    from xml.etree.ElementTree import ParseError, XMLPullParser

    parser: Any = XMLPullParser(events=("start", "end"))
    root: Element | None = None
    depth = 0
    try:
        for chunk in _clean(stream):
            parser.feed(chunk)
            for event, element in parser.read_events():
                if event == "start":
                    depth += 1
                    root = element if root is None else root
                    continue
                depth -= 1
                if depth == 1:
                    if element.tag in WANTED:
                        yield element
                    _empty(root)
        parser.close()
    except (ParseError, LookupError, ValueError):  # no XML, or in an encoding that nobody knows
        raise CutOff from None


def _empty(root: Element | None) -> None:
    """Let go of the children read so far."""
    if root is not None:
        root.clear()


def _clean(stream: BinaryIO) -> Iterator[bytes]:
    """The document in chunks, without its document type and forbidden characters. Raises CutOff without a root."""
    head = b""
    while chunk := stream.read(CHUNK):
        head += chunk.translate(None, FORBIDDEN)
        if ROOT in DOCTYPE.sub(b"", head, count=1) or len(head) > LONGEST_DTD:
            break
    head = DOCTYPE.sub(b"", head, count=1)
    before, root, _ = head.partition(ROOT)
    if not root or b"<!DOCTYPE" in before:
        raise CutOff  # entities could only be declared here
    yield head
    while chunk := stream.read(CHUNK):
        yield chunk.translate(None, FORBIDDEN)
