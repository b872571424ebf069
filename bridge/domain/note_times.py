"""Find the time that a note's text names, such as "yesterday evening", "at 4pm" or "nach dem Mittagessen"."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple

from bridge.domain.errors import SetupError
from bridge.domain.languages import say

DAY, NOON = timedelta(days=1), time(12)
EVENING = 20  # o'clock
NIGHT_ENDS = 4  # o'clock; until then, an evening is that of the day before
_BACK = {  # words for a day -> how many days ago it was
    **dict.fromkeys(("tomorrow", "morgen", "demain"), -1),
    **dict.fromkeys(("today", "heute", "aujourd'hui", "aujourd’hui"), 0),
    **dict.fromkeys(("yesterday", "gestern", "hier"), 1),
    **dict.fromkeys(("vorgestern", "avant-hier", "the day before yesterday"), 2),
}
_WEEKDAYS = (
    *(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]),
    *(["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"]),
    *(["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi", "dimanche"]),
)
_AFTER, _AT = r"after|nach(?: dem)?|après le", r"at|for|with|over|zum|beim|mit|au"
_BREAKFAST, _LUNCH = r"breakfast|frühstück|petit[- ]déjeuner", r"lunch|mittagessen|déjeuner"
_DINNER, _BED = r"dinner|supper|abendessen|abendbrot|dîner", r"bed|bedtime|dem schlafengehen|dem zubettgehen"
_PARTS = (  # words for a part of day, those that tell it without a day -> when it begins, and its time
    ("morning|morgen|früh|vormittag|matin", "morgens|vormittags", 5, 8),
    ("noon|mittag|midi", f"mittags|at noon|(?:{_AT}) (?:{_LUNCH})", 11, 12),
    ("afternoon|nachmittag|après-midi", "nachmittags", 12, 15),
    ("evening|abend|soir", "abends|tonight", 17, 21),
    ("night|nacht|nuit", "nachts|at night", 20, 21),
    (None, rf"(?:{_AT}|before) (?:{_BREAKFAST})", 5, 8),
    (None, rf"(?:{_AFTER}) (?:{_BREAKFAST})", 6, 9),
    (None, rf"(?:before|vor dem|avant le) (?:{_LUNCH})", 9, 11),
    (None, rf"(?:{_AFTER}) (?:{_LUNCH})", 12, 14),
    (None, rf"(?:before|vor dem|avant le) (?:{_DINNER})", 16, 18),
    (None, rf"(?:{_AT}) (?:{_DINNER})", 17, 19),
    (None, rf"(?:{_AFTER}) (?:{_DINNER})", 18, 20),
    (None, rf"(?:before|vor) (?:{_BED})", 19, 22),
)
_NAMES = "|".join(names for names, *_ in _PARTS if names)
_ALONE = "|".join(alone for _, alone, *_ in _PARTS)
_ONE_WEEKDAY = "|".join(_WEEKDAYS)
_ONE_DAY = (
    rf"{'|'.join(sorted(_BACK, key=len, reverse=True))}|\d{{4}}-\d\d-\d\d|(?:(?:on|last|am|letzten) )(?:{_ONE_WEEKDAY})"
)
_PART = rf"(?P<part>(?:in the|this|am|in der|ce|cet|cette|dans la|le) (?:{_NAMES})|last night|{_ALONE})"
_AROUND = r"(?:at|around|about|um|gegen|à|vers) (?:about |around |etwa |ca\.? )?"
_CLOCK = (
    rf"(?P<clock>(?:{_AROUND})?\d{{1,2}}(?:[:.]\d\d)? ?(?:[ap]\.?m\.?|uhr(?: \d\d)?)|(?:{_AROUND})?\d{{1,2}}:\d\d"
    rf"|{_AROUND}(?:[01]?\d|2[0-4])(?:\.\d\d| ?h(?:\d\d)?)?)(?![\w:%]|[.,]\d)"
)
_OF_DAY = rf"(?:(?: in the| am|,)? ?(?P<of_day>{_NAMES}))?"
_FIRST = re.compile(
    rf"(?:(?P<day>{_ONE_DAY}|(?:{_ONE_WEEKDAY})(?= ?(?:{_NAMES}) )){_OF_DAY}|{_PART}|{_CLOCK})[ ,:]+(?P<rest>.+)"
)
_LAST = re.compile(rf"(?P<rest>.+?)[ ,]+(?:(?P<day>{_ONE_DAY}|{_ONE_WEEKDAY}){_OF_DAY}|{_PART}|{_CLOCK})")
_WITHIN = re.compile(rf"(?P<rest>.+?) (?={_AROUND}){_CLOCK} (?P<more>.+)")
_HOUR = re.compile(
    r"\D*(?P<hour>\d+)(?:[:.h](?P<minute>\d\d))? ?(?:(?P<half>[ap])\.?m\.?|(?P<uhr>uhr|h)(?: (?P<after>\d\d))?)?"
)


class Said(NamedTuple):
    """A note's text without its times, and the instant ``at`` that these times mean, or None for now.

    ``timed`` is False if the note named only a day, or a part of the day such as the evening.
    """

    rest: str
    at: datetime | None = None
    timed: bool = True


def said_in(text: str, now: datetime, day: date | None = None) -> Said:
    """Return the text of a note, in lower case, without its times, and the instant that they mean.

    ``now`` is local time. ``day`` counts if the note names no day. Raises SetupError for a time in the future, a time
    that does not exist, and an hour that may be before or after noon.
    """
    rest, found = _taken(text)
    part = _part(found)
    today, told = now.date(), _day(found["day"], now.date()) if "day" in found else day
    if found.get("part") == "last night":
        told = today - DAY
    if told is not None and told > today:
        raise SetupError(say("{day} is still to come; note it then", day=told.isoformat()))
    if "clock" in found:
        since = _since_midnight(found["clock"], part)
    elif part is None:
        return (
            Said(rest) if told in (None, today) else Said(rest, datetime.combine(told, NOON, now.tzinfo), timed=False)
        )
    else:
        since = timedelta(hours=part[1])
    if told is None and part is not None and now.hour < NIGHT_ENDS and part[1] >= EVENING:
        told = today - DAY
    at = datetime.combine(told or today, time(), now.tzinfo) + since
    if at > now and part is not None and "clock" not in found and (now.date(), now.hour) >= (at.date(), part[0]):
        return Said(rest, now)
    if at > now:
        clock = f"{at:%H:%M}"
        raise SetupError(say("{time} is still to come; note it then, or say the day, as yesterday {time}", time=clock))
    return Said(rest, at, timed="clock" in found)


def without_times(text: str) -> str:
    """Return a note's text, in lower case, without the days and times that it names."""
    return _taken(text)[0]


def _taken(text: str) -> tuple[str, dict[str, str]]:
    found: dict[str, str] = {}
    while True:
        for pattern in (_FIRST, _LAST, _WITHIN):
            match = pattern.fullmatch(text)
            told = {} if match is None else {key: one for key, one in match.groupdict().items() if one}
            rest = " ".join(told.pop(key) for key in ("rest", "more") if key in told)
            if told and not told.keys() & found.keys():
                text, found = rest, found | told
                break
        else:
            return text, found


def _part(found: dict[str, str]) -> tuple[int, int] | None:
    word = found.get("of_day") or found.get("part")
    if word is None:
        return None
    return next(
        (begins, stands)
        for names, alone, begins, stands in _PARTS
        if re.fullmatch(rf"(?:.* )?(?:{names or '(?!)'})|{alone}", word)
    )


def _since_midnight(clock: str, part: tuple[int, int] | None) -> timedelta:
    found = next(_HOUR.finditer(clock))
    hour, minute = int(found["hour"]), int(found["minute"] or found["after"] or 0)
    if hour > 23 or minute > 59 or (found["half"] and not 1 <= hour <= NOON.hour):
        raise SetupError(say("{time} is not a time of day; write it like 16:30", time=clock))
    if found["half"]:
        hour = hour % 12 + 12 * (found["half"] == "p")
    elif part is not None and part[0] >= NOON.hour and hour <= NOON.hour:  # "in the evening at 8"
        hour = hour % 12 + 12 if NIGHT_ENDS <= hour < NOON.hour or part[1] < EVENING else hour % 12
    elif part is None and 1 <= hour <= NOON.hour and not (found["minute"] or found["uhr"]):
        raise SetupError(say("{time} may be before or after noon; write it like 16:30 or 4pm", time=clock))
    after_midnight = part is not None and part[1] >= EVENING and hour < NIGHT_ENDS
    return timedelta(hours=hour + 24 * after_midnight, minutes=minute)


def _day(word: str, today: date) -> date:
    if word in _BACK:
        return today - timedelta(days=_BACK[word])
    name = word.split()[-1]
    if name in _WEEKDAYS:
        days = (today.weekday() - _WEEKDAYS.index(name)) % 7
        return today - timedelta(days=days or 7 * word.startswith(("last ", "letzten ")))
    try:
        return date.fromisoformat(word)
    except ValueError:
        raise SetupError(say("{day} is not a date; write it like 2026-11-20, or say yesterday", day=word)) from None
