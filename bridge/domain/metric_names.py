"""Names of metrics and meters for people, and the words that people use for them in questions (English and German)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bridge.domain.languages import Text, say

# kind of data -> its name within a sentence. A kind that is missing is named by the words of its name.
METRIC_NAMES: Mapping[str, Text] = {
    "hrv_rmssd": say("HRV (RMSSD)"),
    "hrv_rmssd_spot": say("HRV (RMSSD of minutes)"),
    "hrv_rmssd_beats": say("HRV (RMSSD of single beats)"),
    "hrv_sdnn": say("HRV (SDNN)"),
    "resting_hr": say("resting heart rate"),
    "heart_rate": say("heart rate"),
    "respiratory_rate": say("respiratory rate"),
    "spo2": say("blood oxygen"),
    "skin_temperature": say("skin temperature"),
    "skin_temperature_delta": say("skin temperature delta"),
    "asleep": say("asleep"),
    "in_bed": say("in bed"),
    "awake": say("awake"),
    "light_sleep": say("light sleep"),
    "deep_sleep": say("deep sleep"),
    "rem_sleep": say("REM sleep"),
    "sleep_need": say("sleep need"),
    "sleep_efficiency": say("sleep efficiency"),
    "sleep_latency": say("time to fall asleep"),
    "sleep_consistency": say("sleep consistency"),
    "sleep_score": say("sleep score"),
    "recovery_score": say("recovery score"),
    "body_battery": say("Body Battery"),
    "stress": say("stress"),
    "daily_stress": say("stress (mean of the day)"),
    "stress_management": say("stress management"),
    "steps": say("steps"),
    "stand_hours": say("stand hours"),
    "floors": say("floors climbed"),
    "distance": say("distance"),
    "active_energy": say("active energy"),
    "total_energy": say("total energy"),
    "zone_minutes": say("zone minutes"),
    "fat_burn_minutes": say("fat burn minutes"),
    "cardio_minutes": say("cardio minutes"),
    "peak_minutes": say("peak minutes"),
    "strain": say("strain"),
    "mindful": say("mindfulness"),
    "focus": say("focus at the computer"),
    "check_in": say("check-in"),
    "check_in_vitality": say("check-in about vitality"),
    "check_in_cognition": say("check-in about cognition"),
    "check_in_progress": say("check-in about progress"),
    "check_in_serenity": say("check-in about serenity"),
    "check_in_connection": say("check-in about connection"),
    "contacts": say("contacts"),
    "messages": say("messages"),
    "vitality": say("vitality"),
    "cognition": say("cognition"),
    "progress": say("progress"),
    "serenity": say("serenity"),
    "connection": say("connection"),
    "sleep": say("sleep"),
    "nap": say("nap"),
    "nap_minutes": say("minutes of naps"),
    "workout": say("workout"),
    "episodes": say("sleep and workouts"),
    "tasks_done": say("tasks done"),
    "tasks_due": say("tasks due"),
    "tasks_overdue": say("overdue tasks"),
    "events": say("events"),
    "event": say("events"),
    "tasks": say("tasks"),
    "task": say("tasks"),
}
# Units whose words differ between languages; "1-5" and "ms" are the same everywhere.
UNIT_NAMES: Mapping[str, Text] = {
    "count": say("count"),
    "bpm": say("bpm"),
    "vendor 0-100": say("of 100"),
    "vendor 0-21": say("of 21"),
    "noted": say("noted"),
    "level": say("level"),
    "share": say("share"),
    "correlation": say("correlation"),
    "min after midnight": say("time of day"),
    **{str(one): one for one in (say("days"), say("weeks"), say("months"), say("workouts"), say("tasks"))},
    "nights": say("recorded nights"),
    "entries": say("calendar entries"),
    "meetings": say("meetings"),
}


@cache
def asked_words() -> Mapping[str, Mapping[str, str]]:
    """Return metric or meter -> language -> the words for it in people's questions, separated by commas."""
    return tomllib.loads(Path(__file__).with_name("asked.toml").read_text(encoding="utf-8"))
