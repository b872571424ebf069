"""Infer a user's traits by weighted possible persons, called particles.

Evidence from meters is linear with Gaussian errors, so every particle is moved to its conditional value. This is the
conditioning of sample paths by Matheron's rule, with the population's covariance P.

    x + K (y - H x - e) with K = P H' (H P H' + R)^-1

Exact evidence moves all particles to the same point, and none is lost. Answers are not linear and weigh the particles
(``responses``, ``particle_filter``). The true traits are never read.
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
    """Possible persons ``people`` (18, n), columns as in ``population``, with ``weights`` (n,) that add to 1.

    ``crowd`` has their state after the user's answers, and is None for a simulated person, who never answers.
    """

    people: Array
    weights: Array
    crowd: Particles | None = None

    @cached_property
    def beliefs(self) -> Array:
        """The traits social, morning and work (3, n) of each possible person, from 0 to 1."""
        return belief_target(profiles(self.people))

    def belief(self) -> tuple[Array, Array]:
        """Return (mean, standard deviation) of the traits social, morning and work, each of shape (3,), from 0 to 1."""
        return self.moments(self.beliefs)

    def person(self) -> Array:
        """Return the mean person (18,)."""
        return np.asarray(self.people @ self.weights)

    def moments(self, values: Array) -> tuple[Array, Array]:
        """Return (mean, standard deviation) (m,) of values (m, n), weighted by the n possible persons' weights."""
        mean = values @ self.weights
        spread = np.maximum((values - mean[:, None]) ** 2 @ self.weights, 0.0)
        return mean, np.sqrt(spread)


def prior() -> Posterior:
    """Return the population with equal weights, which is the estimate before any evidence."""
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
    """Return possible persons with weights, given the meters, past slots and answers in an observation.

    ``memory`` caches the state after earlier answers. ``whom`` are the particles to begin with, by default those of the
    population. ``three`` uses the published archetypes instead, and ``known`` says that ``whom`` is the true person.
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
    """Return CROWD particles that all are ``person``, but whose simulated meters may differ later."""
    return Particles(np.repeat(column(person), CROWD, axis=1))


@cache
def anyone(size: int = CROWD, kinds: tuple[Kind, ...] = USUAL) -> Particles:
    """Return ``size`` possible persons of the population for each of ``kinds``, before any answer. They are cached."""
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
    """Return the levels (5,) of the meters in the order of ``Meter``. Raises KeyError if a meter is missing."""
    return np.array([observation.meters[meter].level for meter in Meter])


def answered(observation: Observation) -> bool:
    """Return True if the observation has answers or meters with errors, which only a real user's have."""
    return bool(observation.history) or any(state.sd > 0 for state in observation.meters.values())


def moved(people: Array, evidence: Sequence[Row]) -> Array:
    """Return possible persons (18, n), conditioned on linear evidence and limited to the bounds of a person.

    ``people`` must be drawn from the population. Without evidence they are returned unchanged.
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
    """Return possible persons who fit all answers of the observation, as JSON values that ``crowd_of`` reads.

    Raises ValueError if the observation has no answers.
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
    """Return particles made from a result of ``learnt``, repeated to about ``size`` but at least once.

    Raises ValueError if ``prior`` has another form.
    """
    try:
        people, meters = np.array(prior["people"], dtype=float), np.array(prior["meters"], dtype=np.float32)
        alike = np.ones(PRIOR_PARTICLES)  # in older priors
        way, seen = (np.array(prior.get(name, alike), dtype=np.float32) for name in ("way", "seen"))
        last = Place(datetime.fromisoformat(prior["through"]), int(prior["day"]), int(prior["slot"]))
    except KeyError:
        raise ValueError("that is not a prior of this planner") from None
    fits = people.shape == (SIZE, PRIOR_PARTICLES) and meters.shape == (METERS, PRIOR_PARTICLES)
    if not fits or not way.shape == seen.shape == (PRIOR_PARTICLES,):
        raise ValueError("that is not a prior of this planner")
    times = max(size // PRIOR_PARTICLES, 1)
    crowd = Particles(within(np.tile(people, times)), way=np.tile(way, times), seen=np.tile(seen, times))
    crowd.meters, crowd.last = np.tile(meters, times), last
    return crowd


def since(observation: Observation, prior: Mapping[str, Any]) -> Observation:
    """Return the observation without the answers up to ``prior["through"]``, from which the prior was learnt."""
    through = datetime.fromisoformat(prior["through"])
    return replace(observation, history=tuple(one for one in observation.history if one.at > through))
