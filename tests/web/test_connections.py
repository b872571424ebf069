"""Consents at a real vendor server, files, pushes, and what is taken along or deleted."""

from __future__ import annotations

import io
import re
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
import requests
from cryptography.fernet import Fernet

import lab
from bridge import installation, registry
from bridge.auth.vault import Vault
from bridge.domain.records import User
from bridge.domain.types import Event
from bridge.ingest import runs
from bridge.recordings.server import Answer, LabServer, Request
from bridge.web import background
from bridge.web.jobs import RUNNING, Jobs
from lab.vendors.garmin import KEY
from lab.vendors.garmin import Vendor as Garmin
from lab.vendors.whoop import SCOPE, Vendor
from tests.health_auto_export.reading import body, metric
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, calendar, open_at, served


@contextmanager
def vendor(monkeypatch: pytest.MonkeyPatch, source: str, made: Vendor | Garmin, **also: str) -> Iterator[LabServer]:
    with LabServer(made.application) as server:
        for name, value in (made.settings(server.url) | also).items():
            monkeypatch.setenv(f"BRIDGE_{source}_{name}".upper(), value)
        yield server


def consent_address(visitor: Visitor, source: str) -> tuple[str, str]:
    """Begin to connect; the page's part with the address to open, and the address."""
    shown = visitor.change(f"/connections/{source}/connect").text
    job = re.search(r'(?:hx-get|action)="(/jobs/[^"]+)"', shown)
    assert job is not None
    for _ in range(200):
        found = re.search(r'href="(http[^"]+)"', shown)
        if found:
            return shown, found[1].replace("&amp;", "&")
        shown = visitor.get(job[1]).text
    raise AssertionError(shown)


def test_connect_sync_refresh_and_disconnect(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Vendor(lab.account("whoop", "week"))
    with vendor(monkeypatch, "whoop", made):
        shown, address = consent_address(visitor, "whoop")
        assert "Open WHOOP" in shown
        assert "Done" in requests.get(address, timeout=20).text  # the person agrees, and is led back to us
        assert "new" in visitor.finished(shown)
        page = visitor.get("/connections").text
        assert "Sync now: WHOOP" in page
        assert place.bridge.store.reading.counts(ana.id)["whoop"]
        assert "as before" in visitor.finished(visitor.change("/connections/whoop/sync").text)
        assert visitor.change("/connections/whoop/disconnect").status_code == 303
    assert "whoop" not in place.bridge.store.reading.counts(ana.id)


def test_what_may_not_be_read_is_said_after_a_sync_and_on_the_page(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Vendor(lab.account("whoop", "week"))
    with vendor(monkeypatch, "whoop", made):
        for scope, said in ((SCOPE.replace("read:workout ", ""), True), (SCOPE, False)):
            made.agreed = scope
            connection = place.bridge.store.connections.connect(ana.id, "whoop", "account", now=installation.now())
            place.bridge.account(connection, registry.spec("whoop")).save_token(made.grant())
            done = visitor.finished(visitor.change("/connections/whoop/sync").text)
            assert "new, " in done
            for shown in (done, visitor.get("/connections").text):
                assert ("no permission for workouts; connect again to grant it" in shown) == said
            (row,) = (one for one in visitor.get("/api/v1/connections").json() if one["source"] == "whoop")
            assert row["not_permitted"] == (["workout"] if said else [])


def test_disconnecting_offers_to_keep_what_is_there(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Vendor(lab.account("whoop", "week"))
    with vendor(monkeypatch, "whoop", made):
        connection = place.bridge.store.connections.connect(ana.id, "whoop", "account", now=installation.now())
        place.bridge.account(connection, registry.spec("whoop")).save_token(made.grant())
        runs.sync_user(place.bridge, ana, "whoop", at=installation.now())
        rows = place.bridge.store.reading.counts(ana.id)["whoop"]
        shown = visitor.get("/connections").text
        assert "Disconnect and keep its data" in shown
        assert f"What becomes of the {sum(rows.values()):,} values and entries" in shown
        assert visitor.change("/connections/whoop/disconnect", {"keep": "yes"}).status_code == 303
        assert place.bridge.store.reading.counts(ana.id)["whoop"] == rows
        assert place.bridge.store.connections.secret(connection.id) is None
        shown = visitor.get("/connections").text
        assert "Sync now: WHOOP" not in shown
        assert "Disconnect and keep its data" not in shown
        assert "log in again" not in shown
        assert visitor.change("/connections/whoop/disconnect").status_code == 303
    assert "whoop" not in place.bridge.store.reading.counts(ana.id)


@pytest.fixture
def calendars(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a server with calendars, of which the one at /work has a name."""

    def answer(request: Request) -> Answer:
        if request.path == "/a-web-page":
            return Answer(body=b"<!doctype html><title>Calendar</title>", headers={"Content-Type": "text/html"})
        body = calendar(request.path.strip("/"), request.path.strip("/"))
        named = body.replace(b"BEGIN:VEVENT", b"X-WR-CALNAME:Work\r\nBEGIN:VEVENT", 1)
        return Answer(body=named if "work" in request.path else body, headers={"Content-Type": "text/calendar"})

    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")
    with LabServer(answer) as server:
        yield server.url


def test_several_secret_calendars_are_added_shown_by_name_or_host_and_removed(
    calendars: str, place: Place, ana: User, visitor: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    field = re.search(r'<input name="url"[^>]*>', visitor.get("/begin/google").text)
    assert field is not None
    assert 'type="text"' in field[0]
    assert 'autocomplete="off"' in field[0]
    for secret in ("work-s3cret", "private-s3cret", "work-s3cret"):  # the last is there already
        visitor.get("/connections")
        shown = visitor.change("/connections/ics/connect", {"url": f"{calendars}/{secret}"})
        assert "new" in visitor.finished(shown.text)
    mine = [one for one in place.bridge.store.connections.of_user(ana.id) if one.name != "import"]
    assert [one.name for one in mine] == ["account", "account-2"]
    assert all(b"s3cret" not in (place.bridge.store.connections.secret(one.id) or b"") for one in mine)
    page = visitor.get("/connections").text
    assert ">Work <" in page
    assert "Remove 127.0.0.1" in page
    assert "Add another calendar" in page
    assert "s3cret" not in page + caplog.text
    titles = {event.title for _, event in _events(place, ana)}
    assert {"work-s3cret", "private-s3cret"} <= titles
    assert visitor.change("/connections/ics/disconnect", {"account": "account-2"}).status_code == 303
    assert "private-s3cret" not in {event.title for _, event in _events(place, ana)}
    assert [one.name for one in place.bridge.store.connections.of_user(ana.id)] == ["account", "import"]


def _events(place: Place, user: User) -> list[tuple[str, Event]]:
    now = installation.now()
    return place.bridge.store.reading.events(user.id, since=now - timedelta(days=2), until=now + timedelta(days=2))


def test_a_failure_is_kept_in_words_that_each_language_has(place: Place, ana: User, visitor: Visitor) -> None:
    connection = place.bridge.store.connections.connect(ana.id, "ics", "account", now=installation.now())
    spec = registry.spec("ics")
    place.bridge.account(connection, spec).save_token({"url": "https://calendar.invalid/secret"})
    outcome = runs.sync_user(place.bridge, ana, "ics", at=installation.now())[0]
    assert outcome.outcome == "failed"
    assert "The calendar's server does not answer; check the address" in unescape(visitor.get("/connections").text)
    german = visitor.get("/connections", headers={"Accept-Language": "de"}).text
    assert "Der Server des Kalenders antwortet nicht; prüfe die Adresse" in german
    (row,) = (one for one in visitor.get("/api/v1/connections").json() if one["connection"] == "account")
    assert row["error"].startswith("the calendar's server does not answer")


def test_a_sync_in_vain_is_shown_as_such_and_leads_nowhere(place: Place, ana: User, visitor: Visitor) -> None:
    connection = place.bridge.store.connections.connect(ana.id, "ics", "account", now=installation.now())
    place.bridge.account(connection, registry.spec("ics")).save_token({"url": "https://calendar.invalid/secret"})
    visitor.get("/connections")
    shown = visitor.finished(visitor.change("/connections/ics/sync", headers={"HX-Request": "true"}).text)
    assert "does not answer" in unescape(shown)
    assert 'class="job note bad"' in shown
    assert "Look at today" not in shown
    assert "is done" not in shown  # and no screen reader hears that it is
    assert re.search(r'data-say="iCalendar brought nothing\. The calendar', shown)


def test_an_address_that_is_a_web_page_is_refused_and_tried_again_at_the_same_button(
    calendars: str, place: Place, ana: User, visitor: Visitor
) -> None:
    begin = visitor.get("/begin/google").text
    button = re.search(r'<button[^>]*aria-label="Connect iCalendar"[^>]*>Connect</button>', begin)
    assert button is not None
    shown = visitor.change("/connections/ics/connect", {"url": f"{calendars}/a-web-page"}).text
    shown = unescape(visitor.finished(shown))
    assert "something else than a calendar, such as a web page" in shown
    assert 'role="alert"' in shown
    assert [one.name for one in place.bridge.store.connections.of_user(ana.id)] == ["import"]
    assert button[0] in visitor.get("/begin/google").text
    shown = visitor.change("/connections/ics/connect", {"url": f"{calendars}/work"}).text
    assert "new" in visitor.finished(shown)
    assert button[0] in visitor.get("/begin/google").text  # for a second calendar


def test_check_ins_are_not_offered_to_come_by_themselves(visitor: Visitor) -> None:
    assert visitor.change("/checkin", {"score": "4"}).status_code == 303
    shown = visitor.get("/connections").text
    assert 'id="check_in"' in shown
    assert "Let it come by itself" not in shown.partition('id="check_in"')[2].partition("</section>")[0]


def test_what_is_not_connected_unfolds_without_scripts(visitor: Visitor) -> None:
    shown = visitor.get("/connections").text
    folded = re.findall(r"<details>\s*<summary>(.+?)</summary>\s*<div class=\"stack\" id=\"(\w+)\">", shown)
    assert {name for _, name in folded} == {spec.name for spec in registry.specs()} - {
        "check_in",
        "ics",
    }  # a file is there
    assert shown.index('id="sources"') < shown.index("Import a file") < shown.index('id="others"')


def test_a_login_that_fails_says_what_to_do_next(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with vendor(monkeypatch, "whoop", Vendor(lab.account("whoop", "week"))) as server:
        server.faults.append(lambda request: _denied(request.query) if request.path.endswith("/auth") else None)
        shown, address = consent_address(visitor, "whoop")
        requests.get(address, timeout=20)
        told = visitor.finished(shown)
    assert "the consent was refused; to try again" in told
    assert [c for c in place.bridge.store.connections.of_user(ana.id) if c.source == "whoop"] == []
    assert "Connect WHOOP" in visitor.get("/connections").text


@pytest.mark.parametrize("lost", ["settings", "key"])
def test_what_cannot_be_revoked_any_more_is_deleted_all_the_same(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    made = Vendor(lab.account("whoop", "week"))
    with vendor(monkeypatch, "whoop", made):
        connection = place.bridge.store.connections.connect(ana.id, "whoop", "account", now=installation.now())
        place.bridge.account(connection, registry.spec("whoop")).save_token(made.grant())
        runs.sync_user(place.bridge, ana, "whoop", at=installation.now())
        if lost == "settings":
            monkeypatch.delenv("BRIDGE_WHOOP_CLIENT_ID")
        else:
            place.bridge.store.connections.save_secret(connection.id, Vault([Fernet.generate_key().decode()]).seal({}))
        assert place.bridge.store.reading.counts(ana.id)["whoop"]
        assert "revoke the consent there as well" in visitor.change("/connections/whoop/disconnect").text
    assert "whoop" not in place.bridge.store.reading.counts(ana.id)


def _denied(query: object) -> Answer:
    assert isinstance(query, dict)
    address = f"{query['redirect_uri']}?error=access_denied&state={query['state']}"
    return Answer(status=302, headers={"Location": address})


def test_somebody_at_another_machine_pastes_where_they_were_led(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        vendor(monkeypatch, "whoop", Vendor(lab.account("whoop", "week"))),
        served(open_at(tmp_path), local=False, names=["bridge.example"]) as place,
    ):
        secured(place, "ana", "correct horse battery")
        phone = place.visitor()
        phone.headers.update({"Host": "bridge.example"})
        assert phone.log_in("ana", "correct horse battery").status_code == 303
        phone.get("/connections")
        shown, address = consent_address(phone, "whoop")
        shown = phone.finished(shown)
        assert "copy its address" in shown
        led = requests.get(address, timeout=20, allow_redirects=False).headers["Location"]
        action = re.search(r'action="(/jobs/[^"]+)"', shown)
        assert action is not None
        assert "new" in phone.finished(phone.change(action[1], {"answer": led}).text)


def test_a_consent_is_joined_by_plans_and_by_health_only_when_ticked(visitor: Visitor) -> None:
    shown = visitor.get("/connections").text
    found = {
        source: re.findall(r'name="also" value="(\w+)"( checked)?', form)
        for source, form in re.findall(r'action="/connections/(google_\w+)/connect"(.*?)</form>', shown, re.DOTALL)
    }
    assert sorted(found["google_calendar"]) == [("google_health", ""), ("google_tasks", " checked")]
    assert sorted(found["google_health"]) == [("google_calendar", ""), ("google_tasks", "")]


def test_a_source_that_is_not_set_up_names_the_setting(visitor: Visitor) -> None:
    asked = visitor.change("/connections/whoop/connect").headers["location"]
    assert "BRIDGE_WHOOP_CLIENT_ID and BRIDGE_WHOOP_CLIENT_SECRET" in visitor.get(asked).text


def test_a_key_is_asked_for_and_a_wrong_one_is_said(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    with vendor(monkeypatch, "garmin", Garmin(lab.account("garmin", "week")), api_key=""):
        for key, told in (("wrong", "refused this Personal API key"), (KEY, "new")):
            shown = visitor.finished(visitor.change("/connections/garmin/connect").text)
            assert "Your Garmin Personal API key" in shown
            action = re.search(r'action="(/jobs/[^"]+)"', shown)
            assert action is not None
            assert told in visitor.finished(visitor.change(action[1], {"answer": key}).text)


def test_a_file_is_imported_while_the_page_watches(place: Place, ana: User, visitor: Visitor) -> None:
    shown = visitor.finished(visitor.upload("../../more.ics", calendar("Another", "another")).text)
    assert "iCalendar</strong>: 2 calendar entries</p>" in shown
    assert "2 new, 0 changed, 0 as before" in shown
    assert "4 values and entries are stored" in visitor.get("/connections").text
    assert not list((place.bridge.settings.folder / "uploads").rglob("*.ics"))  # nor anywhere above it


def test_what_is_no_export_and_what_is_hostile_is_refused_with_a_reason(visitor: Visitor) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("export.xml", bytes(110_000_000))
    laughs = b'<!DOCTYPE HealthData [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><HealthData><Me x="&b;"/></HealthData>'
    for name, content, told in (
        ("notes.txt", b"nothing", "is not an export this bridge can read"),
        ("bomb.zip", bomb.getvalue(), "it would unpack to hundreds of times its size"),
        ("export.xml", b'<?xml version="1.0"?>' + laughs, "export.xml"),
    ):
        shown = visitor.finished(visitor.upload(name, content).text)
        assert told in shown, name
        assert " new" not in shown.replace("0 new", ""), name


def test_when_a_source_was_last_asked_is_told_by_the_persons_clock(visitor: Visitor) -> None:
    assert "<dd>20 Nov 2026, 10:05</dd>" in visitor.get("/connections").text
    assert visitor.get("/api/v1/connections").json()[0]["last_success"] == "2026-11-20T10:05+01:00"


def test_a_page_that_asks_after_work_of_before_a_restart_is_loaded_again(visitor: Visitor) -> None:
    asked = {"HX-Request": "true"}
    for answer in (
        visitor.get("/jobs/gone", headers=asked),
        visitor.change("/jobs/gone", {"answer": "a"}, headers=asked),
    ):
        assert (answer.status_code, answer.headers["hx-redirect"]) == (204, "/connections")
    assert "this job is over" in visitor.get("/jobs/gone").text


def test_what_goes_wrong_is_logged_without_the_name_of_a_file(caplog: pytest.LogCaptureFixture) -> None:
    job = Jobs().start(1, "Ana Mueller befund.zip", lambda job: job.result["nothing"])
    for _ in range(200):
        if job.state != RUNNING:
            break
        time.sleep(0.005)
    assert caplog.messages == ["a job of the page failed with an unexpected TypeError"]


def test_an_upload_that_is_refused_says_why(place: Place, visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "MIN_FREE_DISK_BYTES", 10**18)
    full = visitor.upload("more.ics", calendar())
    assert (full.status_code, "the disk is nearly full" in full.text, "<" in full.text) == (400, True, False)
    place.bridge.store.people.add_user("ben", "UTC", now=installation.now())  # now one has to say who one is
    ended = visitor.upload("more.ics", calendar())
    assert (ended.status_code, ended.headers["hx-redirect"]) == (204, "/login")
    assert not list((place.bridge.settings.folder / "uploads").rglob("*.ics"))


def test_everything_is_taken_along_and_comes_back_in(place: Place, ana: User, visitor: Visitor) -> None:
    packed = visitor.get("/connections/export.zip")
    assert packed.headers["content-disposition"].endswith('"ana-export.zip"')
    had = place.bridge.store.reading.counts(ana.id)
    visitor.change("/connections/forget", {"name": "ana"})
    again = place.bridge.store.people.add_user("ana", "UTC", now=installation.now())
    visitor.get("/connections")
    shown = visitor.finished(visitor.upload("ana-export (1).zip", packed.content).text)
    assert "export</strong>: 2 calendar entries</p>" in shown
    assert place.bridge.store.reading.counts(again.id) == had
    assert place.bridge.store.people.user("ana").zones[-1].zone == "Europe/Berlin"


@pytest.mark.parametrize("asked", ["bytes=0-99", "bytes=999999999-", "nothing"])
def test_nothing_of_an_export_stays_behind(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """Also where a download is taken up again that cannot be."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    packed = visitor.get("/connections/export.zip", headers={"Range": asked})
    assert zipfile.is_zipfile(io.BytesIO(packed.content))
    assert not list(tmp_path.glob("rhythm-bridge-export-*"))


def test_an_export_that_does_not_fit_together_is_refused_and_changes_nothing(
    place: Place, ana: User, visitor: Visitor
) -> None:
    packed = visitor.get("/connections/export.zip").content
    ben = place.bridge.store.people.add_user("ben", "UTC", now=installation.now())
    guest = place.visitor()
    guest.log_in("ben")
    guest.get("/connections")
    cut, odd = bytearray(packed), changed(packed, "zones.json", b"Europe/Berlin", b"../../etc/passwd")
    middle = len(cut) // 3
    cut[middle : middle + 40] = bytes(40)
    for content, told in ((bytes(cut), "damaged or cut off"), (odd, "there is no time zone")):
        assert told in guest.finished(guest.upload("ana-export.zip", content).text)
    assert place.bridge.store.reading.counts(ben.id) == {}
    assert place.bridge.store.people.user("ben").zones == ben.zones


def changed(packed: bytes, table: str, old: bytes, new: bytes) -> bytes:
    """An export with something else in one of its tables."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as source, zipfile.ZipFile(made, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, content.replace(old, new) if name.endswith(table) else content)
    return made.getvalue()


def test_deleting_everything_wants_the_name(place: Place, visitor: Visitor) -> None:
    assert 'pattern="\\s*ana\\s*"' in visitor.get("/settings").text  # a slip is told beside the field
    assert visitor.change("/connections/forget", {"name": "anna"}).status_code == 400
    assert "is deleted" in visitor.change("/connections/forget", {"name": "ana"}).text
    assert place.bridge.store.people.users() == []
    assert visitor.get("/").headers["location"] == "/welcome"


def test_what_an_app_sends_lands_and_strangers_are_refused(place: Place, ana: User, visitor: Visitor) -> None:
    token = re.search(r"Bearer ([\w-]+)", visitor.change("/connections/health_auto_export/push").text)
    assert token is not None
    sent = body(metric("step_count", "count", {"date": "2026-11-18 00:00:00 +0100", "qty": 4000})).content
    address = f"{place.url}/push/health_auto_export"
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        assert requests.post(address, sent, headers=headers, timeout=10).status_code == 401
    signed = {"Authorization": f"Bearer {token[1]}"}
    assert requests.post(address, sent, headers=signed, timeout=10).json() == {"bytes": len(sent), "known": False}
    assert requests.post(address, sent, headers=signed, timeout=10).json()["known"]
    assert requests.post(address, b"{", headers=signed, timeout=10).status_code == 400
    assert requests.post(address, sent, headers=signed | {"Content-Encoding": "gzip"}, timeout=10).status_code == 415
    assert requests.post(f"{place.url}/push/nothing", sent, headers=signed, timeout=10).status_code == 404
    for _ in range(200):
        if "health_auto_export" in place.bridge.store.reading.counts(ana.id):
            break
        visitor.get("/login")
    assert place.bridge.store.reading.counts(ana.id)["health_auto_export"] == {"steps": 1}


def test_webhooks_are_believed_when_signed_and_never_too_often(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Vendor(lab.account("whoop", "week"))
    address = f"{place.url}/hooks/whoop"
    with vendor(monkeypatch, "whoop", made):
        headers, sent = made.webhook("sleep.updated", "4b1d0000-0000-4000-8000-00000000002a", at=installation.now())
        assert requests.post(address, sent, headers=headers, timeout=10).json() == {"new": 0}
        assert requests.post(address, sent + b" ", headers=headers, timeout=10).status_code == 401
        assert requests.post(address, bytes(70_000), headers=headers, timeout=10).status_code == 413
        assert requests.post(f"{place.url}/hooks/ics", sent, headers=headers, timeout=10).status_code == 404
        codes = {requests.post(address, b"", timeout=10).status_code for _ in range(125)}
    assert codes == {401, 429}


def test_the_order_of_sources_is_shown_and_set_where_several_record_nights(
    place: Place, ana: User, visitor: Visitor
) -> None:
    store, now = place.bridge.store, installation.now()
    store.connections.connect(ana.id, "whoop", "account", now=now)
    assert "Which source counts" not in visitor.get("/connections").text
    store.connections.connect(ana.id, "oura", "account", now=now)
    store.connections.connect(ana.id, "ics", "account", now=now)

    def order() -> list[str]:
        shown = visitor.get("/connections").text
        assert "Which source counts" in shown
        return re.findall(r'<input type="hidden" name="first" value="([^"]+)">', shown)

    assert order() == ["oura", "whoop"]
    assert "Put first: WHOOP" in visitor.get("/connections").text
    assert visitor.change("/connections/prefer", {"first": "whoop"}).status_code == 303
    assert order() == ["oura"]  # nothing puts the first one first again
    assert store.people.preferred_sources(ana.id) == ("whoop",)
    assert visitor.change("/connections/prefer", {"first": "oura"}).status_code == 303
    assert store.people.preferred_sources(ana.id) == ("oura", "whoop")
    assert visitor.change("/connections/prefer", {"first": "ics"}).status_code == 400
    assert visitor.change("/connections/prefer").status_code == 303
    assert store.people.preferred_sources(ana.id) == ()
