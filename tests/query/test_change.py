"""The clearest change of a daily series is found with its begin, and chance alone is none."""

from __future__ import annotations

import random

from bridge.query.change import change


def series(rng: random.Random, days: int, correlation: float) -> list[float | None]:
    found = [rng.gauss(0, 1)]
    for _ in range(days - 1):
        found.append(correlation * found[-1] + rng.gauss(0, (1 - correlation**2) ** 0.5))
    return [0.7 + 0.05 * value for value in found]


def test_chance_is_hardly_ever_a_change() -> None:
    rng = random.Random(1)
    assert sum(change(series(rng, 60, 0.5)) is not None for _ in range(60)) <= 2


def test_a_bad_week_is_found_with_its_begin_and_size() -> None:
    rng = random.Random(2)
    held = 0
    for _ in range(20):
        days = series(rng, 60, 0.3)
        days[30:40] = [None if value is None else value - 0.25 for value in days[30:40]]
        days[12] = None
        found = change(days)
        assert found is not None
        assert abs(found.begin - 30) <= 2
        assert abs(found.end - 40) <= 2
        held += found.earliest <= 30 <= found.latest and abs(found.shift + 0.25) <= found.error
    assert held >= 16


def test_a_change_that_lasts_and_too_few_days() -> None:
    days = [0.7 + 0.01 * (day % 3) + (0.15 if day >= 40 else 0.0) for day in range(60)]
    found = change(days)
    assert found is not None
    assert (found.begin, found.end, found.lasts) == (40, 60, True)
    assert change(days[:15]) is None
