"""The beginning: what a person has leads to the shortest way, and keys are typed, tested and kept on the page."""

from __future__ import annotations

import html
import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import requests

import lab
from bridge import installation, registry
from bridge.advice.recommend import load_snapshot
from bridge.auth import vault
from bridge.auth.key_storage import key_storage_of
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.ingest import clients, connecting
from bridge.recordings.recorded_life import DEMO_USER
from bridge.recordings.server import LabServer
from bridge.web import beginnings
from bridge.web.beginnings import THINGS, Thing, things
from lab.vendors.whoop import Vendor
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, calendar

STEPS_MOST = 7  # from the question to the data, without an account with a developer
WITHOUT_DEVELOPER = {"whoop", "garmin", "apple", "google", "icloud", "outlook", "calendar"}


@pytest.fixture
def whoop(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A vendor's server whose client is not set anywhere; the client's id and secret."""
    made = Vendor(lab.account("whoop", "week"))
    with LabServer(made.application) as server:
        found = made.settings(server.url)
        for name, value in found.items():
            if name not in clients.CLIENT:
                monkeypatch.setenv(f"BRIDGE_WHOOP_{name}".upper(), value)
        yield {name: found[name] for name in clients.CLIENT}


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.name)
def test_everything_a_person_may_have_leads_to_a_way(thing: Thing, visitor: Visitor) -> None:
    assert f'href="/begin/{thing.name}"' in visitor.get("/begin").text
    shown = visitor.get(f"/begin/{thing.name}")
    assert shown.status_code == 200
    ways = thing.ways_of(registry.names("connectors"))
    assert ways or 'id="drop"' in shown.text  # a file is the way where no source is installed
    for way in ways:
        text = html.unescape(shown.text)
        assert way.title in text
        assert all(step in text for step in way.steps)
        spec = registry.spec(way.source)
        assert {"file": spec.reads, "account": spec.authorises, "push": spec.receives}[way.by] is not None
    if thing.name in WITHOUT_DEVELOPER:
        assert registry.spec(ways[0].source).registration is None or ways[0].by == "file"
        assert len(ways[0].steps) + 1 <= STEPS_MOST  # and the choice of the thing itself


def test_the_tiles_break_no_word_and_name_what_a_newcomer_knows(visitor: Visitor) -> None:
    shown = visitor.get("/begin").text
    assert "Activity<wbr>Watch" in shown
    assert "application of yours" not in shown
    assert "Activity<wbr>Watch" in visitor.get("/connections").text


def test_every_source_has_its_way_from_the_beginning() -> None:
    ways = {(way.source, way.by) for thing in things(registry.specs()) for way in thing.ways}
    for spec in registry.specs():
        possible = {"file": spec.reads, "account": spec.authorises, "push": spec.receives}
        by = {name for name, capability in possible.items() if capability is not None}
        assert not by or {one for source, one in ways if source == spec.name}, spec.name
        assert {one for source, one in ways if source == spec.name} <= by, spec.name


def test_a_source_that_no_thing_names_is_shown_by_its_spec(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person finds a new connector without a change of the page, where the file stays the last."""
    oura = registry.spec("oura")
    pebble = replace(oura, name="pebble", title="Pebble ring")
    files = replace(pebble, name="flint", oauth=None)
    found = {thing.name: thing for thing in things([oura, pebble, files])}
    assert [(way.source, way.by) for way in found["pebble"].ways] == [("pebble", "account"), ("pebble", "file")]
    assert [(way.source, way.by) for way in found["flint"].ways] == [("flint", "file")]
    assert list(found)[-1] == "file"
    monkeypatch.setattr(beginnings, "THINGS", tuple(thing for thing in THINGS if thing.name != "oura"))
    assert f'href="/begin/oura"><strong>{oura.title}' in visitor.get("/begin").text
    assert "with an application of your own" in visitor.get("/begin/oura").text


def over(visitor: Visitor, answer: requests.Response) -> dict[str, Any]:
    """The events that the answer about a job tells the page when the job is over, which may be at once."""
    while job := re.search(r'hx-get="(/jobs/[^"]+)"', answer.text):
        time.sleep(0.05)
        answer = visitor.get(job[1])
    told: dict[str, Any] = json.loads(answer.headers["HX-Trigger"])
    return told


def test_after_a_file_the_page_says_how_its_data_keep_coming(place: Place, ana: User, visitor: Visitor) -> None:
    told = over(visitor, visitor.upload("sleeps.csv", Path("fixtures/whoop/export/sleeps.csv").read_bytes()))
    came = unescape(visitor.get(f"/?came={told['arrived']['job']}").text)
    assert "WHOOP: the newest is of 20 November 2026; 1 day old tomorrow, for a file comes only once." in came
    assert '<a href="/begin/whoop">New nights by themselves' in came
    assert "Oura" not in came
    assert load_snapshot(place.bridge, ana, at=installation.now()).brought >= {"whoop"}


def test_several_files_of_a_source_are_told_as_one(place: Place, ana: User, visitor: Visitor) -> None:
    names, folder = ("sleeps.csv", "workouts.csv", "physiological_cycles.csv"), Path("fixtures/whoop/export")
    told = [over(visitor, visitor.upload(name, (folder / name).read_bytes())) for name in names]
    ids = [one["arrived"]["job"] for one in told if "arrived" in one]
    assert len(ids) > 1
    came = visitor.get("/", params={"came": ",".join(ids)}).text.partition('id="came"')[2].partition("</section>")[0]
    assert came.count("<strong>WHOOP</strong>") == 1
    assert re.search(r"\d+ nights\b.*\d+ workouts?", came)


def test_an_ics_file_is_dropped_under_another_calendar(place: Place, ana: User, visitor: Visitor) -> None:
    assert 'id="drop"' in visitor.get("/begin/calendar").text


def test_a_dropped_calendar_leads_on_to_the_first_plan_which_tells_what_came(place: Place, visitor: Visitor) -> None:
    assert 'data-then="/"' in visitor.get("/begin/file").text
    told = over(visitor, visitor.upload("choir.ics", calendar(key="rehearsal")))
    assert told.keys() == {"landed", "arrived"}
    today = visitor.get(f"/?came={told['arrived']['job']}").text
    came = re.sub(r"<[^>]+>|\s+", " ", today.partition('id="came"')[2].partition("</section>")[0])
    assert "iCalendar : 2 calendar entries" in re.sub(" +", " ", came)
    again = over(visitor, visitor.upload("choir.ics", calendar(key="rehearsal")))
    assert again.keys() == {"landed"}  # nothing is new in it
    assert 'id="came"' not in visitor.get("/").text
    secured(place, "ben", "a long password")
    other = place.visitor()
    other.log_in("ben", "a long password")
    assert 'id="came"' not in other.get(f"/?came={told['arrived']['job']}").text


def test_what_came_is_told_in_nights_workouts_and_days(visitor: Visitor) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        for file in sorted((lab.fixtures("whoop") / "export").iterdir()):
            files.writestr(file.name, file.read_bytes())
        files.writestr("calendar.ics", calendar() + b"half of an")
        files.writestr("letter.docx", b"PK no export")
    shown = unescape(visitor.finished(visitor.upload("export.zip", packed.getvalue()).text))
    assert re.search(r"WHOOP</strong>: \d+ nights?, .*\d+ workouts?.* and \d+ days? with measurements", shown)
    assert '1 record is kept, but not read: the column "Sleep onset" holds no time' in unescape(shown)
    assert "1 file belongs to no source: 1 .docx." in shown


def test_a_file_of_no_source_is_refused_with_each_name_once(visitor: Visitor) -> None:
    shown = unescape(visitor.finished(visitor.upload("notes.txt", b"nothing").text))
    said = shown.partition('role="alert"')[2].partition(">")[2].partition("<")[0]
    assert "not an export this bridge can read" in said
    assert said.count("Garmin") == 1
    assert not re.search(r"\b(apple_health|garmin|google_calendar|whoop)\b", said)  # no name of ours


def test_connecting_without_keys_leads_to_the_page_that_takes_them(visitor: Visitor, whoop: dict[str, str]) -> None:
    visitor.get("/connections")
    assert visitor.change("/connections/whoop/connect").headers["location"] == "/connections/whoop/keys"
    told = visitor.change("/connections/whoop/connect", headers={"HX-Request": "true"})
    assert told.headers["HX-Redirect"] == "/connections/whoop/keys"
    shown = visitor.get("/connections/whoop/keys").text
    spec = registry.spec("whoop")
    assert spec.registration is not None
    assert all(step in shown for step in spec.registration.steps)
    assert 'value="read:recovery read:cycles read:workout read:sleep offline"' in shown
    assert visitor.get("/connections/ics/keys").status_code == 404


def test_keys_are_tested_sealed_and_used(place: Place, ana: User, visitor: Visitor, whoop: dict[str, str]) -> None:
    visitor.get("/connections/whoop/keys")
    wrong = visitor.change("/connections/whoop/keys", whoop | {"client_secret": "another"})
    assert (wrong.status_code, "does not know this client id and secret" in wrong.text) == (400, True)
    assert "another" not in wrong.text
    assert place.bridge.store.connections.client("whoop") is None
    taken = visitor.change("/connections/whoop/keys", whoop)
    assert "knows these keys" in taken.text
    sealed = place.bridge.store.connections.client("whoop")
    assert sealed is not None
    assert whoop["client_secret"].encode() not in sealed
    assert place.bridge.settings_of(ana, "whoop", registry.spec("whoop").settings)["client_id"] == whoop["client_id"]
    shown = visitor.change("/connections/whoop/connect").text
    assert "/jobs/" in shown
    assert whoop["client_secret"] not in visitor.get("/connections/whoop/keys").text


def test_settings_outrank_what_is_typed(
    place: Place, ana: User, visitor: Visitor, whoop: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.get("/connections/whoop/keys")
    visitor.change("/connections/whoop/keys", whoop)
    monkeypatch.setenv("BRIDGE_WHOOP_CLIENT_ID", "from the environment")
    settings = registry.spec("whoop").settings
    assert place.bridge.settings_of(ana, "whoop", settings)["client_id"] == "from the environment"
    assert "BRIDGE_WHOOP_CLIENT_ID is set and outranks" in visitor.get("/connections/whoop/keys").text


def test_keys_outlive_a_rotation_and_end_with_the_last_person(
    place: Place, ana: User, visitor: Visitor, whoop: dict[str, str]
) -> None:
    visitor.get("/connections/whoop/keys")
    visitor.change("/connections/whoop/keys", whoop)
    before = place.bridge.store.connections.client("whoop")
    storage = key_storage_of(place.bridge.settings.key, place.bridge.settings.folder)
    if storage.is_writable:
        assert vault.rotate(place.bridge.store, storage).resealed == 1
        assert place.bridge.store.connections.client("whoop") != before
    assert place.bridge.typed_client("whoop") == whoop
    connecting.forget(place.bridge, ana)
    assert place.bridge.store.connections.clients() == {}


def test_nobody_changes_the_keys_that_serve_others(
    place: Place, ana: User, visitor: Visitor, whoop: dict[str, str]
) -> None:
    clients.save(place.bridge, ana, registry.spec("whoop"), whoop["client_id"], whoop["client_secret"])
    ben = secured(place, "ben", "a password of his")
    with pytest.raises(SetupError, match="serves everybody here"):
        clients.save(place.bridge, ben, registry.spec("whoop"), "mine", "too")


def test_one_client_serves_all_of_google(place: Place, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_GOOGLE_CLIENT_ID", "one")
    monkeypatch.setenv("BRIDGE_GOOGLE_CLIENT_SECRET", "for all")
    for source in ("google_calendar", "google_tasks"):
        assert place.bridge.settings_of(ana, source, registry.spec(source).settings)["client_id"] == "one"
    monkeypatch.setenv("BRIDGE_GOOGLE_TASKS_CLIENT_ID", "its own")
    tasks = registry.spec("google_tasks")
    assert place.bridge.settings_of(ana, "google_tasks", tasks.settings)["client_id"] == "its own"
    assert "Google Tasks" in " ".join(clients.asked(place.bridge, ana, registry.spec("google_calendar")).shared_with)


def test_a_missing_client_is_named_whole(place: Place, ana: User) -> None:
    with pytest.raises(SetupError, match="set BRIDGE_OURA_CLIENT_ID and BRIDGE_OURA_CLIENT_SECRET, then"):
        place.bridge.settings_of(ana, "oura", registry.spec("oura").settings)


def test_a_made_up_person_wears_a_banner_and_makes_room(place: Place) -> None:
    place.bridge.store.people.add_user(DEMO_USER, "Europe/Berlin", now=installation.now())
    visitor = place.visitor()
    assert "This is a made-up person" in visitor.get("/connections").text
    asked = visitor.get("/welcome/own").text
    assert "Delete the made-up person?" in asked
    assert 'href="/"' in asked
    assert len(place.bridge.store.people.users()) == 1
    assert visitor.change("/welcome/own").headers["location"] == "/welcome"
    assert place.bridge.store.people.users() == []


def test_nobody_else_is_deleted_by_that(place: Place, ana: User, visitor: Visitor) -> None:
    assert "made-up person" not in visitor.get("/connections").text
    assert visitor.get("/welcome/own").headers["location"] == "/"
    visitor.change("/welcome/own")
    assert [user.name for user in place.bridge.store.people.users()] == ["ana"]


def test_the_pages_ask_nothing_of_other_machines(visitor: Visitor) -> None:
    for path in ("/begin", "/begin/whoop", "/connections/whoop/keys"):
        answer: requests.Response = visitor.get(path)
        assert not re.search(r'(?:src|href)="https?://(?![^"]*"[^>]*target="_blank")', answer.text)


def test_a_person_of_another_script_takes_everything_along(place: Place) -> None:
    visitor = place.visitor()
    visitor.get("/welcome")
    assert visitor.change("/welcome", {"name": "Зоя", "zone": "Europe/Berlin"}).status_code == 303
    answer = visitor.get("/connections/export.zip")
    assert answer.status_code == 200
    assert "%D0%97" in answer.headers["Content-Disposition"]


def test_an_application_without_a_secret_is_asked_for_its_id_alone(visitor: Visitor) -> None:
    shown = visitor.get("/connections/microsoft_calendar/keys").text
    assert "Client ID" in shown
    for absent in ("Client Secret", "Redirect address"):
        assert absent not in shown
    assert "Client Secret" in visitor.get("/connections/whoop/keys").text
    assert visitor.change("/connections/whoop/keys", {"client_id": "some"}).status_code == 400
