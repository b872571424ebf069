"""Effects of factors in made-up lives, whose truth is known. ``python -m tests.factors.lives`` runs 200 of them."""

from __future__ import annotations

from datetime import date, timedelta

from bridge.query.effects import Outcome, effects
from tests.factors.lives import found, life, report

FIRST = date(2026, 1, 5)


def test_shuffled_factors_claim_little_and_planted_ones_are_found() -> None:
    told = report(12, first=5_000)
    assert told["false claims of tests"] <= 0.02
    assert told["lives with a false claim"] <= 2 / 12
    assert 0.9 <= told["intervals that hold the truth"] <= 0.995
    assert told["planted effects found at the promised day"] >= 0.6
    assert told["planted effects never told the wrong way"] == 1


def test_a_factor_is_adjusted_for_weekday_and_for_other_factors() -> None:
    """Sleep is long on weekends, and short after coffee alone; wine is drunk on weekends, often with coffee."""
    days = [FIRST + timedelta(days=n) for n in range(300)]
    noise = {day: ((day.toordinal() * 7919) % 101 - 50) / 5 for day in days}
    wine = {day: day.isoweekday() >= 5 and day.toordinal() % 3 != 0 for day in days}
    coffee = {day: (wine[day] and day.toordinal() % 2 == 0) or day.toordinal() % 11 == 0 for day in days}
    asleep = {
        day + timedelta(days=1): 430 + 60 * (day.isoweekday() >= 5) - 30 * coffee[day] + noise[day] for day in days
    }
    outcome = Outcome(name="asleep", unit="min", values=asleep, least=20, usual=60)
    told = {one.factor: one for one in effects({"wine": wine, "coffee": coffee}, [outcome])}
    assert told["coffee"].verdict == "less"
    assert abs((told["coffee"].effect or 0) + 30) < 6
    assert told["wine"].verdict == "not known"
    assert abs(told["wine"].effect or 99) < 6


def test_few_days_give_no_figure_but_say_how_many_are_left() -> None:
    told = found(life(3, 20, shuffled=False))
    assert {one.effect for one in told if one.n_with < 5} == {None}
    assert all(one.days_left > 0 and one.verdict == "not known" for one in told if one.effect is None)


def test_days_left_shrink_as_days_come() -> None:
    one = life(4, 900, shuffled=True)
    left = [
        next(e.days_left for e in found(one, until) if (e.factor, e.on) == ("reading", "asleep"))
        for until in (40, 120, 890)
    ]
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0


def test_what_always_goes_together_is_not_told_apart() -> None:
    one = life(5, 365, shuffled=False)
    twice = {**one.factors, "same": one.factors["alcohol"]}
    told = {e.factor: e for e in effects(twice, one.outcomes[:1], [one.steps])}
    assert told["same"].verdict == told["alcohol"].verdict == "not known"


def test_one_evening_beside_all_fridays_claims_nothing() -> None:
    """A factor of every Friday is told from Fridays by the days of other weekdays alone."""
    days = [FIRST + timedelta(days=n) for n in range(80)]
    fridays = {day for day in days if day.isoweekday() == 5}
    for beside, verdict in ((1, "not known"), (12, "more")):
        others = {day for day in days if day.isoweekday() in (2, 6)}
        company = {day: day in fridays or day in sorted(others)[-beside:] for day in days}
        asleep = {
            day + timedelta(days=1): 450.0 + (day.toordinal() * 7919) % 23 + 70 * (company[day] and day not in fridays)
            for day in days
        }
        (told,) = effects({"company": company}, [Outcome(name="asleep", unit="min", values=asleep, least=20, usual=60)])
        assert told.verdict == verdict
        assert (told.effect is None) == (beside == 1)
        assert (told.days_left > 0) == (verdict == "not known")
