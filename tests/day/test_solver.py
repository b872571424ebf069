"""The solver against every possible answer of small days."""

import random
from itertools import product

import pytest

from bridge.day import plan
from bridge.day.plan import Place, fits, solve, total

MOST = {"suggested": 2, "task": 2}


def small_day(seed):
    """Up to five candidates with three places each, on a day of 60 cells."""
    rng = random.Random(seed)
    found = []
    for choice in range(rng.randint(1, 5)):
        kind, length = rng.choice(["suggested", "task"]), rng.randint(3, 12)
        for start in rng.sample(range(60 - length), 3):
            value = round(rng.uniform(-1, 4), 2)
            found.append(
                Place(choice=choice, kind=kind, start=start, end=start + length, value=value, group=start // 20)
            )
    return found


def apart(one, other):
    first, last = sorted((one, other), key=lambda place: place.start)
    same_slot = one.kind == other.kind == "suggested" and one.group == other.group
    return last.start - first.end >= 4 and not same_slot


def best_of_all(places):
    by_choice = {}
    for one in places:
        by_choice.setdefault(one.choice, [None]).append(one)
    best = 0.0
    for picked in product(*by_choice.values()):
        chosen = [one for one in picked if one is not None and one.value > 0]
        if all(fits(one, chosen[:at], MOST, apart) for at, one in enumerate(chosen)):
            best = max(best, total(chosen))
    return best


@pytest.mark.parametrize("seed", range(200))
def test_no_other_answer_of_a_small_day_is_better(seed):
    places = small_day(seed)
    chosen = solve(places, MOST, apart)
    assert all(fits(one, chosen[:at], MOST, apart) for at, one in enumerate(chosen))
    assert total(chosen) == pytest.approx(best_of_all(places))


def test_without_the_search_some_answers_are_worse(monkeypatch):
    """The planted fault: the first answer of the search is not always the best, so the comparison can fail."""
    monkeypatch.setattr(plan, "NODES", 4)
    assert any(total(solve(small_day(seed), MOST, apart)) < best_of_all(small_day(seed)) - 0.01 for seed in range(200))


def test_a_large_day_is_settled_in_bounded_steps():
    rng = random.Random(1)
    places = [
        Place(choice=k, kind="suggested", start=s, end=s + 9, value=rng.uniform(1, 1.1), group=s // 72)
        for k, s in product(range(14), range(0, 200, 5))
    ]
    assert len(solve(places, {"suggested": 3}, apart)) == 3
