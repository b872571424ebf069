"""Rank correlation within a person, its distribution under shifted days, and its mean over persons."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

from bridge.advice.intervals import student

if TYPE_CHECKING:
    from lab.validation.columns import Column


LEAST_SHIFT = 7  # days that a shifted report is away from its own day at least
SHIFTS = 500
SEED = 20_261_120
DIGITS = 4


def ranks(values: Column) -> Column:
    """Return ranks from 1 on. Equal values share the mean of their ranks."""
    from scipy.stats import rankdata

    found: Column = rankdata(values)
    return found


def spearman(x: Column, y: Column) -> float | None:
    """Return Spearman's correlation with ties, or None if all values of a column are equal."""
    a, b = _unit(ranks(x)), _unit(ranks(y))
    return None if a is None or b is None else float(a @ b)


def shifted(x: Column, y: Column) -> Column:
    """Return Spearman's correlations of x with y shifted in a circle, for every shift of at least LEAST_SHIFT rows."""
    a, b = _unit(ranks(x)), _unit(ranks(y))
    if a is None or b is None:
        return np.empty(0)
    turned: Column = np.fft.irfft(np.conj(np.fft.rfft(a)) * np.fft.rfft(b), n=len(a))
    return turned[LEAST_SHIFT : len(a) - LEAST_SHIFT + 1]


def null_means(shifts: Sequence[Column]) -> Column:
    """Return SHIFTS means over persons, each of one value per person that is drawn from the person's ``shifts``.

    The random seed is fixed, so the result is always the same.
    """
    draw = np.random.default_rng(SEED)
    chosen = [of_person[draw.integers(0, len(of_person), SHIFTS)] for of_person in shifts]
    means: Column = np.mean(chosen, axis=0)
    return means


def interval(values: Sequence[float]) -> list[float | None]:
    """Return the 95 % interval of the mean over persons by Student's t, [None, None] for a single person."""
    if len(values) < 2:
        return [None, None]
    half = student(len(values) - 1) * stdev(values) / sqrt(len(values))
    return [round(fmean(values) - half, DIGITS), round(fmean(values) + half, DIGITS)]


def _unit(values: Column) -> Column | None:
    """Return the values centred and of length 1, or None if all are equal."""
    centred = values - values.mean()
    length = float(np.sqrt(centred @ centred))
    return centred / length if length > 0 else None
