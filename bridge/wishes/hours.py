"""Make wishes of the parts of a clause, such as an action, "not" and "before 9"."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time

from bridge.domain.wishes import GOAL_MAX, SUGGESTIONS_MAX, Hours
from bridge.wishes.lexicon import ALL, MORNING, ONE_THING, WEEK, WORK, Kind, Token
from bridge.wishes.said import Said
from rhythm_env.interface import ActionType, Meter

K, A = Kind, ActionType
Clock = tuple[int, int, bool]  # hour, minute, and True if the half of the day is known
Span = tuple[Kind, Clock, Clock | None]  # before, after, at, or between two times
DISLIKED = frozenset({"hate", "hasse"})
MIDNIGHT, NOON = time(0), 12
WORKDAYS_MIN = 3  # to be all days of work: "I work on Mondays" is no wish
BY_DAY = frozenset({A.DEEP_WORK, A.ADMIN_WORK, A.LEARN})  # an hour from 7 to 11 is in the morning
PERSONAL = frozenset({A.EXERCISE, A.SOCIALIZE, A.FAMILY_TIME})  # which one does with somebody
OF_LIFE = frozenset({A.FAMILY_TIME, A.SOCIALIZE, A.ADMIN_WORK, A.ME_TIME})
AT_NIGHT = frozenset({A.BINGE_WATCH, A.SOCIALIZE, A.FAMILY_TIME})


class NotUnderstood(Exception):
    """A text has a word that is not known, or parts that do not make a wish."""


@dataclass(slots=True)
class Clause:
    """The parts of a clause, each of which was said at one place in it."""

    actions: frozenset[ActionType] = frozenset()
    days: frozenset[int] = frozenset()
    parts: list[Hours] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    flags: dict[Kind, object] = field(default_factory=dict)
    joined: dict[Kind, set[Kind]] = field(default_factory=dict)
    beside: list[Token] = field(default_factory=list)  # what is said of an action beside its name
    only_action: bool = False
    only_then: bool = False  # "on Sundays only": at other times of these days, or on no other day?
    in_part: bool = False  # an action was named by only a part of it, such as yoga
    in_bed: bool = False  # sleep at night was named

    def has(self, *kinds: Kind) -> bool:
        """Return True if exactly these kinds were said."""
        return {*self.flags, *(kind for kind, value in self._lists() if value)} == set(kinds)

    def has_any(self, *kinds: Kind) -> bool:
        """Return True if any of these kinds was said."""
        return any(value for kind, value in self._lists() if kind in kinds) or bool(self.flags.keys() & set(kinds))

    def _lists(self) -> tuple[tuple[Kind, object], ...]:
        return (K.ACTION, self.actions), (K.DAY, self.days), (K.PART, self.parts), (K.SPAN, self.spans)


def meaning(read: Clause) -> tuple[Said, ...]:
    flags = read.flags
    check_beside(read)
    if read.has(K.CLEAR):
        return (Said(kind="clear"),)
    if K.SUGGESTION in flags:
        return _of_suggestions(read)
    if read.has(K.METER, K.WEIGHT):
        meter, weight = flags[K.METER], flags[K.WEIGHT]
        return (Said(kind="weight", meter=Meter(str(meter)), number=float(str(weight))),)
    if flags.keys() & {K.FINISH, K.START, K.FREE}:
        return (_of_work(read),)
    if (not read.actions or read.actions == WORK) and flags.get(K.NOT) in DISLIKED:
        raise NotUnderstood  # "I hate Mondays"
    if K.NOT in flags and not read.actions:
        raise NotUnderstood  # "not before 8, not after 19: sport"
    for flag, kind in ((K.AGAIN, "allow"), (K.ANYTIME, "any"), (K.DROP, "drop")):
        if read.has(flag, K.ACTION):
            return (Said(kind=kind, actions=read.actions),)
    if not read.actions or (read.joined.get(K.DAY) == {K.OR} and K.NOT not in flags):
        raise NotUnderstood
    return _limits(read)


def _limits(read: Clause) -> tuple[Said, ...]:
    if read.in_bed:
        raise NotUnderstood  # see meaning.py
    return _refused(read) if K.NOT in read.flags else _wanted(read)


def check_beside(read: Clause) -> None:
    """Raise NotUnderstood if something is said beside an action that does not go with it."""
    kinds = {kind for kind, _ in read.beside}
    if K.NAME in kinds and not read.actions and len(kinds) > 1:  # "coffee with Anna"
        read.actions = frozenset({A.SOCIALIZE})
    for kind, value in read.beside:
        goes = PERSONAL if kind is K.NAME else value
        if not read.actions or not isinstance(goes, frozenset) or not read.actions <= goes:
            raise NotUnderstood
        read.in_part |= not read.actions <= ONE_THING
    if kinds & {K.NAME, K.DETAIL} and (K.NOT in read.flags or len(read.actions) > 1):  # "no tv in bed" is not "no tv"
        raise NotUnderstood


def _of_suggestions(read: Clause) -> tuple[Said, ...]:
    flags = dict(read.flags)
    if K.NOT in flags:
        del read.flags[K.SUGGESTION]
        if read.has(K.NOT):
            return (Said(kind="suggestions"),)
        if not read.actions:
            read.actions = ALL
            return _refused(read)
        if read.has(K.NOT, K.ACTION) and read.actions != ALL:
            return _refused(read)
        raise NotUnderstood
    counts = {K.NUMBER, K.TIMES} & flags.keys()
    number = flags[counts.pop()] if len(counts) == 1 else None
    rest = flags.keys() - {K.SUGGESTION, K.MOST, K.PER, K.ONLY, K.NUMBER, K.TIMES}
    rest |= {kind for kind in (K.ACTION, K.DAY, K.PART, K.SPAN) if read.has_any(kind)}
    if isinstance(number, int) and 0 <= number <= SUGGESTIONS_MAX and flags.get(K.PER, 7) == 7 and not rest:
        return (Said(kind="suggestions", number=number),)
    if K.ONLY in flags and not read.actions:
        del read.flags[K.SUGGESTION]
        read.actions = ALL
        return _wanted(read)
    raise NotUnderstood


def _of_work(read: Clause) -> Said:
    if K.FREE in read.flags:
        left = frozenset(WEEK) - read.days
        if not (left and (read.has(K.FREE, K.DAY) or read.has(K.FREE, K.DAY, K.EVERY))):
            raise NotUnderstood
        return Said(kind="days", actions=WORK, days=left, narrows=True)
    ends = K.FINISH in read.flags
    if read.flags.get(K.PER) == len(WEEK) and not read.flags.keys() & {K.NUMBER, K.TIMES}:
        del read.flags[K.PER]  # "finish by six every day"
    del read.flags[K.FINISH if ends else K.START]
    read.actions = read.actions or WORK
    negated = read.flags.pop(K.NOT, K.NOT) is not K.NOT
    if not read.has(K.ACTION, K.SPAN) or len(read.spans) != 1 or read.actions != WORK:
        raise NotUnderstood
    rel, clock, end = read.spans[0]
    if end is not None or (rel is (K.AFTER if ends else K.BEFORE)) != negated:
        raise NotUnderstood
    at = sure(clock, range(1, 10) if ends else range(0), range(5, 12) if not ends else range(0))
    return Said(kind="hours", actions=WORK, hours=((MIDNIGHT, at) if ends else (at, MIDNIGHT),), narrows=True)


def _refused(read: Clause) -> tuple[Said, ...]:
    if read.has(K.NOT, K.ACTION) and read.actions not in (ALL, WORK):
        if read.in_part:
            raise NotUnderstood  # "never football" is not "never sport"
        return (Said(kind="never", actions=read.actions),)
    if read.joined.get(K.ACTION) == {K.AND} and len(read.actions) > 1:  # "no sport and friends on Sundays"
        raise NotUnderstood
    left = frozenset(WEEK) - read.days
    if read.has(K.NOT, K.ACTION, K.DAY) and left:
        return (Said(kind="days", actions=read.actions, days=left, narrows=True),)
    hours = [_but(*part) for part in read.parts]
    if read.has(K.NOT, K.ACTION, K.SPAN):
        hours = [span_not(span, read.actions) for span in read.spans]
    elif not read.has(K.NOT, K.ACTION, K.PART):
        raise NotUnderstood
    return tuple(Said(kind="hours", actions=read.actions, hours=(one,), narrows=True) for one in hours)


def _but(begin: time, end: time) -> Hours:
    return end, begin


def span_not(span: Span, actions: frozenset[ActionType]) -> Hours:
    rel, clock, end = span
    if end is not None:
        return _but(*_between(clock, end, actions))
    if rel in (K.BEFORE, K.TO):
        evening = bool(actions & AT_NIGHT) and actions != ALL
        return sure(clock, range(1, 5), range(0) if evening else range(5, 12)), MIDNIGHT
    if rel is K.AFTER:
        at = sure(clock, range(1, 12), range(0))
        return (MORNING[0] if at.hour < MORNING[0].hour - 1 else MIDNIGHT), at
    raise NotUnderstood


def _wanted(read: Clause) -> tuple[Said, ...]:
    times = often(read)
    if read.actions == WORK and len(read.days) >= WORKDAYS_MIN and read.has(K.ACTION, K.DAY):  # "I work Mon to Thu"
        return (Said(kind="days", actions=WORK, days=read.days),)
    if _is_muddled(read, times):
        raise NotUnderstood
    if K.EVERY in read.flags and not read.days:
        times = 7
    spans = [span_of(one, read, several=len(read.spans) > 1) for one in read.spans]
    hours = _joined(read.parts) if read.parts else tuple(sorted(spans))
    until = any(rel is K.TO and end is None for rel, _, end in read.spans)
    only = K.ONLY in read.flags or until or read.actions in (WORK, ALL)
    several = not only and len(read.actions) > 1  # "sport and tv on Mondays": both, or one of them?
    if read.days and (until or several):  # "on Fridays until 2": the other days?
        raise NotUnderstood
    found = []
    if not only and (read.days or hours):
        found.append(Said(kind="best", actions=read.actions, days=read.days, hours=hours))
    if only and read.days:
        found.append(Said(kind="days", actions=read.actions, days=read.days))
    if only and hours:
        found.append(Said(kind="hours", actions=read.actions, hours=hours))
    if times:
        found.append(Said(kind="goal", actions=read.actions, number=times))
    if not found or (times and len(read.actions) > 1):
        raise NotUnderstood
    return tuple(found)


def _joined(parts: list[Hours]) -> tuple[Hours, ...]:
    """Return parts of the day as hours, in which one begins where no other ends."""
    found: list[Hours] = []
    for begin, end in sorted(set(parts)):
        if found and found[-1][1] == begin:
            found[-1] = (found[-1][0], end)
        else:
            found.append((begin, end))
    return tuple(found)


def _is_muddled(read: Clause, often: int) -> bool:
    only, whole = K.ONLY in read.flags, read.actions in (WORK, ALL)
    return (
        bool(read.flags.keys() - {K.ONLY, K.EVERY, K.NUMBER, K.TIMES, K.PER, K.WEEKLY, K.LEAST})
        or (K.LEAST in read.flags and not often)
        or (read.has_any(K.PART) and read.has_any(K.SPAN))
        or (len(read.parts) > 1 and not read.joined.get(K.PART))
        or (often > 0 and (only or whole))
        or (often > 0 and read.has_any(K.DAY) and often != len(read.days))
        or (whole and not only and (read.has_any(K.DAY, K.PART) or not read.spans))  # "I work on Mondays" is no wish
        or (K.EVERY in read.flags and (only or often > 0 or not read.has_any(K.DAY, K.PART)))
        or (only and read.has_any(K.DAY) and read.has_any(K.SPAN))  # "on Fridays only until 2": the other days?
        or (read.only_then and (read.only_action or read.has_any(K.PART)))
        or (read.only_action and read.has_any(K.DAY) and read.actions <= OF_LIFE)  # "only family on Sundays": all else?
        or (only and read.only_action and read.has_any(K.PART))  # "only deep work in the morning": nothing else?
    )


def often(read: Clause) -> int:
    flags = read.flags
    if flags.get(K.NUMBER) == len(read.days) and not flags.keys() & {K.TIMES, K.PER, K.WEEKLY, K.LEAST}:
        del flags[K.NUMBER]  # "one run on Sunday"
    counted = flags.keys() & {K.NUMBER, K.TIMES, K.PER, K.WEEKLY}
    if not counted:
        return 0
    per = flags.get(K.PER, flags.get(K.WEEKLY))
    count = flags.get(K.TIMES) if flags.get(K.TIMES) is not None else flags.get(K.NUMBER)
    if (
        not isinstance(per, int)
        or counted >= {K.PER, K.WEEKLY}
        or (flags.get(K.TIMES) is not None and K.NUMBER in flags)
    ):
        raise NotUnderstood
    if count is None and flags.get(K.PER) == 1:
        raise NotUnderstood
    times = per * (1 if count is None else int(str(count)))
    if not 1 <= times <= GOAL_MAX:
        raise NotUnderstood
    return times


def span_of(span: Span, read: Clause, *, several: bool) -> Hours:
    rel, clock, end = span
    if end is not None:
        return _between(clock, end, read.actions)
    if several:
        raise NotUnderstood
    late = bool(read.actions & AT_NIGHT) and read.actions != ALL
    if rel is K.TO:
        late_morning = range(10, 12) if read.actions <= BY_DAY else range(0)
        return MIDNIGHT, sure(clock, range(1, 10) if read.actions == WORK else range(1, 5), late_morning)
    if rel is K.BEFORE:
        return MIDNIGHT, sure(clock, range(1, 5), range(0) if late else range(5, 12))
    if rel is K.AFTER:
        day = read.actions <= BY_DAY
        afternoon = range(1, 5) if day or read.actions == ALL else range(1, 11) if late else range(1, 8)
        return sure(clock, afternoon, range(7, 12) if day else range(0)), MIDNIGHT
    raise NotUnderstood


def _between(first: Clock, second: Clock, actions: frozenset[ActionType]) -> Hours:
    """Return the hours between two times."""
    (low, low_minute, low_known), (high, high_minute, high_known) = first, second
    begin, end = low * 60 + low_minute, high * 60 + high_minute
    day = actions <= BY_DAY or actions == ALL
    if not high_known and not low_known:
        if low == NOON or (1 <= low <= 4 and low < high <= 7):
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
    if end <= begin:
        raise NotUnderstood
    return time(begin // 60 % 24, begin % 60), time(end // 60 % 24, end % 60)


def sure(clock: Clock, after_noon: range, before_noon: range) -> time:
    hour, minute, known = clock
    if known or hour == NOON or hour in before_noon:
        return time(hour % 24, minute)
    if hour not in after_noon:
        raise NotUnderstood
    return time(hour + NOON, minute)
