"""Understand wishes in plain words, in English and German: "no sport before 9", "dreimal die Woche laufen".

Every word must be known and used: a refused wish costs a second try, a misunderstood one the day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bridge.domain import phrases
from bridge.domain.errors import SetupError
from bridge.domain.wishes import Wishes
from bridge.wishes.asides import kept, may_stand, parted
from bridge.wishes.frames import taken_back, weights
from bridge.wishes.hours import NOON, OF_LIFE, Clause, Clock, NotUnderstood, meaning
from bridge.wishes.lexicon import MORNING, NIGHT, WEEK, Bed, Kind, Lexicon, OneOf, Token, lexicon
from bridge.wishes.reading import by_slots
from bridge.wishes.said import Said, applied, common
from bridge.wishes.spelling import words
from bridge.wishes.times import ranged
from rhythm_env.interface import ActionType

K = Kind
TEXT_MAX = 300  # characters
CLAUSES_MAX = 6
DAY, EARLY = 24, 6  # "one at night" is before this hour
LIMITS = ("days", "hours")
THAN = re.compile(r"\b(?:rather|better|prefer\w*|lieber|besser|eher)\b.*\b(?:than|als|statt|instead of)\b")
ENOUGH = re.compile(r"\b(?:plenty|enough|suffic\w+|will do|all i (?:need|want)|reich\w*|genüg\w*|genug|langt|langen)\b")
NEVER = ((K.NOT, "never"), (K.NOT, "nie"))
LANGUAGES = ("en", "de")
QUESTION = re.compile(
    r"(?:is (?!it\b)|are|do|does|did|why|what|how|ist|sind|warum|wieso|weshalb|wie)\b.*\?$"
)  # asks, wishes not


@dataclass(frozen=True, slots=True)
class Heard:
    """The wishes of a text in their order, and what was left ``aside`` as a reason."""

    said: tuple[Said, ...]
    aside: tuple[str, ...] = ()


def understood(text: str) -> tuple[Said, ...]:
    """Return the wishes that a text says. Raises NotUnderstood as ``heard`` does."""
    return heard(text).said


def heard(text: str) -> Heard:
    """Return what a text says. Raises NotUnderstood, also where two languages or two parts of it disagree."""
    if len(text) > TEXT_MAX or QUESTION.match(text.strip().lower()):
        raise NotUnderstood
    found = {Heard(said=said) for language in LANGUAGES if (said := _strictly(text, language)) is not None}
    if any(_contradicts(one.said) for one in found):
        found = {one for language in LANGUAGES if (one := _by_slots(text, language)) is not None}
        if not found:
            raise NotUnderstood
    found = found or {one for language in LANGUAGES if (one := _beside_reasons(text, language)) is not None}
    found = found or {one for language in LANGUAGES if (one := _by_slots(text, language)) is not None}
    if len({one.said for one in found}) != 1:
        raise NotUnderstood
    only = min(found, key=lambda one: len(one.aside))
    if _contradicts(only.said):
        raise NotUnderstood
    return only


def _strictly(text: str, language: str) -> tuple[Said, ...] | None:
    """Return the wishes of a text of which every word is used, or None for another text."""
    known = lexicon(language)
    back = taken_back(text, language, lambda name: _only_actions(name, known))
    if back is not None:
        return (back,)
    said, rest = weights(parted(text, known, language), language)
    try:
        found = _together(said + (_wishes(_tokens(rest, known)) if rest or not said else ()))
    except NotUnderstood:
        return None
    doubtful = any(one.kind == "goal" for one in found) and ENOUGH.search(text.lower())
    compared = any(one.kind != "weight" for one in found) and THAN.search(text.lower())
    return None if doubtful or compared else found


def _beside_reasons(text: str, language: str) -> Heard | None:
    """Return the wishes of a text without its reasons, of which the fewest are set aside, or None if that is unsure."""
    known = lexicon(language)
    found: dict[tuple[Said, ...], tuple[str, ...]] = {}
    for left, aside in kept(text, known, language):
        if found and len(aside) > len(next(iter(found.values()))):
            break
        said = _strictly(left, language)
        if said is not None and may_stand(said, left, aside, known, language):
            found[said] = aside
    return Heard(*found.popitem()) if len(found) == 1 else None


def _by_slots(text: str, language: str) -> Heard | None:
    try:
        said, aside = by_slots(text, language)
    except NotUnderstood:
        return None
    return None if _contradicts(said) else Heard(said=said, aside=aside)


def _only_actions(text: str, known: Lexicon) -> frozenset[ActionType] | None:
    """Return the actions of a text that names nothing else and none by only a part of it, such as yoga."""
    try:
        tokens = _tokens(text, known)
    except NotUnderstood:
        return None
    if {kind for kind, _ in tokens} != {K.ACTION} or any(isinstance(value, OneOf | Bed) for _, value in tokens):
        return None
    return _actions(tokens)


def _together(said: tuple[Said, ...]) -> tuple[Said, ...]:
    """Return wishes with one for all days of an action whose days were said apart, "yoga mondays, running fridays"."""
    found: list[Said] = []
    for one in said:
        if one.kind == "best" and one.days:
            alike = [o.days for o in said if (o.kind, o.actions, o.hours) == ("best", one.actions, one.hours)]
            one = replace(one, days=frozenset().union(*alike)) if all(alike) else one
        found.append(one)
    return tuple(dict.fromkeys(found))


def _goes(one: Said, other: Said) -> bool:
    """Return True if two wishes for the times of an action hold both: one leaves what the other names."""
    if one.narrows and other.narrows:
        return True
    if one.narrows == other.narrows:
        return False
    rest, named = (one, other) if one.narrows else (other, one)
    return named.days <= rest.days and (not named.hours or common(named.hours, rest.hours) == named.hours)


def _contradicts(said: tuple[Said, ...]) -> bool:
    """Return True if one wish of a text takes back another, or leaves nothing of it."""
    for at, one in enumerate(said):
        same = [other for other in said[:at] if other.kind == one.kind and other.actions & one.actions]
        if (one.kind in ("goal", "best") and same) or (
            one.kind in LIMITS and not all(_goes(one, other) for other in same)
        ):
            return True
    if _bars_nothing(said):
        return True
    for one in (one for one in said if one.kind == "best"):
        of_it = [other for other in said if other.actions & one.actions]
        if any(other.kind == "days" and not one.days <= other.days for other in of_it):
            return True
        if any(other.kind == "hours" and one.hours and not common(one.hours, other.hours) for other in of_it):
            return True
    whole = frozenset().union(*(one.actions for one in said if one.kind == "goal" and one.number >= len(WEEK)))
    if any(one.kind == "days" and one.actions & whole and len(one.days) < len(WEEK) for one in said):
        return True  # "every day but not on Sundays"
    never = frozenset().union(*(one.actions for one in said if one.kind == "never"))
    if _is_no_night(said) or any(one.actions & never for one in said if one.kind != "never"):
        return True
    try:
        applied(Wishes(), said)
    except SetupError:
        return True
    return False


def _bars_nothing(said: tuple[Said, ...]) -> bool:
    """Return True if hours of a day are barred that no day has: "I start at seven, on Fridays at six"."""
    limits = [one for one in said if one.kind == "hours"]
    barred = [one for one in said if one.kind == "barred"]
    return any(not common(one.hours, o.hours) for one in barred for o in limits if o.actions & one.actions)


def _is_no_night(said: tuple[Said, ...]) -> bool:
    """Return True for two bedtimes, or one before the earliest."""
    at = {kind: {one.at for one in said if one.kind == kind} for kind in ("bed", "earliest", "up")}
    after_noon = {
        kind: [((one.hour - NOON) % 24, one.minute) for one in times if one is not None] for kind, times in at.items()
    }
    early, late = after_noon["bed"], after_noon["earliest"]
    return any(len(times) > 1 for times in at.values()) or bool(early and late and min(early) < max(late))


# Words to tokens ------------------------------------------------------------------------------------------------------


def _tokens(text: str, known: Lexicon) -> list[Token]:
    found = list(phrases.tokens(words(text, known), known.phrases, _figure))
    if any(kind is K.BARRED for kind, _ in found):
        raise NotUnderstood
    return [one for one in found if one[0] is not K.FILL]


def _figure(word: str) -> Token:
    if re.fullmatch(r"\d{1,2}[:.]\d\d", word):
        hour, minute = map(int, re.split("[:.]", word))
        if hour <= 24 and minute < 60:
            return (K.CLOCK, (hour, minute))
    if word.isdecimal() and len(word) <= 2:
        return (K.NUMBER, int(word))
    raise NotUnderstood


# Tokens to clauses ----------------------------------------------------------------------------------------------------


def _wishes(tokens: Sequence[Token]) -> tuple[Said, ...]:
    """Return the wishes of tokens, in which a comma joins or parts, or else only rests: "yoga, but only on Mondays"."""
    kinds = [kind for kind, _ in tokens]
    if kinds[-2:] == [K.ACTION, K.ONLY] and K.DAY in kinds and _actions(tokens) <= OF_LIFE:
        raise NotUnderstood  # "Sundays: family only"
    around = zip([(K.FILL, None), *tokens], tokens, [*tokens[1:], (K.FILL, None)], strict=False)
    listed = [one for before, one, after in around if one[0] is not K.COMMA or before[0] is after[0]]
    for tried in (tokens, listed):
        try:
            return _clauses([(K.AND, None) if kind is K.COMMA else (kind, value) for kind, value in tried])
        except NotUnderstood:
            if len(listed) == len(tokens):
                break
    raise NotUnderstood


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
        if kind not in (K.AND, K.CUT) or _is_shared_not(tokens, at) or _is_shared_day(tokens[:at], tokens[at + 1 :]):
            continue
        try:
            first, rest = _clause(tokens[:at], before), tokens[at + 1 :]
            if _is_shared_time(tokens, at):
                raise NotUnderstood
            rest = rest[1:] if rest and rest[0][0] in (K.AND, K.CUT) else rest
            found.add(_together(first + _clauses(rest, _actions(tokens[:at]) or before, left + 1)))
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


def _is_shared_day(first: Sequence[Token], rest: Sequence[Token]) -> bool:
    """Return True for "no tv on Mondays and Tuesdays before 8 pm", whose "not" and hours hold for both days."""
    kinds = {kind for kind, _ in rest}
    of_days = bool(first) and first[-1][0] is K.DAY and rest[:1] != [] and rest[0][0] is K.DAY
    return of_days and K.NOT in dict(first) and not kinds & {K.NOT, K.ONLY, K.ACTION, *ITSELF}


def _is_shared_time(tokens: Sequence[Token], at: int) -> bool:
    """Return True for "in the evening reading and no tv", whose time may hold for both."""
    kinds = [kind for kind, _ in tokens]
    rest = [one for one in tokens[at + 1 :] if one[0] not in (K.AND, K.CUT)]
    veto = len(rest) == 2 and {kind for kind, _ in rest} == {K.NOT, K.ACTION} and rest[0] not in NEVER
    return veto and kinds[0] in (K.DAY, K.PART, K.BEFORE, K.AFTER, K.FROM)


def _actions(tokens: Sequence[Token]) -> frozenset[ActionType]:
    named = [value for kind, value in tokens if kind is K.ACTION and isinstance(value, frozenset)]
    return frozenset().union(*named)


def _clause(tokens: Sequence[Token], before: frozenset[ActionType] | None) -> tuple[Said, ...]:
    beside = [one[0] in BESIDE for one in tokens]
    plain = [
        one
        for at, one in enumerate(tokens)
        if not beside[at] and not (one[0] in (K.AND, K.OR) and beside[at - 1 : at] == beside[at + 1 : at + 2] == [True])
    ]
    read = _read(ranged(list(_clocked(plain))))
    read.beside = [one for one in tokens if one[0] in BESIDE]
    if not read.actions and before and not read.flags.keys() & ITSELF:
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
            if first is None and (kind is K.AT or tokens[at] == (K.TO, None)):  # not "until"
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
    if kind is K.NUMBER and following[0] is K.MINUTES and not shift:
        kind, minute, at = K.CLOCK, int(str(following[1])), at + 1
        following = tokens[at + 1] if at + 1 < len(tokens) else (K.FILL, None)
    total = hour * 60 + minute + shift
    known = hour > NOON or hour == 0 or (kind is K.CLOCK and (hour, minute) == (NOON, 0))
    if following[0] in (K.HALF_DAY, K.PART) and hour <= NOON and not known:
        half = following[1] if isinstance(following[1], int) else 12 * (following[1] != MORNING)
        if half == DAY and (hour == NOON or hour < EARLY):
            return (total % 720 // 60, total % 60, True), at + 2
        if following[1] == NIGHT and (hour == NOON or hour < 6):
            raise NotUnderstood  # "1 at night", "twelve at night"
        return ((total + (720 if half and hour < NOON else 0)) // 60, total % 60, True), at + 2
    return (total // 60, total % 60, known), at + 1


BESIDE = (K.ABOUT, K.DETAIL, K.NAME)  # an action, of which they tell more
ITSELF = {K.SUGGESTION, K.FINISH, K.START, K.FREE, K.CLEAR, K.METER}  # which need no action of the clause before
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
        if again and kind is K.ACTION and joint is None and value != read.actions:  # "meditation at work"
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
        read.only_then |= kind is K.ONLY and after is K.DAY and not read.parts
    elif not (fresh.get(kind, False) or again or value == read.actions):
        raise NotUnderstood
    elif kind is K.ACTION and isinstance(value, frozenset):
        read.only_action = read.only_action or after is K.ONLY
        read.actions |= value
        read.in_part |= isinstance(value, OneOf)
        read.in_bed |= isinstance(value, Bed)
    elif kind is K.DAY and isinstance(value, frozenset):
        read.days |= value
    elif kind is K.PART and isinstance(value, tuple):
        read.parts.append(value)
    elif kind is K.SPAN and isinstance(value, tuple):
        read.spans.append(value)
    else:
        raise NotUnderstood
