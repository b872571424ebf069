"""A simulated body whose nights and days follow a person's hidden energy and calm, in no vendor's format.

Levels, their spread between and within people, and the correlation of a day with the day before are those of LifeSnaps
(71 people, shown by `bridge live --moments FOLDER`). The correlation of a night's figures with the hidden state is
drawn for each person from the range measured on people, so the figures mostly show the night itself.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from lab.evaluation.deployed import AGREEMENT, FURTHEST, VALIDITY
from lab.people.nights import BASE_NEED, Night, new_id

DAY = timedelta(days=1)
# mean, spread between people, spread within a person, lag-1 correlation (LifeSnaps; lengths and heart as they are, the
# others' logarithm)
HRV = (3.62, 0.40, 0.24, 0.28)
RESTING_HR = (65.9, 6.7, 2.2, 0.86)
ASLEEP = (395.0, 40.0, 75.0, 0.0)  # minutes
STEPS = (8.80, 0.42, 0.75, 0.10)
STRESS = (33.0, 7.0, 8.0, 0.30)  # Garmin's 0-100 over a whole day: a proposal, LifeSnaps has Fitbit's only
AWAKE = 0.125  # of the time in bed
MISSING = 0.12  # of nights, in the middle
WAKING = 6 * 60 + 50  # minutes after midnight on a working day, in the middle
EARLIEST, LATEST = 6 * 60 + 5, 9 * 60 + 30  # nobody wakes in another slot than the morning
LATE_NIGHT, JET_LAG = 40.0, 35.0  # minutes of sleep that an evening spent otherwise, or the first nights away, take
TRAINED = 0.35  # of a day's spread, what exercise adds to the logarithm of the steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Tone:
    """The state of the person at waking, which shapes the body's figures.

    ``energy`` and ``calm`` are deviations from the person's own normal, in standard deviations.
    """

    energy: float
    calm: float
    turned_in: bool  # slept when it was time to
    trained: bool  # exercised the day before
    away: bool  # in the first nights of a journey


@dataclass(frozen=True, slots=True, kw_only=True)
class Morning:
    """The figures of a morning, for the night and the day before it. ``worn`` is False if the band was off."""

    night: Night
    worn: bool
    steps: int
    stress: float


@dataclass(slots=True)
class Body:
    """A person's body. Each night has random numbers of its own, so lives with one ``seed`` differ only by actions."""

    seed: int
    validity: float = field(init=False)
    usual: dict[str, float] = field(init=False)
    missing: float = field(init=False)
    _waves: dict[str, float] = field(default_factory=dict)  # what is left of yesterday, by figure

    def __post_init__(self) -> None:
        rng = random.Random(f"body/{self.seed}")
        self.validity = rng.uniform(*VALIDITY)
        self.missing = min(max(rng.gauss(MISSING, 0.06), 0.02), 0.35)
        heart = rng.gauss(0, 1)
        self.usual = {
            "hrv": math.exp(HRV[0] + HRV[1] * heart),
            "resting_hr": RESTING_HR[0] + RESTING_HR[1] * (0.8 * rng.gauss(0, 1) - 0.6 * heart),
            "asleep": rng.gauss(*ASLEEP[:2]),
            "steps": rng.gauss(*STEPS[:2]),
            "stress": rng.gauss(*STRESS[:2]),
            "waking": WAKING + rng.gauss(0, 20),
        }

    def morning(self, day: date, zone: ZoneInfo, tone: Tone) -> Morning:
        """Return the night that ends on ``day``, and figures of the day before. Call it for days in ascending order."""
        rng = random.Random(f"body/{self.seed}/{day}")
        energy, calm = (self._felt(value, rng) for value in (tone.energy, tone.calm))
        rested = self._figure("asleep", energy, ASLEEP[3], rng)
        heart = self._figure("hrv", (energy + calm) / math.sqrt(2), HRV[3], rng)
        pulse = self._figure("resting_hr", -(energy + calm) / math.sqrt(2), RESTING_HR[3], rng)
        lost = LATE_NIGHT * (not tone.turned_in) + JET_LAG * tone.away
        asleep = min(max(self.usual["asleep"] + ASLEEP[2] * rested + 12 - lost, 150.0), 640.0)
        moved = self._figure("steps", energy, STEPS[3], rng)
        walked = self.usual["steps"] + STEPS[2] * (moved + TRAINED * tone.trained)
        tension = self.usual["stress"] + STRESS[2] * self._figure("stress", -calm, STRESS[3], rng)
        return Morning(
            night=self._night(day, zone, asleep, heart, pulse, rng),
            worn=rng.random() >= self.missing,
            steps=round(math.exp(walked)),
            stress=min(max(tension, 5.0), 95.0),
        )

    def _felt(self, z: float, rng: random.Random) -> float:
        z = min(max(z, -FURTHEST), FURTHEST)
        return self.validity * z + math.sqrt(1 - self.validity**2) * rng.gauss(0, 1)

    def _figure(self, name: str, felt: float, memory: float, rng: random.Random) -> float:
        """Return a figure's deviation from the person's usual, in standard deviations.

        It combines ``felt``, a random error, and the share ``memory`` of the day before.
        """
        fresh = AGREEMENT * felt + math.sqrt(1 - AGREEMENT**2) * rng.gauss(0, 1)
        before = self._waves.get(name, fresh)
        self._waves[name] = memory * before + math.sqrt(1 - memory**2) * fresh
        return self._waves[name]

    def _night(self, day: date, zone: ZoneInfo, asleep: float, heart: float, pulse: float, rng: random.Random) -> Night:
        free = 50 if day.weekday() >= 5 else 0
        up = min(max(self.usual["waking"] + free + rng.gauss(0, 18), EARLIEST), LATEST)
        end = (datetime.combine(day, time(), zone) + timedelta(minutes=round(up, 1))).astimezone(UTC)
        awake = asleep * AWAKE / (1 - AWAKE) * math.exp(rng.gauss(0, 0.25))
        return Night(
            day=day,
            start=end - timedelta(minutes=round(asleep + awake, 1)),
            end=end,
            sleep_id=new_id(rng),
            cycle_id=700_000_000 + day.toordinal(),
            scored=True,
            awake=awake,
            deep_share=min(max(rng.gauss(0.18, 0.03), 0.08), 0.30),
            rem_share=min(max(rng.gauss(0.22, 0.03), 0.12), 0.32),
            debt=min(max(0.4 * (BASE_NEED - asleep), 0.0), 90.0),
            strain_need=min(max(rng.gauss(14, 6), 0.0), 40.0),
            consistency=min(max(rng.gauss(78, 8), 30.0), 100.0),
            hrv=min(max(self.usual["hrv"] * math.exp(HRV[2] * heart), 8.0), 240.0),
            resting_hr=min(max(self.usual["resting_hr"] + RESTING_HR[2] * pulse, 34.0), 105.0),
            breaths=14.6 + rng.gauss(0, 0.3),
            spo2=min(rng.gauss(96.4, 0.5), 99.5),
            skin=rng.gauss(33.4, 0.2),
            stress=max(0.0, 0.25 - 0.1 * heart),
        )
