"""Names of what is measured, for people, and the other words for it in which they ask, in English and German."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from bridge.domain.languages import Text, say


@dataclass(frozen=True, slots=True)
class Words:
    """The words in which people ask for a metric or meter, with commas between."""

    english: str
    german: str


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
    "focus": say("focus"),
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
}
# Scores of check-ins are left out: people ask for meters. Words that mean several metrics stand at none of them.
WORDS: Mapping[str, Words] = MappingProxyType(
    {
        "asleep": Words(
            "sleep, time asleep, sleep duration, sleep time, i sleep, i slept, slept, asleep, sleeping time, "
            "length of sleep, hours of sleep, sleep length, minutes asleep, sleep minutes",
            "schlaf, schlafs, schlafdauer, schlafzeit, schlafe, geschlafen, schlafe ich, schlaflänge, schlafdauern, "
            "schlafstunden, dauer des schlafs",
        ),
        "in_bed": Words(
            "time in bed, minutes in bed, hours in bed, in bed",
            "zeit im bett, minuten im bett, stunden im bett, im bett, bettdauer, liegezeit",
        ),
        "awake": Words(
            "awake, time awake, minutes awake, wake time",
            "wach, wachzeit, minuten wach, wachminuten, zeit wach",
        ),
        "light_sleep": Words("light sleep", "leichtschlaf, leichter schlaf, leichtschlafs"),
        "deep_sleep": Words("deep sleep", "tiefschlaf, tiefschlafs, tiefer schlaf"),
        "rem_sleep": Words("rem sleep, rem, dream sleep", "rem schlaf, rem schlafs, rem, traumschlaf"),
        "sleep_need": Words("sleep need, sleep did i need, needed sleep", "schlafbedarf, schlaf brauchte ich"),
        "sleep_efficiency": Words("sleep efficiency", "schlafeffizienz"),
        "sleep_latency": Words(
            "sleep latency, time to fall asleep, minutes to fall asleep, take me to fall asleep, take to fall asleep",
            "einschlafdauer, einschlafzeit, einschlaflatenz, brauche ich zum einschlafen",
        ),
        "sleep_consistency": Words("sleep consistency", "schlafkonstanz, schlafbeständigkeit"),
        "sleep_score": Words("sleep score, sleep scores", "schlafwert, schlafwerte, schlaf score, schlafscore"),
        "recovery_score": Words(
            "recovery, recovery score, readiness, readiness score",
            "erholung, erholungswert, readiness, erholungswerte",
        ),
        "resting_hr": Words(
            "resting heart rate, resting heart rates, resting pulse, resting hr, rhr, heart rate at rest",
            "ruhepuls, ruhepulses, ruheherzfrequenz, ruhe puls, ruhepulse",
        ),
        "hrv_rmssd": Words(
            "hrv, heart rate variability, rmssd",
            "hrv, herzfrequenzvariabilität, herzratenvariabilität, rmssd",
        ),
        "heart_rate": Words(
            "heart rate, pulse, average heart rate, mean heart rate, average pulse, hr",
            "puls, herzfrequenz, durchschnittspuls, durchschnittlicher puls, durchschnittliche herzfrequenz, "
            "durchschnittlichen puls, mittlerer puls, herzschlag",
        ),
        "respiratory_rate": Words(
            "breathing rate, respiratory rate, respiration rate, breaths per minute",
            "atemfrequenz, atemzüge pro minute",
        ),
        "spo2": Words(
            "blood oxygen, oxygen saturation, spo2, oxygen",
            "sauerstoffsättigung, spo2, blutsauerstoff, sauerstoff",
        ),
        "skin_temperature": Words("skin temperature, skin temp", "hauttemperatur"),
        "body_battery": Words("body battery", "body battery"),
        "stress": Words("stress, stress level", "stress, stresslevel, stresswert"),
        "stress_management": Words(
            "stress management, stress management score",
            "stressmanagement, stressbewältigung, stressmanagementwert",
        ),
        "steps": Words("steps, step count, step, walk more", "schritte, schritten, schritt, schrittzahl"),
        "stand_hours": Words("stand hours, standing hours", "stehstunden"),
        "floors": Words(
            "floors, floors climbed, flights of stairs, flights climbed, flights",
            "stockwerke, etagen, stockwerke gestiegen",
        ),
        "distance": Words(
            "distance, distance covered, distances",
            "strecke, distanz, entfernung, strecken, zurückgelegte strecke",
        ),
        "active_energy": Words(
            "active calories, active energy, active kcal",
            "aktive kalorien, aktiven kalorien, aktive energie, aktivitätskalorien, bewegungskalorien",
        ),
        "total_energy": Words(
            "calories, kcal, energy burned, energy spent, total calories",
            "kalorien, kcal, energieverbrauch, kalorienverbrauch",
        ),
        "zone_minutes": Words(
            "zone minutes, active zone minutes, intensity minutes, active minutes",
            "zonenminuten, aktivzonenminuten, intensitätsminuten, aktivminuten",
        ),
        "fat_burn_minutes": Words("fat burn minutes, fat burn zone minutes", "fettverbrennungsminuten"),
        "cardio_minutes": Words("cardio minutes, cardio zone minutes", "cardiominuten"),
        "peak_minutes": Words("peak minutes, peak zone minutes", "spitzenminuten, maximalzonenminuten"),
        "strain": Words("strain, day strain", "belastung, tagesbelastung, strain"),
        "mindful": Words(
            "mindful minutes, meditation minutes, minutes of meditation, meditate, meditated",
            "achtsamkeitsminuten, meditationsminuten, meditiert, minuten meditation",
        ),
        "focus": Words("focus time, focused work, minutes of focus", "fokuszeit, konzentrierte zeit"),
        "messages": Words("messages, messages did i send", "nachrichten, nachrichten habe ich geschrieben"),
        "contacts": Words(
            "contacts, people was i in touch with, people in touch",
            "kontakte, leuten hatte ich kontakt, kontaktpersonen",
        ),
        "vitality": Words("vitality", "vitalität"),
        "cognition": Words("cognition", "kognition, konzentration"),
        "progress": Words("progress", "fortschritt"),
        "serenity": Words("serenity", "gelassenheit"),
        "connection": Words("connection", "verbundenheit"),
    }
)
