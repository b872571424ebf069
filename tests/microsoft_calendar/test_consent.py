"""Consent by a code: typed, declined, too late, incomplete; of two sources at once; refreshed without a secret."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import requests

import lab
from bridge import installation, registry
from bridge.auth.account import Consent
from bridge.domain.errors import NeedsLogin, SetupError, TryLater
from bridge.ingest import clients, connecting
from bridge.recordings.server import Answer, LabServer, Request
from connectors.microsoft import consent
from connectors.microsoft.calendar.client import WRITE_SCOPE, authorise
from lab.vendors.microsoft import CLIENT
from lab.vendors.microsoft_calendar import Vendor
from tests.microsoft_calendar.conftest import Life
from tests.world import later

HERE = {"127.0.0.1"}


class Person:
    """Somebody who types the code at the page, or does not."""

    def __init__(self, *, types: bool = True) -> None:
        self.types, self.shown = types, ""

    def open(self, url: str, code: str | None = None) -> None:
        self.shown = code or ""
        if self.types:
            requests.get(url, params={"code": code}, timeout=10)

    def paste(self) -> str | None:
        raise AssertionError("nothing is pasted")

    def ask(self, question: str) -> str | None:
        raise AssertionError(question)


def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Sleep through no second, and return the seconds that are asked for. Servers' threads sleep for none."""
    found: list[float] = []
    monkeypatch.setattr(consent.time, "sleep", lambda seconds: found.append(seconds) if seconds >= 1 else None)
    return found


@pytest.fixture
def vendor() -> Vendor:
    return Vendor(lab.account("microsoft_calendar", "week"))


@pytest.fixture
def server(vendor: Vendor) -> Iterator[LabServer]:
    with LabServer(vendor.application) as server:
        yield server


@pytest.fixture
def asked(vendor: Vendor, server: LabServer) -> Consent:
    return Consent(vendor.settings(server.url), "Europe/Berlin", HERE)


def test_a_typed_code_gives_a_token(asked: Consent, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = naps(monkeypatch)
    vendor.unasked = 3
    person = Person()
    authorise(asked, person)
    token = asked.saved_token or {}
    assert len(person.shown) == 8
    assert (token["scopes"], waited) == (["Calendars.Read"], [1, 1, 1])
    assert {"access_token", "refresh_token", "expires_at"} <= set(token)


def test_writing_is_asked_for_where_it_is_wanted(asked: Consent) -> None:
    authorise(asked, Person(), write=True)
    assert (asked.saved_token or {})["scopes"] == ["Calendars.Read", WRITE_SCOPE]


def test_a_declined_consent_is_told(asked: Consent, vendor: Vendor) -> None:
    vendor.account["refuses"] = True
    with pytest.raises(NeedsLogin, match="was declined; ask for a new code: bridge connect microsoft_calendar"):
        authorise(asked, Person())
    assert asked.saved_token is None


def test_a_code_that_nobody_types_ends(asked: Consent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consent, "WAITED_SECONDS", 0.5)
    with pytest.raises(NeedsLogin, match="not typed in time"):
        authorise(asked, Person(types=False))


def test_a_consent_to_less_is_told(asked: Consent, vendor: Vendor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor, "granted", lambda asked: asked.replace(WRITE_SCOPE, ""))
    with pytest.raises(NeedsLogin, match=r"does not cover Calendars\.ReadWrite"):
        authorise(asked, Person(), write=True)


@pytest.mark.parametrize(
    ("odd", "error"),
    [
        (Answer(status=503, body=b""), TryLater),
        (Answer(body=b"<html>"), TryLater),
        (Answer(body=[]), TryLater),
        (Answer(body={}), NeedsLogin),
        (Answer(body={"verification_uri": "http://x.example.com", "user_code": "A", "device_code": "d"}), SetupError),
        (Answer(body={"verification_uri": "https://x", "user_code": "A" * 50, "device_code": "d"}), NeedsLogin),
        (Answer(status=400, body={"error": "unauthorized_client"}), SetupError),
    ],
)
def test_odd_answers_to_a_question_for_a_code(
    asked: Consent, server: LabServer, odd: Answer, error: type[Exception]
) -> None:
    def answer(request: Request) -> Answer | None:
        return odd if request.path.endswith("devicecode") else None

    server.faults.append(answer)
    with pytest.raises(error, match="; try again later: bridge connect" if error is TryLater else None):
        authorise(asked, Person())


def test_a_token_is_refreshed_without_a_secret(life: Life) -> None:
    assert life.sync() == "ok"
    life.vendor.tokens_expire()
    assert later(life.world, hours=2).sync().outcome == "ok"


def test_one_consent_serves_calendar_and_tasks_and_one_id_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vendor: Vendor, server: LabServer
) -> None:
    for source in ("microsoft_calendar", "microsoft_todo"):
        for name, value in vendor.settings(server.url).items():
            if name != "client_id":
                monkeypatch.setenv(f"BRIDGE_{source}_{name}".upper(), value)
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path))
    monkeypatch.setenv("BRIDGE_ALLOW_HOSTS", "127.0.0.1")
    with installation.open_bridge() as bridge:
        ana = bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
        calendar, todo = (registry.spec(name) for name in ("microsoft_calendar", "microsoft_todo"))
        assert clients.is_missing(bridge, ana, calendar)
        assert not clients.has_secret(calendar)
        with pytest.raises(SetupError, match="does not know this client"):
            clients.save(bridge, ana, calendar, "another id", "")
        clients.save(bridge, ana, calendar, CLIENT["client_id"], "")
        assert not clients.is_missing(bridge, ana, todo)
        assert clients.asked(bridge, ana, calendar).shared_with == (todo.title,)
        assert [one.name for one in connecting.joined_by(calendar)] == ["microsoft_todo"]
        wanted = connecting.NewConsent(source="microsoft_calendar", also=["microsoft_todo"])
        connecting.connect(bridge, ana, wanted, Person())
        connections = bridge.store.connections.of_user(ana.id)
        held = {one.source: bridge.account(one, registry.spec(one.source)).token() for one in connections}
        assert set(held) == {"microsoft_calendar", "microsoft_todo"}
        assert all("Tasks.Read" in (token or {})["scopes"] for token in held.values())


def test_the_code_ends_by_the_vendors_word(asked: Consent, server: LabServer) -> None:
    server.faults.append(
        lambda r: Answer(status=400, body={"error": "expired_token"}) if r.path.endswith("/token") else None
    )
    with pytest.raises(NeedsLogin, match="ended or was refused"):
        authorise(asked, Person())


def test_a_vendor_that_wants_to_be_asked_less_often(
    asked: Consent, server: LabServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = naps(monkeypatch)
    slow = iter([Answer(status=400, body={"error": "slow_down"})] * 2)
    server.faults.append(lambda r: next(slow, None) if r.path.endswith("/token") else None)
    authorise(asked, Person())
    assert waited == [6, 11]
    assert timedelta(seconds=max(waited)) < timedelta(minutes=1)
