"""Read a JSON file that ActivityWatch exported, with all of its buckets or those of a single computer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.errors import CutShort, SourceChanged
from bridge.domain.ports import File
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Broken, Json
from connectors.activitywatch.stretches import Host, day_records, host_of, kind_of, note, own_apps

EVENTS_MAX = 5_000_000  # some ten years
EVENT_MAX_CHARS = 100_000
PAGE_DAYS = 500
WATCHER_MARKS = (b'"aw-watcher-', b'"currentwindow"', b'"afkstatus"')


def recognise(file: File) -> bool:
    """Return True for a JSON file whose first bytes name buckets and a watcher of ActivityWatch."""
    return (
        ending(file.name) == "json" and b'"buckets"' in file.head and any(mark in file.head for mark in WATCHER_MARKS)
    )


def read(file: File, *, zone: str, settings: Mapping[str, str] | None = None, **_: ZoneHistory) -> Iterator[Page]:
    """Yield the days of an export in pages. ``zone`` tells where days begin.

    Raises CutShort after the readable part of a file that ends early. Its last day may be incomplete.
    """
    own = own_apps((settings or {}).get("work_apps", ""))
    hosts: dict[str, Host] = {}
    cut = False
    with file.open() as stream:
        try:
            _collect(Json(stream), hosts, own)
        except Broken:
            cut = True
    ends = [*(window[1] for host in hosts.values() for window in host.windows)]
    newest = max([*ends, *(one[1] for host in hosts.values() for one in host.present)], default=None)
    as_of = None if newest is None else datetime.fromtimestamp(newest, UTC)
    records = list(day_records(hosts.values(), ZoneInfo(zone), as_of=as_of))
    for begin in range(0, len(records), PAGE_DAYS):
        yield Page(stream="day", records=tuple(records[begin : begin + PAGE_DAYS]))
    if cut:
        raise CutShort("the file ends early or is damaged; what came before was read. Export it again")


def _collect(document: Json, hosts: dict[str, Host], own: frozenset[str]) -> None:
    """Add the events of an export to ``hosts``, by name of computer. ``own`` are the apps of category "own"."""
    count = 0
    for name in document.members():
        if name != "buckets" or document.peek() != "{":
            document.skip()
            continue
        for bucket in document.members():
            count = _collect_bucket(document, bucket, hosts, own, count)


def _collect_bucket(document: Json, bucket: str, hosts: dict[str, Host], own: frozenset[str], count: int) -> int:
    known: dict[str, Any] = {}
    if document.peek() != "{":
        document.skip()
        return count
    for field in document.members():
        if field == "type" and document.peek() == '"':
            known["type"] = document.value()
        elif field == "events" and document.peek() == "[":
            kind = kind_of(bucket, known)
            for _ in document.elements():
                event = document.object(EVENT_MAX_CHARS) if document.peek() == "{" else None
                if event is None:
                    document.skip()
                elif kind is not None:
                    count += 1
                    note(hosts.setdefault(host_of(bucket), Host()), kind, event, own)
                if count > EVENTS_MAX:
                    raise SourceChanged("the file is far larger than an export of ActivityWatch; export a part of it")
        else:
            document.skip()
    return count
