"""The data set LifeSnaps (CC BY 4.0), four months of 71 people with a Fitbit and reports of mood several times a day.

A prompt is one word out of seven, coded as in the published run. Valence is +1 for ALERT, HAPPY, RESTED/RELAXED, 0 for
NEUTRAL and -1 for SAD, TENSE/ANXIOUS, TIRED. Energy is +1 for ALERT, HAPPY, RESTED/RELAXED and -1 for TIRED. Calm is +1
for RESTED/RELAXED and -1 for TENSE/ANXIOUS. All else is 0, and a day is the mean of its prompts.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

from lab.validation import table
from lab.validation.cohort import Cohort

DAILY, PROMPTS = "daily_fitbit_sema_df_unprocessed.csv", "semas_prompts.csv"
GLAD = ("ALERT", "HAPPY", "RESTED/RELAXED")
CODINGS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "energy": (GLAD, ("TIRED",)),
    "valence": (GLAD, ("SAD", "TENSE/ANXIOUS", "TIRED")),
    "calm": (("RESTED/RELAXED",), ("TENSE/ANXIOUS",)),
}
COLUMNS = {
    "minutesAsleep": ("asleep_min", 1.0),
    "minutesAwake": ("awake_min", 1.0),
    "sleep_duration": ("in_bed_min", 1 / 60_000),  # milliseconds
    "rmssd": ("hrv_rmssd_ms", 1.0),
    "resting_hr": ("resting_hr_bpm", 1.0),
    "steps": ("steps", 1.0),
    "stress_score": ("stress_fitbit", 1.0),
    "sleep_points_percentage": ("vendor_sleep_score", 100.0),
}
ZERO_IS_MISSING = frozenset({"rmssd", "stress_score", "sleep_points_percentage"})  # Fitbit's mark of a day not scored
ASSUMED = (
    "no clock times: every night is taken to be from 23:00 to 07:00, so that regularity tells no two nights apart",
    "prompts came all day: the meters are read at noon, from that day's night and the steps of the day before",
    "stages come as ratios to the person's own 30-day mean, not as shares: not used",
    "the vendor's sleep score is the sleep part of Fitbit's stress management score",
)


def read(folder: Path) -> Cohort:
    """Return the cohort in a folder that holds the files DAILY and PROMPTS."""
    answers = _answers(_rows(folder / PROMPTS))
    rows: dict[tuple[str, str], dict[str, str]] = {}
    doubled = []
    for line in _rows(folder / DAILY):
        row = {"person": line.get("id", ""), "date": line.get("date", ""), **_measured(line)}
        key = (row["person"], row["date"])
        if key in rows:
            doubled.append(row)
        else:
            rows[key] = row
    for (person, date), reports in answers.items():
        rows.setdefault((person, date), {"person": person, "date": date}).update(reports)
    return table.cohort("LifeSnaps", [*rows.values(), *doubled], assumed=ASSUMED, licence="CC BY 4.0")


def _rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line in csv.DictReader(file):
            yield {key: value.strip() for key, value in line.items() if key and isinstance(value, str)}


def _measured(line: Mapping[str, str]) -> dict[str, str]:
    """Return a row's cells in our units. A cell that is no number stays as it is."""
    found = {}
    for name, (column, factor) in COLUMNS.items():
        text = line.get(name, "")
        value = _float(text)
        if value is None:
            found[column] = text
        elif value or name not in ZERO_IS_MISSING:
            found[column] = repr(value * factor)
    return found


def _answers(prompts: Iterable[Mapping[str, str]]) -> dict[tuple[str, str], dict[str, str]]:
    """Return (person, date) -> report column -> the mean over the day's prompts."""
    found: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for prompt in prompts:
        found.setdefault((prompt.get("id", ""), prompt.get("date", "")), []).append(prompt)
    return {
        key: {f"report_{name}": repr(sum(_coded(p, *w) for p in of_day) / len(of_day)) for name, w in CODINGS.items()}
        for key, of_day in found.items()
    }


def _coded(prompt: Mapping[str, str], good: tuple[str, ...], bad: tuple[str, ...]) -> float:
    said = {word: _float(prompt.get(word, "")) or 0.0 for word in (*good, *bad)}
    return sum(said[word] for word in good) - sum(said[word] for word in bad)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
