"""Load the words of plain questions with the tokens that they mean: metrics, sports, weekdays and all other words.

A phrase of several words is found before its parts. A question with an unknown word is not understood.
"""

from __future__ import annotations

import re
import tomllib
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import resources
from typing import Any

from bridge.domain import metric_names, sports
from bridge.domain.noted import in_languages
from bridge.domain.phrases import NUMBERS, PHRASE_MAX, WEEKDAYS
from bridge.query import plain_kinds
from bridge.query.model import NAPS, TITLED
from bridge.query.plain_kinds import ACTIVITY, CONDITION, FACTOR, FILL, METRIC, SPORT, WORKOUTS, Lexicon, Token
from bridge.query.span_patterns import MONTHS
from bridge.query.span_patterns import UNITS as SPAN_UNITS

AMBIGUOUS = frozenset({"climb", "climbing", "stairs", "row", "strength", "cardio", "intervals"})  # and names of sports
ON_WEEKDAYS = {
    "en": "{0}s, my {0}, on my {0}, on {0}s, on a {0}, a {0}, of {0}s, for {0}s, all {0}s",
    "de": "{0}s, an {0}en, {0}en, allen {0}en, an einem {0}, jeden {0}, an jedem {0}",
}
AT_NIGHTS = {"en": "{0} nights, on {0} nights", "de": "in {0}nächten, {0}nächte"}
CLASS_NAMES = {"alcohol", "alkohol", "coffee", "kaffee", "caffeine", "koffein"} | {"late meal", "spätes essen"}
CLASS_NAMES |= {"headache", "kopfschmerzen"}


@dataclass(frozen=True)
class Texts:
    """The word file of a language. ``words`` maps phrases to tokens, and phrases in ``first`` are read before them.

    Questions that match ``not_asked``, or ``unread`` after dates are taken out, are refused. ``light`` words may stand
    within a phrase, ``unmended`` words are no typing slips, and ``untitled`` words are no part of a title.
    """

    words: Mapping[str, tuple[Token, ...]]
    first: Mapping[str, tuple[Token, ...]]
    not_asked: re.Pattern[str]
    unread: re.Pattern[str]
    unmended: frozenset[str]
    light: frozenset[str]
    untitled: frozenset[str]


class Known(dict[tuple[str, ...], tuple[Token, ...]]):
    """The phrases of a language and of a person's notes -> their tokens, with what is derived from all of them."""

    def __init__(self, language: str, notes: Lexicon) -> None:
        super().__init__({**lexicon(language), **notes})
        self.language = language

    @cached_property
    def loose(self) -> Lexicon:
        """The phrases without their light words -> their tokens."""
        return ChainMap({**_loose_notes(self, texts(self.language).light)}, {**loose(self.language)})

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word that is no typing slip."""
        language = self.language
        more = f"{MONTHS[language]}|{WEEKDAYS[language]}|{NUMBERS[language]}|{' '.join(SPAN_UNITS[language])}"
        others = {*more.replace("|", " ").split(), *texts(language).unmended, *texts(language).untitled}
        return frozenset(word for phrase in self for word in phrase) | vocabulary(language) | others

    @cached_property
    def _alike(self) -> Mapping[tuple[str, int], Sequence[str]]:
        found: dict[tuple[str, int], list[str]] = {}
        for word in self.words:
            found.setdefault((word[:1], len(word)), []).append(word)
        return found

    def alike(self, word: str) -> list[str]:
        """Return the words with the same first letter, and at most one letter more or fewer."""
        return [one for size in (-1, 0, 1) for one in self._alike.get((word[:1], len(word) + size), ())]


def known_in(language: str, notes: Lexicon) -> Known:
    """Return the phrases of a language and of a person's notes."""
    return _known(language, frozenset(notes.items()))


@lru_cache(maxsize=16)
def _known(language: str, notes: frozenset[tuple[tuple[str, ...], tuple[Token, ...]]]) -> Known:
    return Known(language, dict(notes))


@cache
def lexicon(language: str) -> Lexicon:
    """Return words of a language -> their tokens."""
    found: dict[str, tuple[Token, ...]] = {}
    for name, named in metric_names.asked_words().items():
        english = [] if language == "de" else _each(named["en"])
        if language == "de":  # Germans ask by English names, too
            english = [one for one in _each(named["en"]) if not one.startswith(("i ", "in "))]
        found |= dict.fromkeys([*english, *(_each(named["de"]) if language == "de" else ())], ((METRIC, name),))
    for sport, phrases in sports.SYNONYMS.items():
        found |= {one: ((ACTIVITY, sport),) for one in (sport, *phrases) if one not in AMBIGUOUS}
        games = [f"{one} {game}" for one in (sport, *phrases) for game in _each(told("sports")[language]["games"])]
        found |= dict.fromkeys(games, ((ACTIVITY, sport), (WORKOUTS, None)))
    found |= texts(language).words
    found |= dict(_sports(language))
    found |= dict(_weekdays(language))
    found |= texts(language).first
    return {tuple(phrase.split()): tokens for phrase, tokens in found.items()}


@cache
def told(name: str) -> Mapping[str, Any]:
    """Return the content of a file ``plain_NAME.toml``."""
    file = resources.files("bridge.query") / f"plain_{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def pattern(name: str) -> re.Pattern[str]:
    """Return the regular expression with a name in ``plain_patterns.toml``."""
    found = told("patterns")
    names = {"WEEKDAY": "|".join(WEEKDAYS.values()).replace(" ", "|"), "MONTHS": "|".join(months())}
    parts = {**names, **found["parts"]}
    return re.compile(re.sub("|".join(parts), lambda name: parts[name[0]], found[name].strip().replace("\n", "|")))


def with_not(text: str) -> str:
    """Return an English text with "did not" for "didn't" and "didnt"."""
    return pattern("negated_verb").sub(r"\g<verb> not", text)


@cache
def texts(language: str) -> Texts:
    """Return the words and patterns in the file of a language."""
    file = told(language)
    found: tuple[dict[str, tuple[Token, ...]], dict[str, tuple[Token, ...]]] = ({}, {})
    for one in file["words"]:
        tokens = tuple(_token(*means) for means in one["means"])
        said = with_not(" ".join(one["said"].split()))
        found[one.get("first", False)].update(dict.fromkeys(_each(said), tokens))
    not_asked = "|".join(file["not_asked"].split("\n")).format(months="|".join(months()))
    unread = "|".join(file["unread"].split("\n"))
    return Texts(
        *found,
        re.compile(rf"(?<!\w)(?:{not_asked})(?!\w)"),
        re.compile(rf"(?<!\w)(?:{unread})(?!\w)"),
        frozenset(file["unmended"].split()),
        frozenset(file["light"].split()),
        frozenset(file["untitled"].split()) | {*f"{MONTHS[language]} {WEEKDAYS[language]}".replace("|", " ").split()},
    )


@cache
def loose(language: str) -> Lexicon:
    """Return phrases without their light words -> their tokens, if two words or more are left.

    Phrases that would then mean something else, such as "in my sleep", are left out.
    """
    return loosened(lexicon(language), texts(language).light)


def _loose_notes(known: Lexicon, light: frozenset[str]) -> Lexicon:
    """Return the phrases for notes without their light words, as "drank coffee" for "drank a coffee"."""
    return loosened({phrase: known[phrase] for phrase in _note_phrases() if phrase in known}, light)


@cache
def _note_phrases() -> Sequence[tuple[str, ...]]:
    phrases = (tuple(word.split()) for words in note_classes().values() for word in words)
    return [phrase for phrase in phrases if len(phrase) > 1]


def loosened(known: Lexicon, light: frozenset[str]) -> Lexicon:
    """Return the phrases without their light words, if that leaves no other meaning."""
    found: dict[tuple[str, ...], tuple[Token, ...]] = {}
    for phrase, tokens in known.items():
        plain = tuple(word for word in phrase if word not in light)
        if len(plain) > 1 and (plain == phrase or (plain not in known and _is_free(plain, tokens, known))):
            found[plain] = tokens
    return found


def _is_free(plain: Sequence[str], tokens: Sequence[Token], known: Lexicon) -> bool:
    """Return True if some words have no meaning as other phrases, or the same one as ``tokens``."""
    alone = [one for one in tokens_of(plain, known, {}, frozenset(), lambda _: ("", None)) if one[0] != FILL]
    return ("", None) in alone or alone == [token for token in tokens if token[0] != FILL]


def tokens_of(
    words: Sequence[str], known: Lexicon, loose: Lexicon, light: frozenset[str], other: Callable[[str], Token]
) -> Iterator[Token]:
    """Yield the tokens of the longest phrase at each place, and ``other(word)`` for a word that begins no phrase.

    Phrases of ``known`` must match word for word, those of ``loose`` may have ``light`` words in between.
    """
    at = 0
    while at < len(words):
        size = next(
            (n for n in range(min(PHRASE_MAX, len(words) - at), 0, -1) if tuple(words[at : at + n]) in known), 0
        )
        told: Sequence[Token] = known[tuple(words[at : at + size])] if size else [other(words[at])]
        places = [n for n in range(at, min(len(words), at + 2 * PHRASE_MAX)) if words[n] not in light][:PHRASE_MAX]
        for last in range(len(places) if places[:1] == [at] else 0, 1, -1):
            key = tuple(words[n] for n in places[:last])
            if places[last - 1] >= at + max(size, 1) and key in loose:
                size, told = places[last - 1] + 1 - at, loose[key]
                break
        yield from told
        at += size or 1


def months() -> list[str]:
    """Return the names of months in all languages, longer ones first."""
    named = {one for names in MONTHS.values() for one in names.replace("|", " ").split()}
    return sorted(named, key=len, reverse=True)


@cache
def note_classes() -> Mapping[str, frozenset[str]]:
    """Return class of notes, such as alcohol -> all words for it in all languages."""
    found: dict[str, set[str]] = {}
    for language in ("en", "de"):
        for word, ((kind, of), *more) in texts(language).words.items():
            if kind == FACTOR and of != NAPS and not more:
                found.setdefault(str(of), set()).add(word)
    return {of: frozenset(words) for of, words in found.items()}


def notes(said: Iterable[str], factors: Iterable[str]) -> Lexicon:
    """Return the phrases that mean a person's notes. The name of a note means that note.

    Another word of its class, as "beer" of alcohol, means the note with the name of the class, or the only note of it.
    """
    own, said = [*factors], [*said]
    found: dict[tuple[str, ...], tuple[Token, ...]] = {}
    for kind, words in note_classes().items():
        noted = [one for one in own if one.lower() in words]
        whole = [one for one in noted if one.lower() in CLASS_NAMES]
        whole = [*dict.fromkeys([one for one in whole if kind in in_languages(one)] + whole)]  # coffee before caffeine
        if whole:
            said = [one for one in said if one.lower() not in words]
        for name in whole or (noted if len(noted) == 1 else ()):  # the first one, unless another is named
            called = in_languages(name) if whole else CLASS_NAMES
            alike = [one for one in words if name in whole[:1] or called & {one, *_stems(one)}]
            found |= {tuple(word.split()): ((FACTOR, name),) for word in alike}
    for one in own:
        names = in_languages(one)
        found |= {tuple(name.split()): ((FACTOR, one),) for name in names}
        each = [name.split() for name in names if name.split()]
        found |= {(*words[:-1], form): ((FACTOR, one),) for words in each for form in _forms(words[-1])}
    return found | {tuple(one.lower().removeprefix(TITLED).split()): ((FACTOR, one),) for one in (*said, *own)}


def _forms(word: str) -> Iterator[str]:
    """Yield the singular or plural of a note's name, as "beers" of "beer" and "Biere" of "Bier"."""
    if word.isalpha() and len(word) > 3:
        yield from (word.removesuffix("s"),) if word.endswith("s") else (word + end for end in ("s", "e", "n", "en"))


def _stems(phrase: str) -> Iterator[str]:
    yield from (word.removesuffix("s") for word in phrase.split())


def _token(kind: str, value: object = None) -> Token:
    return getattr(plain_kinds, kind), tuple(value) if isinstance(value, list) else value


def _sports(language: str) -> Iterator[tuple[str, tuple[Token, ...]]]:
    said = told("sports")[language]
    for kind, table in ((SPORT, said["countable"]), (ACTIVITY, said["done"])):
        for sport, phrases in table.items():
            yield from ((one, ((kind, sport),)) for one in _each(phrases))
    done = [(sport, one) for sport, phrases in said["done"].items() for one in _each(phrases)]
    for sport, one in [*done, *((sport, sport) for sport in _each(told("sports")["same"]))]:
        token = (ACTIVITY, sport)
        yield from ((said, (token,)) for said in (one, f"play {one}", f"played {one}"))
        for game in _each(said["games"]):
            yield f"{one} {game}", (token, (WORKOUTS, None))


def _weekdays(language: str) -> Iterator[tuple[str, tuple[Token, ...]]]:
    for number, name in enumerate(WEEKDAYS[language].split(), start=1):
        for forms, day in ((ON_WEEKDAYS, number), (AT_NIGHTS, number % 7 + 1)):  # a night is of its day of waking
            said = _each(forms[language].format(name))
            yield from ((one, ((CONDITION, f"weekday = {day}"),)) for one in said)


@cache
def vocabulary(language: str) -> frozenset[str]:
    """Return the single words of a language that have a meaning here, alone or within a phrase."""
    return frozenset(word for phrase in lexicon(language) for word in phrase)


def _each(phrases: str) -> list[str]:
    return [one for one in phrases.split(", ") if one]
