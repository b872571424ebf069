"""The JSON door: what the command line prints, for programs with a token, and documented."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import requests
import sqlalchemy as sa
from typer.testing import CliRunner

from bridge import installation
from bridge.auth import access
from bridge.cli import app as cli
from bridge.domain.records import User
from bridge.domain.types import Event, Item, RawRecord
from bridge.store.people import People
from tests.web.served import Place, Visitor, calendar


@pytest.fixture
def program(place: Place, ana: User, visitor: Visitor) -> requests.Session:
    """Comes with a token; nobody may come without once there are two people."""
    _, token = access.new_token(place.bridge.store, ana, "test", now=installation.now())
    place.bridge.store.people.add_user("ben", "UTC", now=installation.now())
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {token}"
    return session


def told(program: requests.Session, place: Place, path: str, body: Any = None, **options: Any) -> Any:
    method = "GET" if body is None else "POST"
    answer = program.request(method, f"{place.url}/api/v1{path}", json=body, timeout=60, **options)
    assert answer.status_code in (200, 202), answer.text
    return answer.json()


def test_it_says_what_the_command_line_says(
    program: requests.Session, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_HOME", str(place.bridge.settings.folder))
    told(program, place, "/recommendation")
    for path, command in (
        ("/connections", "status"),
        ("/calendar", "calendar"),
        ("/meters?days=7", "meters"),
        ("/days", "days"),
        ("/recommendation", "recommend"),
        ("/checkins", "checkin"),
        ("/routine", "routine"),
        ("/wishes", "wish"),
    ):
        printed = CliRunner().invoke(cli, [command, "--user", "ana", "--json"])
        assert told(program, place, path) == json.loads(printed.stdout), path


def test_a_day_by_program(program: requests.Session, place: Place) -> None:
    assert told(program, place, "/me")["user"] == "ana"
    assert told(program, place, "/today")["recommendation"] is None
    advice = told(program, place, "/recommendation")
    path = f"/recommendation/{advice['id']}/feedback"
    assert told(program, place, path, {"answer": "accept"})["answer"] == "ACCEPT"
    assert told(program, place, path, {"answer": "reschedule", "to": "Fri evening"})["moved_to"]["slot"] == 2
    later = told(program, place, path, {"answer": "reschedule"})
    assert (later["moved_to"], len(later["offers"])) == (None, 3)
    assert told(program, place, path, {"answer": "reschedule", "to": later["offers"][0]["slot"]})["moved_to"]
    assert told(program, place, "/checkins", {"score": 3.5, "about": "SERENITY"})["outcome"] == "new"
    assert told(program, place, "/checkins")[0]["score"] == 3.5
    assert told(program, place, "/checkins/undo", {})["outcome"] == "deleted"
    assert told(program, place, "/checkins") == []
    event = told(program, place, "/today")["slots"][0]["events"][0]["event"]
    assert told(program, place, "/labels", {"event": event, "action": None})["action"] is None
    assert told(program, place, "/today")["slots"][0]["events"][0]["action"] is None


def test_wishes_by_program(program: requests.Session, place: Place) -> None:
    """The document goes back as it came; a key left out has its default."""
    wanted = {
        "never": ["BINGE_WATCH"],
        "hours": {"DEEP_WORK": [["09:00", "12:00"], ["22:00", "01:00"]]},
        "best": {"FAMILY_TIME": {"days": [6], "hours": []}},
        "barred": {"LEARN": [{"days": [0], "hours": [["00:00", "10:00"]]}]},
        "night": {"bed": "22:00", "late": "23:30", "late_days": [4, 5]},
        "most": {"EXERCISE": 4},
        "lengths": {"SLEEP": {"most": 20}},
        "goals": {"EXERCISE": 3},
        "weights": {"VITALITY": 2.0},
        "suggestions": 5,
    }
    assert told(program, place, "/wishes", wanted) == {"user": "ana", **wanted}
    kept = told(program, place, "/wishes")
    assert kept == {"user": "ana", **wanted}
    assert told(program, place, "/wishes", kept) == kept
    assert told(program, place, "/wishes", {"goals": {"LEARN": 1}}) == {
        "user": "ana",
        "never": [],
        "hours": {},
        "goals": {"LEARN": 1},
        "weights": {},
        "suggestions": 3,
    }


def test_a_file_by_program(program: requests.Session, place: Place) -> None:
    address = f"{place.url}/api/v1/import"
    answer = program.post(address, calendar("More", "more"), params={"name": "more.ics"}, timeout=60).json()
    for _ in range(400):
        if answer["state"] != "running":
            break
        time.sleep(0.05)
        answer = told(program, place, f"/jobs/{answer['job']}")
    assert (answer["state"], answer["outcomes"][0]["new"]) == ("done", 2)


def test_what_is_wrong_is_said_as_json(program: requests.Session, place: Place) -> None:
    for path, body, status in (
        ("/recommendation/1/feedback", {"answer": "accept"}, 400),
        ("/recommendation/99999999999999999999/feedback", {"answer": "accept"}, 422),
        ("/checkins", {"score": 2.7}, 400),
        ("/checkins", {"score": 3, "mood": "fine"}, 422),
        ("/checkins", {"score": 3, "at": "0001-01-01T00:00:00+14:00"}, 400),
        ("/checkins", {"score": 3, "at": "9999-12-31T23:59:59-14:00"}, 400),
        ("/checkins", {"score": 3, "at": "9999-12-31T23:59:59Z"}, 400),
        ("/labels", {"event": "nothing", "action": "LEARN"}, 400),
        ("/wishes", {"never": ["NAP"]}, 422),
        ("/wishes", {"hours": {"LEARN": [["9", "10:00"]]}}, 422),
        ("/wishes", {"hours": {"LEARN": [["09:00", "09:00"]]}}, 400),
        ("/wishes", {"never": ["LEARN"], "goals": {"LEARN": 2}}, 400),
        ("/wishes", {"suggestions": 13}, 422),
        ("/connections/nothing/sync", {}, 404),
        ("/connections/whoop/sync", {}, 400),
    ):
        answer = program.post(f"{place.url}/api/v1{path}", json=body, timeout=60)
        assert answer.status_code == status, (path, answer.text)
        assert answer.headers["content-type"] == "application/json"
    for token in ("Bearer wrong", "Bearer", "Basic YTpi"):
        answer = requests.get(f"{place.url}/api/v1/me", headers={"Authorization": token}, timeout=60)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer"), token


def test_half_a_character_in_a_title_breaks_no_answer(program: requests.Session, place: Place, ana: User) -> None:
    """As some calendars cut them."""

    def planned(record: RawRecord, parent: RawRecord | None) -> list[Item]:
        at = installation.now()
        return [Event(key="k", calendar="c", title="Gym \ud83d", start=at, end=at + timedelta(hours=1))]

    connection = next(c for c in place.bridge.store.connections.of_user(ana.id) if c.source == "ics")
    record = RawRecord(stream="events", key="k", payload={"n": 1})
    place.bridge.store.ingest.land(connection, [record], planned, version=1, now=installation.now())
    events = [one for slot in told(program, place, "/today")["slots"] for one in slot["events"]]
    (cut,) = [one for one in events if one["title"] == "Gym ?"]
    assert "Gym ?" in json.dumps(told(program, place, "/calendar"))
    assert told(program, place, "/labels", {"event": cut["event"], "action": "LEARN"})["title"] == "Gym ?"


def test_what_no_answer_can_repeat_is_refused(program: requests.Session, place: Place) -> None:
    for sent in ('{"score": NaN}', '{"score": 1e999}', '{"score": 3, "\\ud800": 1}', '{"score": "\\ud800"}', "{"):
        answer = program.post(f"{place.url}/api/v1/checkins", sent, timeout=60)
        assert (answer.status_code, list(answer.json())) == (422, ["error"]), sent
    many = json.dumps({"score": 3} | {f"field {number} " * 100: 1 for number in range(100)})
    assert len(program.post(f"{place.url}/api/v1/checkins", many, timeout=60).content) < 500


def test_what_is_refused_at_the_door_is_said_in_the_same_shape(program: requests.Session, place: Place) -> None:
    for headers, status in (
        ({"Host": "elsewhere.example"}, 421),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Content-Length": "2000000"}, 413),
    ):
        asked = program.prepare_request(requests.Request("POST", f"{place.url}/api/v1/checkins"))
        asked.headers.update(headers)
        answer = program.send(asked, timeout=60)
        assert (answer.status_code, list(answer.json())) == (status, ["error"]), headers


def test_an_address_that_is_not_there_answers_as_its_neighbours_do(place: Place) -> None:
    for method, path, status in (
        ("GET", "/api/v1/nothing", 404),
        ("PUT", "/api/v1/today", 405),
        ("GET", "/push/whoop", 405),
    ):
        answer = requests.request(method, place.url + path, timeout=60)
        assert (answer.status_code, list(answer.json())) == (status, ["error"]), path


def test_every_address_is_documented(place: Place) -> None:
    document = requests.get(f"{place.url}/api/v1/openapi.json", timeout=60).json()
    assert {"/api/v1/today", "/api/v1/recommendation/{number}/feedback", "/api/v1/import"} <= set(document["paths"])
    for path, methods in document["paths"].items():
        for one in methods.values():
            assert one["description"], path
            assert one["security"] == [{"HTTPBearer": []}], path
            assert one["responses"]["422"]["content"]["application/json"]["schema"]["$ref"].endswith("/Refused"), path


def test_tokens_and_passwords_at_the_command_line(place: Place, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_HOME", str(place.bridge.settings.folder))

    def bridge(*command: str, given: str = "") -> str:
        done = CliRunner().invoke(cli, command, input=given, catch_exceptions=False, standalone_mode=False)
        return done.stdout

    made = json.loads(bridge("token", "new", "--user", "ana", "--name", "phone", "--json"))
    listed = bridge("token", "list", "--user", "ana", "--json")
    assert json.loads(listed)[0]["name"] == "phone"
    assert made["token"] not in listed
    headers = {"Authorization": f"Bearer {made['token']}"}
    assert requests.get(f"{place.url}/api/v1/me", headers=headers, timeout=60).status_code == 200
    bridge("token", "revoke", str(made["id"]), "--user", "ana")
    assert requests.get(f"{place.url}/api/v1/me", headers=headers, timeout=60).status_code == 401
    assert "new password" in bridge("user", "password", "ana", given="correct horse\n")
    assert access.user_with_password(place.bridge.store, "ana", "correct horse") == ana
    assert re.search("no password", bridge("user", "password", "ana", "--remove"))
    assert not Path(place.bridge.settings.folder / "uploads").exists()


def test_a_request_reads_no_user_but_its_own(
    program: requests.Session, place: Place, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    password = "correct horse battery staple"
    access.set_password(place.bridge.store, ana, password, now=installation.now())
    session = access.begin_session(place.bridge.store, ana, now=installation.now())
    monkeypatch.delattr(People, "users")
    assert told(program, place, "/me")["user"] == "ana"
    page = requests.get(f"{place.url}/", cookies={"bridge_session": session}, timeout=60)
    assert page.status_code == 200
    assert page.url == f"{place.url}/"
    assert access.user_with_password(place.bridge.store, "ana", password) == ana
    assert access.user_with_password(place.bridge.store, "an\ud800a\x00", password) is None


def test_what_rests_on_years_is_read_anew_with_new_data(program: requests.Session, place: Place, ana: User) -> None:
    paths = "/meters", "/belief", "/history", "/calendar"
    first = [told(program, place, path) for path in paths]
    read: list[str] = []

    def hear(_db: Any, _cursor: Any, text: str, *_: Any) -> None:
        read.extend(re.findall(r"FROM \"?(samples|packed_samples|events|recommendations)\b", text))

    sa.event.listen(place.bridge.store.database.engine, "before_cursor_execute", hear)
    again = [told(program, place, path) for path in paths]
    few = Counter(read)
    told(program, place, "/checkins", {"score": 2, "about": "VITALITY"})
    changed = told(program, place, "/meters")
    sa.event.remove(place.bridge.store.database.engine, "before_cursor_execute", hear)
    assert [one | {"at": ""} if isinstance(one, dict) else one for one in again] == [
        one | {"at": ""} if isinstance(one, dict) else one for one in first
    ]
    assert few["samples"] + few["packed_samples"] == 0
    assert few["events"] == len(paths)  # flights, for the clock of each request
    assert changed["meters"]["VITALITY"]["level"] != first[0]["meters"]["VITALITY"]["level"]
