"""Measure how often recommendations that do harm are stopped. Run ``python -m lab.benchmarks.harm [LIVES]``.

Made-up people live slot by slot. Their level and their nights are correlated over time, a draw leaves slots without a
recommendation, and a recommendation may lower the level after its slot. In worlds without harm it changes nothing, or
helps. The first lines give the share of false stops in a year, the others the share of stops within six weeks. 1,000
lives take about two minutes.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass

from bridge.advice.harm import STOPS, Stakes

LIVES = 1000
SIX_WEEKS, YEAR = 42, 365
LOTS_A_WEEK = 140 / 6
TODAY, TWICE = 1 / 7, 2 / 7
HARMS = {TODAY: (0.8, 0.9, 1.0, 1.1, 1.2, 1.3), TWICE: (0.5, 0.6, 0.7, 0.8, 0.9)}
WANTED = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The probability of a slot without a recommendation, the harm of one in standard deviations, and the days."""

    silence: float
    harm: float
    days: int = SIX_WEEKS


def stopped(world: World, seed: int) -> bool:
    """Simulate a life and return True if the product would stop its recommendations."""
    rng = random.Random(f"{world}/{seed}")
    stakes, follows, of_nights = Stakes(), rng.uniform(0, 0.9), rng.uniform(0, 0.5)
    level, night, before = rng.gauss(0, 1), rng.gauss(0, 1), 0.0
    owed = 0.0
    for _ in range(world.days):
        excesses = []
        owed += LOTS_A_WEEK / 7
        while owed >= 1:
            owed -= 1
            given = rng.random() >= world.silence
            level = follows * level + rng.gauss(0, 1) * (1 - follows**2) ** 0.5
            after = level - world.harm * given
            excesses.append(given - (1 - world.silence))
            stakes.levels.add(excesses[-1], before, after)
            before = after
        last, night = night, of_nights * night + rng.gauss(0, 1) * (1 - of_nights**2) ** 0.5
        stakes.nights.add(sum(excesses) / len(excesses), last, night)
        if stakes.now >= STOPS:
            return True
    return False


def share(world: World, lives: int) -> float:
    return sum(stopped(world, seed) for seed in range(lives)) / lives


def main(lives: int) -> None:
    print("| silence | harm, in sd of level | days | advice stopped |")
    print("|---|---|---|---|")
    for silence in (TODAY, TWICE):
        for harm in (0.0, -0.5):
            world = World(silence=silence, harm=harm, days=YEAR)
            print(f"| {silence:.0%} | {harm:g} | {YEAR} | {share(world, lives):.1%} |", flush=True)
    for silence, harms in HARMS.items():
        least = None
        for harm in harms:
            found = share(World(silence=silence, harm=harm), lives)
            least = harm if least is None and found >= WANTED else least
            print(f"| {silence:.0%} | {harm:g} | {SIX_WEEKS} | {found:.1%} |", flush=True)
        print(f"Least harm that stops advice within six weeks for {WANTED:.0%}, at {silence:.0%} silence: {least} sd.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else LIVES)
