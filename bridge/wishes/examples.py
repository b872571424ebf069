"""Give examples near to a wish that was not understood."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from bridge.domain import phrases
from bridge.domain.phrases import NUMBERS
from bridge.wishes.events import timed
from bridge.wishes.hearing import IN_BED, ORDER, heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import WORK, Kind, Token, lexicon
from bridge.wishes.occasions import occasion
from bridge.wishes.reasons import PASSES
from bridge.wishes.refusals import ENDS
from bridge.wishes.spelling import words
from bridge.wishes.statements import is_time
from rhythm_env.interface import Meter

K = Kind
BACK = re.compile(
    r"\b(?:forget|scrap|delete|drop|cancel|undo|reset|remove|clear|revoke|take back|"
    r"vergiss|vergessen|lösch\w*|streich\w*|zurück\w*)\b"
)
HALVES = {"en": ("am", "pm"), "de": ("morgens", "abends")}
LACKS = {  # language -> an hour of which the half of the day is not said
    language: re.compile(
        rf"(?i)\b{lead} (?:(?:half past|half|quarter past|quarter to|halb|viertel vor|viertel nach) )?"
        rf"(?:\d{{1,2}}(?:[:.]\d\d)?|{'|'.join(NUMBERS[language].split())})(?: uhr|(?= |$|[,.;!?]))"
    )
    for language, lead in (("en", "(?:at|by|before|after|from|until|till)"), ("de", "(?:um|gegen|vor|nach|ab|bis)"))
}
NOW_OR_EVER = {"en": ("today", "never"), "de": ("heute", "nie")}
VETOES = re.compile(
    r"(?i)[,;.:!]+ (?:so |also |and |und )?| (?:and|und|so|also|because|cos|weil|denn)(?: (?:also|auch))? "
)
BARE_NO = re.compile(r"(?i)^(?:please |bitte )?(?:no|kein\w*) ")
SHIFTS = re.compile(
    r"\bshifts?\b|\b(?:on|after|off|between|before) (?:nights|lates|earlies)\b"
    r"|(?:schicht|früh|spät|nacht|tag|bereitschafts)dienst|schicht(?:en)?\b"
)
PERIODS = re.compile(  # in which a wish counts nothing, and no hours in a week
    r"(?:\b\d+|\b[a-zäöü]+) (?:hours?|stunden)\b.*\b(?:per|a|each|pro|die|je) (?:week|woche)\b|"
    r"\b(?:a|per|each|every|one|same|single|am|pro|je|im|jeden|selben|einem) (?:day|month|tag|monat)\b"
)
BOUNDS = re.compile(
    r"\b(?:hours?|stunden|at (?:the )?most|max\w*|no more|not more|never|limit|cap|enough|only (?:once|twice)"
    r"|höchstens|nie\w*|nicht mehr|nur (?:einmal|zweimal)|reicht|reichen|genügt)\b"
)
MEETINGS = re.compile(  # which nothing suggests: they stand in the calendar
    r"\b(?:meetings?|calls|(?:video |phone |conference )call|conferences?|stand-?ups?|one-on-ones?|appointments?"
    r"|\w*(?:besprechung|sitzung|konferenz)\w*|\w*(?<!fern)termine?n?|telkos?|jour fixe)\b"
)
CONDITIONS = re.compile(r"\b(?:if|unless|in case|as long as|wenn|falls|sofern|solange)\b")
RANKS = re.compile(  # one thing above another
    r"\b(?:prefer|rather|priority|precedence|first|lieber|eher|vorrang|zuerst)\b|\b(?:before|over|above|vor)\b(?! \d)"
    r"|\bgeh\w* .*\bvor\b"
)
LEFT_OPEN = (  # what is asked -> what leaves it open
    ("shift", SHIFTS),
    ("bed", IN_BED),
    ("end", ENDS),
    ("meeting", MEETINGS),
)
CHANGED = (  # of an action, by language
    ("more", "en", re.compile(r"\bmore\b(?! than)")),
    ("more", "de", re.compile(r"\bmehr\b(?! als)")),
    ("less", "en", re.compile(r"\b(?:less|fewer)\b(?! than)")),
    ("less", "de", re.compile(r"\bweniger\b(?! als)")),
)
AT = frozenset({K.DAY, K.PART, K.CLOCK, K.NUMBER})
WHEN = AT | {K.BEFORE, K.AFTER, K.AT, K.FROM, K.TO, K.BETWEEN, K.LATEST, K.EARLIEST}
WHEN |= {K.OCLOCK, K.HALF_DAY, K.SHIFT, K.MINUTES}
NEAR = (  # what a text names beside an action -> its examples
    ("minutes", {K.LASTS}),
    ("times", {K.BEFORE, K.AFTER, K.BETWEEN, K.CLOCK, K.PART, K.HALF_DAY}),
    ("days", {K.DAY}),
    ("counts", {K.TIMES, K.PER, K.WEEKLY, K.MOST, K.LEAST, K.NUMBER}),
    ("not", {K.NOT}),
)


def lacking(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return what a text leaves open (the hours of a shift, the subject, or what is meant of the bed) and examples."""
    read = {language: _tokens(text, language, known=False) for language in _texts()}
    language = max(read, key=lambda one: sum(kind is not K.WORD for kind, _ in read[one]))
    kinds = {kind for kind, value in read[language] if kind is not K.WORD or value}  # without figures
    timed = bool(kinds & AT or re.search(r"\d", text)) and not kinds - WHEN - {
        K.NOT,
        K.ONLY,
        K.FILL,
        K.AND,
        K.OR,
        K.COMMA,
        K.CUT,
    }
    key = next((key for key, one in LEFT_OPEN if one.search(text.lower())), "subject" if timed else "")
    if not key and CONDITIONS.search(text.lower()):
        key = "condition"
    if not key and RANKS.search(text.lower()) and _count(read[language]) > 1 and not kinds & {K.NOT, K.CLOCK, K.NUMBER}:
        key = "rank"
    if not key and K.ACTION in kinds and PERIODS.search(text.lower()) and BOUNDS.search(text.lower()):
        key = "period"
    of = next((one for one in CHANGED if one[2].search(text.lower())), None)
    if key or of is None or K.NOT in kinds:
        return (key, tuple(_texts()[language][key].split(", "))) if key else None
    changed, language, pattern = of
    a = _named(_tokens(pattern.sub("", text.lower()), language), language)
    return (changed, tuple(_texts()[language][changed].format(a=a).split(", "))) if a else None


def _count(tokens: Sequence[Token]) -> int:
    return sum(kind is K.ACTION for kind, _ in tokens)


def _named(tokens: Sequence[Token], language: str) -> str:
    """Return the plain name of the one action that a text names, or nothing."""
    named = {value for kind, value in tokens if kind is K.ACTION and isinstance(value, frozenset)}
    found = frozenset().union(*named)
    return str(_texts()[language]["actions"][next(iter(found)).name.lower()]) if len(found) == 1 else ""


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / "examples.toml").read_text("utf-8"))


def examples(text: str) -> tuple[str, ...]:
    """Return example wishes that are understood, about the action or meter that a text names, in its language."""
    read = {language: _tokens(text, language) for language in _texts()}
    language = max(read, key=lambda one: len(read[one]))
    tokens, said = read[language], _texts()[language]
    kinds = {kind for kind, _ in tokens}
    named = next((value for kind, value in tokens if kind is K.ACTION and isinstance(value, frozenset)), None)
    near = next((one for one, among in NEAR if kinds & among), None)
    key, a, m = "other", "", ""
    if BACK.search(text.lower()):
        key = "again"
    elif (near is None or named is None) and len(meters := _meters(text, language)) == 1:
        key, m = "meter", said["meters"][meters.pop()]
    if K.BED in kinds and named is None:
        key = "sleep"
    elif named is not None and named <= WORK and len(named) > 1:
        key = "work"
    elif named is not None and len(named) == 1 and key != "meter":
        a = _named([(K.ACTION, named)], language)
        key = "forget" if key == "again" else near or "action"
    return tuple(said[key].format(a=a, m=m).split(", "))


def halved(text: str, today: date) -> tuple[str, ...]:
    """Return a text with each half of the day that its hour lacks, if it would be understood with both."""
    for language, halves in HALVES.items():
        both = tuple(LACKS[language].sub(rf"\g<0> {half}", text, count=1) for half in halves)
        if text not in both and all(_is_understood(one, today) for one in both):
            return both
    return ()


def two_ways(text: str, today: date) -> tuple[str, ...]:
    """Return the two wishes that a text may mean: a veto of today or for good, or vetoes of which all or only the last
    one have the time that the text ends with.
    """
    for language, (now, never) in NOW_OR_EVER.items():
        *vetoes, last = [one for one in VETOES.split(text.strip(" .!?")) if BARE_NO.match(one)] or [""]
        at = _time_at_end(last, language)
        ways: tuple[str, ...] = ()
        if vetoes and at:
            each = ([f"{veto} {at}" for veto in vetoes], [BARE_NO.sub(f"{never} ", veto) for veto in vetoes])
            ways = tuple(", ".join([*some, last]) for some in each)
        elif last and not (vetoes or at) and PASSES.search(text.lower()):
            ways = (f"{last} {now}", BARE_NO.sub(f"{never} ", last))
        if ways and all(_is_understood(way, today) for way in ways):
            return ways
    return ()


def _time_at_end(text: str, language: str) -> str:
    """Return the days or hours that a text ends with: "after nine", or nothing."""
    said = text.split()
    return next((at for k in range(1, len(said)) if is_time(at := " ".join(said[k:]), language)), "")


def is_task(text: str, today: date) -> bool:
    """Return True for what is to be done once ("call my mother at ten") or by a day ("tax return by May, 3 hours")."""
    for language in _texts():
        try:
            timed = LACKS[language].search(text.lower()) or occasion(text, language, today)[1]
            when = occasion(re.sub(r"\bby\b", "until", text.lower()), language, today)[1]
        except NotUnderstood:
            continue
        kinds = {kind for kind, _ in _tokens(text, language)}
        if ORDER.search(text.lower()) and timed and not kinds & {K.NOT, K.PER, K.DAY}:
            return True
        if when is not None and when.until and not when.since and K.LASTS in kinds:
            return not kinds & {K.PER, K.TIMES, K.NOT}
    return False


def _is_understood(text: str, today: date) -> bool:
    try:
        return bool(heard(text, today).said)
    except NotUnderstood:
        return False


def unread(text: str) -> tuple[str, ...]:
    """Return the words of a text that are unknown in its language, or with which no wish is understood."""
    read = {language: _tokens(text, language, known=False) for language in _texts()}
    language = max(read, key=lambda one: len(_tokens(text, one)))
    return tuple(dict.fromkeys(str(value) for kind, value in read[language] if kind in (K.WORD, K.BAR) and value))


def _tokens(text: str, language: str, *, known: bool = True) -> list[Token]:
    of = lexicon(language)
    found = phrases.tokens(words(timed(text, language), of), of.phrases, _unknown)
    return [one for one in found if one[0] is not K.WORD or not known]


def _unknown(word: str) -> Token:
    return (K.LASTS, None) if re.fullmatch(r"\d+min", word) else (K.WORD, word if word.isalpha() else "")


def _meters(text: str, language: str) -> set[str]:
    known = lexicon(language, with_meters=True)
    found = list(phrases.tokens(words(text, known), known.phrases, lambda _: (K.WORD, "")))
    near = {"connection"} if {kind for kind, _ in found} >= {K.WEIGHT, K.ACTION} else set()  # "family first"
    return {value.name.lower() for kind, value in found if kind is K.METER and isinstance(value, Meter)} or near
