"""The review of a week in words: counts, comparisons, measured effects of advice, and ideas of what to try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from math import exp
from typing import TYPE_CHECKING

from bridge.domain.records import AdviceRecord, Deed
from bridge.meters.words import plural
from rhythm_env.interface import ActionType, Answer, Meter, Slot

if TYPE_CHECKING:
    from bridge.advice.effect import KnownEffect

IDEAS_MAX, EFFECTS_MAX = 2, 3
# outcome -> its name, unit and digits
MEASURED = {
    "next_check_in": ("the next check-in", " points", 1),
    "next_night_asleep_min": ("the next night's sleep", " min", 0),
    "next_night_hrv_ms": ("the next night's heart-rate variability", " ms", 0),
    "next_day_vitality": ("Vitality of the next day", "", 2),
    "next_day_serenity": ("Serenity of the next day", "", 2),
}
FEW = 2  # suggestions of an action in a part of the day, from which on anything is said
SUITS_SHARE = 2 / 3  # share done, from which on an hour suits
SLOT_PLURALS = {Slot.MORNING: "mornings", Slot.AFTERNOON: "afternoons", Slot.EVENING: "evenings", Slot.NIGHT: "nights"}
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
            when = f"; {SLOT_PLURALS[best]} went best" if best is not None else ""
            done = times.get(action, 0)
            yield f"{_name(action)}: {done} of the {wanted} times a week that you want{when}."
    for action in {action: None for action, _ in tallies if action not in NO_IDEA}:
        yield from _hours(tallies, action)


def _hours(tallies: Mapping[tuple[ActionType, Slot], Tally], action: ActionType) -> Iterator[str]:
    """Yield a sentence about an action if a part of the day saw its suggestions mostly done, or never done.

    A part of the day counts from FEW suggestions on.
    """
    best = _best(tallies, action)
    mine = {slot: of for (one, slot), of in tallies.items() if one is action and of[1] >= FEW}
    worst = next((slot for slot, of in mine.items() if of[0] == 0), None)
    if best is not None:
        done, of = tallies[action, best]
        beside = f", {SLOT_PLURALS[worst]} 0 of {mine[worst][1]}" if worst is not None else ""
        yield f"{_name(action)}: {SLOT_PLURALS[best]} {done} of {of} done{beside}. Keep to {SLOT_PLURALS[best]}."
    elif worst is not None:
        yield f"{_name(action)}: {SLOT_PLURALS[worst]} 0 of {mine[worst][1]} done. Try another part of the day."


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


def next_command(review: Review) -> str:
    """Return the sentence that names the command about the effects of advice."""
    return f"What advice changes, as far as it is known: bridge effect --user {review.person}"


def goals_line(review: Review) -> str | None:
    """Return a sentence that says how often each goal's action was done, or None without goals."""
    met = [f"{_name(action).lower()} {done} of {wanted}" for action, (done, wanted) in review.goals.items()]
    return f"Your goals for the week: {', '.join(met)}." if met else None


def effect_lines(review: Review) -> Iterator[str]:
    """Yield a sentence per effect of advice measured on the user, with its 95 % interval, at most three."""
    for one in review.effects[:EFFECTS_MAX]:
        if one.outcome == "taken":
            ratio, low, high = (exp(value) for value in (one.effect, one.low, one.high))
            yield (
                f"{_name(one.action)} is accepted {ratio:.1f} times as often as other advice "
                f"(95 % interval {low:.1f} to {high:.1f})."
            )
            continue
        of, unit, digits = MEASURED[one.outcome]
        value, least, most = (f"{number:+.{digits}f}" for number in (one.effect, one.low, one.high))
        yield (
            f"Advising {_name(one.action).lower()} changes {of} by {value}{unit} against other advice "
            f"(95 % interval {least} to {most})."
        )


def advised_line(review: Review) -> str:
    """Return a sentence with the number of suggestions seen, their outcomes and the user's answers."""
    of = counts(review.advised)
    if not of["advised"]:
        return "No suggestion was seen in this week."
    parts = [f"{of[name]} {name.replace('_', ' ')}" for name in ("done", "partly", "not_done", "unknown") if of[name]]
    pressed = [f"{of[name]} {name}" for name in ("accepted", "ignored", "rescheduled") if of[name]]
    said = f" You answered: {', '.join(pressed)}." if pressed else ""
    return f"{plural(of['advised'], 'suggestion')}: {', '.join(parts)}.{said}"


def week_lines(review: Review) -> Iterator[str]:
    """Yield a line each on the meters, the nights, what was done, and the goals. Unknown numbers are left out."""
    levels = [f"{meter.lower()} {_level(of)}" for meter, of in review.meters.items() if of.value is not None]
    if levels:
        yield f"Meters (0.70 is your normal): {', '.join(levels)}."
    if review.sleep.asleep.value is not None and review.sleep.bedtime.value is not None:
        yield _nights(review)
    named = {"workouts": "workout", "tasks_done": "task done", "meeting_hours": "h of meetings"}
    named |= {"focus_hours": "h of focus", "company_hours": "h in company"}
    done = [_figure(word, review.done[name]) for name, word in named.items() if review.done[name].value is not None]
    if done:
        yield f"{', '.join(done)}."
    goals = goals_line(review)
    if goals is not None:
        yield goals


def _level(of: Compared) -> str:
    """Return a meter's level as text, with its mean of the weeks before in brackets.

    >>> _level(Compared(value=0.62, usual=0.7)), _level(Compared(value=0.7, usual=None))
    ('0.62 (before: 0.70)', '0.70')
    """
    before = "" if of.usual is None else f" (before: {of.usual:.2f})"
    return f"{of.value or 0:.2f}{before}"


def _nights(review: Review) -> str:
    asleep, bed, spread = review.sleep.asleep, review.sleep.bedtime, review.sleep.spread
    usual = "" if asleep.usual is None else f" (before: {_hours_of(asleep.usual)})"
    about = "" if spread.value is None else f", give or take {spread.value:.0f} min"
    before = "" if spread.value is None or spread.usual is None else f" (before: {spread.usual:.0f} min)"
    return (
        f"{plural(asleep.days, 'night')}: {_hours_of(asleep.value or 0)} asleep on average{usual}, "
        f"to sleep at {clock(bed.value or 0)}{about}{before}."
    )


def _hours_of(minutes: float) -> str:
    return f"{round(minutes) // 60} h {round(minutes) % 60:02} min"


def clock(minutes: float) -> str:
    """Return the time of day as ``HH:MM`` for a number of minutes after noon.

    >>> clock(0), clock(690), clock(750.4)
    ('12:00', '23:30', '00:30')
    """
    at = (round(minutes) + 12 * 60) % (24 * 60)
    return f"{at // 60:02}:{at % 60:02}"


def _figure(word: str, of: Compared) -> str:
    """Return a number of the week as text, with its mean of the weeks before in brackets.

    >>> _figure("workout", Compared(value=3, usual=2.25)), _figure("h of focus", Compared(value=5.26, usual=None))
    ('3 workouts (before: 2.2)', '5.3 h of focus')
    """
    value = of.value or 0.0
    told = f"{value:.1f} {word}" if word.startswith("h ") else _plural(round(value), word)
    return told if of.usual is None else f"{told} (before: {of.usual:.1f})"


def _plural(number: int, word: str) -> str:
    first, _, rest = word.partition(" ")
    return f"{plural(number, first)} {rest}".rstrip()


def _name(action: ActionType) -> str:
    return str(action).replace("_", " ").capitalize()
