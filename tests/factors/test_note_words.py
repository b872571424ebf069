"""Read notes: drinks with their number under one name, and the time that a text says."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from bridge.domain.errors import SetupError
from bridge.domain.noted import chips
from bridge.ingest.notes import Note, recent, record_note, said_note
from bridge.query.exposures import names
from bridge.store import Store

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 19, 30, tzinfo=ZONE)  # a Friday


def read(text: str, now: datetime = NOW) -> tuple[str, float, str]:
    """Return the name, amount and local time of the note in a text of ana's."""
    user = Store("sqlite://").people.add_user("ana", "Europe/Berlin", now=NOW)
    note = said_note(text, user, now=now)
    return note.name, note.amount, f"{note.at.astimezone(ZONE):%a %H:%M}"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("beer", ("alcohol", 1)),
        ("three beers", ("alcohol", 3)),
        ("2x beer", ("alcohol", 2)),
        ("wine 0.2l", ("alcohol", 1)),
        ("0.2l wine", ("alcohol", 1)),
        ("2 x 0,5l Bier", ("alcohol", 2)),
        ("ein Glas Wein", ("alcohol", 1)),
        ("zwei Gläser Weißwein", ("alcohol", 2)),
        ("two pints of lager", ("alcohol", 2)),
        ("2 pints", ("alcohol", 2)),
        ("gin tonic", ("alcohol", 1)),
        ("3 shots", ("alcohol", 3)),
        ("drei Schnäpse", ("alcohol", 3)),
        ("Bierchen", ("alcohol", 1)),
        ("sekt 2", ("alcohol", 2)),
        ("beer 2 and wine 1", ("alcohol", 3)),
        ("2 beers with Tom", ("alcohol", 2)),
        ("no alcohol", ("alcohol", 0)),
        ("alkoholfreies Bier", ("alkoholfreies bier", 1)),
        ("wine tasting", ("wine tasting", 1)),
        ("flu shot", ("flu shot", 1)),
        ("2 coffees", ("coffee", 2)),
        ("two cups of coffee", ("coffee", 2)),
        ("3 Tassen Kaffee", ("coffee", 3)),
        ("double espresso", ("coffee", 1)),
        ("cappuccino 2", ("coffee", 2)),
        ("2 late coffees", ("late coffee", 2)),
        ("später Kaffee", ("late coffee", 1)),
        ("decaf coffee", ("decaf coffee", 1)),
        ("coffee 80 mg", ("coffee 80 mg", 1)),
    ],
)
def test_a_drink_is_alcohol_or_coffee_with_its_number(text: str, kept: tuple[str, float]) -> None:
    assert read(text)[:2] == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("two glasses of wine last night", ("alcohol", 2, "Thu 21:00")),
        ("last night at 1am 2 shots", ("alcohol", 2, "Fri 01:00")),
        ("three beers yesterday", ("alcohol", 3, "Thu 12:00")),
        ("yesterday evening at 8 a beer", ("alcohol", 1, "Thu 20:00")),
        ("3 Bier gestern Abend", ("alcohol", 3, "Thu 21:00")),
        ("wine 2 gestern um 22 Uhr", ("alcohol", 2, "Thu 22:00")),
        ("Samstag Abend 4 Bier", ("alcohol", 4, "Sat 21:00")),
        ("4 beers last friday evening at 10", ("alcohol", 4, "Fri 22:00")),
        ("coffee at 4pm", ("coffee", 1, "Fri 16:00")),
        ("coffee at 4 pm with Anna", ("coffee", 1, "Fri 16:00")),
        ("3 Tassen Kaffee um 17 Uhr", ("coffee", 3, "Fri 17:00")),
        ("Kaffee um 17 Uhr 30", ("coffee", 1, "Fri 17:30")),
        ("2 espresso after lunch", ("coffee", 2, "Fri 14:00")),
        ("late coffee yesterday 17:00", ("late coffee", 1, "Thu 17:00")),
        ("this morning yoga", ("yoga", 1, "Fri 08:00")),
        ("a beer tonight", ("alcohol", 1, "Fri 19:30")),
        ("headache 3 at 15:00", ("headache", 3, "Fri 15:00")),
        ("ibuprofen 400 at 8:00", ("ibuprofen", 400, "Fri 08:00")),
        ("night shift", ("night shift", 1, "Fri 19:30")),
        ("sunday roast", ("sunday roast", 1, "Fri 19:30")),
        ("sauna 2h", ("sauna 2h", 1, "Fri 19:30")),
    ],
)
def test_the_time_in_a_text_is_the_time_of_the_note(text: str, kept: tuple[str, float, str]) -> None:
    assert read(text) == kept


def test_until_four_an_evening_is_that_of_the_day_before() -> None:
    past_midnight = datetime(2026, 11, 20, 1, 30, tzinfo=ZONE)
    assert read("two beers tonight", past_midnight) == ("alcohol", 2, "Thu 21:00")
    assert read("two beers last night", past_midnight) == ("alcohol", 2, "Thu 21:00")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("coffee at 11pm", "23:00 is still to come"),
        ("coffee tomorrow", "2026-11-21 is still to come"),
        ("coffee at 4", "before or after noon"),
        ("coffee at 25:00", "not a time of day"),
        ("a few beers", "how many drinks"),
        ("a bottle of wine", "how many drinks"),
        ("2 beers and a coffee", "different drinks"),
    ],
)
def test_what_is_to_come_or_open_is_refused(text: str, why: str) -> None:
    with pytest.raises(SetupError, match=why):
        read(text)


def test_older_labels_of_drinks_keep_their_name_and_are_no_buttons() -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for name, amount in (("beers", 3), ("tassen kaffee um 17 uhr", 3), ("late coffee", 1)):
        record_note(store, user, Note(at=NOW, name=name, amount=amount), now=NOW)
    assert {one.name for one in recent(store, user)} == {"beers", "tassen kaffee um 17 uhr", "late coffee"}
    assert {"beers", "alcohol", "coffee", "late coffee"} <= {*names(store, user)}
    assert chips(store.daily.noted(user.id)) == ["alcohol", "late coffee", "coffee", "late meal"]


@pytest.mark.parametrize("text", ["a beer yesterday", "a beer yesterday evening", "beer at noon"])
def test_notes_at_an_assumed_minute_add_up_and_a_repeated_request_counts_once(text: str) -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for minutes, seen, outcome in ((1, 0, "new"), (2, 0, "unchanged"), (4, 3, "new"), (5, 5, "new")):
        now = NOW + timedelta(minutes=minutes)
        said = said_note(text, user, now=now)
        assert record_note(store, user, said, now=now, seen=NOW + timedelta(minutes=seen)) == outcome
    assert [one.amount for one in recent(store, user)] == [1, 1, 1]


def test_a_note_at_a_said_minute_corrects_the_note_of_that_minute() -> None:
    store = Store("sqlite://")
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    for text in ("coffee at 4pm", "2 coffees at 4pm"):
        record_note(store, user, said_note(text, user, now=NOW), now=NOW)
    assert [one.amount for one in recent(store, user)] == [2]
