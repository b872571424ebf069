"""Read times of the day and ranges of weekdays in the tokens of a wish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bridge.wishes.hours import MEAL, NOON, Clock, NotUnderstood
from bridge.wishes.lexicon import COMPANY, DAYTIME, MIDDAY, MORNINGS, NIGHT, Kind, Token

K = Kind
Span = tuple[Kind, Clock, Clock | None]
BOUNDS = (K.LEAST, K.MOST, K.ENOUGH)
RELATIONS = (K.BEFORE, K.AFTER, K.AT, K.FROM, K.TO, K.BETWEEN, K.LATEST, K.EARLIEST)
HALF = 30
ELSE = 1  # of "why"
COUNTED = (K.TIMES, K.PER, K.WEEKLY, K.SUGGESTION)
TIMED = (K.BED, K.UP, K.FINISH, K.START, K.SPAN)  # after which a bare number is a time


def bounded(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with each duration joined to its bound: "at most 20 minutes"."""
    found: list[Token] = []
    taken = False
    for at, (kind, value) in enumerate(tokens):
        if kind is not K.LASTS:
            found += [] if taken else [(kind, value)]
            taken = False
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else (K.FILL, None)
        taken = (not found or found[-1][0] not in BOUNDS) and after[0] in BOUNDS
        bound = after if taken else found.pop() if found and found[-1][0] in BOUNDS else (None, None)
        side = bound[0] if bound[0] in (None, K.LEAST) else K.MOST
        found.append((kind, (side, value, bound[1] == 1)))
    return found


def folded(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with each time of day joined to the word before it, such as "after"."""
    tokens = [one for at, one in enumerate(tokens) if not (_is_of_company(tokens, at) or _is_around(tokens, at))]
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, value = tokens[at]
        relation = kind if kind in RELATIONS else None
        begin = at + (relation is not None)
        while relation and begin < len(tokens) and tokens[begin][0] in (K.AT, K.LATEST, K.EARLIEST):
            relation = relation if tokens[begin][0] is K.AT else tokens[begin][0]
            begin += 1
        bare = relation is None and not (found and (found[-1][0] in TIMED or _goes_on(tokens, at, found)))
        first, after = _clock(tokens, begin, bare=bare)
        if first is None and relation and begin < len(tokens):
            first, after = _edge(relation, tokens[begin], begin)
        if first is None:
            if (kind, value) != (K.TO, None) or (at + 1 < len(tokens) and tokens[at + 1][0] is K.DAY):
                found.append(_loose((kind, value), found))  # and not the "to" of "want to"
            at += 1
            continue
        joint = (K.AND, K.TO) if relation is K.BETWEEN else (K.TO,)
        second = None
        if after < len(tokens) and tokens[after][0] in joint:
            second, end = _clock(tokens, after + 1, bare=False)
            after = end if second is not None else after
        if second is not None:
            relation = K.BETWEEN
        elif after < len(tokens) and tokens[after][0] in (K.LATEST, K.EARLIEST):
            relation, after = tokens[after][0], after + 1
        relation = K.AFTER if relation is K.FROM else relation or K.AT
        if relation is K.BETWEEN and second is None:
            raise NotUnderstood
        found.append((K.SPAN, (relation, first, second)))
        at = after
    return found


def _goes_on(tokens: Sequence[Token], at: int, found: Sequence[Token]) -> bool:
    """Return True if a number continues the time before it, as the "ten" of "bed by eleven, ten on Sundays"."""
    timed = any(kind in (K.BED, K.UP, K.FINISH) for kind, _ in found)
    if timed and found[-1] == (K.WHY, ELSE) and at + 1 == len(tokens):
        return True  # "up at eight on Sundays, otherwise six"
    joined = timed and found[-1][0] in (K.AND, K.COMMA, K.CUT)
    return joined and [kind for kind, _ in tokens[at + 1 : at + 3] if kind is not K.AT][:1] == [K.DAY]


def _is_around(tokens: Sequence[Token], at: int) -> bool:
    """Return True for the "towards" of "towards the evening"."""
    return tokens[at][0] is K.AT and at + 1 < len(tokens) and tokens[at + 1][0] is K.PART


def _is_of_company(tokens: Sequence[Token], at: int) -> bool:
    """Return True for the event of "dinner with the grandparents"."""
    led = at > 0 and tokens[at - 1][0] in RELATIONS
    company = at + 1 < len(tokens) and tokens[at + 1][0] is K.ACTION and _set(tokens[at + 1][1]) <= COMPANY
    return tokens[at][0] is K.EVENT and company and not led


def _edge(relation: Kind, token: Token, at: int) -> tuple[Clock | None, int]:
    kind, part = token
    if kind is K.EVENT and part:
        return (*part, MEAL), at + 1  # type: ignore[misc]
    whole = kind is K.PART and part in (NIGHT, DAYTIME, MIDDAY)
    if relation in (K.BEFORE, K.AFTER) and (whole or kind is K.DAY):
        raise NotUnderstood  # "after nights nothing before two", "after Mondays no sport before ten"
    if kind is not K.PART or not isinstance(part, tuple) or whole or relation is K.AT:
        return None, at
    low, high = part
    edge = high if relation in (K.AFTER, K.LATEST) else low
    return (None, at) if edge.hour == 0 else ((edge.hour, 0, True), at + 1)


def _loose(token: Token, before: Sequence[Token]) -> Token:
    if token[0] is K.SHIFT:
        return K.WORD, "half" if token[1] == HALF else "halb"
    leads = before and before[-1][0] in RELATIONS
    return token if token[0] is not K.EVENT or leads else (K.WORD, "")


def _clock(tokens: Sequence[Token], at: int, *, bare: bool) -> tuple[Clock | None, int]:
    """Return the time of day at a place, and the index of its end. A ``bare`` number needs a sign that it is a time."""
    shift, begin = 0, at
    if at < len(tokens) and tokens[at][0] is K.SHIFT:
        shift, at = int(str(tokens[at][1])), at + 1
    if at >= len(tokens) or tokens[at][0] not in (K.NUMBER, K.CLOCK):
        return None, begin
    kind, value = tokens[at]
    hour, minute, *sure = value if isinstance(value, tuple) else (int(str(value)), 0)
    following = [*tokens[at + 1 : at + 4], (K.FILL, None), (K.FILL, None), (K.FILL, None)]
    if hour > 24 or (kind is K.NUMBER and following[0][0] in COUNTED):
        return None, begin
    at += 1
    if kind is K.NUMBER and following[0][0] is K.MINUTES and not shift:
        kind, minute, at, following = (K.CLOCK, int(str(following[0][1])), at + 1, following[1:])
    said = kind is K.CLOCK or bool(shift)
    if following[0][0] is K.OCLOCK:
        more = following[1][0] is K.MINUTES and not (minute or shift)  # "fünf Uhr dreißig"
        minute = int(str(following[1][1])) if more else minute
        said, at, following = True, at + 1 + more, following[1 + more :]
    total = hour * 60 + minute + shift
    known = hour > NOON or hour == 0 or bool(sure) or (kind is K.CLOCK and (hour, minute) == (NOON, 0))
    counted = bare and not said and following[0][0] is K.PART  # "two evenings a week"
    if following[0][0] in (K.HALF_DAY, K.PART) and hour <= NOON and not known and not counted:
        half = following[0][1] if isinstance(following[0][1], int) else 12 * (following[0][1] not in MORNINGS)
        if following[0][1] in (NIGHT, 24) and (hour == NOON or hour < 6):
            return ((total % 720) // 60, total % 60, True), at + 1
        total = total % 720 if hour == NOON else total
        return ((total + (720 if half else 0)) // 60 % 24, total % 60, True), at + 1
    if bare and not said:
        ranged = following[0][0] is K.TO and following[1][0] in (K.NUMBER, K.CLOCK) and following[2][0] not in COUNTED
        if not ranged:
            return None, begin
    return (total // 60, total % 60, known), at


def ranged(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with each range of weekdays as one."""
    found: list[Token] = []
    for token in tokens:
        if token[0] is K.DAY and len(found) > 1 and found[-1][0] is K.TO and found[-2][0] is K.DAY:
            (low,), (high,) = _one(found[-2][1]), _one(token[1])
            days = range(low, high + 1) if low <= high else [*range(low, 7), *range(high + 1)]
            found[-2:] = [(K.DAY, frozenset(days))]
        else:
            found.append(token)
    for i, (kind, _) in enumerate(found[:-1]):
        if kind is K.FROM and found[i + 1][0] is K.DAY and len(_set(found[i + 1][1])) == 1:
            raise NotUnderstood  # "no sport from Monday"
    days_at = [one[0] is K.DAY for one in found] + [False]
    return [one for i, one in enumerate(found) if not (one[0] is K.FROM and days_at[i + 1])]


def _set(value: object) -> frozenset[Any]:
    return value if isinstance(value, frozenset) else frozenset()


def _one(value: object) -> list[int]:
    days = sorted(_set(value))
    if len(days) != 1:
        raise NotUnderstood
    return days
