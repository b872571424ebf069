"""Make the input of the sequence model: a vector per completed slot, and a vector of the slot to decide.

Each number is added again as a row of small steps, so that a layer can learn any function of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from policies.llm.sequence.slots import ANSWERS, PER_SLOT, PRESENT, TALLIES
from rhythm_env.constants import EVENTS, METERS, SLOTS, SOCIAL, SOLO, STEPS, WORK
from rhythm_env.dynamics import ACTIONS, C, S, V
from rhythm_env.interface import ActionType

Array = NDArray[Any]

HATS = 24  # steps into which a number's range is divided
SLOTS_MAX = 27  # completed slots that are read: a week with the present slot
FIELDS = 5  # positions of a slot: the slot itself, its event and the three digits
ASKING = FIELDS - 1

# (columns, lowest, highest) of the numbers in ``slots.vectors``
_LEVELS = 3 * len(ACTIONS) + 2 * SLOTS + ANSWERS
_CHANGES, _ANOMALIES, _UNEXPLAINED = (_LEVELS + METERS * k for k in (1, 2, 3))
_SINGLE = _LEVELS + 4 * METERS
PAST_NUMBERS = (
    (range(_LEVELS, _LEVELS + METERS), 0.0, 1.0),
    (range(_CHANGES, _CHANGES + METERS), -1.2, 1.2),
    (range(_ANOMALIES, _ANOMALIES + METERS), -1.4, 1.4),
    (range(_UNEXPLAINED, _UNEXPLAINED + METERS), -3.0, 3.0),
    (range(_SINGLE + 1, _SINGLE + 2), -1.0, 2.5),
    (range(_SINGLE + 2, _SINGLE + 3), -1.5, 1.5),
)
# and in ``slots.present``
_NOW = SLOTS + STEPS // SLOTS + 2
WEIGHT_COLUMN = _NOW + 3 * METERS + len(EVENTS)  # first column of the five weights and their deviations
PRESENT_NUMBERS = (
    (range(_NOW, _NOW + METERS), 0.0, 1.0),
    (range(_NOW + METERS, _NOW + 2 * METERS), 0.0, 1.2),
    (range(_NOW + 2 * METERS, _NOW + 3 * METERS), 0.0, 1.0),
    (range(WEIGHT_COLUMN, WEIGHT_COLUMN + METERS), -0.4, 1.6),
    (range(WEIGHT_COLUMN + METERS, WEIGHT_COLUMN + 2 * METERS), 0.0, 0.9),
)
TOLD = slice(PRESENT - 1 - TALLIES, PRESENT)


def _count(numbers: tuple[tuple[range, float, float], ...]) -> int:
    return sum(len(columns) for columns, _, _ in numbers)


ANOMALY_COLUMNS = 16
PAST = PER_SLOT + HATS * _count(PAST_NUMBERS) + ANOMALY_COLUMNS
RATES = 2 * len(ACTIONS) + 1
NOW = PRESENT + HATS * _count(PRESENT_NUMBERS) + RATES
USUAL, AS_MANY = 0.4, 2.0  # share of advice that is taken, and the number of answers that it counts as


def past(slots: Array) -> Array:
    """Return the input vectors (..., PAST) of completed slots, given as vectors of ``slots.vectors``."""
    return np.concatenate([_with_hats(slots, PAST_NUMBERS), _shown(slots)], axis=-1)


def _shown(slots: Array) -> Array:
    """Return a slot's differences from a neutral person, by kind of action (..., ANOMALY_COLUMNS), about -1 to 1."""
    action, slot = slots[..., : len(ACTIONS)], slots[..., 3 * len(ACTIONS) : 3 * len(ACTIONS) + SLOTS]
    odd = slots[..., _ANOMALIES : _ANOMALIES + METERS]
    social, work, solo, exercise, binge = (
        sum(action[..., ACTIONS.index(one)] for one in kind)
        for kind in (SOCIAL, WORK, SOLO, (ActionType.EXERCISE,), (ActionType.BINGE_WATCH,))
    )
    morning, evening = work * slot[..., 0], work * (slot[..., 2] + slot[..., 3])
    shown = (
        social * slots[..., _SINGLE + 1] / 2,
        social * odd[..., S] * 2,
        morning * odd[..., C] * 2,
        evening * odd[..., C] * 2,
        work * odd[..., V] * 2,
        work * odd[..., S],
        solo * odd[..., S],
        exercise * odd[..., S] * 3,
        binge * odd[..., S],
        slots[..., _UNEXPLAINED + V] * 2,
    )
    return np.stack([*shown, social, work, morning, evening, solo, exercise], axis=-1).astype(np.float32)


def now(present: Array) -> Array:
    """Return the input vector (..., NOW) of the slot to decide, given as the vector of ``slots.present``."""
    return np.concatenate([_with_hats(present, PRESENT_NUMBERS), rates(present)], axis=-1)


def rates(present: Array) -> Array:
    """Return the shares of advice that was taken (..., RATES), given the vector of ``slots.present``.

    They are the share of all, of each action, and of it at this hour, shrunk towards the wider kind.
    """
    counts = np.expm1(3 * present[..., TOLD][..., :TALLIES]).reshape(*present.shape[:-1], 2, 2, len(ACTIONS))
    ever, here = counts[..., 0, :, :], counts[..., 1, :, :]  # (..., taken or refused, action)
    of_all = _drawn_to(USUAL, ever.sum(axis=-1, keepdims=True))
    of_each = _drawn_to(of_all, ever)
    of_here = _drawn_to(of_each, here)
    found = [of_all - USUAL, of_each - of_all, of_here - of_each]
    return (4 * np.concatenate(found, axis=-1)).astype(np.float32)


def _drawn_to(wider: Array | float, counts: Array) -> Array:
    taken, refused = counts[..., 0, :], counts[..., 1, :]
    return (taken + AS_MANY * wider) / (taken + refused + AS_MANY)


def _with_hats(values: Array, numbers: tuple[tuple[range, float, float], ...]) -> Array:
    parts = [values]
    for columns, low, high in numbers:
        some = np.clip(values[..., columns.start : columns.stop], low, high)
        at = (some - np.float32(low)) * np.float32((HATS - 1) / (high - low))
        hats = np.maximum(1 - np.abs(at[..., None] - np.arange(HATS, dtype=np.float32)), 0)
        parts.append(hats.reshape(*values.shape[:-1], HATS * len(columns)))
    return np.concatenate(parts, axis=-1)
