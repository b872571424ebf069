"""The field for questions on the page, and the same at the API."""

from __future__ import annotations

from html import unescape

from bridge.domain.records import User
from rhythm_env.interface import ActionType
from tests.web.served import Place, Visitor
from tests.web.test_week import ics


def test_the_page_answers_or_says_what_it_cannot_read(place: Place, ana: User, visitor: Visitor) -> None:
    assert 'action="/ask"' in place.visitor().get("/trends").text
    shown = place.visitor().get("/ask?text=how+many+workouts+by+sport")
    assert shown.status_code == 200
    assert "Understood: the number of workouts, by sport." in unescape(shown.text)
    by_action = unescape(visitor.get("/ask?text=calendar+entries+by+action").text)
    assert "Admin and errands" in by_action
    assert not [action for action in ActionType if action in by_action]
    refused = place.visitor().get("/ask?text=why+am+I+tired")
    assert refused.status_code == 400
    assert "not understood as a whole" in refused.text
    told = place.visitor().get("/api/v1/ask?text=wie+viele+Trainings+hatte+ich+im+Oktober").json()
    assert (told["value"], told["query"]["what"], told["query"]["since"][5:]) == (0, "workouts", "10-01")
    assert told["said"] == "none of your sources told workouts."
    assert place.visitor().get("/api/v1/ask?text=why").status_code == 400


def test_the_page_heads_entries_by_their_minutes_and_shows_no_zero_of_what_is_untold(visitor: Visitor) -> None:
    listed = visitor.get("/ask?text=what+do+I+have+next+Friday").text
    assert "You have 1 calendar entry, " in listed
    assert '<th scope="col" class="number">min</th>' in listed
    assert '<td class="number">2 h</td>' in listed
    untold = visitor.get("/ask?text=how+many+workouts+did+I+do").text
    assert "None of your sources told workouts." in untold
    assert "No figure</h2>" in untold
    assert "0 workouts" not in untold


def test_an_entry_of_several_days_is_told_with_its_first_and_last(ana: User, visitor: Visitor) -> None:
    times = "DTSTART;TZID=Europe/Berlin:20261119T080000\r\nDTEND;TZID=Europe/Berlin:20261122T180000"
    visitor.finished(visitor.upload("trip.ics", ics([("trip", times, "Business trip")])).text)
    shown = visitor.get("/ask?text=when+is+my+business+trip").text
    assert "Thu 19 Nov 2026 – Sun 22 Nov 2026" in shown
    assert "That was on" not in shown  # its second day, on which it is asked


def test_the_day_of_what_is_to_come_is_not_past(visitor: Visitor) -> None:
    assert "That is on Fri 27 Nov 2026." in visitor.get("/ask?text=what+is+my+longest+entry+next+week").text
    said_once = visitor.get("/ask?text=when+is+my+next+Choir").text
    assert ("Fri 20 Nov 2026</h2>" in said_once, "That is on" in said_once) == (True, False)
