"""Tasks in the plan on the page: they keep their place while the clock goes on, and can be ticked."""

from __future__ import annotations

import re
from datetime import date, timedelta
from html import unescape
from urllib.parse import quote_plus

import pytest

from bridge import installation
from bridge.advice import requests as advising
from bridge.advice.day_plan import plan_day
from bridge.day.blocks import Block
from bridge.domain.records import Deed, Recommendation, User
from bridge.domain.wishes import Wishes
from tests.web.served import Place, Visitor, calendar
from tests.web.test_week import PART, todo

MINUTE, DAY, NOW_DAY = timedelta(minutes=1), timedelta(days=1), date(2026, 11, 20)


@pytest.fixture
def rent(place: Place, ana: User, visitor: Visitor) -> str:
    """The key of a task that is due tomorrow, while nothing else is suggested."""
    place.bridge.store.people.save_wishes(ana.id, Wishes(suggestions=0), now=installation.now())
    visitor.finished(visitor.upload("todo.ics", todo("Pay <the> rent", "20261121")).text)
    ((_source, task),) = [one for one in place.bridge.store.reading.tasks(ana.id) if one[1].title == "Pay <the> rent"]
    return str(task.key)


def planned(place: Place, ana: User, key: str, minutes: int = 0) -> Block | None:
    plan = plan_day(place.bridge, ana, None, now=installation.now() + minutes * MINUTE)
    return next((block for block in plan.blocks if block.task == key), None)


def test_a_task_keeps_its_place_until_it_ends(place: Place, ana: User, rent: str) -> None:
    first = planned(place, ana, rent)
    assert first is not None
    until = (first.start - installation.now()) // MINUTE
    for minutes in (1, 5, until - 1, until, until + 10):
        again = planned(place, ana, rent, minutes)
        assert again is not None
        assert (again.start, again.end) == (first.start, first.end)
    later = planned(place, ana, rent, (first.end - installation.now()) // MINUTE)
    assert later is None or later.start > first.end


def test_a_silence_says_when_a_task_that_is_due_is_planned(place: Place, ana: User, visitor: Visitor) -> None:
    place.bridge.store.people.save_wishes(ana.id, Wishes(suggestions=0), now=installation.now())
    visitor.finished(visitor.upload("todo.ics", todo("Pay <the> rent", "20261120")).text)
    shown = visitor.get("/advice", headers=PART).text
    assert "No advice now" in shown
    assert re.search(r"<p>Pay &lt;the&gt; rent: \d\d:\d\d</p>", shown)


def test_a_task_that_the_day_begins_with_is_done_or_moved_beside_it(place: Place, ana: User, visitor: Visitor) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay <the> rent", "20261119")).text)
    head = visitor.get("/").text.partition('<div class="today">')[0]
    assert "Due yesterday: Pay &lt;the&gt; rent." in head
    (key, again) = (unescape(one) for one in re.findall(r'name="task" value="([^"]+)"', head))
    assert key == again
    assert "/week/slots?task=" in head
    visitor.change("/tasks/done", {"task": key})
    assert 'name="task"' not in visitor.get("/").text.partition('<div class="today">')[0]


def test_the_head_of_today_says_to_when_its_late_task_was_moved(visitor: Visitor) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay <the> rent", "20261118")).text)
    visitor.get("/")
    visitor.change("/week/task", {"task": "todo/Pay <the> rent", "to": "2026-11-23/5"})
    head = visitor.get("/").text.partition('<div class="today">')[0]
    assert re.search(r"Pay &lt;the&gt; rent\. You moved it to Tue \d\d:\d\d\.", head)


def test_an_entry_at_its_place_moves_it(place: Place, ana: User, visitor: Visitor, rent: str) -> None:
    first = planned(place, ana, rent)
    assert first is not None
    place.bridge.store.task_notes.save_places(
        ana.id, {rent: (installation.now() + 9 * 60 * MINUTE, installation.now() + 10 * 60 * MINUTE)}, now=first.start
    )  # from 19:05 on she sings
    again = planned(place, ana, rent)
    assert again is not None
    assert again.start == first.start


def test_a_ticked_task_leaves_the_plan_counts_as_done_and_can_be_taken_back(
    place: Place, ana: User, visitor: Visitor, rent: str
) -> None:
    shown = visitor.get("/day", headers=PART).text
    assert f'name="task" value="{rent}"' in unescape(shown)
    assert "Pay &lt;the&gt; rent" in shown
    answer = visitor.change("/tasks/done", {"task": rent})
    assert (answer.status_code, answer.headers["location"]) == (303, "/#plan")
    shown = visitor.get("/day", headers=PART).text
    assert planned(place, ana, rent) is None
    assert "10:05 done: Pay &lt;the&gt; rent" in shown
    assert "Fri 10:05 done" in visitor.get("/day?date=2026-11-21").text  # from whose plan it may have been ticked
    assert "Pay" not in visitor.get("/week").text
    ((_source, task),) = [one for one in place.bridge.store.reading.tasks(ana.id) if str(one[1].key) == rent]
    assert task.completed == installation.now()
    assert visitor.change("/tasks/done", {"task": rent}).status_code == 400
    back = visitor.change("/tasks/open", {"task": rent, "day": "2026-11-21"})
    assert back.headers["location"] == "/day?date=2026-11-21"
    assert planned(place, ana, rent) is not None
    assert not re.search("10:05 done", visitor.get("/day", headers=PART).text)


def test_a_tick_counts_for_the_due_date_that_the_task_had(place: Place, ana: User, visitor: Visitor, rent: str) -> None:
    visitor.change("/tasks/done", {"task": rent})
    visitor.finished(visitor.upload("todo.ics", todo("Pay <the> rent", "20261220")).text)
    ((_source, task),) = [one for one in place.bridge.store.reading.tasks(ana.id) if str(one[1].key) == rent]
    assert task.completed is None


def test_a_task_is_moved_to_a_slot_of_the_week_and_stands_there_alone(
    place: Place, ana: User, visitor: Visitor, rent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = 'action="/week/task"'
    assert move in visitor.get("/week").text  # at its line at the head of the day, and where the plan has it
    assert move in visitor.get("/week/ahead?week=2026-W47", headers=PART).text
    friday, saturday, sunday = (
        plan_day(place.bridge, ana, NOW_DAY + n * DAY, now=installation.now()) for n in range(3)
    )
    assert [sum(one.task == rent for one in plan.blocks) for plan in (friday, saturday, sunday)] == [1, 0, 0]
    moved = visitor.change("/week/task", {"task": rent, "to": "2026-11-16/21", "week": "2026-W47"})
    assert (moved.status_code, moved.headers["location"]) == (303, f"/week?week=2026-W47&moved={quote_plus(rent)}")
    part = visitor.get("/week/ahead?week=2026-W47", headers=PART).text
    (cell,) = [one for one in part.split('<li class="cell') if "Pay &lt;the&gt; rent" in one]
    assert 'id="slot-2026-11-21-1"' in cell
    assert "You moved it to this time." in cell
    plans = [plan_day(place.bridge, ana, NOW_DAY + n * DAY, now=installation.now()) for n in range(3)]
    assert [sum(one.task == rent for one in plan.blocks) for plan in plans] == [0, 1, 0]
    (there,) = [one for one in plans[1].blocks if one.task == rent]
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-21T09:00:00+01:00")
    again = planned(place, ana, rent)
    assert again is not None
    assert (again.start, again.end) == (there.start, there.end)


def test_what_was_moved_stands_in_the_week_at_once_and_is_taken_back(visitor: Visitor, rent: str) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay <the> rent", "20261118")).text)
    before = visitor.get("/week").text
    to = re.findall(r'<option value="(2026-11-23/\d+)">', visitor.get("/week/slots", params={"task": rent}).text)[0]
    told = visitor.get(visitor.change("/week/task", {"task": rent, "to": to}).headers["location"]).text
    assert re.search(r'role="status">\s*<span>Moved to \w+ \d+ Nov, \d\d:\d\d: Pay &lt;the&gt; rent<', told)
    (line,) = re.findall(r'<li id="due-[^>]*>.*?</li>', told, re.DOTALL)
    assert re.search(r"moved to \w+ \d+ Nov, ", line)
    assert 'class="overdue"' not in line
    there = visitor.get("/week?week=2026-W48").text  # without what loads after it
    (cell,) = [one for one in there.split('<li class="cell') if "Pay &lt;the&gt; rent" in one]
    assert "You moved it to this time." in cell
    assert '<li id="due-' not in there
    for shown in (told, line, there):
        assert 'action="/week/task/back"' in shown
    visitor.change("/week/task/back", {"task": rent})
    assert visitor.get("/week").text == before
    assert "Pay &lt;the&gt; rent" not in visitor.get("/week?week=2026-W48").text


def test_what_stands_in_a_slot_of_the_week_stands_in_order_of_time(place: Place, visitor: Visitor, rent: str) -> None:
    visitor.get("/week")
    visitor.change("/week/task", {"task": rent, "to": "2026-11-16/22"})
    busy = calendar("Late party", "late").replace(b"20261120T", b"20261121T").replace(b"T080000Z", b"T210000Z")
    visitor.finished(visitor.upload("late.ics", busy.replace(b"T090000Z", b"T223000Z")).text)
    part = visitor.get("/week/ahead?week=2026-W47", headers=PART).text
    (cell,) = [one for one in part.split('<li class="cell') if 'id="slot-2026-11-21-2"' in one]
    times = re.findall(r'<span class="soft">(\d\d:\d\d)</span>', cell)
    assert len(times) >= 2
    assert times == sorted(times)
    assert cell.index("Pay &lt;the&gt; rent") < cell.index("Late party")


def test_what_is_no_task_of_theirs_is_refused(place: Place, ana: User, visitor: Visitor, rent: str) -> None:
    visitor.get("/day")
    assert visitor.change("/tasks/done", {"task": "x"}).status_code == 400
    assert visitor.change("/tasks/done", {"task": rent, "day": "x"}).status_code == 400
    assert visitor.change("/week/task", {"task": "x", "to": "2026-11-16/21"}).status_code == 400
    assert visitor.change("/week/task", {"task": rent, "to": "2026-11-16/1"}).status_code == 400
    assert visitor.post("/tasks/done", data={"task": rent}).status_code == 403


def test_a_suggestion_that_names_a_task_is_ticked_with_it(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay bills", "20261120")).text)
    advice = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(advice, Recommendation)
    assert advice.what == "Pay bills"
    assert 'value="todo/Pay bills"' in visitor.get("/day", headers=PART).text
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:07:00+01:00")
    visitor.change("/tasks/done", {"task": "todo/Pay bills"})
    kept = place.bridge.store.recommendations.by_id(advice.id)
    assert kept is not None
    assert kept.outcome is Deed.DONE
    assert "you did it" in visitor.get("/advice", headers=PART).text
    assert "<strong>Pay bills" not in visitor.get("/day", headers=PART).text


@pytest.mark.parametrize("answer", [None, "accept", "reschedule"])
def test_a_task_that_is_moved_takes_its_suggestion_with_it(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch, answer: str | None
) -> None:
    visitor.finished(visitor.upload("todo.ics", todo("Pay bills", "20261120")).text)
    visitor.get("/day", headers=PART)
    advice = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(advice, Recommendation)
    assert (advice.what, advice.start is None) == ("Pay bills", False)
    if answer is not None:
        to = {"to": "2026-11-16/17"} if answer == "reschedule" else {}
        visitor.change(f"/advice/{advice.id}", {"answer": answer, **to})
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:06:00+01:00")
    visitor.change("/week/task", {"task": "todo/Pay bills", "to": "2026-11-16/21"})
    assert "Pay bills" not in visitor.get("/advice", headers=PART).text
    assert not [block for block in plan_day(place.bridge, ana, None, now=installation.now()).blocks if block.task]
    week = visitor.get("/week").text, visitor.get("/week/ahead?week=2026-W47", headers=PART).text
    for part in week:
        cells = [
            one.partition('"')[0] for one in part.split('id="slot-')[1:] if "Pay bills" in one.split("</li>\n</ul>")[0]
        ]
        assert cells == ["2026-11-21-1"]


def finished(visitor: Visitor, here: bool) -> None:
    """Say on the page that a task is done, or let its list say so."""
    if here:
        visitor.change("/tasks/done", {"task": "todo/Pay bills"})
    else:
        done = todo("Pay bills", "20261120").replace(b"DUE;", b"STATUS:COMPLETED\r\nCOMPLETED:20261120T091500Z\r\nDUE;")
        visitor.finished(visitor.upload("todo.ics", done).text)


@pytest.mark.parametrize(("answer", "suggestions"), [("accept", 1), ("accept", 3), ("reschedule", 1), (None, 1)])
@pytest.mark.parametrize("here", [True, False], ids=["ticked", "done in its list"])
def test_a_task_that_is_done_is_over_everywhere(
    place: Place,
    ana: User,
    visitor: Visitor,
    monkeypatch: pytest.MonkeyPatch,
    here: bool,
    answer: str | None,
    suggestions: int,
) -> None:
    place.bridge.store.people.save_wishes(ana.id, Wishes(suggestions=suggestions), now=installation.now())
    visitor.finished(visitor.upload("todo.ics", todo("Pay bills", "20261120")).text)
    visitor.get("/day", headers=PART)
    advice = advising.recommend(place.bridge, ana, now=installation.now())
    assert isinstance(advice, Recommendation)
    assert (advice.what, advice.start is None) == ("Pay bills", False)
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:07:00+01:00")
    if answer is not None:
        visitor.change(
            f"/advice/{advice.id}", {"answer": answer, **({"to": "2026-11-16/17"} if answer != "accept" else {})}
        )
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:15:00+01:00")
    finished(visitor, here)
    for moment in ("10:16", "10:50", "13:05"):
        monkeypatch.setenv("BRIDGE_NOW", f"2026-11-20T{moment}:00+01:00")
        for path in ("/", "/advice", "/week", "/week/ahead?week=2026-W47"):
            assert "Pay bills" not in visitor.get(path, headers=PART).text, (moment, path)
        day = visitor.get("/day", headers=PART).text
        assert len(re.findall(r"\d\d:\d\d done: Pay bills", day)) == here
        rows = [row for row in day.split("<li class=")[1:] if "<strong>Pay bills" in row]
        assert all(' over"' in row and '<span class="tag plain">done<' in row for row in rows), moment
        assert not (here and rows)


def test_a_task_that_is_open_again_has_its_card_again(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.bridge.store.people.save_wishes(ana.id, Wishes(suggestions=1), now=installation.now())
    visitor.finished(visitor.upload("todo.ics", todo("Pay bills", "20261120")).text)
    advice = advising.recommend(place.bridge, ana, now=installation.now())
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:07:00+01:00")
    visitor.change(f"/advice/{advice.id}", {"answer": "accept"})
    finished(visitor, here=True)
    assert "Pay bills" not in visitor.get("/advice", headers=PART).text
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-20T10:08:00+01:00")
    visitor.change("/tasks/open", {"task": "todo/Pay bills"})
    assert "Pay bills" in visitor.get("/advice", headers=PART).text
    assert "Pay bills" in visitor.get("/day", headers=PART).text


def ticks(page: str) -> set[str]:
    """The tasks that a page offers to mark as done."""
    forms = re.findall(r'<form method="post" action="/tasks/done">.*?</form>', page, re.DOTALL)
    return {unescape(re.findall(r'name="task" value="([^"]+)"', form)[0]) for form in forms}


@pytest.mark.parametrize("count", [1, 4, 9])
@pytest.mark.parametrize("due", ["20261118", "20261120", "20261121"])
def test_each_task_that_is_due_is_marked_as_done_on_the_page_that_names_it(
    place: Place, ana: User, visitor: Visitor, count: int, due: str
) -> None:
    lists = [todo(f"Order <costume> {n}", due) for n in range(count)]
    tasks = b"".join(re.findall(rb"BEGIN:VTODO.*END:VTODO\r\n", one, re.DOTALL)[0] for one in lists)
    head, tail = re.split(rb"BEGIN:VTODO.*END:VTODO\r\n", lists[0], flags=re.DOTALL)
    visitor.finished(visitor.upload("todo.ics", head + tasks + tail).text)
    keys = {f"todo/Order <costume> {n}" for n in range(count)}
    assert ticks(visitor.get("/week").text) == keys
    if due != "20261121":
        assert ticks(visitor.get("/").text.partition('<div class="today">')[0]) == keys
    last = max(keys)
    answer = visitor.change("/tasks/done", {"task": last, "week": "2026-W47"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/week?week=2026-W47")
    assert ticks(visitor.get("/week").text) == keys - {last}
    placed = visitor.get("/week/ahead?week=2026-W47", headers=PART).text
    gone = set(re.findall(r'<div id="(due-\w+)" hx-swap-oob="delete">', placed))
    assert len(ticks(placed)) >= len(gone)
