"""Read words by a lexicon of phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

PHRASE_MAX = 6  # words
T = TypeVar("T")


def tokens(
    words: Sequence[str], lexicon: Mapping[tuple[str, ...], Sequence[T]], other: Callable[[str], T]
) -> Iterator[T]:
    """Yield the tokens of the longest known phrase at each place, and ``other`` of a word that begins none."""
    at = 0
    while at < len(words):
        sizes = range(min(PHRASE_MAX, len(words) - at), 0, -1)
        size = next((size for size in sizes if tuple(words[at : at + size]) in lexicon), None)
        yield from [other(words[at])] if size is None else lexicon[tuple(words[at : at + size])]
        at += size or 1
