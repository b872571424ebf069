"""Where a plan begins, read from an observation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from policies.planner.evidence import levels_before
from policies.planner.plans import Situation
from policies.planner.rollout import HALF
from rhythm_env.constants import STEPS
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import Meter, Observation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

NORMAL = 0.7  # the level of a meter that nothing is known of


def situation_of(observation: Observation) -> Situation:
    """Meters, what is possible, what was done, and how the second half of the week began."""
    import numpy as np

    levels = [NORMAL if (state := observation.meters.get(m)) is None else state.level for m in Meter]
    done = tuple(None if r.action is None else ACTIONS.index(r.action) for r in observation.step_history)
    first = [ACTIONS.index(action) for action in observation.feasible]
    middle = [before for record, before in levels_before(observation) if record.timestep == HALF]
    return Situation(
        step=observation.timestep,
        meters=np.array(levels),
        first=np.array(first, dtype=np.intp),
        done=done,
        middle=np.array(middle[0]) if middle else (np.array(levels) if observation.timestep == HALF else None),
        until=STEPS,
    )
