"""Find files in folders, zips and zips within zips, and open them as streams."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Self, cast

from bridge.domain.errors import SetupError
from bridge.domain.ports import File
from bridge.ingest import truncated_zip

HEAD_BYTES = 4096  # a source recognises a file by these
ZIP_DEPTH_MAX = 3  # zips within zips
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
DATES_CHUNK_BYTES, DATE_MAX_BYTES = 1 << 20, 24
WRITTEN_DATE = re.compile(rb"(?<!\d)20\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-5]\d)?)?")
JUNK_FOLDERS = ("__MACOSX",)  # resource forks that macOS adds to zips
ZIPPED_DOCUMENTS = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".jar", ".apk", ".kmz", ".whl")  # zips


def new_folder(folder: Path, again: str) -> None:
    """Create a folder that only its owner can read, or use an empty one.

    Raises SetupError, which tells to run the command ``again``, if the folder is not empty or cannot be made.
    """
    try:
        if folder.exists() and any(folder.iterdir()):
            raise SetupError(f"{folder} is not empty; name another folder: {again}")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.chmod(0o700)
    except OSError as error:
        raise SetupError(f"{folder} cannot be created ({error.strerror}); name another folder: {again}") from None


def make_private(path: Path) -> None:
    """Let only the owner read an existing file, which is done before overwriting it. Raises OSError if that fails."""
    if path.is_file():
        path.chmod(0o600)


def delete_folders(folders: Iterable[Path], again: str) -> None:
    """Delete folders with their content. Raises SetupError, which tells to run the command ``again``, if that fails."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists() or folder.is_symlink():
            raise SetupError(f"{folder} cannot be deleted; delete it, then: {again}")


@dataclass(frozen=True)
class DiskFile:
    """A file on disk that is imported. ``place`` is its location, and ``path`` its name for messages."""

    place: Path
    path: str

    @property
    def name(self) -> str:
        return self.place.name

    @cached_property
    def size(self) -> int:
        return self.place.stat().st_size

    @cached_property
    def head(self) -> bytes:
        return _head(self)

    @property
    def mark(self) -> str:
        """Return a text of the file's size and time of change, by which a changed file is recognised."""
        return f"{self.size}:{self.place.stat().st_mtime_ns}"

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 digest of the content in hex, which is kept after the first call."""
        with self.place.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()

    def open(self) -> BinaryIO:
        return self.place.open("rb")


@dataclass(frozen=True)
class ZipMember:
    """A member of an open zip that is imported. ``path`` is its name for messages, which begins with that of the zip.

    ``outer`` is the file on disk that holds the zip, or for a zip within a zip the outermost one.
    """

    archive: zipfile.ZipFile
    member: zipfile.ZipInfo
    path: str
    outer: DiskFile

    @property
    def digest(self) -> str:
        return f"{self.outer.digest}/{self.path.partition('/')[2]}"

    @property
    def name(self) -> str:
        return PurePosixPath(self.member.filename).name

    @property
    def size(self) -> int:
        return self.member.file_size

    @cached_property
    def head(self) -> bytes:
        return _head(self)

    def open(self) -> BinaryIO:
        return cast("BinaryIO", self.archive.open(self.member))


@dataclass(frozen=True)
class CountedFile:
    """A file that calls ``on_bytes(bytes read, total)`` after each read, to show an import's progress.

    ``done`` is the number of bytes of earlier files, added to those read. ``total`` is the size of all files.
    """

    file: File
    on_bytes: Callable[[int, int], None]
    done: int
    total: int

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def size(self) -> int:
        return self.file.size

    @property
    def head(self) -> bytes:
        return self.file.head

    @property
    def digest(self) -> str | None:
        return self.file.digest

    def open(self) -> BinaryIO:
        return cast("BinaryIO", _Counted(self.file.open(), self))


class _Counted:
    def __init__(self, stream: BinaryIO, watched: CountedFile) -> None:
        self._stream, self._watched, self._read = stream, watched, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def read(self, size: int = -1) -> bytes:
        some = self._stream.read(size)
        self._read += len(some)
        self._watched.on_bytes(self._watched.done + self._read, self._watched.total)
        return some


@dataclass(frozen=True, slots=True)
class UnreadableFile:
    """The path of a file or zip that cannot be read, with the reason.

    ``passing`` is True if the disk may be the cause, so that a later attempt may succeed.
    """

    path: str
    reason: str
    passing: bool = False


FoundFile = DiskFile | ZipMember | truncated_zip.Member


def find_files(path: Path, stack: ExitStack) -> Iterator[FoundFile | UnreadableFile]:
    """Yield the file at ``path``, or every file below a folder and in its zips, sorted by path.

    Zips stay open until ``stack`` closes. A damaged zip, or one that would unpack far too large, is an UnreadableFile.
    """
    if path.is_dir():
        for place in files_below(path):
            yield from _walk(DiskFile(place, place.relative_to(path).as_posix()), stack, ZIP_DEPTH_MAX)
    else:
        yield from _walk(DiskFile(path, path.name), stack, ZIP_DEPTH_MAX)


def files_below(folder: Path) -> list[Path]:
    """Return all files below a folder, sorted by path, without hidden files and linked folders."""
    places = sorted(folder.rglob("*"))
    return [place for place in places if place.is_file() and not _is_junk(str(place.relative_to(folder)))]


def _walk(file: DiskFile | ZipMember, stack: ExitStack, depth: int) -> Iterator[FoundFile | UnreadableFile]:
    """Yield a file, or the members of a zip and its zips to ``depth``. A damaged or too large zip is unreadable."""
    try:
        archive = _open_zip(file, stack) if depth and _is_zip(file) else None
    except DAMAGED as error:
        if isinstance(file, DiskFile) and isinstance(error, zipfile.BadZipFile):
            yield from (member for member in truncated_zip.members(file.place, file.path) if not _is_junk(member.path))
        reason = f"the file is damaged or cut off ({type(error).__name__}); get it again"
        yield UnreadableFile(file.path, reason, passing=isinstance(error, OSError))
        return
    if archive is None:
        yield file
        return
    if is_bomb(archive, file.size):
        yield UnreadableFile(file.path, "it would unpack to hundreds of times its size, as no export does; get another")
        return
    outer = file if isinstance(file, DiskFile) else file.outer
    for member in sorted(archive.infolist(), key=lambda member: member.filename):
        if not member.is_dir() and not _is_junk(member.filename):
            yield from _walk(ZipMember(archive, member, f"{file.path}/{member.filename}", outer), stack, depth - 1)


def ending(name: str) -> str:
    """Return a file name's ending in lower case, without the dot. The text is empty for a name without an ending.

    The numbers that browsers add to repeated downloads are ignored.

    >>> [ending(name) for name in ("export.XML", "export", "export.json.1", "a.b (2)")]
    ['xml', '', 'json', 'b']
    """
    parts = re.sub(r"(\s*\(\d+\)|\.\d+)$", "", name.lower()).rpartition(".")
    return parts[2] if parts[1] else ""


def newest_date(file: File) -> datetime | None:
    """Return the newest ISO date in a text file's content, at midnight UTC. None for a binary file or without dates."""
    newest, rest = "", b""
    if b"\0" in file.head:
        return None
    with suppress(*DAMAGED), file.open() as stream:
        while chunk := stream.read(DATES_CHUNK_BYTES):
            text = rest + chunk
            newest = max(newest, *map(_date, set(WRITTEN_DATE.findall(text))), "")
            rest = text[-DATE_MAX_BYTES:]
    return datetime.fromisoformat(newest).replace(tzinfo=UTC) if newest else None


def _date(written: bytes) -> str:
    text = written.decode().replace(" ", "T")
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def _is_zip(file: DiskFile | ZipMember) -> bool:
    """Return True for a zip, even if its name lost the ending. Packed documents such as .docx do not count."""
    name = file.name.lower()
    return file.head[:2] == b"PK" and (
        name.endswith(".zip") or (file.head[2:4] == b"\3\4" and not name.endswith(ZIPPED_DOCUMENTS))
    )


def is_bomb(
    archive: zipfile.ZipFile,
    packed: int,
    *,
    ratio: int = truncated_zip.UNPACKED_RATIO_MAX,
    harmless: int = truncated_zip.UNPACKED_HARMLESS_BYTES,
) -> bool:
    """Return True if a zip would unpack to more than both ``harmless`` bytes and ``ratio`` times ``packed`` bytes."""
    unpacked = sum(member.file_size for member in archive.infolist())
    return unpacked > max(ratio * packed, harmless)


def _open_zip(file: DiskFile | ZipMember, stack: ExitStack) -> zipfile.ZipFile:
    """Open a zip. A zip within a zip is unpacked to a temporary file first, because zips are read from their end."""
    if isinstance(file, DiskFile):
        return stack.enter_context(zipfile.ZipFile(file.place))
    unpacked = stack.enter_context(tempfile.TemporaryFile(prefix="rhythm-bridge-"))  # noqa: SIM115 - the stack closes it
    with file.open() as packed:
        shutil.copyfileobj(packed, unpacked)
    return stack.enter_context(zipfile.ZipFile(unpacked))


def _is_junk(path: str) -> bool:
    return any(_is_junk_name(part) for part in PurePosixPath(path).parts)


def _is_junk_name(part: str) -> bool:
    return part in JUNK_FOLDERS or (part.startswith(".") and part != "..")


def _head(file: DiskFile | ZipMember) -> bytes:
    with file.open() as stream:
        return stream.read(HEAD_BYTES)
