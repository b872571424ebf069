"""Read the members of a truncated zip in order from its beginning.

The list of members at the end of a zip is missing then, but each member begins with its name and packing method.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self, cast

LOCAL_HEADER = struct.Struct("<4s5H3I2H")
BEGINNING, STORED, DEFLATED = b"PK\x03\x04", 0, 8
SIZES_FOLLOW, ENCRYPTED = 0x8, 0x1
PACKED_CHUNK_BYTES = 1 << 16
DESCRIPTOR_BYTES = 24  # bytes that may stand behind a member before the next one
UNPACKED_RATIO_MAX, UNPACKED_HARMLESS_BYTES = (
    300,
    100_000_000,
)  # nothing real unpacks to more times its size, and to more bytes


@dataclass(frozen=True)
class Member:
    """A member of a truncated zip, whose packed bytes begin at the position ``at``.

    ``length`` is the number of these bytes, or None if the zip states it only after them.
    """

    place: Path
    path: str
    at: int
    method: int
    length: int | None

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def size(self) -> int:
        """The packed size in bytes, or 0 if it is unknown."""
        return self.length or 0

    @cached_property
    def head(self) -> bytes:
        with self.open() as stream:
            try:
                return stream.read(4096)
            except (EOFError, zlib.error):
                return b""

    @property
    def digest(self) -> str | None:
        return None  # an incomplete file is always read again

    def open(self) -> BinaryIO:
        return cast("BinaryIO", Unpacked(self))


class Unpacked:
    """The content of a truncated zip's member as a stream. Raises EOFError at the zip's end, or if it is too large."""

    def __init__(self, member: Member) -> None:
        self._file = member.place.open("rb")
        self._file.seek(member.at)
        self._left = member.length if member.length is not None else member.place.stat().st_size - member.at
        self._most = max(UNPACKED_RATIO_MAX * member.place.stat().st_size, UNPACKED_HARMLESS_BYTES)
        self._inflate = zlib.decompressobj(-15) if member.method == DEFLATED else None
        self._ready = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        """Return the next ``size`` bytes, or all for a negative ``size``. Damage raises EOFError or zlib.error."""
        parts, missing = [self._ready], size - len(self._ready)
        try:
            while (size < 0 or missing > 0) and (part := self._next()):
                parts.append(part)
                missing -= len(part)
        except (EOFError, zlib.error):
            if not any(parts):
                raise
        whole = b"".join(parts)
        self._ready = whole[size:] if size >= 0 else b""
        return whole if size < 0 else whole[:size]

    def _next(self) -> bytes:
        if self._inflate is None:
            return self._packed()
        while not self._inflate.eof:
            part = self._inflate.decompress(self._inflate.unconsumed_tail or self._packed(), PACKED_CHUNK_BYTES * 4)
            self._most -= len(part)
            if self._most < 0:
                raise EOFError("it unpacks to much more than any export")
            if part:
                return part
        return b""

    def _packed(self) -> bytes:
        packed = self._file.read(min(PACKED_CHUNK_BYTES, self._left))
        self._left -= len(packed)
        if not packed and (self._inflate is not None or self._left):
            raise EOFError("the archive ends in the middle of a member")
        return packed

    def end(self) -> int:
        """Return the position after the member's packed bytes. It is known once all content was read."""
        return self._file.tell() - (len(self._inflate.unused_data) if self._inflate else 0)


def members(place: Path, path: str) -> Iterator[Member]:
    """Yield the files in a truncated zip, in order. ``path`` is its name for messages. The last may be incomplete."""
    at: int | None = 0
    with place.open("rb") as file:
        while at is not None and (member := _member(file, place, path, at)) is not None:
            if not member.path.endswith("/"):
                yield member
            at = _after(file, member)


def _member(file: BinaryIO, place: Path, path: str, at: int) -> Member | None:
    file.seek(at)
    head = file.read(LOCAL_HEADER.size)
    if len(head) < LOCAL_HEADER.size:
        return None
    mark, _, flags, method, _, _, _, packed, size, name_length, more = LOCAL_HEADER.unpack(head)
    if mark != BEGINNING or flags & ENCRYPTED or method not in (STORED, DEFLATED):
        return None
    name = file.read(name_length).decode("utf-8", "replace")
    known = not flags & SIZES_FOLLOW and 0xFFFFFFFF not in (packed, size)
    if not known and method == STORED:
        return None
    return Member(
        place, f"{path}/{name}", at + LOCAL_HEADER.size + name_length + more, method, packed if known else None
    )


def _after(file: BinaryIO, member: Member) -> int | None:
    end = member.at + member.length if member.length is not None else _end(member)
    if end is None:
        return None
    file.seek(end)
    found = file.read(DESCRIPTOR_BYTES + len(BEGINNING)).find(BEGINNING)
    return None if found < 0 else end + found


def _end(member: Member) -> int | None:
    with Unpacked(member) as content:
        try:
            while content.read(PACKED_CHUNK_BYTES):
                pass
        except (EOFError, zlib.error):
            return None
        return content.end()
