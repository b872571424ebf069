"""One client and one consent at Google, for calendar, tasks and health."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lab
from bridge import installation, registry
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.ingest import connecting
from bridge.recordings.server import LabServer
from connectors.google.calendar.calendars import CALENDAR
from connectors.google.health.client import HEALTH, SLEEP_SCOPE
from connectors.google.tasks.client import TASKS
from lab.vendors.google_calendar import Vendor
from tests.visitor import Visitor
from tests.web.served import open_at

SOURCES = ("google_calendar", "google_tasks", "google_health")


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendor]:
    """Google's servers, and one client for all that is Google's."""
    made = Vendor(lab.account("google_calendar", "week"))
    with LabServer(made.application) as server:
        for name, value in made.settings(server.url).items():
            if name in ("client_id", "client_secret"):
                monkeypatch.setenv(f"BRIDGE_GOOGLE_{name}".upper(), value)
            else:
                for source in SOURCES:
                    monkeypatch.setenv(f"BRIDGE_{source}_{name}".upper(), value)
        yield made


@pytest.fixture
def bridge(tmp_path: Path, vendor: Vendor) -> Iterator[installation.Bridge]:
    found = open_at(tmp_path)
    yield found
    found.store.close()


@pytest.fixture
def ana(bridge: installation.Bridge) -> User:
    return bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())


def connect(bridge: installation.Bridge, user: User, source: str, *also: str) -> str:
    """Go through the consent; the scopes that were asked for."""
    visitor = Visitor()
    try:
        connecting.connect(bridge, user, connecting.NewConsent(source=source, also=also), visitor)
    finally:
        visitor.leave()
    return visitor.shown["scope"]


def tokens(bridge: installation.Bridge, user: User) -> dict[str, str]:
    """Source -> the token that its consent is refreshed with."""
    return {
        one.source: bridge.account(one, registry.spec(one.source)).token_field("refresh_token")
        for one in bridge.store.connections.of_user(user.id)
    }


@pytest.mark.parametrize("first", SOURCES)
def test_one_consent_connects_all(bridge: installation.Bridge, ana: User, first: str) -> None:
    asked = connect(bridge, ana, first, *(source for source in SOURCES if source != first)).split()
    assert sorted(asked) == sorted([CALENDAR.scope, TASKS.scope, *HEALTH.readable])
    found = tokens(bridge, ana)
    assert found.keys() == set(SOURCES)
    assert len(set(found.values())) == 1


def test_health_is_connected_by_any_of_its_scopes(bridge: installation.Bridge, ana: User, vendor: Vendor) -> None:
    vendor.granted_scope = f"{CALENDAR.scope} {SLEEP_SCOPE}"
    connect(bridge, ana, "google_calendar", "google_tasks", "google_health")
    assert tokens(bridge, ana).keys() == {"google_calendar", "google_health"}


def test_what_the_person_leaves_out_is_not_connected(bridge: installation.Bridge, ana: User, vendor: Vendor) -> None:
    vendor.granted_scope = CALENDAR.scope
    connect(bridge, ana, "google_calendar", "google_tasks")
    assert tokens(bridge, ana).keys() == {"google_calendar"}


def test_nothing_more_is_asked_for_by_itself(bridge: installation.Bridge, ana: User) -> None:
    assert connect(bridge, ana, "google_tasks") == TASKS.scope


def test_a_consent_lives_until_its_last_source_goes(bridge: installation.Bridge, ana: User, vendor: Vendor) -> None:
    connect(bridge, ana, "google_tasks", "google_calendar")
    (token,) = set(tokens(bridge, ana).values())
    assert connecting.disconnect(bridge, ana, "google_calendar")
    assert vendor.lives(token)
    assert connecting.disconnect(bridge, ana, "google_tasks")
    assert not vendor.lives(token)


def test_another_vendors_source_is_no_part_of_it(bridge: installation.Bridge, ana: User) -> None:
    with pytest.raises(SetupError, match="bridge connect oura"):
        connect(bridge, ana, "google_calendar", "oura")


def test_each_source_names_the_scope_that_it_asks_for() -> None:
    for service in (CALENDAR, TASKS, HEALTH):
        assert registry.spec(service.source).consent_scopes == service.readable
