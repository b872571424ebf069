"""Made-up questions of a measure, a statistic, a span and a condition, in several orders: read as meant, or refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import product

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import read
from tests.ask.corpus import TODAY

DAY = timedelta(days=1)
NIGHT, NOTED = (
    {"asleep", "deep_sleep"},
    {"asleep", "deep_sleep", "hrv_rmssd", "resting_hr"},
)  # of the night that follows
MEASURES = {
    "en": {"steps": "steps", "sleep": "asleep", "deep sleep": "deep_sleep", "hrv": "hrv_rmssd"}
    | {"resting heart rate": "resting_hr"},
    "de": {"Schritte": "steps", "Schlaf": "asleep", "Tiefschlaf": "deep_sleep", "HRV": "hrv_rmssd"}
    | {"Ruhepuls": "resting_hr"},
}
STATISTICS = {
    "en": {"average {}": "mean", "median {}": "median", "highest {}": "max", "lowest {}": "min"},
    "de": {"{} im Schnitt": "mean", "{} im Median": "median", "{} maximal": "max", "{} minimal": "min"},
}
SPANS = {
    "en": {
        "in October": ("2026-10-01", "2026-10-31"),
        "in the last 30 days": ("2026-10-27", "2026-11-25"),
        "since 1 June": ("2026-06-01", None),
        "in 2025": ("2025-01-01", "2025-12-31"),
        "this year": ("2026-01-01", "2026-12-31"),
        "": (None, None),
    },
    "de": {
        "im Oktober": ("2026-10-01", "2026-10-31"),
        "in den letzten 30 Tagen": ("2026-10-27", "2026-11-25"),
        "seit dem 1. Juni": ("2026-06-01", None),
        "2025": ("2025-01-01", "2025-12-31"),
        "dieses Jahr": ("2026-01-01", "2026-12-31"),
        "": (None, None),
    },
}
CONDITIONS = {  # with the day's condition; of what is noted, of the weekday and of the night the lead says
    "en": {
        "on days with a run": "workout.sport = running",
        "on days without a run": "workouts.running = 0",
        "on days with no run": "workouts.running = 0",
        "on days I didn't run": "workouts.running = 0",
        "on days when I did not go running": "workouts.running = 0",
        "when I havent run": "workouts.running = 0",
        "on days I didnt work out": "workouts = 0",
        "on days without a workout": "workouts = 0",
        "on days with coffee": "note coffee > 0",
        "on days without coffee": "note coffee = 0",
        "when I don't drink coffee": "note coffee = 0",
        "on days with more than 10,000 steps": "steps > 10000",
        "on days with no more than 10000 steps": "steps <= 10000",
        "on Mondays": "own weekday = 1",
        "except on Mondays": "own weekday = 2|3|4|5|6|7",
        "excluding weekends": "own weekday <= 5",
        "not on weekends": "own weekday <= 5",
        "only on weekends": "own weekday >= 6",
        "apart from Sundays and Mondays": "own weekday = 2|3|4|5|6",
        "after nights with less than 6 hours of sleep": "own asleep < 360",
        "on days I only ran": "",
        "on days I hardly ran": "",
        "on days I never ran before noon": "",
    },
    "de": {
        "an Tagen mit einem Lauf": "workout.sport = running",
        "an Tagen ohne Lauf": "workouts.running = 0",
        "an Tagen, an denen ich nicht laufen war": "workouts.running = 0",
        "an Tagen, an denen ich nicht gelaufen bin": "workouts.running = 0",
        "wenn ich nicht laufe": "workouts.running = 0",
        "an Tagen, an denen ich nicht trainiert habe": "workouts = 0",
        "an Tagen, an denen ich keinen Sport gemacht habe": "workouts = 0",
        "an Tagen ohne Training": "workouts = 0",
        "an Tagen mit Kaffee": "note coffee > 0",
        "an Tagen ohne Kaffee": "note coffee = 0",
        "wenn ich keinen Kaffee trinke": "note coffee = 0",
        "an Tagen mit mehr als 10.000 Schritten": "steps > 10000",
        "an Tagen mit nicht mehr als 10000 Schritten": "steps <= 10000",
        "montags": "own weekday = 1",
        "außer montags": "own weekday = 2|3|4|5|6|7",
        "ohne Wochenenden": "own weekday <= 5",
        "nicht am Wochenende": "own weekday <= 5",
        "nur am Wochenende": "own weekday >= 6",
        "abgesehen von sonntags und montags": "own weekday = 2|3|4|5|6",
        "nach Nächten mit weniger als 6 Stunden Schlaf": "own asleep < 360",
        "an Tagen, an denen ich nur gelaufen bin": "",
        "an Tagen, an denen ich kaum gelaufen bin": "",
        "an Tagen, an denen ich nie vor Mittag gelaufen bin": "",
    },
}
ORDERS = ("{asked} {condition} {span}", "{span} {asked} {condition}", "{condition}, {asked} {span}")


def _questions(language: str) -> Iterator[tuple[str, Words | None]]:
    parts = (MEASURES, STATISTICS, SPANS, CONDITIONS)
    for (name, what), (said, of), (span, ends), (condition, where), order in product(
        *(one[language].items() for one in parts), ORDERS
    ):
        text = order.format(asked=said.format(name), condition=condition, span=span)
        lead = what in (NOTED if where.startswith("note ") else NIGHT) and not where.startswith("own ")
        field = "before." * lead + where.removeprefix("note ").removeprefix("own ")
        meant = Words(what=what, of=of, since=ends[0], until=ends[1], where=[field])
        yield text.strip(), meant if where else None


def _read(text: str) -> Words | None:
    try:
        return read(text, TODAY, ["coffee"])
    except SetupError:
        return None


@pytest.mark.parametrize("language", ["en", "de"])
def test_made_up_questions_are_read_as_meant_or_refused(language: str) -> None:
    asked = [*_questions(language)][::29]
    found = [(text, _read(text), meant) for text, meant in asked]
    assert [(text, got) for text, got, meant in found if got not in (None, meant)] == []
    answerable = [got is not None for _, got, meant in found if meant is not None]
    assert sum(answerable) / len(answerable) >= 0.9
