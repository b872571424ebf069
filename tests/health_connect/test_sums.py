"""Steps of phone and watch, of days that grow, of windows that cut a day off, and of phones in other zones."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from tests.health_connect.reading import PHONE, WATCH, document, landed, steps
from tests.pushed import values


def on_the_day(*documents: list[dict[str, Any]]) -> dict[str, float]:
    return values(landed(*(document(steps=rows) for rows in documents)), "steps")


def test_phone_and_watch_are_not_added_up_whichever_comes_first() -> None:
    phone = [steps(100, "08:00", "08:15", PHONE), steps(300, "12:00", "12:30", PHONE)]
    watch = [steps(120, "08:00", "08:15", WATCH), steps(50, "18:00", "18:10", WATCH)]
    for order in permutations((phone, watch, watch)):
        assert on_the_day(*order) == {"2026-11-18": 120 + 300 + 50}


def test_a_long_stretch_counts_only_where_nothing_better_is_told() -> None:
    """The phone tells four hours in one row, the watch tells the second of them in quarters."""
    phone = steps(400, "08:00", "12:00", PHONE)
    watch = [
        steps(30, f"09:{minute:02}", f"09:{minute + 15:02}" if minute < 45 else "10:00", WATCH)
        for minute in range(0, 60, 15)
    ]
    assert on_the_day([phone, *watch]) == {"2026-11-18": 300 + 120}


def test_a_stretch_of_an_origin_that_grows_replaces_itself() -> None:
    assert on_the_day([steps(100, "08:00", "09:00", WATCH)], [steps(180, "08:00", "10:00", WATCH)]) == {
        "2026-11-18": 180
    }


@pytest.mark.parametrize(("start", "end"), [("18T08", "18T09"), ("17T23", "18T00")])  # the second: from midnight
def test_what_arrives_late_for_a_window_of_the_other_app_is_added_once(start: str, end: str) -> None:
    window = {"bucket_start": f"2026-11-{start}:00:00Z", "bucket_end": f"2026-11-{end}:00:00Z"}
    first = window | {"sample_count": 12, "total": 1840}
    late = first | {"sample_count": 2, "total": 60}
    assert on_the_day([first], [first], [late], [late]) == {"2026-11-18": 1900}


def test_a_total_of_the_day_grows_and_never_shrinks_to_what_a_window_cut_off() -> None:
    so_far = {"count": 3000, "start_time": "2026-11-17T23:00:00Z", "end_time": "2026-11-18T12:00:00Z"}
    whole = so_far | {"count": 9000, "end_time": "2026-11-18T23:00:00Z"}
    cut_off = whole | {"count": 2500}
    for order in permutations((so_far, whole, cut_off)):
        items = landed(*(document(timestamp="2026-11-19T20:00:00Z", steps=[row]) for row in order))
        assert values(items, "steps") == {"2026-11-18": 9000}


@pytest.mark.parametrize(
    ("start", "end", "day"),
    [
        ("2026-11-17T23:00:00Z", "2026-11-18T23:00:00Z", "2026-11-18"),  # Berlin, where the person lives
        ("2026-11-18T05:00:00Z", "2026-11-19T05:00:00Z", "2026-11-18"),  # New York
        ("2026-11-17T15:00:00Z", "2026-11-18T15:00:00Z", "2026-11-18"),  # Tokyo
        ("2026-11-17T18:30:00Z", "2026-11-18T18:30:00Z", "2026-11-18"),  # Kolkata
    ],
)
def test_the_phones_own_midnight_tells_the_day(start: str, end: str, day: str) -> None:
    row = {"count": 7000, "start_time": start, "end_time": end}
    assert values(landed(document(timestamp="2026-11-20T00:00:00Z", steps=[row])), "steps") == {day: 7000}


def test_the_totals_of_health_connect_itself_outrank_stretches() -> None:
    rows = [steps(900, "08:00", "08:30", source="com.zepp.app"), steps(870, "08:00", "08:30", source="android")]
    told = [{"date": "2026-11-18", "steps": 2000, "distance_meters": 1500.5}]
    items = landed(document(steps=rows, daily_totals=told))
    assert values(items, "steps") == {"2026-11-18": 2000}
    assert values(items, "distance") == {"2026-11-18": 1500.5}


def test_a_projection_of_the_day_is_no_measurement() -> None:
    row = {"calories": 2400.0, "start_time": "2026-11-17T23:00:00Z", "end_time": "2026-11-18T23:00:00Z"}
    assert landed(document(total_calories=[row | {"metadata": WATCH}])) == []
    later = document(timestamp="2026-11-19T00:00:00Z", total_calories=[row | {"metadata": WATCH}])
    assert values(landed(later), "total_energy") == {"2026-11-18": 2400.0}
