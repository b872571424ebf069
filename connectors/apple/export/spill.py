"""Store an Apple export's rows, which come in file order, in a temporary file, and read them back by time."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Mapping
from typing import Self

import numpy as np

Rows = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Prints = np.ndarray[tuple[int], np.dtype[np.uint64]]

SERIES, START, END, VALUE = range(4)  # the columns
BLOCK_SECONDS = 16 * 86_400  # seconds of rows that lie together
WAITING = 1 << 19  # bytes held in memory before they go to the file
ROW_MAX = 7 * 86_400  # seconds a row may last
ODD = 0x9E3779B97F4A7C15  # 2**64 divided by the golden ratio, the multiplier of SplitMix64's sequence
FINGERPRINT_SUMS = 1 << 64  # how many sums there are; additions start over beyond it


def prints(rows: Rows, seed: int) -> Prints:
    """Return a 64-bit fingerprint for each row. ``seed`` is a number that stands for the rows' series."""
    found = np.full(len(rows), seed, dtype=np.uint64)
    for column in np.ascontiguousarray(rows).view(np.uint64).T:
        found = (found ^ column) * np.uint64(ODD)
        found ^= found >> np.uint64(29)
    return found


def blocks(first: float, last: float) -> range:
    """Return the numbers of the blocks of time that may hold rows between two Unix seconds."""
    return range(int((first - ROW_MAX) // BLOCK_SECONDS), int(last // BLOCK_SECONDS) + 1)


class Spill:
    """A temporary store for rows of (series, start, end, value), divided into blocks of time by start (Unix seconds).

    Rows go to memory, and to the file once memory is full. ``sums`` maps a block to the sum of its rows' fingerprints.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="rhythm-bridge-")  # noqa: SIM115 - closed with the spill
        self._waiting: dict[int, list[bytes]] = defaultdict(list)
        self._places: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._held = 0
        self.sums: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def put(self, rows: Rows, marks: Prints) -> None:
        """Store rows in any order. ``marks`` are their fingerprints, added to their block's sum (modulo 2**64)."""
        blocks = rows[:, START] // BLOCK_SECONDS
        for block in sorted({*blocks.tolist()}):
            mine = slice(None) if blocks[0] == block and (blocks == block).all() else blocks == block
            some = rows[mine]
            self.add({int(block): int(marks[mine].sum())})
            packed = np.ascontiguousarray(some).tobytes()
            self._waiting[int(block)].append(packed)
            self._held += len(packed)
        if self._held > WAITING:
            self._flush()

    def add(self, sums: Mapping[int, int]) -> None:
        """Add block -> sum of fingerprints to ``sums``, for rows that are not read again."""
        for block, more in sums.items():
            self.sums[block] = (self.sums.get(block, 0) + more) % FINGERPRINT_SUMS

    def _flush(self) -> None:
        at = self._file.seek(0, 2)
        for block, parts in self._waiting.items():
            packed = b"".join(parts)
            self._file.write(packed)
            self._places[block].append((at, len(packed)))
            at += len(packed)
        self._waiting.clear()
        self._held = 0

    def spans(self) -> list[tuple[float, float]]:
        """Return a (start, end) in Unix seconds for each block with rows, ascending. Each overlaps the next a week."""
        return [(block * BLOCK_SECONDS, (block + 1) * BLOCK_SECONDS + ROW_MAX) for block in sorted(self.sums)]

    def between(self, first: float, last: float) -> Rows:
        """Return all rows that touch the time from ``first`` to ``last``."""
        near = map(self._block, blocks(first, last))
        return np.concatenate([rows[(rows[:, END] >= first) & (rows[:, START] <= last)] for rows in near])

    def _block(self, number: int) -> Rows:
        parts = []
        for at, length in self._places.get(number, ()):
            self._file.seek(at)
            parts.append(self._file.read(length))
        packed = b"".join([*parts, *self._waiting.get(number, ())])
        return np.frombuffer(packed, dtype=np.float64).reshape(-1, 4)
