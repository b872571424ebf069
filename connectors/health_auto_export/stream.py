"""JSON read piece by piece: a file of any size in little memory, its large parts skipped unread."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

CHUNK = 1 << 16
LARGEST = 1 << 23  # characters of one value that is taken whole
LONGEST_WORD = 1 << 12
FLAT = re.compile(r'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)  # all up to the next bracket
BLANK = re.compile(r"[ \t\r\n]*")
PLAIN = re.compile(r"[^\s,\]}]*")  # a number or a word
DECODER = json.JSONDecoder()


class Broken(Exception):
    """The document ends before its end, is no JSON, or holds a value that is far too large."""


class Json:
    """A document from its beginning. Every value that is come to must be taken, entered or skipped."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text, self._at, self._ended = "", 0, False

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
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
        """The names in an object; the value of each is to be read before the next."""
        for _ in self._inside("{", "}"):
            name = self.value() if self.peek() == '"' else None
            if not isinstance(name, str):
                raise Broken
            self._expect(":")
            yield name

    def elements(self) -> Iterator[None]:
        """Once for each element of a list, to be read before the next."""
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
        """The next value, whole."""
        try:
            return json.loads(self._plain()) if self.peek() not in ("{", "[", '"') else self._whole()
        except ValueError:
            raise Broken from None

    def _whole(self) -> Any:
        """An object, a list or a text: it says itself where it ends."""
        while True:
            try:
                found, self._at = DECODER.raw_decode(self._text, self._at)
            except (ValueError, RecursionError):
                self._need_more()
            else:
                return found

    def skip(self) -> None:
        """Pass over the next value, however large it is."""
        following = self.peek()
        if following == '"':
            self.value()
            return
        if following not in ("{", "["):
            self._plain()
            return
        depth = 0
        while True:
            self._at = self._past(FLAT)
            character = self._text[self._at : self._at + 1]
            if character in ('"', ""):  # a text that goes on in the next chunk, or nothing
                self._need_more()
                continue
            self._at += 1
            depth += 1 if character in "{[" else -1
            if depth == 0:
                return

    def _plain(self) -> str:
        """A number or a word, which ends where something else begins."""
        while (end := self._past(PLAIN)) == len(self._text):
            if len(self._text) - self._at > LONGEST_WORD or not self._more():
                break
        word = self._text[self._at : end]
        if not word:
            raise Broken
        self._at = end
        return word

    def _past(self, pattern: re.Pattern[str]) -> int:
        """Where what the pattern means ends here."""
        found = pattern.match(self._text, self._at)
        return found.end() if found else self._at

    def end(self) -> None:
        """Raises Broken when something follows."""
        if self.peek():
            raise Broken

    def _expect(self, character: str) -> None:
        if self.peek() != character:
            raise Broken
        self._at += 1

    def _need_more(self) -> None:
        if len(self._text) - self._at > LARGEST or not self._more():
            raise Broken

    def _more(self) -> bool:
        """Read on, twice as much as is waiting, so that a value in many chunks is not tried too often."""
        if self._ended:
            return False
        content = self._stream.read(max(CHUNK, 2 * (len(self._text) - self._at)))
        self._ended = not content
        try:
            more = self._decoder.decode(content, final=self._ended)
        except UnicodeDecodeError:
            raise Broken from None
        if content:
            self._text, self._at = self._text[self._at :] + more, 0
        return not self._ended
