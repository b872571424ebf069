"""Wishes whose own words tell the part of the day, and days that are left out of every day."""

from __future__ import annotations

import pytest

from bridge.wishes.hearing import heard
from bridge.wishes.hours import NotUnderstood
from bridge.wishes.told import sentence


def told(text: str) -> str:
    found = heard(text)
    return sentence(found.said, found.aside)


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        ("sunday afternoon nap; an afternoon nap on Sundays", "naps best on Sundays from 12:00 to 18:00"),
        ("afternoon nap", "naps best from 12:00 to 18:00"),
        ("Samstag abend mit Freunden", "seeing friends (abend mit Freunden) best on Saturdays from 18:00 to 24:00"),
        ("family evening on Friday", "family time (family evening) best on Fridays from 18:00 to 24:00"),
        ("freitags Familienabend", "family time (Familienabend) best on Fridays from 18:00 to 24:00"),
        (
            "two evenings with friends a week",
            (
                "seeing friends (evenings with friends) best from 18:00 to 24:00; "
                "seeing friends (evenings with friends) 2 times a week"
            ),
        ),
        ("einmal die Woche Filmabend", "watching series best from 18:00 to 24:00; watching series once a week"),
        ("date night on Fridays at seven", "family time (date night) best on Fridays at 19:00, over by 21:00"),
        ("at most two game nights a week", "seeing friends (game nights) at most 2 times a week"),
        ("no game nights on Fridays", "seeing friends not on Fridays"),
    ],
)
def test_the_part_of_the_day_in_the_words_of_a_wish_is_wished_too(texts: str, meaning: str) -> None:
    assert {told(text) for text in texts.split("; ")} == {meaning}


@pytest.mark.parametrize(
    ("texts", "meaning"),
    [
        (
            (
                "sport every day, but not on Sundays; sport every day, Sundays excluded; "
                "sport daily, never on Sundays; täglich Sport, nur sonntags nicht; "
                "jeden Tag Sport, aber am Sonntag nicht; jeden Tag, nur nicht am Sonntag, Sport; "
                "jeden Tag, außer sonntags, Sport; täglich Sport bis auf Sonntag"
            ),
            "exercise 6 times a week; exercise not on Sundays",
        ),
        (
            "a workout every day, weekends excluded; täglich Training, Wochenende ausgenommen",
            "exercise 5 times a week; exercise only on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays",
        ),
        (
            "meditation every morning but not on weekends; jeden Morgen meditieren, nur samstags und sonntags nicht",
            (
                "meditation 5 times a week; "
                "meditation best on Mondays, Tuesdays, Wednesdays, Thursdays and Fridays from 06:00 to 12:00"
            ),
        ),
        ("no sport, Sundays excluded; kein Sport, sonntags ausgenommen", "exercise only on Sundays"),
        (
            "free evenings apart from Mondays; free evenings, Mondays excluded",
            (
                "everything that is suggested not on Tuesdays, Wednesdays, Thursdays, Fridays, Saturdays and Sundays "
                "from 18:00 to 24:00"
            ),
        ),
        (
            "sport every day, tv in the evening but not on Sundays",  # which are of the second wish
            "exercise 7 times a week; watching series best from 18:00 to 24:00; watching series not on Sundays",
        ),
    ],
)
def test_days_may_be_left_out_of_a_wish_after_it(texts: str, meaning: str) -> None:
    assert {told(text) for text in texts.split("; ")} == {meaning}


@pytest.mark.parametrize(
    "text",
    [
        "family evening in the morning",
        "vormittags Familienabend",
        "no tv every day but not on Sundays",
        "sport every day but not before nine on Sundays",
        "sport on Sundays excluded",
    ],
)
def test_what_contradicts_itself_is_refused(text: str) -> None:
    with pytest.raises(NotUnderstood):
        heard(text)
