"""Files for the sources: which source a file belongs to, and the pages it holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bridge import __version__, registry
from bridge.account import StoredAccount
from bridge.errors import BridgeError, CutShort, SetupError, TryLater
from bridge.files import DAMAGED, Plain, Unreadable, Watched, found, plain
from bridge.ports import Connection, ConnectorSpec, File, FileReader
from bridge.types import FILE, Outcome, Page, RawRecord, union
from rhythm_env.interface import ZoneHistory

GATHERED = 16  # records that come in pieces, per page: as many days of a watch's files land together
SEEN = "files"  # the stream whose cursor says which files of a folder have been read
IMPORTED = "imports"  # and the one whose cursor says which imported files, by content, with how many records

FOLDER = "folder"  # connections of this name import what is new in a folder
PUSHED = f"{FOLDER}-push"  # the name of one whose folder is our own: what is sent waits there

OnBytes = Callable[[int, int], None]


def place_of(connection: Connection, account: StoredAccount, inbox: Path) -> Path:
    """A connection's folder. What is sent waits below this machine's ``inbox``, wherever that was agreed."""
    if connection.name != PUSHED:
        return Path(account.token_field("folder"))
    place = inbox / connection.source
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def name_for(place: str, others: Mapping[str, StoredAccount]) -> str:
    """The name of a folder's connection, by those of its source: the one it has, else one whose place is no longer
    known, for its key is lost or it comes from an export, else a new one.
    """
    known = {_kept(others[name]): name for name in sorted(others, reverse=True) if name != PUSHED}
    return known.get(place) or known.get("") or (f"{FOLDER}-{len(others) + 1}" if others else FOLDER)


def _kept(account: StoredAccount) -> str:
    try:
        return account.token_field("folder")
    except SetupError:
        return ""


def unwatched(done: int, total: int) -> None:
    """Nobody is watching."""


@dataclass(slots=True)
class Sorted:
    """Files by the source that knows them."""

    known: dict[str, list[File]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did: an outcome per source, and the files that were no source's or could not be opened."""

    outcomes: list[Outcome]
    unknown: list[str]
    unreadable: list[Unreadable]


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
            result.unreadable.append(Unreadable(file.path, reason, passing=isinstance(error, OSError)))
            continue
        if source is None:
            result.unknown.append(file.path)
        else:
            result.known.setdefault(source, []).append(file)
    return result


@dataclass(slots=True)
class Files:
    """The pages of one source's files. A file that fails is written down and the next one read.

    ``cursor`` says which files were imported before, for a source that remembers them. ``whole``: these are all files
    of a folder or a zip, so that what an earlier one held and none of them does is gone.
    """

    spec: ConnectorSpec
    chosen: list[File]
    zone: str
    settings: Mapping[str, str] = field(default_factory=dict)
    cursor: str | None = None
    on_bytes: OnBytes = unwatched
    zones: ZoneHistory = ()
    whole: bool = False
    files: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    failed_before: list[tuple[str, str]] = field(default_factory=list)
    passing: bool = False
    truncated: bool = False
    known: int = 0
    at: str = ""

    def fail(self, reason: str, file: str) -> None:
        self.failed.append((file, reason))

    def __iter__(self) -> Iterator[Page]:
        return gathered(self._pages())

    def _pages(self) -> Iterator[Page]:
        before: dict[str, int] = json.loads(self.cursor) if self.cursor else {}
        sizes = [_size(file) for file in self.chosen]
        total, done = sum(sizes), 0
        imported: dict[str, int] = {}
        for file, size in zip(self.chosen, sizes, strict=True):
            self.at = file.path
            self.files += 1
            mark = self._mark(file)
            if mark in before:
                self.known += before[mark]
            else:
                records = yield from self._one(Watched(file, self.on_bytes, done, total))
                if mark is not None and not any(path == file.path for path, _ in self.failed):
                    imported[mark] = records
            done += size
            self.on_bytes(done, total)
        if imported:
            yield Page(stream=IMPORTED, records=(), cursor=json.dumps(before | imported, sort_keys=True))

    def _one(self, file: File) -> Generator[Page, None, int]:
        """A file's pages; returns how many records they hold."""
        read: FileReader = registry.resolve(self.spec.reads or "")
        options: dict[str, Any] = {"settings": self.settings} if self.spec.file_settings else {}
        options |= {"zones": self.zones} if self.spec.reads_zones else {}
        records = 0
        try:
            for page in read(file, zone=self.zone, **options):
                records += len(page.records)
                yield _of_all(page) if self.whole else page
        except BridgeError as error:
            self.truncated = self.truncated or isinstance(error, CutShort)
            self.fail(str(error), file.path)
        except DAMAGED as error:
            self.passing = self.passing or isinstance(error, OSError)
            self.fail(f"it is damaged or cut off ({type(error).__name__}); get it again", file.path)
        return records

    def _mark(self, file: File) -> str | None:
        """What tells a file, and how it would be read, from every other one."""
        try:
            digest = file.digest if self.spec.remembers_files else None
        except OSError:  # reading it will say so
            digest = None
        if digest is None:
            return None
        place = self.zones if self.spec.reads_zones and self.zones else self.zone
        read_as = (digest, place, sorted(self.settings.items()), self.spec.normaliser_version)
        return hashlib.sha256(repr(read_as).encode()).hexdigest()


@dataclass(slots=True)
class Folder:
    """What is new in a folder, as pages; the files seen are the cursor of the stream ``files``.

    A file that failed is named again at every sync (``failed_before``). It is read again when it has changed and by a
    newer release, and at the next sync where the disk failed and not the file.
    """

    spec: ConnectorSpec
    folder: Path
    zone: str
    cursor: str | None
    zones: ZoneHistory = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    files: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    failed_before: list[tuple[str, str]] = field(default_factory=list)
    truncated: bool = False
    known: int = 0
    _current: Files | None = None
    _passing: bool = False

    @property
    def at(self) -> str:
        return self._current.at if self._current is not None else ""

    def fail(self, reason: str, file: str) -> None:
        self.failed.append((file, reason))

    def __iter__(self) -> Iterator[Page]:
        if not self.folder.is_dir():
            raise TryLater(
                f"the folder is not there; name another: bridge connect {self.spec.name} --folder PATH --user NAME"
            )
        places = plain(self.folder)
        here = {place.relative_to(self.folder).as_posix() for place in places}
        known: dict[str, str] = json.loads(self.cursor) if self.cursor else {}
        seen = {path: mark for path, mark in known.items() if path in here}
        for place in places:
            path = place.relative_to(self.folder).as_posix()
            try:
                mark = Plain(place, path).mark
            except FileNotFoundError:  # renamed or deleted while those before it were read
                continue
            failed = f"{mark} {__version__} "
            if seen.get(path, "").startswith(failed):
                self.failed_before.append((path, seen[path].removeprefix(failed)))
            elif seen.get(path) != mark:
                yield from self._new(place, path, mark, seen)

    def _new(self, place: Path, path: str, mark: str, seen: dict[str, str]) -> Iterator[Page]:
        """A file's pages, and how it went: what was read may fail to land when the cursor is saved with it."""
        before, self._passing = len(self.failed), False
        yield from self._one(place)
        for _ in range(2):
            told, bad = dict(seen), self.failed[before:]
            seen[path] = f"{mark} {__version__} {bad[0][1]}" if bad else mark
            if self._passing:
                del seen[path]
            if seen != told:
                yield Page(stream=SEEN, records=(), cursor=json.dumps(seen, sort_keys=True))

    def _one(self, place: Path) -> Iterator[Page]:
        """A file, or what a zip holds, as far as it is this source's; a damaged zip may be anybody's."""
        with ExitStack() as stack:
            result = sort_out(found(place, stack), [self.spec])
            known = result.known.get(self.spec.name, [])
            self._current = Files(self.spec, known, self.zone, self.settings, zones=self.zones)
            yield from (page for page in self._current if page.stream != IMPORTED)
            self.truncated = self.truncated or self._current.truncated
            self.files += len(known)
            mine = result.unreadable if known or not result.unknown else []
            self.failed += [*self._current.failed, *((file.path, file.reason) for file in mine)]
            self._passing = self._current.passing or any(file.passing for file in mine)


def _size(file: File) -> int:
    """None of a file that is gone meanwhile: reading it will say so."""
    try:
        return file.size
    except OSError:
        return 0


def _of_all(page: Page) -> Page:
    """Which of many files a record came from says nothing: two may hold it, and all of them are all there is."""
    records = tuple(replace(r, parent=None) if (r.parent or "").startswith(FILE) else r for r in page.records)
    return replace(page, records=records, covers=page.covers and replace(page.covers, parents=None))


def gathered(pages: Iterable[Page]) -> Iterator[Page]:
    """The same pages, with records that come in pieces put together where they follow each other."""
    waiting: dict[str, RawRecord] = {}
    for page in pages:
        plain = page.cursor is None and page.covers is None and not page.set_aside
        if plain and all(record.adds for record in page.records):
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
