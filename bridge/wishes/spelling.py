"""Divide the text of a wish into words, with typing slips corrected."""

from __future__ import annotations

import re
import string
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from bridge.wishes.lexicon import Kind, Lexicon, lexicon

K = Kind
A_DAY = r"((?:mon|tue|wed|thu|fri|sat|sun)\w*|(?:mo|di|mi|do|fr|sa|so)|(?:diens|donners|frei|sams|sonn)\w+|mittwoch)"
DAY_RANGE = re.compile(rf"\b{A_DAY} ?[-–] ?{A_DAY}\b")  # "Mo-Fr", whose hyphen joins no word
WORD = re.compile(r"\d+(?:min|beforebed)\b|\d{1,2}[:.]\d\d|\d+|[^\W\d_]+(?:'[^\W\d_]+)?|[-–,;.:&!?]")

TYPO_MIN, MEANT_MIN = (6, 8)  # letters of a word with a mistyped one, and of the word that was meant
CONTENT = frozenset({K.ACTION, K.DAY, K.PART, K.SUGGESTION})
NEAR_MIN, NEAR = 5, {*CONTENT, K.METER, K.FILL, K.AGAIN, K.BEST, K.THEN}
SMALL_MIN = 4  # letters of "afer"
STEM_MIN, LINKS = (4, ("s", "n"))  # letters of each word of a compound, and what may stand between them
KEYS = ("qwertzuiopü", "qwertyuiop", "asdfghjklöä", "yxcvbnm", "zxcvbnm")
BESIDE = {
    one: "".join(row[max(at - 1, 0) : at + 2] for row in KEYS if (at := row.find(one)) >= 0) for one in "".join(KEYS)
}
LETTERS = string.ascii_lowercase + "äöüß"


def words(text: str, lexicon: Lexicon) -> list[str]:
    text = re.sub(DAY_RANGE, r"\1-\2", text.lower().replace("’", "'")).strip(" .!?")
    text = re.sub(r"[?!]+|\.\.+| [-–—]+ (?=\D)|—", ", ", text)
    text = re.sub(DAY_RANGE, r"\1 - \2", text)
    text = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", " ", text)
    for parted, together in lexicon.rewrites:
        text = parted.sub(together, text)
    found = ["-" if one == "–" else "comma" if one == "," else one for one in WORD.findall(text)]
    return [_meant(word, lexicon) for one in found for word in _spelt(one, lexicon)]


def without_adjuncts(text: str, language: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without phrases for what something is for, if their noun is unknown, and these phrases."""
    known = lexicon(language)
    found = [
        one
        for one in known.adjuncts.finditer(text.lower())
        if not any((word,) in known.phrases or _spelt(word, known) != [word] for word in one["noun"].split())
    ]
    rest = text
    for one in reversed(found):
        rest = rest[: one.start()].rstrip() + rest[one.end() :]
    return rest, tuple(text[one.start() : one.end()] for one in found)


def _spelt(word: str, lexicon: Lexicon) -> list[str]:
    """Return a word with a typing slip corrected, and a compound as its two words."""
    known, long = _known(lexicon)
    if word in known or word in lexicon.real or not word.isalpha():
        return [word]
    umlauts = word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")
    if umlauts in known:
        return [umlauts]
    if (parts := _parts(word, lexicon)) is not None:
        return parts
    full = [f"{word}e", re.sub("(?<=[hlr])n$", "en", word)] if lexicon.heads else []  # "schreib ich", "spaziern"
    if said := [one for one in full if one != word and K.ACTION in dict(lexicon.phrases.get((one,), ()))]:
        return said[:1]
    if small := [one for one in lexicon.small if len(word) >= SMALL_MIN and _is_next(word, one)]:
        return small if len(small) == 1 else [word]
    if len(word) < TYPO_MIN:
        return [word]
    halves = [(word[:i], word[i:]) for i in range(1, len(word))]  # the first and the last letter are taken as typed
    near = {head + tail[1:] for head, tail in halves if len(tail) > 1}
    near |= {head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 2}
    near |= {head + letter + tail for head, tail in halves for letter in LETTERS}
    near |= {head + one + tail[1:] for head, tail in halves if len(tail) > 1 for one in BESIDE.get(tail[0], "")}
    meant = near & long
    return [meant.pop() if len(meant) == 1 else word]


def _parts(word: str, lexicon: Lexicon) -> list[str] | None:
    """Return the two words of a compound such as "Abendspaziergang", or None for another word."""
    if not lexicon.heads:  # a language that joins no words
        return None
    found = set()
    for at in range(STEM_MIN, len(word) - STEM_MIN + 1):
        first, last = word[:at], word[at:]
        if not (last in lexicon.heads or _is_content(last, lexicon)):
            continue
        stems = [first, first + "e", first + "en", *(first[: -len(link)] for link in LINKS if first.endswith(link))]
        known = [stem for stem in stems if len(stem) >= STEM_MIN and _is_content(stem, lexicon)]
        if last in lexicon.heads and known and {kind for kind, _ in lexicon.phrases[(known[0],)]} == {K.DETAIL}:
            continue  # "Kleinkram": the head that would be dropped says what is small
        found |= {(known[0], *([] if last in lexicon.heads else [last]))} if known else set()
    return list(found.pop()) if len(found) == 1 else None


def _is_content(word: str, lexicon: Lexicon) -> bool:
    tokens = lexicon.phrases.get((word,), ())
    return bool(tokens) and {kind for kind, _ in tokens} <= CONTENT | {K.ABOUT, K.DETAIL, K.RULE}


@cache
def _known(lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Return all words of a lexicon, and those that may be meant by a mistyped one because they are long enough."""
    known = {word for phrase in lexicon.phrases for word in phrase}
    long = {
        word
        for phrase, tokens in lexicon.phrases.items()
        for word in phrase
        if (len(word) >= MEANT_MIN or word in lexicon.often_mistyped) and {kind for kind, _ in tokens} & CONTENT
    }
    return frozenset(known), frozenset(long)


def _meant(word: str, known: Lexicon) -> str:
    """Return the only known word from which a word differs by one letter, or else the word itself."""
    single, near = _near(known)
    if word in single or not word.isalpha() or len(word) < NEAR_MIN or word in known.real:
        return word
    if (stem := next((one for one in _stems(word) if one in single and _is_near(known, (one,))), None)) is not None:
        return stem
    found = {one for cut in _cuts(word) for one in near.get(cut, ()) if _is_next(word, one)}
    meanings = {known.phrases[(one,)] for one in found}
    return min(found) if len(meanings) == 1 else word


@cache
def _near(known: Lexicon) -> tuple[frozenset[str], Mapping[str, Sequence[str]]]:
    near: dict[str, list[str]] = defaultdict(list)
    for phrase in known.phrases:
        if len(phrase) == 1 and len(phrase[0]) >= NEAR_MIN and phrase[0].isalpha() and _is_near(known, phrase):
            for cut in _cuts(phrase[0]):
                near[cut].append(phrase[0])
    return frozenset(word for phrase in known.phrases for word in phrase), near


def _stems(word: str) -> Iterator[str]:
    """Yield other forms of a verb: schraub, schraubst, geschraubt -> schrauben; knits, knitted -> knit, knitting."""
    for end in ("", "e", "t", "st", "est", "et"):
        if word.endswith(end):
            yield word[: len(word) - len(end)] + "en"
            yield word[: len(word) - len(end)] + "n"
            if word.startswith("ge"):
                yield from (word[2 : len(word) - len(end)] + ending for ending in ("en", "n"))
    for end in ("s", "es", "ed", "ing"):
        if word.endswith(end):
            stem = word[: -len(end)]
            yield from (stem, stem + "e", stem + "ing")
            if stem[-2:-1] == stem[-1:]:  # a doubled last letter
                yield from (stem[:-1], stem[:-1] + "ing")
    yield word + "ing"


def _is_near(known: Lexicon, phrase: tuple[str, ...]) -> bool:
    return {kind for kind, _ in known.phrases.get(phrase, ((K.BAR, None),))} <= NEAR


def _cuts(word: str) -> Iterator[str]:
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))


def _is_next(one: str, other: str) -> bool:
    """Return True if two words differ by one letter that is missing, added or changed, or by two swapped letters."""
    if abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[at:], other[at:]
    return (
        (left[1:] == right[1:] and (not left or right[:1] in BESIDE.get(left[0], "")))
        or left[1:] == right
        or left == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )
