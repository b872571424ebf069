"""Tell what a wish leaves out, or turns to, from what it wants: "every day but Sundays", "evenings not mornings"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from bridge.wishes.hours import NotUnderstood
from bridge.wishes.lexicon import WEEK, Kind, Token

K = Kind
EITHER_SIDE = 1  # of the days, of "but": "Sundays excluded"
DENIED = ("never", "nie")  # values of "not"
TIMES = (K.DAY, K.PART, K.SPAN)
HOURS = {K.PART, K.SPAN}
HEADS = {K.ACTION, K.ABOUT, K.SUGGESTION}
OFTEN = {K.PER, K.TIMES, K.WEEKLY}
JOINTS = (K.CUT, K.COLON, K.THUS, K.WHY, K.WHEN)  # between clauses, also of one list


def left_out(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens in which days left out of "every day" follow "except": "but not on Sundays", "Sundays excluded"."""
    kinds = [kind for kind, _ in tokens]
    begin, end = _list_of_days(kinds)
    after = [token for token in tokens[end : end + 1] if token[0] in (K.NOT, K.BUT)]
    if not end or kinds[end + len(after) :][:1] not in ([], [K.COMMA], [K.CUT], [K.AND]):
        return list(tokens)
    if after == [(K.BUT, EITHER_SIDE)]:
        return [*tokens[:begin], *after, *tokens[begin:end], *tokens[end + 1 :]]
    before = begin
    while kinds[before - 1 : before] in ([K.NOT], [K.ONLY], [K.COMMA], [K.CUT], [K.AND]):
        before -= 1
    nots, first = [one for one in (*tokens[before:begin], *after) if one[0] is K.NOT], kinds[:before]
    daily = ((K.PER, len(WEEK)) in tokens[:before] or K.EVERY in first) and before < begin
    of_one = first.count(K.ACTION) <= 1 and not {K.NOT, K.DAY, K.SUGGESTION} & {*first}
    if not (daily and of_one) or [value in (None, "never", "nie") for _, value in nots] != [True]:
        return list(tokens)
    return [*tokens[:before], (K.BUT, None), *tokens[begin:end], *tokens[end + len(after) :]]


def contrasted(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with a comma between what is wanted and what is not, or "only": "evenings not mornings"."""
    found, begin = list(tokens), 0
    for at, token in enumerate(tokens):
        if token[0] in JOINTS:
            begin = at + 1
        before = {kind for kind, _ in tokens[begin:at]}
        after = {*takewhile(lambda one: one in TIMES, (kind for kind, _ in tokens[at + 1 :]))}
        if not before & HEADS or not _turns(token, before):
            continue
        listed = [kind for kind, _ in tokens[at - 3 : at]] in ([K.PART, K.COMMA, K.PART], [K.DAY, K.COMMA, K.DAY])
        if listed and not after and [kind for kind, _ in tokens[begin:at]].count(K.COMMA) == 1:
            found[at - 2] = (K.CUT, None)  # "in the morning, in the evening not"
        elif before & after or (after and before & OFTEN) or (before & HOURS and after & {K.DAY, K.PART}):
            found.insert(at, (K.COMMA, None))
        else:
            continue
        break
    return found


def _turns(token: Token, before: set[Kind]) -> bool:
    kind, value = token
    if kind is K.ONLY:
        return K.NOT in before and K.ONLY not in before
    return kind is K.NOT and value in (None, *DENIED) and not before & {K.NOT, K.BUT}


def _list_of_days(kinds: Sequence[Kind]) -> tuple[int, int]:
    """Return the places of the last days of a text: from the first of "Saturdays and Sundays" to after the last."""
    end = next((at for at in range(len(kinds), 0, -1) if kinds[at - 1] is K.DAY), 0)
    begin = end - 1
    while kinds[begin - 2 : begin] in ([K.DAY, K.AND], [K.DAY, K.OR], [K.DAY, K.COMMA]):
        begin -= 2
    return begin, end


def excepted(tokens: Sequence[Token]) -> list[Token]:
    """Return tokens with "except on Fridays and Saturdays" as one token. Raises NotUnderstood if no days follow."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        kind, value = tokens[at]
        at += 1
        if kind is K.BUT:
            listed = tokens[at:]
            size = next((i for i, one in enumerate(listed) if one[0] not in (K.DAY, K.AND, K.OR, K.COMMA)), len(listed))
            size -= next((i for i, one in enumerate(reversed(listed[:size])) if one[0] is K.DAY), size)
            value = frozenset().union(*(_days(one) for one in listed[:size]))
            if not value or (listed[size:] and listed[size][0] in (K.PART, K.SPAN)):
                raise NotUnderstood
            if found and found[-1][0] in (K.COMMA, K.CUT, K.AND):
                found.pop()
            at += size
            if tokens[at : at + 1] == [(K.COMMA, None)] and K.ACTION not in (one[0] for one in found):
                at += 1  # "every day, except on Fridays, a walk"
        found.append((kind, value))
    return found


def _days(token: Token) -> frozenset[int]:
    kind, value = token
    return value if kind is K.DAY and isinstance(value, frozenset) else frozenset()
