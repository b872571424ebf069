"""Infer a user's traits by particles, which evidence from meters moves and answers weigh.

Evidence from meters is linear with Gaussian errors, so every particle of the prior is moved to its conditional value.
This is the conditioning of sample paths by Matheron's rule, with the prior's covariance P.

    x + K (y - H x - e) with K = P H' (H P H' + R)^-1

Exact evidence moves all particles to the same point, and none is lost. Answers are not linear. They weigh particles
that live through the answered slots (``responses``, ``particle_filter``), and evidence from meters then moves these.
The true traits are never read. A user's prior keeps the particles after all their answers, so that these answers need
not be processed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.planner.evidence import Row, rows
from policies.planner.particle_filter import Memory
from policies.planner.population import CROWD, SIZE, USUAL, Kind, anybody, column, population, profiles, within
from policies.planner.responses import Particles, Place
from rhythm_env.constants import ARCHETYPES, METERS
from rhythm_env.interface import Meter, Observation
from rhythm_env.profiles import Profiles, archetypes, belief_target

Array = NDArray[np.float64]

PRIOR_PARTICLES = 128  # particles of equal weight, 20 kB. In 24 simulated lives all CROWD particles did no better


@dataclass(frozen=True)
class Posterior:
    """Possible persons ``people`` (18, n), columns of ``population``, with ``weights`` (n,) that add to 1.

    ``crowd`` are the particles after the answers, None for a simulated person, who never answers.
    """

    people: Array
    weights: Array
    crowd: Particles | None = None

    @cached_property
    def beliefs(self) -> Array:
        """The belief (3, n) about social, morning and work that would be true of each particle."""
        return belief_target(profiles(self.people))

    def belief(self) -> tuple[Array, Array]:
        """Return (mean, standard deviation), each of shape (3,), of social, morning and work."""
        return self.moments(self.beliefs)

    def person(self) -> Array:
        """Return the mean person (18,)."""
        return np.asarray(self.people @ self.weights)

    def moments(self, values: Array) -> tuple[Array, Array]:
        """Return (mean, standard deviation), each of shape (m,), over the particles of values (m, n)."""
        mean = values @ self.weights
        spread = np.maximum((values - mean[:, None]) ** 2 @ self.weights, 0.0)
        return mean, np.sqrt(spread)


def prior() -> Posterior:
    """Return the posterior before any evidence: the population, with equal weights."""
    people = population().people
    return Posterior(people, np.full(people.shape[1], 1 / people.shape[1]))


def infer(
    observation: Observation,
    memory: Memory | None = None,
    *,
    three: bool = False,
    whom: Particles | None = None,
    known: bool = False,
) -> Posterior:
    """Return the posterior given everything in an observation. ``memory`` caches earlier slots, None nothing.

    ``whom`` are the particles before any answer. ``three`` keeps the three archetypes, ``known`` the true person.
    """
    if known and whom is not None and not answered(observation):
        return Posterior(whom.people[:, :1], np.ones(1))
    seen = [] if known else rows(observation)
    if not answered(observation) and not three and not known:
        people = moved(population().people, seen)
        return Posterior(people, prior().weights)
    crowd = (memory or Memory()).heard(observation, _archetypes() if three else whom or anyone())
    if seen and not three:
        crowd = crowd.replaced(moved(crowd.people, seen))
    if exact(observation):
        crowd = crowd.copy()
        crowd.meters = np.tile(levels(observation)[:, None].astype(np.float32), len(crowd.logs))
    return Posterior(crowd.people, crowd.weights(), crowd)


def certain(person: Profiles) -> Particles:
    """Return 1,024 particles, which are possible persons, that all equal ``person``. Their meters may later differ."""
    return Particles(np.repeat(column(person), CROWD, axis=1))


@cache
def anyone(size: int = CROWD, kinds: tuple[Kind, ...] = USUAL) -> Particles:
    """Return ``size`` particles, spread over the population, for each kind of people, before any answer."""
    odds, way, seen = (np.repeat(np.array(each, dtype=np.float32), size) for each in zip(*kinds, strict=True))
    found = Particles(np.tile(anybody(size), len(kinds)), len(kinds), way=way, seen=seen)
    found.logs = np.log(odds)
    return found


@cache
def _archetypes() -> Particles:
    three = column(archetypes(list(ARCHETYPES)))
    return Particles(np.repeat(three, CROWD // three.shape[1], axis=1), kinds=three.shape[1])


def exact(observation: Observation) -> bool:
    """Return True if every meter was read without error."""
    states = observation.meters.values()
    return len(states) == len(Meter) and all(state.sd == 0 and state.coverage > 0 for state in states)


def levels(observation: Observation) -> Array:
    """Return the levels (5,) of the observation's meters, ordered as ``Meter``. Raises KeyError without one."""
    return np.array([observation.meters[meter].level for meter in Meter])


def answered(observation: Observation) -> bool:
    """Return True for a user (who answers, or whose meters have errors), False for an exact simulation."""
    return bool(observation.history) or any(state.sd > 0 for state in observation.meters.values())


def moved(people: Array, evidence: Sequence[Row]) -> Array:
    """Return particles of the prior (18, n), conditioned on linear evidence and clipped to the bounds of a person.

    The weights are then scaled to add to 1. Without evidence the particles are returned unchanged.
    """
    if not evidence:
        return people
    known = population()
    design, values, errors = np.zeros((len(evidence), SIZE)), np.empty(len(evidence)), np.empty(len(evidence))
    for at, row in enumerate(evidence):
        design[at, list(row.shares)] = list(row.shares.values())
        values[at], errors[at] = row.value, row.sd
    cross = known.covariance @ design.T
    spread = design @ cross + np.diag(errors**2)
    noise = known.errors[: len(evidence), : people.shape[1]] * errors[:, None]
    found = people + cross @ np.linalg.solve(spread, values[:, None] - design @ people - noise)
    found = np.minimum(np.maximum(found, known.low), known.high)
    found[:METERS] /= found[:METERS].sum(axis=0)
    return np.asarray(found)


def learnt(observation: Observation, kinds: tuple[Kind, ...] = USUAL) -> dict[str, Any]:
    """Return a user's prior in JSON form, learnt from all answers of the observation.

    It holds people (18, 128), their meters and kinds, the place of the last answer, and the number of answers. Raises
    ValueError without answers.
    """
    if not observation.history:
        raise ValueError("nothing was answered")
    last = observation.history[-1]
    crowd = Memory().heard(replace(observation, step_history=(), day=last.day, slot=last.slot), anyone(CROWD, kinds))
    points = (np.arange(PRIOR_PARTICLES) + 0.5) / PRIOR_PARTICLES
    kept = np.minimum(np.searchsorted(np.cumsum(crowd.weights()), points), len(crowd.logs) - 1)
    return {
        "people": _rounded(crowd.people[:, kept]),
        "meters": _rounded(crowd.meters[:, kept]),
        "way": crowd.way[kept].tolist(),
        "seen": _rounded(crowd.seen[None, kept])[0],
        "through": last.at.isoformat(),
        "day": last.day,
        "slot": int(last.slot),
        "answers": len(observation.history),
    }


def _rounded(values: Array) -> list[list[float]]:
    return [[round(float(x), 4) for x in row] for row in values]


def crowd_of(prior: Mapping[str, Any], size: int = CROWD) -> Particles:
    """Return particles made from a prior of 128, each repeated as often as ``size`` holds 128, but at least once.

    Raises ValueError if the prior has another form.
    """
    try:
        people, meters = np.array(prior["people"], dtype=float), np.array(prior["meters"], dtype=np.float32)
        alike = np.ones(PRIOR_PARTICLES)  # in older priors
        way, seen = (np.array(prior.get(name, alike), dtype=np.float32) for name in ("way", "seen"))
        last = Place(datetime.fromisoformat(prior["through"]), int(prior["day"]), int(prior["slot"]))
    except KeyError:
        raise ValueError("that is no prior of this planner") from None
    fits = people.shape == (SIZE, PRIOR_PARTICLES) and meters.shape == (METERS, PRIOR_PARTICLES)
    if not fits or not way.shape == seen.shape == (PRIOR_PARTICLES,):
        raise ValueError("that is no prior of this planner")
    times = max(size // PRIOR_PARTICLES, 1)
    crowd = Particles(within(np.tile(people, times)), way=np.tile(way, times), seen=np.tile(seen, times))
    crowd.meters, crowd.last = np.tile(meters, times), last
    return crowd


def since(observation: Observation, prior: Mapping[str, Any]) -> Observation:
    """Return the observation without the answers that the prior has learnt from."""
    through = datetime.fromisoformat(prior["through"])
    return replace(observation, history=tuple(one for one in observation.history if one.at > through))
