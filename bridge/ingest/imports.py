"""Find the source that recognises a file, and yield the pages of raw records that the source reads from it."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from bridge import registry
from bridge.domain.errors import BridgeError, CutShort
from bridge.domain.languages import reason, say
from bridge.domain.ports import ConnectorSpec, File, FileMemory, FileReader, Recognised, StoredExport
from bridge.domain.records import FILE_STREAMS, RecordResult
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Covers, Outcome, Page, RawRecord, Unread, union
from bridge.ingest.files import (
    DAMAGED,
    CountedFile,
    UnreadableFile,
    ending,
    newest_date,
)

GATHERED_RECORDS = 16  # records in pieces per page: so many days of a watch are stored together
SEEN_FILES, IMPORTED_FILES = FILE_STREAMS
PARTS_STREAM = "parts"  # the stream whose cursor says what the parts of the last file hold
UNREADABLE_STREAM = "unreadable"  # of records that each count the unreadable rows of a list of an app's document
SETTLE = "settle"  # the stream of a page that is not stored: the pages before it are, before the next page is read

OnBytes = Callable[[int, int], None]


def ignore_bytes(done: int, total: int) -> None:
    """Do nothing. It is the default of ``on_bytes``, which shows progress."""


@dataclass(slots=True)
class RecognisedFiles:
    """The files of an import, ``known`` by source, ``unknown`` to every source, and ``unreadable``."""

    known: dict[str, list[File]] = field(default_factory=dict)
    unknown: list[Unread] = field(default_factory=list)
    unreadable: list[UnreadableFile] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """The outcomes of an import, one per source.

    ``unknown`` describes files that no source recognised. ``unreadable`` holds files and zips that could not be read.
    """

    outcomes: list[Outcome]
    unknown: list[Unread]
    unreadable: list[UnreadableFile]


def recognise_files(files: Iterable[File | UnreadableFile], specs: Iterable[ConnectorSpec]) -> RecognisedFiles:
    """Return the files by the source that recognises each most surely, and the unknown and unreadable files.

    A file that several sources recognise equally surely counts as unreadable.
    """
    result, specs = RecognisedFiles(), list(specs)
    readers = [(spec.name, registry.resolve(spec.recognises)) for spec in specs if spec.recognises is not None]
    for file in files:
        if isinstance(file, UnreadableFile):
            result.unreadable.append(file)
            continue
        try:
            claims = {name: claim for name, recognise in readers if (claim := _claim(recognise(file)))}
        except DAMAGED as error:
            reason = f"the file is damaged or cannot be read ({type(error).__name__}); get it again"
            result.unreadable.append(UnreadableFile(file.path, reason, passing=isinstance(error, OSError)))
            continue
        best = [name for name, claim in claims.items() if claim.sure == max(one.sure for one in claims.values())]
        if not best:
            result.unknown.append(_unread(file.path, specs))
        elif len(best) > 1:
            why = " or ".join(f"{name} ({claims[name].why})" for name in best)
            reason = f"it may be of {why}; say which: bridge import PATH --user NAME --source {best[0]}"
            result.unreadable.append(UnreadableFile(file.path, reason))
        else:
            result.known.setdefault(best[0], []).append(file)
    return result


def _claim(told: Recognised | bool | None) -> Recognised | None:
    return Recognised(1.0, "it has its mark") if told is True else told or None


def _unread(path: str, specs: Iterable[ConnectorSpec]) -> Unread:
    """Return a file that was not read, with the source that knows such files but leaves them out, if there is one."""
    for spec in specs:
        for pattern, kind in spec.leaves_out.items():
            if re.search(pattern, path):
                return Unread(file=path, kind=kind, source=spec.name)
    return Unread(file=path, kind=f".{ending(path)}" if ending(path) else "without an ending")


class RecordVersion(NamedTuple):
    """A sort key for the versions of a record in several files. The greatest version is stored."""

    sequence: int = 0
    date: float = 0.0
    digest: bytes = b""
    parent: str = ""


def _version(record: RawRecord) -> RecordVersion:
    content = json.dumps(record.payload, sort_keys=True, default=str).encode("utf-8", "surrogatepass")
    date = record.as_of.timestamp() if record.as_of is not None else 0.0
    return RecordVersion(record.sequence, date, hashlib.blake2b(content, digest_size=16).digest(), record.parent or "")


@dataclass(slots=True)
class FilePages:
    """The pages of a source's files, which are read while iterating. A file that fails is added to ``failed``.

    ``cursor`` holds digests of files that were imported without failure and are not read again. ``remembers`` does the
    same for the last import alone. ``parts`` and ``stored`` are for sources that recognise parts of files
    (``FileMemory``). ``whole`` means that these are all files of a folder or zip, so that records in none of them are
    deleted. ``dated`` means that the files may be older than earlier imports, which pushes never are. ``known`` counts
    records of files not read again. ``passing`` and ``truncated`` tell that the disk failed, or that a file is cut
    short.
    """

    spec: ConnectorSpec
    chosen: list[File]
    zone: str
    settings: Mapping[str, str] = field(default_factory=dict)
    cursor: str | None = None
    on_bytes: OnBytes = ignore_bytes
    zones: ZoneHistory = ()
    whole: bool = False
    dated: bool = True
    files: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    failed_before: list[tuple[str, str]] = field(default_factory=list)
    remembers: bool = False
    parts: str | None = None
    stored: Callable[[], StoredExport] | None = None
    passing: bool = False
    truncated: bool = False
    known: int = 0
    at: str = ""
    _chosen_versions: dict[str, RecordVersion] = field(default_factory=dict)
    _listed: dict[tuple[str, str], list[datetime]] = field(default_factory=dict)  # dates of listings by stream, prefix
    _names: Counter[str] = field(default_factory=Counter)
    _rows: Counter[str] = field(default_factory=Counter)  # file -> rows that were stored
    _aside: Counter[str] = field(default_factory=Counter)  # file -> those of them that were set aside
    _skipped: set[str] = field(default_factory=set)  # files whose reader set something aside

    def fail(self, reason: str, file: str) -> None:
        self.failed.append((file, reason))

    def landed(self, file: str, page: Page, results: Sequence[RecordResult]) -> None:
        aside = sum(result.set_aside is not None and not result.waits for result in results)
        if page.stream != UNREADABLE_STREAM:
            self._rows[file] += page.count - sum(record.deleted for record in page.records)
            self._aside[file] += aside
        if page.set_aside or (page.stream == UNREADABLE_STREAM and aside):
            self._skipped.add(file)

    def _settle(self) -> Iterator[Page]:
        yield Page(stream=SETTLE, records=(), cursor="")
        failed = {path for path, _ in self.failed}
        for file in sorted({*self._aside, *self._skipped} - failed):
            rows, aside = self._rows[file], self._aside[file]
            if aside * 2 > rows or (rows == aside and file in self._skipped):
                self.fail(
                    say(
                        "most of its rows could not be read and were set aside; the rest was kept. It may be in a "
                        "newer format, or of another kind: look for a newer release, then import it again"
                    ),
                    file,
                )

    def _is_whole(self, file: str) -> bool:
        return not self._aside[file] and file not in self._skipped and all(path != file for path, _ in self.failed)

    def __iter__(self) -> Iterator[Page]:
        if self.remembers and not self.spec.remembers_files:
            return self._unless_just_imported()
        return self._merged_pages()

    def _merged_pages(self) -> Iterator[Page]:
        if self.spec.differs_by_file and len(self.chosen) > 1:
            self._chosen_versions = self._versions()
        self._names.update(file.name for file in self.chosen)
        return merge_pieces(self._pages())

    def _unless_just_imported(self) -> Iterator[Page]:
        """Yield the pages, or none if the last import read the same files in the same way and without failure."""
        before: dict[str, int] = json.loads(self.cursor) if self.cursor else {}
        mark, records = self._mark_of_all(), 0
        if mark in before:
            self.files, self.known = len(self.chosen), before[mark]
            return
        if before:
            yield Page(stream=IMPORTED_FILES, records=(), cursor="{}")
        spoilt = False
        for page in self._merged_pages():
            records += page.count
            spoilt = spoilt or bool(page.left_out)
            yield page
        if mark is not None and not spoilt and all(self._is_whole(file.path) for file in self.chosen):
            yield Page(stream=IMPORTED_FILES, records=(), cursor=json.dumps({mark: records}))

    def _mark_of_all(self) -> str | None:
        marks = [(file.path, self._digest(file)) for file in self.chosen]
        if any(mark is None for _, mark in marks):
            return None
        return hashlib.sha256(repr((self.whole, sorted(marks))).encode()).hexdigest()

    def _versions(self) -> dict[str, RecordVersion]:
        newest: dict[str, RecordVersion] = {}
        for file in self.chosen:
            with suppress(BridgeError, *DAMAGED):  # reading the file again will report the error
                for page in self._read(file):
                    for record in page.records:
                        newest[record.path] = max(newest.get(record.path, RecordVersion()), _version(record))
        return newest

    def _counts(self, record: RawRecord) -> bool:
        chosen = self._chosen_versions.get(record.path)
        return chosen is None or chosen == _version(record)

    def _pages(self) -> Iterator[Page]:
        before: dict[str, int] = json.loads(self.cursor) if self.cursor else {}
        sizes = [_size(file) for file in self.chosen]
        total, done = sum(sizes), 0
        imported: dict[str, tuple[str, int]] = {}
        if self.parts is not None:  # what an import leaves that ends half-way is not what the last one left
            yield Page(stream=PARTS_STREAM, records=(), cursor="")
        for file, size in zip(self.chosen, sizes, strict=True):
            self.at = file.path
            self.files += 1
            mark = self._mark(file)
            if mark in before:
                self.known += before[mark]
            else:
                records = yield from self._one(CountedFile(file, self.on_bytes, done, total))
                if mark is not None:
                    imported[file.path] = mark, records
            done += size
            self.on_bytes(done, total)
        yield from self._settle()
        if not self.failed:  # else a record that is missing may be in the file that failed
            yield from self._gone()
        if self.parts is not None and not self.failed:
            yield Page(stream=PARTS_STREAM, records=(), cursor=self.parts)
        known = dict(found for path, found in imported.items() if self._is_whole(path))
        if known:
            yield Page(stream=IMPORTED_FILES, records=(), cursor=json.dumps(before | known, sort_keys=True))

    def _one(self, file: File) -> Generator[Page, None, int]:
        """Yield a file's pages, and return the number of their records. Failures are added to ``failed``."""
        as_of = newest_date(file) if self.dated and self.spec.dated_by_content else None
        records = 0
        try:
            for page in self._read(file):
                if page.stream == PARTS_STREAM:
                    self.parts = page.cursor
                    continue
                records += page.count
                dated = _dated(page, as_of) if as_of is not None else page
                if self._chosen_versions:
                    dated = replace(dated, records=tuple(filter(self._counts, dated.records)))
                yield self._of_all(dated, file) if self.whole else dated
        except BridgeError as error:
            self.truncated = self.truncated or isinstance(error, CutShort)
            self.fail(reason(error), file.path)
        except DAMAGED as error:
            self.passing = self.passing or isinstance(error, OSError)
            self.fail(
                say("the file is damaged or cut off ({kind}); get it again", kind=type(error).__name__), file.path
            )
        return records

    def _of_all(self, page: Page, file: File) -> Page:
        """Return a page as part of a whole folder. Files of the same name must not delete each other's records."""
        if self._names[file.name] > 1:
            return _without_file(page)
        if page.covers is not None and page.covers.parents is not None:
            dates = self._listed.setdefault((page.stream, page.covers.prefix), [])
            dates += filter(None, [page.covers.as_of])
        return page

    def _gone(self) -> Iterator[Page]:
        for (stream, prefix), dates in self._listed.items():
            yield Page(stream=stream, records=(), covers=Covers(prefix=prefix, as_of=max(dates, default=None)))

    def _read(self, file: File) -> Iterator[Page]:
        read: FileReader = registry.resolve(self.spec.reads or "")
        options: dict[str, Any] = {"settings": self.settings} if self.spec.file_settings else {}
        options |= {"zones": self.zones} if self.spec.reads_zones else {}
        options |= {"memory": FileMemory(PARTS_STREAM, self.parts, self.stored)} if self.stored else {}
        return read(file, zone=self.zone, **options)

    def _mark(self, file: File) -> str | None:
        return self._digest(file) if self.spec.remembers_files else None

    def _digest(self, file: File) -> str | None:
        try:
            digest = file.digest
        except OSError:  # reading the file will report the error
            digest = None
        if digest is None:
            return None
        place = self.zones if self.spec.reads_zones and self.zones else self.zone
        versions = registry.reader_version(self.spec.name), self.spec.normaliser_version
        read_as = (digest, place, sorted(self.settings.items()), versions)
        return hashlib.sha256(repr(read_as).encode()).hexdigest()


def merge_pieces(pages: Iterable[Page]) -> Iterator[Page]:
    """Yield pages in which all pieces of a record are merged, so that each record is written once."""
    waiting: dict[str, RawRecord] = {}
    left_out: dict[str, Counter[str]] = defaultdict(Counter)
    for page in pages:
        mergeable = page.cursor is None and page.covers is None and not page.set_aside
        if mergeable and page.still is None and all(record.adds for record in page.records):
            left_out[page.stream].update(page.left_out)
            for record in page.records:
                waiting[record.path] = _merged(waiting.get(record.path), record)
            if len(waiting) >= GATHERED_RECORDS:
                yield from _drained(waiting)
        else:
            yield from _drained(waiting)
            yield page
    yield from _drained(waiting)
    yield from (Page(stream=stream, records=(), left_out=counts) for stream, counts in left_out.items() if counts)


def _merged(before: RawRecord | None, record: RawRecord) -> RawRecord:
    if before is None:
        return record
    if before.as_of is not None and record.as_of is not None and record.as_of < before.as_of:
        before, record = record, before
    return replace(record, payload=union(before.payload, record.payload))


def _drained(waiting: dict[str, RawRecord]) -> Iterator[Page]:
    by_stream: dict[str, list[RawRecord]] = {}
    for record in waiting.values():
        by_stream.setdefault(record.stream, []).append(record)
    waiting.clear()
    for stream, records in by_stream.items():
        yield Page(stream=stream, records=tuple(records))


def _size(file: File) -> int:
    try:
        return file.size
    except OSError:
        return 0


def _dated(page: Page, as_of: datetime) -> Page:
    return replace(page, records=tuple(replace(record, as_of=as_of) for record in page.records))


def _without_file(page: Page) -> Page:
    """Return a page whose records have no file as parent, because several files of the same name may hold them."""
    records = tuple(replace(r, parent=None) if r.of_file else r for r in page.records)
    if page.covers is not None and page.covers.parents is not None:
        page = replace(page, covers=replace(page.covers, parents=None, as_of=None))
    return replace(page, records=records)
