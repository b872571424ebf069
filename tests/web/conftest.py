"""A served bridge per test, at a fixed moment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bridge import access, app
from bridge.ports import User
from tests.web.served import NOW, Place, Visitor, calendar, open_at, served


@pytest.fixture(autouse=True)
def _moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_NOW", NOW)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Nobody is there yet."""
    with served(open_at(tmp_path)) as found:
        yield found


@pytest.fixture
def ana(place: Place) -> User:
    """The only person, without a password."""
    return place.bridge.store.add_user("ana", "Europe/Berlin", now=app.now())


@pytest.fixture
def visitor(place: Place, ana: User, tmp_path: Path) -> Visitor:
    """Her browser; she has a calendar."""
    file = tmp_path / "calendar.ics"
    file.write_bytes(calendar())
    app.import_path(place.bridge, ana, file, at=app.now())
    found = place.visitor()
    found.get("/connections")
    return found


def secured(place: Place, name: str, password: str) -> User:
    """Somebody with a password."""
    user = place.bridge.store.add_user(name, "Europe/Berlin", now=app.now())
    access.set_password(place.bridge.store, user, password, now=app.now())
    return user
