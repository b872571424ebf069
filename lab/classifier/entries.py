"""Labelled entries of public calendars, of which the project holds labels and digests but no title, place or time.

The calendars are in a folder, each as ``OWNER/NAME/PATH.ics``. ``entries.md`` beside the labels names the repositories.
``entries_dev.tsv`` holds the people by whom probabilities are calibrated, ``entries_test.tsv`` other people whose
counts were looked at, and ``entries_read.tsv`` people and groups whose entries were read while the corpus grew. The
entries of ``entries_later.tsv``, ``entries_years.tsv`` and ``entries_more.tsv`` chose nothing. ``entries_asked.tsv``
adds to people that chose.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

from bridge.advice.labels import invitation
from bridge.calendar.expansion import expand, midnight
from bridge.domain.errors import BadRecord, SourceChanged
from bridge.domain.ports import Invitation
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Event, Occurrence
from connectors.icalendar.meaning import of_file as normalise
from connectors.ics.parse import pages
from lab.classifier.corpus import CORPUS, Titled, digest, labelled, rows

DEV, TEST, READ, ASKED = (CORPUS / f"entries_{half}.tsv" for half in ("dev", "test", "read", "asked"))
LATER, YEARS, MORE = (CORPUS / f"entries_{half}.tsv" for half in ("later", "years", "more"))
DAY, YEAR = timedelta(days=1), timedelta(days=365)
OWN_ZONE = re.compile(rb"^X-WR-TIMEZONE:([\w/+-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lived:
    """An entry of a person with its label, and the number of times that its title occurs in the person's calendars."""

    titled: Titled
    times: int = 1


def entries(labels: Path, folder: Path) -> list[Titled]:
    """Return the entries of a folder's calendars that the table ``labels`` lists by digest, each once."""
    return [one for _, one in dated(labels, folder)]


def dated(labels: Path, folder: Path) -> list[tuple[datetime, Titled]]:
    """Return the labelled entries as (start, entry), each once, as ``entries`` returns them."""
    known = {row["digest"]: row for row in rows(labels)}
    found: dict[str, tuple[datetime, Titled]] = {}
    for repository in sorted({row["repository"] for row in known.values()}):
        owner = repository.partition("/")[0]
        for occurrence, seen in chain.from_iterable(map(invitations, sorted((folder / repository).glob("**/*.ics")))):
            mark = mark_of(repository, occurrence.event)
            if mark in known and mark not in found:
                found[mark] = occurrence.start, labelled(seen, known[mark], labels.name, person=owner)
    return list(found.values())


def lived(labels: Path, folder: Path) -> list[Lived]:
    """Return ``entries``, each with the number of times its title occurs. A series counts its instances of a year."""
    times: Counter[tuple[str, str]] = Counter()
    for repository in {row["repository"] for row in rows(labels)}:
        owner = repository.partition("/")[0]
        for occurrence, seen in chain.from_iterable(map(invitations, sorted((folder / repository).glob("**/*.ics")))):
            times[owner, seen.title] += _within_a_year(occurrence)
    return [Lived(titled=entry, times=times[entry.person, entry.event.title]) for entry in entries(labels, folder)]


def _within_a_year(first: Occurrence) -> int:
    if not first.event.recurrence:
        return 1
    zones = [ZoneSpan(since=datetime(1970, 1, 1, tzinfo=UTC), zone="UTC")]
    return max(len(expand([first.event], since=first.start, until=first.start + YEAR, zones=zones)), 1)


def mark_of(repository: str, event: Event) -> str:
    """Return the digest of an entry by its repository, its id, the original start of an exception, and its title."""
    original = event.original_day or event.original_start
    return digest(f"{repository} {event.series} {original} {event.title}")


def invitations(path: Path) -> Iterator[tuple[Occurrence, Invitation]]:
    """Yield each entry of a calendar file that has a title, with its form for a classifier, without broken entries."""
    content = path.read_bytes()
    named = OWN_ZONE.search(content)
    zones = [ZoneSpan(since=datetime(1970, 1, 1, tzinfo=UTC), zone="UTC" if named is None else named[1].decode())]
    for event in _events(content, zones[0].zone):
        if event.title and (occurrence := _first(event, zones)) is not None:
            yield occurrence, invitation(occurrence, zones)


def _events(content: bytes, zone: str) -> Iterator[Event]:
    try:
        for page in pages(content, name="calendar", zone=zone):
            for record in page.records if page.stream == "event" else ():
                try:
                    yield from (item for item in normalise(record, None) if isinstance(item, Event))
                except BadRecord:
                    continue
    except SourceChanged:
        return


def _first(event: Event, zones: list[ZoneSpan]) -> Occurrence | None:
    """Return an entry at its own time, a repeating entry at its first instance, or None without a time."""
    if event.first_day is not None:
        last = max(event.last_day or event.first_day, event.first_day)
        start, end = midnight(event.first_day, zones), midnight(last + timedelta(days=1), zones)
    elif event.start is not None:
        start, end = event.start, max(event.end or event.start, event.start)
    else:
        return None
    return Occurrence(key=event.key, event=event, start=start, end=end)
