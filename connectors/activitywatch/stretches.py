"""Compute stretches of focus from what window and presence watchers recorded, and turn them into samples."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.samples import finite
from bridge.domain.types import Item, RawRecord, Sample
from connectors.instants import offset_in, utc
from connectors.payload import Fields, mapping, rows
from connectors.stretches import Span, merged

GAP_SECONDS = 5 * 60.0  # as a pause in the calendar
LEAST_SECONDS = 10 * 60.0  # of work in a stretch
LONGEST_SECONDS = 24 * 3600.0  # of an event; a longer one is a fault of the watcher
PRESENT = "not-afk"
Window = tuple[float, float, str]  # and the category
WINDOW, PRESENCE = "currentwindow", "afkstatus"  # types of buckets
PREFIXES = {"aw-watcher-window": WINDOW, "aw-watcher-afk": PRESENCE}
CODE, DOCUMENTS, DESIGN = "code", "documents", "design"
COMMUNICATION, BROWSING, MEDIA, OTHER, OWN = "communication", "browsing", "media", "other", "own"
WORK_KINDS = frozenset({CODE, DOCUMENTS, DESIGN, OWN})
APP_NAME_MAX = 100  # characters
ENDING = re.compile(r"(\.(exe|app|appimage|bin|desktop))$")
_NAMES = tomllib.loads(Path(__file__).with_name("apps.toml").read_text(encoding="utf-8"))
CATEGORIES = MappingProxyType(
    {" ".join(name.split()): category for category, text in _NAMES.items() for name in text.split(",")}
)


@dataclass(slots=True, kw_only=True)
class Host:
    """The events of a computer, as its watchers recorded them.

    ``windows`` are (start, end, category of the app) and ``present`` (start, end) of the user's presence, in Unix
    seconds.
    """

    windows: list[Window] = field(default_factory=list)
    present: list[Span] = field(default_factory=list)


def note(host: Host, kind: str, event: object, own: frozenset[str]) -> None:
    """Add an event of a bucket to ``host``, if it shows a window or that the user was present.

    ``kind`` is the bucket's type, "currentwindow" or "afkstatus". ``own`` are the apps of category "own".
    """
    span, data = _span_of(event), mapping(mapping(event).get("data"))
    if span is None:
        return
    if kind == WINDOW:
        host.windows.append((*span, category(data.get("app"), own)))
    elif kind == PRESENCE and data.get("status") == PRESENT:
        host.present.append(span)


def _span_of(event: Any) -> Span | None:
    """Return an event's (begin, end) in Unix seconds, None unless it lasts between 0 and 24 hours."""
    if not isinstance(event, dict):
        return None
    at, seconds = utc(event.get("timestamp")), finite(event.get("duration"))
    if at is None or seconds is None or not 0 < seconds <= LONGEST_SECONDS:
        return None
    return at.timestamp(), at.timestamp() + seconds


def day_records(hosts: Iterable[Host], zone: ZoneInfo, *, as_of: datetime | None = None) -> Iterator[RawRecord]:
    """Yield a record per local day in ``zone``, with its minutes by category and its stretches of focus.

    Days without activity are left out. ``as_of`` is the date of the export, or None for events from a server.
    """
    active = [part for host in hosts for part in _active(host)]
    worked: dict[date, list[Span]] = {}
    minutes: dict[date, dict[str, float]] = {}
    for start, end, category in active:
        for day, first, last in _by_day(start, end, zone):
            of_day = minutes.setdefault(day, {})
            of_day[category] = of_day.get(category, 0.0) + (last - first) / 60
            if category in WORK_KINDS:
                worked.setdefault(day, []).append((first, last))
    for day, by_category in sorted(minutes.items()):
        yield RawRecord(
            stream="day",
            key=day.isoformat(),
            payload={
                "zone": zone.key,
                "minutes": {name: round(total, 1) for name, total in sorted(by_category.items())},
                "stretches": [_told(*stretch) for stretch in _stretches(worked.get(day, []))],
            },
            as_of=as_of,
        )


def _active(host: Host) -> Iterator[Window]:
    present, at = merged(host.present), 0
    until = float("-inf")
    for start, end, category in sorted(host.windows):
        begin, until = max(start, until), max(end, until)
        while at < len(present) and present[at][1] <= begin:
            at += 1
        following = at
        while following < len(present) and present[following][0] < end:
            first, last = max(begin, present[following][0]), min(end, present[following][1])
            if first < last:
                yield first, last, category
            following += 1


def _by_day(start: float, end: float, zone: ZoneInfo) -> Iterator[tuple[date, float, float]]:
    while start < end:
        day = datetime.fromtimestamp(start, UTC).astimezone(zone).date()
        midnight = datetime.combine(day + timedelta(days=1), time(0), tzinfo=zone).timestamp()
        stop = min(end, max(midnight, start + 1.0))
        yield day, start, stop
        start = stop


def _stretches(work: Sequence[Span]) -> Iterator[tuple[float, float, float]]:
    """Yield (begin, end, seconds of work) in Unix seconds, for each stretch with at least ten minutes of work."""
    begun: float | None = None
    over = seconds = 0.0
    for start, end in merged(work):
        if begun is not None and start - over <= GAP_SECONDS:
            over, seconds = end, seconds + end - start
            continue
        if begun is not None and seconds >= LEAST_SECONDS:
            yield begun, over, seconds
        begun, over, seconds = start, end, end - start
    if begun is not None and seconds >= LEAST_SECONDS:
        yield begun, over, seconds


def _told(start: float, end: float, seconds: float) -> dict[str, Any]:
    begin, over = (datetime.fromtimestamp(round(at), UTC).isoformat() for at in (start, end))
    return {"start": begin, "end": over, "minutes": round(seconds / 60, 1)}


def kind_of(name: str, bucket: Mapping[str, Any]) -> str | None:
    """Return the type that a bucket states, or without one the type by its name. None for types that are not used."""
    told = bucket.get("type")
    if told in (WINDOW, PRESENCE):
        return str(told)
    return next((kind for prefix, kind in PREFIXES.items() if name.startswith(prefix)), None) if told is None else None


def host_of(bucket: str) -> str:
    """Return the name of the computer in a bucket's name, which follows the first underscore, or "" without one."""
    return bucket.partition("_")[2]


def plain(app: str) -> str:
    """Return an app's name in lower case, without file ending and version number, for looking up its category.

    A hyphen or an underscore becomes a space. Names of known apps keep their number. The first 100 characters count.

    >>> plain("Code.exe"), plain("gnome-terminal-server"), plain("pycharm64.exe"), plain("Sublime_Text")
    ('code', 'gnome terminal server', 'pycharm', 'sublime text')
    """
    name = ENDING.sub("", app[:APP_NAME_MAX].strip().casefold())
    spaced = re.sub(r"[\s_-]+", " ", name).strip()
    return spaced if spaced in CATEGORIES else re.sub(r" ?\d+$", "", spaced)


def category(app: object, own: frozenset[str] = frozenset()) -> str:
    """Return an app's category by its name, such as "code", "own" for those in ``own``, or "other"."""
    if not isinstance(app, str):
        return OTHER
    name = plain(app)
    return OWN if name in own else CATEGORIES.get(name, OTHER)


def own_apps(setting: str) -> frozenset[str]:
    """Return the app names in a setting, which are divided by commas, each as ``plain`` returns it."""
    return frozenset(filter(None, (plain(name) for name in setting.split(","))))


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    fields = Fields.of("activitywatch", record)
    day, zone = Fields({"day": record.key}, fields.name).day("day"), fields.zone("zone")
    found: list[Item] = []
    for number, payload in enumerate(rows(fields.get("stretches"))):
        told = Fields(mapping(payload), fields.name)
        start, end, minutes = told.instant("start"), told.instant("end"), told.number("minutes")
        if minutes is None or end < start:
            raise fields.bad("a stretch has no minutes, or ends before it starts")
        found.append(
            Sample(
                key=f"{record.key}/{number}",
                metric=Metric.FOCUS,
                start=start,
                end=end,
                offset=offset_in(zone, start),
                day=day,
                value=minutes,
            )
        )
    return found
