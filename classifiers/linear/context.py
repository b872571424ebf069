"""The context of a title: the entry's length, hour, weekday, other people, place, video link and repetition.

Context speaks only where the title is unsure, and moves a score by at most ``MAX_SHIFT``. A label twice as likely as
any other is therefore the same in every context, except a one-to-one at working hours. The leanings are learnt from
entries of public calendars.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.domain.ports import Invitation
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DAY_MINUTES = 1440
SATURDAY = 5
SURE = 0.35  # probability from which the title alone decides
FADE = 0.15  # below SURE, over which context gains its full weight
MAX_SHIFT = 0.1  # the largest shift of a score, as a natural logarithm
ENTRY_TEMPERATURE = 1.22  # divides the logarithms of an entry's probabilities: it is harder than a title alone
ONE_TO_ONE = re.compile(r"\b(1[:-]1|1[ -]?on[ -]?1|one[ -](on|to)[ -]one)\b", re.IGNORECASE)
RHYTHM = re.compile(r"(dailys?|dailies|weekly|biweekly|bi-weekly|monthly)( \(?\d+ ?min\.?\)?)?", re.IGNORECASE)
WORKING = range(8, 18)  # hours of Monday to Friday
LENGTHS = ((20, "up to 20 minutes"), (45, "up to 45 minutes"), (75, "up to 75 minutes"), (150, "up to 150 minutes"))
LONG_MINUTES = 300
HOURS = ((6, "at night"), (9, "early"), (12, "in the forenoon"), (14, "at noon"), (18, "in the afternoon"))
PEOPLE = ((1, "another person"), (4, "several people"))
FACTS = (
    "all day",
    "several days",
    *(name for _, name in LENGTHS),
    "under 5 hours",
    *(name for _, name in HOURS),
    "in the evening",
    "weekend",
    *(name for _, name in PEOPLE),
    "many people",
    "invited",
    "video link",
    "place",
    "repeats",
)


def facts(event: Invitation) -> list[str]:
    """Return the facts of an event, of those in ``FACTS``. Facts that are not known are left out.

    A timed event of five hours or more has no facts, because too few such events were learnt from.
    """
    if not event.all_day and (event.minutes or 0) >= LONG_MINUTES:
        return []
    found = _length(event)
    if event.start_hour is not None and not event.all_day:
        found.append(_upper(event.start_hour + 1, HOURS, "in the evening"))
    if event.weekday is not None and event.weekday >= SATURDAY and not event.all_day:
        found.append("weekend")
    if event.others > 0:
        found.append(_upper(event.others, PEOPLE, "many people"))
    marks = (not event.organised_by_me, event.conference, event.located, event.recurring)
    names = ("invited", "video link", "place", "repeats")
    return found + [name for name, shown in zip(names, marks, strict=True) if shown]


def _length(event: Invitation) -> list[str]:
    """Return the facts of an event's length.

    They are "all day", with "several days" from two days on, or a range such as "up to 45 minutes". The list is empty
    for an unknown length.
    """
    if event.all_day:
        return ["all day", "several days"] if (event.minutes or 0) >= 2 * DAY_MINUTES else ["all day"]
    return [] if event.minutes is None else [_upper(event.minutes, LENGTHS, "under 5 hours")]


def _upper(value: float, bounds: Sequence[tuple[int, str]], beyond: str) -> str:
    """Return the name of the first bound that a value does not exceed, or ``beyond``."""
    return next((name for bound, name in bounds if value <= bound), beyond)


def table(events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return a matrix (event, fact) with 1 for each fact of ``FACTS`` that an event shows, else 0."""
    import numpy as np

    column = {name: at for at, name in enumerate(FACTS)}
    found = np.zeros((len(events), len(FACTS)))
    for row, event in enumerate(events):
        found[row, [column[name] for name in facts(event)]] = 1
    return found


def leant(
    shares: NDArray[np.float64], shown: NDArray[np.float64], leanings: NDArray[np.floating]
) -> NDArray[np.float64]:
    """Return the probabilities (event, action) of titles with their context.

    ``shares`` are those of the titles, and ``shown`` is a ``table``. The ``leanings`` (fact, action) are added to
    logarithms, in all at most 0.1. They count in full up to a largest share of 0.20, and not at all from 0.35 on. They
    fade linearly between.
    """
    import numpy as np

    doubt = np.clip((SURE - shares.max(axis=1, keepdims=True)) / FADE, 0, 1)
    moved = shares * np.exp(doubt * np.clip(shown @ leanings, -MAX_SHIFT, MAX_SHIFT))
    found: NDArray[np.float64] = moved / moved.sum(axis=1, keepdims=True)
    return found


def at_work(shares: NDArray[np.float64], events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return the probabilities (event, action) after some meetings became work.

    In a one-to-one at working hours, the probability of SOCIALIZE is added to that of ADMIN_WORK and becomes 0. Working
    hours are 8 to before 18 o'clock from Monday to Friday. In a meeting by a rhythm ("Daily", "Weekly") the same is
    done with MEDITATE. A title that only tells a rhythm is such a meeting at working hours. With other people or a
    video link it is one at any time.
    """
    found = _as_work(shares, [_is_one_to_one(event) for event in events], ActionType.SOCIALIZE)
    return _as_work(found, [_is_rhythm(event) for event in events], ActionType.MEDITATE)


def _as_work(shares: NDArray[np.float64], rows: Sequence[bool], action: ActionType) -> NDArray[np.float64]:
    """Return the probabilities after those of an action were added to ADMIN_WORK in the chosen rows."""
    found, chosen = shares.copy(), list(rows)
    found[chosen, _AT[ActionType.ADMIN_WORK]] += found[chosen, _AT[action]]
    found[chosen, _AT[action]] = 0
    return found


def sureness(shares: NDArray[np.float64], events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return how sure each label is (event, action), with the order of ``shares``. Each row adds to 1.

    The confidence is lower for a calendar entry than for a title alone, because only its writer may understand it. An
    entry is all-day, or has an hour or a length.
    """
    import numpy as np

    powers = np.array([1 / ENTRY_TEMPERATURE if is_entry(event) else 1.0 for event in events])[:, None]
    calm = shares**powers
    found: NDArray[np.float64] = calm / calm.sum(axis=1, keepdims=True)
    return found


_AT = {action: at for at, action in enumerate(ActionType)}


def _is_one_to_one(event: Invitation) -> bool:
    return _is_working_time(event) and ONE_TO_ONE.search(event.title) is not None


def _is_rhythm(event: Invitation) -> bool:
    together = event.others > 0 or event.conference
    return (together or _is_working_time(event)) and RHYTHM.fullmatch(event.title.strip()) is not None


def _is_working_time(event: Invitation) -> bool:
    working = event.start_hour in WORKING and event.weekday is not None and event.weekday < SATURDAY
    return working and not event.all_day


def is_entry(event: Invitation) -> bool:
    """Return True for a calendar entry, which is all-day or has an hour or a length. A title alone has none of them."""
    return event.all_day or event.start_hour is not None or event.minutes is not None
