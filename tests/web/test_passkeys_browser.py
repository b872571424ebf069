"""Passkeys in Chromium, with an authenticator that the browser plays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bridge import installation
from bridge.domain.records import User
from tests.web.browsing import PHONE, Trouble, chromium, grave_findings, picture
from tests.web.conftest import secured
from tests.web.served import Place

pytestmark = pytest.mark.web
PASSWORD = "correct horse"
KEY = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
TAKE = """() => new Promise((done) => {
  HTMLFormElement.prototype.submit = function () { done(this.elements.credential.value); };
  document.querySelector("#passkey-login button").click();
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def trouble() -> Trouble:
    return Trouble()


@pytest.fixture
def page(place: Place, browser: Any, trouble: Trouble) -> Iterator[Any]:
    context = browser.new_context(base_url=f"http://localhost:{place.port}")
    yield trouble.watch(context.new_page())
    context.close()


@pytest.fixture
def ana(place: Place) -> User:
    return secured(place, "ana", PASSWORD)


def give(page: Any, **options: object) -> tuple[Any, str]:
    """Give the browser an authenticator, and return its session and its id."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    made = session.send("WebAuthn.addVirtualAuthenticator", {"options": {**KEY, **options}})
    return session, made["authenticatorId"]


def log_in(page: Any) -> None:
    if "/login" not in page.url:
        page.goto("/login")
    page.fill("input[name=name]", "ana")
    page.fill("input[name=password]", PASSWORD)
    page.click("button:has-text('Log in'):not(:has-text('passkey'))")
    page.wait_for_url("**/")


def make(page: Any, name: str) -> None:
    page.goto("/settings")
    page.click("summary:has-text('Add a passkey')")
    page.fill("#passkey-form input[name=name]", name)
    page.click("button:has-text('Make a passkey')")


def test_made_used_listed_and_removed(place: Place, ana: User, page: Any, trouble: Trouble) -> None:
    session, number = give(page)
    log_in(page)
    make(page, "My phone")
    page.wait_for_selector("text=You can log in with this passkey")
    assert page.is_visible("#passkeys >> text=My phone")
    assert grave_findings(page) == []
    picture(page, "passkeys-settings")
    page.click("text=Log out")
    page.wait_for_url("**/login")
    assert grave_findings(page) == []
    picture(page, "passkeys-login")
    page.click("button:has-text('Log in with a passkey')")
    page.wait_for_url("**/")
    (kept,) = place.bridge.store.credentials.passkeys(ana.id)
    assert (kept.name, kept.host, kept.used_at) == ("My phone", "localhost", installation.now())
    assert kept.signatures > 1  # once when made, once when used
    page.goto("/settings")
    page.click("button[aria-label='Remove the passkey My phone']")
    page.wait_for_selector("text=The passkey is removed")
    assert place.bridge.store.credentials.passkeys(ana.id) == []
    page.click("text=Log out")
    page.click("button:has-text('Log in with a passkey')")
    page.wait_for_selector("text=not known here")
    assert page.goto("/settings").url.endswith("/login")
    assert [one for one in trouble if "403" not in one] == []
    session.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": number})


def test_several_on_a_phone_by_keyboard_in_the_dark(place: Place, ana: User, browser: Any) -> None:
    context = browser.new_context(base_url=f"http://localhost:{place.port}", color_scheme="dark", **PHONE)
    page = context.new_page()
    session, number = give(page)
    log_in(page)
    make(page, "My phone")
    page.wait_for_selector("text=You can log in with this passkey")
    make(page, "Again")
    page.wait_for_selector("text=this device has a passkey for this page already")
    session.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": number})
    give(page, transport="usb")
    page.goto("/settings")
    page.focus("summary:has-text('Add a passkey')")
    for key in ("Enter", "Tab", "K", "e", "y", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("#passkeys >> text=You can log in with this passkey")
    assert [one.name for one in place.bridge.store.credentials.passkeys(ana.id)] == ["My phone", "Key"]
    assert grave_findings(page) == []
    picture(page, "passkeys-phone-dark")
    context.close()


def test_a_device_that_does_not_verify_its_user_is_refused(place: Place, ana: User, page: Any) -> None:
    session, number = give(page)
    log_in(page)
    make(page, "My phone")
    page.wait_for_selector("text=You can log in with this passkey")
    page.click("text=Log out")
    session.send("WebAuthn.setUserVerified", {"authenticatorId": number, "isUserVerified": False})
    page.click("button:has-text('Log in with a passkey')")
    page.wait_for_selector("#status:has-text('That did not work')")
    assert page.url.endswith("/login")


def test_a_copied_key_and_an_answer_sent_twice_are_refused(place: Place, ana: User, page: Any) -> None:
    """A copy counts from where it was made: its counter is behind."""
    session, number = give(page)
    log_in(page)
    make(page, "My phone")
    page.wait_for_selector("text=You can log in with this passkey")
    page.click("text=Log out")
    answer = page.evaluate(TAKE)
    assert send(page, answer) == 303
    page.context.clear_cookies(name="bridge_session")
    page.goto("/login")
    assert send(page, answer) == 403  # the challenge was used
    (copied,) = session.send("WebAuthn.getCredentials", {"authenticatorId": number})["credentials"]
    (kept,) = place.bridge.store.credentials.passkeys(ana.id)
    assert place.bridge.store.credentials.note_use(kept, copied["signCount"] + 5, now=installation.now())
    assert send(page, page.evaluate(TAKE)) == 403
    assert place.bridge.store.credentials.note_use(kept, 0, now=installation.now()) is False


def send(page: Any, answer: str) -> int:
    """Send an answer as the page's form does; what comes back, without following it."""
    csrf = page.get_attribute("#passkey-login input[name=csrf]", "value")
    form = {"csrf": csrf, "credential": answer}
    return int(page.request.post("/login/passkey", form=form, max_redirects=0).status)


def test_an_answer_for_another_user_host_or_challenge_is_refused(place: Place, ana: User, page: Any) -> None:
    give(page)
    log_in(page)
    make(page, "My phone")
    page.wait_for_selector("text=You can log in with this passkey")
    page.click("text=Log out")
    page.wait_for_url("**/login")
    answer = json.loads(page.evaluate(TAKE))
    forged = {**answer, "response": {**answer["response"], "signature": answer["response"]["authenticatorData"]}}
    assert send(page, json.dumps(forged)) == 403
    for wrong in ("", "{}", "[]", "[" * 9000, json.dumps({"response": {"clientDataJSON": "e30"}}), '{"response": 7}'):
        assert send(page, wrong) == 403
    other = page.context.browser.new_context(base_url=f"http://localhost:{place.port}")
    stranger = other.new_page()
    stranger.goto("/login")
    assert send(stranger, page.evaluate(TAKE)) == 403  # it began in another browser
    other.close()


def test_the_first_passkey_closes_the_open_page_and_its_maker_stays(place: Place, page: Any) -> None:
    ben = place.bridge.store.people.add_user("ben", "UTC", now=installation.now())
    give(page)
    page.goto("/settings")
    assert page.is_visible("text=anyone at this machine sees your data")
    make(page, "Key")
    page.wait_for_selector("text=You can log in with this passkey")
    assert place.visitor().get("/settings").headers["Location"] == "/login"
    assert place.visitor().log_in("ben").status_code == 403
    page.click("button[aria-label='Remove the passkey Key']")
    page.wait_for_selector("text=The passkey is removed")
    assert place.bridge.store.credentials.passkeys(ben.id) == []
    assert place.visitor().get("/settings").status_code == 200


def test_numeric_addresses_say_what_to_do(place: Place, ana: User, browser: Any) -> None:
    context = browser.new_context(base_url=place.url)
    page = context.new_page()
    log_in(page)
    page.goto("/settings")
    assert page.is_visible("text=This browser makes no passkeys here")
    assert page.is_hidden("#new-passkey")
    assert grave_findings(page) == []
    page.click("text=Open this page as localhost")
    page.wait_for_url(f"http://localhost:{place.port}/login#passkeys")
    log_in(page)
    page.goto(f"http://localhost:{place.port}/settings")
    assert page.is_visible("#new-passkey")
    context.close()
