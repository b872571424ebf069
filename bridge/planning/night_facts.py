"""Give the facts of nights as reasons: a short night, the bedtime, and the time of getting up."""

from __future__ import annotations

from datetime import date, timedelta

from bridge.domain.facts import Fact, fact, length
from bridge.planning.situation import NAP_SHORT, Option, Situation
from bridge.planning.waking_day import day_of
from rhythm_env.interface import ActionType

EARLY_NIGHT = timedelta(hours=19)  # after midnight; later a short night calls for sleep alone
MINUTE = timedelta(minutes=1)
NEAR_USUAL = timedelta(minutes=10)  # from the usual time of a night, within which it counts as usual


def of_night(option: Option, situation: Situation) -> list[Fact]:
    """Return facts that last night was at least an hour shorter than the user's usual night.

    They are for time for oneself, or sleep, that begins today before 19:00. Sleep gets a second with the minutes
    of the nap. Otherwise the list is empty.
    """
    short = situation.short_of_sleep
    if option.action not in (ActionType.ME_TIME, ActionType.SLEEP) or short is None or short < NAP_SHORT:
        return []
    day = day_of(situation, option.start)
    if day.date != situation.date_of(situation.now) or option.start >= day.since(EARLY_NIGHT):
        return []
    night = fact("short_night", length=length(short // MINUTE))
    if option.action is not ActionType.SLEEP:
        return [night]
    return [night, fact("nap", minutes=(option.end - option.start) // MINUTE)]


def of_bedtime(situation: Situation, ends: date) -> Fact:
    """Return the bedtime of the sleep that ends on the date ``ends``.

    It calls a bedtime usual within ten minutes of the usual, or common if no night of the user is known. A later
    bedtime has the reason that the day ends late, an earlier bedtime that of a flight west.
    """
    bed = situation.sleep(ends)[0]
    usual = situation.routine.sleep_ending_on(ends, situation.known.zones)[0]
    if abs(bed - usual) <= NEAR_USUAL:
        if situation.routine.nights[ends.weekday()].nights < 1:
            return fact("bedtime_common", time=situation.local(bed))
        return fact("bedtime_usual", time=situation.local(bed))
    if bed > usual:
        return fact("bedtime_late", time=situation.local(bed))
    return fact("bedtime_early", time=situation.local(bed))


def of_waking(situation: Situation, ends: date) -> Fact:
    """Return the time of getting up after the sleep that ends on the date ``ends``.

    It calls a time usual within ten minutes of the usual, or common if no night of the user is known. A later time has
    the reason that the night begins late, an earlier time that of the day's first entry.
    """
    wake = situation.sleep(ends)[1]
    usual = situation.routine.sleep_ending_on(ends, situation.known.zones)[1]
    if abs(wake - usual) <= NEAR_USUAL:
        if situation.routine.nights[ends.weekday()].nights < 1:
            return fact("waking_common", time=situation.local(wake))
        return fact("waking_usual", time=situation.local(wake))
    if wake > usual:
        return fact("waking_late", time=situation.local(wake))
    begins = next((start for start, _ in situation.attended if start >= wake), wake)
    return fact("waking_early", time=situation.local(wake), entry=situation.local(begins))
