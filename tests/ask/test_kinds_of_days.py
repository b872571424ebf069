"""Two shifts, ranges of weekdays or counts of a day in plain questions, and what is to be done by a day."""

from __future__ import annotations

from datetime import date
from itertools import product

import pytest

from bridge.query.plain import NotRead, read
from tests.ask.corpus import TODAY

SHIFTS = {
    "en": ("early shift", "late shift", "night shift", "day shift"),
    "de": ("frühdienst", "spätdienst", "nachtschicht", "tagschicht"),
}
BEFORE = {
    "en": (
        "do I sleep longer before {one}s than before {other}s",
        "is my sleep shorter before {one}s vs before {other}s",
    ),
    "de": ("schlafe ich vor {one} kürzer als vor {other}",),
}
ON_THEM = {
    "en": (
        "do I sleep less on {one}s than on {other}s",
        "is my sleep shorter when I have the {one} than when I have the {other}",
        "do I sleep longer after the {one} than after the {other}",
    ),
    "de": ("schlafe ich bei {one} kürzer als bei {other}", "schlafe ich nach {one} länger als nach {other}"),
}


@pytest.mark.parametrize(("turns", "lead"), [(BEFORE, ""), (ON_THEM, "before.")])
def test_two_shifts_are_compared(turns: dict[str, tuple[str, ...]], lead: str) -> None:
    for language, said in turns.items():
        for turn, one, other in product(said, SHIFTS[language], SHIFTS[language]):
            if one != other:
                text = turn.format(one=one, other=other)
                found = read(text, TODAY, ["coffee"])
                sides = f"{lead}titled {one} > 0 vs {lead}titled {other} > 0"
                assert (found.what, found.against, found.where) == ("asleep", sides, []), text


def test_the_second_shift_may_be_left_out() -> None:
    found = read("do I sleep better before late shifts than before early ones", TODAY)
    assert found.against == "titled late shift > 0 vs titled early shift > 0"
    steps = read("mache ich bei Frühdienst mehr Schritte als bei Spätdienst", TODAY)
    assert steps.against == "titled frühdienst > 0 vs titled spätdienst > 0"


def test_before_one_thing_and_before_another_is_no_time_before() -> None:
    for text in ("do I sleep longer before a run than before yoga", "sleep before a run vs before yoga"):
        found = read(text, TODAY)
        assert found.against == "workout.sport = running vs workout.sport = yoga", text
        assert found.since is None, text


@pytest.mark.parametrize(
    "text",
    [
        *("steps mon-thu vs fri-sun", "steps Mon to Thu compared with Fri to Sun", "steps Mon–Thu versus Fri–Sun"),
        *("do I walk more from Monday to Thursday than from Friday to Sunday", "steps Mon-Thu against Fri-Sun"),
        *("Schritte Mo bis Do gegen Fr bis So", "Schritte Mo-Do vs Fr-So", "Schritte Mo–Do verglichen mit Fr–So"),
        *("mache ich von Montag bis Donnerstag mehr Schritte als von Freitag bis Sonntag",),
    ],
)
def test_ranges_of_weekdays_are_compared(text: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.against) == ("steps", "weekday = 1|2|3|4 vs weekday = 5|6|7")
    assert (found.where, found.since, found.by) == ([], None, None)


def test_weekdays_that_are_only_named_are_no_ranges() -> None:
    for text in (
        "steps Mon, Wed vs Fri, Sun",
        "Schritte Mo, Mi gegen Fr, So",
        "steps on Monday, Wednesday, Friday, Sunday",
    ):
        try:
            found = read(text, TODAY)
        except NotRead:
            continue
        assert "2" not in f"{found.where}{found.against}", text


SAME_POINT = {
    "year": (
        *("more steps this year than last year at this point", "do I walk more this year than at this point last year"),
        *("steps so far this year compared to last year", "mehr Schritte dieses Jahr als letztes Jahr um diese Zeit"),
        *("habe ich bis heute mehr Schritte verglichen mit dem Vorjahr", "Schritte dieses Jahr bis heute vs Vorjahr"),
    ),
    "month": (
        "more steps this month than last month at the same time",
        "mache ich diesen Monat mehr Schritte als letzten Monat zum gleichen Zeitpunkt",
    ),
    "week": ("more steps this week than last week by this point", "steps so far this week compared with last week"),
}


@pytest.mark.parametrize(
    ("period", "today", "since", "against"),
    [
        ("year", date(2026, 11, 25), "2026-01-01", "2025-01-01..2025-11-25"),
        ("year", date(2026, 12, 31), "2026-01-01", "2025-01-01..2025-12-31"),
        ("month", date(2026, 11, 25), "2026-11-01", "2026-10-01..2026-10-25"),
        ("month", date(2026, 3, 30), "2026-03-01", "2026-02-01..2026-02-28"),
        ("week", date(2026, 11, 25), "2026-11-23", "2026-11-16..2026-11-18"),
        ("week", date(2026, 11, 29), "2026-11-23", "2026-11-16..2026-11-22"),
    ],
)
def test_a_period_is_compared_with_the_last_one_up_to_the_same_day(
    period: str, today: date, since: str, against: str
) -> None:
    for text in SAME_POINT[period]:
        found = read(text, today)
        assert (found.what, found.since, found.until) == ("steps", since, today.isoformat()), text
        assert found.against == against, text


@pytest.mark.parametrize("text", ["steps last year at this point", "steps in May vs last year at this point"])
def test_a_point_of_a_year_without_this_one_stays_unread(text: str) -> None:
    with pytest.raises(NotRead):
        read(text, TODAY)


COUNTS = {"exactly ": "=", "": "=", "more than ": ">", "at least ": ">=", "fewer than ": "<"}
GERMAN = {"genau ": "=", "": "=", "mehr als ": ">", "mindestens ": ">=", "weniger als ": "<"}
THINGS = {"workouts": "workouts", "appointments": "entries", "Trainings": "workouts", "Termine": "entries"}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (turn.format(sign=sign, many=many, thing=thing), f"{THINGS[thing]} {meant} {number}")
        for turns, signs, numbers, things in (
            (
                ("on which days did I have {sign}{many} {thing}", "which days had {sign}{many} {thing}"),
                *(COUNTS, {"two": 2, "4": 4}, ("workouts", "appointments")),
            ),
            (
                ("an welchen Tagen hatte ich {sign}{many} {thing}",),
                GERMAN,
                {"zwei": 2, "4": 4},
                ("Trainings", "Termine"),
            ),
        )
        for turn, (sign, meant), (many, number), thing in product(turns, signs.items(), numbers.items(), things)
    ],
)
def test_days_are_listed_by_what_was_on_them(text: str, where: str) -> None:
    found = read(f"{text} in October" if "days" in text else f"{text} im Oktober", TODAY)
    assert (found.what, found.of, found.by, found.where) == ("days", "count", "day", [where])
    assert (found.since, found.until) == ("2026-10-01", "2026-10-31")


@pytest.mark.parametrize("ending", ["erledigt sein", "noch fertig werden", "abgeschlossen sein"])
@pytest.mark.parametrize(
    ("day", "until"), [("Freitag", "2026-11-27"), ("Sonntag", "2026-11-29"), ("Montag", "2026-11-30")]
)
def test_what_must_be_done_by_a_day_lists_open_tasks(day: str, until: str, ending: str) -> None:
    found = read(f"Was muss bis {day} {ending}?", TODAY)
    assert (found.what, found.by, found.where, found.until) == ("tasks", "row", ["task.state = open"], until)


def test_what_i_must_do_for_my_health_stays_unread() -> None:
    for text in ("was muss ich ändern", "muss mein Schlaf besser sein"):
        with pytest.raises(NotRead):
            read(text, TODAY)
