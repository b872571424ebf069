"""Write rows of ``Health/sleeps.csv``, which WHOOP sends on a request for one's data, as rows of the export's sleeps.

Its columns have WHOOP's inner names: a stretch of two UTC instants, an offset such as ``-0500``, and milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta

from connectors.instants import utc, written_offset

NEEDED = frozenset({"during", "timezone_offset", "time_in_bed", "slow_wave_sleep_duration"})
DURING = re.compile(r"""[\[(]\s*['"]?([^'",]+)['"]?\s*,\s*['"]?([^'",)\]]+)['"]?\s*[)\]]""")
MINUTES = {  # column -> column of the export, in minutes
    "time_in_bed": "In bed duration (min)",
    "light_sleep_duration": "Light sleep duration (min)",
    "slow_wave_sleep_duration": "Deep (SWS) duration (min)",
    "rem_sleep_duration": "REM duration (min)",
    "wake_duration": "Awake duration (min)",
    "sleep_need": "Sleep need (min)",
}
SAME = {
    "score": "Sleep performance %",
    "respiratory_rate": "Respiratory rate (rpm)",
    "sleep_consistency": "Sleep consistency %",
}
ASLEEP = ("light_sleep_duration", "slow_wave_sleep_duration", "rem_sleep_duration")
FLAGS = {"t": "true", "f": "false"}


def as_exported(row: Mapping[str, str]) -> dict[str, str]:
    """Return a row with the columns of the export's file of sleeps. Unreadable times are left as they are."""
    found = DURING.fullmatch(row.get("during", "").strip())
    offset = written_offset(row.get("timezone_offset", "").strip())
    told = {"Nap": FLAGS.get(flag := row.get("is_nap", "").strip().casefold(), flag)}
    if found is None or offset is None:
        return told | {"Sleep onset": row.get("during", ""), "Cycle timezone": row.get("timezone_offset", "")}
    hours, minutes = divmod(abs(offset), 60)
    told["Cycle timezone"] = f"UTC{'-' if offset < 0 else '+'}{hours:02}:{minutes:02}"
    for name, text in (("Sleep onset", found[1]), ("Wake onset", found[2])):
        at = utc(text.strip())
        told[name] = text if at is None else f"{at + timedelta(minutes=offset):%Y-%m-%d %H:%M:%S}"
    told |= {
        ours: f"{value / 60_000:g}" for name, ours in MINUTES.items() if (value := _number(row.get(name))) is not None
    }
    told |= {ours: row[name] for name, ours in SAME.items() if _number(row.get(name)) is not None}
    stages = [_number(row.get(name)) for name in ASLEEP]
    if None not in stages:
        told["Asleep duration (min)"] = f"{sum(filter(None, stages)) / 60_000:g}"
    return told


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
