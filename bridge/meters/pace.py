"""How fast the model's meters may move: at most so much from one slot to the next.

Real readings jump overnight (15 to 21 % of nights by more than 0.20) where a simulated week, which the model grew up
in, moves by 0.06 to 0.10 a slot. So the level given to the model follows the reading by at most 0.25 in the slot a
night ends in and the one after, and by 0.10 in any other, also when what is known expires. A cap of 0.25 leaves nine
tenths of Vitality's correlation with reports on the morning itself and all of it by the evening (own analysis, PMData).
Progress is made within a week and is not slowed. People are shown the reading, not the path to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from bridge.meters.baseline import clip
from bridge.meters.hours import SIX_HOURS
from bridge.meters.past import Past
from bridge.types import Reading
from rhythm_env.interface import Meter, MeterState

ON_WAKING, ELSE = 0.25, 0.10
SETTLING = 8  # slots before the first wanted one from which a path is followed; by then its beginning is forgotten

States = dict[Meter, MeterState]
Readings = dict[Meter, Reading]


def paced(past: Past, readings: Sequence[tuple[datetime, Readings]]) -> list[States]:
    """What the model sees at ascending slot starts (the last may lie within a slot), from the readings there.

    Part of a slot allows that part of the pace, but the end of a night counts at once.
    """
    at, reading = readings[0]
    found = [{meter: one.state for meter, one in reading.items()}]
    woke = False
    for then, reading in readings[1:]:
        woke_before, woke = woke, past.nights.ended(at, then)
        pace = ON_WAKING if woke or woke_before else ELSE
        cap = pace if woke else pace * min((then - at) / SIX_HOURS, 1.0)
        found.append({meter: _slowed(meter, one.state, found[-1][meter], cap) for meter, one in reading.items()})
        at = then
    return found


def _slowed(meter: Meter, state: MeterState, before: MeterState, cap: float) -> MeterState:
    if meter is Meter.PROGRESS:
        return state
    return replace(state, level=clip(state.level, before.level - cap, before.level + cap))
