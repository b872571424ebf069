"""Weights of an entry's context facts per action, learnt from labelled entries of public calendars.

The weights correct the titles' probabilities. Regularisation is so strong that held-out people keep their right
titles. ``leanings.tsv`` stores the weights, because the calendars are no part of the project.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from classifiers.linear import CLASSES
from classifiers.linear.context import FACTS, table
from lab.classifier.corpus import CORPUS, Titled, rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KEPT = CORPUS / "leanings.tsv"
CAUTION = 20.0  # weight of the squared leanings against an entry's surprise
LEAST = 1e-6


def leanings(path: Path = KEPT) -> NDArray[np.float32]:
    """Return the kept leanings (fact, action). A fact without a line has none."""
    import numpy as np

    kept = {row["fact"]: [float(row[name]) for name in CLASSES] for row in rows(path)}
    return np.array([kept.get(fact, [0.0] * len(CLASSES)) for fact in FACTS], dtype=np.float32)


def learnt(entries: Sequence[Titled], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the leanings that make the entries' labels most likely, beside the titles' probabilities ``shares``.

    A person with many entries weighs less than their number, by its root.
    """
    import numpy as np
    from scipy.optimize import minimize

    shown, logs = table([one.event for one in entries]), np.log(shares + LEAST)
    truth = np.eye(len(CLASSES))[[CLASSES.index(one.action) for one in entries]]
    weights = _by_person(entries)

    def surprise(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = logs + shown @ flat.reshape(len(FACTS), -1)
        said = np.exp(scores - np.logaddexp.reduce(scores, axis=1)[:, None])
        missed = -(weights * np.log((said * truth).sum(axis=1))).sum()
        slope = shown.T @ ((said - truth) * weights[:, None])
        return float(missed + CAUTION * (flat**2).sum()), slope.ravel() + 2 * CAUTION * flat

    start = np.zeros(len(FACTS) * len(CLASSES))
    found: NDArray[np.float64] = minimize(surprise, start, jac=True, method="L-BFGS-B").x.reshape(len(FACTS), -1)
    return found


def _by_person(entries: Sequence[Titled]) -> NDArray[np.float64]:
    """Return a weight per entry, the inverse root of the number of its person's entries, with a mean of 1."""
    import numpy as np

    people = [one.person for one in entries]
    weights = np.array([people.count(person) ** -0.5 for person in people])
    found: NDArray[np.float64] = weights / weights.mean()
    return found


def keep(found: NDArray[np.float64], path: Path = KEPT) -> None:
    """Write leanings to their table, to two digits."""
    lines = ["\t".join(["fact", *CLASSES])]
    lines += ["\t".join([fact, *(f"{value:.2f}" for value in row)]) for fact, row in zip(FACTS, found, strict=True)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
