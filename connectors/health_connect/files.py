"""Recognise the documents of apps that send Health Connect, and read them into days, nights and workouts.

Members that say how lists are to be read may stand behind them, so a document is read twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.ports import File, Recognised
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Broken, Json
from connectors.gathering import Clock, Gathering
from connectors.health_connect.gather import READ, Gathered, Told

MARK = re.compile(rb'"(app_version|timestamp|source)"\s*:\s*"')
OWN = (b'"app_version"', b'"timestamp"')  # members of every document of these apps
LISTS = re.compile(rb'"(' + b"|".join(name.encode() for name in sorted(READ)) + rb')"\s*:\s*\[')
ABOUT = ("source", "timestamp", "test")  # members that tell how the lists are to be read
CUT_OFF = "it is cut off or is not JSON; what came before was read. Send it again"


def recognise(file: File) -> Recognised | None:
    """Tell a document of an app that sends Health Connect, by the app's version and a timestamp in its JSON."""
    head = file.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith(b"{") or ending(file.name) not in ("json", "txt", ""):
        return None
    if all(name in head for name in OWN):
        return Recognised(0.95, "it names its app's version and a timestamp")
    if MARK.search(head) is None or LISTS.search(head) is None:
        return None
    return Recognised(0.5, "it has lists of this name")


def receive(headers: Mapping[str, str], body: File) -> None:  # noqa: ARG001 - the port's shape
    """Raise BadRecord for a push that is no complete JSON document of an app that sends Health Connect."""
    named: set[str] = set()
    try:
        with body.open() as stream:
            document = Json(stream)
            for member in document.members():
                named.add(member)
                document.skip()
            document.end()
    except Broken:
        raise BadRecord("the push is cut off or is not JSON, and nothing of it was kept; send it again") from None
    if not named & READ and "timestamp" not in named:
        raise BadRecord("it is not from an app that sends Health Connect; see docs/sources/health_connect.md")


def read(file: File, *, zone: str, zones: ZoneHistory = ()) -> Iterator[Page]:
    """Yield a file's records in pages. Times are UTC, and ``zones``, or else ``zone``, tell the person's clock.

    Raises SourceChanged after the last readable record of a damaged file.
    """
    gathered = Gathered(Told(_about(file)), Gathering(Clock(zone, zones)))
    if gathered.told.test:
        return
    broken = False
    try:
        with file.open() as stream:
            document = Json(stream)
            for member in document.members():
                if member in READ and document.peek() == "[":
                    for _ in document.elements():
                        gathered.take(member, document.value())
                else:
                    document.skip()
    except Broken:
        broken = True
    yield from gathered.pages()
    if broken:
        raise SourceChanged(CUT_OFF)


def _about(file: File) -> dict[str, Any]:
    """Return a document's members ``source``, ``timestamp`` and ``test``, which tell how its lists are to be read."""
    found: dict[str, Any] = {}
    try:
        with file.open() as stream:
            document = Json(stream)
            for member in document.members():
                if member in ABOUT and document.peek() not in ("{", "["):
                    found[member] = document.value()
                else:
                    document.skip()
    except Broken:
        pass
    return found
