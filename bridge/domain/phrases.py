"""Split words into known phrases. Name weekdays and numbers in English and German."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

PHRASE_MAX = 6  # words
WEEKDAYS = {
    "en": "monday tuesday wednesday thursday friday saturday sunday",
    "de": "montag dienstag mittwoch donnerstag freitag samstag sonntag",
}
NUMBERS = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
}
T = TypeVar("T")


@cache
def first_names() -> frozenset[str]:
    """Return first names of many countries that are no ordinary words, in lower case and without accents."""
    lines = Path(__file__).with_name("first_names.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(name for line in lines[1:] for name in line.split())


def tokens(
    words: Sequence[str], lexicon: Mapping[tuple[str, ...], Sequence[T]], other: Callable[[str], T]
) -> Iterator[T]:
    """Split words, from the left, into the longest phrases in ``lexicon`` and yield all meanings of each phrase.

    A word that begins no known phrase yields ``other(word)``.
    """
    at = 0
    while at < len(words):
        sizes = range(min(PHRASE_MAX, len(words) - at), 0, -1)
        size = next((size for size in sizes if tuple(words[at : at + size]) in lexicon), None)
        yield from [other(words[at])] if size is None else lexicon[tuple(words[at : at + size])]
        at += size or 1
