"""Sentences for the review of a week, on counts, measured effects of advice, and ideas of what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from math import exp
from typing import Any

from bridge.day.body import ModeKind
from bridge.domain.languages import SHORT_WEEKDAYS, Text, listed, say, say_many
from bridge.domain.records import Deed, Recommendation
from bridge.domain.titles import ACTION_TITLES, ACTION_WORDS, SLOT_PLURALS
from rhythm_env.interface import ActionType, Answer, Meter, Slot

IDEAS_MAX, EFFECTS_MAX = 2, 3
# outcome -> a sentence about the effect of advice on it
TAKEN_TEXT = say(
    "{action} is accepted {effect:.1f} times as often as other advice (interval at 95 %: {low:.1f} to {high:.1f})."
)
MEASURED = {
    "next_check_in": say(
        "Advising {action} changes the next check-in by {effect:+.1f} points against other advice "
        "(interval at 95 %: {low:+.1f} to {high:+.1f})."
    ),
    "next_night_asleep_min": say(
        "Advising {action} changes the next night's sleep by {effect:+.0f} min against other advice "
        "(interval at 95 %: {low:+.0f} to {high:+.0f})."
    ),
    "next_night_hrv_ms": say(
        "Advising {action} changes the next night's heart-rate variability by {effect:+.0f} ms against other advice "
        "(interval at 95 %: {low:+.0f} to {high:+.0f})."
    ),
    "next_day_vitality": say(
        "Advising {action} changes Vitality of the next day by {effect:+.2f} against other advice "
        "(interval at 95 %: {low:+.2f} to {high:+.2f})."
    ),
    "next_day_serenity": say(
        "Advising {action} changes Serenity of the next day by {effect:+.2f} against other advice "
        "(interval at 95 %: {low:+.2f} to {high:+.2f})."
    ),
}
FEW = 2  # suggestions of an action in a part of the day, from which on anything is said
SUITS_SHARE = 2 / 3  # share done, from which on an hour suits
NO_IDEA = frozenset({ActionType.SLEEP})  # actions that everybody does, about whose hours nothing is learnt here
Tally = tuple[int, int]  # done, and done or not


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEffect:
    """An effect of advising an action, whose 95 % interval (``low`` to ``high``) excludes zero.

    ``effect`` is a difference in the outcome's unit, or for the outcome ``taken`` a log ratio of probabilities.
    """

    action: ActionType
    outcome: str
    effect: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A figure of a week (``value``) and its mean in the weeks before (``usual``), each None if unknown.

    ``days`` is the number of days of the week that ``value`` is from.
    """

    value: float | None
    usual: float | None
    days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sleep:
    """The nights that ended in a week, in comparison with the weeks before.

    ``bedtime`` is in minutes after local noon, and ``spread`` is the standard deviation of bedtimes in minutes.
    """

    asleep: Compared  # minutes
    bedtime: Compared
    spread: Compared  # minutes


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The figures of a week from ``start`` to ``until``, the end of the week or now, if earlier.

    ``goals`` maps action -> (times done, times wanted), ``since`` goals set in the week to their date, ``modes`` a
    stated mode to its days. ``ahead`` holds ids of recommendations that are not over.
    """

    person: str
    monday: date
    start: datetime
    until: datetime
    over: bool
    advised: tuple[Recommendation, ...]
    meters: Mapping[Meter, Compared]
    sleep: Sleep
    done: Mapping[str, Compared]
    goals: Mapping[ActionType, Tally]
    effects: tuple[KnownEffect, ...]
    ideas: tuple[str, ...]
    ahead: frozenset[int] = frozenset()
    since: Mapping[ActionType, date] = field(default_factory=dict)
    modes: Mapping[ModeKind, int] = field(default_factory=dict)

    @property
    def ill(self) -> bool:
        return ModeKind.ILL in self.modes


def ideas(
    advised: Sequence[Recommendation], goals: Mapping[ActionType, int], times: Mapping[ActionType, int]
) -> Iterator[str]:
    """Yield at most two sentences on what the user may try, first those about the user's ``goals``.

    ``goals`` maps an action to the times wanted, and ``times`` to the times done.
    """
    yield from islice(_ideas(advised, goals, times), IDEAS_MAX)


def _ideas(
    advised: Sequence[Recommendation], goals: Mapping[ActionType, int], times: Mapping[ActionType, int]
) -> Iterator[str]:
    tallies = tally(advised)
    for action, wanted in goals.items():
        if times.get(action, 0) < wanted:
            best = _best(tallies, action)
            values: dict[str, Any] = {"action": ACTION_TITLES[action], "wanted": wanted}
            missing = wanted - times.get(action, 0)
            if best is None:
                yield say_many(
                    "{action}: {count} more time a week reaches your goal of {wanted}.",
                    "{action}: {count} more times a week reach your goal of {wanted}.",
                    missing,
                    **values,
                )
            else:
                values["slots"] = SLOT_PLURALS[best]
                yield say_many(
                    "{action}: {count} more time a week reaches your goal of {wanted}; {slots} went best.",
                    "{action}: {count} more times a week reach your goal of {wanted}; {slots} went best.",
                    missing,
                    **values,
                )
    for action in {action: None for action, _ in tallies if action not in NO_IDEA}:
        yield from _hours(tallies, action)


def _hours(tallies: Mapping[tuple[ActionType, Slot], Tally], action: ActionType) -> Iterator[str]:
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
    good = [
        (done / of, of, -slot)
        for (one, slot), (done, of) in tallies.items()
        if one is action and of >= FEW and done / of >= SUITS_SHARE
    ]
    return Slot(-max(good)[2]) if good else None


def tally(advised: Sequence[Recommendation]) -> dict[tuple[ActionType, Slot], Tally]:
    """Return (action, part of the day) -> (recommendations wholly done, recommendations with a known outcome)."""
    found: dict[tuple[ActionType, Slot], Tally] = {}
    for one in advised:
        if one.outcome in (Deed.DONE, Deed.PARTLY, Deed.NOT_DONE):
            done, of = found.get((one.action, one.moment.slot), (0, 0))
            found[one.action, one.moment.slot] = done + (one.outcome is Deed.DONE), of + 1
    return found


def counts(advised: Sequence[Recommendation]) -> dict[str, int]:
    """Return the number of recommendations by outcome and by answer, and of all as ``advised``."""
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
    """Yield the sentences that follow the summary and figures of a review in a terminal or message."""
    yield advised_line(review)
    goals = goals_line(review)
    if goals is not None:
        yield goals
    yield from effect_lines(review)
    yield from review.ideas[1:]
    yield next_command(review)


def next_command(review: Review) -> Text:
    command = f"bridge effect --user {review.person}"
    return say("What advice changes, as far as it is known: {command}", command=command)


def goals_line(review: Review) -> Text | None:
    """Return a sentence on how often the action of each goal was done, or None without goals."""
    met = [
        say("{action} {tally}", action=ACTION_WORDS[action], tally=goal_tally(review, action))
        for action in review.goals
    ]
    return say("Your goals for the week: {goals}.", goals=listed(met)) if met else None


def goal_tally(review: Review, action: ActionType) -> Text:
    """Return how often the action of a goal was done, as ``2 of 3``, or ``1 since Fri`` for a goal set in the week."""
    done, wanted = review.goals[action]
    if action not in review.since:
        return say("{done} of {wanted}", done=done, wanted=wanted)
    return say("{done} since {day}", done=done, day=SHORT_WEEKDAYS[review.since[action].weekday()])


def effect_lines(review: Review) -> Iterator[str]:
    """Yield a sentence for each of a review's first effects of advice, with its 95 % interval."""
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
    "ahead": say("{count} still ahead"),
    "unknown": say("{count} unknown"),
}
ANSWER_COUNTS = {
    "accepted": say("{count} accepted"),
    "ignored": say("{count} not now"),
    "rescheduled": say("{count} put off"),
}


def advised_line(review: Review) -> Text:
    """Return a sentence with the number of suggestions seen, their outcomes and the user's answers."""
    of = counts(review.advised)
    of |= {"ahead": len(review.ahead), "unknown": of["unknown"] - len(review.ahead)}
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
