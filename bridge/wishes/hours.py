"""Compute the hours of a wish's time by its action: "before 9" is in the morning for sport."""

from __future__ import annotations

from datetime import time

from bridge.domain.wishes import Hours
from bridge.wishes.lexicon import ALL, MORNING, WEEK, WORK, Kind
from rhythm_env.interface import ActionType

K, A = Kind, ActionType
Clock = tuple[int, int, int]  # hour, minute, and 1 if the half of the day is known, MEAL beside one
MEAL = 2
Span = tuple[Kind, Clock, Clock | None]  # before, after, at, or between two times
MIDNIGHT, NOON, EVENING = time(0), 12, 18 * 60
LATE = 10  # the hour from which "sleep from ten to six" is at night
ANY_DAY = frozenset(WEEK)
BY_DAY = frozenset({A.DEEP_WORK, A.ADMIN_WORK, A.LEARN})  # an hour from 7 to 11 is in the morning
AT_NIGHT = frozenset({A.BINGE_WATCH, A.SOCIALIZE, A.FAMILY_TIME})


class NotUnderstood(Exception):
    """A text has a word that is not known, or parts that do not make a wish."""


def span_not(span: Span, actions: frozenset[ActionType]) -> Hours:
    rel, clock, end = span
    if end is not None:
        return _between(clock, end, actions)[::-1]
    if rel in (K.BEFORE, K.TO):
        evening = bool(actions & AT_NIGHT) and actions != ALL
        return sure(clock, range(1, 5), range(0) if evening else range(5, 12)), MIDNIGHT
    if rel is K.AFTER:
        at = sure(clock, range(1, 12), range(0))
        return (MORNING[0] if at.hour < MORNING[0].hour - 1 else MIDNIGHT), at
    raise NotUnderstood


def span_of(span: Span, actions: frozenset[ActionType]) -> Hours:
    rel, clock, end = span
    if end is not None:
        return _between(clock, end, actions)
    late = bool(actions & AT_NIGHT) and actions != ALL
    if rel is K.TO:
        late_morning = range(10, 12) if actions <= BY_DAY else range(0)
        return MIDNIGHT, sure(clock, range(1, 10) if actions == WORK else range(1, 5), late_morning)
    if rel is K.BEFORE:
        return MIDNIGHT, sure(clock, range(1, 5), range(0) if late else range(5, 12))
    if rel is K.AFTER:
        day = actions <= BY_DAY
        afternoon = range(1, 5) if day or actions == ALL else range(1, 11) if late else range(1, 8)
        return sure(clock, afternoon, range(7, 12) if day else range(0)), MIDNIGHT
    raise NotUnderstood


def _between(first: Clock, second: Clock, actions: frozenset[ActionType]) -> Hours:
    """Return the hours between two times."""
    (low, low_minute, low_known), (high, high_minute, high_known) = first, second
    begin, end = low * 60 + low_minute, high * 60 + high_minute
    day = actions <= BY_DAY or actions == ALL
    if not high_known and not low_known:
        if low % NOON == 0 or (1 <= low <= 4 and begin < end and high <= 7):
            begin, end = begin % 720 + 720, end % 720 + 720
        elif 7 <= low < NOON and high <= 6:
            end += 720
        elif not ((high == NOON or day) and 7 <= low < NOON and begin < end):
            raise NotUnderstood
    elif high_known and not low_known:
        if 7 <= low < NOON and begin + 720 < end:
            raise NotUnderstood  # "from 8 to 10 pm", but "von 8 bis 22 Uhr"
        begin = begin + 720 if high >= NOON and begin + 720 < end and low < 7 else begin
    elif low_known and not high_known:
        end = end + 720 if end < begin and end + 720 > begin else end
    if end <= begin and not (begin >= EVENING and end <= NOON * 60):  # "from 22 to 7"
        raise NotUnderstood
    return time(begin // 60 % 24, begin % 60), time(end // 60 % 24, end % 60)


def sure(clock: Clock, after_noon: range, before_noon: range) -> time:
    hour, minute, known = clock
    if known or hour == NOON or hour in before_noon:
        return time(hour % 24, minute)
    if hour not in after_noon:
        raise NotUnderstood
    return time(hour + NOON, minute)
