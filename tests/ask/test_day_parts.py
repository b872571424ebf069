"""Plain questions about readings, such as heart rates, of a part of the day or of the nights."""

from __future__ import annotations

import pytest

from bridge.query.parse import query_of
from bridge.query.plain import read
from bridge.query.understood import sentence
from tests.ask.corpus import TODAY, understood


@pytest.mark.parametrize(
    ("text", "what", "of"),
    [
        ("mean pulse on Monday evening", "heart_rate from 18:00", "mean"),
        ("how high was my stress on average in the afternoons of October?", "stress from 12:00 before 18:00", "mean"),
        ("body battery this morning", "body_battery from 06:00 before 12:00", "mean"),
        ("what was my highest pulse after 8 pm last week", "heart_rate from 20:00", "max"),
        ("average pulse during sleep in October", "heart_rate in nights", "mean"),
        ("what was my lowest pulse last night?", "heart_rate in nights", "min"),
        ("mittlerer Puls am Montagabend", "heart_rate from 18:00", "mean"),
        ("wie hoch war mein Stress nachmittags im Oktober?", "stress from 12:00 before 18:00", "mean"),
        ("Stress vormittags letzte Woche", "stress from 06:00 before 12:00", "mean"),
        ("mein niedrigster Puls nachts im Oktober", "heart_rate in nights", "min"),
        ("wie war mein Puls letzte Nacht", "heart_rate in nights", "mean"),
        ("Puls gestern Nacht", "heart_rate in nights", "mean"),
    ],
)
def test_readings_are_of_the_part_of_the_day_that_is_named(text: str, what: str, of: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of, list(found.where), found.against) == (what, of, [], None)
    assert query_of(found).subject.unit in ("bpm", "vendor 0-100")


def test_nights_may_be_compared_and_others_may_not() -> None:
    assert read("is my pulse at night higher after wine", TODAY, ["wine"]).against == "before.wine > 0"
    found = read("pulse last night compared with the night before", TODAY)
    assert (found.what, found.since, found.against) == ("heart_rate in nights", "2026-11-25", "2026-11-24..2026-11-24")
    assert read("Stress abends nach Wochentag", TODAY).by == "weekday"


@pytest.mark.parametrize(
    "text",
    [
        "is my pulse higher in the afternoon than in the evening",
        "is my stress higher in the evening",
        "is my pulse at night lower than by day",
        "pulse yesterday versus last night",
        "average pulse at night on days with wine",
        "does my pulse go down in the evening",
        "ist mein Stress vormittags höher als nachmittags",
        "sinkt mein Puls abends",
        "steps in the afternoon last week",
    ],
)
def test_what_names_no_single_part_or_no_readings_is_refused(text: str) -> None:
    assert understood(text) is None


def test_the_hours_and_the_nights_are_said() -> None:
    said = str(sentence(query_of(read("average pulse in the afternoon in October", TODAY))))
    assert said == "the mean of heart rate from 12:00 on before 18:00, from 1 Oct 2026 to 31 Oct 2026."
    assert "heart rate in recorded nights" in str(sentence(query_of(read("average pulse while asleep", TODAY))))
