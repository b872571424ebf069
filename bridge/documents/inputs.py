"""Read what people type at the terminal, on the page and in programs, such as answers, slots, days and scores.

Each error says how to write it.
"""

from __future__ import annotations

from datetime import date, time, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from bridge.domain.errors import SetupError
from bridge.domain.phrases import WEEKDAYS
from bridge.domain.slots import moment_at
from rhythm_env.interface import DAY_NAMES, STEPS_PER_WEEK, ActionType, Answer, Meter, Slot

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.domain.records import Deed
    from bridge.domain.slots import Moment, ZoneHistory
    from bridge.domain.wishes import Hours

NONE = "none"  # takes a wish back
SPANS_FORM = "begin and end with a minus between, several with a comma, such as 09:00-12:00, 14:00-16:00"
NEAR_DAYS = {"today": 0, "heute": 0, "tomorrow": 1, "morgen": 1, "yesterday": -1, "gestern": -1}
NO_ACTION = "NONE"  # says that an event is no activity


def parse_answer(text: str) -> Answer | Deed:
    """Return the answer or the outcome that ``text`` names, in any case. Raises SetupError for any other text."""
    from bridge.domain.records import Deed

    word = text.lower().replace("-", "_")
    if word in (Deed.DONE, Deed.PARTLY, Deed.NOT_DONE):
        return Deed(word)
    try:
        return Answer(text.upper())
    except ValueError:
        raise SetupError(
            f"{text!r} is not an answer; say accept, ignore or reschedule, or afterwards done, partly or not_done"
        ) from None


def parse_slot(text: str, now: datetime, zones: ZoneHistory) -> Moment:
    """Return the slot of the coming week that ``text`` names, such as ``Thu evening``. Raises SetupError otherwise."""
    day, _, slot = text.strip().partition(" ")
    wanted = (day[:3].capitalize(), slot.strip().upper())
    current = moment_at(now, zones)
    for ahead in range(1, STEPS_PER_WEEK + 1):
        moment = current.shifted(ahead)
        if (DAY_NAMES[moment.day], moment.slot.name) == wanted:
            return moment
    raise SetupError(f'{text!r} is not a slot; write it like "Thu evening" (morning, afternoon, evening, night)')


def parse_slots(text: str) -> frozenset[Slot]:
    """Return the slots in a text like ``morning,night``, or none for ``none``. Raises SetupError for other texts."""
    named = [name.strip().upper() for name in text.split(",") if name.strip().lower() not in ("", NONE)]
    try:
        return frozenset(Slot[name] for name in named)
    except KeyError:
        raise SetupError(
            f"{text!r} is not a list of slots; write slots with commas between, such as evening,night (of morning, "
            "afternoon, evening and night), or the word none"
        ) from None


def parse_day(text: str, today: date) -> date:
    """Return the date of ``2026-11-20``, ``today``, ``tomorrow``, ``yesterday``, or of the next such weekday.

    Weekdays are English or German, and may be cut to three letters. Raises SetupError for other texts, and for years
    outside 1970 to 2199.
    """
    from bridge.advice.week import YEARS

    word = text.strip().lower()
    named = [n for names in WEEKDAYS.values() for n, name in enumerate(names.split()) if name.startswith(word)]
    weekday = min(named, default=None)
    try:
        if word in NEAR_DAYS:
            day = today + timedelta(days=NEAR_DAYS[word])
        elif weekday is not None and len(word) > 1:
            day = today + timedelta(days=(weekday - today.weekday()) % 7)
        else:
            day = date.fromisoformat(word)
    except ValueError:
        day = date.min
    if day.year not in YEARS:
        raise SetupError(
            f"{text!r} is not a date from 1970 to 2199; write it like 2026-11-20, or say today, tomorrow or a weekday"
        )
    return day


def parse_score(text: str, user: str) -> float:
    """Return a score from 1 to 5, halves included. Raises SetupError for any other text.

    ``user`` is a name for the command in the error's text.
    """
    try:
        score = float(text)
    except ValueError:
        score = 0.0
    if not 1 <= score <= 5 or score * 2 % 1:
        raise SetupError(
            f"{text!r} is not a score; say 1 (bad) to 5 (good), halves included: bridge checkin 3.5 --user {user}"
        )
    return score


def parse_meter(text: str, user: str) -> Meter:
    """Return the meter that ``text`` names, in any case. Raises SetupError for any other text."""
    try:
        return Meter(text.upper())
    except ValueError:
        known = ", ".join(meter.lower() for meter in Meter)
        raise SetupError(
            f"there is no meter {text!r} (there are: {known}): bridge checkin 3 --user {user} --meter vitality"
        ) from None


def parse_action(text: str) -> ActionType | None:
    """Return the action that ``text`` names, or a word for it such as ``running``. None for ``NONE`` (no activity).

    Case does not matter, and spaces and dashes count as underscores. Raises SetupError for any other text.
    """
    if text.strip().upper() == NO_ACTION:
        return None
    if (action := _called(text) or _meant(text)) is not None:
        return action
    raise SetupError(
        f"{text!r} is not an action; did you mean {_nearest(text)}? Write one of {', '.join(ActionType)}, "
        f"or {NO_ACTION}"
    )


def parse_wished(text: str, user: str) -> ActionType:
    """Return the action that ``text`` names. Raises SetupError, which proposes a similar name, for any other text."""
    if (action := _called(text)) is not None:
        return action
    raise SetupError(
        f"{text!r} is not an action (there are: {', '.join(ActionType)}); "
        f"the nearest is {_meant(text) or _nearest(text)}. "
        f"Try again with an action; your wishes so far: bridge wish --user {user}"
    )


def _called(text: str) -> ActionType | None:
    name = text.strip().upper().replace("-", "_").replace(" ", "_")
    return ActionType(name) if name in set(ActionType) else None


def _meant(text: str) -> ActionType | None:
    from bridge.wishes.lexicon import lexicon

    phrase = tuple(text.lower().split())
    said = [value for language in ("en", "de") for _, value in lexicon(language).phrases.get(phrase, ())]
    return next((a for a in ActionType for one in said if isinstance(one, frozenset) and one == {a}), None)


def _nearest(text: str) -> str:
    return get_close_matches(text.strip().upper().replace(" ", "_"), list(ActionType), n=1, cutoff=0.0)[0]


def parse_hours(text: str, user: str) -> tuple[ActionType, tuple[Hours, ...]]:
    """Return an action and its hours from a text like ``DEEP_WORK 09:00-12:00, 14:00-16:00``.

    ``DEEP_WORK none`` gives no hours. Raises SetupError for any other text.
    """
    name, _, spans = text.strip().partition(" ")
    action = parse_wished(name, user)
    if spans.strip().lower() == NONE:
        return action, ()
    try:
        return action, parse_spans(spans)
    except ValueError:
        raise SetupError(
            f"{spans.strip()!r} are not hours; write {SPANS_FORM}: "
            f'bridge wish --user {user} --hours "{action} 09:00-12:00"'
        ) from None


def parse_spans(text: str) -> tuple[Hours, ...]:
    """Return (begin, end) of each of the hours in ``09:00-12:00, 14-16``, sorted. Raises ValueError for others."""
    return tuple(sorted({_span(span) for span in text.replace("–", "-").split(",")}))


def _span(text: str) -> Hours:
    begin, end = (part.strip() for part in text.split("-"))
    span = _clock(begin), _clock("00:00" if end in ("24", "24:00") else end)
    if span[0] == span[1]:
        raise ValueError("a span takes time")
    return span


def _clock(text: str) -> time:
    hours, _, minutes = text.partition(":")
    return time(int(hours), int(minutes or 0))


def parse_goal(text: str, user: str) -> tuple[ActionType, int]:
    """Return an action and how often a week it is wanted, from ``EXERCISE 3``. Raises SetupError for other texts."""
    name, _, times = text.strip().rpartition(" ")
    if not name or not times.isdecimal() or len(times) > 3:
        raise SetupError(
            f'{text!r} is not a goal; write it like EXERCISE 3: bridge wish --user {user} --goal "EXERCISE 3"'
        )
    return parse_wished(name, user), int(times)


def parse_weight(text: str, user: str) -> tuple[Meter, float]:
    """Return a meter and its weight from a text like ``VITALITY=2``. Raises SetupError for any other text."""
    name, _, weight = text.partition("=")
    try:
        return Meter(name.strip().upper()), float(weight)
    except ValueError:
        known = ", ".join(Meter)
        raise SetupError(
            f"{text!r} is not a weight of a meter ({known}); write it like VITALITY=2: "
            f"bridge wish --user {user} --weight VITALITY=2"
        ) from None
