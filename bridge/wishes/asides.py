"""Tell the reasons and the background in a text from its wishes: "no work before 9, I need my coffee first".

A part of a text may be set aside only if it cannot change a wish: it has no limit, no condition, no request, no number,
no time and no "not" that is aimed at an action. It may hold words that are not known.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from bridge.domain import phrases
from bridge.wishes.lexicon import ALL, Kind, Lexicon, Token
from bridge.wishes.said import Said
from bridge.wishes.spelling import words

K = Kind
PARTS_MAX, LETTERS_MAX, TYPO_MIN = 7, 120, 5
TIMES = {K.DAY, K.NUMBER, K.TIMES, K.PER, K.WEEKLY, K.CLOCK, K.SHIFT, K.HALF_DAY, K.MINUTES, K.FREE, K.START, K.FINISH}
LIMITS = {K.ONLY, K.MOST, K.LEAST, K.EVERY, K.ANYTIME, K.BETWEEN, K.BARRED}
TOLD = {K.AGAIN, K.CLEAR, K.DROP, K.SUGGESTION, K.WEIGHT}
NAMED = {K.ACTION, K.SUGGESTION}
OF_WORK = re.compile(r"\b(?:work|office)|arbeit|büro|feierabend")
NEGATED = re.compile(r"n't\b|\b(?:hat\w+|hass\w+|not|no|never|none|kein\w*|nicht|nie\w*|nix)\b")
POINTS = re.compile(
    r"\b(?:then|there|that (?:day|time|evening|morning)|those days|(?:before|after|until) (?:that|then|it)|meanwhile|"
    r"da|dann|dort|vorher|nachher|danach|davor|dabei|solange)\b"
)

SUBJECT = re.compile(
    r"\b(?:i|i'm|im|i've|i'd|i'll|we|we're|it|it's|its|he|she|they|they're|you|you're|that's|thats|there|there's|my|our|her|his|who|me|us|mich|mir|uns|"
    r"ich|wir|er|sie|es|man|ihr|du|das|da|davon|mein\w*|unser\w*|der|die)\b|'s\b|\b(?:is|are|ist|sind|hat|hab|habe|bin|has)\b"
)
POLARITY = re.compile(
    r"n't\b|\b(?:not|no|never|none|nothing|only|just|except|unless|without|otherwise|earlier|sooner|later|before|after|until|till|"
    r"kein\w*|nicht|nichts|nie\w*|nix|nein|nur|außer|ohne|sonst|früher|eher|später|vor|nach|bis|ab)\b"
)


def is_fragment(text: str, *, limited: bool = False) -> bool:
    """Return True for words that limit and say nothing of anybody, such as "nothing after that" and "not earlier"."""
    plain = _bare(text)
    return (limited or bool(POLARITY.search(plain))) and not SUBJECT.search(plain)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text, which begins and ends at these places."""

    begin: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a language. ``bars`` change a wish, ``wants`` do so beside an action, ``harmless`` never do."""

    parts: re.Pattern[str]
    whys: re.Pattern[str]
    thus: re.Pattern[str]
    opens: re.Pattern[str]
    speaks: re.Pattern[str]
    verbs: re.Pattern[str]
    bars: re.Pattern[str]
    wants: re.Pattern[str]
    harmless: Sequence[re.Pattern[str]]
    of_hours: frozenset[str]
    often: frozenset[str]


@cache
def _words(language: str) -> Words:
    said: dict[str, Any] = tomllib.loads((Path(__file__).parent / "asides.toml").read_text("utf-8"))[language]
    bars, wants = [one.replace("_", " ") for one in said["bars"].split()], said["wants"].split()
    return Words(
        parts=re.compile(said["parts"]),
        whys=re.compile(rf"^(?:{said['whys']})\b ?"),
        thus=re.compile(rf"^(?:{said['thus']})\b ?"),
        opens=re.compile(rf"^(?:{said['opens']})(?= |$)"),
        speaks=re.compile(rf"^(?:{said['speaks']}) \w+"),
        verbs=re.compile(rf"(?:^| )(?:{said['verbs']})(?= |$)|'(?:s|re|m)\b"),
        bars=re.compile(rf"(?<![\w'])(?:{'|'.join(bars)})(?![\w'])"),
        wants=re.compile(rf"(?<![\w'])(?:{'|'.join(wants)})(?![\w'])"),
        harmless=[re.compile(one) for one in said["harmless"]],
        of_hours=frozenset(said["asides_of_hours"].split()),
        often=frozenset(one for one in bars if len(one) >= TYPO_MIN),
    )


def kept(text: str, lexicon: Lexicon, language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what is left of a text and what was set aside, by the fewest parts set aside first."""
    known = _words(language)
    plain = text.replace("’", "'").replace("\n", ". ")
    parts = list(_parts(plain, known))
    able = [at for at, part in enumerate(parts) if _is_background(part, plain, lexicon, known)]
    if not 1 < len(parts) <= PARTS_MAX or not able:
        return
    for count in range(1, len(parts)):
        for chosen in combinations(able, count):
            left = [part for at, part in enumerate(parts) if at not in chosen]
            yield _joined(left, plain, known), tuple(parts[at].text for at in chosen)


def parted(text: str, lexicon: Lexicon, language: str) -> str:
    """Return a text in which each statement, such as "I go running", is cut from what stands beside it."""
    known, found = _words(language), ""
    parts = re.split(r"([,.]\s+)", text)
    if len(parts) == 1:
        return text
    for at in range(0, len(parts), 2):
        cut = any(_is_statement(one, lexicon, known) for one in parts[max(at - 2, 0) : at + 1 : 2])
        found += (" ; " if cut else parts[at - 1]) + parts[at] if at else parts[at]
    return found


def _is_statement(text: str, lexicon: Lexicon, known: Words) -> bool:
    plain = _bare(text)
    if known.thus.match(plain):
        return {kind for kind, _ in _tokens(known.thus.sub("", plain), lexicon)} <= {
            K.ACTION,
            K.FILL,
        }  # "so sport then"
    if {kind for kind, _ in _tokens(plain, lexicon)} - {K.FILL} == {
        K.NOT
    } and "auf" not in plain.split():  # "I hate it"
        return True
    if not (known.speaks.match(plain) or (known.opens.match(plain) and known.verbs.search(plain))):
        return False
    kinds = {kind for kind, _ in _tokens(plain, lexicon)}
    return K.ACTION in kinds and not kinds & (TIMES | LIMITS | TOLD | {K.NOT, K.BEFORE, K.AFTER, K.PART, K.WEIGHT})


def _parts(text: str, known: Words) -> Iterator[Part]:
    begin = 0
    for found in [*known.parts.finditer(text.lower()), None]:
        end = len(text) if found is None else found.start()
        cut = "" if found is None else found.group()
        if re.fullmatch(r"[:.]", cut) and re.match(r"\d", text[end + 1 : end + 2]) and re.match(r"\d", text[end - 1 :]):
            continue  # "9:30"
        if one := text[begin:end].strip():
            yield Part(begin=begin, end=end, text=one)
        begin = len(text) if found is None else found.end()


def _joined(left: Sequence[Part], text: str, known: Words) -> str:
    found = ""
    for before, part in zip([None, *left], left, strict=False):
        between = text[before.end : part.begin] if before and _is_next(before, part, text, known) else ", "
        one = part.text if found and between != ", " else known.thus.sub("", part.text.lower(), count=1)
        found = f"{found}{between}{one}" if found else one
    return found


def _is_next(before: Part, part: Part, text: str, known: Words) -> bool:
    return not known.parts.sub("", text[before.end : part.begin].lower()).strip()


def _is_background(part: Part, whole: str, lexicon: Lexicon, known: Words) -> bool:
    text, is_topic = part.text, whole[part.end : part.end + 1] == ":" and part.begin == 0
    plain = _without_harmless(text, known)
    if len(text) > LETTERS_MAX:
        return False
    why = known.whys.match(plain)
    rest = known.thus.sub("", known.whys.sub("", plain, count=1), count=1)
    if (
        re.match(r"(?:or|and|oder|und)\b", rest)
        or known.bars.search(rest)
        or re.search(r"\d", rest)
        or any(_is_near(one, known) for one in rest.split())
    ):
        return False
    tokens = _tokens(rest, lexicon)
    kinds = {kind for kind, _ in tokens}
    if kinds & (TIMES | LIMITS | TOLD) or (not why and is_fragment(text)):
        return False
    opens = known.opens.match(rest)
    if K.ACTION in kinds:
        return (
            bool(known.speaks.match(rest) or (opens and known.verbs.search(rest)))
            and not known.wants.search(rest)
            and K.NOT not in kinds
        )
    return bool(why or opens or is_topic or known.verbs.search(rest) or plain != _bare(text))


def _bare(text: str) -> str:
    return " ".join(re.sub(r"[^\w' -]", " ", text.lower()).split()).replace(
        "i am ", "i'm "
    )  # "am" is a half of the day


def _without_harmless(text: str, known: Words) -> str:
    plain = _bare(text)
    for one in known.harmless:
        plain = one.sub(" ", plain)
    return " ".join(plain.split())


def _is_near(word: str, known: Words) -> bool:
    """Return True for a word that may be a mistyped limit, such as "excpet"."""
    if len(word) < TYPO_MIN:
        return False
    return any(
        len(word) == len(bar) and word != bar and sorted(word) == sorted(bar) and word[0] == bar[0]
        for bar in known.often
    )


def _tokens(text: str, lexicon: Lexicon) -> list[Token]:
    return list(phrases.tokens(words(text, lexicon), lexicon.phrases, lambda _: (K.FILL, None)))


def may_stand(said: Sequence[Said], left: str, aside: Sequence[str], lexicon: Lexicon, language: str) -> bool:
    """Return True if wishes do not hang on what was set aside."""
    known, kinds = _words(language), {one.kind for one in said}
    if kinds & {"clear", "forget", "allow", "any", "drop"} or POINTS.search(left.lower()):
        return False
    limits = all(one.narrows or one.kind in ("never", "suggestions") for one in said)
    of_hours = all(one.hours for one in said)
    tokens = _tokens(left, lexicon)
    named = {kind for kind, _ in tokens}
    if any(one.actions == ALL for one in said) and K.SUGGESTION not in named and (K.ACTION, ALL) not in tokens:
        return False  # "never suggest it before 9"
    for one in aside:
        plain = _without_harmless(one, known)
        told = {kind for kind, _ in _tokens(plain, lexicon)}
        if (K.PART in told and not of_hours) or (K.NOT in told and NEGATED.search(plain) and not limits):
            return False
        if POINTS.search(plain) and not kinds <= {"hours", "days", "best", "goal"}:
            return False
        if "never" in kinds and re.match(r"since\b|seit\b", plain):
            return False
        if "never" in kinds and known.of_hours & set(re.findall(r"\w+", one.lower())):
            return False
        if K.ACTION in told and kinds != {"weight"} and not named & NAMED and not OF_WORK.search(left.lower()):
            return False
    return True
