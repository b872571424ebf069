"""Part the text of a wish into words: what is said apart is put together, and a mistyped letter is mended."""

from __future__ import annotations

import re
import string
from functools import cache

from bridge.domain.wish_lexicon import Kind, Lexicon

K = Kind
A_DAY = r"((?:mon|tue|wed|thu|fri|sat|sun)\w*|(?:mo|di|mi|do|fr|sa|so)|(?:diens|donners|frei|sams|sonn)\w+|mittwoch)"
DAY_RANGE = re.compile(rf"\b{A_DAY}[-–]{A_DAY}\b")  # "Mo-Fr", whose hyphen joins no word
WORD = re.compile(r"\d{1,2}[:.]\d\d|\d+|[^\W\d_]+(?:'[^\W\d_]+)?|[-–,;.:&!?]")

TYPO_MIN, MEANT_MIN = 6, 8  # letters of a word with a mistyped one, and of the word that was meant
CONTENT = frozenset({K.ACTION, K.DAY, K.PART, K.SUGGESTION})
LETTERS = string.ascii_lowercase + "äöüß"

def words(text: str, lexicon: Lexicon) -> list[str]:
    text = re.sub(DAY_RANGE, r"\1 - \2", text.lower().replace("’", "'"))
    text = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", text).strip(" .!?")
    for parted, together in lexicon.rewrites:
        text = parted.sub(together, text)
    found = ["-" if one == "–" else "comma" if one == "," else one for one in WORD.findall(text)]
    return [_spelt(one, lexicon) for one in found]


def _spelt(word: str, lexicon: Lexicon) -> str:
    """Return the one long word of which a letter inside was mistyped, or else the word itself."""
    known, long = _known(lexicon)
    if len(word) < TYPO_MIN or word in known or word in lexicon.real or not word.isalpha():
        return word
    halves = [(word[:i], word[i:]) for i in range(1, len(word))]  # the first and the last letter are taken as typed
    near = {head + tail[1:] for head, tail in halves if len(tail) > 1}
    near |= {head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 2}
    near |= {head + one + tail for head, tail in halves for one in LETTERS}
    near |= {head + one + tail[1:] for head, tail in halves if len(tail) > 1 for one in LETTERS}
    meant = near & long
    return meant.pop() if len(meant) == 1 else word


@cache
def _known(lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Return all words of a lexicon, and those of them that are long enough, or safe, to be meant by a mistyped one."""
    known = {word for phrase in lexicon.phrases for word in phrase}
    long = {
        word
        for phrase, tokens in lexicon.phrases.items()
        for word in phrase
        if (len(word) >= MEANT_MIN or word in lexicon.often_mistyped) and {kind for kind, _ in tokens} & CONTENT
    }
    return frozenset(known), frozenset(long)
