"""The best straight line through the meters' inputs, fitted on all persons except the person it is tried on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lab.validation.columns import Column, Columns

RIDGE = 10.0  # set beforehand, worth ten days of data
LEAST_PERSONS = 3


def leave_one_out(people: Sequence[Columns], target: str, usable: Sequence[NDArray[np.bool_]]) -> list[Column] | None:
    """Predict each row of each person by a ridge of the inputs' z-scores, fitted on the usable rows of all other
    persons.

    Reports are standardised within each person first. None below three persons or without inputs.
    """
    import numpy as np

    names = sorted({name for one in people for name in one.inputs})
    if len(people) < LEAST_PERSONS or not names:
        return None
    inputs = [_matrix(one, names) for one in people]
    sides = [_products(x[use], one.targets[target][use]) for one, x, use in zip(people, inputs, usable, strict=True)]
    square, cross = sum(xx for xx, _ in sides), sum(xy for _, xy in sides)
    penalty = RIDGE * np.eye(len(names))
    found: list[Column] = []
    for x, (own_square, own_cross) in zip(inputs, sides, strict=True):
        found.append(x @ np.linalg.solve(square - own_square + penalty, cross - own_cross))
    return found


def _matrix(one: Columns, names: Sequence[str]) -> NDArray[np.float64]:
    import numpy as np

    nothing = np.zeros(len(one.rows))
    return np.stack([one.inputs.get(name, nothing) for name in names], axis=1)


def _products(x: NDArray[np.float64], y: Column) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return X'X and X'y of a person."""
    import numpy as np

    if len(y) < 2 or np.ptp(y) == 0:
        return np.zeros((x.shape[1], x.shape[1])), np.zeros(x.shape[1])
    return x.T @ x, x.T @ ((y - y.mean()) / y.std())
