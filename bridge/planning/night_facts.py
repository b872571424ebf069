"""Give the facts of nights as reasons: a short night, the bedtime, and the time of getting up."""

from __future__ import annotations

from datetime import date, timedelta

from bridge.domain.languages import Text, say
from bridge.planning.situation import NAP_SHORT, Option, Situation
from bridge.planning.waking_day import day_of
from rhythm_env.interface import ActionType

EARLY_NIGHT = timedelta(hours=19)  # after midnight; later a short night calls for sleep alone
NEAR_USUAL = timedelta(minutes=10)  # from the usual time of a night, within which it counts as usual


def of_night(option: Option, situation: Situation) -> list[str]:
    """Return texts that last night was at least an hour shorter than the user's usual night.

    They are for time for oneself, or sleep, that begins today before 19:00. Sleep gets a second text with the minutes
    of the nap. Otherwise the list is empty.
    """
    short = situation.short_of_sleep
    if option.action not in (ActionType.ME_TIME, ActionType.SLEEP) or short is None or short < NAP_SHORT:
        return []
    day = day_of(situation, option.start)
    if day.date != situation.date_of(situation.now) or option.start >= day.since(EARLY_NIGHT):
        return []
    night = say("last night was {length} shorter than your usual", length=length_text(short))
    if option.action is not ActionType.SLEEP:
        return [night]
    minutes = (option.end - option.start) // timedelta(minutes=1)
    return [night, say("a nap of {minutes} minutes, early enough for the coming night", minutes=minutes)]


def of_bedtime(situation: Situation, ends: date) -> str:
    """Return a text with the bedtime of the sleep that ends on the date ``ends``.

    It calls a bedtime usual within ten minutes of the usual, or common if no night of the user is known. A later
    bedtime has the reason that the day ends late, an earlier bedtime that of a flight west.
    """
    bed = situation.sleep(ends)[0]
    usual = situation.routine.sleep_ending_on(ends, situation.known.zones)[0]
    if abs(bed - usual) <= NEAR_USUAL:
        if situation.routine.nights[ends.weekday()].nights < 1:
            return say("a common bedtime is {time}; your nights are not known yet", time=situation.clock(bed))
        return say("your usual bedtime is {time}", time=situation.clock(bed))
    if bed > usual:
        return say("bedtime is {time} today, because your day ends late", time=situation.clock(bed))
    return say(
        "bedtime is {time} today, earlier than usual, because the day is longer after a flight west",
        time=situation.clock(bed),
    )


def of_waking(situation: Situation, ends: date) -> str:
    """Return a text with the time of getting up after the sleep that ends on the date ``ends``.

    It calls a time usual within ten minutes of the usual, or common if no night of the user is known. A later time has
    the reason that the night begins late, an earlier time that of the day's first entry.
    """
    wake = situation.sleep(ends)[1]
    usual = situation.routine.sleep_ending_on(ends, situation.known.zones)[1]
    if abs(wake - usual) <= NEAR_USUAL:
        if situation.routine.nights[ends.weekday()].nights < 1:
            return say("people often get up at {time}; your nights are not known yet", time=situation.clock(wake))
        return say("you usually get up at {time}", time=situation.clock(wake))
    if wake > usual:
        return say("you sleep until {time}, because the night begins late", time=situation.clock(wake))
    begins = next((start for start, _ in situation.attended if start >= wake), wake)
    return say(
        "you get up at {time} for your entry at {entry}", time=situation.clock(wake), entry=situation.clock(begins)
    )


def length_text(span: timedelta) -> Text:
    """Return a length of an hour or more as text.

    >>> length_text(timedelta(minutes=60)), length_text(timedelta(minutes=77))
    ('1 h', '1 h 17 min')
    """
    hours, minutes = divmod(span // timedelta(minutes=1), 60)
    if not minutes:
        return say("{hours} h", hours=hours)
    return say("{hours} h {minutes} min", hours=hours, minutes=minutes)
