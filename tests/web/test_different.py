"""What a person says on the page and by program: modes, wishes, whose an entry is, and why not, without scripts."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest
import requests

from bridge import installation
from bridge.advice import modes, whose
from bridge.auth import access
from bridge.day.body import ModeKind
from bridge.domain.records import User
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from bridge.ingest.sync import sync
from lab.plans import mornings
from lab.plans.replay import sources_of
from rhythm_env.interface import ActionType, Answer
from tests.web.served import Place, Visitor
from tests.web.test_week import todo
from tests.world import introduce

PART = {"HX-Request": "true"}


def text(answer: requests.Response) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def test_this_day_is_different_and_back_to_normal(place: Place, ana: User, visitor: Visitor) -> None:
    assert "This day is different" in text(visitor.get("/"))
    assert visitor.change("/mode", {"mode": "holiday", "until": "2026-11-24"}).headers["location"] == "/#different"
    assert "You said that you are on holiday, until Tuesday, 24 November." in text(visitor.get("/"))
    visitor.change("/mode", {"mode": "normal"})
    assert "You said" not in text(visitor.get("/"))
    assert modes.mode_of(place.bridge.store, ana, installation.now().date()).kind is ModeKind.NORMAL
    for wrong in ({"mode": "tired"}, {"mode": "ill", "until": "2026-11-01"}):
        assert visitor.change("/mode", wrong).status_code == 400


def test_the_day_begins_with_an_illness_that_is_said_beside_old_data(place: Place, ana: User, tmp_path: Path) -> None:
    for file in Path("fixtures/whoop/export").iterdir():
        (tmp_path / file.name).write_text(file.read_text(encoding="utf-8").replace("2026-", "2024-"), encoding="utf-8")
    runs.import_path(place.bridge, ana, tmp_path, at=installation.now())
    visitor = place.visitor()
    visitor.get("/")
    assert visitor.change("/mode", {"mode": "ill", "back": "/"}).headers["location"] == "/"
    said = "You said that you are ill. As of 20 November 2024: that is the day of your newest data."
    assert said in text(visitor.get("/"))


def test_who_says_where_they_live_is_not_asked_whether_they_travel(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.change("/checkin", {"score": "4"})  # at 10:05 in Berlin
    visitor.change("/settings/zone", {"zone": "Europe/London"})
    monkeypatch.setenv("BRIDGE_NOW", (installation.now() + timedelta(minutes=1)).isoformat())
    assert "are you travelling" not in text(visitor.get("/different", headers=PART)).casefold()
    assert "You said: 4 at 09:05." in text(visitor.get("/"))


def test_a_holiday_of_next_week_is_said_and_taken_back(place: Place, ana: User, visitor: Visitor) -> None:
    days = {"from": "2026-11-23", "until": "2026-11-29"}
    visitor.change("/mode", {"mode": "holiday", **days})
    shown = visitor.get("/")
    assert "You said that you are on holiday, from Monday, 23 November until Sunday, 29 November." in text(shown)
    assert [f'name="{name}" value="{value}"' in shown.text for name, value in days.items()] == [True, True]
    assert visitor.get("/week?week=2026-W48").text.count('class="mode">on holiday') == 7
    assert 'class="mode"' not in visitor.get("/week").text
    today = installation.now().date()
    assert modes.mode_of(place.bridge.store, ana, today).kind is ModeKind.NORMAL
    visitor.change("/mode", {"mode": "normal", **days})
    assert "You said" not in text(visitor.get("/"))
    assert modes.mode_of(place.bridge.store, ana, today).planned == ()


def test_what_is_noticed_is_asked_once(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modes, "noticed", lambda _: [(ModeKind.ILL, ()), (ModeKind.HOLIDAY, ())])
    answer = visitor.get("/different", headers=PART)
    assert answer.text.index("Yes: I am ill") < answer.text.index("<details")  # what is asked is not behind a click
    shown = text(answer)
    assert "Yes: I am ill" in shown
    assert "Yes: I am on holiday" in shown
    visitor.change("/mode/no", {"mode": "holiday"})
    visitor.change("/mode", {"mode": "ill"})
    visitor.change("/mode", {"mode": "normal"})
    calm = visitor.get("/different", headers=PART)
    assert "Yes: I am" not in text(calm)
    monkeypatch.setenv("BRIDGE_NOW", (installation.now() + timedelta(days=29)).isoformat())
    assert "Yes: I am ill" in text(visitor.get("/different"))


def test_an_illness_is_asked_about_where_it_is_told_and_told_once(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = mornings.moment(7, 7.5)  # after a feverish night
    monkeypatch.setenv("BRIDGE_NOW", now.isoformat())
    nights = [*mornings.nights(random.Random("mornings"))]
    (watch,) = sources_of(place.bridge.store, ana.id, {"whoop": nights}, now - timedelta(days=63))
    sync(watch, place.bridge.store, holder="test", now=now)
    advice, part = (visitor.get(path, headers=PART).text for path in ("/advice", "/different?above=ill"))
    shown = visitor.get("/").text
    words = text(visitor.get("/"))
    assert "Your watch shows your body fighting something: " in words
    assert words.index("Rest comes first today. Are you ill? Yes No") < words.index("What to do now")
    assert 'hx-get="/different?above=ill"' in shown
    assert "I am ill</button>" not in part.partition("<details")[0]
    before, _details, after = advice.partition("<details")
    assert ("fighting something" in before, "fighting something" in after) == (False, True)
    visitor.change("/mode/no", {"mode": "ill"})
    assert "Are you ill?" not in text(visitor.get("/"))


def test_a_wish_is_said_back_and_counts_once_confirmed(place: Place, ana: User, visitor: Visitor) -> None:
    people = place.bridge.store.people
    visitor.get("/")
    said = visitor.change("/wishes/said", {"text": "never meditation"})
    assert "Never suggest meditation. Is that what you wish?" in text(said)
    assert "<h1>Wishes</h1>" in said.text
    assert not people.wishes(ana.id).never
    saved = visitor.change("/wishes/said", {"text": "never meditation", "confirmed": "yes"}, headers=PART)
    assert saved.text.lstrip().startswith('<section class="card" id="wish"')
    assert "Saved: never suggest meditation." in text(saved)
    assert people.wishes(ana.id).never == {ActionType.MEDITATE}
    assert saved.headers["HX-Trigger"] == "advised, checkedin"  # the plan and the advice follow it
    before = unescape(re.findall(r'name="before" value="([^"]+)"', saved.text)[0])
    undone = visitor.change("/wishes/undo", {"before": before}, headers=PART)
    assert "Taken back." in text(undone)
    assert not people.wishes(ana.id).never
    for wrong_form in ("{", "[" * 40_000, '{"never": 3}', "null"):
        assert visitor.change("/wishes/undo", {"before": wrong_form}).status_code == 400
    wrong = visitor.change("/wishes/said", {"text": "purple <b>"})
    assert (wrong.status_code, "purple &lt;b&gt;" in wrong.text) == (400, True)
    assert "say it like" in text(wrong)


def test_each_wish_is_shown_on_its_page_and_taken_back_there(place: Place, ana: User, visitor: Visitor) -> None:
    people = place.bridge.store.people
    visitor.get("/")
    visitor.change("/wishes/said", {"text": "Fridays off and three runs a week", "confirmed": "yes"})
    shown = visitor.get("/wishes").text
    assert "Work not on Fridays." in text(visitor.get("/wishes"))
    (days,) = (unescape(one) for one in re.findall(r'name="wish" value="([^"]+)"', shown) if one.startswith("days"))
    assert visitor.change("/wishes/back", {"wish": days}).status_code == 303
    visitor.change("/wishes/back", {"wish": days})  # twice, as from an older page
    assert "Work not on Fridays" not in text(visitor.get("/wishes"))
    left = people.wishes(ana.id)
    assert (left.days, left.goals) == ({}, {ActionType.EXERCISE: 3})


def test_an_entry_of_the_page_is_said_to_be_somebody_elses_and_that_is_undone(
    place: Place, ana: User, visitor: Visitor
) -> None:
    week = visitor.get("/week").text
    key = next(unescape(one) for one in re.findall(r'name="event" value="([^"]+)"', week) if "choir" in one)
    answer = visitor.change(
        "/entries/whose", {"event": key, "whose": "not-mine", "scope": "series", "week": "2026-W47"}
    )
    made = whose.marks(place.bridge.store, ana)[0]
    assert parse_qs(urlsplit(answer.headers["location"]).query) == {"week": ["2026-W47"], "marked": [made.key]}
    assert "Choir" not in visitor.get("/week").text.partition('id="calendars"')[0]
    assert "Choir not mine, its series, since 20 November" in text(visitor.get("/connections"))
    undo = visitor.get(answer.headers["location"]).text.partition('id="marked"')[2].partition("</form>")[0]
    assert [part in undo for part in (made.key, 'name="week" value="2026-W47"', ">Undo<")] == [True] * 3
    visitor.change("/entries/whose", {"event": made.key, "whose": "mine", "back": "/week"})
    assert whose.marks(place.bridge.store, ana) == ()
    assert "Choir" in visitor.get("/events").text


def test_a_calendar_without_a_tick_is_left_out(place: Place, ana: User, visitor: Visitor) -> None:
    page = visitor.get("/connections").text
    (name,) = re.findall(r'name="used" value="([^"]*)" checked', page)
    assert (
        visitor.change("/calendars", {"back": "/connections"})
        .headers["location"]
        .startswith("/connections?saved=calendars")
    )
    assert "Choir" not in visitor.get("/events").text
    assert f'name="used" value="{name}">' in visitor.get("/week").text
    visitor.change("/calendars", {"used": unescape(name), "back": "//evil.example"})
    assert "Choir" in visitor.get("/events").text


@pytest.fixture
def refused(place: Place, ana: User, visitor: Visitor) -> int:
    """The number of a recommendation that ana has just refused."""
    introduce(place.bridge.store, ana, now=installation.now())
    number = int(re.search(r'action="/advice/(\d+)"', visitor.get("/advice", headers=PART).text)[1])  # type: ignore[index]
    answer = visitor.change(f"/advice/{number}", {"answer": "ignore"}, headers=PART)
    assert all(word in answer.text for word in ("Not today", "Wrong time", "Never this", "Something else"))
    return number


@pytest.mark.parametrize("why", ["not-today", "wrong-time", "never", "something-else"])
def test_each_reason_does_what_it_says(place: Place, ana: User, visitor: Visitor, refused: int, why: str) -> None:
    store = place.bridge.store
    given = store.recommendations.by_id(refused)
    assert given is not None
    said = visitor.change(f"/advice/{refused}/because", {"why": why}, headers=PART)
    if why in ("never", "wrong-time"):  # what holds for all days to come is said first
        assert [f">{word}<" in said.text for word in ("From now on", "Only today", "Cancel")] == [True] * 3
        assert "From now on no " in said.text
        before = store.people.wishes(ana.id)
        assert (before.never, before.hours) == (frozenset(), {})
        said = visitor.change(f"/advice/{refused}/because", {"why": why, "confirmed": "yes"}, headers=PART)
    assert 'role="status"' in said.text or "No advice now" in said.text
    wishes, resting = store.people.wishes(ana.id), store.people.preferences(ana.id).resting
    assert [one[0] for one in resting] == ([str(given.action)] if why == "not-today" else [])
    assert wishes.never == ({given.action} if why == "never" else frozenset())
    spans = [f"{begin:%H:%M}-{end:%H:%M}" for begin, end in wishes.hours.get(given.action, ())]
    assert spans == (["12:00-06:00"] if why == "wrong-time" else [])
    plan = visitor.get("/api/v1/plan").json()["blocks"]
    again = [one for one in plan if one["kind"] == "suggested" and one["action"] == str(given.action)]
    assert again == [] or why in ("wrong-time", "something-else")
    assert visitor.change(f"/advice/{refused}/because", {"why": "because"}).status_code == 400


def test_a_wrong_time_offers_others_today_counts_for_today_alone_and_is_taken_back(
    place: Place, ana: User, visitor: Visitor, refused: int
) -> None:
    store, path = place.bridge.store, f"/advice/{refused}/because"
    asked = visitor.change(path, {"why": "wrong-time"}, headers=PART).text
    offers = re.findall(r'name="to" value="([^"]+)">(today \d\d:\d\d)<', asked)
    assert 1 <= len(offers) <= 3
    cancelled = visitor.change(path, {"why": "wrong-time", "confirmed": "no"}, headers=PART).text
    assert (f'action="{path}"' in cancelled, "Wrong time" in cancelled) == (True, True)
    said = visitor.change(path, {"why": "wrong-time", "confirmed": "today"}, headers=PART).text
    assert "Not today between " in unescape(said)
    wishes = store.people.wishes(ana.id)
    assert (wishes.hours, wishes.never, store.people.preferences(ana.id).resting) == ({}, frozenset(), ())
    key, when = offers[-1]
    moved = visitor.change(f"/advice/{refused}", {"answer": "reschedule", "to": key, "why": "wrong-time"}, headers=PART)
    kept = store.recommendations.by_id(refused)
    assert kept is not None
    assert kept.start is not None
    assert kept.answer is Answer.RESCHEDULE
    assert kept.start.astimezone(ZoneInfo(ana.zones[-1].zone)).strftime("today %H:%M") == when
    assert when.partition(" ")[2] in moved.text


def test_after_something_else_the_next_idea_is_shown_or_why_there_is_none(
    place: Place, ana: User, visitor: Visitor, refused: int
) -> None:
    store = place.bridge.store
    given = store.recommendations.by_id(refused)
    assert given is not None
    said = visitor.change(f"/advice/{refused}/because", {"why": "something-else"}, headers=PART).text
    followed = re.search(r'action="/advice/(\d+)"', said)
    assert followed is None or int(followed[1]) != refused
    store.people.save_wishes(ana.id, Wishes(never=frozenset(ActionType) - {given.action}), now=installation.now())
    last = store.recommendations.of_slot(ana.id, given.moment)
    assert last is not None
    visitor.change(f"/advice/{last.id}", {"answer": "ignore"}, headers=PART)
    none = visitor.change(f"/advice/{last.id}/because", {"why": "something-else"}, headers=PART)
    assert "No advice now" in none.text
    assert set(re.findall(rf'action="(/advice/{last.id}[^"]*)"', none.text)) == {f"/advice/{last.id}/undo"}
    assert none.text.count("<p>") > 0  # the reasons


def test_another_answer_takes_the_rest_of_the_day_back(place: Place, ana: User, visitor: Visitor, refused: int) -> None:
    store = place.bridge.store
    visitor.change(f"/advice/{refused}/because", {"why": "not-today"})
    assert store.people.preferences(ana.id).resting
    visitor.change(f"/advice/{refused}", {"answer": "accept"})
    assert store.people.preferences(ana.id).resting == ()


def test_without_scripts_a_refusal_is_explained_on_todays_page(visitor: Visitor, refused: int) -> None:
    assert f'action="/advice/{refused}/because"' in visitor.get("/").text


def test_programs_say_the_same(place: Place, ana: User, visitor: Visitor) -> None:
    _, token = access.new_token(place.bridge.store, ana, "test", now=installation.now())

    def told(path: str, body: Any = None, status: int = 200) -> Any:
        answer = requests.request(
            "GET" if body is None else "POST",
            f"{place.url}/api/v1{path}",
            json=body,
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
        )
        assert answer.status_code == status, answer.text
        return answer.json()

    assert told("/mode", {"mode": "away", "until": "2026-11-22"})["until"] == "2026-11-22"
    assert told("/mode")["mode"] == "away"
    assert told("/mode", {"mode": "normal"})["mode"] == "normal"
    later = {"mode": "holiday", "since": "2026-11-25", "until": "2026-11-29"}
    assert told("/mode", later)["planned"] == [later]
    assert "planned" not in told("/mode", {"mode": "normal"})
    told("/mode", {"mode": "ill", "until": "2026-11-01"}, status=400)
    wish = {"text": "two suggestions at most"}
    assert told("/wishes/said", wish)["wishes"]["suggestions"] == 2
    assert told("/wishes")["suggestions"] == 3
    told("/wishes/said", {**wish, "confirmed": True})
    assert told("/wishes")["suggestions"] == 2
    told("/wishes/said", {"text": "purple"}, status=400)
    (calendar,) = told("/calendars")
    assert told("/calendars", {"name": calendar["name"], "used": False})[0]["used"] is False
    told("/calendars", {"name": calendar["name"], "used": True})
    told("/calendars", {"name": "none", "used": True}, status=400)
    mark = told("/marks", {"event": "Choir", "whose": "no-time", "series": True})
    assert (mark["whose"], told("/marks")["marks"]) == ("no-time", [mark])
    told("/marks", {"event": mark["event"], "whose": "mine"})
    assert told("/marks")["marks"] == []
    introduce(place.bridge.store, ana, now=installation.now())
    number = told("/recommendation")["id"]
    path = f"/recommendation/{number}/feedback"
    told(path, {"answer": "accept", "because": "never"}, status=400)
    assert told(path, {"answer": "ignore", "because": "not-today"})["follows"].startswith("no more today: ")
    found = place.bridge.store.recommendations.by_id(number)
    assert found is not None
    assert found.answer is Answer.IGNORE


def test_a_said_reason_stays_after_a_reload_and_is_taken_back(
    place: Place, ana: User, visitor: Visitor, refused: int
) -> None:
    store, path = place.bridge.store, f"/advice/{refused}/because"
    visitor.change(path, {"why": "wrong-time", "confirmed": "today"}, headers=PART)
    for answer in (visitor.get("/"), visitor.get("/advice", headers=PART)):
        assert (f'action="{path}"' in answer.text, "Why not?" in answer.text) == (False, False)
    assert "not at this time, today Undo" in text(visitor.get("/advice", headers=PART))
    for _ in range(2):  # the second from an older page
        visitor.change(f"/advice/{refused}/undo", headers=PART)
    found = store.recommendations.by_id(refused)
    assert found is not None
    assert (found.answer, found.answered_at, found.closed_at) == (None, None, None)
    assert store.recommendations.of_slot(ana.id, found.moment) == found
    assert "not at this time" not in visitor.get("/advice", headers=PART).text
    visitor.change(f"/advice/{refused}", {"answer": "accept"}, headers=PART)
    assert f'action="/advice/{refused}/undo"' in visitor.get("/advice", headers=PART).text
    card = visitor.get("/advice", headers=PART).text
    assert ('value="accept"' in card, 'value="ignore"' in card, ">Undo<" in card) == (False, False, True)
    assert f'action="/advice/{refused}/undo"' in visitor.get("/history").text
    assert visitor.change(f"/advice/{refused}/undo", {"back": "/history"}).headers["location"] == "/history"
    assert f"/advice/{refused}/undo" not in visitor.get("/history").text


def test_an_answer_outlives_an_illness_that_is_taken_back(place: Place, ana: User, visitor: Visitor) -> None:
    others = frozenset(ActionType) - {ActionType.ADMIN_WORK}
    place.bridge.store.people.save_wishes(ana.id, Wishes(never=others), now=installation.now())
    visitor.finished(visitor.upload("todo.ics", todo("Reply to the audit", "20261121")).text)
    card = visitor.get("/advice", headers=PART).text
    number = int(re.search(r'action="/advice/(\d+)"', card)[1])  # type: ignore[index]
    assert "Reply to the audit" in card
    visitor.change(f"/advice/{number}", {"answer": "accept"}, headers=PART)
    visitor.change("/mode", {"mode": "ill"})
    assert "Reply to the audit" not in visitor.get("/advice", headers=PART).text
    visitor.change("/mode", {"mode": "normal"})
    assert "accepted Undo Reply to the audit" in text(visitor.get("/advice", headers=PART))
    assert text(visitor.get("/events")).count("Advice:") == 1
