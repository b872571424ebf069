"""A served bridge per test, at a fixed moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from bridge import installation
from bridge.auth import access
from bridge.domain.records import User
from bridge.ingest import archive, runs
from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE
from tests.web.browsing import AFTER_ENTRY, lived
from tests.web.served import NOW, Place, Visitor, calendar, open_at, served


@pytest.fixture(autouse=True)
def _moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", NOW)


@pytest.fixture(autouse=True)
def _cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords with little work, which no page notices.."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(access, "_hasher", lambda: hasher)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """An installation without a user."""
    with served(open_at(tmp_path)) as found:
        yield found


@pytest.fixture
def ana(place: Place) -> User:
    """The only person, without a password."""
    return place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())


@pytest.fixture
def visitor(place: Place, ana: User, tmp_path: Path) -> Visitor:
    """Her browser; she has a calendar."""
    file = tmp_path / "calendar.ics"
    file.write_bytes(calendar())
    runs.import_path(place.bridge, ana, file, at=installation.now())
    found = place.visitor()
    found.get("/connections")
    return found


@pytest.fixture(scope="session")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo person's days as an export."""
    return lived(tmp_path_factory.mktemp("life"), "2026-11-20")


@pytest.fixture
def demo(place: Place, life: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    """The demo person after an entry, so that something is advised."""
    monkeypatch.setenv("BRIDGE_NOW", AFTER_ENTRY)
    user = place.bridge.store.people.add_user(DEMO_USER, DEMO_ZONE, now=installation.now())
    place.bridge.store.exports.restore(user.id, archive.read(life))
    return place.bridge.store.people.user(DEMO_USER)


def secured(place: Place, name: str, password: str) -> User:
    """Somebody with a password."""
    user = place.bridge.store.people.add_user(name, "Europe/Berlin", now=installation.now())
    access.set_password(place.bridge.store, user, password, now=installation.now())
    return user
