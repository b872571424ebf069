"""The clearest change of a daily series is found with its begin, and chance alone is none."""

from __future__ import annotations

import random

from bridge.query.change import breaks, change


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


def test_no_change_is_told_where_a_sensor_ends_or_begins() -> None:
    rng = random.Random(3)
    watch = [60.0 + rng.gauss(0, 2) if day < 100 else None for day in range(300)]
    level = [0.7 + rng.gauss(0, 0.02) + (0.09 if day >= 100 else 0.0) for day in range(300)]
    found = change(level)
    assert found is not None
    assert abs(found.begin - 100) <= 1
    assert breaks([watch]) == {100}
    assert change(level, breaks([watch])) is None
    level[200:215] = [value + 0.2 for value in level[200:215]]
    found = change(level, breaks([watch]))
    assert found is not None
    assert (abs(found.begin - 200) <= 1, abs(found.end - 215) <= 1, found.lasts) == (True, True, False)


def test_a_break_is_a_long_silence_of_what_is_worn() -> None:
    worn = [50.0 if day % 6 else None for day in range(60)]
    assert breaks([worn, [1.0 if day % 7 == 0 else None for day in range(60)], [None] * 60]) == set()
    assert breaks([[*worn, *[None] * 20, *worn]]) == {60, 81}
