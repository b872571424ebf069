"""Adjust a title's label by its entry: working hours make some titles a meeting, and entries are less sure.

Weights for length, hour or people, learnt from labelled entries, changed almost no label.
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

SATURDAY = 5
ENTRY_TEMPERATURE = 1.22  # divides the logarithms of an entry's probabilities: it is harder than a title alone
ONE_TO_ONE = re.compile(r"\b(1[:-]1|1[ -]?on[ -]?1|one[ -](on|to)[ -]one)\b", re.IGNORECASE)
# A race that one runs, unless its title says that one watches it.
RACE = re.compile(r"\b(running|triathlon|duathlon|cyclocross|10k|5k|mile run|race)\b", re.IGNORECASE)
WATCHED = re.compile(
    r"\b(watch\w*|tv|live|stream\w*|film|movie|episode|season|netflix|f1|formula|grand prix|nascar|horse|schauen)\b",
    re.IGNORECASE,
)
RHYTHM = re.compile(r"(dailys?|dailies|weekly|biweekly|bi-weekly|monthly)( \(?\d+ ?min\.?\)?)?", re.IGNORECASE)
WORKING = range(8, 18)  # hours of Monday to Friday
_AT = {action: at for at, action in enumerate(ActionType)}


def at_work(shares: NDArray[np.float64], events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return the probabilities (event, action) after some meetings became work, and races sport.

    A one-to-one at working hours is no SOCIALIZE, and a bare rhythm ("Daily") there, with others or online no MEDITATE.
    """
    work = ActionType.ADMIN_WORK
    found = _moved(shares, [_is_one_to_one(event) for event in events], ActionType.SOCIALIZE, work)
    found = _moved(found, [_is_rhythm(event) for event in events], ActionType.MEDITATE, work)
    return _moved(found, [_is_race(event) for event in events], ActionType.BINGE_WATCH, ActionType.EXERCISE)


def _moved(
    shares: NDArray[np.float64], rows: Sequence[bool], action: ActionType, other: ActionType
) -> NDArray[np.float64]:
    found, chosen = shares.copy(), list(rows)
    found[chosen, _AT[other]] += found[chosen, _AT[action]]
    found[chosen, _AT[action]] = 0
    return found


def _is_race(event: Invitation) -> bool:
    return RACE.search(event.title) is not None and WATCHED.search(event.title) is None


def sureness(shares: NDArray[np.float64], events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return the confidence in each label (event, action), lower for a calendar entry than for a title alone."""
    import numpy as np

    powers = np.array([1 / ENTRY_TEMPERATURE if is_entry(event) else 1.0 for event in events])[:, None]
    calm = shares**powers
    found: NDArray[np.float64] = calm / calm.sum(axis=1, keepdims=True)
    return found


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
