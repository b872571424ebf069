"""Load the words of wishes with the tokens that they mean, from two files for each language.

In a file, ``see/meet my/~ friends`` stands for every choice of one word at each place, where ``~`` is no word and
``with_work`` two, and ``{NAME}`` for a set of words. A phrase with several words is found before its parts, and one
that is written out outranks such a choice.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import time
from enum import StrEnum
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import Any

from bridge.domain.phrases import NUMBERS, WEEKDAYS
from rhythm_env.interface import ActionType, Meter

A = ActionType
WORK = frozenset({A.DEEP_WORK, A.ADMIN_WORK})
ALL = frozenset(ActionType) - {A.SLEEP}
COMPANY = frozenset({A.FAMILY_TIME, A.SOCIALIZE})
WEEK = range(7)
MORNING, AFTERNOON, EVENING = ((time(6), time(12)), (time(12), time(18)), (time(18), time(0)))  # as slots of the day
NIGHT, DAYTIME = (time(21), time(6)), (time(6), time(18))
MIDDAY = (time(12), time(14))
FORENOON = (time(8), time(12))  # in which something is wished; a bar or limit is of the whole morning
MORNINGS = (MORNING, (time(6), time(9)), (time(10), time(12)), FORENOON)  # also the early and the late one
PARTS = {
    "midday": MIDDAY,
    "day": DAYTIME,
    "morning": MORNING,
    "afternoon": AFTERNOON,
    "evening": EVENING,
    "night": NIGHT,
    "forenoon": FORENOON,
    "dusk": (time(17), time(19)),
    "early_morning": MORNINGS[1],
    "late_morning": MORNINGS[2],
    "early_afternoon": (time(12), time(15)),
    "late_afternoon": (time(15), time(18)),
    "early_evening": (time(18), time(21)),
    "late_evening": (time(21), time(0)),
}
ONE_THING = frozenset({A.SLEEP, A.MEDITATE, A.BINGE_WATCH})  # all of whose names stand for the whole of it


class Kind(StrEnum):
    """The kind of a token. FILL has no meaning; AND, OR and CUT join or divide parts; WORD is an unknown word.

    ABOUT and DETAIL fit only some actions, and DETAIL names a kind of them. CALL is about family or friends, and means
    both where neither is named. NAME is a person's name. A text with BAR is not understood.
    """

    FILL, AND, OR, CUT, COMMA, COLON = "fill", "and", "or", "cut", "comma", "colon"
    ABOUT, DETAIL, NAME, CALL = "about", "detail", "name", "call"
    NOT, ONLY, EVERY, MOST, ANYTIME = "not", "only", "every", "most", "anytime"
    AGAIN, CLEAR, DROP = "again", "clear", "drop"
    ACTION, SUGGESTION, METER, WEIGHT, DAY, PART = ("action", "suggestion", "meter", "weight", "day", "part")
    NUMBER, TIMES, PER, WEEKLY = "number", "times", "per", "weekly"
    CLOCK, SHIFT, HALF_DAY = "clock", "shift", "half_day"
    BEFORE, AFTER, AT, FROM, TO, BETWEEN, SPAN = ("before", "after", "at", "from", "to", "between", "span")
    FINISH, START, FREE, LEAST, MINUTES = "finish", "start", "free", "least", "minutes"
    BED, UP, LATEST, EARLIEST, BEST, ENOUGH = ("bed", "up", "latest", "earliest", "best", "enough")
    BACK, RULE, EVENT, BAR, WHY, THUS, THEN, WHEN = ("back", "rule", "event", "bar", "why", "thus", "then", "when")
    DURING, LASTS, BUT, APART = "during", "lasts", "but", "apart"
    FINE, OCLOCK, OVER, WORD = "fine", "oclock", "over", "word"
    FEWER, SPARE, TO_BED = "fewer", "spare", "to_bed"


class Done(frozenset[ActionType]):
    """The action of a phrase, with the part of the day that it names: "afternoon nap"."""

    hours: tuple[time, time] | None = None


class OneOf(Done):
    """The action of a word for one kind of it, such as yoga: "never yoga" forbids only the kind ``name``."""

    name: str = ""

    @classmethod
    def called(cls, actions: Iterable[ActionType], name: str) -> OneOf:
        found = cls(actions)
        found.name = name
        return found


K = Kind
Token = tuple[Kind, object]
Phrases = Mapping[tuple[str, ...], tuple[Token, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """The words of a language with their tokens, patterns to replace in a text first, and its spelling.

    ``adjuncts`` match what something is for, ``remarks`` a reason or an appeal beside a wish, ``vague`` what limits
    it and cannot be kept, ``heads`` are ends of compounds without a meaning of their own, and ``small`` words are
    mended where they are mistyped.
    """

    phrases: Phrases
    rewrites: tuple[tuple[re.Pattern[str], str], ...]
    adjuncts: re.Pattern[str]
    remarks: re.Pattern[str]
    vague: re.Pattern[str]
    heads: frozenset[str]
    often_mistyped: frozenset[str]
    small: frozenset[str]
    real: frozenset[str]


@cache
def lexicon(language: str, *, with_meters: bool = False) -> Lexicon:
    """Return the words of ``en`` or ``de``. Pass ``with_meters`` for a text about meters, where some words differ."""
    said = _said(language)
    found: dict[tuple[str, ...], tuple[Token, ...]] = {
        (word,): ((K.NUMBER, number),) for number, word in enumerate(NUMBERS[language].split(), 1)
    }
    found |= _days(said["days"], language)
    for plain in (False, True):
        found |= _actions(language, plain=plain)
        found |= _meant(language, ("words", "meters"), plain=plain)
        if with_meters:
            found |= _meant(language, ("with_meters", "meter_names"), plain=plain)
    return Lexicon(
        phrases=found,
        rewrites=tuple((re.compile(pattern), text) for pattern, text in said["rewrites"]),
        adjuncts=re.compile(said["adjuncts"]),
        remarks=re.compile(said["remarks"], re.IGNORECASE),
        vague=re.compile(said["vague"], re.IGNORECASE),
        heads=frozenset(said["spelling"].get("heads", "").split()),
        often_mistyped=frozenset(said["spelling"]["mistyped"].split()),
        small=frozenset(said["spelling"]["small"].split()),
        real=frozenset(said["spelling"]["real"].split()),
    )


@cache
def _said(language: str) -> Mapping[str, Any]:
    said: dict[str, Any] = {}
    for name in ("words", "actions"):
        said |= tomllib.loads((Path(__file__).parent / f"{name}_{language}.toml").read_text("utf-8"))
    sets: dict[str, str] = {}
    for name, words in said["sets"].items():
        sets[name] = "/".join(words.format_map(sets).replace("/", " ").split())
    return said | {"sets": sets}


@cache
def _actions(language: str, *, plain: bool) -> Phrases:
    said, found = _said(language), dict[tuple[str, ...], tuple[Token, ...]]()
    whole, beside = (frozenset(said["whole"][name].split()) for name in ("words", "beside"))
    ends = [(part, tuple(text.split())) for part, text in said["parts"].items()]
    parts = cache(lambda word: [part for part, texts in ends if word.endswith(texts)])
    for name, text in said["actions"].items():
        action = ActionType[name]
        for phrase in _phrases(text, said["sets"], plain=plain):
            of_all = not whole.isdisjoint(phrase) and (whole | beside).issuperset(phrase)
            named = Done({action}) if action in ONE_THING or of_all else OneOf.called({action}, " ".join(phrase))
            in_part = {part for word in phrase for part in parts(word)}
            if len(in_part) == 1:  # the one that a word ends with, as "Filmabend" does
                named.hours = PARTS[in_part.pop()]
            found[phrase] = ((K.ACTION, named),)
    return found


@cache
def _meant(language: str, tables: tuple[str, str], *, plain: bool) -> Phrases:
    said, (words, meters) = _said(language), tables
    found: dict[tuple[str, ...], tuple[Token, ...]] = {}
    of_meters = ((f"meter:{Meter[name].value}", text) for name, text in said[meters].items())
    for means, text in (*said[words].items(), *of_meters):
        tokens = tuple(map(token_of, means.split()))
        for phrase in _phrases(text, said["sets"], plain=plain):
            found[phrase] = tuple(_named(token, " ".join(phrase)) for token in tokens)
    return found


def _named(token: Token, phrase: str) -> Token:
    kind, value = token
    if kind in (K.BAR, K.NAME):
        return kind, phrase
    named = isinstance(value, OneOf) or (kind is K.DETAIL and isinstance(value, frozenset))
    return (kind, OneOf.called(value, phrase)) if named else token  # type: ignore[arg-type]


def _phrases(texts: str, sets: Mapping[str, str], *, plain: bool) -> Iterator[tuple[str, ...]]:
    chosen = [one for one in texts.split(",") if ("/" in one or "{" in one) is not plain]
    return phrases_of(",".join(chosen).format_map(sets))


def _days(said: Mapping[str, Any], language: str) -> dict[tuple[str, ...], tuple[Token, ...]]:
    found: dict[tuple[str, ...], tuple[Token, ...]] = {}
    for at, name in enumerate([*WEEKDAYS[language].split(), *said.get("also", "").split()]):
        day = (K.DAY, frozenset({at if at < len(WEEK) else 5}))  # "sonnabend" is a second name
        forms = {key: text.format(name=name, short=name[:3]) for key, text in said["forms"].items()}
        found |= dict.fromkeys(phrases_of(forms.pop("day")), (day,))
        for part, text in forms.items():
            found |= dict.fromkeys(phrases_of(text), (day, (K.PART, PARTS[part])))
    for at_, text in said["others"].items():
        found |= dict.fromkeys(phrases_of(text), ((K.DAY, frozenset(map(int, at_))),))
    return found


def token_of(means: str) -> Token:
    """Return the token of a text such as ``not``, ``number:2``, ``day:01``, ``part:morning`` or ``action:WORK``."""
    name, _, value = means.partition(":")
    kind = Kind(name)
    if kind is K.WORD:
        return kind, ""
    if (not value and kind is not K.CALL) or kind is K.NOT:
        return kind, value or None
    match kind:
        case K.ACTION | K.ABOUT | K.DETAIL:
            sets = {"ALL": ALL, "WORK": WORK, "ANY": frozenset(ActionType)}
            return kind, frozenset().union(*(sets.get(one) or {ActionType[one]} for one in value.split("+")))
        case K.PART:
            return kind, PARTS[value]
        case K.CALL:
            return K.ABOUT, OneOf(COMPANY)
        case K.DAY:
            return kind, frozenset(map(int, value))
        case K.CLOCK | K.EVENT:
            hour, minute = value.split(":")
            return kind, (int(hour), int(minute))
        case K.METER:
            return kind, Meter(value)
        case K.WEIGHT:
            return kind, float(value)
    return kind, int(value)


def phrases_of(texts: str) -> Iterator[tuple[str, ...]]:
    """Yield the phrases of a list, in which "see/meet my/~ friends" is four."""
    for text in texts.split(","):
        places = [[one.replace("_", " ").replace("~", "").split() for one in word.split("/")] for word in text.split()]
        for words in product(*places):
            if phrase := tuple(chain.from_iterable(words)):
                yield phrase
