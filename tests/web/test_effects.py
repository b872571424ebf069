"""The page of effects: trials with a picture, the watch over harm, and their switches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bridge import config, installation
from bridge.advice import trial
from bridge.ingest import runs
from bridge.web.server import create
from tests.trials.nights import export

FIRST = date(2026, 9, 28)
START = datetime(2026, 9, 28, 9, tzinfo=UTC)


@pytest.fixture
def bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[installation.Bridge]:
    monkeypatch.setenv("BRIDGE_DATABASE", f"sqlite:///{tmp_path / 'bridge.db'}")
    monkeypatch.setenv("BRIDGE_CLASSIFIER", "keywords")
    monkeypatch.setenv("BRIDGE_NOW", START.isoformat())
    with installation.open_bridge() as opened:
        opened.store.people.add_user("ana", "UTC", now=START)
        yield opened


@pytest.fixture
def client(bridge: installation.Bridge) -> Iterator[TestClient]:
    made = create(installation.Bridge(settings=config.load(), store=bridge.store))
    with TestClient(made, base_url="http://localhost") as client:
        yield client


def post(client: TestClient, path: str, **form: str) -> int:
    token = re.search(r'name="csrf" value="([^"]+)"', client.get("/effects").text)
    assert token is not None
    return int(client.post(path, data={**form, "csrf": token[1]}).status_code)


def shown(client: TestClient, path: str = "/effects") -> str:
    return unescape(client.get(path).text)


def test_a_trial_is_begun_kept_and_drawn(
    bridge: installation.Bridge, client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert post(client, "/effects/trial", text="no <b>screens</b>", weeks="2", outcome="sleep") == 200
    page = client.get("/effects").text
    assert "no &lt;b&gt;screens" in page
    assert "<circle" not in page
    assert "no &lt;b&gt;screens" in client.get("/").text
    assert post(client, "/effects/trial/1", said="yes", back="/") == 200
    ana = bridge.store.people.user("ana")
    assert trial.trials_of(bridge.store, ana)[0].kept == {FIRST: True}
    with_it = {day for day, arm in trial.trials_of(bridge.store, ana)[0].arms().items() if arm}
    now = START + timedelta(days=14)
    runs.import_path(bridge, ana, export(tmp_path, FIRST, 14, lambda day: 200 * (day in with_it)), at=now)
    monkeypatch.setenv("BRIDGE_NOW", now.isoformat())
    page = client.get("/effects").text
    assert (page.count('<circle class="on"'), page.count('<circle class="off"')) == (7, 7)
    assert 'class="interval"' in page
    assert "More, by" in page
    assert "Kept on 1 of 1 days" in page
    assert 'id="trials"' not in client.get("/").text
    assert post(client, "/effects/trial/1", said="perhaps") == 400


def test_a_trial_of_the_same_thing_runs_once_and_is_withdrawn_before_its_first_day(
    bridge: installation.Bridge, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, evening = bridge.store.people.user("ana"), START.replace(hour=20)
    monkeypatch.setenv("BRIDGE_NOW", evening.isoformat())
    assert post(client, "/effects/trial", text="No coffee", weeks="2", outcome="sleep") == 200
    assert post(client, "/effects/trial", text="no  coffee", weeks="4", outcome="hrv") == 400
    assert len(trial.trials_of(bridge.store, ana)) == 1
    assert 'value="stop"' in client.get("/effects").text
    assert post(client, "/effects/trial/1", said="stop") == 200
    assert trial.trials_of(bridge.store, ana) == ()
    assert post(client, "/effects/trial", text="No coffee", weeks="2", outcome="sleep") == 200


def test_advice_and_the_watch_are_switched_with_a_reason(bridge: installation.Bridge, client: TestClient) -> None:
    assert "No harm is seen" in shown(client)
    assert post(client, "/effects/watch", what="advice") >= 400
    assert post(client, "/effects/watch", what="advice", because="on <i>holiday</i>") == 200
    assert "Advice is off." in shown(client)
    for path in ("/effects", "/history"):
        assert "on &lt;i&gt;holiday" in client.get(path).text
    assert post(client, "/effects/watch", what="watch", because="a study") == 200
    assert post(client, "/effects/watch", what="advice", because="back") == 200
    assert "The watch over harm is off" in shown(client)
    assert len(bridge.store.people.preferences(bridge.store.people.user("ana").id).switches) == 3
    bridge.store.people.set_language(bridge.store.people.user("ana").id, "de", now=START)
    assert "Der Schutz vor Schaden ist ausgeschaltet" in shown(client)
