"""Consent over the loopback redirect or a pasted address, and what must never leave this machine in the clear."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from bridge.auth import oauth
from bridge.auth import redirect_listener as redirect
from bridge.domain.errors import NeedsLogin, SetupError, TryLater
from bridge.domain.ports import ConnectorSpec, Revocation
from bridge.recordings.server import Answer
from bridge.store import Store
from connectors.whoop import SPEC
from connectors.whoop.client import authorise
from tests.contract.laws.access import requests_of
from tests.world import World, living

TOKENS = "/oauth/oauth2/token"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A member who has withdrawn an earlier consent."""
    store = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
    with living(store, "whoop", "week") as world:
        world.vendor.revoke()
        yield world
    store.close()


class Person:
    """Someone who does ``act(url)`` with the address they are shown, beside the command that waits."""

    def __init__(self, act: Callable[[str], None]) -> None:
        self._act = act
        self._failed: list[BaseException] = []
        self._thread: threading.Thread | None = None

    def open(self, url: str) -> None:
        self._thread = threading.Thread(target=self._do, args=(url,))
        self._thread.start()

    def _do(self, url: str) -> None:
        try:
            self._act(url)
        except BaseException as error:  # noqa: BLE001 - it is raised where the test can see it
            self._failed.append(error)

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:
        raise AssertionError(question)

    def leave(self) -> None:
        if self._thread is not None:
            self._thread.join(10)
        for error in self._failed:
            raise error


class Pasting(Person):
    """Someone whose browser is elsewhere: they paste what ``redirected(url)`` gives."""

    def __init__(self, redirected: Callable[[str], str]) -> None:
        super().__init__(lambda _: None)
        self._redirected = redirected
        self._url = ""

    def open(self, url: str) -> None:
        self._url = url

    def paste(self) -> str | None:
        return self._redirected(self._url)


def consent(world: World, person: Person, **other: Any) -> None:
    """WHOOP's consent with something changed."""
    try:
        oauth.authorise(world.account, person, replace(SPEC, oauth=replace(oauth.oauth_of(SPEC), **other)))
    finally:
        person.leave()


def with_tokens_at(url: str) -> ConnectorSpec:
    """WHOOP's SPEC with another token server."""
    return replace(SPEC, oauth=replace(oauth.oauth_of(SPEC), token_url=url))


def agree(url: str) -> None:
    assert requests.get(url, timeout=10).text == "Done. You can close this page.\n"


def answer(url: str, **given: str) -> None:
    """Come back to the redirect with something else than the vendor would send."""
    requests.get(question(url)["redirect_uri"], params=given, timeout=10)


def question(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def redirected(url: str) -> str:
    """Return the address to which the vendor sends a browser whose user agrees."""
    return requests.get(url, timeout=10, allow_redirects=False).headers["Location"]


def test_a_consent_is_kept_and_used(world: World) -> None:
    seen: list[dict[str, str]] = []

    def act(url: str) -> None:
        seen.append(question(url))
        agree(url)

    consent(world, Person(act))
    token = world.account.token() or {}
    assert set(token["scope"]) == set(seen[0]["scope"].split())
    assert "offline" in token["scope"]
    assert seen[0]["redirect_uri"].startswith("http://127.0.0.1:")
    assert len(seen[0]["state"]) >= 32
    assert world.sync().outcome == "ok"


@pytest.mark.parametrize("granted", ["read:sleep offline", "extapi:read:sleep extapi:offline", "read:sleep more", ""])
def test_a_consent_to_less_or_under_other_names_is_kept(world: World, granted: str) -> None:
    """RFC 6749 section 5.1: the token answer names what was granted where that is not what was asked for."""
    world.vendor.agreed = granted
    consent(world, Person(agree))
    token = world.account.token() or {}
    assert world.vendor.knows(token)
    assert set(token["scope"]) == set(granted.split(" "))


@pytest.mark.parametrize("granted", ["read:sleep offline", "extapi:read:sleep extapi:offline"])
def test_such_a_consent_is_refreshed(world: World, granted: str) -> None:
    world.vendor.agreed = granted
    consent(world, Person(agree))
    before = world.account.token() or {}
    new = oauth.refreshed(world.account, SPEC, before)
    assert world.vendor.knows(new)
    assert not world.vendor.knows(before)


def test_every_question_has_its_own_state(world: World) -> None:
    states: set[str] = set()

    def act(url: str) -> None:
        states.add(question(url)["state"])
        agree(url)

    consent(world, Person(act))
    consent(world, Person(act))
    assert len(states) == 2


def test_a_favicon_is_not_the_answer(world: World) -> None:
    statuses: list[int] = []

    def act(url: str) -> None:
        redirect = question(url)["redirect_uri"]
        statuses.extend(requests.get(redirect + path, timeout=10).status_code for path in ("favicon.ico", "", "?a=b"))
        agree(url)

    consent(world, Person(act))
    assert statuses == [404, 404, 404]
    assert world.sync().outcome == "ok"


def test_a_connection_that_says_nothing_does_not_hold_up_the_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Browsers open spare connections and leave them idle."""
    monkeypatch.setattr(redirect, "SILENT_CONNECTION_MAX_SECONDS", 0.2)

    def act(url: str) -> None:
        parts = urlsplit(question(url)["redirect_uri"])
        with socket.create_connection((str(parts.hostname), parts.port or 0), timeout=10):
            agree(url)

    consent(world, Person(act))
    assert world.sync().outcome == "ok"


def test_a_refused_consent_is_none(world: World) -> None:
    before = world.account.token()
    with pytest.raises(NeedsLogin, match="refused"):
        consent(world, Person(lambda url: answer(url, error="access_denied", state=question(url)["state"])))
    assert world.account.token() == before
    assert f"POST {TOKENS}" not in world.server.asked


@pytest.mark.parametrize("state", ["", "another", "\u00fc"])
def test_an_answer_to_another_question_is_none(world: World, state: str) -> None:
    before = world.account.token()

    def act(url: str) -> None:
        code = question(redirected(url))["code"]
        answer(url, code=code, state=state or question(url)["state"][:-1])

    with pytest.raises(NeedsLogin, match="belongs to another consent"):
        consent(world, Person(act))
    assert world.account.token() == before
    assert f"POST {TOKENS}" not in world.server.asked


def test_nobody_answers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redirect, "CONSENT_MAX_SECONDS", 0.2)
    with pytest.raises(NeedsLogin, match="no consent was given"):
        consent(world, Person(lambda _: None))


def test_a_pasted_address_is_an_answer(world: World) -> None:
    consent(world, Pasting(lambda url: f"  {redirected(url)}\n"))
    assert world.sync().outcome == "ok"


def registered(world: World, address: str) -> None:
    """The member's own app knows this redirect address and no other."""
    world.vendor.redirect = address
    world.account.settings["redirect_uri"] = address  # type: ignore[index]


def agreed(world: World, person: Person) -> None:
    """WHOOP's consent as ``bridge connect whoop`` asks for it."""
    try:
        authorise(world.account, person)
    finally:
        person.leave()


def test_a_vendor_leads_back_to_the_registered_address_and_to_no_other(world: World) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    registered(world, f"http://localhost:{port}/back")
    for _ in range(2):
        agreed(world, Person(agree))
    assert world.sync().outcome == "ok"


def test_who_is_led_elsewhere_is_asked_for_the_address(world: World) -> None:
    class Asked(Person):
        def open(self, url: str) -> None:
            self.url = url

        def ask(self, question: str) -> str | None:
            return redirected(self.url) if "redirected" in question else None

    registered(world, "https://app.example/back")
    agreed(world, Asked(lambda _: None))
    assert world.sync().outcome == "ok"


def test_a_redirect_that_cannot_be_heard_says_what_to_do(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        registered(world, f"http://localhost:{taken.getsockname()[1]}/")
        with pytest.raises(SetupError, match="another redirect address"):
            agreed(world, Person(agree))
    registered(world, "http://localhost:port/")
    with pytest.raises(SetupError, match="correct its port or redirect_uri"):
        agreed(world, Person(agree))


@pytest.mark.parametrize("pasted", ["yes", "http://127.0.0.1/?code=a", "http://127.0.0.1/?code=a&state=b", "http://["])
def test_a_pasted_address_that_does_not_fit_is_none(world: World, pasted: str) -> None:
    with pytest.raises(NeedsLogin, match="belongs to another consent"):
        consent(world, Pasting(lambda _: pasted))
    assert f"POST {TOKENS}" not in world.server.asked


def test_an_unknown_client_is_told_what_to_check(world: World) -> None:
    world.account.settings["client_secret"] = "another"  # type: ignore[index]
    with pytest.raises(NeedsLogin, match="check the client's id and secret"):
        consent(world, Person(agree))


def test_a_client_names_itself_by_its_header_alone_where_the_vendor_wants_that(world: World) -> None:
    basic = replace(SPEC, oauth=replace(oauth.oauth_of(SPEC), basic=True))
    world.vendor.basic = True
    seen = requests_of(world)
    with pytest.raises(NeedsLogin, match="gave no token"):
        consent(world, Person(agree))
    consent(world, Person(agree), basic=True)
    with closing(oauth.open_session(world.account, basic)) as session:
        world.vendor.tokens_expire()
        assert session.get(f"{world.server.url}/developer/v2/cycle").status_code == 200
    asked = [request for request in seen if request.path == TOKENS][1:]
    assert [request.form["grant_type"] for request in asked] == ["authorization_code", "refresh_token"]
    assert not [request for request in asked if {"client_id", "client_secret"} & set(request.form)]


def test_what_stands_beside_a_consent_outlives_a_refresh(world: World) -> None:
    consent(world, Person(agree))
    world.account.save_token({**(world.account.token() or {}), "writes": True})
    before = (world.account.token() or {})["access_token"]
    world.vendor.tokens_expire()
    assert world.sync().outcome == "ok"
    stored = world.account.token() or {}
    assert stored["access_token"] != before
    assert stored["writes"] is True


def test_a_token_that_cannot_be_refreshed_is_used_until_it_is_refused(world: World) -> None:
    world.vendor.tokens_end = False
    consent(world, Person(agree))
    assert not {"expires_at", "refresh_token"} & set(world.account.token() or {})
    assert world.sync().outcome == "ok"
    world.vendor.revoke()
    assert world.sync().outcome == "needs_login"


@pytest.mark.parametrize("basic", [False, True])
def test_a_consent_is_withdrawn_by_a_form_in_which_the_client_names_itself(world: World, basic: bool) -> None:
    world.vendor.basic, world.vendor.revocation = basic, Revocation(address="/revoke", form="token")
    stated = replace(oauth.oauth_of(SPEC), revocation=Revocation(address="{base_url}/revoke", form="token"))
    other, right = (replace(SPEC, oauth=replace(stated, basic=way)) for way in (not basic, basic))
    world.account.save_token(world.vendor.grant())
    if basic:  # a vendor without Basic knows both
        assert not oauth.revoke(world.account, other)
    assert world.vendor.knows(world.account.token() or {})
    assert oauth.revoke(world.account, right)
    assert not world.vendor.knows(world.account.token() or {})
    assert world.sync().outcome == "needs_login"


@pytest.mark.parametrize("body", [b"[]", b"null"])
def test_json_that_is_no_token_is_none(world: World, body: bytes) -> None:
    world.server.faults.append(lambda request: Answer(body=body) if request.path == TOKENS else None)
    with pytest.raises(NeedsLogin, match="gave no token"):
        consent(world, Person(agree))


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize("body", [b"<html>busy</html>", b"{}"])
def test_a_busy_token_server_is_tried_later(world: World, status: int, body: bytes) -> None:
    before = world.account.token()
    world.server.faults.append(lambda request: Answer(status=status, body=body) if request.path == TOKENS else None)
    with pytest.raises(TryLater, match=r"token server.*; try again later: bridge connect"):
        consent(world, Person(agree))
    assert world.account.token() == before


@pytest.mark.parametrize(("given", "wait"), [("3600", 3600), ("Thu, 31 Dec 2099 23:59:59 GMT", 86_400)])
def test_a_token_servers_own_time_counts_for_a_day_at_most(world: World, given: str, wait: int) -> None:
    busy = Answer(status=429, body=b"", headers={"Retry-After": given})
    world.server.faults.append(lambda request: busy if request.path == TOKENS else None)
    with pytest.raises(TryLater) as told:
        oauth.refreshed(world.account, SPEC, world.account.token() or {})
    assert (told.value.after, told.value.limited) == (timedelta(seconds=wait), True)


def test_a_token_server_that_is_down_is_tried_later(world: World) -> None:
    before = world.account.token()
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        token_url = f"http://127.0.0.1:{unused.getsockname()[1]}/token"
        with pytest.raises(TryLater, match="does not answer"):
            consent(world, Person(agree), token_url=token_url)
        with pytest.raises(TryLater, match="does not answer"):
            oauth.refreshed(world.account, with_tokens_at(token_url), before or {})
    assert world.account.token() == before


def test_a_proof_is_sent_where_the_vendor_wants_one(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'bridge.db'}")
    with living(store, "google_calendar", "empty") as world:
        where = {"authorise_url": "{auth_uri}", "token_url": "{token_uri}", "redirect": redirect.ANY_LOOPBACK_PORT}
        consent(world, Person(agree), pkce=True, scopes=[world.vendor.scope], **where)
        assert (world.account.token() or {})["refresh_token"]
        with pytest.raises(NeedsLogin):
            consent(world, Person(agree), pkce=False, scopes=[world.vendor.scope], **where)
    store.close()


PLAIN = ["http://vendor.example/token", "http://127.0.0.1.vendor.example/token", "http://localhost@vendor.example/t"]


@pytest.mark.parametrize("url", PLAIN)
def test_nobody_is_sent_to_a_plain_address(world: World, url: str) -> None:
    shown: list[str] = []
    with pytest.raises(SetupError, match="https"):
        consent(world, Person(shown.append), authorise_url=url)
    assert shown == []


@pytest.mark.parametrize("url", PLAIN)
def test_no_code_and_no_refresh_token_goes_to_a_plain_address(world: World, url: str) -> None:
    before = world.account.token() or {}
    with pytest.raises(SetupError, match="https"):
        consent(world, Person(agree), token_url=url)
    with pytest.raises(SetupError, match="https"):
        oauth.refreshed(world.account, with_tokens_at(url), before)
    assert world.account.token() == before


@pytest.mark.parametrize("url", PLAIN)
def test_no_access_token_goes_to_a_plain_address(world: World, url: str) -> None:
    session = oauth.open_session(world.account, SPEC)
    with closing(session), pytest.raises(SetupError, match="https"):
        session.get(url)
