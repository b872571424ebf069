"""Read the new files of a connected folder, page by page."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from bridge import __version__, registry
from bridge.auth.account import StoredAccount
from bridge.domain.errors import SetupError, TryLater
from bridge.domain.ports import ConnectorSpec
from bridge.domain.records import FOLDER_CONNECTION, PUSH_CONNECTION, Connection, RecordResult
from bridge.domain.slots import ZoneHistory
from bridge.domain.types import Page
from bridge.ingest.files import (
    DiskFile,
    files_below,
    find_files,
)
from bridge.ingest.imports import IMPORTED_FILES, SEEN_FILES, FilePages, recognise_files


def folder_of(connection: Connection, account: StoredAccount, inbox: Path) -> Path:
    """Return the folder that a connection imports. For pushes it is the source's folder in ``inbox``, made if missing.

    Raises SetupError if the path, which is stored as the account's token, cannot be decrypted.
    """
    if connection.name != PUSH_CONNECTION:
        return Path(account.token_field("folder"))
    place = inbox / connection.source
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    return place


def connection_name(place: str, others: Mapping[str, StoredAccount]) -> str:
    """Return the name of the connection to the folder ``place``, or a new name that none of ``others`` has."""
    known = {_folder_in(others[name]): name for name in sorted(others, reverse=True) if name != PUSH_CONNECTION}
    return (
        known.get(place) or known.get("") or (f"{FOLDER_CONNECTION}-{len(others) + 1}" if others else FOLDER_CONNECTION)
    )


def _folder_in(account: StoredAccount) -> str:
    try:
        return account.token_field("folder")
    except SetupError:
        return ""


@dataclass(slots=True)
class FolderPages:
    """The pages of a folder's new and changed files, which are read while iterating.

    The cursor remembers files that were read. A failed file is reported at each sync until it changes. Raises TryLater
    if the folder is missing.
    """

    spec: ConnectorSpec
    folder: Path
    zone: str
    cursor: str | None
    zones: ZoneHistory = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    dated: bool = True
    files: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    failed_before: list[tuple[str, str]] = field(default_factory=list)
    truncated: bool = False
    known: int = 0
    _current: FilePages | None = None
    _passing: bool = False

    @property
    def at(self) -> str:
        return self._current.at if self._current is not None else ""

    def landed(self, file: str, page: Page, results: Sequence[RecordResult]) -> None:
        if self._current is not None:
            self._current.landed(file, page, results)

    def __iter__(self) -> Iterator[Page]:
        if not self.folder.is_dir():
            raise TryLater(
                "the connected folder is missing; "
                f"name another: bridge connect {self.spec.name} --folder PATH --user NAME"
            )
        places = files_below(self.folder)
        here = {place.relative_to(self.folder).as_posix() for place in places}
        known: dict[str, str] = json.loads(self.cursor) if self.cursor else {}
        seen = {path: mark for path, mark in known.items() if path in here}
        reader = f"{__version__}-{self.spec.normaliser_version}-{registry.reader_version(self.spec.name)}"
        for place in places:
            path = place.relative_to(self.folder).as_posix()
            try:
                mark = f"{DiskFile(place, path).mark} {reader}"
            except FileNotFoundError:  # renamed or deleted while earlier files were read
                continue
            if seen.get(path, "").startswith(f"{mark} "):
                self.failed_before.append((path, seen[path].removeprefix(f"{mark} ")))
            elif seen.get(path) != mark:
                yield from self._new(place, path, mark, seen)

    def _new(self, place: Path, path: str, mark: str, seen: dict[str, str]) -> Iterator[Page]:
        before, self._passing = len(self.failed), False
        yield from self._one(place)
        told, bad = dict(seen), self.failed[before:]
        seen[path] = f"{mark} {bad[0][1]}" if bad else mark
        if self._passing:
            del seen[path]
        if seen != told:
            yield Page(stream=SEEN_FILES, records=(), cursor=json.dumps(seen, sort_keys=True))

    def _one(self, place: Path) -> Iterator[Page]:
        with ExitStack() as stack:
            result = recognise_files(find_files(place, stack), [self.spec])
            known = result.known.get(self.spec.name, [])
            self._current = FilePages(self.spec, known, self.zone, self.settings, zones=self.zones, dated=self.dated)
            yield from (page for page in self._current if page.stream != IMPORTED_FILES)
            self.truncated = self.truncated or self._current.truncated
            self.files += len(known)
            mine = result.unreadable if known or not result.unknown else []
            self.failed += [*self._current.failed, *((file.path, file.reason) for file in mine)]
            self._passing = self._current.passing or any(file.passing for file in mine)
