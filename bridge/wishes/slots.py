"""Read a wish by the slots of its parts, in any order: whom or what it is about, "not" or "only", days, hours, counts.

A part without a wish of its own, such as a reason, is set aside. A word beside a wish that is not known is refused.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from bridge.domain import phrases
from bridge.domain.wishes import Hours
from bridge.wishes.asides import is_fragment
from bridge.wishes.events import timed
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import (
    ALL,
    Bed,
    Kind,
    Lexicon,
    OneOf,
    Token,
    lexicon,
    named_by,
    phrases_of,
    token_of,
    whole_names,
)
from bridge.wishes.spelling import words
from bridge.wishes.times import Span, folded, ranged
from rhythm_env.interface import ActionType, Meter

K = Kind
TYPO_MIN = 5  # letters
SHORT = 3  # words of what is no statement
JOINTS = (K.COMMA, K.CUT, K.AND, K.OR, K.THUS, K.WHY, K.WHEN)
LISTS = (K.ACTION, K.DAY, K.PART, K.SPAN)
LIMITS = {K.ONLY, K.MOST, K.LEAST, K.ENOUGH}
HEADS = {K.FINISH, K.START, K.FREE, K.BED, K.UP, K.SUGGESTION}
ABOUT_METERS = ("weight", "over")  # words that mean something else where no meter is named
DENIES = {"true", "right", "correct", "serious", "wahr", "stimmt", "richtig", "ernst", "always", "immer"}
ENDS = re.compile(r"[,;.!?()]| (?:and|or|but|und|oder|aber) ")  # of a statement
CHANGES = frozenset(["longer", "shorter", "later", "earlier", "more", "less", "fewer", "ones"])
CHANGES |= frozenset(["länger", "kürzer", "mehr", "weniger", "später", "früher", "öfter"])


@dataclass(slots=True)
class Part:
    """A part of a text with its meaning. ``words`` are those that are not known."""

    joint: Kind
    text: str = ""
    kinds: list[Kind] = field(default_factory=list)
    actions: frozenset[ActionType] = frozenset()
    named: list[frozenset[ActionType]] = field(default_factory=list)
    days: frozenset[int] = frozenset()
    parts: list[Hours] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    flags: dict[Kind, Any] = field(default_factory=dict)
    meters: list[Meter] = field(default_factory=list)
    beside: list[Token] = field(default_factory=list)
    loose: list[Kind] = field(default_factory=list)  # "before" or "after" without a time
    words: list[str] = field(default_factory=list)
    nots: int = 0
    by_then: bool = False  # points to times that were said before
    is_short: bool = False  # no statement, but a few words
    is_fragment: bool = False  # says nothing of anybody: "not earlier"

    def has(self, *kinds: Kind) -> bool:
        """Return True if any of these kinds was said."""
        return any(kind in self.flags for kind in kinds)

    @property
    def has_head(self) -> bool:
        """True if it names what is wished."""
        return bool(self.actions or self.meters or self.flags.keys() & HEADS)

    @property
    def times(self) -> bool:
        """True if it names days or hours."""
        return bool(self.days or self.parts or self.spans)

    @property
    def counts(self) -> bool:
        """True if it says how often."""
        return self.has(K.NUMBER, K.TIMES, K.PER, K.WEEKLY)


@cache
def everyday(language: str, with_meters: bool) -> Lexicon:
    """Return the words of a language, with the everyday ones. Those about meters may mean something else elsewhere."""
    base = lexicon(language)
    found = dict(base.phrases)
    rewrites: list[tuple[re.Pattern[str], str]] = []
    files = [(Path(__file__).parent / file).read_text("utf-8") for file in ("slots.toml", "spoken.toml")]
    several: list[dict[str, Any]] = [tomllib.loads(text)[language] for text in files]
    for said in several:
        for name, text in said["actions"].items():
            for phrase in phrases_of(text):
                found[phrase] = ((K.ACTION, named_by(ActionType[name], phrase, whole_names(language))),)
        for means, text in sorted(said["words"].items(), key=lambda one: one[0] in ABOUT_METERS):
            if with_meters or means not in ABOUT_METERS:
                found |= dict.fromkeys(phrases_of(text), tuple(map(token_of, means.split())))
        rewrites = [(re.compile(pattern), text) for pattern, text in said["rewrites"]] + rewrites
    for name, text in [one for said in several for one in said["meters"].items() if with_meters]:
        found |= dict.fromkeys(phrases_of(text), ((K.METER, Meter[name]),))
    return replace(base, phrases=found, rewrites=tuple(rewrites))


def parts_of(text: str, language: str, *, with_meters: bool) -> list[Part]:
    """Return the parts of a text. Raises NotUnderstood for a text with a word that changes what it is beside."""
    known = everyday(language, with_meters)
    spelt = [one for word in words(timed(text, language), known) for one in _meant(word, known)]
    tokens = [_of_bed(one) for one in phrases.tokens(spelt, known.phrases, lambda word: _figure(word))]
    kinds = [kind for kind, _ in tokens]
    if (
        K.BAR in kinds
        or re.match(r"\s*-\s?\d", text)
        or (K.FINISH not in kinds and re.search(r"\bfinish", text.lower()))
    ):
        raise NotUnderstood  # "finish the report by six"
    for at, token in enumerate(tokens[:-1]):
        tokens[at] = (K.NOT, "never") if token == (K.MOST, 2) and tokens[at + 1][0] is K.ACTION else token
    found = list(_parts(ranged(folded([one for one in tokens if one[0] is not K.FILL]))))
    at = 0
    for part in found:
        part.text, at = _source(part.words, text, at)
        if part.text:
            said = ENDS.split(text[:at])[-1] + ENDS.split(text[at:])[0]
            part.is_fragment = is_fragment(said, limited=bool(part.days or part.spans or part.counts))
        part.is_short = len(re.split(r"[,;.!?()]", text[:at])[-1].split()) < SHORT and at == _end(text, at)
    return found


def _end(text: str, at: int) -> int:
    """Return where the statement ends that goes on at a place, without the two words that may end it."""
    rest = re.match(r"(?: [\w+/-]+){0,2}(?=[,;.!?()]|$)", text[at:])
    return at if rest else at + 1


def _source(words: Sequence[str], text: str, at: int) -> tuple[str, int]:
    """Return the piece of a text from the first to the last of some words, and where it ends."""
    low, begin = text.lower(), None
    for word in words:
        found = low.find(word, at)
        if found >= 0:
            begin, at = found if begin is None else begin, found + len(word)
    return ("" if begin is None else text[begin:at]), at


def _of_bed(token: Token) -> Token:
    if isinstance(token[1], Bed):
        return K.BED, None
    return (K.WORD, token[1] or "") if token[0] in (K.BARRED, K.WORD) else token


def _figure(word: str) -> Token:
    if re.fullmatch(r"\d{1,2}[:.]\d\d", word):
        hour, minute = map(int, re.split("[:.]", word))
        if hour <= 24 and minute < 60:
            return (K.CLOCK, (hour, minute, True) if word.startswith("0") else (hour, minute))
    if word.isdecimal() and len(word) <= 2:
        return (K.NUMBER, int(word))
    return (K.WORD, word)


def _meant(word: str, known: Lexicon) -> list[str]:
    """Return a word, or the only known one from which it differs by one letter."""
    single, near = _near(known)
    if word in single or not word.isalpha() or len(word) < TYPO_MIN or word in known.real:
        return [word]
    if (stem := next((one for one in _stems(word) if one in single and _is_content(known, (one,))), None)) is not None:
        return [stem]
    found = {one for cut in _cuts(word) for one in near.get(cut, ()) if _is_next(word, one)}
    meanings = {known.phrases[(one,)] for one in found}
    return [min(found)] if len(meanings) == 1 else [word]


@cache
def _near(known: Lexicon) -> tuple[frozenset[str], Mapping[str, Sequence[str]]]:
    near: dict[str, list[str]] = defaultdict(list)
    for phrase in known.phrases:
        if len(phrase) == 1 and len(phrase[0]) >= TYPO_MIN and phrase[0].isalpha() and _is_content(known, phrase):
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
            yield from (stem, stem + "e", stem + "ing", stem[:-1], stem[:-1] + "ing")
    yield word + "ing"


def _is_content(known: Lexicon, phrase: tuple[str, ...]) -> bool:
    return {kind for kind, _ in known.phrases.get(phrase, ((K.BAR, None),))} <= {
        K.ACTION,
        K.DAY,
        K.PART,
        K.SUGGESTION,
        K.METER,
        K.FILL,
        K.AGAIN,
        K.BEST,
    }


def _cuts(word: str) -> Iterator[str]:
    yield word
    yield from (word[:at] + word[at + 1 :] for at in range(len(word)))


def _is_next(one: str, other: str) -> bool:
    """Return True if two words differ by one letter that is missing, added, changed or changes places."""
    if abs(len(one) - len(other)) > 1 or one[0] != other[0]:
        return False
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    left, right = one[at:], other[at:]
    return (
        left[1:] == right[1:]
        or left[1:] == right
        or left == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )


def _parts(tokens: Sequence[Token]) -> Iterator[Part]:
    part = Part(K.CUT)
    for at, (kind, value) in enumerate(tokens):
        if kind in JOINTS:
            if kind in (K.AND, K.OR, K.COMMA) and 0 < at < len(tokens) - 1 and _lists(tokens, at):
                part.kinds.append(kind)
                continue
            if part.kinds or part.words:
                yield part
                part = Part(kind)
            elif kind in (K.WHY, K.THUS, K.WHEN):
                part.joint = kind
            continue
        _take(part, kind, value)
    if part.kinds or part.words:
        yield part


def _lists(tokens: Sequence[Token], at: int) -> bool:
    """Return True if a joint is between two of a kind, such as "Monday and Tuesday"."""
    one, (joint, _), other = tokens[at - 1 : at + 2]
    if one[0] is not other[0] or one[0] not in LISTS:
        return False
    if one[0] is K.SPAN:  # "from half past eight and at five I finish"
        return all(kind not in HEADS | {K.ACTION, K.NOT} for kind, _ in tokens[at + 2 : at + 3])
    if joint is not K.COMMA or one[0] is K.PART:
        return True
    return one[1] == other[1] if one[0] is K.ACTION else all(_is_single(value) for _, value in (one, other))


def _is_single(days: Any) -> bool:
    return isinstance(days, frozenset) and len(days) == 1


LISTED = {K.PART: "parts", K.SPAN: "spans", K.METER: "meters", K.WORD: "words"}
LOOSE = (K.BEFORE, K.AFTER, K.TO, K.FROM, K.LATEST, K.EARLIEST, K.EVENT, K.DURING, K.AT, K.BETWEEN)


def _take(part: Part, kind: Kind, value: Any) -> None:
    part.kinds.append(kind)
    if kind is K.ACTION:
        if value != ALL or not part.named:
            part.actions = value | (part.actions if part.actions != ALL else frozenset())
        part.named.append(value)
    elif kind is K.DAY:
        part.days = value if value < part.days and part.kinds[-2:-1] in ([K.DAY], [K.PART]) else part.days | value
    elif kind in LISTED:
        getattr(part, LISTED[kind]).append(value)
    elif kind in (K.ABOUT, K.DETAIL, K.NAME):
        part.beside.append((kind, value))
    elif kind in LOOSE:
        part.loose.append(kind)
    elif kind is K.NUMBER and kind in part.flags:
        part.words.append(str(value))
    else:
        part.nots += kind is K.NOT
        part.by_then |= kind is K.THEN
        part.flags.setdefault(kind, value)


def is_general(part: Part) -> bool:
    """Return True if the actions were named as a whole, and not by one kind of them."""
    return bool(part.named) and (any(not isinstance(one, OneOf) for one in part.named) or len(part.named) > 1)
