"""Files in folders, in zips and in zips within zips, one at a time and unopened."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, BinaryIO, Self, cast

from bridge import torn
from bridge.errors import SetupError
from bridge.ports import File

HEAD = 4096  # bytes a source may look at to recognise a file
DEPTH = 3  # zips within zips
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
JUNK = ("__MACOSX",)  # resource forks that a Mac puts into zips
DOCUMENTS = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".jar", ".apk", ".kmz", ".whl")  # zips inside


def new_folder(folder: Path, again: str) -> None:
    """Make a folder that is its owner's alone, or take an empty one. Raises SetupError naming the command ``again``."""
    try:
        if folder.exists() and any(folder.iterdir()):
            raise SetupError(f"{folder} is not empty; name another folder: {again}")
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise SetupError(f"{folder} can be no folder of ours ({error.strerror}); name another: {again}") from None


def delete_folders(folders: Iterable[Path], again: str) -> None:
    """Delete folders with all in them, those that are there. Raises SetupError naming the command ``again``."""
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists() or folder.is_symlink():
            raise SetupError(f"{folder} cannot be deleted; delete it, then: {again}")


@dataclass(frozen=True)
class Plain:
    """A file on disk."""

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
        """Changes when the file does."""
        return f"{self.size}:{self.place.stat().st_mtime_ns}"

    @cached_property
    def digest(self) -> str:
        """The same for the same content."""
        with self.place.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()

    def open(self) -> BinaryIO:
        return self.place.open("rb")


@dataclass(frozen=True)
class Zipped:
    """A member of an open zip; ``outer`` is the file on disk that holds it."""

    archive: zipfile.ZipFile
    member: zipfile.ZipInfo
    path: str
    outer: Plain

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
class Watched:
    """A file that tells how far it has been read: ``done`` of ``total`` bytes were before it."""

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
    """A stream that counts what is read; for everything else it is the stream itself."""

    def __init__(self, stream: BinaryIO, watched: Watched) -> None:
        self._stream, self._watched, self._read = stream, watched, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._stream)

    def read(self, size: int = -1) -> bytes:
        some = self._stream.read(size)
        self._read += len(some)
        self._watched.on_bytes(self._watched.done + self._read, self._watched.total)
        return some


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A zip that cannot be opened, or a file whose beginning cannot be read; ``passing``: perhaps the disk's fault."""

    path: str
    reason: str
    passing: bool = False


Found = Plain | Zipped | torn.Member


def found(path: Path, stack: ExitStack) -> Iterator[Found | Unreadable]:
    """Every file at or below ``path`` in a stable order. Zips stay open as long as ``stack``.

    Hidden files and folders, and what a Mac adds to zips, are passed over.
    """
    if path.is_dir():
        for place in plain(path):
            yield from _inside(Plain(place, place.relative_to(path).as_posix()), stack, DEPTH)
    else:
        yield from _inside(Plain(path, path.name), stack, DEPTH)


def plain(folder: Path) -> list[Path]:
    """The files below a folder, by name; links are followed for files, not for folders."""
    places = sorted(folder.rglob("*"))
    return [place for place in places if place.is_file() and not _is_junk(str(place.relative_to(folder)))]


def _inside(file: Plain | Zipped, stack: ExitStack, depth: int) -> Iterator[Found | Unreadable]:
    """The file itself, or the members of the zip it is; those of one that is cut off as far as they go."""
    try:
        archive = _archive(file, stack) if depth and _is_zip(file) else None
    except DAMAGED as error:
        if isinstance(file, Plain) and isinstance(error, zipfile.BadZipFile):
            yield from (member for member in torn.members(file.place, file.path) if not _is_junk(member.path))
        reason = f"it is damaged or cut off ({type(error).__name__}); get it again"
        yield Unreadable(file.path, reason, passing=isinstance(error, OSError))
        return
    if archive is None:
        yield file
        return
    if is_bomb(archive, file.size):
        yield Unreadable(file.path, "it would unpack to hundreds of times its size, as no export does; get another")
        return
    outer = file if isinstance(file, Plain) else file.outer
    for member in sorted(archive.infolist(), key=lambda member: member.filename):
        if not member.is_dir() and not _is_junk(member.filename):
            yield from _inside(Zipped(archive, member, f"{file.path}/{member.filename}", outer), stack, depth - 1)


def ending(name: str) -> str:
    """The ending of a file's name in lower case; empty where it has none, or a number of which download it is.

    >>> [ending(name) for name in ("export.XML", "export", "export.json.1", "a.b (2)")]
    ['xml', '', 'json', 'b']
    """
    parts = re.sub(r"(\s*\(\d+\)|\.\d+)$", "", name.lower()).rpartition(".")
    return parts[2] if parts[1] else ""


def _is_zip(file: Plain | Zipped) -> bool:
    """By its first bytes, for downloads may lose their endings; not documents that are zips in disguise."""
    name = file.name.lower()
    return file.head[:2] == b"PK" and (
        name.endswith(".zip") or (file.head[2:4] == b"\3\4" and not name.endswith(DOCUMENTS))
    )


def is_bomb(archive: zipfile.ZipFile, packed: int) -> bool:
    """A member never gives more bytes than the archive says of it."""
    unpacked = sum(member.file_size for member in archive.infolist())
    return unpacked > max(torn.RATIO * packed, torn.HARMLESS)


def _archive(file: Plain | Zipped, stack: ExitStack) -> zipfile.ZipFile:
    """The zip, opened; one within a zip is unpacked to a temporary file, for zips are read from their end."""
    if isinstance(file, Plain):
        return stack.enter_context(zipfile.ZipFile(file.place))
    unpacked = stack.enter_context(tempfile.TemporaryFile(prefix="rhythm-bridge-"))  # noqa: SIM115 - the stack closes it
    with file.open() as packed:
        shutil.copyfileobj(packed, unpacked)
    return stack.enter_context(zipfile.ZipFile(unpacked))


def _is_junk(path: str) -> bool:
    return any(_junk(part) for part in PurePosixPath(path).parts)


def _junk(part: str) -> bool:
    return part in JUNK or (part.startswith(".") and part != "..")


def _head(file: Plain | Zipped) -> bytes:
    with file.open() as stream:
        return stream.read(HEAD)
