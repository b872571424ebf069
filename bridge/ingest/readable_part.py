"""Read the rows of a file as far as it is sound, and keep its damage until the rows are stored."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from bridge.domain.errors import BridgeError, SourceChanged
from bridge.domain.ports import File
from bridge.ingest.files import DAMAGED
from bridge.ingest.json_stream import Broken, Json

FILE_MAX_BYTES = 200_000_000  # Oura's ten years of heart rates and Fitbit's twelve years of sleep stages have 60 MB
Row = TypeVar("Row")


class ReadablePart(Generic[Row]):
    """The rows of a file up to where it is damaged. Iterate over it, store the rows, and then call ``raise_damage``.

    ``again`` says how to get the file another time, for the text of the error.
    """

    def __init__(self, file: File, rows: Iterable[Row], *, again: str) -> None:
        if file.size > FILE_MAX_BYTES:
            raise SourceChanged(f"it is far larger than any file of such an export. {again}")
        self._rows, self._again = rows, again
        self._damage: Exception | None = None

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._rows
        except (Broken, csv.Error):
            self._damage = SourceChanged(f"it is cut off or damaged; what came before was read. {self._again}")
        except (BridgeError, *DAMAGED) as error:
            self._damage = error

    def raise_damage(self) -> None:
        """Raise the error at which reading ended, if any. It is SourceChanged for a file that is cut off."""
        if self._damage is not None:
            raise self._damage


def json_list(file: File) -> Iterator[Any]:
    """Yield the values of a JSON list, with a single value in memory at a time. Raises Broken after the sound part."""
    with file.open() as content:
        document = Json(content)
        for _ in document.elements():
            yield document.value()
        document.end()
