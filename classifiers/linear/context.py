"""The context of a title: the entry's length, hour, weekday, other people, place, video link and repetition.

Context speaks only where the title is unsure, and moves a score by at most ``MAX_SHIFT``. A label twice as likely as
any other is therefore the same in every context. The leanings are learnt from entries of public calendars.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bridge.domain.ports import Invitation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DAY_MINUTES = 1440
SATURDAY = 5
SURE = 0.35  # probability from which the title alone decides
FADE = 0.15  # below SURE, over which context gains its full weight
MAX_SHIFT = 0.1  # the largest shift of a score, as a natural logarithm
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

    A timed event of five hours or more has none, because too few such events were learnt from.
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

    They are "all day", with "several days" from two days on, or a range such as "up to 45 minutes". There are none if
    it is unknown.
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
    logarithms, in all at most 0.1. They count in full below a largest share of 0.20, and not at all from 0.35 on.
    """
    import numpy as np

    doubt = np.clip((SURE - shares.max(axis=1, keepdims=True)) / FADE, 0, 1)
    moved = shares * np.exp(doubt * np.clip(shown @ leanings, -MAX_SHIFT, MAX_SHIFT))
    found: NDArray[np.float64] = moved / moved.sum(axis=1, keepdims=True)
    return found
