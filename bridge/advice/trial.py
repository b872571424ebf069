"""A person's own randomised trial, from the draw of its days to its result.

Each block holds the same weekday of two weeks (or of the last three), and chance decides which day has the change. So
the mean of the differences within blocks is an unbiased effect of the draw, whatever follows from day to day (Neyman
1923; Imbens and Rubin 2015, chapter 10). The interval is Student's, over blocks. Every day counts as drawn, whether or
not the person kept to it. No result is shown before the end, because repeated looks find effects by chance.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from bridge.advice.aftermath import values_of
from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.slots import Moment, moment_at, slot_start, today_at
from bridge.domain.trials import DAY, TEXT_MAX, WEEK, WEEKS, Trial
from rhythm_env.interface import Meter, Slot

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge
    from bridge.store import Store

BACK = 8 * WEEK  # days before a trial from which its power is told
FEWEST_BLOCKS = 6  # with a known difference; of fewer, chance alone gives the same sign to all too often
FEWEST_BEFORE = 14  # differences of days a week apart
POWER = 0.8
LEVEL = 0.95
TOLD_WEEKS = (2, 4, 6, 8, 12)
LOCK = "trials of user {}"
UNTIL = Slot.EVENING  # a trial begins today before this slot, and otherwise tomorrow


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome that a trial measures for a day, either a metric ``later`` days after it or a meter in a ``slot``."""

    measure: Metric | Meter
    unit: str
    later: int = 0
    slot: Slot = Slot.AFTERNOON


def _of(metric: Metric, later: int) -> Outcome:
    return Outcome(measure=metric, unit=METRICS[metric].unit, later=later)


OUTCOMES: Mapping[str, Outcome] = {
    "sleep": _of(Metric.ASLEEP, 1),  # a night is keyed by the date of waking
    "hrv": _of(Metric.HRV_RMSSD, 1),
    "resting_hr": _of(Metric.RESTING_HR, 1),
    "steps": _of(Metric.STEPS, 0),
    "check_in": _of(Metric.CHECK_IN, 0),
    **{str(one).lower(): Outcome(measure=one, unit="0-1", later=1) for one in (Meter.VITALITY, Meter.COGNITION)},
    **{
        str(one).lower(): Outcome(measure=one, unit="0-1", slot=Slot.NIGHT)
        for one in (Meter.PROGRESS, Meter.SERENITY, Meter.CONNECTION)
    },
}
Days = Mapping[date, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The estimated effect of a trial with its 95 % interval, in the outcome's unit, and the number of blocks."""

    effect: float
    low: float
    high: float
    blocks: int

    @property
    def verdict(self) -> str:
        return "more" if self.low > 0 else "less" if self.high < 0 else "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A trial to be shown, with the effects that it can detect (``power``), the values of its ``days``, and the result.

    The result is None before the end.
    """

    trial: Trial
    days: Days
    power: Sequence[tuple[float, int]]
    result: Result | None
    over: bool


def result(trial: Trial, days: Days) -> Result | None:
    """Return the estimated effect with its interval, or None if too few differences are known or all are equal."""
    found = list(differences(trial, days))
    if len(found) < FEWEST_BLOCKS or (spread := stdev(found)) == 0:
        return None
    from scipy import special

    middle = fmean(found)
    reach = float(special.stdtrit(len(found) - 1, (1 + LEVEL) / 2)) * spread / len(found) ** 0.5
    return Result(effect=middle, low=middle - reach, high=middle + reach, blocks=len(found))


def differences(trial: Trial, days: Days) -> Iterator[float]:
    """Yield the difference of each block of days, which is the mean on days with the change less that on the others."""
    arms = trial.arms()
    for block in trial.blocks():
        sides = [[days[day] for day in block if day in days and arms[day] is arm] for arm in (True, False)]
        if all(sides):
            yield fmean(sides[0]) - fmean(sides[1])


def power(before: Days, weeks: int) -> list[tuple[float, int]]:
    """Return (smallest effect that a trial detects with 80 % power, its weeks) for several numbers of weeks.

    It is based on the variation of the person's values ``before`` and their share of known days. The list is empty if
    too few are known.
    """
    found = [value - before[day - WEEK * DAY] for day, value in before.items() if day - WEEK * DAY in before]
    if len(found) < FEWEST_BEFORE:
        return []
    spread = fmean(one**2 for one in found) ** 0.5
    share = len(before) / ((max(before) - min(before)) / DAY + 1)
    told = []
    for length in sorted({*TOLD_WEEKS, weeks}):
        blocks = round(WEEK * (length // 2) * share**2)
        if blocks >= FEWEST_BLOCKS:
            told.append((_told_by(blocks, len(found)) * spread, length))
    return told


@cache
def _told_by(blocks: int, before: int) -> float:
    """Return the smallest effect, in standard deviations, that a trial of ``blocks`` pairs detects with 80 % power."""
    import numpy as np
    from scipy import optimize, stats

    freedom, known = blocks - 1, before / 2
    edge = stats.t.ppf((1 + LEVEL) / 2, freedom)
    scales = np.sqrt(blocks * stats.chi2.ppf((np.arange(9) + 0.5) / 9, known) / known)
    return float(optimize.brentq(lambda size: stats.nct.sf(edge, freedom, size * scales).mean() - POWER, 0.01, 9))


def drafted(text: str, weeks: int, outcome: str) -> Trial:
    """Return a new trial with a seed that was drawn for it, without number and start.

    Raises SetupError for an invalid text, number of weeks or outcome.
    """
    text = " ".join(text.split())
    if not 1 <= len(text) <= TEXT_MAX or not text.isprintable():
        raise SetupError(
            say(
                'a trial needs a text of 1 to 200 letters that says what you try: bridge trial "no screens after 22" '
                "--weeks 4"
            )
        )
    if weeks not in WEEKS:
        raise SetupError(
            say(
                "a trial lasts {least} to {most} weeks; choose the number of weeks so: bridge trial TEXT --weeks 4",
                least=WEEKS.start,
                most=WEEKS[-1],
            )
        )
    if outcome not in OUTCOMES:
        raise SetupError(
            say(
                "{outcome} is not an outcome that a trial can measure; choose one of: {known}",
                outcome=repr(outcome),
                known=", ".join(OUTCOMES),
            )
        )
    return Trial(id=0, text=text, outcome=outcome, start=date.max, weeks=weeks, seed=secrets.token_hex(16))


def begin(bridge: Bridge, user: User, draft: Trial, *, now: datetime) -> Told:
    """Save a new trial. It begins today, or tomorrow if it is evening. Raises SetupError if the same trial is on."""
    moment = moment_at(now, user.zones)
    with bridge.store.lock(LOCK.format(user.id)):
        before = bridge.store.people.preferences(user.id).trials
        same = (one for one in before if one.text.casefold() == draft.text.casefold() and moment.date < one.end)
        if (running := next(same, None)) is not None:
            raise SetupError(
                say(
                    "this trial is on already, until {last}; end it first: bridge trial stop {number}",
                    last=running.end - DAY,
                    number=running.id,
                )
            )
        number = max((one.id for one in before), default=0) + 1
        trial = replace(draft, id=number, start=moment.date + DAY * (moment.slot >= UNTIL))
        bridge.store.people.change_preferences(user.id, trials=(*before, trial), now=now)
    return tell(bridge, user, trial, now=now)


def stop(bridge: Bridge, user: User, number: int, *, now: datetime) -> Told:
    """End a trial early. Its days before today count. A trial without such days is deleted.

    Raises SetupError if the trial is over or unknown.
    """
    today = today_at(now, user.zones)
    if today >= of(bridge.store, user, number).end:
        raise SetupError(say("trial {number} is over; see: bridge trial list", number=number))
    changed = _change(bridge.store, user, number, lambda one: replace(one, stopped=max(today, one.start)), now=now)
    return tell(bridge, user, changed, now=now)


def keep(bridge: Bridge, user: User, number: int, kept: Mapping[date, bool], *, now: datetime) -> Told:
    """Save on which dates the user followed the draw (True) or not.

    The result does not depend on it. Raises SetupError for a day in the future or outside the trial.
    """
    today, trial = today_at(now, user.zones), of(bridge.store, user, number)
    for day in kept:
        if day > today:
            raise SetupError(
                say(
                    "{day} is still ahead; from that day on, write: bridge trial kept {number} yes (or no)",
                    day=day,
                    number=number,
                )
            )
        if not trial.start <= day < trial.end:
            raise SetupError(
                say(
                    "{day} is not a day of trial {number}, which lasts from {first} to {last}: "
                    "bridge trial kept {number} yes --at DATE",
                    day=day,
                    number=number,
                    first=trial.start,
                    last=trial.end - DAY,
                )
            )
    changed = _change(bridge.store, user, number, lambda one: replace(one, kept={**one.kept, **kept}), now=now)
    return tell(bridge, user, changed, now=now)


def of(store: Store, user: User, number: int) -> Trial:
    """Return the user's trial with this number. Raises SetupError if there is none."""
    found = next((one for one in trials_of(store, user) if one.id == number), None)
    if found is None:
        raise SetupError(say("there is no trial {number}; see: bridge trial list", number=number))
    return found


def _change(store: Store, user: User, number: int, change: Callable[[Trial], Trial], *, now: datetime) -> Trial:
    with store.lock(LOCK.format(user.id)):
        changed = change(of(store, user, number))
        trials = tuple(changed if trial.id == number else trial for trial in store.people.preferences(user.id).trials)
        trials = tuple(trial for trial in trials if trial.start < trial.end)
        store.people.change_preferences(user.id, trials=trials, now=now)
    return changed


def trials_of(store: Store, user: User) -> tuple[Trial, ...]:
    """Return the user's saved trials, oldest first, without those whose outcome is no longer measured."""
    return tuple(trial for trial in store.people.preferences(user.id).trials if trial.outcome in OUTCOMES)


def told_of(bridge: Bridge, user: User, *, now: datetime) -> list[Told]:
    return [tell(bridge, user, one, now=now) for one in reversed(trials_of(bridge.store, user))]


def running(store: Store, user: User, *, now: datetime) -> list[tuple[Trial, bool]]:
    """Return the trials under way, each with True if today is drawn for what it tests."""
    today = today_at(now, user.zones)
    return [(one, arms[today]) for one in trials_of(store, user) if today in (arms := one.arms())]


def tell(bridge: Bridge, user: User, trial: Trial, *, now: datetime) -> Told:
    """Return a trial to be shown at ``now``, with what was measured before and during it."""
    over = today_at(now, user.zones) >= trial.end
    days = daily(bridge, user, trial, now=now)
    before = {day: value for day, value in days.items() if day < trial.start}
    within = {day: value for day, value in days.items() if day >= trial.start}
    return Told(
        trial=trial,
        days=within,
        power=power(before, trial.weeks),
        result=result(trial, within) if over else None,
        over=over,
    )


def daily(bridge: Bridge, user: User, trial: Trial, *, now: datetime) -> Days:
    """Return date -> outcome as known at ``now``, for the days of the trial and some weeks before."""
    outcome, since, until = OUTCOMES[trial.outcome], trial.start - BACK * DAY, trial.end
    later = outcome.later * DAY
    if isinstance(outcome.measure, Meter):
        starts = dict(_starts(user, outcome.slot, since + later, until + later, now))
        return {day - later: value for day, value in _levels(bridge, user, outcome.measure, starts, now)}
    values = values_of(bridge.store, user, outcome.measure, since, now=now)
    return {day - later: value for day, value in values.items() if since <= day - later < until}


def _starts(user: User, slot: Slot, since: date, until: date, now: datetime) -> Iterator[tuple[date, datetime]]:
    for number in range((until - since) // DAY):
        day = since + number * DAY
        moment = Moment(week=day - day.weekday() * DAY, day=day.weekday(), slot=slot)
        if (at := slot_start(moment, user.zones)) <= now:
            yield day, at


def _levels(
    bridge: Bridge, user: User, meter: Meter, starts: Mapping[date, datetime], now: datetime
) -> Iterator[tuple[date, float]]:
    from bridge.advice.recommend import load_snapshot
    from bridge.meters import read_slots

    if starts:
        back = now - min(starts.values())
        known = load_snapshot(bridge, user, at=now, back=back)
        for day, readings in zip(starts, read_slots(known, list(starts.values()), reasons=False), strict=True):
            if readings[meter].coverage > 0:
                yield day, readings[meter].level
