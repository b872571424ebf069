"""All that was noted in a time, in plain questions: which notes, and how much of each."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from bridge.documents.query import asked_document
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.ingest.notes import Note, record_note
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query.plain import read
from tests.query.life import lived
from tests.query.wearer import NOW

__all__ = ["lived"]
TODAY = date(2026, 12, 1)  # a Tuesday


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("what did I note on 3 November?", "2026-11-03", "2026-11-03"),
        ("what have I noted this week", "2026-11-30", "2026-12-06"),
        ("what did I write down yesterday", "2026-11-30", "2026-11-30"),
        ("show me my notes from last week", "2026-11-23", "2026-11-29"),
        ("which notes did I make last month", "2026-11-01", "2026-11-30"),
        ("was hab ich am Sonntag notiert", "2026-11-29", "2026-11-29"),
        ("was habe ich am 5. November aufgeschrieben", "2026-11-05", "2026-11-05"),
        ("was hab ich mir gestern alles notiert", "2026-11-30", "2026-11-30"),
        ("meine Notizen vom 3. November", "2026-11-03", "2026-11-03"),
        ("zeig mir meine Notizen von letzter Woche", "2026-11-23", "2026-11-29"),
    ],
)
def test_all_notes_of_a_time_are_asked_for(text: str, since: str, until: str) -> None:
    found = read(text, TODAY, ("coffee", "sonntag"))
    assert (found.what, found.of, found.since, found.until) == ("notes", "sum", since, until)


@pytest.mark.parametrize(
    "text", ["what did I note about wine", "was hab ich zu Wein notiert", "what did I note at Ana's"]
)
def test_notes_of_something_are_not_all_of_them(text: str) -> None:
    with pytest.raises(SetupError):
        read(text, TODAY, ("coffee",))


def test_each_note_of_the_time_has_its_amount_and_none_is_said(lived: tuple[Bridge, User]) -> None:
    for day, name, amount in (
        (20, "headache", 1.0),
        (20, "magnesium", 2.0),
        (22, "magnesium", 3.0),
        (25, "sauna", 1.0),
    ):
        note = Note(at=datetime(2026, 11, day, 12, tzinfo=UTC), name=name, amount=amount)
        record_note(lived[0].store, lived[1], note, now=NOW)
    asked: dict[str, dict[str, float]] = {
        "what did I note on 20 November": {"headache": 1, "magnesium": 2},
        "what did I note between 20 and 24 November": {"magnesium": 5, "headache": 1},
        "was habe ich am 22. November notiert": {"magnesium": 3},
    }
    for text, amounts in asked.items():
        found = asking.plain(*lived, text, now=NOW)[0]
        told = {one.key: one.value for one in found.groups} or {found.query.subject.name: found.value}
        assert told == amounts, text
    none = asked_document(asking.plain(*lived, "what did I note on 21 November", now=NOW)[0])
    assert (none["value"], none["reason"]) == (None, "you noted nothing in that span")
