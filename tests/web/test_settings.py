"""The settings on the page do what the commands do, and refuse what the commands refuse."""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bridge import installation
from bridge.advice import notify, web_push
from bridge.auth import access
from bridge.domain.records import User
from bridge.web.pages.access import TOKENS_MAX
from rhythm_env.interface import Slot
from tests.web.conftest import secured
from tests.web.served import Place, Visitor, open_at, served

NTFY = "ntfys://ntfy.sh/a-topic-of-ana"


FLIGHT = b"""BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//tests//EN
BEGIN:VEVENT
UID:flight@airline.example
SUMMARY:LH 400
DTSTART;TZID=Europe/Berlin:20261120T120000
DTEND;TZID=America/New_York:20261120T143000
END:VEVENT
END:VCALENDAR
"""


def test_on_a_journey_the_settings_show_the_zone_of_home(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor.finished(visitor.upload("trip.ics", FLIGHT.replace(b"\n", b"\r\n")).text)
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-21T10:05:00+01:00")
    shown = visitor.get("/settings").text
    assert ('name="zone" value="Europe/Berlin"' in shown, "It is 10:05 there" in shown) == (True, True)


def test_a_time_zone_counts_from_now_on(
    place: Place, ana: User, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BRIDGE_NOW", "2026-11-21T10:05:00+01:00")
    assert visitor.change("/settings/zone", {"zone": " lisbon"}).status_code == 303
    (user,) = place.bridge.store.people.users()
    assert [span.zone for span in user.zones] == ["Europe/Berlin", "Europe/Lisbon"]
    assert user.zones[-1].since == installation.now()
    assert "It is 09:05 there" in visitor.get("/settings?saved=zone").text
    refused = visitor.change("/settings/zone", {"zone": "Mars/Olympus"})
    assert (refused.status_code, "no time zone" in refused.text) == (400, True)
    assert 'name="zone" value="Mars/Olympus"' in refused.text  # what was typed stays, to be mended
    assert place.bridge.store.people.users() == [user]


def test_messages_are_chosen_and_the_address_is_never_shown(place: Place, ana: User, visitor: Visitor) -> None:
    store = place.bridge.store
    wrong = visitor.change("/settings/messages", {"address": "smoke://signals"})
    assert (wrong.status_code, store.notifications.channel(ana.id)) == (400, None)
    assert "that is not an address Apprise knows" in wrong.text
    assert visitor.change("/settings/messages", {}).status_code == 400  # there is no address to keep
    visitor.change("/settings/messages", {"address": NTFY, "events": "yes", "quiet": "EVENING"})
    kept = store.notifications.channel(ana.id)
    assert kept is not None
    assert (kept.events, kept.quiet) == (True, {Slot.EVENING})
    assert notify._secret(store, place.bridge.vault, ana.id)["address"] == NTFY
    assert "a-topic-of-ana" not in visitor.get("/settings").text
    visitor.change("/settings/messages", {"quiet": "MORNING"})
    kept = store.notifications.channel(ana.id)
    assert kept is not None
    assert (kept.events, kept.quiet) == (False, {Slot.MORNING})
    assert notify._secret(store, place.bridge.vault, ana.id)["address"] == NTFY
    assert visitor.change("/settings/messages", {"quiet": "noon"}).status_code == 400
    visitor.change("/settings/messages/off")
    assert store.notifications.channel(ana.id) is None


def test_a_test_message_tells_how_it_went(place: Place, ana: User, visitor: Visitor) -> None:
    refused = visitor.change("/settings/messages/test")
    assert (refused.status_code, "no address for messages is stored" in refused.text) == (400, True)
    visitor.change("/settings/messages", {"address": "json://127.0.0.1:9/"})  # inside the network
    refused = visitor.change("/settings/messages/test")
    assert (refused.status_code, "it was not taken" in refused.text) == (400, True)
    with place.made.state.page.sending.held(ana.id):
        assert visitor.change("/settings/messages/test").status_code == 429


def browser(number: int = 0) -> dict[str, str]:
    """The subscription of a browser whose owner wants messages there."""
    point = (
        ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    )
    keys = {"p256dh": urlsafe_b64encode(point).decode(), "auth": urlsafe_b64encode(bytes(16)).decode()}
    return {"endpoint": f"https://push.example.org/{number}", "name": f"<b>{number}</b>", **keys}


def test_messages_come_to_browsers_until_they_are_removed(place: Place, ana: User, visitor: Visitor) -> None:
    store, vault = place.bridge.store, place.bridge.vault
    key = visitor.change("/settings/devices/key").text
    assert (len(key), visitor.change("/settings/devices/key").text) == (87, key)
    assert visitor.change("/settings/devices", browser()).status_code == 303
    shown = visitor.get("/settings?saved=device").text
    assert "&lt;b&gt;0&lt;/b&gt;" in shown
    assert "push.example.org" not in shown
    visitor.change("/settings/devices", browser())  # the same browser with new keys
    visitor.change("/settings/messages", {"address": NTFY, "quiet": "EVENING"})
    (device,) = notify.devices_of(store, vault, ana.id)
    visitor.change(f"/settings/devices/{web_push.mark(device)}/remove")
    assert notify.devices_of(store, vault, ana.id) == []
    assert notify._secret(store, vault, ana.id)["address"] == NTFY
    for number in range(12):
        visitor.change("/settings/devices", browser(number))
    kept = notify.devices_of(store, vault, ana.id)
    assert [device.endpoint.rpartition("/")[2] for device in kept] == [str(number) for number in range(2, 12)]
    visitor.change("/settings/messages/off")
    assert notify.devices_of(store, vault, ana.id) == []


@pytest.mark.parametrize(
    "wrong", [{"endpoint": "http://push.example.org/1"}, {"endpoint": ""}, {"p256dh": "AAAA"}, {"auth": ""}]
)
def test_what_no_browser_gives_is_refused(place: Place, ana: User, visitor: Visitor, wrong: dict[str, str]) -> None:
    assert visitor.change("/settings/devices", browser() | wrong).status_code == 400
    assert place.bridge.store.notifications.channel(ana.id) is None


def test_a_password_is_set_changed_and_removed(place: Place, ana: User, visitor: Visitor) -> None:
    store = place.bridge.store
    for new, again in (("short", "short"), ("correct horse", "correct house")):
        assert visitor.change("/settings/password", {"new": new, "again": again}).status_code == 400
    assert not access.has_password(store, ana)
    visitor.change("/settings/password", {"new": "correct horse", "again": "correct horse"})
    assert "The password is changed" in visitor.get("/settings?saved=password").text  # this browser stays logged in
    other = place.visitor()
    other.log_in("ana", "correct horse")
    wrong = {"old": "battery staple", "new": "battery staple", "again": "battery staple"}
    assert "the present password is another one" in visitor.change("/settings/password", wrong).text
    visitor.change("/settings/password", wrong | {"old": "correct horse"})
    assert (other.get("/settings").status_code, visitor.get("/settings").status_code) == (303, 200)
    assert access.user_with_password(store, "ana", "battery staple") == ana
    assert visitor.change("/settings/password/remove", {"old": "correct horse"}).status_code == 400
    assert visitor.change("/settings/password/remove", {"old": "battery staple"}).status_code == 303
    assert not access.has_password(store, ana)


@pytest.mark.parametrize(
    ("new", "says"),
    [
        ("elevenchars", "1 more character."),
        ("password1234", "Soon guessed"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "Soon guessed"),
        ("correct horse", "Hard to guess"),
        ("correct horse battery staple", "Very hard"),
    ],
)
def test_how_hard_a_password_is_to_guess_is_shown_and_asked_for(visitor: Visitor, new: str, says: str) -> None:
    assert says in visitor.change("/settings/password/strength", {"new": new}).text
    saved = visitor.change("/settings/password", {"new": new, "again": new})
    assert (saved.status_code == 303) == ("ard to guess" in says or "Very hard" in says)


def test_a_page_that_others_reach_keeps_its_passwords(tmp_path: Path) -> None:
    with served(open_at(tmp_path), local=False) as place:
        ana = secured(place, "ana", "correct horse")
        visitor = place.visitor()
        visitor.log_in("ana", "correct horse")
        assert "Remove the password" not in visitor.get("/settings").text
        refused = visitor.change("/settings/password/remove", {"old": "correct horse"})
        assert (refused.status_code, "you need a password" in refused.text) == (400, True)
        assert access.has_password(place.bridge.store, ana)


def test_guessing_the_present_password_is_slowed_down(place: Place) -> None:
    secured(place, "ana", "correct horse")
    visitor = place.visitor()
    visitor.log_in("ana", "correct horse")
    visitor.get("/settings")
    guess = {"old": "guess", "new": "battery staple", "again": "battery staple"}
    answers = [visitor.change("/settings/password", guess).text for _ in range(8)]
    assert "too many tries; wait" in answers[-1]


def test_a_token_is_shown_once_and_ends(place: Place, ana: User, visitor: Visitor) -> None:
    made = visitor.change("/settings/tokens", {"name": "<b>lamp</b>"}).text
    (token,) = re.findall(r"rb_[\w-]+", made)
    (entry,) = place.bridge.store.access.tokens(ana.id)
    assert entry.name == "<b>lamp</b>"
    assert "<b>lamp" not in made
    program = place.visitor()
    program.headers["Authorization"] = f"Bearer {token}"
    assert program.get("/api/v1/me").json()["user"] == "ana"
    assert program.get("/settings").status_code == 403
    assert program.post("/settings/tokens", data={"name": "another"}).status_code == 403
    assert token not in visitor.get("/settings").text
    visitor.change(f"/settings/tokens/{entry.id}/end")
    assert program.get("/api/v1/me").status_code == 401
    assert visitor.change(f"/settings/tokens/{entry.id}/end").status_code == 400


def test_a_token_for_an_assistant_opens_no_program_address(place: Place, ana: User, visitor: Visitor) -> None:
    made = visitor.change("/settings/tokens", {"name": "assistant", "assistant": "yes"}).text
    (token,) = re.findall(r"rba_[\w-]+", made)
    program = place.visitor()
    program.headers["Authorization"] = f"Bearer {token}"
    assert program.get("/api/v1/me").status_code == 401
    assert program.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}).json()["result"] == {}


def test_nobody_ends_the_token_of_another_person(place: Place) -> None:
    ana = secured(place, "ana", "correct horse")
    secured(place, "ben", "battery staple")
    entry, _ = access.new_token(place.bridge.store, ana, "lamp", now=installation.now())
    ben = place.visitor()
    ben.log_in("ben", "battery staple")
    ben.get("/settings")
    assert ben.change(f"/settings/tokens/{entry.id}/end").status_code == 400
    assert place.bridge.store.access.tokens(ana.id) == [entry]


def test_tokens_are_bounded(place: Place, ana: User, visitor: Visitor) -> None:
    for _ in range(TOKENS_MAX):
        access.new_token(place.bridge.store, ana, "lamp", now=installation.now())
    refused = visitor.change("/settings/tokens", {"name": "lamp"})
    assert (refused.status_code, len(place.bridge.store.access.tokens(ana.id))) == (400, TOKENS_MAX)


def test_the_tools_of_assistants_are_allowed_and_withdrawn(place: Place, ana: User, visitor: Visitor) -> None:
    people, now = place.bridge.store.people, installation.now()
    ben = people.add_user("ben", "Europe/Berlin", now=now)
    access.set_password(place.bridge.store, ben, "battery staple", now=now)
    people.allow_tool(ben.id, "trends", now=now)
    access.set_password(place.bridge.store, ana, "correct horse", now=now)
    visitor.log_in("ana", "correct horse")
    assert not re.findall(r'name="tools" value="\w+" checked', visitor.get("/settings").text)
    people.allow_tool(ana.id, "meters", now=now - timedelta(days=3))
    visitor.change("/settings/assistants", {"tools": ["meters", "check_in"]})
    shown = visitor.get("/settings?saved=assistants").text
    assert "Saved. It holds from an assistant" in shown
    assert re.findall(r'name="tools" value="(\w+)" checked', shown) == ["meters", "check_in"]
    assert re.findall(r"since (\d+ Nov 2026)", shown) == ["17 Nov 2026", "20 Nov 2026"]
    assert visitor.change("/settings/assistants", {"tools": ["meters", "shell"]}).status_code == 400
    assert visitor.change("/settings/assistants", {"tools": ["meters"] * 40}).status_code == 422
    assert list(people.allowed_tools(ana.id)) == ["check_in", "meters"]
    visitor.change("/settings/assistants")
    assert (people.allowed_tools(ana.id), list(people.allowed_tools(ben.id))) == ({}, ["trends"])


def test_a_program_does_not_allow_itself_a_tool(place: Place, ana: User) -> None:
    _, token = access.new_token(place.bridge.store, ana, "lamp", now=installation.now())
    program = place.visitor()
    program.headers["Authorization"] = f"Bearer {token}"
    assert program.post("/settings/assistants", data={"tools": "meters"}).status_code == 403
    assert place.bridge.store.people.allowed_tools(ana.id) == {}


def test_everything_is_deleted_only_by_the_typed_name(place: Place, ana: User, visitor: Visitor) -> None:
    assert "Type <strong>ana</strong>" in unescape(visitor.get("/settings").text)
    assert "nothing was deleted" in visitor.change("/connections/forget", {"name": "ben"}).text
    assert place.bridge.store.people.users() == [ana]
    assert "Everything about ana is deleted" in visitor.change("/connections/forget", {"name": "ana"}).text
    assert place.bridge.store.people.users() == []


@pytest.mark.parametrize(
    ("setting", "form"),
    [
        ("zone", 'action="/settings/zone"'),
        ("quiet hours", 'name="quiet"'),
        ("messages", 'action="/settings/messages"'),
        ("password", 'action="/settings/password"'),
        ("passkeys", 'id="passkeys"'),
        ("tokens", 'action="/settings/tokens"'),
        ("language", 'action="/settings/language"'),
        ("export", 'href="/connections/export.zip"'),
        ("delete", 'action="/connections/forget"'),
        ("wishes", 'href="/wishes"'),
        ("order of sources", 'href="/connections#order-head"'),
    ],
)
def test_each_setting_is_found_in_the_settings(
    place: Place, ana: User, visitor: Visitor, setting: str, form: str
) -> None:
    assert form in visitor.get("/settings").text
