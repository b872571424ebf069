"""Parse the XML answers of WebDAV servers (RFC 4918, 13). Entities and deep nesting are refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bridge.domain.errors import SourceChanged, TryLater

NOT_WEBDAV = "the calendar server answered something that is not WebDAV; check its address"

DAV, CALDAV, SERVER = "DAV:", "urn:ietf:params:xml:ns:caldav", "http://calendarserver.org/ns/"
DEPTH_MAX = 40
RESPONSES_MAX = 200_000
PARTS_MAX = 2_000  # elements of a response
BUFFER_BYTES = 1 << 20  # of text that is added at once
SUCCESS = 200


class NotWebDav(TryLater):
    """The answer is not WebDAV but, for example, the log-in page of a network."""


@dataclass(slots=True)
class Part:
    """An element of a WebDAV server's XML, with its children in ``parts``. Its ``name`` is ``namespace name``."""

    name: str
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)

    def walk(self, name: str) -> Iterator[Part]:
        return (part for part in self.parts if part.name == name)

    def first(self, name: str) -> Part | None:
        return next(self.walk(name), None)

    def words(self, name: str) -> str:
        """Return the text of the first child with a name, or "" without such a child."""
        found = self.first(name)
        return "" if found is None else found.text.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A WebDAV server's answer about one address, ``href``. ``found`` holds the stated properties by name."""

    href: str
    status: int | None  # of the address as a whole; None where only properties have any
    found: dict[str, Part]

    def words(self, name: str) -> str:
        part = self.found.get(name)
        return "" if part is None else part.text.strip()

    def hrefs(self, name: str) -> list[str]:
        part = self.found.get(name)
        return [] if part is None else [one.text.strip() for one in part.walk(f"{DAV} href") if one.text.strip()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Multistatus:
    """A WebDAV server's answer about many addresses.

    ``token`` is the sync token (RFC 6578), or an empty text if the answer holds none.
    """

    responses: list[Response]
    token: str


def read(content: bytes) -> Multistatus:
    """Return the answer in an XML text. Raises NotWebDav for other text, SourceChanged if it is too large."""
    from xml.parsers import expat

    reader = _Reader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.buffer_size = BUFFER_BYTES
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.data
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(content, True)
    except (expat.ExpatError, ValueError, LookupError):
        raise NotWebDav(NOT_WEBDAV) from None
    if not reader.is_multistatus:
        raise NotWebDav(NOT_WEBDAV)
    return Multistatus(responses=reader.responses, token=reader.token.strip())


def _refuse(*_: Any) -> None:
    raise NotWebDav(NOT_WEBDAV)


class _Reader:
    """The XML parser's handlers, which collect ``responses`` and ``token``. Past responses are not kept as trees."""

    def __init__(self) -> None:
        self.responses: list[Response] = []
        self.token = ""
        self.is_multistatus = False
        self._path: list[str] = []
        self._open: list[Part] = []
        self._parts = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) > DEPTH_MAX:
            raise SourceChanged(
                "the calendar server answered XML nested far too deep; report it to the server's makers"
            )
        self.is_multistatus = self.is_multistatus or self._path == [f"{DAV} multistatus"]
        if not self._open and self._path != [f"{DAV} multistatus", f"{DAV} response"]:
            return
        self._parts += 1
        if self._parts > PARTS_MAX:
            raise SourceChanged(
                "the calendar server answered far too much about an entry; report it to the server's makers"
            )
        part = Part(name, attributes=attributes)
        if self._open:
            self._open[-1].parts.append(part)
        self._open.append(part)

    def end(self, name: str) -> None:  # noqa: ARG002 - the parser's shape
        self._path.pop()
        if not self._open:
            return
        part = self._open.pop()
        if not self._open:
            self._parts = 0
            self.responses += _responses(part)
            if len(self.responses) > RESPONSES_MAX:
                raise SourceChanged(
                    f"the calendar server named more than {RESPONSES_MAX:,} entries; move old ones to another calendar"
                )

    def data(self, text: str) -> None:
        if self._open:
            self._open[-1].text += text
        elif self._path == [f"{DAV} multistatus", f"{DAV} sync-token"]:
            self.token += text


def _responses(part: Part) -> list[Response]:
    # An element may name several addresses with a common status (RFC 4918, 14.24).
    found: dict[str, Part] = {}
    for stat in part.walk(f"{DAV} propstat"):
        if _code(stat.words(f"{DAV} status")) in (SUCCESS, None):
            found |= {inner.name: inner for prop in stat.walk(f"{DAV} prop") for inner in prop.parts}
    status = _code(part.words(f"{DAV} status"))
    hrefs = [one.text.strip() for one in part.walk(f"{DAV} href")]
    return [Response(href=href, status=status, found=found) for href in hrefs if href]


def _code(line: str) -> int | None:
    words = line.split()
    return int(words[1]) if len(words) > 1 and words[1].isdecimal() and len(words[1]) == len("404") else None
