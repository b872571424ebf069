"""The page that asks what entries are: a tap holds for the series, and what was said is asked no more."""

from __future__ import annotations

import re
from html import unescape

import pytest

from bridge import installation
from bridge.domain.records import User
from rhythm_env.interface import ActionType
from tests.web.served import Place, Visitor, calendar

PART = {"HX-Request": "true"}
ASKED = re.compile(r'<li class="card">\s*<p><strong>([^<]+)</strong>.*?name="event" value="([^"]+)"', re.DOTALL)


def test_a_tap_is_an_answer_for_the_series_and_asked_no_more(place: Place, ana: User, visitor: Visitor) -> None:
    asked = dict(ASKED.findall(visitor.get("/entries").text))
    assert {"Planning", "Choir"} <= set(asked)
    assert len(asked) <= 12
    form = {"event": unescape(asked["Choir"]), "action": "FAMILY_TIME"}
    part = visitor.change("/entries", form, headers={"HX-Request": "true"}).text
    assert "Choir</strong>: Family time" in part
    said = place.bridge.store.people.corrections(ana.id, at=installation.now())
    assert [one.action for one in said] == [ActionType.FAMILY_TIME]
    assert "Choir" not in dict(ASKED.findall(visitor.get("/entries").text))
    assert visitor.change("/entries", {"event": "nothing", "action": "LEARN"}).status_code == 400


def test_old_entries_are_not_asked_about_which_the_page_says(place: Place, ana: User) -> None:
    visitor = place.visitor()
    visitor.get("/connections")
    old = calendar().replace(b"2026", b"2020").replace(b"RRULE", b"X-RULE")
    visitor.finished(visitor.upload("old.ics", old).text)
    shown = visitor.get("/entries").text
    assert re.search(r"within two months of today are asked about, and your newest is of \d+ November 2020\.", shown)
    assert "Nothing is left to ask" not in shown


@pytest.mark.parametrize("page", ["/entries", "/connections"])
def test_an_answer_is_taken_back_at_once_or_later(place: Place, ana: User, visitor: Visitor, page: str) -> None:
    series, store = dict(ASKED.findall(visitor.get("/entries").text))["Choir"], place.bridge.store
    visitor.get("/week")  # which holds the entry as it was
    for where in ("at once", "later"):
        before = labels(place, ana)
        part = visitor.change("/entries", {"event": unescape(series), "action": "LEARN"}, headers=PART).text
        assert labels(place, ana) != before
        shown = part if where == "at once" else visitor.get(page).text
        (event,) = re.findall(r'action="/entries/answer/back">.*?name="event" value="([^"]+)"', shown, re.DOTALL)
        back = visitor.change("/entries/answer/back", {"event": unescape(event), "back": page})
        assert back.headers["location"] == f"{page}#answers"
        assert not store.people.corrections(ana.id)
        assert labels(place, ana) == before
        assert series in dict(ASKED.findall(visitor.get("/entries").text)).values()


def labels(place: Place, user: User) -> list[object]:
    """Return what the page knows today's entries as."""
    known = place.made.state.page.today_cache.snapshot(place.bridge, user, installation.now())
    return [label.action for _, label in known.agenda]


def test_without_a_calendar_nothing_is_asked(place: Place, ana: User) -> None:
    assert "Nothing is left to ask." in place.visitor().get("/entries").text
