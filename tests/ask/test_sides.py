"""Questions that ask for both sides of a thing, for two months, for a judgement, or for entries by their titles."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from itertools import product

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.metrics import Metric
from bridge.domain.records import User
from bridge.domain.types import Event, Sample
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.answered import Answer
from bridge.query.parse import Words
from bridge.query.plain import NotRead, read
from bridge.query.said import said
from tests.ask.corpus import TODAY
from tests.query.life import lived
from tests.query.wearer import NOW, land

__all__ = ["lived"]
Lived = tuple[Bridge, User]
NOTED = ("coffee", "caffeine", "alcohol")
FIGURES = {"en": ("HRV", "sleep", "steps", "deep sleep"), "de": ("HRV", "Schlaf", "Schritte", "Tiefschlaf")}
THINGS = {
    "en": ("coffee", "alcohol", "a run", "meetings", "choir"),
    "de": ("Kaffee", "Alkohol", "Training", "Terminen", "Chor"),
}
TURNS = {
    "en": (
        *("{what} on days with {thing} and without", "{what} on days with and without {thing}"),
        *("{what} on days without {thing} and with", "{what} with {thing} and without it in October"),
        "{what} on days with {thing} and on days without",
    ),
    "de": (
        *("{what} an Tagen mit {thing} und ohne", "{what} an Tagen mit und ohne {thing}"),
        *("{what} an Tagen ohne {thing} und mit", "{what} mit {thing} und ohne im Oktober"),
        "{what} an Tagen mit {thing} und an Tagen ohne",
    ),
}


@pytest.mark.parametrize(
    "text",
    [
        turn.format(what=what, thing=thing)
        for language in TURNS
        for turn, what, thing in product(TURNS[language], FIGURES[language], THINGS[language])
    ],
)
def test_with_and_without_asks_for_both_sides(text: str) -> None:
    found = read(text, TODAY, NOTED)
    assert found.against
    assert found.where == []


def test_with_one_thing_and_without_another_is_no_comparison() -> None:
    for text in ("HRV on days with coffee and without alcohol", "HRV an Tagen mit Kaffee und ohne Alkohol"):
        try:
            found = read(text, TODAY, NOTED)
        except NotRead:
            continue
        assert found.against is None
        assert len(found.where) == 2


STATES = {
    "am I": ("depressed", "burnt out", "overtrained", "pregnant", "tired", "fit", "an alcoholic", "schizophrenic"),
    "do I have": ("depression", "sleep apnea", "covid", "a fever", "burnout", "an anxiety disorder"),
    "bin ich": ("depressiv", "ausgebrannt", "erschöpft", "schwanger", "gestresst", "süchtig", "hochsensibel"),
    "habe ich": ("Schlafapnoe", "Fieber", "eine Depression", "Herzrhythmusstörungen", "Bluthochdruck"),
    "is my sleep": ("normal", "healthy", "good enough", "ok", "too short"),
    "ist mein Ruhepuls": ("normal", "in Ordnung", "gut", "zu hoch", "bedenklich"),
}


@pytest.mark.parametrize("text", [f"{begin} {one}?" for begin, states in STATES.items() for one in states])
@pytest.mark.parametrize("when", ["", " today"])
def test_what_asks_for_a_judgement_is_refused(text: str, when: str) -> None:
    with pytest.raises(SetupError):
        read(text.replace("?", f"{when}?"), TODAY, NOTED)


@pytest.mark.parametrize(
    "text",
    [
        *("am I depressed", "do I sleep enough", "did I drink too much last week"),
        *("is my resting heart rate of 56 good for my age", "what is wrong with me", "do I suffer from insomnia"),
        *("schlafe ich genug", "leide ich unter Burnout", "ist mein Schlaf gut", "bewege ich mich zu wenig"),
    ],
)
def test_the_refusal_says_that_no_judgement_is_passed(text: str) -> None:
    with pytest.raises(SetupError, match="no diagnosis and no judgement"):
        read(text, TODAY)


@pytest.mark.parametrize("text", ["how many nights did I sleep enough", "an wie vielen Tagen bin ich genug gelaufen"])
def test_enough_is_no_number(text: str) -> None:
    with pytest.raises(SetupError):
        read(text, TODAY)


@pytest.mark.parametrize(
    ("text", "what", "of", "by"),
    [
        ("sleep in April and May", "asleep", "mean", "month"),
        ("steps in April and May", "steps", "sum", "month"),
        ("total steps in April and May", "steps", "sum", None),
        ("HRV im April und Mai", "hrv_rmssd", "mean", "month"),
        ("Schritte im April und Mai zusammen", "steps", "sum", None),
    ],
)
def test_two_months_that_adjoin_are_told_together_and_each(text: str, what: str, of: str, by: str | None) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of, found.by) == (what, of, by)
    assert (found.since, found.until) == ("2026-04-01", "2026-05-31")


@pytest.mark.parametrize("text", ["sleep in April and June", "sleep yesterday and Sunday", "Schlaf im April und Juni"])
def test_two_other_spans_are_no_span(text: str) -> None:
    with pytest.raises(NotRead):
        read(text, TODAY)


@pytest.mark.parametrize(
    ("text", "what", "of"),
    [
        ("highest variability since the beginning of June", "hrv_rmssd", "max"),
        ("niedrigste Variabilität im Oktober", "hrv_rmssd", "min"),
        ("wie streut mein Schlaf", "asleep", "std"),
        ("how does my resting heart rate vary", "resting_hr", "std"),
    ],
)
def test_spread_and_variability_are_figures(text: str, what: str, of: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of) == (what, of)


def test_the_difference_of_two_weekdays_is_one() -> None:
    for text in (
        "what's the difference in steps between Mondays and Saturdays",
        "Unterschied der Schritte zwischen Montagen und Samstagen",
    ):
        assert read(text, TODAY).against == "weekday = 1 vs weekday = 6"


def test_each_word_for_a_note_means_the_note_that_it_names() -> None:
    for text, noted in (
        ("how many coffees did I drink last week", "coffee"),
        ("how much caffeine did I have last week", "caffeine"),
        ("wie viele Kaffees hatte ich letzte Woche", "coffee"),
        ("wie viele Espressos letzte Woche", "coffee"),
        ("Koffein letzte Woche", "caffeine"),
        ("caffeine intake last week", "caffeine"),
    ):
        assert read(text, TODAY, NOTED).what == noted


def told(lived: Lived, text: str) -> tuple[Answer, str]:
    found = asking.plain(*lived, text, now=NOW, titles=True)[0]
    return found, str(said(found))


def test_entries_of_a_title_are_counted_once_and_with_those_to_come(lived: Lived) -> None:
    bridge, user = lived
    hour, today = timedelta(hours=1), datetime(2026, 11, 28, 7, tzinfo=UTC)  # a Saturday
    days = {"Sales call": (-5, -4, 1, 2), "Trip": (-5,)}
    events = [
        Event(
            key=f"{title}/{n}",
            calendar="c",
            title=title,
            start=today + timedelta(days=n),
            end=today + timedelta(days=n) + (hour if title != "Trip" else timedelta(days=3)),
        )
        for title, of in days.items()
        for n in of
    ]
    land(bridge.store, user, events)
    found, text = told(lived, "how many calls are in my calendar this week")
    assert (found.value, text.endswith("with those still to come.")) == (3, True)
    assert told(lived, "how many calls are in my calendar")[0].value == 2
    assert told(lived, "how often did I have trip entries this week")[0].value == 1
    assert told(lived, "how many days with calls this week")[0].value == 3
    assert told(lived, "how many calls are in my calendar in October")[0].value == 0
    assert told(lived, "how many songs are in my calendar this week")[0].reason


def test_an_amount_of_a_note_says_what_it_counts(lived: Lived) -> None:
    bridge, user = lived
    items = [
        Sample(
            key=f"{name}/1",
            metric=Metric.NOTED,
            start=datetime(2026, 11, 20, 8, tzinfo=UTC),
            day=date(2026, 11, 20),
            value=value,
        )
        for name, value in (("caffeine", 180.0), ("alcohol", 2.0))
    ]
    land(bridge.store, user, items)
    assert told(lived, "how much coffee did I drink last week")[1].endswith("in mg, and no number of cups.")
    assert told(lived, "alcohol last week")[1].endswith("in the amounts that were noted.")
    assert "noted" not in told(lived, "steps last week")[1]


def test_what_an_answer_lacks_is_said(lived: Lived) -> None:
    never, other = "and none is stored of any other time either.", "how many days with more than 10000 steps"
    assert told(lived, "how many days with more than 90000 steps from 22 to 25 December 2025")[1].endswith(never)
    assert never not in told(lived, f"{other} from 22 to 25 December 2025")[1]
    missing = told(lived, "compare my sleep in December 2025 with March 2020")[0].reason
    assert missing is not None
    assert re.search("there are [1-9].* 2025, and 0 from 1 Mar 2020 to 31 Mar 2020$", missing)


def test_days_without_a_note_are_said_to_begin_with_the_first_one(lived: Lived) -> None:
    bridge, user = lived
    start = datetime(2026, 1, 4, 18, tzinfo=UTC)
    land(bridge.store, user, [Sample(key="alcohol", metric=Metric.NOTED, start=start, day=start.date(), value=2.0)])
    since = "days without it count from its first note until 14 days after your last note."
    assert told(lived, "do I sleep less after alcohol")[1].endswith(since)
    assert told(lived, "how many days without alcohol since December")[1].endswith(since)
    for text in ("do I sleep less after days with more than 8000 steps", "how many days without a workout this year"):
        assert since not in told(lived, text)[1], text


def test_a_night_by_weekday_is_said_to_be_that_of_waking(lived: Lived) -> None:
    of_waking = "a night is of the day on which you woke up."
    for text in ("sleep on Fridays", "Schlaf nach Wochentag", "Tiefschlaf freitags"):
        assert told(lived, text)[1].endswith(of_waking), text
    for text in ("steps on Fridays", "bedtime on Fridays"):
        assert of_waking not in told(lived, text)[1], text


def test_no_state_of_a_person_is_an_entry() -> None:
    assert isinstance(read("how often did I have choir in October", TODAY), Words)
    for text in ("am I cheerful", "am I at choir on Tuesday", "bin ich am Dienstag beim Chor"):
        with pytest.raises(NotRead):
            read(text, TODAY)


@pytest.mark.parametrize(
    ("text", "what", "of"),
    [
        ("hours with family in October", "entries.minutes", "sum"),
        ("appointments with friends in October", "entries", "count"),
        ("how often family in October", "entries", "count"),
        ("how many friends in October", "entries", "count"),
        ("did I see family in October", "entries", "count"),
        ("first time with friends in October", "entries", "first"),
    ],
)
def test_a_class_of_entries_is_asked_for_by_a_number_or_a_day(text: str, what: str, of: str) -> None:
    found = read(text, TODAY)
    assert (found.what, found.of) == (what, of)


@pytest.mark.parametrize("text", ["friends in October", "the last friends in October", "when did I see friends"])
def test_a_class_of_entries_alone_asks_for_nothing(text: str) -> None:
    with pytest.raises(NotRead):
        read(text, TODAY)
