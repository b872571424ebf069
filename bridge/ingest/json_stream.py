"""Read JSON as a stream, and the rows of a file as far as it is undamaged.

A file of any size needs little memory. An error in it is kept until the rows before it are stored.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, Generic, TypeVar

from bridge.domain.errors import BridgeError, SourceChanged
from bridge.domain.ports import File
from bridge.ingest.files import DAMAGED

JSON_CHUNK_BYTES = 1 << 16
VALUE_MAX_CHARS = 1 << 22  # of a value that is read whole
WORD_MAX_CHARS = 1 << 12
NESTING_MAX = 10_000  # levels of brackets
UP_TO_BRACKET = re.compile(r'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)  # all up to the next bracket
BLANK = re.compile(r"[ \t\r\n]*")
NUMBER_OR_WORD = re.compile(r"[^\s,\]}]*")  # a number or a word
DECODER = json.JSONDecoder()
FILE_MAX_BYTES = 200_000_000  # Oura's ten years of heart rates and Fitbit's twelve years of sleep stages have 60 MB
Row = TypeVar("Row")


class Broken(Exception):
    """A JSON document is cut off, is not JSON, or holds far too large a value."""


class Json:
    """A JSON document that is read once, from its beginning. Each value must be read, entered or skipped in order.

    Every method raises Broken if the document is damaged or ends early.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at, self._ended = "", 0, False
        self.length = 0  # characters of the last object

    def peek(self) -> str:
        """Return the next character that is not blank, without reading past it. Return "" at the end."""
        character = self._text[self._at : self._at + 1]
        if character and character not in " \t\r\n":
            return character
        while True:
            self._at = self._past(BLANK)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def members(self) -> Iterator[str]:
        """Enter an object and yield each member's name, after which its value must be read or skipped."""
        for _ in self._inside("{", "}"):
            name = self.value() if self.peek() == '"' else None
            if not isinstance(name, str):
                raise Broken
            self._expect(":")
            yield name

    def elements(self) -> Iterator[None]:
        """Enter a list and yield before each element, which must be read or skipped."""
        yield from self._inside("[", "]")

    def _inside(self, opening: str, closing: str) -> Iterator[None]:
        self._expect(opening)
        if self.peek() == closing:
            self._expect(closing)
            return
        while True:
            yield
            if self.peek() == closing:
                self._expect(closing)
                return
            self._expect(",")

    def value(self) -> Any:
        try:
            return json.loads(self._plain()) if self.peek() not in ("{", "[", '"') else self._whole()
        except ValueError:
            raise Broken from None

    def _whole(self) -> Any:
        while True:
            try:
                found, self._at = DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                self._need_more()
            else:
                return found

    def object(self, largest: int) -> dict[str, Any] | None:
        """Return the next value, which must be an object, or None for one of more than ``largest`` characters.

        ``peek`` must be called first. After None, nothing was read. Raises Broken for a smaller value that is no
        object.
        """
        while True:
            try:
                found, end = DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                found, end = None, len(self._text)
            if end - self._at > largest:
                return None
            if isinstance(found, dict):
                self._at, self.length = end, end - self._at
                return found
            self._need_more()

    def skip(self) -> None:
        """Skip the next value. Raises Broken if it has too many levels of brackets."""
        following = self.peek()
        if following == '"':
            self.value()
            return
        if following not in ("{", "["):
            self._plain()
            return
        depth = 0
        while True:
            self._at = self._past(UP_TO_BRACKET)
            character = self._text[self._at : self._at + 1]
            if character in ('"', ""):  # a text that continues in the next chunk, or the end of the chunk
                self._need_more()
                continue
            self._at += 1
            depth += 1 if character in "{[" else -1
            if depth == 0:
                return
            if depth > NESTING_MAX:
                raise Broken

    def _plain(self) -> str:
        """Return the next number or word, which ends at a comma, bracket or blank. Raises Broken if it is empty."""
        while (end := self._past(NUMBER_OR_WORD)) == len(self._text):
            if len(self._text) - self._at > WORD_MAX_CHARS or not self._more():
                break
        word = self._text[self._at : end]
        if not word:
            raise Broken
        self._at = end
        return word

    def _past(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._at)
        return found.end() if found else self._at

    def end(self) -> None:
        """Raise Broken if anything but blanks follows."""
        if self.peek():
            raise Broken

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise Broken
        self._at += 1

    def _need_more(self) -> None:
        if len(self._text) - self._at > VALUE_MAX_CHARS or not self._more():
            raise Broken

    def _more(self) -> bool:
        if self._ended:
            return False
        content = self._stream.read(max(JSON_CHUNK_BYTES, 2 * (len(self._text) - self._at)))
        self._ended = not content
        try:
            more = self._decoder.decode(content, final=self._ended)
        except UnicodeDecodeError:
            raise Broken from None
        if content:
            self._text, self._at = self._text[self._at :] + more, 0
        return not self._ended


def objects(
    document: Json, largest: int, levels: int, *, inside: bool = False
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield (object, True if within a larger object) for each object of at most ``largest`` characters, in order.

    A larger object is searched for such objects, down to ``levels`` levels. ``inside`` is for its members. Raises
    Broken after the readable part.
    """
    following = document.peek()
    if following == "[" and levels:
        for _ in document.elements():
            yield from objects(document, largest, levels - 1, inside=inside)
    elif following == "{":
        whole = document.object(largest)
        if whole is not None:
            yield whole, inside
        elif levels:
            for _ in document.members():
                yield from objects(document, largest, levels - 1, inside=True)
        else:
            document.skip()
    else:
        document.skip()


class ReadablePart(Generic[Row]):
    """The rows of a file up to where it is damaged. ``raise_damage`` is to be called after all rows are stored.

    ``again`` is a sentence for the error's text that tells how to get the file anew. Raises SourceChanged for a far too
    large file.
    """

    def __init__(self, file: File, rows: Iterable[Row], *, again: str) -> None:
        if file.size > FILE_MAX_BYTES:
            raise SourceChanged(f"the file is far larger than any file of such an export. {again}")
        self._rows, self._again = rows, again
        self._damage: Exception | None = None

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._rows
        except (Broken, csv.Error):
            self._damage = SourceChanged(f"the file is cut off or damaged; what came before was read. {self._again}")
        except (BridgeError, *DAMAGED) as error:
            self._damage = error

    def raise_damage(self) -> None:
        """Raise the error at which reading ended, if any. It is SourceChanged for a file that is cut off."""
        if self._damage is not None:
            raise self._damage


def json_list(file: File) -> Iterator[Any]:
    """Yield the values of a JSON list, with one value in memory at a time. Raises Broken after the undamaged values."""
    with file.open() as content:
        document = Json(content)
        for _ in document.elements():
            yield document.value()
        document.end()
