"""Account for every word of a wish: it is used by what is understood, told as left aside, or makes it refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bridge.domain.phrases import PHRASE_MAX
from bridge.domain.wish_terms import common
from bridge.wishes.events import HALF, timed
from bridge.wishes.hours import NOON, NotUnderstood
from bridge.wishes.lexicon import COMPANY, Kind, Token, lexicon
from bridge.wishes.reasons import ASKED, EVENTS, wishes
from bridge.wishes.remarks import pieces, says_anything
from bridge.wishes.said import BACK, Said
from bridge.wishes.spelling import words

K = Kind
WORD = re.compile(r"\d+(?:[:.]\d\d)?|[^\W\d_]+(?:'[^\W\d_]+)?")
JOINT = r" (?:and|or|und|oder)"
BARS = frozenset({"days", "hours", "barred", "without", "never", "best", "before_bed"})
NIGHTS = frozenset({"bed", "up", "earliest", "rest", "asleep", "night"})
NUMBERED = frozenset(
    {
        "minutes_daily",
        "times_daily",
        "goal",
        "most",
        "suggestions",
        "few",
        "shortest",
        "longest",
        "apart",
        "asleep",
        "spare",
        "drop",
        "usual",
    }
)
SAID_BY: Mapping[Kind, frozenset[str]] = {  # what a phrase says -> the kinds of wishes that may hold it
    **dict.fromkeys((K.NOT, K.ONLY, K.FREE, K.FINISH, K.START), BARS | NIGHTS | BACK | {"suggestions", "few", "most"}),
    **dict.fromkeys((K.TIMES, K.WEEKLY, K.LEAST, K.MOST, K.ENOUGH, K.LASTS), NUMBERED | {"weight"}),
    **dict.fromkeys((K.BED, K.UP), NIGHTS),
    K.PER: NUMBERED | NIGHTS | {"weight"},
    **dict.fromkeys((K.METER, K.WEIGHT, K.OVER), frozenset({"weight"})),
    K.CLEAR: BACK,
    K.EVERY: BARS | NUMBERED,
}
AGAIN = SAID_BY.keys() | {K.DAY, K.PART, K.CLOCK, K.NUMBER}  # what repeats a wish, beside its action
CONTENT = AGAIN | EVENTS | {K.BUT, K.ACTION, K.DETAIL, K.NAME}
FIRM = frozenset(
    {K.ACTION, K.DAY, K.CLOCK, K.PER, K.TIMES}
)  # which what is understood must hold, since two may be lost together
Read = Callable[[str], Sequence[Said] | None]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A known phrase of a text with its place. ``held`` means that it is in what was understood anyway."""

    text: str
    begin: int
    kinds: frozenset[Kind]
    held: bool


def accounted(text: str, language: str, said: Sequence[Said], aside: Sequence[str], read: Read) -> tuple[str, ...]:
    """Return what of a text is left aside. Raises NotUnderstood for a phrase that is not told, and without which
    ``read`` gives the same.
    """
    kept = {*words(timed(text, language), lexicon(language))}  # of the words, after rewriting
    phrases, told, clauses = list(_phrases(text, language, said, kept)), list(aside), pieces(text)
    for clause in clauses if len(clauses) > 1 else ():
        at = text.index(clause)
        inside = [phrase for phrase in phrases if at <= phrase.begin < at + len(clause)]
        kinds = frozenset().union(*(one.kinds for one in inside))
        again = all(one.held for one in inside) and kinds & AGAIN and not kinds & EVENTS
        if again or kept.isdisjoint(WORD.findall(clause.lower())) or not says_anything(clause, language):
            continue
        if not _is_idle(text, at, len(clause), said, read):
            continue
        within = [one for one in told if one in clause]
        left = within or [one for one in aside if clause in one]
        if not left or not all(one.held or _is_told(one.text, aside) for one in inside):
            _check_asks(clause, inside)
            told = [*(one for one in told if one not in within), clause]
        phrases = [phrase for phrase in phrases if phrase not in inside]
    excepts = [phrase.held for phrase in phrases if K.BUT in phrase.kinds]
    if not all(excepts):
        raise NotUnderstood
    firm = FIRM - {K.DAY} if excepts else FIRM  # "on weekdays except Mondays"
    for one in phrases:
        if one.held or _is_told(one.text, told):
            continue
        if one.kinds & firm or _is_idle(text, one.begin, len(one.text), said, read):
            raise NotUnderstood
    return tuple(told)


def _check_asks(clause: str, inside: Sequence[Phrase]) -> None:
    """Raise NotUnderstood for a clause that asks for more: "Sunday is our family day, we'd like it calm then"."""
    limits = {K.NOT, K.CLOCK} <= frozenset().union(*(one.kinds for one in inside))
    if wishes(clause) or limits or (ASKED.search(clause) and not all(one.held for one in inside)):
        raise NotUnderstood


def _is_told(phrase: str, told: Sequence[str]) -> bool:
    return any(f" {_plain(phrase)} " in f" {_plain(one)} " for one in told)


def _plain(text: str) -> str:
    return " ".join(WORD.findall(text.lower()))


def _is_idle(text: str, at: int, size: int, said: Sequence[Said], read: Read) -> bool:
    """Return True if a text without a piece of it, and without the joint beside it, means the same."""
    first, last = text[:at].rstrip(), text[at + size :]
    rest = {f"{first}{last}", f"{re.sub(f'{JOINT}$', '', first)}{last}", f"{first}{re.sub(f'^{JOINT}', '', last)}"}
    return any(read(one) == tuple(said) for one in rest)


def _phrases(text: str, language: str, said: Sequence[Said], kept: set[str]) -> Iterator[Phrase]:
    known = lexicon(language, with_meters=any(one.meter for one in said)).phrases
    found, at = list(WORD.finditer(text.lower().replace("’", "'"))), 0
    while at < len(found):
        spelt = [one[0] for one in found[at : at + PHRASE_MAX]]
        size = next((size for size in range(len(spelt), 0, -1) if tuple(spelt[:size]) in known), 1)
        tokens = known.get(tuple(spelt[:size]), _figure(spelt[0]))
        kinds = frozenset(kind for kind, _ in tokens) & CONTENT
        if kinds and kept.issuperset(spelt[:size]):
            begin, end = found[at].start(), found[at + size - 1].end()
            held = any(_holds(token, text[begin:end], said) for token in tokens if token[0] in kinds)
            yield Phrase(text[begin:end], begin, kinds, held)
        at += size


def _figure(word: str) -> tuple[Token, ...]:
    return ((K.CLOCK, tuple(map(int, re.split("[:.]", word)))),) if word[0].isdecimal() else ()


def _holds(token: Token, phrase: str, said: Sequence[Said]) -> bool:
    """Return True for a token that what was understood holds anyway, such as "evening" beside "at 8 pm"."""
    kind, value = token
    match kind:
        case K.ACTION:
            return any(one.actions & _set(value) for one in said) or _is_named(phrase, said)
        case K.DAY:
            return any(_holds_days(_set(value), one) for one in said)
        case K.BUT:
            return any(one.days or one.when for one in said)
        case K.PART:
            return any(common([value], one.hours) if one.hours else one.at for one in said)  # type: ignore[list-item]
        case K.NUMBER if value == 1 and any(one.kind == "best" for one in said):
            return True  # "one film on Saturday night"
        case K.CLOCK | K.NUMBER:
            hour: Any = value[0] if isinstance(value, tuple) else value
            return any(hour == one.number or hour % NOON in _hours(one) for one in said)
        case K.EVENT | K.DURING:
            return any(one.hours or (one.actions and one.actions <= COMPANY) for one in said)
        case K.DETAIL | K.NAME:
            return _is_named(phrase, said)
    return any(one.kind in SAID_BY[kind] for one in said)


def _is_named(phrase: str, said: Sequence[Said]) -> bool:
    return any(phrase.lower() in name.lower() for one in said for name in (*one.names, one.of))


def _holds_days(days: frozenset[int], one: Said) -> bool:
    told = one.days | (one.when.days if one.when is not None else frozenset())
    return bool(told) and (days <= told or not days & told)


def _hours(one: Said) -> set[int]:
    """Return the hours by which the times of a wish may be told: 16:30 is "half past four" and "halb fünf"."""
    told = [at for at in (*(edge for hours in one.hours for edge in hours), one.at) if at is not None]
    return {(at.hour + late) % NOON for at in told for late in (0, at.minute >= HALF)}


def _set(value: Any) -> frozenset[Any]:
    return value if isinstance(value, frozenset) else frozenset()
