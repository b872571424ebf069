"""Files as Samsung Health's app exports them. ``python -m tests.samsung_health.export`` writes the fixtures.

The person is made up and lives in Berlin. Names of tables and columns, and notations of numbers and times, are those of
real exports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import lab

HOME = ZoneInfo("Europe/Berlin")
WEEK = tuple(date(2026, 11, 12) + timedelta(days=n) for n in range(8))
STAMP = "20261120090000"
NIGHT = (("40001", 5), ("40002", 110), ("40003", 80), ("40002", 120), ("40004", 95), ("40001", 36))
Row = Mapping[str, Any]


def utc(wall: datetime) -> datetime:
    return wall.replace(tzinfo=HOME).astimezone(UTC)


def at(instant: datetime) -> str:
    return f"{instant:%Y-%m-%d %H:%M:%S}.000"


def offset(instant: datetime) -> str:
    return f"UTC{instant.astimezone(HOME):%z}"


def midnight(day: date) -> str:
    """A day's time: the milliseconds of its midnight in UTC, wherever it was spent."""
    return str(int(datetime.combine(day, time(), UTC).timestamp() * 1000))


def dated(day: date, key: str) -> dict[str, str]:
    return {"day_time": midnight(day), "datauuid": key}


def milliseconds(instant: datetime) -> int:
    return int(instant.timestamp() * 1000)


def table(kind: str, rows: Iterable[Row], prefix: str = "") -> tuple[str, str]:
    """A table's file name and text. ``prefix`` stands before the names of the columns that a kind has of old."""
    told = list(rows)
    names = list(dict.fromkeys(name for row in told for name in row))
    header = ",".join(f"{prefix}.{name}" if prefix else name for name in names)
    lines = [",".join(str(row.get(name, "")) for name in names) + "," for row in told]
    return f"{kind}.{STAMP}.csv", "\ufeff" + "\n".join([f"{kind},7006011,11", header, *lines, ""])


def span(start: datetime, end: datetime, key: str) -> dict[str, str]:
    return {"start_time": at(start), "end_time": at(end), "time_offset": offset(end), "datauuid": key}


def night(day: date) -> tuple[datetime, datetime]:
    end = utc(datetime.combine(day, time(6, 41)))
    return end - timedelta(minutes=sum(minutes for _, minutes in NIGHT)), end


def stages(sleep: str, start: datetime, parts: Iterable[tuple[str, int]] = NIGHT) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for number, (stage, minutes) in enumerate(parts):
        end = start + timedelta(minutes=minutes)
        found.append({**span(start, end, f"{sleep}-{number}"), "stage": stage, "sleep_id": sleep})
        start = end
    return found


def week() -> dict[str, str]:
    """Eight days of a watch and a phone."""
    nights = {f"night-{day}": night(day) for day in WEEK}
    nap = utc(datetime.combine(WEEK[2], time(14, 5)))
    sleeps = [{**span(*when, key), "efficiency": "93.0", "sleep_score": "81.0"} for key, when in nights.items()]
    sleeps.append({**span(nap, nap + timedelta(minutes=40), "nap"), "efficiency": "0.0", "sleep_score": ""})
    run = utc(datetime.combine(WEEK[3], time(17, 2)))
    beats = [utc(datetime.combine(WEEK[-1], time(8))) + timedelta(minutes=n) for n in range(30)]
    walks = [(day, 8000 + 37 * day.day) for day in WEEK]
    found = [
        table("com.samsung.shealth.sleep", sleeps, "com.samsung.health.sleep"),
        table(
            "com.samsung.health.sleep_stage", [row for key, (start, _) in nights.items() for row in stages(key, start)]
        ),
        table(
            "com.samsung.shealth.step_daily_trend",
            [
                {
                    "source_type": kind,
                    "count": count,
                    "distance": count * 0.7,
                    **dated(day, f"{day}{kind}"),
                }
                for day, steps in walks
                for kind, count in (("-2", steps), ("0", steps // 2), ("1", steps - 100))
            ],
        ),
        table(
            "com.samsung.shealth.exercise",
            [
                {
                    **span(run, run + timedelta(minutes=31), "run"),
                    "exercise_type": 1002,
                    "duration": 31 * 60_000,
                    "calorie": 301.5,
                    "distance": 4250.0,
                    "mean_heart_rate": 142.0,
                    "mean_speed": 2.5,
                    "altitude_gain": 31.5,
                }
            ],
            "com.samsung.health.exercise",
        ),
        table(
            "com.samsung.shealth.tracker.heart_rate",
            [{**span(one, one, f"beat-{n}"), "heart_rate": f"{60 + n % 9}.0"} for n, one in enumerate(beats)],
            "com.samsung.health.heart_rate",
        ),
        table(
            "com.samsung.shealth.stress",
            [{**span(beats[0], beats[9], "stress"), "score": "41.0"}],
        ),
        table(
            "com.samsung.shealth.vitality_score",
            [
                {
                    **dated(day, f"energy-{day}"),
                    "total_score": 70 + day.day % 9,
                    "shr_value": 52.5,
                    "shrv_value": 40 + day.day % 7,
                }
                for day in WEEK
            ],
        ),
        table(
            "com.samsung.health.respiratory_rate",
            [{**span(*when, f"breath-{key}"), "average": "14.6"} for key, when in nights.items()],
        ),
        table(
            "com.samsung.shealth.tracker.oxygen_saturation",
            [{**span(*when, f"oxygen-{key}"), "spo2": "95.0"} for key, when in nights.items()]
            + [{**span(beats[0], beats[0], "spot"), "spo2": "99.0"}],
            "com.samsung.health.oxygen_saturation",
        ),
        table(
            "com.samsung.health.skin_temperature",
            [{**span(*when, f"warm-{key}"), "temperature": "33.4"} for key, when in nights.items()],
        ),
        table("com.samsung.health.weight", [{**span(run, run, "weight"), "weight": 70}]),
    ]
    bins = [
        {"start_time": milliseconds(one), "end_time": milliseconds(one) + 59_999, "heart_rate": 70.0 + n % 5}
        for n, one in enumerate(beats[15:])
    ]
    folder = "Download/samsunghealth_ana_20261120090000"
    beside = f"{folder}/jsons/com.samsung.shealth.tracker.heart_rate/b/beat-15.binning_data.json"
    return {f"{folder}/{name}": text for name, text in found} | {beside: json.dumps(bins)}


def awkward() -> dict[str, str]:
    """Older tables: the night of the clock change, a flight, doubles of phone and watch, gaps, unreadable rows."""
    changed, flown = date(2026, 10, 25), date(2026, 10, 27)
    start, end = night(changed)
    away = {**span(*night(flown), "away"), "time_offset": "UTC-0500"}
    phone = span(start - timedelta(minutes=20), end + timedelta(minutes=10), "phone")
    rows = [
        {**span(start, end, "watch"), "efficiency": "91.0"},
        phone,
        away,
        {**span(end, start, "backwards")},
        {**span(start, end, "soon"), "end_time": "soon"},
        {**span(*night(date(2026, 10, 29)), "unsaid"), "time_offset": ""},
    ]
    steps = [
        {"step_count": 4100, "distance": 2870.5, "day_time": "2026-10-25 00:00:00.000", "datauuid": "a"},
        {"step_count": 5200, "distance": 3640.0, "day_time": "2026-10-25 00:00:00.000", "datauuid": "b"},
        {"step_count": 0, "distance": 0.0, "day_time": "2026-10-26 00:00:00.000", "datauuid": "c"},
        {"step_count": "many", "distance": 0.0, "day_time": "2026-10-27 00:00:00.000", "datauuid": "d"},
    ]
    walk = span(start, start + timedelta(days=4), "forgotten")
    found = [
        table("com.samsung.health.sleep", rows),
        table("com.samsung.health.sleep_stage", stages("watch", start)),
        table("com.samsung.shealth.tracker.pedometer_day_summary", steps),
        table("com.samsung.health.exercise", [{**walk, "exercise_type": 1001}, {**phone, "exercise_type": 1007}]),
        table("com.samsung.shealth.vitality_score", [{"day_time": midnight(changed), "total_score": -1}]),
        table("com.samsung.health.respiratory_rate", [{**span(start, end, "breath"), "average": "200"}]),
    ]
    files = dict(found)
    cut = files[f"com.samsung.health.sleep_stage.{STAMP}.csv"]
    files[f"com.samsung.health.sleep_stage.{STAMP}.csv"] = cut + '"cut off'
    files["jsons/com.samsung.shealth.stress/a/one.binning_data.json"] = json.dumps(
        [{"start_time": milliseconds(start), "score": 33}, {"start_time": None, "score": 3}]
    )[:-1]
    return files


def main() -> None:
    """Write the fixtures of the source ``samsung_health`` anew."""
    for case, files in {"week": week(), "awkward": awkward()}.items():
        for name, text in files.items():
            place: Path = lab.fixtures("samsung_health") / case / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
