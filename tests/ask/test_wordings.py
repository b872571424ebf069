"""Kinds of plain questions by several wordings: places, amounts, shifts, tasks due, and what no data tell."""

from __future__ import annotations

from datetime import date

import pytest

from bridge.domain.errors import SetupError
from bridge.query.parse import Words
from bridge.query.plain import NotRead, read

TODAY = date(2026, 12, 1)  # a Tuesday


def _asked(text: str) -> Words:
    return read(text, TODAY, ("coffee",))


@pytest.mark.parametrize(
    ("text", "what", "since", "against"),
    [
        ("am I getting less deep sleep than in spring", "deep_sleep", "2026-11-02", "2026-03-01..2026-05-31"),
        ("am I getting more steps than I did in July", "steps", "2026-11-02", "2026-07-01..2026-07-31"),
        ("was my stress this October higher than last October", "stress", "2026-10-01", "2025-10-01..2025-10-31"),
        ("how does my HRV this June compare to last June", "hrv_rmssd", "2026-06-01", "2025-06-01..2025-06-30"),
        (
            "war mein Puls diesen Oktober höher als letzten Oktober",
            "heart_rate",
            "2026-10-01",
            "2025-10-01..2025-10-31",
        ),
    ],
)
def test_two_times_are_compared_and_neither_is_left_out(text: str, what: str, since: str, against: str) -> None:
    found = _asked(text)
    assert (found.what, found.of, found.since, found.against) == (what, "mean", since, against)


@pytest.mark.parametrize(
    ("text", "what", "of", "top"),
    [
        ("second highest step count in November", "steps", "max", 2),
        ("my third longest night this year", "asleep", "max", 3),
        ("second lowest resting heart rate in October", "resting_hr", "min", 2),
        ("which four days had the most steps in August", "steps", "max", 4),
        ("drittbeste Nacht im November", "sleep_score", "max", 3),
        ("zweitniedrigster Ruhepuls im Oktober", "resting_hr", "min", 2),
        ("welche sechs Tage hatten die meisten Schritte im August", "steps", "max", 6),
    ],
)
def test_a_place_is_told_by_the_list_down_to_it(text: str, what: str, of: str, top: int) -> None:
    found = _asked(text)
    assert (found.what, found.of, found.top) == (what, of, top)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("how many days without a single workout since November", ["workouts = 0"]),
        ("an wie vielen Tagen war ich ohne ein einziges Training", ["workouts = 0"]),
        ("did I ever run a half marathon", ["workout.distance >= 21000", "workout.sport = running"]),
        ("bin ich jemals einen Halbmarathon gelaufen", ["workout.distance >= 21000", "workout.sport = running"]),
        ("when did I first run more than 12 k", ["workout.distance > 12000", "workout.sport = running"]),
        (
            "wann bin ich zum ersten Mal mehr als 18 km am Stück gelaufen",
            ["workout.distance > 18000", "workout.sport = running"],
        ),
        ("an wie vielen Tagen hatte ich wenigstens 9000 Schritte", ["steps >= 9000"]),
        ("wie viele Nächte hatte ich zumindest 7 Stunden Schlaf", ["asleep >= 420"]),
    ],
)
def test_an_amount_is_no_title_and_its_unit_counts(text: str, where: list[str]) -> None:
    assert sorted(_asked(text).where) == where


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("average sleep when I had the early shift", "asleep", "before.titled early shift > 0"),
        ("how many steps do I take on average when I work a night shift", "steps", "titled night shift > 0"),
        ("Schritte bei Spätdiensten", "steps", "titled spätdienst > 0"),
        ("durchschnittlicher Schlaf bei der Frühschicht", "asleep", "before.titled frühschicht > 0"),
    ],
)
def test_a_shift_is_a_condition_of_its_days(text: str, what: str, where: str) -> None:
    found = _asked(text)
    assert (found.what, list(found.where)) == (what, [where])


@pytest.mark.parametrize(
    ("text", "what", "until"),
    [
        ("tasks due before Christmas", "tasks_due", "2026-12-24"),
        ("what needs to be done by Friday", "tasks", "2026-12-04"),
        ("welche Aufgaben sind vor Weihnachten fällig", "tasks", "2026-12-24"),
        ("how many tasks are overdue right now", "tasks_overdue", None),
        ("wie viele Aufgaben sind derzeit überfällig", "tasks_overdue", None),
    ],
)
def test_what_is_due_is_due_in_the_time_to_come(text: str, what: str, until: str | None) -> None:
    found = _asked(text)
    assert (found.what, found.until) == (what, until)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("when does my first meeting start the day after tomorrow", "2026-12-03"),
        ("wann beginnt übermorgen mein erster Termin", "2026-12-03"),
        ("was steht übermorgen an", "2026-12-03"),
    ],
)
def test_the_day_after_tomorrow_is_no_note(text: str, day: str) -> None:
    found = _asked(text)
    assert (found.what, found.since, found.until) == ("entries", day, day)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("how many times did I wake up on Friday night", "how often you woke"),
        ("how often do I wake at night", "how often you woke"),
        ("wie oft bin ich in der Nacht von Freitag auf Samstag aufgewacht", "how often you woke"),
        ("what time of day is my heart rate highest", "not its time of day"),
        ("zu welcher Uhrzeit ist mein Stress am höchsten", "not its time of day"),
        ("the lightest I've been this year", "reads your weight from no source"),
    ],
)
def test_what_no_data_tell_is_said(text: str, says: str) -> None:
    with pytest.raises(SetupError, match=says) as refused:
        _asked(text)
    assert not isinstance(refused.value, NotRead)


@pytest.mark.parametrize("text", ["how often did I wake up before 6", "wie oft bin ich vor 6 Uhr aufgewacht"])
def test_getting_up_before_a_time_is_still_counted(text: str) -> None:
    assert _asked(text).where == ["night.end < 06:00"]


@pytest.mark.parametrize("text", ["how many steps did the other users take", "average sleep of all users"])
def test_others_are_no_title(text: str) -> None:
    with pytest.raises(NotRead):
        _asked(text)
