"""The linear model with its arrays, file format and probabilities, and the hashed n-grams that are its features.

A feature's index is a polynomial rolling hash (Karp and Rabin 1987) of its characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from bridge.domain.errors import SetupError
from bridge.domain.phrases import first_names
from bridge.domain.ports import Invitation
from classifiers.keywords import WORD, Verdict, normalised

Floats = NDArray[np.float32]
Hashes = NDArray[np.uint64]
Positions = NDArray[np.int64]

LOUD = 1.5  # weight of a fact, relative to 1 for all letters together and 1 for all words
TITLE_MAX_CHARS = 160  # characters of a normalised title that are read
RUNS = range(1, 6)
BITS = 18
BLANK = ord(" ")
DIGIT_RUN = re.compile(r"\d+")
SOMEBODY = "somebodys"  # replaces any first name
DRAWL = re.compile(r"(\w)\1{3,}")  # a letter four times or more
BASE = 0x9E3779B97F4A7C15  # odd, so that it has an inverse modulo 2^64
INVERSE = pow(BASE, -1, 1 << 64)
KIND = 0xD6E8FEB86659FD93  # keeps kinds of features with equal characters apart
PAIR, TRIPLE, FIRST, LAST, WHOLE, SHOWN = range(11, 17)  # kinds beyond the runs, which are their lengths, and words
LONE = 10
FORMAT = 4


class Part(Enum):
    """A group of features. All groups but FACTS are scaled to length 1 per title, so that long titles weigh no more."""

    LETTERS = "letters"
    WORDS = "words"
    FACTS = "facts"


class Block(NamedTuple):
    """Features of one kind in a batch of titles, as two arrays of equal length, ordered by title.

    ``titles`` holds the index of each feature's title, and ``buckets`` its row in the model's weights.
    """

    part: Part
    titles: Positions
    buckets: Positions


def plain_words(title: str) -> str:
    """Return a title's distinct normalised words, each between blanks, limited to TITLE_MAX_CHARS characters.

    Runs of digits become "0" and first names SOMEBODY.
    """
    text = DRAWL.sub(r"\1\1\1", DIGIT_RUN.sub("0", normalised(title)))
    words = dict.fromkeys(SOMEBODY if word in first_names() else word for word in WORD.findall(text))
    return f" {' '.join(words)[:TITLE_MAX_CHARS].rstrip()} " if words else " "


def blocks(titles: Sequence[str], rules: Sequence[Sequence[str]]) -> list[Block]:
    """Return all features of a batch of titles, a block for each kind.

    ``rules`` holds for each title the features from its keyword rule, as ``names`` returns them.
    """
    texts = [plain_words(title) for title in titles]
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)
    title = np.repeat(np.arange(len(texts)), lengths)
    runs = _Runs(codes)
    return [*_letters(runs, title), *_words(runs, title), _facts(rules)]


def words_in(found: Sequence[Block], titles: int) -> NDArray[np.int64]:
    """Return the number (titles,) of words in each of ``titles`` titles, counted in the features ``found``."""
    words = next(block for block in found if block.part is Part.WORDS)
    return np.bincount(words.titles, minlength=titles)


class _Runs:
    """A text as character codes, from which the hash of any substring is computed in constant time."""

    def __init__(self, codes: Hashes) -> None:
        self.codes = codes
        self.blank = codes == BLANK
        powers, self._inverses = _powers(1 << max(len(codes), 1).bit_length())
        self._sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(codes * powers[: len(codes)], dtype=np.uint64)])
        self.blanks = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.blank)])

    def hashes(self, start: Positions, end: Positions) -> Hashes:
        found: Hashes = (self._sums[end] - self._sums[start]) * self._inverses[start]
        return found


@cache
def _powers(size: int) -> tuple[Hashes, Hashes]:
    def powers(of: int) -> Hashes:
        factors = np.full(size, of, dtype=np.uint64)
        factors[0] = 1
        return np.cumprod(factors, dtype=np.uint64)

    return powers(BASE), powers(INVERSE)


def _bucket(hashes: Hashes, kind: int) -> Positions:
    mixed = hashes + np.uint64(kind * KIND & 0xFFFFFFFFFFFFFFFF)
    mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(KIND)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(BASE)
    return (mixed >> np.uint64(64 - BITS)).astype(np.int64)


def _letters(runs: _Runs, title: Positions) -> list[Block]:
    found = []
    for length in RUNS:
        start = np.arange(max(len(runs.codes) - length + 1, 0))
        end = start + length
        inner = runs.blanks[end - 1] - runs.blanks[start + 1] if length > 2 else runs.blank[start] & runs.blank[end - 1]
        start = start[inner == 0]
        found.append(Block(Part.LETTERS, title[start], _bucket(runs.hashes(start, start + length), length)))
    return found


def _words(runs: _Runs, title: Positions) -> list[Block]:
    edges = np.diff(np.concatenate([[1], runs.blank.astype(np.int8), [1]]))
    start, end = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
    word, of = runs.hashes(start, end), title[start]
    new = np.concatenate([[True], of[1:] != of[:-1]]) if len(of) else np.zeros(0, bool)
    final = np.concatenate([new[1:], [True]]) if len(of) else new
    found = [(of, _bucket(word, LONE))]
    chain = word
    for kind, back in ((PAIR, 1), (TRIPLE, 2)):
        chain = chain[:-1] * np.uint64(BASE) + word[back:]
        same = of[back:] == of[:-back]
        found.append((of[back:][same], _bucket(chain[same], kind)))
    found += [(of[new], _bucket(word[new], FIRST)), (of[final], _bucket(word[final], LAST))]
    found.append((of[new], _bucket(runs.hashes(start[new], end[final]), WHOLE)))
    return [Block(Part.WORDS, titles, buckets) for titles, buckets in found]


def _facts(facts: Sequence[Sequence[str]]) -> Block:
    pairs = [(at, _token(fact)) for at, found in enumerate(facts) for fact in found]
    titles = np.array([at for at, _ in pairs], dtype=np.int64)
    return Block(Part.FACTS, titles, np.array([bucket for _, bucket in pairs], dtype=np.int64))


@cache
def _token(name: str) -> int:
    codes = np.frombuffer(name.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    return int(_bucket(_Runs(codes).hashes(np.array([0]), np.array([len(codes)])), SHOWN)[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The arrays of the linear model, by bucket (hash of a feature) and action.

    ``weights`` (bucket, action) times ``scale`` (action,) are coefficients, ``rarity`` (bucket,) inverse document
    frequencies. ``temperature`` and ``longer`` (per word) divide the scores, to which ``commoner`` (action,) is then
    added.
    """

    version: int
    weights: Floats | NDArray[np.int8]
    scale: Floats
    rarity: Floats
    bias: Floats
    commoner: Floats
    temperature: float
    longer: float

    def probabilities(
        self, events: Sequence[Invitation], rules: Sequence[Verdict | None] | None
    ) -> NDArray[np.float64]:
        """Return probabilities (event, action) by the titles and rules, each row adding to 1.

        ``rules`` holds the keyword rules' verdict on each event, or is None to leave rules out.
        """
        scores = np.tile(self.bias.astype(np.float64), (len(events), 1))
        found = blocks(
            [event.title for event in events], [[]] * len(events) if rules is None else [names(rule) for rule in rules]
        )
        for part in Part:
            scores += self._scored([block for block in found if block.part is part], part, len(events))
        words = words_in(found, len(events))[:, None]
        scores = scores / (self.temperature * (1.0 + words) ** self.longer) + self.commoner
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares: NDArray[np.float64] = likely / likely.sum(axis=1, keepdims=True)
        return shares

    def _scored(self, found: Sequence[Block], part: Part, titles: int) -> NDArray[np.float64]:
        sums = np.zeros((titles, self.weights.shape[1]))
        squares = np.zeros(titles)
        for block in found:
            if len(block.titles):
                first = np.flatnonzero(np.diff(block.titles, prepend=-1))
                weights = self.weights.take(block.buckets, axis=0) * self.scale
                rare = self.rarity.take(block.buckets) if part is not Part.FACTS else np.ones(1, np.float32)
                sums[block.titles[first]] += np.add.reduceat(weights * rare[:, None], first)
                squares[block.titles[first]] += np.add.reduceat(np.broadcast_to(rare**2, block.titles.shape), first)
        return LOUD * sums if part is Part.FACTS else sums / np.sqrt(np.maximum(squares, 1e-9))[:, None]


def names(rule: Verdict | None) -> list[str]:
    """Return the names of the features for a keyword rule's verdict, ["no rule"] without a verdict or action."""
    if rule is None or rule.action is None:
        return ["no rule"]
    return [f"rule {rule.action}", f"rule {rule.action} {rule.confidence:.1f}"]


@cache
def load(path: Path) -> Model:
    """Return the model in a file, which is read once per process.

    Raises SetupError for a missing or damaged file, or another version of the format.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            if int(kept["format"]) != FORMAT or int(kept["bits"]) != BITS:
                raise SetupError(
                    f"{path.name} has another format; install the package again, or train the model: "
                    "python -m lab.classifier"
                )
            used, scale = kept["buckets"], kept["scale"]  # each look unpacks an array again
            weights = np.zeros((1 << BITS, len(scale)), dtype=np.int8)
            weights[used] = kept["weights"]
            rarity = np.full(1 << BITS, kept["unseen"], dtype=np.float32)
            rarity[used] = kept["rarity"]
            return Model(
                version=int(kept["version"]),
                weights=weights,
                scale=scale,
                rarity=rarity,
                bias=kept["bias"],
                commoner=kept["commoner"],
                temperature=float(kept["temperature"]),
                longer=float(kept["longer"]),
            )
    except (OSError, EOFError, KeyError, ValueError, TypeError, AttributeError, BadZipFile) as error:
        raise SetupError(f"{path.name} cannot be read ({type(error).__name__}); install the package again") from None
