"""One person's prior: those of the supposed people whom all their answers have left, and where these are by now.

They take the place of anybody, so that answers from before need not be heard again: what came later is heard by them
from where the last answer left them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from policies.planner.inference import anyone
from policies.planner.memory import Memory
from policies.planner.population import CROWD, SIZE, within
from policies.planner.responses import Crowd, Place
from rhythm_env.constants import METERS
from rhythm_env.interface import Observation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

KEPT = 128  # people, each of whom counts alike: 20 kB. Of 24 lives, as many as are supposed did no better


def learnt(observation: Observation) -> dict[str, Any]:
    """People (18, 128) and their meters (5, 128) as JSON can hold them, and which answer was the last they heard.

    Raises ValueError where nothing was answered.
    """
    import numpy as np

    if not observation.history:
        raise ValueError("nothing was answered")
    last = observation.history[-1]
    crowd = Memory().heard(replace(observation, step_history=(), day=last.day, slot=last.slot), anyone())
    points = (np.arange(KEPT) + 0.5) / KEPT
    kept = np.minimum(np.searchsorted(np.cumsum(crowd.weights()), points), CROWD - 1)
    return {
        "people": _plain(crowd.people[:, kept]),
        "meters": _plain(crowd.meters[:, kept]),
        "through": last.at.isoformat(),
        "day": last.day,
        "slot": int(last.slot),
        "answers": len(observation.history),
    }


def _plain(values: Array) -> list[list[float]]:
    return [[round(float(x), 4) for x in row] for row in values]


def crowd_of(prior: Mapping[str, Any]) -> Crowd:
    """Supposed people as a prior has them. Raises ValueError for what is no prior."""
    import numpy as np

    try:
        people, meters = np.array(prior["people"], dtype=float), np.array(prior["meters"], dtype=np.float32)
        last = Place(datetime.fromisoformat(prior["through"]), int(prior["day"]), int(prior["slot"]))
    except KeyError:
        raise ValueError("that is no prior of this planner") from None
    if people.shape != (SIZE, KEPT) or meters.shape != (METERS, KEPT):
        raise ValueError("that is no prior of this planner")
    crowd = Crowd(within(np.tile(people, CROWD // KEPT)))
    crowd.meters, crowd.last = np.tile(meters, CROWD // KEPT), last
    return crowd


def since(observation: Observation, prior: Mapping[str, Any]) -> Observation:
    """The observation with the answers that the prior has not heard."""
    through = datetime.fromisoformat(prior["through"])
    return replace(observation, history=tuple(one for one in observation.history if one.at > through))
