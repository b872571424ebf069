"""The review of a week in words: counts, comparisons, measured effects of advice, and ideas of what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from math import exp
from typing import TYPE_CHECKING, Any

from bridge.domain.languages import Text, listed, say, say_many
from bridge.domain.records import AdviceRecord, Deed
from bridge.domain.titles import ACTION_TITLES, ACTION_WORDS, METER_WORDS, SLOT_PLURALS
from rhythm_env.interface import ActionType, Answer, Meter, Slot

if TYPE_CHECKING:
    from bridge.advice.effect import KnownEffect

IDEAS_MAX, EFFECTS_MAX = 2, 3
# outcome -> a sentence about the effect of advice on it
TAKEN_TEXT = say(
    "{action} is accepted {effect:.1f} times as often as other advice (95 % interval {low:.1f} to {high:.1f})."
)
MEASURED = {
    "next_check_in": say(
        "Advising {action} changes the next check-in by {effect:+.1f} points against other advice "
        "(95 % interval {low:+.1f} to {high:+.1f})."
    ),
    "next_night_asleep_min": say(
        "Advising {action} changes the next night's sleep by {effect:+.0f} min against other advice "
        "(95 % interval {low:+.0f} to {high:+.0f})."
    ),
    "next_night_hrv_ms": say(
        "Advising {action} changes the next night's heart-rate variability by {effect:+.0f} ms against other advice "
        "(95 % interval {low:+.0f} to {high:+.0f})."
    ),
    "next_day_vitality": say(
        "Advising {action} changes Vitality of the next day by {effect:+.2f} against other advice "
        "(95 % interval {low:+.2f} to {high:+.2f})."
    ),
    "next_day_serenity": say(
        "Advising {action} changes Serenity of the next day by {effect:+.2f} against other advice "
        "(95 % interval {low:+.2f} to {high:+.2f})."
    ),
}
FEW = 2  # suggestions of an action in a part of the day, from which on anything is said
SUITS_SHARE = 2 / 3  # share done, from which on an hour suits
NO_IDEA = frozenset({ActionType.SLEEP})  # actions that everybody does, about whose hours nothing is learnt here
Tally = tuple[int, int]  # done, and done or not


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A number of a week (``value``) and its mean in the weeks before (``usual``), each None if not known.

    ``days`` is the number of the week's days from which ``value`` comes.
    """

    value: float | None
    usual: float | None
    days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleep:
    """The nights that ended in a week, compared with the weeks before.

    ``bedtime`` is the mean in minutes after local noon. ``spread`` is the standard deviation of the bedtimes.
    """

    asleep: Compared  # minutes
    bedtime: Compared
    spread: Compared  # minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A week from ``start`` to ``until``, which is the week's end, or now if that is earlier.

    ``advised`` holds the recommendations that the user saw, ascending. ``done`` holds workouts, tasks, and hours of the
    calendar by name. ``goals`` maps an action to how often it was done and how often a week the user wants it.
    """

    person: str
    monday: date
    start: datetime
    until: datetime
    advised: tuple[AdviceRecord, ...]
    meters: Mapping[Meter, Compared]
    sleep: Sleep
    done: Mapping[str, Compared]
    goals: Mapping[ActionType, Tally]
    effects: tuple[KnownEffect, ...]
    ideas: tuple[str, ...]


def ideas(
    advised: Sequence[AdviceRecord], goals: Mapping[ActionType, int], times: Mapping[ActionType, int]
) -> Iterator[str]:
    """Yield at most two sentences about what the user may try, those about the user's goals first.

    ``goals`` maps an action to how often a week the user wants it. ``times`` maps it to how often it was done.
    """
    yield from islice(_ideas(advised, goals, times), IDEAS_MAX)


def _ideas(
    advised: Sequence[AdviceRecord], goals: Mapping[ActionType, int], times: Mapping[ActionType, int]
) -> Iterator[str]:
    tallies = tally(advised)
    for action, wanted in goals.items():
        if times.get(action, 0) < wanted:
            best = _best(tallies, action)
            values = {"action": ACTION_TITLES[action], "done": times.get(action, 0), "wanted": wanted}
            if best is None:
                yield say("{action}: {done} of the {wanted} times a week that you want.", **values)
            else:
                values["slots"] = SLOT_PLURALS[best]
                yield say("{action}: {done} of the {wanted} times a week that you want; {slots} went best.", **values)
    for action in {action: None for action, _ in tallies if action not in NO_IDEA}:
        yield from _hours(tallies, action)


def _hours(tallies: Mapping[tuple[ActionType, Slot], Tally], action: ActionType) -> Iterator[str]:
    """Yield a sentence about an action if a part of the day saw its suggestions mostly done, or never done.

    A part of the day counts from FEW suggestions on.
    """
    best = _best(tallies, action)
    mine = {slot: of for (one, slot), of in tallies.items() if one is action and of[1] >= FEW}
    worst = next((slot for slot, of in mine.items() if of[0] == 0), None)
    values: dict[str, Any] = {"action": ACTION_TITLES[action]}
    if best is not None:
        done, of = tallies[action, best]
        values |= {"best": SLOT_PLURALS[best], "done": done, "of": of}
    if worst is not None:
        values |= {"worst": SLOT_PLURALS[worst], "missed": mine[worst][1]}
    if best is not None and worst is not None:
        yield say("{action}: {best} {done} of {of} done, {worst} 0 of {missed}. Keep to {best}.", **values)
    elif best is not None:
        yield say("{action}: {best} {done} of {of} done. Keep to {best}.", **values)
    elif worst is not None:
        yield say("{action}: {worst} 0 of {missed} done. Try another part of the day.", **values)


def _best(tallies: Mapping[tuple[ActionType, Slot], Tally], action: ActionType) -> Slot | None:
    """Return the part of the day in which the largest share of an action's suggestions was done.

    Returns None if no part of the day had FEW suggestions and a share of at least SUITS_SHARE.
    """
    good = [
        (done / of, of, -slot)
        for (one, slot), (done, of) in tallies.items()
        if one is action and of >= FEW and done / of >= SUITS_SHARE
    ]
    return Slot(-max(good)[2]) if good else None


def tally(advised: Sequence[AdviceRecord]) -> dict[tuple[ActionType, Slot], Tally]:
    """Return (action, part of the day) -> number of suggestions done, and number with a known outcome.

    Partly done does not count as done.
    """
    found: dict[tuple[ActionType, Slot], Tally] = {}
    for one in advised:
        if one.outcome in (Deed.DONE, Deed.PARTLY, Deed.NOT_DONE):
            done, of = found.get((one.action, one.moment.slot), (0, 0))
            found[one.action, one.moment.slot] = done + (one.outcome is Deed.DONE), of + 1
    return found


def counts(advised: Sequence[AdviceRecord]) -> dict[str, int]:
    """Return the number of recommendations by outcome and by answer, and of all of them as ``advised``.

    A recommendation without an outcome counts as unknown.
    """
    deeds = [one.outcome or Deed.UNKNOWN for one in advised]
    answers = [one.answer for one in advised]
    return {
        "advised": len(advised),
        **{str(deed): deeds.count(deed) for deed in Deed},
        "accepted": answers.count(Answer.ACCEPT),
        "ignored": answers.count(Answer.IGNORE),
        "rescheduled": answers.count(Answer.RESCHEDULE),
    }


def lines(review: Review) -> Iterator[str]:
    """Yield the review as sentences without titles, for the command line, the page and messages."""
    yield advised_line(review)
    yield from week_lines(review)
    yield from effect_lines(review)
    yield from review.ideas
    yield next_command(review)


def next_command(review: Review) -> Text:
    """Return the sentence that names the command about the effects of advice."""
    command = f"bridge effect --user {review.person}"
    return say("What advice changes, as far as it is known: {command}", command=command)


def goals_line(review: Review) -> Text | None:
    """Return a sentence that says how often each goal's action was done, or None without goals."""
    met = [
        say("{action} {done} of {wanted}", action=ACTION_WORDS[action], done=done, wanted=wanted)
        for action, (done, wanted) in review.goals.items()
    ]
    return say("Your goals for the week: {goals}.", goals=listed(met)) if met else None


def effect_lines(review: Review) -> Iterator[str]:
    """Yield a sentence per effect of advice measured on the user, with its 95 % interval, at most three."""
    for one in review.effects[:EFFECTS_MAX]:
        effect, low, high = one.effect, one.low, one.high
        if one.outcome == "taken":
            effect, low, high = exp(effect), exp(low), exp(high)
            yield say(TAKEN_TEXT, action=ACTION_TITLES[one.action], effect=effect, low=low, high=high)
        else:
            yield say(MEASURED[one.outcome], action=ACTION_WORDS[one.action], effect=effect, low=low, high=high)


OUTCOME_COUNTS = {
    "done": say("{count} done"),
    "partly": say("{count} partly"),
    "not_done": say("{count} not done"),
    "unknown": say("{count} unknown"),
}
ANSWER_COUNTS = {
    "accepted": say("{count} accepted"),
    "ignored": say("{count} ignored"),
    "rescheduled": say("{count} rescheduled"),
}


def advised_line(review: Review) -> Text:
    """Return a sentence with the number of suggestions seen, their outcomes and the user's answers."""
    of = counts(review.advised)
    if not of["advised"]:
        return say("No suggestion was seen in this week.")
    seen = listed([say(text, count=of[name]) for name, text in OUTCOME_COUNTS.items() if of[name]])
    pressed = listed([say(text, count=of[name]) for name, text in ANSWER_COUNTS.items() if of[name]])
    count = of["advised"]
    if not pressed:
        return say_many("{count} suggestion: {outcomes}.", "{count} suggestions: {outcomes}.", count, outcomes=seen)
    return say_many(
        "{count} suggestion: {outcomes}. You answered: {answers}.",
        "{count} suggestions: {outcomes}. You answered: {answers}.",
        count,
        outcomes=seen,
        answers=pressed,
    )


def week_lines(review: Review) -> Iterator[str]:
    """Yield a line each on the meters, the nights, what was done, and the goals. Unknown numbers are left out."""
    levels = [
        say("{meter} {level}", meter=METER_WORDS[meter], level=_level(of))
        for meter, of in review.meters.items()
        if of.value is not None
    ]
    if levels:
        yield say("Meters (0.70 is your normal): {levels}.", levels=listed(levels))
    if review.sleep.asleep.value is not None and review.sleep.bedtime.value is not None:
        yield _nights(review)
    done = [_figure(name, review.done[name]) for name in FIGURE_TEXTS if review.done[name].value is not None]
    if done:
        yield say("{figures}.", figures=listed(done))
    goals = goals_line(review)
    if goals is not None:
        yield goals


def _level(of: Compared) -> Text:
    """Return a meter's level as text, with its mean of the weeks before in brackets.

    >>> _level(Compared(value=0.62, usual=0.7)), _level(Compared(value=0.7, usual=None))
    ('0.62 (before: 0.70)', '0.70')
    """
    if of.usual is None:
        return say("{level:.2f}", level=of.value or 0.0)
    return say("{level:.2f} (before: {usual:.2f})", level=of.value or 0.0, usual=of.usual)


def _nights(review: Review) -> Text:
    asleep, bed, spread = review.sleep.asleep, review.sleep.bedtime, review.sleep.spread
    slept = _hours_of(asleep.value or 0.0)
    if asleep.usual is not None:
        slept = say("{value} asleep on average (before: {usual})", value=slept, usual=_hours_of(asleep.usual))
    else:
        slept = say("{value} asleep on average", value=slept)
    at = say("to sleep at {time}", time=clock(bed.value or 0))
    if spread.value is not None:
        at = say("{bedtime}, give or take {spread:.0f} min", bedtime=at, spread=spread.value)
        if spread.usual is not None:
            at = say("{bedtime} (before: {usual:.0f} min)", bedtime=at, usual=spread.usual)
    return say_many(
        "{count} night: {slept}, {bedtime}.",
        "{count} nights: {slept}, {bedtime}.",
        asleep.days,
        slept=slept,
        bedtime=at,
    )


def _hours_of(minutes: float) -> Text:
    return say("{hours} h {minutes:02} min", hours=round(minutes) // 60, minutes=round(minutes) % 60)


def clock(minutes: float) -> str:
    """Return the time of day as ``HH:MM`` for a number of minutes after noon.

    >>> clock(0), clock(690), clock(750.4)
    ('12:00', '23:30', '00:30')
    """
    at = (round(minutes) + 12 * 60) % (24 * 60)
    return f"{at // 60:02}:{at % 60:02}"


def _figure(name: str, of: Compared) -> Text:
    """Return a number of the week as text, with its mean of the weeks before in brackets.

    >>> _figure("workouts", Compared(value=3, usual=2.25)), _figure("focus_hours", Compared(value=5.26, usual=None))
    ('3 workouts (before: 2.2)', '5.3 h of focus')
    """
    value = of.value or 0.0
    told = FIGURE_TEXTS[name](value)
    return told if of.usual is None else say("{figure} (before: {usual:.1f})", figure=told, usual=of.usual)


FIGURE_TEXTS: Mapping[str, Callable[[float], Text]] = {
    "workouts": lambda value: say_many("{count} workout", "{count} workouts", round(value)),
    "tasks_done": lambda value: say_many("{count} task done", "{count} tasks done", round(value)),
    "meeting_hours": lambda value: say("{hours:.1f} h of meetings", hours=value),
    "focus_hours": lambda value: say("{hours:.1f} h of focus", hours=value),
    "company_hours": lambda value: say("{hours:.1f} h in company", hours=value),
}
