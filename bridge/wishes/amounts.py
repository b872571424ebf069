"""Make wishes of a clause about the suggestions of a day, days without them, and what a meter counts."""

from __future__ import annotations

from typing import Any

from bridge.domain.wishes import SPARE_MAX, SUGGESTIONS_MAX
from bridge.wishes.hours import NotUnderstood, span_of
from bridge.wishes.lexicon import WEEK, Kind
from bridge.wishes.said import Said
from bridge.wishes.slots import LIMITS, Part
from bridge.wishes.wanting import on_days
from rhythm_env.interface import ActionType

K = Kind
MORE = 2.0
ANY = frozenset(ActionType)
LIGHT = frozenset({K.BEST, K.THEN})


def fewer(part: Part) -> Said:
    if part.actions or part.days or part.spans or part.beside or part.nots or len(part.parts) > 1:
        raise NotUnderstood
    if not part.has(K.SPARE):
        if part.flags.keys() - LIGHT - {K.FEWER} or part.parts:
            raise NotUnderstood
        return Said(kind="fewer", number=part.flags[K.FEWER])
    number = part.flags.get(K.NUMBER)
    if part.flags.keys() - {K.SPARE, K.NUMBER} or not isinstance(number, int) or not 1 <= number <= SPARE_MAX:
        raise NotUnderstood
    return Said(kind="spare", number=number, hours=tuple(part.parts))


def weight(part: Part) -> Said:
    meters = list(dict.fromkeys(part.meters))
    if part.actions or (K.OVER in part.kinds and part.kinds.index(K.OVER) < part.kinds.index(K.METER)):
        raise NotUnderstood  # "I care more about my friends than about productivity"
    if not part.has(K.WEIGHT, K.OVER) or part.nots or part.times or (len(meters) > 1 and not part.has(K.OVER)):
        raise NotUnderstood
    number = part.flags.get(K.WEIGHT)
    return Said(kind="weight", meter=meters[0], number=MORE if number is None else float(number))


def suggestions(part: Part) -> Said:
    if part.flags.keys() - LIGHT == {K.NOT, K.SUGGESTION} and not (part.times or part.actions):
        return Said(kind="suggestions")
    counts = [part.flags[kind] for kind in (K.TIMES, K.NUMBER) if part.flags.get(kind) is not None]
    counts = counts[:1] if counts[1:] == [1] else counts  # "once a day one suggestion"
    limited: Any = part.flags.keys() & {K.MOST, K.ENOUGH, K.ONLY, K.FINE}
    part.nots = 0 if part.flags.get(K.MOST) == 1 else part.nots
    alone = part.has(K.SUGGESTION) or part.flags.get(K.PER) == len(WEEK)
    limited = limited or (part.has(K.SUGGESTION) and part.flags.get(K.PER) == len(WEEK) and not part.has(K.LEAST))
    if (
        len(counts) != 1
        or not limited
        or not alone
        or part.nots
        or (part.days and not part.flags.keys() & LIMITS)
        or len(part.parts) + len(part.spans) > 1
        or part.actions
        or any(value != ANY for _, value in part.beside)
        or part.flags.get(K.PER, len(WEEK)) != len(WEEK)
        or not 0 <= counts[0] <= SUGGESTIONS_MAX
    ):
        raise NotUnderstood
    hours = (*part.parts, *(span_of(span, ANY) for span in part.spans))
    if hours and (part.has(K.PER, K.LEAST) or not counts[0]):
        raise NotUnderstood  # "two a day in the evening"
    kind = "few" if hours else "suggestions"
    return Said(kind=kind, number=counts[0], hours=hours, when=on_days(part.days))
