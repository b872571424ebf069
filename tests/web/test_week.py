"""The week as 28 slots, what may be moved in it, and the history of advice page by page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from html import unescape
from urllib.parse import quote

import pytest

from bridge import installation
from bridge.advice import answer_links, feedback, wishing
from bridge.advice import requests as advising
from bridge.advice.day_plan import plan_day
from bridge.auth import access
from bridge.domain.facts import fact
from bridge.domain.records import Deed, Feedback, Recommendation, User
from bridge.domain.rendering import told
from bridge.domain.slots import moment_at
from bridge.web.pages.review import PAGE_ROWS
from rhythm_env.interface import ActionType, Answer
from tests.web.conftest import secured
from tests.web.served import HOSTILE, Place, Visitor, calendar

PART = {"HX-Request": "true"}
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
    planning = re.search(r'<li class="entry">[^\n]*Planning[^\n]*', shown)
    assert planning is not None
    assert "Admin and errands" not in planning[0]  # an entry's own title says what it is
    assert "Planning" not in visitor.get("/week?week=2026-W48").text
    assert "Choir" in visitor.get("/week?week=2026-11-27").text
    assert visitor.get("/week?week=next").status_code == 400


def test_overlapping_entries_stand_side_by_side_and_each_once(place: Place, ana: User, visitor: Visitor) -> None:
    timed = "DTSTART;TZID=Europe/Berlin:20261121T{}00\r\nDTEND;TZID=Europe/Berlin:20261121T{}00"
    events = ((f"x{n}", timed.format(*hours), name) for n, (name, *hours) in enumerate(OVERLAPPING))
    visitor.finished(visitor.upload("more.ics", ics(events)).text)
    shown = visitor.get("/week").text
    assert [shown.count(name) for name, *_ in OVERLAPPING] == [1, 1, 1]  # Brunch ends in the next slot
    assert len(re.findall(r'<li class="abreast">', shown)) == 1
    assert 'class="beside"' not in shown.partition('class="week"')[2]  # that of the navigation has its own place
    assert shown.index('class="abreast"') < shown.index("Brunch") < shown.index("Roof")


def test_a_slot_that_an_earlier_entry_fills_names_it(ana: User, visitor: Visitor) -> None:
    timed = "DTSTART;TZID=Europe/Berlin:20261121T090000\r\nDTEND;TZID=Europe/Berlin:20261121T180000"
    visitor.finished(visitor.upload("more.ics", ics([("long", timed, "Workshop")])).text)
    filled = next(cell for cell in visitor.get("/week").text.split('class="cell') if "100%" in cell and "until" in cell)
    assert "until 18:00: Workshop" in filled


def test_a_shift_of_the_night_before_a_week_says_until_when_above_its_first_entry(ana: User, visitor: Visitor) -> None:
    timed = "DTSTART;TZID=Europe/Berlin:{}\r\nDTEND;TZID=Europe/Berlin:{}"
    shift = timed.format("20261122T211500", "20261123T071500")
    dentist = timed.format("20261123T110000", "20261123T113000")
    visitor.finished(visitor.upload("more.ics", ics([("s", shift, "Night shift"), ("d", dentist, "Dentist")])).text)
    monday = visitor.get("/week?week=2026-W48").text.split('class="cell')[1]
    assert "until 07:15: Night shift" in monday
    assert "21:15" not in monday
    assert "Dentist" in monday


def test_an_entry_of_several_days_stands_on_each_beside_the_entries_of_its_own(ana: User, visitor: Visitor) -> None:
    timed = "DTSTART;TZID=Europe/Berlin:{}\r\nDTEND;TZID=Europe/Berlin:{}"
    trip, gym = timed.format("20261116T080000", "20261119T180000"), timed.format("20261118T083000", "20261118T093000")
    visitor.finished(visitor.upload("more.ics", ics([("trip", trip, "Trip"), ("gym", gym, "Gym")])).text)
    slots = visitor.get("/week").text.split('class="cell')
    assert sum("until Thu 18:00: Trip" in slot for slot in slots) == 13  # from the first afternoon to the last
    assert any("until Thu 18:00: Trip" in slot and "Gym" in slot for slot in slots)
    for day in (17, 18, 19):  # which are over
        shown = re.sub(r"<[^>]*>|\s+", " ", visitor.get(f"/day?date=2026-11-{day}").text)
        assert re.search(r"Mon 08:00–Thu 18:00 +Trip", shown)


OVERLAPPING = (("Brunch", "1030", "1300"), ("Roof", "1130", "1200"), ("Nothing beside", "1500", "1600"))


def ics(events: Iterable[tuple[str, str, str]]) -> bytes:
    parts = [
        f"BEGIN:VEVENT\r\nUID:{key}\r\nDTSTAMP:20261101T000000Z\r\n{times}\r\nSUMMARY:{title}\r\nEND:VEVENT\r\n"
        for key, times, title in events
    ]
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{''.join(parts)}END:VCALENDAR\r\n".encode()


def test_an_entry_ends_by_the_clock_of_where_one_is_then(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = "DTSTART;TZID=Europe/Berlin:20261119T220000\r\nDTEND;TZID=Europe/Berlin:20261121T070000"
    visitor.finished(visitor.upload("shift.ics", ics([("shift", times, "Night shift")])).text)
    assert "until Sat 07:00: Night shift" in visitor.get("/week").text
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T12:05:00+01:00")
    visitor.change("/settings/zone", {"zone": "Atlantic/Azores"})  # two hours back, from now on
    assert "until Sat 05:00: Night shift" in visitor.get("/week").text
    shown = re.sub(r"<[^>]*>|\s+", " ", visitor.get("/day?date=2026-11-21").text)
    assert re.search(r"Thu 20:00–Sat 05:00 +Night shift", shown)


def test_without_a_calendar_the_week_says_so(place: Place, ana: User) -> None:
    shown = place.visitor().get("/week").text
    assert "No calendar is connected yet" in shown
    assert "busy</small>" not in shown


def test_a_suggestion_of_the_week_says_why(place: Place, ana: User, visitor: Visitor) -> None:
    given = advised(place, ana)
    (why,) = re.findall(r'class="soft why">([^<]+)</p>', visitor.get("/week").text)
    assert unescape(why).lower() == f"{told(given.facts[0])}.".lower()


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
    assert shown.count("put off from Fri morning") == shown.count("put off to Sat afternoon") == 1


def test_a_move_has_an_undo_which_gives_it_a_time_of_its_own_slot(place: Place, ana: User, visitor: Visitor) -> None:
    given, store = advised(place, ana), place.bridge.store.recommendations
    to = moment_at(installation.now(), ana.zones).shifted(5)
    visitor.change(f"/week/{given.id}", {"to": f"{to.week}/{to.timestep}"})
    moved = store.by_id(given.id)
    assert moved is not None
    assert moved.start != given.start
    undo = f'action="/advice/{given.id}/undo"'
    assert undo in visitor.get("/advice", headers=PART).text
    assert undo in visitor.get("/week").text
    visitor.change(f"/advice/{given.id}/undo", {"back": "/week"})
    again = advised(place, ana)
    assert (again.answer, again.moved_to, again.moment) == (None, None, given.moment)
    assert again.start is not None
    assert moment_at(again.start, ana.zones) == given.moment
    assert "moved" not in [one.kind for one in again.facts]
    assert "put off" not in visitor.get("/week").text


def test_a_slot_without_a_time_for_it_shows_no_older_time(place: Place, ana: User, visitor: Visitor) -> None:
    given, store, now = advised(place, ana), place.bridge.store.recommendations, installation.now()
    first, second = (moment_at(now, ana.zones).shifted(steps) for steps in (5, 6))
    visitor.change(f"/week/{given.id}", {"to": f"{first.week}/{first.timestep}"})
    store.save_feedback(given.id, Feedback(answer=Answer.RESCHEDULE, answered_at=now, moved_to=second))
    assert 'class="hours"' not in visitor.get("/").text


def test_the_previews_and_tasks_of_a_week_come(place: Place, demo: User) -> None:
    shown = place.visitor().get("/week/ahead?week=2026-W47", headers=PART)
    assert shown.status_code == 200
    assert 'action="/week/task"' in shown.text


def test_a_night_is_not_moved(place: Place, ana: User, visitor: Visitor) -> None:
    given, store = advised(place, ana), place.bridge.store.recommendations
    store.supersede(given.id, now=installation.now())
    night = store.add(replace(given, action=ActionType.SLEEP, kind="sleep", what=None))
    to = moment_at(installation.now(), ana.zones).shifted(20)
    shown = visitor.get("/").text
    assert f'action="/advice/{night.id}"' in shown
    assert f"/advice/{night.id}/gaps" not in shown
    assert f'action="/week/{night.id}"' not in visitor.get("/week").text
    for path, form in ((f"/week/{night.id}", {}), (f"/advice/{night.id}", {"answer": "reschedule"})):
        assert visitor.change(path, {**form, "to": f"{to.week}/{to.timestep}"}).status_code == 400
    assert unanswered(place, night)
    assert list(answer_links.paths(place.bridge, night)) == ["Accept", "Not now"]


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
    assert cells(visitor) == ["no answer", "Still ahead"]
    feedback.give_feedback(store, ana, given.id, Feedback(answer=Answer.ACCEPT), now=installation.now())
    store.recommendations.save_outcome(
        given.id, Deed.NOT_DONE, (fact("missed", source="<b>no entry</b>"),), at=installation.now()
    )
    assert cells(visitor) == ["Accepted Fri 10:05", "Not done nothing of it, &lt;b&gt;no entry&lt;/b&gt;"]


def cells(visitor: Visitor) -> list[str]:
    """The last two cells of the one row, without markup and forms."""
    found = re.findall(r"<td><span class=\"name\">[^<]*</span>(.*?)</td>", visitor.get("/history").text, re.DOTALL)
    return [re.sub(r"<form.*?</form>|<[^>]+>", "", cell, flags=re.DOTALL).strip() for cell in found]


def test_the_history_is_paged(place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    store = place.bridge.store.recommendations
    given = store.by_id(advised(place, ana).id)
    assert given is not None
    for later in range(1, PAGE_ROWS + 1):
        made = given.created_at + later * timedelta(hours=6)
        store.add(replace(given, moment=given.moment.shifted(later), created_at=made))
    monkeypatch.setenv("BRIDGE_NOW", (made + timedelta(hours=6)).isoformat())
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


TODO = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//test//EN
BEGIN:VTODO
UID:{key}
DTSTAMP:20261101T080000Z
SUMMARY:{title}
DUE;VALUE=DATE:{due}
END:VTODO
END:VCALENDAR
"""


def todo(title: str, due: str) -> bytes:
    return TODO.format(key=title, title=title, due=due).replace("\n", "\r\n").encode()


def test_the_week_shows_what_is_due_and_leads_to_its_days(place: Place, ana: User, visitor: Visitor) -> None:
    for title, due in (("Pay the rent", "20261118"), ("Book <dentist>", "20261121")):
        visitor.finished(visitor.upload(f"{due}.ics", todo(title, due)).text)
    shown = visitor.get("/week").text
    days = re.findall(r'<li class="day.*?(?=<li class="day|$)', shown, re.DOTALL)
    assert [re.findall(r'<ul class="due">.*?</ul>', day, re.DOTALL) != [] for day in days] == [False] * 4 + [
        True,
        True,
        False,
    ]
    assert "overdue" in days[4]
    assert "Pay the rent" in days[4]
    assert "Book &lt;dentist&gt;" in days[5]
    assert [re.findall(r'href="/day\?date=([\d-]+)"', day) for day in days] == [[f"2026-11-{n}"] for n in range(16, 23)]


def test_the_coming_days_show_what_is_expected_in_their_slots_and_a_task_once(
    place: Place, ana: User, visitor: Visitor
) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay the rent", "20261124")).text)
    shown, part = visitor.get("/week").text, visitor.get("/week/ahead?week=2026-W47", headers=PART).text
    assert 'hx-get="/week/ahead?week=2026-W47"' in shown
    cells_named = re.findall(r'id="(slot-[\d-]+)"[^>]* hx-swap-oob="true"', part)
    assert cells_named
    assert all(f'id="{name}"' in shown and name >= "slot-2026-11-20" for name in cells_named)
    next_week = visitor.get("/week/ahead?week=2026-W48", headers=PART).text
    assert (part + next_week).count("Pay the rent") == 1
    assert re.search(r'Pay the rent.*?class="soft why">It is due', part + next_week, re.DOTALL)
    for page, swaps in ((shown, part), (visitor.get("/week?week=2026-W48").text, next_week)):
        goes = re.findall(r'<div id="(due-\w+)" hx-swap-oob="delete">', swaps)
        assert set(goes) <= set(re.findall(r'<li id="(due-\w+)"', page))  # with its place its line at the day goes
        swapped = set(re.findall(r' id="([\w-]+)"[^>]* hx-swap-oob="true"', swaps))
        assert swapped <= set(re.findall(r' id="([\w-]+)"', page))
    assert "/week/ahead" not in visitor.get("/week?week=2026-W46").text
    assert visitor.get("/week/ahead?week=2026-W47").headers["location"] == "/week?week=2026-W47"
    assert visitor.get("/week/ahead?week=x", headers=PART).status_code == 400


def test_each_day_of_this_week_and_the_next_shows_its_expected_suggestions(
    place: Place, ana: User, visitor: Visitor
) -> None:
    wishing.say_wish(place.bridge.store, ana, "running every day at 18:00", confirmed=True, now=installation.now())
    parts = [visitor.get(f"/week/ahead?week=2026-W{week}", headers=PART).text for week in (47, 48)]
    cells = [cell for part in parts for cell in part.split('<li class="cell')]
    now, titles = installation.now(), list[str | None]()
    for ahead in range(1, 7):
        day = now.date() + timedelta(days=ahead)
        planned = [one.title for one in plan_day(place.bridge, ana, day, now=now).blocks if one.kind == "suggested"]
        shown = [cell for cell in cells if f'id="slot-{day}-' in cell]
        assert sum(cell.count("advised") for cell in shown) == len(planned), day
        titles += planned
    assert titles.count("running") > 2, titles


def test_a_task_that_has_its_place_in_a_week_goes_from_the_head_of_its_day(
    place: Place, ana: User, visitor: Visitor
) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay the rent", "20261126")).text)
    (due,) = re.findall(r'<li id="(due-\w+)">', visitor.get("/week?week=2026-W48").text)
    part = visitor.get("/week/ahead?week=2026-W48", headers=PART).text
    assert part.count(f'<div id="{due}" hx-swap-oob="delete">') == 1


def test_calendars_are_saved_from_the_week_that_is_shown(place: Place, ana: User, visitor: Visitor) -> None:
    visitor.finished(visitor.upload("more.ics", calendar()).text)
    assert '<input type="hidden" name="week" value="2026-W48">' in visitor.get("/week?week=2026-W48").text
    saved = visitor.change("/calendars", {"back": "/week", "week": "2026-W48"}).headers["location"]
    assert saved == "/week?week=2026-W48&saved=calendars#calendars"
    assert "Saved." in visitor.get(saved).text
    assert visitor.change("/calendars", {"back": "/connections"}).headers["location"].startswith("/connections?saved=")
    assert "Saved." in visitor.get("/connections?saved=calendars").text


def test_a_day_leads_to_its_neighbours_and_back_to_the_week(ana: User, visitor: Visitor) -> None:
    shown = visitor.get("/day?date=2026-11-22").text
    (links,) = re.findall(r'<nav class="row".*?</nav>', shown, re.DOTALL)
    assert re.findall(r'href="([^"]+)"', links) == [
        "/day?date=2026-11-21",
        "/day?date=2026-11-23",
        "/week?week=2026-W47",
        "/",
    ]
    assert 'href="/"' not in re.findall(r'<nav class="row".*?</nav>', visitor.get("/day").text, re.DOTALL)[0]


def test_a_task_can_be_moved_wherever_the_calendar_is_free_and_each_slot_says_what_speaks_against_it(
    place: Place, ana: User, visitor: Visitor
) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay the rent", "20261121")).text)
    fair = calendar("Fair", "fair").replace(b"20261120T", b"20261122T").replace(b"T080000Z", b"T105000Z")
    visitor.finished(visitor.upload("fair.ics", fair.replace(b"T090000Z", b"T170000Z")).text)  # Sunday, 11:50 to 18:00
    ((_source, task),) = [one for one in place.bridge.store.reading.tasks(ana.id) if one[1].title == "Pay the rent"]
    assert f'hx-get="/week/slots?task={quote(task.key)}"' in visitor.get("/week").text
    shown = visitor.get("/week/slots", params={"task": task.key}).text
    fits = dict(re.findall(r'<option value="([^"]+)">([^<]+)<', shown))
    full = dict(re.findall(r'<option value="([^"]+)" disabled>([^<]+)<', shown))
    assert full == {"2026-11-16/25": "Sun afternoon: no room"}
    assert len(fits) == 26
    assert [fits[f"2026-11-16/{n}"] for n in (17, 20, 24)] == [
        "Fri afternoon",
        "Sat morning",
        "Sun morning: after it is due",
    ]
    assert list(fits.values())[-1] == "Thu night: after it is due"
    told = visitor.change("/week/task", {"task": task.key, "to": "2026-11-16/25", "week": "2026-W48"})
    assert told.status_code == 400
    assert 'role="alert">this task does not fit into that slot' in told.text
    assert "Back to today" not in told.text
    assert 'href="/week?week=2026-W49"' in told.text
    assert visitor.change("/week/task", {"task": task.key, "to": "2026-11-23/1"}).status_code == 303
    (cell,) = [one for one in visitor.get("/week?week=2026-W48").text.split('<li class="cell') if "Pay the rent" in one]
    assert 'id="slot-2026-11-23-1"' in cell
    assert "Pay the rent" in visitor.get("/day?date=2026-11-23").text


def test_a_task_moved_into_the_night_or_beside_another_moved_one_stands_there(
    place: Place, ana: User, visitor: Visitor
) -> None:
    for title in ("Pay the rent", "Call the office"):
        visitor.finished(visitor.upload(f"{title}.ics", todo(title, "20261130")).text)
    keys = {t.title: str(t.key) for _, t in place.bridge.store.reading.tasks(ana.id)}
    choices = visitor.get("/week/slots", params={"task": keys["Pay the rent"]}).text
    assert ">Sun night: in the planned sleep<" in choices
    for slot in ("2026-11-16/27", "2026-11-16/25"):
        for key in keys.values():
            assert visitor.change("/week/task", {"task": key, "to": slot}).status_code == 303
        shown = [one for one in visitor.get("/week").text.split('<li class="cell') if "You moved it" in one]
        assert [("Pay the rent" in one, "Call the office" in one) for one in shown] == [(True, True)]


def test_a_week_keeps_the_order_of_its_days_and_names_the_past_ones(visitor: Visitor) -> None:
    assert "Earlier this week" in visitor.get("/week").text
    assert "Earlier this week" not in visitor.get("/week?week=2026-W48").text + visitor.get("/week?week=2026-W46").text


def test_a_night_shift_fills_the_night_on_a_phone_too(place: Place, ana: User, visitor: Visitor) -> None:
    timed = "DTSTART;TZID=Europe/Berlin:20261121T220000\r\nDTEND;TZID=Europe/Berlin:20261122T060000"
    visitor.finished(visitor.upload("more.ics", ics([("shift", timed, "Night shift")])).text)
    (kinds,) = re.findall(r'class="cell([^"]*)" id="[^"]*-11-21-3"', visitor.get("/week").text)
    assert "empty" not in kinds


def test_a_visit_to_a_dentist_is_not_shown_as_time_for_oneself(place: Place, ana: User, visitor: Visitor) -> None:
    timed = "DTSTART;TZID=Europe/Berlin:20261120T150000\r\nDTEND;TZID=Europe/Berlin:20261120T154500"
    visitor.finished(visitor.upload("more.ics", ics([("dentist", timed, "Dentist")])).text)
    (shown,) = re.findall(r'aria-label="([^"]*): correct what Dentist is"', visitor.get("/events").text)
    assert shown == "No activity"
