"""Summarise a reviewed week in two or three sentences on what went well, what fell short, and what to try.

The week is compared with the same part of the four weeks before. No cause is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from bridge.advice.review_figures import hours, mean_count
from bridge.advice.review_words import counts
from bridge.day.body import ModeKind
from bridge.domain.languages import Text, listed, say, say_many
from bridge.domain.titles import ACTION_WORDS, METER_WORDS
from rhythm_env.interface import ActionType, Meter

if TYPE_CHECKING:
    from bridge.advice.review_words import Compared, Review

FACTS_MAX, METERS_MAX = 3, 2  # in a sentence
SLEEP_TOLD_MINUTES = 20.0  # of sleep a night, from which a difference is told; our choice, as are the next four
LATER = 15.0  # minutes of bedtime
LEVEL = 0.05  # of a meter
WORKOUTS = 1.0
ALIKE_LEAST = 2  # figures with one of the weeks before, and half of the week's, from which weeks are called alike
SHARE, FEW = 0.6, 2  # of the suggestions with a known outcome, which are half of all; and their least number
EARLIER = say("To try: go to bed half an hour earlier on two evenings.")
TO_TRY: Mapping[Meter, Text] = {
    Meter.CONNECTION: say("To try: plan a call or a meal with a friend."),
    Meter.SERENITY: say("To try: keep one more evening free of entries."),
    Meter.PROGRESS: say("To try: begin a free morning with the task that is due first."),
    Meter.VITALITY: EARLIER,
    Meter.COGNITION: EARLIER,
}

DAYS: Mapping[ModeKind, Callable[[int], Text]] = {  # of a mode that the user stated
    ModeKind.ILL: lambda days: say_many("You were ill on {count} day.", "You were ill on {count} days.", days),
    ModeKind.AWAY: lambda days: say_many("You were away on {count} day.", "You were away on {count} days.", days),
    ModeKind.HOLIDAY: lambda days: say_many(
        "You were on holiday on {count} day.", "You were on holiday on {count} days.", days
    ),
}


def summary(review: Review) -> list[str]:
    """Return two or three sentences about the week, or one if nothing is known of it.

    They begin with stated modes such as ill or on holiday. After an ill week nothing is proposed.
    """
    compared = [review.sleep.asleep, *review.meters.values(), *review.done.values()]
    if not review.advised and not review.goals and all(one.value is None for one in compared):
        return [say("Nothing is known of this week.")]
    well, short = (list(islice(found, FACTS_MAX)) for found in (_well(review), _short(review)))
    said: list[str] = [DAYS[mode](count) for mode, count in review.modes.items() if mode in DAYS]
    stated = len(said)
    if well:
        said.append(say("What went well: {facts}.", facts=listed(well)))
    if short:
        said.append(say("What fell short: {facts}.", facts=listed(short)))
    if len(said) == stated:
        known = [one for one in compared if one.value is not None]
        both = sum(one.usual is not None for one in known)
        alike = both >= ALIKE_LEAST and 2 * both >= len(known)
        alone = say("Of the four weeks before, too little is known to compare this week with.")
        nothing = alone if known else say("Nothing is known of this week.")
        said = [*said, say("The week was much like the four weeks before.") if alike else nothing]
    return said if review.ill else [*said, *_to_try(review)]


def _well(review: Review) -> Iterator[Text]:
    for action, (done, wanted) in _full_goals(review):
        if done >= wanted:
            yield _goal(action, done, wanted)
    if _followed(review):
        done, of, total = _done_of_suggested(review)
        told = say("{done} of {of} suggestions done", done=done, of=total)
        unknown = say("{told} ({count} unknown)", told=told, count=total - of)
        yield unknown if total > of else told
    if _change(review.sleep.asleep) >= SLEEP_TOLD_MINUTES:
        yield _asleep(review.sleep.asleep)
    if _change(review.done["workouts"]) >= WORKOUTS:
        yield _workouts(review.done["workouts"])
    higher = _changed(review, 1)
    if len(higher) > 1:
        first, second = higher
        yield say("higher {first} and {second} than before", first=METER_WORDS[first], second=METER_WORDS[second])
    elif higher:
        yield say("higher {meter} than before", meter=METER_WORDS[higher[0]])


def _short(review: Review) -> Iterator[Text]:
    for action, (done, wanted) in _full_goals(review):
        if done < wanted and review.over:
            yield _goal(action, done, wanted)
    done, of = _outcomes(review)
    if of >= FEW and of - done >= SHARE * of:
        yield say("{missed} of {of} suggestions not done", missed=of - done, of=of)
    if _change(review.sleep.asleep) <= -SLEEP_TOLD_MINUTES:
        yield _asleep(review.sleep.asleep)
    if _change(review.done["workouts"]) <= -WORKOUTS and ActionType.EXERCISE not in review.goals:
        yield _workouts(review.done["workouts"])
    lower = _changed(review, -1)
    if len(lower) > 1:
        first, second = lower
        yield say("lower {first} and {second} than before", first=METER_WORDS[first], second=METER_WORDS[second])
    elif lower:
        yield say("lower {meter} than before", meter=METER_WORDS[lower[0]])


def _full_goals(review: Review) -> Iterator[tuple[ActionType, tuple[int, int]]]:
    yield from ((action, tally) for action, tally in review.goals.items() if action not in review.since)


def _goal(action: ActionType, done: int, wanted: int) -> Text:
    return say("{action} {done} of {wanted} times", action=ACTION_WORDS[action], done=done, wanted=wanted)


def _outcomes(review: Review) -> tuple[int, int]:
    found = counts(review.advised)
    done = found["done"] + found["partly"]
    return done, done + found["not_done"]


def _done_of_suggested(review: Review) -> tuple[int, int, int]:
    """Return (suggestions wholly done, with a known outcome, in all), without reminders of calendar entries."""
    given = [one for one in review.advised if one.kind != "keep"]
    found = counts(given)
    return found["done"], found["done"] + found["partly"] + found["not_done"], len(given)


def _followed(review: Review) -> bool:
    done, of, total = _done_of_suggested(review)
    return of >= FEW and done >= SHARE * of and 2 * of >= total


def _asleep(of: Compared) -> Text:
    value, usual = hours(of.value or 0.0), hours(of.usual or 0.0)
    return say("{value} asleep a night (before: {usual})", value=value, usual=usual)


def _workouts(of: Compared) -> Text:
    return say_many(
        "{count} workout (before: {usual})",
        "{count} workouts (before: {usual})",
        round(of.value or 0.0),
        usual=mean_count(of.usual or 0.0),
    )


def _change(of: Compared) -> float:
    return 0.0 if of.value is None or of.usual is None else of.value - of.usual


def _changed(review: Review, sign: int) -> list[Meter]:
    by = {meter: sign * _change(of) for meter, of in review.meters.items()}
    return sorted((meter for meter in by if by[meter] >= LEVEL), key=lambda meter: -by[meter])[:METERS_MAX]


def _to_try(review: Review) -> Iterator[str]:
    if review.ideas:
        yield review.ideas[0]
        return
    sleep, lower = review.sleep, _changed(review, -1)
    if _change(sleep.asleep) <= -SLEEP_TOLD_MINUTES:
        if _change(sleep.bedtime) >= LATER and sleep.bedtime.usual is not None:
            yield say("To try: go to bed when the plan says, which is as in the weeks before.")
        else:
            yield EARLIER
    elif (outcome := _outcomes(review))[1] >= FEW and outcome[1] - outcome[0] >= SHARE * outcome[1]:
        yield say("To try: press Later for what does not fit, and it gets a better time.")
    elif lower:
        yield TO_TRY[lower[0]]
    elif _change(review.done["workouts"]) <= -WORKOUTS:
        yield say("To try: put a workout into the calendar.")
    elif _followed(review):
        yield say("To try: go on with what you did of the advice.")
