"""Decide the hours that the times of a clause mean, by its action and by the part of the day next to them."""

from __future__ import annotations

import re
from datetime import time
from typing import Any

from bridge.domain.wishes import Hours
from bridge.wishes.hours import AT_NIGHT, BY_DAY, MEAL, MIDNIGHT, NOON, NotUnderstood, span_not, span_of, sure
from bridge.wishes.lexicon import ALL, MORNING, NIGHT, WORK, Kind
from bridge.wishes.slots import Part
from rhythm_env.interface import ActionType

K, A = Kind, ActionType
OF_MORNING = re.compile("breakfast|brunch|frühstück")
SMALL = 5  # an hour that may be after midnight
AROUND = 2  # hours from a time at which something is wanted
LATEST_DINNER = 9  # from which hours with the family may be of a morning
EVENING_HOURS = 4  # the most that "8 to 10 pm" can be


def with_halves(part: Part) -> None:
    """Give hours the half of the day that a part of the day beside them names: "in the evening, around seven"."""
    if not part.parts and any(OF_MORNING.search(getattr(one, "name", "")) for one in part.named):
        part.parts = [MORNING]  # "family breakfast at nine"
    if len(part.parts) != 1 or not part.spans:
        return
    begin = part.parts[0][0]
    shift = 0 if begin.hour < NOON else 12
    if part.nots and part.has(K.ONLY):
        raise NotUnderstood  # "only in the morning and never before three"
    relation, _, end = part.spans[0]
    alone = end is None and not (part.nots or len(part.spans) > 1)
    only = part.has(K.ONLY) and begin.hour < NOON  # "only in the morning before eight"
    latest = relation is K.LATEST and part.has(K.ONLY)
    within = alone and (relation is K.TO or latest or (relation is K.BEFORE and not only))
    since = alone and part.has(K.ONLY) and relation in (K.EARLIEST, K.AFTER)
    known = [clock for _, *both in part.spans for clock in both if clock is not None and clock[2]]
    if part.parts[0] != NIGHT and any(_is_outside(clock, part.parts[0]) for clock in known):
        raise NotUnderstood  # "in the morning at three p.m."
    if not any(clock[2] or (end is not None and end[2]) for _, clock, end in part.spans):
        part.spans = [
            (relation, _halved(clock, shift), None if end is None else _halved(end, shift))
            for relation, clock, end in part.spans
        ]
    if within and part.spans[0][1][0] > begin.hour:
        part.spans = [(K.BETWEEN, (begin.hour, 0, True), part.spans[0][1])]  # "the evening until eight"
    elif since and part.parts[0][1].hour > part.spans[0][1][0] >= begin.hour:  # "only in the afternoon from three"
        part.spans = [(K.BETWEEN, part.spans[0][1], (part.parts[0][1].hour, 0, True))]
    part.parts = []


def of_half(span: Any, part: Hours) -> Any:
    """Return a time in the half of the day to which a part of the day belongs, if the time does not name its own."""
    relation, clock, end = span
    shift = 0 if part[0].hour < NOON else NOON
    if clock[2] or end is not None or (shift and clock[0] < SMALL):
        return span
    return relation, _halved(clock, shift), None


def _is_outside(clock: Any, part: Hours) -> bool:
    end = part[1].hour or 24
    return not part[0].hour - 2 <= clock[0] <= end + 2 and not (part[1].hour == 0 and clock[0] < 5)


def _halved(clock: Any, shift: int) -> tuple[int, int, bool]:
    hour, minute, _ = clock
    return (hour % 12 + shift if hour < 12 else hour), minute, True


def _of_evening(clock: Any, end: Any, actions: frozenset[ActionType]) -> tuple[Any, Any]:
    """Return "8 to 10 pm" as two hours of the evening, but "9 to 5 pm" as the day."""
    latest = LATEST_DINNER if actions == {A.FAMILY_TIME} else NOON
    if (
        end is not None
        and not (clock[2] or end[2])
        and actions <= AT_NIGHT
        and 5 <= clock[0] < latest > end[0] > clock[0]
    ):
        return _halved(clock, NOON), _halved(end, NOON)
    if end is None or clock[2] or not end[2] or not 0 < end[0] - 12 - clock[0] % 12 <= EVENING_HOURS:
        return clock, end
    return (clock[0] % 12 + 12, clock[1], True), end


def left_by(span: Any, actions: frozenset[ActionType]) -> Hours:
    relation, clock, end = span
    clock, end = _of_evening(clock, end, actions)
    relation = {K.EARLIEST: K.BEFORE, K.LATEST: K.AFTER}.get(relation, relation)
    if relation is K.AT and actions == ALL:  # "nothing at twelve" is an hour
        begin = sure(clock, range(1, 5), range(8, 12))
        return time((begin.hour + 1) % 24, begin.minute), begin
    if relation is K.BEFORE and actions <= {A.SOCIALIZE, A.FAMILY_TIME}:
        return sure(clock, range(1, 5), range(8, 12)), MIDNIGHT
    return span_not((relation, clock, end), actions)


def kept(span: Any, part: Part) -> Hours:
    relation, clock, end = span
    actions = part.actions
    clock, end = _of_evening(clock, end, actions)
    of_day = actions in ({A.FAMILY_TIME}, {A.EXERCISE}) and relation in (K.AT, K.AFTER)
    if of_day and end is None and not clock[2] and LATEST_DINNER < clock[0] < NOON:
        clock = _halved(clock, 0)  # "family on Sundays from eleven"
    if end is not None:
        return span_of((relation, clock, end), actions)
    if relation is K.EARLIEST or (relation is K.AFTER and part.has(K.ONLY)):
        late = actions <= AT_NIGHT
        if relation is K.AFTER and not late and not actions <= WORK and not clock[2] and 6 <= clock[0] <= 9:
            raise NotUnderstood  # "learning only after eight", once the children are asleep?
        return sure(clock, range(5, 12) if late else range(1, 5), range(0) if late else range(5, 12)), MIDNIGHT
    if relation in (K.LATEST, K.TO) and actions != WORK:
        by_day = range(10, 12) if actions <= BY_DAY else range(0)
        return MIDNIGHT, sure(clock, range(1, 10) if by_day else range(1, 12), by_day)
    if clock[2] == MEAL and relation in (K.BEFORE, K.AFTER) and not part.has(K.ONLY):
        shift = AROUND if relation is K.AFTER else -AROUND  # "a walk after lunch"
        both = sorted((clock[0], clock[0] + shift))
        return time(both[0], clock[1]), time(both[1] % 24, clock[1])
    if relation is K.AT:
        if actions == {A.EXERCISE} and not clock[2] and 9 <= clock[0] < NOON:
            clock = _halved(clock, 0)  # "swim at ten"
        if not (clock[2] or actions <= BY_DAY or actions <= AT_NIGHT) and 5 <= clock[0] < 8:
            raise NotUnderstood  # "swim at seven"
        begins, _ = span_of((K.AFTER, clock, None), actions)
        return begins, time((begins.hour + AROUND) % 24, begins.minute)
    return span_of((relation, clock, end), actions)
