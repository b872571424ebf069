"""Oura's files, made of what the lab's vendor would answer. ``python -m tests.oura.export`` writes the fixtures.

The case ``saved`` holds answers of the API, and ``export`` the account export of the same person, a week later.
``trends`` is the table of the page *Trends*.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import lab

FILES = {  # list -> its file in the folder "App Data"
    "sleep": "sleepmodel.csv",
    "daily_sleep": "dailysleep.csv",
    "daily_readiness": "dailyreadiness.csv",
    "daily_activity": "dailyactivity.csv",
    "daily_spo2": "dailyspo2.csv",
    "daily_stress": "dailystress.csv",
    "heartrate": "heartrate.csv",
    "workout": "workout.csv",
    "session": "session.csv",
}
TRENDS = (
    "date,Sleep Score,Total Sleep Score,Total Bedtime,Total Sleep Time,Awake Time,REM Sleep Time,Light Sleep Time,"
    "Deep Sleep Time,Sleep Efficiency,Sleep Timing,Sleep Timing,Bedtime Start,Bedtime End,Average Resting Heart Rate,"
    "Lowest Resting Heart Rate,Average HRV,Temperature Deviation (°C),Respiratory Rate,Activity Score,Activity Burn,"
    "Total Burn,Steps,Readiness Score"
)
Row = Mapping[str, Any]


def as_csv(rows: Iterable[Row]) -> str:
    """Rows as the account export writes them: semicolons, objects as JSON, nothing for null."""
    told = list(rows)
    names = sorted({name for row in told for name in row}, key=lambda name: (name != "id", name))
    text = io.StringIO()
    sheet = csv.writer(text, delimiter=";", lineterminator="\n")
    sheet.writerow(names)
    for row in told:
        sheet.writerow([_cell(row.get(name)) for name in names])
    return text.getvalue()


def _cell(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def exported(account: Row) -> dict[str, str]:
    """The account export's files by their paths, and one of them that is not used."""
    found = {f"App Data/{file}": as_csv(account[name]) for name, file in FILES.items() if account.get(name)}
    return found | {"App Data/ringbatterylevel.csv": "timestamp;level\n2026-11-13T07:00:00+01:00;81\n"}


def saved(account: Row) -> dict[str, str]:
    """Answers of the API: one list as a single document, one in pages, one bare, and all others under their names."""
    rates = account["heartrate"]
    half = len(rates) // 2
    others = {
        name: account[name] for name in FILES if name not in ("sleep", "heartrate", "workout") and account.get(name)
    }
    return {
        "sleep.json": as_json({"data": account["sleep"], "next_token": None}),
        "heartrate_1.json": as_json({"data": rates[:half], "next_token": "b"}),
        "heartrate_2.json": as_json({"data": rates[half:], "next_token": None}),
        "workouts.json": as_json(account["workout"]),
        "oura.json": as_json(others),
    }


def as_json(value: Any) -> str:
    return json.dumps(value, indent=1) + "\n"


def trends(account: Row) -> dict[str, str]:
    """The table of *Trends*, a row for each long sleep, and a day without the ring."""
    by_day = {name: {row["day"]: row for row in account[name]} for name in FILES if name.startswith("daily_")}
    rows = [_trend(night, by_day) for night in account["sleep"] if night["type"] == "long_sleep"]
    return {"oura_2026-11-12_2026-11-20_trends.csv": "\n".join([TRENDS, *rows, "2026-11-30" + "," * 21 + "0,", ""])}


def _trend(night: Row, by_day: Mapping[str, Mapping[str, Row]]) -> str:
    day = night["day"]
    readiness, activity = by_day["daily_readiness"].get(day, {}), by_day["daily_activity"].get(day, {})
    lengths = ("time_in_bed", "total_sleep_duration", "awake_time", "rem_sleep_duration", "light_sleep_duration")
    told = [
        day,
        by_day["daily_sleep"].get(day, {}).get("score"),
        90,
        *(night[name] for name in (*lengths, "deep_sleep_duration", "efficiency")),
        99,
        1000,
        *(night[name] for name in ("bedtime_start", "bedtime_end", "average_heart_rate", "lowest_heart_rate")),
        night["average_hrv"],
        readiness.get("temperature_deviation"),
        night["average_breath"],
        activity.get("score"),
        activity.get("active_calories"),
        activity.get("total_calories"),
        activity.get("steps"),
        readiness.get("score"),
    ]
    return ",".join("" if value is None else str(value) for value in told)


def main() -> None:
    """Write the cases of files of the source ``oura`` anew."""
    week, awkward = lab.account("oura", "week"), lab.account("oura", "awkward")
    for case, files in {"saved": saved(week), "export": exported(awkward), "trends": trends(week)}.items():
        for name, text in files.items():
            place: Path = lab.fixtures("oura") / case / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
