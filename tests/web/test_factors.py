"""The page of factors: chips note something at a touch, and the table says what is known of it."""

from __future__ import annotations

from html import unescape

from bridge.domain.records import User
from bridge.ingest import notes
from tests.web.served import Place


def test_a_chip_notes_and_the_table_says_how_many_days_are_left(place: Place, ana: User) -> None:
    visitor = place.visitor()
    shown = unescape(visitor.get("/factors").text)
    assert "Nothing is known yet." in shown
    assert 'value="late coffee"' in shown
    assert visitor.change("/factors", {"text": "wine 2"}).status_code == 303
    assert [one.name for one in notes.recent(place.bridge.store, ana)] == ["wine"]
    assert 'value="wine"' in unescape(visitor.get("/factors").text)
    assert 'value="wine"' in unescape(visitor.get("/").text)
    again = visitor.change("/factors", {"text": "wine", "back": "/"})
    assert (again.status_code, again.headers["location"]) == (303, "/")
    assert visitor.change("/factors", {"text": "wine", "back": "https://example.org"}).status_code == 422
    wrong = visitor.change("/factors", {"text": "7"})
    assert wrong.status_code == 400
    assert len(notes.recent(place.bridge.store, ana)) == 1
