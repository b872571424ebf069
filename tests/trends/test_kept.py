"""Trends are computed once and kept; what changes shows, and what is taken away is gone at once."""

from __future__ import annotations

import stat
import time
from datetime import timedelta
from typing import Any

import pytest

from bridge import config, installation
from bridge.documents import trends_cache as module
from bridge.documents.trends_cache import CachedTrends, load_trends
from bridge.domain.records import Correction, User
from bridge.ingest import checkins, connecting
from bridge.store import Store
from tests.world import NOW


@pytest.fixture
def bridge(store: Store, monkeypatch: pytest.MonkeyPatch) -> installation.Bridge:
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    return installation.Bridge(settings=config.load(), store=store)


@pytest.fixture
def ana(bridge: installation.Bridge) -> User:
    user = bridge.store.people.add_user("ana", "Europe/Berlin", now=NOW)
    say(bridge, user, 0)
    return user


def say(bridge: installation.Bridge, user: User, minutes: int) -> None:
    at = NOW + timedelta(minutes=minutes)
    checkins.record_check_in(bridge.store, user, checkins.CheckIn(at=at, score=3), now=at)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the computations of trends, which stay the real ones."""
    found: list[int] = []
    real = module.compute_trends

    def counted(*given: Any, **named: Any) -> Any:
        found.append(1)
        return real(*given, **named)

    monkeypatch.setattr(module, "compute_trends", counted)
    return found


def look(bridge: installation.Bridge, user: User, *, minutes: int = 1, wait: bool = True) -> CachedTrends:
    return load_trends(bridge, user, at=NOW + timedelta(minutes=minutes), days=14, wait=wait)


def test_the_second_look_costs_nothing_and_the_file_is_its_owners(
    bridge: installation.Bridge, ana: User, made: list[int]
) -> None:
    first = look(bridge, ana)
    assert look(bridge, ana, minutes=5) == first
    assert len(made) == 1
    (file,) = (bridge.settings.cache / "trends").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_nothing_is_kept_of_who_is_forgotten_meanwhile(
    bridge: installation.Bridge, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = module.compute_trends

    def forgotten(*given: Any, **named: Any) -> Any:
        connecting.forget(bridge, ana)
        return real(*given, **named)

    monkeypatch.setattr(module, "compute_trends", forgotten)
    look(bridge, ana)
    assert not list(bridge.settings.cache.rglob("*.json"))


def test_new_data_show_at_once_or_while_nobody_waits(bridge: installation.Bridge, ana: User, made: list[int]) -> None:
    first = look(bridge, ana)
    say(bridge, ana, 2)
    soon = look(bridge, ana, minutes=3, wait=False)
    assert (soon.text, soon.fresh) == (first.text, False)
    deadline = time.monotonic() + 20
    while not (found := look(bridge, ana, minutes=3, wait=False)).fresh and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (found.fresh, len(made)) == (True, 2)
    say(bridge, ana, 4)
    assert look(bridge, ana, minutes=5).fresh


def test_a_slot_that_has_begun_since_counts(bridge: installation.Bridge, ana: User, made: list[int]) -> None:
    morning = look(bridge, ana)
    assert look(bridge, ana, minutes=110) == morning
    afternoon = look(bridge, ana, minutes=120)
    assert (afternoon.body["at"] > morning.body["at"], len(made)) == (True, 2)


def test_what_is_read_by_other_rules_is_never_shown_as_it_was(
    bridge: installation.Bridge, ana: User, made: list[int]
) -> None:
    look(bridge, ana)
    said = Correction(series="s", title=None, action=None, made_at=NOW)
    bridge.store.people.add_correction(ana.id, said)
    assert look(bridge, ana, wait=False).fresh
    bridge.store.connections.disconnect(bridge.store.connections.of_user(ana.id)[0].id)
    gone = look(bridge, ana, wait=False)
    assert (gone.fresh, len(made)) == (True, 3)


def test_a_damaged_file_is_made_anew_and_forgetting_takes_it_along(bridge: installation.Bridge, ana: User) -> None:
    whole = look(bridge, ana).text
    (file,) = (bridge.settings.cache / "trends").iterdir()
    file.write_text("half a")
    assert look(bridge, ana).text == whole
    connecting.forget(bridge, ana)
    assert not file.exists()
