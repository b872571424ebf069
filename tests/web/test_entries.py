"""The page that asks what entries are: a tap holds for the series, and what was said is asked no more."""

from __future__ import annotations

import re
from html import unescape

from bridge import installation
from bridge.domain.records import User
from rhythm_env.interface import ActionType
from tests.web.served import Place, Visitor

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
    assert "Choir" not in visitor.get("/entries").text
    assert visitor.change("/entries", {"event": "nothing", "action": "LEARN"}).status_code == 400


def test_without_a_calendar_nothing_is_asked(place: Place, ana: User) -> None:
    assert "Nothing is left to ask." in place.visitor().get("/entries").text
