"""Hold the names of metrics and other kinds of data, and give them in the current language."""

from __future__ import annotations

from collections.abc import Mapping

from bridge.domain.languages import Text, say, shown
from bridge.web.phrases import capital

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
    "sleep_consistency": say("sleep consistency"),
    "sleep_score": say("sleep score"),
    "recovery_score": say("recovery score"),
    "body_battery": say("Body Battery"),
    "stress": say("stress"),
    "daily_stress": say("daily stress"),
    "stress_management": say("stress management"),
    "steps": say("steps"),
    "stand_hours": say("stand hours"),
    "distance": say("distance"),
    "active_energy": say("active energy"),
    "total_energy": say("total energy"),
    "strain": say("strain"),
    "mindful": say("mindfulness"),
    "focus": say("focus"),
    "check_in": say("check-in"),
    "check_in_vitality": say("check-in about vitality"),
    "check_in_cognition": say("check-in about cognition"),
    "check_in_progress": say("check-in about progress"),
    "check_in_serenity": say("check-in about serenity"),
    "check_in_connection": say("check-in about connection"),
    "contacts": say("contacts"),
    "messages": say("messages"),
    "sleep": say("sleep"),
    "nap": say("nap"),
    "workout": say("workout"),
    "episodes": say("sleep and workouts"),
    "events": say("events"),
    "event": say("events"),
    "tasks": say("tasks"),
    "task": say("tasks"),
}
# Units whose words differ between languages; "1-5" and "ms" are the same everywhere.
UNIT_NAMES: Mapping[str, Text] = {
    "count": say("count"),
    "bpm": say("bpm"),
    "vendor 0-100": say("vendor 0-100"),
    "vendor 0-21": say("vendor 0-21"),
}


def kind_name(name: str) -> str:
    """Return the display name of a metric, or of another kind of data, within a sentence.

    >>> kind_name("resting_hr"), kind_name("hrv_rmssd"), kind_name("events")
    ('resting heart rate', 'HRV (RMSSD)', 'events')
    """
    return shown(METRIC_NAMES[name]) if name in METRIC_NAMES else name.replace("_", " ")


def heading(name: str) -> str:
    """Return the display name of a metric with a capital.

    >>> heading("resting_hr"), heading("planned")
    ('Resting heart rate', 'Planned')
    """
    return capital(kind_name(name))


def unit_name(unit: str) -> str:
    """Return a unit in the current language."""
    return shown(UNIT_NAMES[unit]) if unit in UNIT_NAMES else unit
