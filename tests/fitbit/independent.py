"""An export of Fitbit's files read by pandas alone, and what is imported of it held against that, cell by cell.

``python -m tests.fitbit.independent FOLDER ZONE`` prints the table that stands in ``docs/sources/fitbit.md``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bridge import installation
from bridge.config import load
from bridge.ingest import runs
from bridge.store import Store
from tests.world import NOW, contents

NEAR = 1e-6
MILE, KILOMETRE = 1609.344, 1000.0
Cells = dict[tuple[str, ...], float]  # (what, when) -> value
FILES = {  # what -> (pattern, column of the time, column of the value) of Fitbit, and of Google where Fitbit has none
    "hrv_rmssd": (
        ("Daily Heart Rate Variability Summary*.csv", "timestamp", "rmssd"),
        ("daily_heart_rate_variability*.csv", "timestamp", "average heart rate variability milliseconds"),
    ),
    "respiratory_rate": (
        ("Daily Respiratory Rate Summary*.csv", "timestamp", "daily_respiratory_rate"),
        ("[Rr]espiratory Rate Summary*.csv", "timestamp", "full_sleep_breathing_rate"),
        ("daily_respiratory_rate*.csv", "timestamp", "breaths per minute"),
    ),
    "spo2": (
        ("Daily SpO2*.csv", "timestamp", "average_value"),
        ("daily_oxygen_saturation*.csv", "timestamp", "average percentage"),
    ),
    "skin_temperature": (
        ("Computed Temperature*.csv", "sleep_end", "nightly_temperature"),
        ("daily_sleep_temperature_derivations*.csv", "timestamp", "nightly temperature celsius"),
    ),
    "recovery_score": (
        ("Daily Readiness Score*.csv", "date", "readiness_score_value"),
        ("daily_readiness*.csv", "timestamp", "score"),
    ),
}
MINUTES = {"steps": ("steps", 1.0), "distance": ("distance", 0.01), "total_energy": ("calories", 1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Count the cells with equal values, with different values, and of one side only."""

    what: str
    equal: int
    different: int
    only_pandas: int
    only_bridge: int


def tables(folder: Path, pattern: str) -> pd.DataFrame:
    """All CSV files of a pattern as one table of texts."""
    found = [pd.read_csv(place, dtype=str) for place in sorted(folder.rglob(pattern)) if place.stat().st_size]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def rows(folder: Path, pattern: str) -> list[dict[str, Any]]:
    """The rows of all JSON files of a pattern."""
    return [row for place in sorted(folder.rglob(pattern)) for row in json.loads(place.read_text(encoding="utf-8"))]


def by_pandas(folder: Path, zone: str) -> Cells:
    """Return the cells of an export, read with pandas."""
    cells: Cells = {}
    for part in (daily(folder), resting(folder), stress(folder), nights(folder, zone), workouts(folder)):
        cells.update(part)
    for metric in MINUTES:
        cells.update(sums(folder, metric, zone))
    cells.update(pulses(folder))
    return cells


def daily(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    for metric, kinds in FILES.items():
        told: dict[str, float] = {}
        for pattern, at, value in kinds:
            table = tables(folder, pattern)
            if table.empty:
                continue
            numbers = pd.to_numeric(table[value])
            if "temperature_samples" in table:
                order = pd.to_numeric(table["temperature_samples"]).sort_values(ascending=False, kind="stable").index
                table, numbers = table.loc[order], numbers.loc[order]
            first = pd.Series(numbers.to_numpy(), index=table[at].str[:10]).dropna()
            first = first[first > 0]
            told = {**first[~first.index.duplicated()].to_dict(), **told}
        yield from (((metric, day), value) for day, value in told.items())


def resting(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    told = tables(folder, "daily_resting_heart_rate*.csv")
    found = (
        {} if told.empty else dict(zip(told["timestamp"].str[:10], told["beats per minute"].astype(float), strict=True))
    )
    for row in rows(folder, "resting_heart_rate-*.json"):
        if row["value"]["value"]:
            found[str(pd.to_datetime(row["dateTime"], format="%m/%d/%y %H:%M:%S").date())] = row["value"]["value"]
    yield from ((("resting_hr", day), value) for day, value in found.items())


def stress(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    table = tables(folder, "Stress Score.csv")
    if table.empty:
        return
    made = table[table["STATUS"].str.startswith("READY") & (table["CALCULATION_FAILED"] == "false")]
    made = made[made["STRESS_SCORE"].astype(float) > 0]
    yield from (
        (("stress_management", day[:10]), float(s)) for day, s in zip(made["DATE"], made["STRESS_SCORE"], strict=True)
    )


def nights(folder: Path, zone: str) -> Iterator[tuple[tuple[str, ...], float]]:
    """Every log of a sleep by its name, with its times as seconds since 1970."""
    for row in rows(folder, "sleep-*.json"):
        kind = "sleep" if row["mainSleep"] else "nap"
        told = {"asleep": row["minutesAsleep"], "awake": row["minutesAwake"], "in_bed": row["timeInBed"]}
        told["sleep_efficiency"] = row["efficiency"]
        if row["type"] == "stages":
            summary = row["levels"]["summary"]
            told |= {f"{stage}_sleep": summary[stage]["minutes"] for stage in ("light", "deep", "rem")}
        for end in ("start", "end"):
            told[end] = pd.Timestamp(row[f"{end}Time"]).tz_localize(zone, ambiguous=True).timestamp()
        yield from (((kind, str(row["logId"]), name), float(value)) for name, value in told.items())
    scores = tables(folder, "sleep_score.csv")
    if not scores.empty:
        for _, score in scores.dropna(subset=["overall_score"]).iterrows():
            yield ("sleep_score", score["timestamp"][:10], score["sleep_log_entry_id"]), float(score["overall_score"])


def workouts(folder: Path) -> Iterator[tuple[tuple[str, ...], float]]:
    for row in rows(folder, "exercise-*.json"):
        start = pd.to_datetime(row["startTime"], format="%m/%d/%y %H:%M:%S").tz_localize("UTC").timestamp()
        told = {"start": start, "end": start + row["duration"] / 1000, "total_energy": row.get("calories")}
        told["heart_rate"] = row.get("averageHeartRate")
        if row.get("distanceUnit"):
            told["distance"] = row["distance"] * {"Mile": MILE, "Kilometer": KILOMETRE}[row["distanceUnit"]]
        yield from (((f"workout {name}", str(row["logId"])), float(value)) for name, value in told.items() if value)


def sums(folder: Path, metric: str, zone: str) -> Iterator[tuple[tuple[str, str], float]]:
    """The sum of each day of the zone's clock: of Fitbit's minutes, else of the device of Google's with the most."""
    stem, factor = MINUTES[metric]
    found: dict[str, float] = {}
    table = tables(folder, f"{stem}_[0-9]*.csv")
    if not table.empty:
        days = pd.to_datetime(table["timestamp"], format="ISO8601", utc=True).dt.tz_convert(zone).dt.date.astype(str)
        device = table["data source"] if "data source" in table else pd.Series("?", index=table.index)
        per_device = pd.to_numeric(table[stem]).groupby([days, device.fillna("?")]).sum()
        found |= per_device.groupby(level=0).max().to_dict()
    minutes = pd.DataFrame(rows(folder, f"{stem}-[0-9]*.json"))
    if not minutes.empty:
        times = pd.to_datetime(minutes["dateTime"], format="%m/%d/%y %H:%M:%S", utc=True).dt.tz_convert(zone)
        by_day = (minutes["value"].astype(float) * factor).groupby(times.dt.date.astype(str)).sum()
        found |= by_day[by_day > 0].to_dict()
    yield from (((metric, day), round(value, 6)) for day, value in found.items() if value > 0)


def pulses(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    """The mean heart rate of each quarter of an hour: of Fitbit's readings, else of Google's."""
    found: dict[pd.Timestamp, float] = {}
    for place in sorted(folder.rglob("heart_rate_[0-9]*.csv")):
        table = pd.read_csv(place)
        times = pd.to_datetime(table["timestamp"], format="ISO8601", utc=True).dt.floor("15min")
        found |= table["beats per minute"].groupby(times).mean().to_dict()
    for place in sorted(folder.rglob("heart_rate-[0-9]*.json")):
        told = json.loads(place.read_text(encoding="utf-8"))
        if told:
            readings = pd.Series([row["value"]["bpm"] for row in told])
            at = pd.to_datetime(pd.Series([row["dateTime"] for row in told]), format="%m/%d/%y %H:%M:%S", utc=True)
            found |= readings.groupby(at.dt.floor("15min")).mean().to_dict()
    yield from ((("heart_rate", at.isoformat()), value) for at, value in found.items())


def by_bridge(folder: Path, zone: str) -> Cells:
    """Return the bridge's cells after an import. Check that a second import finds nothing new."""
    store = Store("sqlite://")
    bridge = installation.Bridge(settings=load(), store=store)
    user = store.people.add_user("ana", zone, now=NOW)
    runs.import_path(bridge, user, folder, at=NOW)
    again = next(o for o in runs.import_path(bridge, user, folder, at=NOW).outcomes if o.source == "fitbit")
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
    held = contents(store, user)
    store.close()
    return dict(cells_of(held))


def cells_of(held: dict[str, list[Any]]) -> Iterator[tuple[tuple[str, ...], float]]:
    for one in held["samples"]:
        metric = one["metric"]
        if metric == "heart_rate":
            yield (metric, one["start"]), one["value"]
        elif metric == "sleep_score":
            yield (metric, one["day"], one["key"].partition("/")[0]), one["value"]
        else:
            yield (metric, one["day"]), one["value"]
    for one in held["episodes"]:
        told = {**one["values"], **{end: pd.Timestamp(one[end]).timestamp() for end in ("start", "end")}}
        for name, value in told.items():
            cell = (f"workout {name}", one["key"]) if one["kind"] == "workout" else (one["kind"], one["key"], name)
            yield cell, value


def compared(folder: Path, zone: str) -> list[Compared]:
    """Each quantity's cells, by pandas and by the bridge."""
    ours, theirs = by_bridge(folder, zone), by_pandas(folder, zone)
    found = []
    for what in sorted({_what(cell) for cell in ours | theirs}):
        a, b = ({cell: value for cell, value in held.items() if _what(cell) == what} for held in (ours, theirs))
        equal = sum(abs(a[cell] - b[cell]) <= max(NEAR, NEAR * abs(b[cell])) for cell in a.keys() & b.keys())
        found.append(
            Compared(
                what=what,
                equal=equal,
                different=len(a.keys() & b.keys()) - equal,
                only_pandas=len(b.keys() - a.keys()),
                only_bridge=len(a.keys() - b.keys()),
            )
        )
    return found


def _what(cell: tuple[str, ...]) -> str:
    return f"{cell[0]} {cell[2]}" if cell[0] in ("sleep", "nap") else cell[0]


if __name__ == "__main__":
    print("| what | equal | different | only pandas | only the bridge |\n|---|---|---|---|---|")
    for line in compared(Path(sys.argv[1]), sys.argv[2]):
        print(f"| {line.what} | {line.equal} | {line.different} | {line.only_pandas} | {line.only_bridge} |")
