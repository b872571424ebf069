"""Files in folders, in zips and in zips within zips, one at a time and unopened."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

HEAD = 4096  # bytes a source may look at to recognise a file
DEPTH = 3  # zips within zips
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
JUNK = ("__MACOSX",)  # resource forks that a Mac puts into zips


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

    def open(self) -> BinaryIO:
        return self.place.open("rb")


@dataclass(frozen=True)
class Zipped:
    """A member of an open zip."""

    archive: zipfile.ZipFile
    member: zipfile.ZipInfo
    path: str

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


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A zip that cannot be opened, or a file whose beginning cannot be read."""

    path: str
    reason: str


def found(path: Path, stack: ExitStack) -> Iterator[Plain | Zipped | Unreadable]:
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
    places = []
    for place in sorted(folder.rglob("*")):
        parts = place.relative_to(folder).parts
        if place.is_file() and not any(_junk(part) for part in parts):
            places.append(place)
    return places


def _inside(file: Plain | Zipped, stack: ExitStack, depth: int) -> Iterator[Plain | Zipped | Unreadable]:
    """The file itself, or the members of the zip it is."""
    try:
        packed = file.head[:2] == b"PK" and file.name.lower().endswith(".zip")
        archive = _archive(file, stack) if packed and depth else None
    except DAMAGED as error:
        yield Unreadable(file.path, f"it is damaged or cannot be read ({type(error).__name__}); get it again")
        return
    if archive is None:
        yield file
        return
    for member in sorted(archive.infolist(), key=lambda member: member.filename):
        if not member.is_dir() and not any(_junk(part) for part in PurePosixPath(member.filename).parts):
            yield from _inside(Zipped(archive, member, f"{file.path}/{member.filename}"), stack, depth - 1)


def _archive(file: Plain | Zipped, stack: ExitStack) -> zipfile.ZipFile:
    """The zip, opened; one within a zip is unpacked to a temporary file, for zips are read from their end."""
    if isinstance(file, Plain):
        return stack.enter_context(zipfile.ZipFile(file.place))
    unpacked = stack.enter_context(tempfile.TemporaryFile(prefix="rhythm-bridge-"))  # noqa: SIM115 - the stack closes it
    with file.open() as packed:
        shutil.copyfileobj(packed, unpacked)
    return stack.enter_context(zipfile.ZipFile(unpacked))


def _junk(part: str) -> bool:
    return part in JUNK or part.startswith(".")


def _head(file: Plain | Zipped) -> bytes:
    with file.open() as stream:
        return stream.read(HEAD)
