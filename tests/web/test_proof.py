"""Before a door to others is opened, and before everything is taken or deleted, the page asks again who it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from bridge import installation
from bridge.auth import access
from tests.web.conftest import secured
from tests.web.served import Place, Visitor

PASSWORD = "correct horse"
DOORS = (
    ("POST", "/settings/passkeys/options", "passkeys"),
    ("POST", "/settings/passkeys", "passkeys"),
    ("POST", "/settings/passkeys/1/remove", "passkeys"),
    ("POST", "/settings/login", "login"),
    ("POST", "/settings/login/end", "login"),
    ("POST", "/settings/tokens", "token"),
    ("POST", "/settings/assistants", "assistants"),
    ("POST", "/settings/shares", "shares"),
    ("GET", "/connections/export.zip", "everything"),
    ("POST", "/connections/forget", "everything"),
)


@pytest.fixture
def later(place: Place, monkeypatch: pytest.MonkeyPatch) -> Visitor:
    """A browser in which ana logged in a little too long ago."""
    secured(place, "ana", PASSWORD)
    visitor = place.visitor()
    visitor.log_in("ana", PASSWORD)
    after = installation.now() + access.PROOF_LASTS + timedelta(seconds=1)
    monkeypatch.setenv("BRIDGE_NOW", after.isoformat())
    visitor.get("/settings")
    return visitor


def test_every_door_asks_again_and_opens_then(place: Place, later: Visitor) -> None:
    ana = place.bridge.store.people.user("ana")
    for method, path, section in DOORS:
        answer = later.get(path) if method == "GET" else later.change(path)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/prove?section={section}"), path
    assert place.bridge.store.people.users() == [ana]
    assert later.change("/prove", {"password": "wrong", "section": "token"}).status_code == 400
    proved = later.change("/prove", {"password": PASSWORD, "section": "token"})
    assert proved.headers["Location"] == "/settings#token"
    assert "Authorization: Bearer" in later.change("/settings/tokens", {"name": "phone"}).text


def test_a_part_of_a_page_is_led_away_as_a_whole(later: Visitor) -> None:
    answer = later.change("/settings/tokens", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.headers["HX-Redirect"]) == (204, "/prove?section=token")


def test_a_proof_leads_to_the_settings_alone(later: Visitor) -> None:
    for elsewhere in ("https://example.org", "//example.org", "/connections/forget", ""):
        proved = later.change("/prove", {"password": PASSWORD, "section": elsewhere})
        assert proved.headers["Location"] == "/settings", elsewhere


def test_who_has_no_password_proves_nothing_by_an_empty_one(place: Place, later: Visitor) -> None:
    store, ana = place.bridge.store, place.bridge.store.people.user("ana")
    store.credentials.link(ana.id, "https://login.example", "1", now=installation.now())
    access.set_password(store, ana, None, now=installation.now())
    token = access.begin_session(store, ana, now=installation.now() - timedelta(hours=1))
    later.cookies.clear()
    later.cookies.set("bridge_session", token)
    assert "Is it you?" in later.get("/prove").text
    assert later.change("/prove", {"password": "", "section": "token"}).status_code in (400, 403)
    assert later.change("/settings/tokens", {"name": "phone"}).status_code in (303, 403)
    assert store.access.tokens(ana.id) == []


def test_programs_and_who_needs_no_login_are_not_asked(place: Place, visitor: Visitor) -> None:
    assert visitor.get("/connections/export.zip").status_code == 200
    ana = place.bridge.store.people.user("ana")
    access.set_password(place.bridge.store, ana, PASSWORD, now=installation.now())
    _entry, token = access.new_token(place.bridge.store, ana, "phone", now=installation.now())
    program = place.visitor()
    assert program.get("/connections/export.zip", headers={"Authorization": f"Bearer {token}"}).status_code == 200
