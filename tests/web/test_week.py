"""The week as 28 slots, what may be moved in it, and the history of advice page by page."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest

from bridge import installation
from bridge.advice import recommend as advise
from bridge.advice import requests as advising
from bridge.auth import access
from bridge.domain.records import Deed, Recommendation, User
from bridge.domain.slots import moment_at
from bridge.web.pages.history import PAGE_ROWS
from rhythm_env.interface import Answer
from tests.web.conftest import secured
from tests.web.served import HOSTILE, Place, Visitor, calendar

NEXT_DAY = "2026-11-21T10:05:00+01:00"


def advised(place: Place, user: User) -> Recommendation:
    found = advising.recommend(place.bridge, user, now=installation.now())
    assert isinstance(found, Recommendation)
    return found


def unanswered(place: Place, given: Recommendation) -> bool:
    found = place.bridge.store.recommendations.by_id(given.id)
    return found is not None and found.answer is found.moved_to is None


def test_a_week_has_28_slots_with_its_entries(place: Place, ana: User, visitor: Visitor) -> None:
    shown = visitor.get("/week").text
    assert len(re.findall(r'class="cell', shown)) == 28
    assert shown.count("Planning") == shown.count("Choir") == 1
    assert shown.count("data-slot=") == 11  # from Friday's afternoon to Sunday's night
    assert "Planning" not in visitor.get("/week?week=2026-W48").text
    assert "Choir" in visitor.get("/week?week=2026-11-27").text
    assert visitor.get("/week?week=next").status_code == 400


def test_without_a_calendar_the_week_says_so(place: Place, ana: User) -> None:
    shown = place.visitor().get("/week").text
    assert "No calendar is connected yet" in shown
    assert "busy</small>" not in shown


def test_titles_are_text(place: Place, ana: User, visitor: Visitor) -> None:
    visitor.finished(visitor.upload("hostile.ics", calendar(HOSTILE, "hostile")).text)
    shown = visitor.get("/week").text
    assert "<script>alert" not in shown
    assert "alert(1)" in unescape(shown)


def test_a_suggestion_is_moved_and_stands_in_its_new_slot(place: Place, ana: User, visitor: Visitor) -> None:
    given = advised(place, ana)
    assert f'action="/week/{given.id}"' in visitor.get("/week").text
    to = moment_at(installation.now(), ana.zones).shifted(5)
    moved = visitor.change(f"/week/{given.id}", {"to": f"{to.week}/{to.timestep}", "week": "2026-W47"})
    assert (moved.status_code, moved.headers["location"]) == (303, "/week?week=2026-W47")
    kept = place.bridge.store.recommendations.by_id(given.id)
    assert kept is not None
    assert (kept.answer, kept.moved_to) == (Answer.RESCHEDULE, to)
    shown = visitor.get("/week").text
    assert shown.count("moved here") == shown.count("moved to Sat afternoon") == 1


@pytest.mark.parametrize("to", ["2026-11-16/16", "2026-11-16/3", "2027-01-04/1", "nonsense", ""])
def test_it_is_not_moved_to_a_slot_that_has_begun_or_is_far(place: Place, ana: User, visitor: Visitor, to: str) -> None:
    given = advised(place, ana)
    assert visitor.change(f"/week/{given.id}", {"to": to}).status_code in (400, 422)
    assert unanswered(place, given)


def test_nobody_moves_what_is_not_theirs(place: Place, ana: User, visitor: Visitor) -> None:
    secured(place, "ben", "battery staple")
    given = advised(place, ana)
    to = moment_at(installation.now(), ana.zones).shifted(5)
    ben = place.visitor()
    ben.log_in("ben", "battery staple")
    ben.get("/week")
    assert ben.change(f"/week/{given.id}", {"to": f"{to.week}/{to.timestep}"}).status_code == 400
    assert unanswered(place, given)


def test_what_is_over_can_no_longer_be_moved(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = advised(place, ana)
    monkeypatch.setenv("BRIDGE_NOW", NEXT_DAY)
    shown = visitor.get("/week").text
    assert "advised fixed" in shown
    assert f'action="/week/{given.id}"' not in shown


def test_the_history_tells_what_was_pressed_apart_from_what_was_seen(place: Place, ana: User, visitor: Visitor) -> None:
    given, store = advised(place, ana), place.bridge.store
    assert cells(visitor) == ["nothing", "Still ahead"]
    advise.give_feedback(store, ana, given.id, Answer.ACCEPT, now=installation.now())
    store.recommendations.save_outcome(given.id, Deed.NOT_DONE, ("<b>no entry</b>",), at=installation.now())
    assert cells(visitor) == ["Accept Fri 10:05", "Not done &lt;b&gt;no entry&lt;/b&gt;"]


def cells(visitor: Visitor) -> list[str]:
    """The last two cells of the one row, without markup."""
    found = re.findall(r"<td><span class=\"name\">[^<]*</span>(.*?)</td>", visitor.get("/history").text, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell).strip() for cell in found]


def test_the_history_is_paged(place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    at, given = installation.now(), 0
    while given <= PAGE_ROWS:
        given += isinstance(advising.recommend(place.bridge, ana, now=at), Recommendation)
        at += timedelta(hours=6)
    monkeypatch.setenv("BRIDGE_NOW", at.isoformat())
    newest = visitor.get("/history").text
    (earlier,) = re.findall(r"/history\?before=\d+", newest)
    last = visitor.get(earlier).text
    assert (newest.count('scope="row"'), last.count('scope="row"')) == (PAGE_ROWS, 1)
    assert "/history?before" not in last
    assert 'href="/history">Newest' in last
    assert visitor.get("/history?before=0").status_code == 422


@pytest.mark.parametrize("path", ["/week", "/history"])
def test_what_these_pages_show_counts_as_seen_and_what_programs_read_does_not(
    place: Place, ana: User, visitor: Visitor, path: str
) -> None:
    given = advising.recommend(place.bridge, ana, now=installation.now(), seen=False)
    assert isinstance(given, Recommendation)
    _, token = access.new_token(place.bridge.store, ana, "lamp", now=installation.now())
    program = place.visitor()
    program.headers["Authorization"] = f"Bearer {token}"
    for reader, seen_at in ((program, None), (visitor, installation.now())):
        assert reader.get(path).status_code == 200
        kept = place.bridge.store.recommendations.by_id(given.id)
        assert kept is not None
        assert kept.shown_at == seen_at


def test_an_empty_history_says_so(place: Place, ana: User, visitor: Visitor) -> None:
    assert "There was no suggestion yet" in visitor.get("/history").text
