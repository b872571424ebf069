"""Google's consent, agreed to or not, with PKCE over the loopback redirect."""

from __future__ import annotations

import doctest
import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
import requests

from bridge.auth.account import Consent
from bridge.domain.errors import NeedsLogin, TryLater
from bridge.recordings.server import Answer
from bridge.store import Store
from connectors.google import auth
from connectors.google.auth import revoke
from connectors.google.calendar.calendars import CALENDAR, authorise
from tests.visitor import Visitor, consent
from tests.world import World, later, living


def test_a_consent_is_kept_and_used(lite: Store) -> None:
    with living(lite, "google_calendar", "week") as world:
        world.vendor.revoke()
        asked = consent(world, authorise)
        assert asked["scope"] == CALENDAR.scope
        assert (asked["access_type"], asked["prompt"], asked["code_challenge_method"]) == ("offline", "consent", "S256")
        assert urlsplit(asked["redirect_uri"]).hostname == "127.0.0.1"
        token = world.account.token() or {}
        assert token["scopes"] == [CALENDAR.scope]
        assert token["refresh_token"]
        assert later(world, minutes=30).sync().outcome == "ok"


def test_who_has_no_browser_there_pastes_the_address(world: World) -> None:
    class Pasting(Visitor):
        def open(self, url: str) -> None:
            self.url = url

        def paste(self) -> str | None:
            return requests.get(self.url, timeout=10, allow_redirects=False).headers["Location"]

    world.vendor.revoke()
    authorise(world.account, Pasting())
    assert later(world, minutes=30).sync().outcome == "ok"


def test_two_people_at_once_each_see_their_own_address(world: World) -> None:
    """Both users agree only after both were asked."""
    both = threading.Barrier(2, timeout=10)

    class Waiting(Visitor):
        asked = 0

        def open(self, url: str) -> None:
            self.asked += 1
            both.wait()
            super().open(url)

    people = [(Consent(world.account.settings, "UTC"), Waiting()) for _ in range(2)]
    threads = [threading.Thread(target=authorise, args=one) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    for asked, visitor in people:
        visitor.leave()
        assert visitor.asked == 1
        assert (asked.token() or {})["refresh_token"]


def test_a_refused_consent_leaves_the_old_one(world: World) -> None:
    before = world.account.token()
    world.vendor.account["refuses"] = True
    with pytest.raises(NeedsLogin, match="the consent was refused"):
        consent(world, authorise)
    assert world.account.token() == before


@pytest.mark.parametrize(
    ("status", "body"), [(503, b"<html>busy</html>"), (200, b"[]"), (200, b"null"), (200, b'{"access_token": "a"}')]
)
def test_a_token_server_that_is_busy_or_odd_is_tried_later(world: World, status: int, body: bytes) -> None:
    world.server.faults.append(
        lambda asked: Answer(status=status, body=body) if asked.path.endswith("/token") else None
    )
    with pytest.raises(TryLater, match=r"token server .*; try again later: bridge connect google_calendar --user NAME"):
        consent(world, authorise)


@pytest.mark.parametrize("relaxed", [False, True])
def test_a_consent_without_the_calendar_is_none(world: World, monkeypatch: pytest.MonkeyPatch, relaxed: bool) -> None:
    """Also where another program's setting tells the library not to mind."""
    if relaxed:
        monkeypatch.setenv("OAUTHLIB_RELAX_TOKEN_SCOPE", "1")
    before = world.account.token()
    world.vendor.granted_scope = "https://www.googleapis.com/auth/userinfo.email"
    with pytest.raises(NeedsLogin):
        consent(world, authorise)
    assert world.account.token() == before


def test_a_consent_to_more_than_was_asked_for_is_kept(world: World) -> None:
    world.vendor.granted_scope = f"{CALENDAR.scope} https://www.googleapis.com/auth/userinfo.email openid"
    consent(world, authorise)
    assert set((world.account.token() or {})["scopes"]) == set(world.vendor.granted_scope.split())
    assert later(world, minutes=30).sync().outcome == "ok"


def test_a_consent_that_nobody_answers_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.auth.redirect_listener.CONSENT_MAX_SECONDS", 0.2)
    monkeypatch.setattr(Visitor, "open", lambda *_: None)
    with pytest.raises(NeedsLogin, match="no consent was given"):
        consent(world, authorise)


def test_revoking_says_whether_google_confirmed(world: World) -> None:
    assert revoke(world.account) is True
    assert later(world, minutes=30).sync().outcome == "needs_login"
    world.server.faults.append(lambda _: Answer(status=400, body={"error": "invalid_token"}))
    assert revoke(world.account) is False


def aged(world: World, days: float, *, worked: float) -> None:
    """The consent was given so many days ago and last worked so many days after that."""
    given = datetime.now(UTC) - timedelta(days=days)
    dates = {"granted_at": given.isoformat(), "worked_at": (given + timedelta(days=worked)).isoformat()}
    ended = {"expiry": (given + timedelta(days=worked)).isoformat()}
    world.account.save_token((world.account.token() or {}) | dates | ended)
    world.vendor.days_pass(days)


def test_an_app_in_testing_is_named_with_its_fix(world: World) -> None:
    world.vendor.testing = True
    aged(world, 6.9, worked=6.8)
    assert later(world, days=6.9).sync().outcome == "ok"
    token = world.account.token() or {}
    assert datetime.fromisoformat(token["granted_at"]) < datetime.now(UTC) - timedelta(days=6)  # a refresh keeps it
    aged(world, 7.01, worked=6.99)
    outcome = later(world, days=7.01).sync()
    assert outcome.outcome == "needs_login"
    because = str(outcome.skipped_because)
    assert "ended after 7 days" in because
    assert "publishing status Testing" in because
    assert "In production" in because
    assert "bridge connect google_calendar" in because


def test_a_consent_withdrawn_on_another_day_is_not_blamed_on_testing(world: World) -> None:
    aged(world, 20, worked=19)
    world.vendor.revoke()
    because = str(later(world, days=20).sync().skipped_because)
    assert "withdrawn or has ended: bridge connect google_calendar" in because
    assert "Testing" not in because


def test_the_worked_example() -> None:
    assert doctest.testmod(auth).failed == 0
