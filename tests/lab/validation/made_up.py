"""Made-up cohorts with a known relation between last night and what is reported."""

from __future__ import annotations

import csv
import random
from datetime import date, timedelta

from lab.validation import lifesnaps

FIRST = date(2026, 3, 2)
COLUMNS = (
    *("person", "date", "sleep_onset", "wake", "asleep_min", "in_bed_min", "deep_min", "light_min", "rem_min"),
    *("awake_min", "hrv_rmssd_ms", "resting_hr_bpm", "steps", "vendor_sleep_score", "report_hour"),
    *("report_energy", "report_mood"),
)


def rows(persons=6, days=60, *, noise=0.5, seed=1, hour="9"):
    """Rows of a table: energy is last night's hours and noise, mood is noise alone."""
    rng = random.Random(seed)
    return [
        _row(f"p{person}", FIRST + timedelta(days=k), rng, noise, hour)
        for person in range(persons)
        for k in range(days)
    ]


def _row(person, day, rng, noise, hour):
    z = rng.gauss(0, 1)
    # Around six and a half hours, for hours beyond the need count no further and hide what is planted in them.
    asleep = min(max(390 + 50 * z, 200), 600)
    minutes = round(asleep + 40)
    wake = f"{day}T07:{rng.randrange(10, 50)}"
    onset = f"{day - timedelta(days=1)}T{22 + rng.randrange(2)}:{rng.randrange(10, 50)}"
    return {
        "person": person,
        "date": f"{day}",
        "sleep_onset": onset,
        "wake": wake,
        "asleep_min": f"{asleep:.0f}",
        "in_bed_min": f"{minutes}",
        "deep_min": f"{asleep * 0.18:.0f}",
        "light_min": f"{asleep * 0.6:.0f}",
        "rem_min": f"{asleep * 0.22:.0f}",
        "awake_min": "40",
        "hrv_rmssd_ms": f"{45 * 2.718 ** rng.gauss(0, 0.19):.1f}",
        "resting_hr_bpm": f"{rng.gauss(58, 2):.0f}",
        "steps": f"{rng.randrange(2000, 15000)}",
        "vendor_sleep_score": f"{min(max(77 + rng.gauss(0, 6), 0), 100):.0f}",
        "report_hour": hour,
        "report_energy": f"{z + noise * rng.gauss(0, 1):.2f}",
        "report_mood": f"{rng.randrange(1, 6)}",
    }


def write(path, found, columns=None):
    with path.open("w", encoding="utf-8", newline="") as file:
        lines = csv.DictWriter(file, columns or list(found[0]))
        lines.writeheader()
        lines.writerows(found)
    return path


def lifesnaps_folder(folder, persons=4, days=40, seed=3):
    """A folder in the layout of LifeSnaps: people who slept long mostly say they are rested."""
    rng = random.Random(seed)
    daily, prompts = [], []
    for person in range(persons):
        for k in range(days):
            day = f"{FIRST + timedelta(days=k)}"
            asleep = rng.gauss(400, 60)
            daily.append(_fitbit(f"u{person}", day, asleep, rng))
            words = ("RESTED/RELAXED" if asleep + rng.gauss(0, 30) > 400 else "TIRED" for _ in range(1 + k % 2))
            prompts += [_prompt(f"u{person}", day, word) for word in words]
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / lifesnaps.DAILY, daily)
    write(folder / lifesnaps.PROMPTS, prompts)
    return folder


def _fitbit(person, day, asleep, rng):
    return {
        "id": person,
        "date": day,
        "rmssd": f"{rng.uniform(30, 60):.2f}",
        "minutesAsleep": f"{asleep:.0f}",
        "minutesAwake": "50",
        "sleep_duration": f"{(asleep + 50) * 60_000:.0f}",
        "resting_hr": f"{rng.gauss(62, 2):.1f}",
        "steps": f"{rng.randrange(2000, 15000)}",
        "stress_score": "0.0" if rng.random() < 0.2 else f"{rng.randrange(60, 90)}",
        "sleep_points_percentage": "0.75",
        "badgeType": "ignored",
    }


def _prompt(person, day, word):
    words = ("ALERT", "HAPPY", "NEUTRAL", "RESTED/RELAXED", "SAD", "TENSE/ANXIOUS", "TIRED")
    return {"id": person, "date": day, **{w: int(w == word) for w in words}}
