"""The wishes of a user for the plan: vetoes, hours, goals, weights of the meters, and suggestions a day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta

from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.occasions import Occasion
from bridge.domain.titles import ACTION_WORDS
from rhythm_env.interface import ActionType, Meter

SUGGESTIONS_DEFAULT = 3  # a day
SUGGESTIONS_MAX = 12
GOAL_MAX = 21  # times a week
WEIGHT_MAX = 5.0
APART_MAX = 3  # free days between two times
NIGHT_MIN, NIGHT_MAX = 300, 720  # minutes of a night
SPANS_MAX = 6  # of hours for an action
SPARE_MAX = 6  # of the evenings or days of a week
NAMES_MAX, NAME_MAX = 20, 40  # unwanted kinds of an action, and letters of a name
TERMS_MAX = 20
MINUTES_MIN, MINUTES_MAX = 5, 480  # of one time of an action
OF_DAY_MAX, BEFORE_BED_MAX = 16 * 60, 12 * 60  # minutes of an action in a day; between it and bedtime
NEXT = "bridge wish --user NAME"
Hours = tuple[time, time]  # begin and end by the user's clock; an end at or before the begin is on the next day


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The days of the week or hours at which an action is preferred. Other times stay possible."""

    days: frozenset[int] = frozenset()
    hours: tuple[Hours, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Barred:
    """Hours of some weekdays in which an action is not wanted, such as Mondays before ten."""

    days: frozenset[int]
    hours: tuple[Hours, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lasts:
    least: int | None = None
    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spare:
    """A wish for ``times`` days a week without suggestions during ``hours``, or during the whole day if empty."""

    times: int
    hours: tuple[Hours, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Few:
    """The most suggestions in some hours of a day, such as one in the evening."""

    hours: Hours
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NightWish:
    """The times wished for the night, with ``bed`` for the bedtime and ``up`` for getting up.

    They hold on nights that begin on ``bed_days`` or end on ``up_days`` (empty is all), ``late``, ``other`` and
    ``rest`` (the earliest getting up) on their own days. ``minutes`` is the least time in bed.
    """

    bed: time | None = None
    earliest: time | None = None
    up: time | None = None
    bed_days: frozenset[int] = frozenset()
    up_days: frozenset[int] = frozenset()
    late: time | None = None
    late_days: frozenset[int] = frozenset()
    other: time | None = None
    other_days: frozenset[int] = frozenset()
    rest: time | None = None
    rest_days: frozenset[int] = frozenset()
    minutes: int | None = None

    def on(self, eve: int) -> NightWish:
        """Return the wishes for the night that begins on the weekday ``eve`` (0 is Monday)."""
        to_bed = not self.bed_days or eve in self.bed_days
        up = self.up if not self.up_days or (eve + 1) % 7 in self.up_days else None
        up = self.other if (eve + 1) % 7 in self.other_days else up
        rest = self.rest if not self.rest_days or (eve + 1) % 7 in self.rest_days else None
        bed = self.late if eve in self.late_days else self.bed if to_bed else None
        return NightWish(bed=bed, earliest=self.earliest if to_bed else None, up=up, rest=rest, minutes=self.minutes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """The wishes of a user, which outrank everything that is learnt of the user. Most map an action to a value.

    ``days`` are the only weekdays allowed (0 is Monday), ``best`` the preferred, ``barred`` hours of days to avoid.
    ``goals`` and ``most`` are times a week, ``since`` when a goal was set, ``lengths`` minutes, ``apart`` free days
    between two times, ``minutes_daily`` and ``times_daily`` the most of a day, ``before_bed`` minutes before bedtime
    without it, ``more`` 1 for more of it and -1 for less, ``named`` the kinds that goals are of, ``unnamed`` unwanted
    kinds. ``few`` bounds the suggestions of some hours. ``kinds`` holds the wishes of only one kind, by its name,
    ``terms`` those of only some days.
    """

    never: frozenset[ActionType] = frozenset()
    hours: Mapping[ActionType, tuple[Hours, ...]] = field(default_factory=dict)
    days: Mapping[ActionType, frozenset[int]] = field(default_factory=dict)
    best: Mapping[ActionType, Best] = field(default_factory=dict)
    barred: Mapping[ActionType, tuple[Barred, ...]] = field(default_factory=dict)
    night: NightWish = NightWish()
    most: Mapping[ActionType, int] = field(default_factory=dict)
    lengths: Mapping[ActionType, Lasts] = field(default_factory=dict)
    apart: Mapping[ActionType, int] = field(default_factory=dict)
    minutes_daily: Mapping[ActionType, int] = field(default_factory=dict)
    times_daily: Mapping[ActionType, int] = field(default_factory=dict)
    before_bed: Mapping[ActionType, int] = field(default_factory=dict)
    more: Mapping[ActionType, int] = field(default_factory=dict)
    goals: Mapping[ActionType, int] = field(default_factory=dict)
    weights: Mapping[Meter, float] = field(default_factory=dict)
    suggestions: int = SUGGESTIONS_DEFAULT
    few: tuple[Few, ...] = ()
    named: Mapping[ActionType, str] = field(default_factory=dict)
    unnamed: Mapping[ActionType, frozenset[str]] = field(default_factory=dict)
    spare: Spare | None = None
    kinds: Mapping[str, Wishes] = field(default_factory=dict)
    terms: Mapping[Occasion, Wishes] = field(default_factory=dict)
    since: Mapping[ActionType, datetime] = field(default_factory=dict, compare=False)

    def asks_for(self, action: ActionType | None, weekday: int) -> bool:
        """Return True if an action has a goal, or is wanted on a weekday (0 is Monday)."""
        best = None if action is None else self.best.get(action)
        return action in self.goals or (best is not None and weekday in best.days)


def dated(wishes: Wishes, before: Wishes, now: datetime) -> Wishes:
    """Return the wishes with the time when each goal was set (``since``), ``now`` for goals that ``before`` lacks.

    Wishes for a limited time that ended before yesterday are left out.
    """
    new = {action: now for action in wishes.goals if action not in before.goals}
    kept = {action: at for action, at in before.since.items() if action in wishes.goals}
    last = now.date() - timedelta(days=2)
    terms = {when: one for when, one in wishes.terms.items() if when.until is None or when.until > last}
    return replace(wishes, since=kept | new, terms=terms)


def checked(wishes: Wishes) -> Wishes:
    """Return the wishes unchanged. Raises SetupError for a value out of range or wishes that contradict each other."""
    for action, goal in wishes.goals.items():
        if not 1 <= goal <= GOAL_MAX:
            raise SetupError(
                say(
                    "a goal must be 1 to {most} times a week, not {goal}; try: {command}",
                    most=GOAL_MAX,
                    goal=goal,
                    command=f'{NEXT} --goal "{action} 3"',
                )
            )
        if action in wishes.never:
            raise SetupError(
                say(
                    "{action} is never to be suggested and cannot have a goal; allow it again or drop the goal: "
                    "{first}, or {second}",
                    action=ACTION_WORDS[action],
                    first=f"{NEXT} --never none",
                    second=f'{NEXT} --goal "{action} 0"',
                )
            )
    for action, most in wishes.most.items():
        if not max(1, wishes.goals.get(action, 1)) <= most <= GOAL_MAX:
            raise SetupError(
                say(
                    "{action} cannot be both at most {most} and {goal} times a week; drop one of them: {command}",
                    action=ACTION_WORDS[action],
                    most=most,
                    goal=wishes.goals.get(action, 1),
                    command=f'bridge wish "forget my wish about {action}" --user NAME',
                )
            )
    _check_terms(wishes)
    _check_times(wishes)
    _check_few(wishes)
    _check_lengths(wishes)
    _check_apart(wishes)
    _check_of_day(wishes)
    for meter, weight in wishes.weights.items():
        if not 0 <= weight <= WEIGHT_MAX:
            raise SetupError(
                f"the weight of {meter} must be 0 to {WEIGHT_MAX:g}, not {weight:g}; try: {NEXT} --weight {meter}=2"
            )
    wrong = [n for n in (wishes.suggestions, *(one.most for one in wishes.few)) if not 0 <= n <= SUGGESTIONS_MAX]
    if wrong:
        raise SetupError(
            say(
                "the number of suggestions must be 0 to {most} a day, not {count}; try: {command}",
                most=SUGGESTIONS_MAX,
                count=wrong[0],
                command=f"{NEXT} --suggestions {SUGGESTIONS_DEFAULT}",
            )
        )
    return wishes


def _check_few(wishes: Wishes) -> None:
    times = 1 if wishes.spare is None else wishes.spare.times
    names = [*wishes.named.values(), *(name for several in wishes.unnamed.values() for name in several), *wishes.kinds]
    if not 1 <= times <= SPARE_MAX or len(names) > NAMES_MAX or any(not 0 < len(name) <= NAME_MAX for name in names):
        raise SetupError(
            say(
                "a wish can keep 1 to {most} evenings or days of a week free, and refuse {names} kinds of "
                "things; wish for less, such as: {command}",
                most=SPARE_MAX,
                names=NAMES_MAX,
                command='bridge wish "one free evening a week" --user NAME',
            )
        )


def _check_terms(wishes: Wishes) -> None:
    if len(wishes.terms) > TERMS_MAX or any(term.terms for term in wishes.terms.values()):
        raise SetupError(
            say(
                "at most {most} wishes can be limited to a time of the year; drop all wishes, and set fewer: {command}",
                most=TERMS_MAX,
                command=f"{NEXT} --clear",
            )
        )
    for one in (*wishes.terms.values(), *wishes.kinds.values()):
        checked(one)


def _check_apart(wishes: Wishes) -> None:
    for action, apart in wishes.apart.items():
        if not 1 <= apart <= APART_MAX or (1 + apart) * (wishes.goals.get(action, 1) - 1) >= 7:
            raise SetupError(
                say(
                    "{action}: {free} free days between one time and the next are too many. Say 1 to {most}, so that "
                    "the wished times still fit into a week; try: {command}",
                    action=ACTION_WORDS[action],
                    free=apart,
                    most=APART_MAX,
                    command='bridge wish "sport every other day" --user NAME',
                )
            )
    if not NIGHT_MIN <= (wishes.night.minutes or NIGHT_MIN) <= NIGHT_MAX:
        raise SetupError(
            say(
                "a night can be wished {low} to {high} hours long; try: {command}",
                low=NIGHT_MIN // 60,
                high=NIGHT_MAX // 60,
                command='bridge wish "at least 8 hours in bed" --user NAME',
            )
        )


def _check_of_day(wishes: Wishes) -> None:
    minutes = all(MINUTES_MIN <= one <= OF_DAY_MAX for one in wishes.minutes_daily.values())
    times = all(1 <= one <= SUGGESTIONS_MAX for one in wishes.times_daily.values())
    before = all(MINUTES_MIN <= one <= BEFORE_BED_MAX for one in wishes.before_bed.values())
    if not (minutes and times and before and all(one in (-1, 1) for one in wishes.more.values())):
        raise SetupError(
            say(
                "a day can be wished to hold {low} to {high} minutes of something, or {times} times at most, and none "
                "of it in up to {before} hours before bedtime; try: {command}",
                low=MINUTES_MIN,
                high=OF_DAY_MAX,
                times=SUGGESTIONS_MAX,
                before=BEFORE_BED_MAX // 60,
                command='bridge wish "at most an hour of series a day" --user NAME',
            )
        )


def _check_lengths(wishes: Wishes) -> None:
    for action, lasts in wishes.lengths.items():
        least, most = lasts.least or MINUTES_MIN, lasts.most or MINUTES_MAX
        if not MINUTES_MIN <= least <= most <= MINUTES_MAX:
            raise SetupError(
                say(
                    "{action} can last {low} to {high} minutes, the least no longer than the most; try: {command}",
                    action=ACTION_WORDS[action],
                    low=MINUTES_MIN,
                    high=MINUTES_MAX,
                    command='bridge wish "sport at most 60 minutes" --user NAME',
                )
            )


def _check_times(wishes: Wishes) -> None:
    every = [*wishes.hours.items(), *((action, best.hours) for action, best in wishes.best.items() if best.hours)]
    every += [(action, one.hours) for action, several in wishes.barred.items() for one in several]
    for action, spans in every:
        if not spans:
            raise SetupError(
                say(
                    "{action} would have no hours left; first allow it at any time: {command}",
                    action=ACTION_WORDS[action],
                    command=f'bridge wish "{ACTION_WORDS[action]} at any time" --user NAME',
                )
            )
        if len(spans) > SPANS_MAX or any(begin == end for begin, end in spans):
            raise SetupError(
                say(
                    "{action} needs 1 to {most} spans of hours, and none may end when it begins; try: {command}",
                    action=ACTION_WORDS[action],
                    most=SPANS_MAX,
                    command=f'{NEXT} --hours "{action} 09:00-12:00"',
                )
            )
    named = [*wishes.days.items(), *((a, best.days) for a, best in wishes.best.items() if not best.hours)]
    for action, days in [*named, *((a, one.days) for a, several in wishes.barred.items() for one in several)]:
        if not days or not days <= frozenset(range(7)):
            raise SetupError(
                say(
                    "{action} would have no day of the week left; first allow it at any time: {command}",
                    action=ACTION_WORDS[action],
                    command=f'bridge wish "{ACTION_WORDS[action]} at any time" --user NAME',
                )
            )
