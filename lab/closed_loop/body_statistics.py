"""Statistics of simulated bodies beside real people's, such as level, spread within and between people, and gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lab.closed_loop.living import Lived
from lab.validation import lifesnaps

Array = NDArray[np.float64]

LEAST = 14  # days of a person that make moments
Series = Mapping[int, float]  # day's ordinal -> value
FIGURES: Mapping[str, tuple[str | None, Callable[[float], float]]] = {  # figure -> LifeSnaps' column, scale
    "hrv (log ms)": ("hrv_rmssd_ms", log),
    "resting_hr (bpm)": ("resting_hr_bpm", float),
    "asleep (min)": ("asleep_min", float),
    "steps (log)": ("steps", log),
    "stress (0-100)": (None, float),  # Garmin's, which LifeSnaps does not have
}


def beside(lives: Iterable[Lived], folder: Path | None) -> list[dict[str, Any]]:
    """Return a row for each figure, of the simulated lives and, if ``folder`` holds LifeSnaps, of real people."""
    simulated = [life.days for life in lives]
    rows = []
    for name, (column, scaled) in FIGURES.items():
        if folder is not None and column is not None:
            rows.append({"figure": name, "cohort": "LifeSnaps", **moments(_real(folder, column, scaled))})
        key = name.partition(" ")[0]
        made = [{int(d["day"]): scaled(d[key]) for d in days if key in d} for days in simulated]
        rows.append({"figure": name, "cohort": "simulated", **moments(made)})
    return rows


def _real(folder: Path, column: str, scaled: Callable[[float], float]) -> list[Series]:
    return [
        {day.date.toordinal(): scaled(day.values[column]) for day in person.days if day.values.get(column, 0) > 0}
        for person in lifesnaps.read(folder).persons
    ]


def moments(people: Sequence[Series]) -> dict[str, float]:
    """Return the mean and standard deviation of people's means, and three medians over people.

    These are the standard deviation within a person, the correlation with the day before, and the share of missing
    days. People with fewer than LEAST days are left out.
    """
    used = [series for series in people if len(series) >= LEAST]
    if not used:
        return {"people": 0}
    means = np.array([np.mean(list(series.values())) for series in used])
    within = [np.std(list(series.values()), ddof=1) for series in used]
    missing = [1 - len(series) / (max(series) - min(series) + 1) for series in used]
    return {
        "people": len(used),
        "mean": float(means.mean()),
        "between": float(means.std()),
        "within": float(np.median(within)),
        "lag 1": float(np.median([_memory(series) for series in used])),
        "missing": float(np.median(missing)),
    }


def _memory(series: Series) -> float:
    pairs = np.array([(value, series[day + 1]) for day, value in series.items() if day + 1 in series])
    return float(np.corrcoef(pairs.T)[0, 1]) if len(pairs) > 2 else 0.0
