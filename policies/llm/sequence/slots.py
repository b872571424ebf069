"""Make the sequence model's vectors for many people at once, one per completed slot and one of the present."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rhythm_env.constants import (
    CONNECTION_BIAS,
    CRASH_LEVEL,
    CRASH_PENALTY,
    EVENTS,
    GAIN_FLOOR,
    GAIN_SLOPE,
    METERS,
    PROGRESS_BIAS,
    REWARD_SCALE,
    SLOTS,
    STEPS,
)
from rhythm_env.dynamics import ACTIONS, N, P, V, tables

Array = NDArray[Any]
Ints = NDArray[np.intp]

ANSWERS = 3
PER_SLOT = 3 * len(ACTIONS) + 2 * SLOTS + ANSWERS + 4 * METERS + 3
TALLIES = 4 * len(ACTIONS)
PRESENT = SLOTS + STEPS // SLOTS + 2 + 3 * METERS + len(EVENTS) + 2 * METERS + TALLIES + 1
PRECISION = 30.0  # prior precision of a weight, as 1 / 30 is the factor of a Dirichlet(1, 1, 1, 1, 1)'s covariance
SUM_PRECISION = 1e4  # precision of the sum of all weights, which is 1
SEEN_WITHIN = 5e-4  # error of a stated reward, in weighted change


@dataclass(frozen=True, slots=True)
class Slots:
    """Completed slots along the last axis of shape (..., t), oldest first. Integers are -1 where unknown.

    Numbers by meter have the shape (..., t, 5), with ``levels`` before the slot. ``moved`` is the slot of the day to
    which a user moved the recommendation.
    """

    step: Ints
    action: Ints
    levels: Array
    changes: Array
    anomalies: Array
    reward: Array
    refused: Ints
    answer: Ints
    moved: Ints
    stated: bool  # True if changes, anomalies and rewards are known


def one_hot(numbers: Ints, size: int) -> Array:
    return np.asarray((numbers[..., None] == np.arange(size)).astype(np.float32))


def vectors(slots: Slots) -> Array:
    """Return the vector (..., t, PER_SLOT) of each completed slot, scaled to about -1..1."""
    slot = slots.step % SLOTS
    beside = np.concatenate([slots.changes * 5, slots.anomalies * 10, _unexplained(slots)], axis=-1)
    single = np.stack([slots.step / STEPS, _cost_of_company(slots), felt(slots) * 10], axis=-1)
    parts = (
        one_hot(slots.action, len(ACTIONS)),
        one_hot(slots.refused, len(ACTIONS)),
        one_hot(slots.refused, len(ACTIONS)) * (slots.moved >= 0)[..., None],
        one_hot(slot, SLOTS),
        one_hot(slots.moved, SLOTS),
        one_hot(slots.answer, ANSWERS),
        slots.levels,
        beside * slots.stated,
        single * np.array([1.0, slots.stated, slots.stated]),
    )
    found: Array = np.concatenate(parts, axis=-1).astype(np.float32)
    return found


def _neutral(slots: Slots) -> Array:
    """Return the changes (..., t, 5) that the slots' actions make in the meters of a person with neutral traits."""
    effects = tables().effects.transpose(0, 2, 1)[slots.step % SLOTS, slots.action]
    gain = GAIN_FLOOR + GAIN_SLOPE * slots.levels[..., V]
    return np.asarray(effects * np.where(effects > 0, gain[..., None], 1.0))


def _unexplained(slots: Slots) -> Array:
    return np.asarray(np.clip((slots.changes - _neutral(slots) - slots.anomalies) * 20, -3.0, 3.0))


def _cost_of_company(slots: Slots) -> Array:
    usual, company = _neutral(slots)[..., V], tables().social[slots.action] > 0
    return np.where(company, slots.anomalies[..., V] / np.where(company, usual, 1.0), 0.0)


def felt(slots: Slots) -> Array:
    """Return the sum (..., t) of each slot's changes of meters, weighted as the person weights them.

    It is computed from the reward, by the inverse of the simulator's formula.
    """
    crashed = ((slots.levels + slots.changes) < CRASH_LEVEL).any(axis=-1)
    bias = PROGRESS_BIAS * slots.changes[..., P] + CONNECTION_BIAS * slots.changes[..., N] - CRASH_PENALTY * crashed
    found: Array = (slots.reward - bias) / REWARD_SCALE
    return found


def weighed(changes: Array, weighted: Array) -> Array:
    """Return scaled means, then scaled standard deviations (..., 10) of a person's five weights of the meters.

    They are estimated by Bayesian linear regression from r rows of ``changes`` (..., r, 5) and their weighted sums
    ``weighted`` (..., r). Rows of zeros have no effect.
    """
    changes, weighted = np.asarray(changes, dtype=float), np.asarray(weighted, dtype=float)
    known = np.einsum("...rm,...rk->...mk", changes, changes) / SEEN_WITHIN**2
    said = np.einsum("...rm,...r->...m", changes, weighted) / SEEN_WITHIN**2
    spread = np.linalg.inv(known + PRECISION * np.eye(METERS) + SUM_PRECISION)
    mean = np.einsum("...mk,...k->...m", spread, said + PRECISION / METERS + SUM_PRECISION)
    sd = np.sqrt(np.maximum(np.einsum("...mm->...m", spread), 0.0))
    return np.concatenate([2 * np.clip(mean, -0.2, 1.2), 5 * sd], axis=-1)


def tallies(slots: Slots, now: Ints) -> Array:
    """Return log(1 + count) / 3, shape (..., t + 1, TALLIES), of the answers before each slot.

    Counts are of accepted, then refused recommendations by action, at any time and then at the slot of the day given by
    ``now`` (..., t + 1).
    """
    taken = one_hot(np.where(slots.answer == 0, slots.action, -1), len(ACTIONS))
    each = np.concatenate([taken, one_hot(slots.refused, len(ACTIONS))], axis=-1)
    times = one_hot(slots.step % SLOTS, SLOTS)[..., None] * each[..., None, :]
    first = [(0, 0)] * (each.ndim - 2) + [(1, 0)]
    ever = np.pad(np.cumsum(each, axis=-2), [*first, (0, 0)])
    by_time = np.pad(np.cumsum(times, axis=-3), [*first, (0, 0), (0, 0)])
    here = np.take_along_axis(by_time, now[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(np.log1p(np.concatenate([ever, here], axis=-1)).astype(np.float32) / 3)


def present(
    step: Ints, meters: tuple[Array, Array, Array], event: Ints, answers: Any, known: tuple[Array, Array]
) -> Array:
    """Return the vector (..., PRESENT) of the slot to decide, which is number ``step`` (...,) of the week.

    ``meters`` are levels, standard deviations and coverages (..., 5), ``event`` is an index, ``answers`` 1 for users
    who answer, and ``known`` the results of ``weighed`` and ``tallies``.
    """
    (levels, sds, coverages), (weights, told) = meters, known
    total = np.expm1(told[..., : TALLIES // 2] * 3).sum(axis=-1)
    parts = (
        one_hot(step % SLOTS, SLOTS),
        one_hot(step // SLOTS, STEPS // SLOTS),
        np.stack([step / STEPS, np.broadcast_to(answers, step.shape)], axis=-1),
        levels,
        sds * 5,
        coverages,
        one_hot(event - 1, len(EVENTS)),
        weights,
        told,
        np.log1p(total)[..., None] / 5,
    )
    found: Array = np.concatenate(parts, axis=-1).astype(np.float32)
    return found
