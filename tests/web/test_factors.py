"""The page of factors: chips note something at a touch, and the table says what is known of it."""

from __future__ import annotations

import queue
import re
import threading
from html import unescape

import pytest

from bridge.domain.records import User
from bridge.ingest import notes
from bridge.query.effects import Effect
from bridge.web.pages import factors
from bridge.web.result_cache import ResultCache
from bridge.web.said import key_of
from tests.web.served import Place, Visitor


def test_a_chip_notes_and_the_table_says_how_many_days_are_left(place: Place, ana: User) -> None:
    visitor = place.visitor()
    shown = unescape(visitor.get("/factors").text)
    assert "Nothing is known yet." in shown
    assert 'value="late coffee"' in shown
    assert visitor.change("/factors", {"text": "ginger tea 2"}).status_code == 303
    assert [one.name for one in notes.recent(place.bridge.store, ana)] == ["ginger tea"]
    assert 'value="ginger tea"' in unescape(visitor.get("/factors").text)
    assert 'value="ginger tea"' in unescape(visitor.get("/").text)
    again = visitor.change("/factors", {"text": "ginger tea", "back": "/"})
    assert (again.status_code, again.headers["location"]) == (303, "/?noted=updated")
    assert visitor.change("/factors", {"text": "ginger tea", "back": "https://example.org"}).status_code == 422
    assert "Noted: ginger tea." in unescape(visitor.get("/").text)
    wrong = visitor.change("/factors", {"text": "7"})
    assert wrong.status_code == 400
    assert len(notes.recent(place.bridge.store, ana)) == 1


def test_a_second_note_of_a_day_says_what_they_make(place: Place, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = place.visitor()
    visitor.get("/factors")
    visitor.change("/factors", {"text": "alcohol"})
    assert "on this day" not in visitor.get("/factors").text
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:06:30+01:00")
    visitor.change("/factors", {"text": "alcohol"})
    assert "Noted: alcohol. That makes 2 on this day." in visitor.get("/factors").text


def test_what_was_noted_is_said_listed_and_taken_back(place: Place, ana: User) -> None:
    visitor = place.visitor()
    visitor.get("/factors")
    for text in ("ginger tea 2", "late coffee"):
        visitor.change("/factors", {"text": text})
    shown = unescape(visitor.get("/factors").text)
    assert 'role="status">Noted: ' in shown
    keys = re.findall(r'name="said" value="([^"]+)"', shown)
    assert "ginger tea 2 <span" in shown
    assert len(keys) == 2
    (tea,) = [key for key in keys if "tea" in key]
    for _ in range(2):  # the second from an older page
        assert visitor.change("/factors/back", {"said": tea}).status_code == 303
    assert [one.name for one in notes.recent(place.bridge.store, ana)] == ["late coffee"]


def test_a_difference_has_no_more_digits_than_tell_something() -> None:
    for unit, effect, wanted in (
        ("level", -0.0252, "−0.03"),
        ("bpm", 6.09, "+6.1 bpm"),
        ("steps", 1234.5, "+1,234 steps"),
    ):
        one = Effect(factor="wine", on="x", unit=unit, n_with=9, n_without=9, effect=effect, interval=(effect, 0))
        assert factors._row(one)["effect"] == wanted


def test_a_note_is_of_the_day_that_is_said_or_chosen_and_stands_on_its_page(place: Place, ana: User) -> None:
    visitor = place.visitor()
    visitor.get("/factors")
    said = {  # it is Friday, 20 November
        "yesterday coffee 2": ("coffee", 2, "2026-11-19"),
        "coffee 3 yesterday": ("coffee", 3, "2026-11-19"),
        "2 coffees on Saturday": ("coffee", 2, "2026-11-14"),
        "gestern 2 Kaffee": ("coffee", 2, "2026-11-19"),
        "2026-11-01 wine": ("alcohol", 1, "2026-11-01"),
        "sunday roast": ("sunday roast", 1, "2026-11-20"),
    }
    for text, wanted in said.items():
        visitor.change("/factors", {"text": text, "day": "2026-11-20"})
        assert wanted in {(one.name, one.amount, str(one.at.date())) for one in notes.recent(place.bridge.store, ana)}
    earlier = visitor.change("/factors", {"text": "coffee at 8am", "day": "2026-11-20"})
    assert earlier.headers["location"] == "/day?date=2026-11-20#said"
    assert "Fri 20 Nov, 08:00" in visitor.get(earlier.headers["location"]).text
    chosen = visitor.change("/factors", {"text": "late meal", "day": "2026-11-18"})
    assert chosen.headers["location"] == "/day?date=2026-11-18#said"
    assert "late meal" in visitor.get("/day?date=2026-11-18").text
    assert "late meal" not in visitor.get("/day?date=2026-11-19").text
    for wrong in ("2 coffee 3", "wine 2026-13-40", "7"):
        answer = visitor.change("/factors", {"text": wrong})
        assert (answer.status_code, "bridge note" in answer.text) == (400, False)
        assert f'name="text" value="{wrong}"' in answer.text
    assert visitor.change("/factors", {"text": "wine", "day": "2026-11-21"}).status_code == 400
    assert 'type="date" name="day" value="2026-11-20" max="2026-11-20"' in visitor.get("/factors").text


def test_who_has_a_calendar_is_not_sent_to_connect_one(place: Place, ana: User, visitor: Visitor) -> None:
    shown = visitor.get("/factors").text
    assert "Note what may matter" in shown
    assert "connect a calendar" not in shown


def test_a_result_that_need_not_be_waited_for_is_made_behind_the_page(ana: User) -> None:
    cache, go = ResultCache(), threading.Event()
    made: queue.SimpleQueue[bool] = queue.SimpleQueue()

    def slow() -> str:
        made.put(go.wait(5))
        return "new"

    assert cache.get(ana, "it", (1,), lambda: "old", wait=False) == "old"
    for _ in range(3):  # one thread makes it
        assert cache.get(ana, "it", (2,), slow, wait=False) == "old"
    go.set()
    assert cache.get(ana, "it", (3,), lambda: "newest") == "newest"
    assert made.get(timeout=5)
    assert made.empty()


def test_a_stop_waits_for_a_result_that_is_made_behind_the_page(ana: User) -> None:
    cache, go = ResultCache(), threading.Event()
    assert cache.get(ana, "it", (1,), lambda: "old") == "old"
    cache.get(ana, "it", (2,), lambda: "new" if go.wait(5) else "late", wait=False)
    threading.Timer(0.1, go.set).start()
    cache.finish()
    assert cache.get(ana, "it", (2,), lambda: "made again") == "new"


def test_what_is_often_noted_is_one_factor_in_every_language(place: Place, ana: User) -> None:
    visitor = place.visitor()
    visitor.get("/factors")
    visitor.change("/factors", {"text": "alcohol", "day": "2026-11-18"})
    visitor.headers["Accept-Language"] = "de"
    german = unescape(visitor.get("/factors").text)
    assert re.findall(r'name="text" value="(al[ck]o[^"]+)"', german, re.IGNORECASE) == ["Alkohol"]
    visitor.change("/factors", {"text": "Alkohol 2"})
    assert {one.name for one in notes.recent(place.bridge.store, ana)} == {"alcohol"}


def test_glasses_of_a_drink_are_alcohol_and_a_note_of_the_same_minute_says_what_counts(place: Place, ana: User) -> None:
    visitor = place.visitor()
    visitor.get("/factors")
    for text, wanted in (
        ("two glasses of wine", "Noted: alcohol 2."),
        ("2 Gläser Rotwein", "Noted: alcohol 2. It was noted in this minute before, and counts once."),
        ("alcohol 3", "Noted: alcohol 3. Within a minute, the last amount counts."),
    ):
        shown = visitor.get(visitor.change("/factors", {"text": text, "back": "/"}).headers["location"])
        assert wanted in unescape(shown.text)
    (one,) = notes.recent(place.bridge.store, ana)
    after = visitor.change("/factors/back", {"said": key_of(one), "back": "/#noted"})
    assert after.headers["location"] == "/?noted=deleted#noted"
    assert 'role="status">Taken back.' in visitor.get("/?noted=deleted").text


def test_a_form_that_is_sent_twice_notes_once_and_a_new_one_notes_again(
    place: Place, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, many = place.visitor(), []
    for minute in (6, 8):
        (seen,) = re.findall(r'name="seen" value="([^"]+)"', visitor.get("/factors").text)
        for second in (20, 21):
            monkeypatch.setenv("BRIDGE_NOW", f"2026-11-20T10:{minute:02}:{second}+01:00")
            visitor.change("/factors", {"text": "a beer yesterday", "seen": seen})
        many.append(len(notes.recent(place.bridge.store, ana)))
    assert many == [1, 2]
