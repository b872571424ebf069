"""Files for the sources: which source a file belongs to, and the pages it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from bridge import registry
from bridge.errors import BridgeError, TryLater
from bridge.files import DAMAGED, Plain, Unreadable, found, plain
from bridge.ports import ConnectorSpec, File, FileReader
from bridge.types import Page, RawRecord, union

GATHERED = 16  # records that come in pieces, per page: as many days of a watch's files land together
SEEN = "files"  # the stream whose cursor says which files of a folder have been read

OnFile = Callable[[int, int], None]


def unwatched(done: int, total: int) -> None:
    """Nobody is watching."""


@dataclass(slots=True)
class Sorted:
    """Files by the source that knows them."""

    known: dict[str, list[File]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)


def sort_out(files: Iterable[File | Unreadable], specs: Iterable[ConnectorSpec]) -> Sorted:
    """Ask every source that reads files which of these are its own."""
    result = Sorted()
    readers = [(spec.name, registry.resolve(spec.recognises)) for spec in specs if spec.recognises is not None]
    for file in files:
        if isinstance(file, Unreadable):
            result.unreadable.append(file)
            continue
        try:
            source = next((name for name, recognise in readers if recognise(file)), None)
        except DAMAGED as error:
            reason = f"it is damaged or cannot be read ({type(error).__name__}); get it again"
            result.unreadable.append(Unreadable(file.path, reason))
            continue
        if source is None:
            result.unknown.append(file.path)
        else:
            result.known.setdefault(source, []).append(file)
    return result


@dataclass(slots=True)
class Files:
    """The pages of one source's files. A file that fails is written down and the next one read."""

    spec: ConnectorSpec
    chosen: list[File]
    zone: str
    on_file: OnFile = unwatched
    files: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    _current: str = ""

    def fail(self, reason: str) -> None:
        self.failed.append((self._current, reason))

    def __iter__(self) -> Iterator[Page]:
        return gathered(self._pages())

    def _pages(self) -> Iterator[Page]:
        read: FileReader = registry.resolve(self.spec.reads or "")
        for file in self.chosen:
            self._current = file.path
            self.files += 1
            try:
                yield from read(file, zone=self.zone)
            except BridgeError as error:
                self.fail(str(error))
            except DAMAGED as error:
                self.fail(f"it is damaged or cut off ({type(error).__name__}); get it again")
            self.on_file(self.files, len(self.chosen))


@dataclass(slots=True)
class Folder:
    """What is new in a folder, as pages; the files seen are the cursor of the stream ``files``."""

    spec: ConnectorSpec
    folder: Path
    zone: str
    cursor: str | None
    files: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    _current: Files | None = None

    def fail(self, reason: str) -> None:
        if self._current is not None:
            self._current.fail(reason)

    def __iter__(self) -> Iterator[Page]:
        if not self.folder.is_dir():
            raise TryLater(f"the folder is not there; name another: bridge connect {self.spec.name} --folder PATH")
        places = plain(self.folder)
        here = {place.relative_to(self.folder).as_posix() for place in places}
        known: dict[str, str] = json.loads(self.cursor) if self.cursor else {}
        seen = {path: mark for path, mark in known.items() if path in here}
        for place in places:
            file = Plain(place, place.relative_to(self.folder).as_posix())
            mark = file.mark
            if seen.get(file.path) == mark:
                continue
            yield from self._one(place)
            seen[file.path] = mark
            yield Page(stream=SEEN, records=(), cursor=json.dumps(seen, sort_keys=True))

    def _one(self, place: Path) -> Iterator[Page]:
        """A file, or what a zip holds, as far as it is this source's."""
        with ExitStack() as stack:
            result = sort_out(found(place, stack), [self.spec])
            known = result.known.get(self.spec.name, [])
            self._current = Files(self.spec, known, self.zone)
            yield from self._current
            self.files += len(known)
            self.failed += self._current.failed


def gathered(pages: Iterable[Page]) -> Iterator[Page]:
    """The same pages, with records that come in pieces put together where they follow each other."""
    waiting: dict[str, RawRecord] = {}
    for page in pages:
        if page.cursor is None and page.covers is None and all(record.adds for record in page.records):
            for record in page.records:
                waiting[record.path] = _joined(waiting.get(record.path), record)
            if len(waiting) >= GATHERED:
                yield from _emptied(waiting)
        else:
            yield from _emptied(waiting)
            yield page
    yield from _emptied(waiting)


def _joined(before: RawRecord | None, record: RawRecord) -> RawRecord:
    return record if before is None else replace(record, payload=union(before.payload, record.payload))


def _emptied(waiting: dict[str, RawRecord]) -> Iterator[Page]:
    by_stream: dict[str, list[RawRecord]] = {}
    for record in waiting.values():
        by_stream.setdefault(record.stream, []).append(record)
    waiting.clear()
    for stream, records in by_stream.items():
        yield Page(stream=stream, records=tuple(records))
