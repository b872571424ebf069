"""JSON documents and sentences of a user's own trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from bridge.advice.trial import OUTCOMES, Told
from bridge.documents.filling import filled
from bridge.domain.languages import Text, say
from bridge.domain.trials import CHANCE, DAY

if TYPE_CHECKING:
    from datetime import date

ARMS = {True: "on", False: "off"}


class TrialDayDocument(TypedDict):
    """A day of a trial. ``arm`` is "on" if the user should do what is tried, else "off". ``outcome`` may be null.

    ``kept`` tells if the user did as the arm asked, null if the user did not say.
    """

    date: str
    arm: str
    kept: bool | None
    outcome: float | None


class PowerDocument(TypedDict):
    """The smallest effect, in the outcome's unit, that a trial of so many weeks detects with a probability of 80 %."""

    effect: float
    weeks: int


class DrawDocument(TypedDict):
    """The seed that repeats the draw, and the probability with which each day was drawn to be "on"."""

    seed: str
    probability: float


class TrialDocument(TypedDict):
    """A user's own trial.

    ``state`` is running, over or stopped. ``effect`` and its 95 % ``interval`` are null until the end, or with too few
    days. ``verdict`` is "more", "less" or "not known". ``blocks`` counts compared pairs of days.
    """

    id: int
    text: str
    outcome: str
    unit: str
    state: str
    start: str
    end: str
    weeks: int
    days: list[TrialDayDocument]
    draw: DrawDocument
    power: list[PowerDocument]
    effect: float | None
    interval: list[float] | None
    blocks: int | None
    verdict: str


def trial_document(told: Told) -> TrialDocument:
    trial, found = told.trial, told.result
    return filled(
        TrialDocument,
        trial,
        unit=OUTCOMES[trial.outcome].unit,
        state="stopped" if trial.stopped else "over" if told.over else "running",
        end=str(trial.end - DAY),
        days=[_day(told, day, arm=arm) for day, arm in trial.arms().items()],
        draw={"seed": trial.seed, "probability": CHANCE},
        power=[{"effect": round(effect, 3), "weeks": weeks} for effect, weeks in told.power],
        effect=None if found is None else round(found.effect, 3),
        interval=None if found is None else [round(found.low, 3), round(found.high, 3)],
        blocks=None if found is None else found.blocks,
        verdict="not known" if found is None else found.verdict,
    )


def _day(told: Told, day: date, *, arm: bool) -> TrialDayDocument:
    value = told.days.get(day)
    return {
        "date": str(day),
        "arm": ARMS[arm],
        "kept": told.trial.kept.get(day),
        "outcome": None if value is None else round(value, 3),
    }


NAMES = {
    "sleep": say("sleep of the night after"),
    "hrv": say("heart rate variability of the night after"),
    "resting_hr": say("resting heart rate of the night after"),
    "steps": say("steps"),
    "check_in": say("check-ins"),
    "vitality": say("Vitality of the day after"),
    "cognition": say("Cognition of the day after"),
    "progress": say("Progress in the evening"),
    "serenity": say("Serenity in the evening"),
    "connection": say("Connection in the evening"),
}
UNITS = {
    "min": say("{value:.0f} minutes"),
    "ms": say("{value:.0f} ms"),
    "bpm": say("{value:.1f} beats a minute"),
    "count": say("{value:.0f} steps"),
    "1-5": say("{value:.2f} points of 5"),
    "0-1": say("{value:.2f} of 1"),
}


def amount(value: float, outcome: str) -> Text:
    """Return a value of an outcome with the outcome's unit."""
    return say(UNITS[OUTCOMES[outcome].unit], value=value)


def power_line(told: Told) -> Text:
    """Return a sentence about the smallest effect that a trial can detect, estimated from days before the trial."""
    found = next((effect for effect, weeks in told.power if weeks == told.trial.weeks), None)
    if found is None:
        return say("Too few days were measured before it to say what it can tell. About four weeks of them are needed.")
    return say(
        "With your days before it, {weeks} weeks tell a difference of {amount}, four times in five.",
        weeks=told.trial.weeks,
        amount=amount(found, told.trial.outcome),
    )


def result_line(told: Told) -> Text:
    """Return the verdict of a trial in words, or why there is none."""
    found, outcome = told.result, told.trial.outcome
    if not told.over:
        last = told.trial.end - DAY
        return say("The result comes after {last:%-d %B %Y}. Who looks early is misled by chance.", last=last)
    if found is None:
        return say("Too few days are known to tell anything.")
    if found.verdict == "not known":
        low, high = amount(found.low, outcome), amount(found.high, outcome)
        return say("Not known: the difference is between {low} and {high}, so it may be nothing.", low=low, high=high)
    ends = sorted((abs(found.low), abs(found.high)))
    values = {"effect": abs(found.effect), "low": ends[0], "high": ends[1]}
    words = {name: amount(value, outcome) for name, value in values.items()}
    if found.verdict == "more":
        return say("More, by {effect} (between {low} and {high}).", **words)
    return say("Less, by {effect} (between {low} and {high}).", **words)


def kept_line(told: Told) -> Text:
    """Return a sentence about the number of days on which the user did what the trial's draw asked for."""
    kept = told.trial.kept.values()
    return say("Kept on {kept} of {said} days of which you said it.", kept=sum(kept), said=len(kept))
