"""Understand wishes in plain words, in English and German: "no sport before 9", "dreimal die Woche laufen".

Every word must be known and used: a refused wish costs a second try, a misunderstood one the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bridge.domain import phrases
from bridge.domain.errors import SetupError
from bridge.domain.wish_clauses import NOON, Clause, Clock, NotUnderstood, meaning
from bridge.domain.wish_lexicon import MORNING, Kind, Lexicon, OneOf, Token, lexicon
from bridge.domain.wish_said import Said, applied
from bridge.domain.wish_spelling import words
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

K = Kind
TEXT_MAX = 300  # characters
CLAUSES_MAX = 6
LANGUAGES = ("en", "de")


def understood(text: str) -> tuple[Said, ...]:
    """Return the wishes that a text says, in their order. Raises NotUnderstood, also where two languages disagree."""
    found = set()
    for language in LANGUAGES:
        try:
            found.add(_clauses(_tokens(text[: TEXT_MAX + 1], lexicon(language))))
        except NotUnderstood:
            continue
    if len(found) != 1 or len(text) > TEXT_MAX:
        raise NotUnderstood
    said = tuple(dict.fromkeys(found.pop()))
    if _contradicts(said):
        raise NotUnderstood
    return said


def _contradicts(said: tuple[Said, ...]) -> bool:
    """Return True if one wish of a text takes back another, or leaves nothing of it."""
    for at, one in enumerate(said):  # "yoga mondays, running fridays": one action, whose last day alone would count
        same = [other for other in said[:at] if other.kind == one.kind and other.actions & one.actions]
        if (one.kind == "goal" and same) or (one.kind == "hours" and same and not one.narrows):
            return True
        if one.kind == "days" and not all(other.narrows for other in (*same, one) if same):
            return True
    never = frozenset().union(*(one.actions for one in said if one.kind == "never"))
    if any(one.actions & never for one in said if one.kind != "never"):
        return True
    try:
        applied(Wishes(), said)
    except SetupError:
        return True
    return False


# Words to tokens ------------------------------------------------------------------------------------------------------


def _tokens(text: str, known: Lexicon) -> list[Token]:
    return [one for one in phrases.tokens(words(text, known), known.phrases, _figure) if one[0] is not K.FILL]


def _figure(word: str) -> Token:
    if re.fullmatch(r"\d{1,2}[:.]\d\d", word):
        hour, minute = map(int, re.split("[:.]", word))
        if hour <= 24 and minute < 60:
            return (K.CLOCK, (hour, minute))
    if word.isdecimal() and len(word) <= 2:
        return (K.NUMBER, int(word))
    raise NotUnderstood


# Tokens to clauses ----------------------------------------------------------------------------------------------------


def _clauses(tokens: Sequence[Token], before: frozenset[ActionType] | None = None, left: int = 0) -> tuple[Said, ...]:
    """Return the wishes of tokens: as one clause, or else parted at the one joint at which both sides make sense."""
    while tokens and tokens[-1][0] in (K.AND, K.CUT):
        tokens = tokens[:-1]
    if not tokens or left > CLAUSES_MAX:
        raise NotUnderstood
    if all(kind is not K.CUT for kind, _ in tokens):
        try:
            return _clause(tokens, before)
        except NotUnderstood:
            pass
    found = set()
    for at, (kind, _) in enumerate(tokens):
        if kind not in (K.AND, K.CUT) or _is_shared_not(tokens, at):
            continue
        try:
            first, rest = _clause(tokens[:at], before), tokens[at + 1 :]
            rest = rest[1:] if rest and rest[0][0] in (K.AND, K.CUT) else rest
            found.add(first + _clauses(rest, _actions(tokens[:at]) or before, left + 1))
        except NotUnderstood:
            continue
    if len(found) != 1:
        raise NotUnderstood
    return found.pop()


def _is_shared_not(tokens: Sequence[Token], at: int) -> bool:
    """Return True for "no sport and tv on Sundays", whose end may hold for sport too."""
    kinds = [kind for kind, _ in tokens]
    first, rest = kinds[:at], kinds[at + 1 :]
    if first != [K.NOT, K.ACTION] or tokens[0][1] is not None or kinds[at] is not K.AND:
        return False
    return rest[:1] == [K.ACTION] or (rest[:2] == [K.NOT, K.ACTION] and rest[2:3] not in ([], [K.AND], [K.CUT], [K.OR]))


def _actions(tokens: Sequence[Token]) -> frozenset[ActionType]:
    named = [value for kind, value in tokens if kind is K.ACTION and isinstance(value, frozenset)]
    return frozenset().union(*named)


def _clause(tokens: Sequence[Token], before: frozenset[ActionType] | None) -> tuple[Said, ...]:
    read = _read(_ranged(list(_clocked(tokens))))
    if not read.actions and before and not read.flags.keys() & {K.SUGGESTION, K.FINISH, K.START, K.CLEAR, K.METER}:
        read.actions = before
    return meaning(read)


def _clocked(tokens: Sequence[Token]) -> Iterator[Token]:
    at = 0
    while at < len(tokens):
        kind = tokens[at][0]
        leads = kind in (K.BEFORE, K.AFTER, K.AT, K.FROM, K.TO, K.BETWEEN)
        first, after = _clock(tokens, at + leads)
        if first is None or (not leads and (after >= len(tokens) or tokens[after][0] is not K.TO)):
            trailing = kind is K.BEFORE and at == len(tokens) - 1  # "schlag ... vor"
            if kind in (K.TO, K.AT) and first is None:
                trailing = at + 1 >= len(tokens) or tokens[at + 1][0] is not K.DAY
            if not trailing:
                yield tokens[at]
            at += 1
            continue
        joint = K.AND if kind is K.BETWEEN else K.TO
        if kind not in (K.BEFORE, K.AFTER, K.AT, K.TO) and after < len(tokens) and tokens[after][0] is joint:
            second, end = _clock(tokens, after + 1)
            if second is None:
                raise NotUnderstood
            yield (K.SPAN, (K.BETWEEN, first, second))
            at = end
        elif kind is K.BETWEEN:
            raise NotUnderstood
        else:
            yield (K.SPAN, (K.AFTER if kind is K.FROM else kind, first, None))
            at = after


def _clock(tokens: Sequence[Token], at: int) -> tuple[Clock | None, int]:
    shift = 0
    if at < len(tokens) and tokens[at][0] is K.SHIFT:
        shift, at = int(str(tokens[at][1])), at + 1
    if at >= len(tokens) or tokens[at][0] not in (K.NUMBER, K.CLOCK):
        return None, at
    kind, value = tokens[at]
    hour, minute = value if isinstance(value, tuple) else (int(str(value)), 0)
    following = tokens[at + 1] if at + 1 < len(tokens) else (K.FILL, None)
    if hour > 24 or (
        kind is K.NUMBER and following[0] in (K.TIMES, K.PER, K.WEEKLY, K.SUGGESTION, K.ACTION) and at == 0
    ):
        return None, at
    total = hour * 60 + minute + shift
    known = hour > NOON or hour == 0 or (kind is K.CLOCK and (hour, minute) == (NOON, 0))
    if following[0] in (K.HALF_DAY, K.PART) and hour <= NOON and not known:
        half = following[1] if isinstance(following[1], int) else 12 * (following[1] != MORNING)
        return ((total + (720 if half and hour < NOON else 0)) // 60, total % 60, True), at + 2
    return (total // 60, total % 60, known), at + 1


def _ranged(tokens: list[Token]) -> list[Token]:
    found: list[Token] = []
    for token in tokens:
        if token[0] is K.DAY and len(found) > 1 and found[-1][0] is K.TO and found[-2][0] is K.DAY:
            (low,), (high,) = _days(found[-2][1]), _days(token[1])
            found[-2:] = [
                (K.DAY, frozenset(range(low, high + 1) if low <= high else [*range(low, 7), *range(high + 1)]))
            ]
        else:
            found.append(token)
    for i, (kind, _) in enumerate(found[:-1]):
        if kind is K.FROM and found[i + 1][0] is K.DAY and len(_set(found[i + 1][1])) == 1:
            raise NotUnderstood  # "no sport from Monday"
    return [
        one
        for i, one in enumerate(found)
        if not (one[0] is K.FROM and found[i + 1 : i + 2] and found[i + 1][0] is K.DAY)
    ]


def _set(value: object) -> frozenset[int]:
    return value if isinstance(value, frozenset) else frozenset()


def _days(value: object) -> list[int]:
    days = sorted(_set(value))
    if len(days) != 1:
        raise NotUnderstood
    return days


LISTS = (K.ACTION, K.DAY, K.PART, K.SPAN)  # of which there may be several


def _read(tokens: Sequence[Token]) -> Clause:
    read, last, joint = Clause(), None, None
    for kind, value in tokens:
        if kind in (K.AND, K.OR):
            if last is None or joint is not None:
                raise NotUnderstood
            joint = kind
            continue
        again = kind is last
        if (joint is not None and not again) or (again and kind not in LISTS and kind is not K.AGAIN):
            raise NotUnderstood
        if again and kind is K.ACTION and joint is None:  # "meditation at work"
            raise NotUnderstood
        if joint is not None:
            read.joined.setdefault(kind, set()).add(joint)
        _take(read, kind, value, again=again, after=last)
        last, joint = kind, None
    if joint is not None:
        raise NotUnderstood
    return read


def _take(read: Clause, kind: Kind, value: object, *, again: bool, after: Kind | None) -> None:
    fresh = {K.ACTION: not read.actions, K.DAY: not read.days, K.PART: not read.parts, K.SPAN: not read.spans}
    if kind not in LISTS:
        if kind in read.flags and kind is not K.AGAIN:
            raise NotUnderstood
        read.flags[kind] = value
    elif not (fresh.get(kind, False) or again):
        raise NotUnderstood
    elif kind is K.ACTION and isinstance(value, frozenset):
        read.only_action = read.only_action or after is K.ONLY
        read.actions |= value
        read.in_part |= isinstance(value, OneOf)
    elif kind is K.DAY and isinstance(value, frozenset):
        read.days |= value
    elif kind is K.PART and isinstance(value, tuple):
        read.parts.append(value)
    elif kind is K.SPAN and isinstance(value, tuple):
        read.spans.append(value)
    else:
        raise NotUnderstood
