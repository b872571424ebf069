"""The figures of a reviewed week as texts, each with its mean in the four weeks before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.advice.review_words import goal_tally
from bridge.domain.languages import Text, say
from bridge.domain.slots import hours_minutes
from bridge.domain.titles import ACTION_TITLES, METER_TITLES
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    from bridge.advice.review_words import Compared, Review

SMALLEST_SCALE = 1e-9  # of a scale, so that nothing is divided by zero


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a week, with its name, its value, and its mean in the weeks before, as texts.

    ``share`` and ``usual_share`` are the lengths of bars (0 to 1), or None without bars.
    """

    name: Text
    value: Text
    usual: Text | None = None
    share: float | None = None
    usual_share: float | None = None


def figures(review: Review) -> Iterator[Figure]:
    """Yield the known figures of a week, which are goals, meters, nights, and counts such as workouts and tasks."""
    for action, (done, wanted) in review.goals.items():
        share = None if action in review.since else min(done / wanted, 1.0)
        title = say("Goal: {action}", action=ACTION_TITLES[action])
        yield Figure(name=title, value=goal_tally(review, action), share=share)
    for meter, of in review.meters.items():
        if of.value is not None:
            yield _figure(METER_TITLES[meter], of, _level, scale=1.0)
    sleep = review.sleep
    if sleep.asleep.value is not None:
        yield _figure(say("Asleep a night"), sleep.asleep, hours)
    if sleep.bedtime.value is not None:
        before = None if sleep.bedtime.usual is None else say(clock(sleep.bedtime.usual))
        yield Figure(name=say("To bed at"), value=say(clock(sleep.bedtime.value)), usual=before)
    if sleep.spread.value is not None:
        yield _figure(say("Which varied by"), sleep.spread, lambda value: say("{minutes:.0f} min", minutes=value))
    for name, (title, told) in DEEDS.items():
        if review.done[name].value is not None:
            yield _figure(title, review.done[name], told)


def _figure(name: Text, of: Compared, told: Callable[[float], Text], scale: float | None = None) -> Figure:
    value, usual = of.value or 0.0, of.usual
    full = scale or max(value, usual or 0.0, SMALLEST_SCALE)
    return Figure(
        name=name,
        value=told(value),
        usual=None if usual is None else told(usual),
        share=value / full,
        usual_share=None if usual is None else usual / full,
    )


def _level(value: float) -> Text:
    return say("{level:.2f}", level=value)


def hours(minutes: float) -> Text:
    """Return a number of minutes as hours and minutes.

    >>> hours(454.2)
    '7 h 34 min'
    """
    return say("{hours} h {minutes:02} min", hours=round(minutes) // 60, minutes=round(minutes) % 60)


def clock(minutes: float) -> str:
    """Return a number of minutes after noon as a time of day ``HH:MM``.

    >>> clock(0), clock(690), clock(750.4)
    ('12:00', '23:30', '00:30')
    """
    return hours_minutes((round(minutes) + 12 * 60) % (24 * 60), pad=2)


def _hours(value: float) -> Text:
    return say("{hours:.0f} h", hours=value) if value == round(value) else say("{hours:.1f} h", hours=value)


def mean_count(value: float) -> Text:
    """Return a count, or a mean of counts with one decimal.

    >>> mean_count(3.0), mean_count(2.25)
    ('3', '2.2')
    """
    return say("{count:.0f}", count=value) if value == round(value) else say("{count:.1f}", count=value)


DEEDS: Mapping[str, tuple[Text, Callable[[float], Text]]] = {
    "workouts": (say("Workouts"), mean_count),
    "tasks_done": (say("Tasks done"), mean_count),
    "meeting_hours": (say("Meetings"), _hours),
    "focus_hours": (ACTION_TITLES[ActionType.DEEP_WORK], _hours),
    "company_hours": (say("In company"), _hours),
}
