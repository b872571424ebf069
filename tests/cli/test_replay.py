"""A recording of the demo person's sources runs through the real connectors to the same bytes everywhere.

``python -m tests.cli.test_replay`` records and keeps it anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation, registry
from bridge.cli import app as main
from bridge.config import load
from bridge.domain.errors import SetupError
from bridge.recordings import replay
from bridge.recordings.exchanges import Cleaner
from bridge.recordings.server import LabServer
from bridge.store import Store
from lab.people.person import demo_files, demo_person
from tests.commands import bridge
from tests.world import KEY, NOW

RECORDING = lab.fixtures("replay") / "life"
DAYS = 21
THIN = 12  # one heart rate an hour is enough to follow the chain


@contextmanager
def connected(home: Path) -> Iterator[tuple[installation.Bridge, Any]]:
    """The demo person with a live consent at every source; yields the bridge and the vendors."""
    with ExitStack() as stack:
        variables = {"BRIDGE_KEY": KEY, "BRIDGE_HOME": str(home), "BRIDGE_GARMIN_DAYS": str(DAYS)}
        store = stack.enter_context(_closing(Store(f"sqlite:///{home / 'bridge.db'}")))
        user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
        person = demo_person(NOW.date(), days=DAYS)
        for rates in person["garmin"]["heart_rates"].values():
            rates["heartRateValues"] = rates["heartRateValues"][::THIN]
        vendors = {}
        for source, account in person.items():
            vendor = registry.resolve(f"lab.vendors.{source}:Vendor")(account)
            server = stack.enter_context(LabServer(vendor.application))
            values = {f"BRIDGE_{source}_{n}".upper(): v for n, v in vendor.settings(server.url).items()}
            variables = values | variables
            vendors[source] = vendor
        before = dict(os.environ)
        stack.callback(lambda: (os.environ.clear(), os.environ.update(before)))
        os.environ.update(variables)
        bridge = installation.Bridge(settings=load(), store=store)
        for source, vendor in vendors.items():
            connection = store.connections.connect(user.id, source, "account", now=NOW)
            bridge.account(connection, registry.spec(source)).save_token(vendor.grant())
        yield bridge, vendors


@contextmanager
def _closing(store: Any) -> Iterator[Any]:
    try:
        yield store
    finally:
        store.close()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The recording, to be damaged."""
    target = tmp_path / "life"
    shutil.copytree(RECORDING, target)
    return target


def test_the_golden_recording_comes_to_its_bytes() -> None:
    result = replay.replay(RECORDING)
    assert replay.text(result) == replay.golden(RECORDING)
    assert set(result["landed"]) == {
        *("whoop", "garmin", "google_calendar", "google_tasks"),
        *("apple_health", "ics"),
    }
    assert all(row["outcome"] == "ok" for row in result["landed"].values())
    assert min(meter["coverage"] for meter in result["observation"]["meters"].values()) > 0.3


def test_it_is_the_same_under_another_clock_zone_and_hash_seed(tmp_path: Path) -> None:
    environment = {**os.environ, "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "4711", "BRIDGE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "bridge", "replay", str(RECORDING), "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found.pop("golden") is True
    assert replay.text(found) == replay.golden(RECORDING)


def test_a_difference_is_shown_and_fails(copy: Path, tmp_path: Path) -> None:
    golden = json.loads((copy / replay.GOLDEN_FILE).read_text(encoding="utf-8"))
    golden["recommendation"]["action"] = "NOTHING"
    (copy / replay.GOLDEN_FILE).write_text(replay.text(golden), encoding="utf-8")
    done = bridge("replay", str(copy), home=tmp_path)
    assert done.returncode == 1
    assert '-  "action": "NOTHING"' in done.stderr


def test_a_connector_that_asks_differently_is_named(copy: Path) -> None:
    path = copy / "whoop.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    saved["exchanges"] = [e for e in saved["exchanges"] if "/v2/recovery" not in e["asked"]]
    path.write_text(json.dumps(saved), encoding="utf-8")
    with pytest.raises(SetupError, match="whoop now asks for GET /developer/v2/recovery"):
        replay.replay(copy)


def test_a_folder_that_is_no_recording_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="bridge record FOLDER"):
        replay.replay(tmp_path)


def test_a_recording_holds_no_secret_name_or_address(tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    with connected(tmp_path / "home") as (bridge, vendors):
        user = bridge.store.people.user("ana")
        before = [bridge.store.connections.secret(c.id) for c in bridge.store.connections.of_user(user.id)]
        vendors["whoop"].tokens_expire()  # so that a rotation happens while recording
        outcomes = replay.record(bridge, user, folder, at=NOW)
        assert {outcome.outcome for outcome in outcomes} == {"ok"}
        text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.json"))
        for connection in bridge.store.connections.of_user(user.id):
            token = bridge.account(connection, registry.spec(connection.source)).token() or {}
            secrets = [str(v) for k, v in token.items() if "token" in k or k in ("url", "api_key")]
            assert secrets
            assert not any(secret in text for secret in secrets)
        assert [
            bridge.store.connections.secret(c.id) for c in bridge.store.connections.of_user(user.id)
        ] != before  # rotated, and kept
        assert bridge.store.reading.samples(user.id) == []  # the store is not touched
    assert "ana.keller@example.com" in json.dumps(vendors["google_calendar"].account)
    assert "Keller" not in text.replace("family-keller", "")


def test_one_vendor_is_recorded_to_be_given_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "given"
    with connected(tmp_path / "home") as (bridge, vendors):
        user = bridge.store.people.user("ana")
        with pytest.raises(
            SetupError,
            match="the recordings of one source at a time; add --source SOURCE, with one of garmin, google_calendar",
        ):
            replay.record_redacted(bridge, user, None, folder, at=NOW)
        os.environ["BRIDGE_NOW"] = NOW.isoformat()
        main(["record", str(folder), "--user", "ana", "--redact", "--source", "google_calendar"], standalone_mode=False)
        events = [row for rows in vendors["google_calendar"].account["events"].values() for row in rows]
    said = [event["summary"] for event in events if "summary" in event]
    told = capsys.readouterr().out
    assert "items[].summary" in told
    assert f"Read {folder / 'google_calendar.json'} before you give it away." in told
    text = "".join(path.read_text(encoding="utf-8") for path in folder.iterdir())
    assert len(said) > 20
    assert not [word for word in (*said, "keller", "Berlin", "2026", "ana@") if word in text]
    about = json.loads((folder / replay.ABOUT_FILE).read_text(encoding="utf-8"))
    assert (about["redacted"], about["zone"]) == (True, "Etc/GMT-1")
    moved = NOW - datetime.fromisoformat(about["now"])
    assert moved % timedelta(weeks=1) == timedelta(0)
    assert moved > timedelta(weeks=52)
    assert replay.replay(folder)["landed"]["google_calendar"]["new"] > len(said)


def test_cleaning() -> None:
    cleaner = Cleaner()
    dirty = {
        "access_token": "abc",
        "nextPageToken": "page-2",
        "firstName": "Ana",
        "organizer": {"email": "ana@home.test", "displayName": "Ana K"},
        "attendees": [
            {"email": "ana@home.test"},
            {"email": "ben@home.test"},
            {"email": "holiday@x.calendar.google.com"},
        ],
    }
    assert cleaner.value(dirty) == {
        "access_token": "stripped",
        "nextPageToken": "page-2",
        "firstName": "stripped",
        "organizer": {"email": "person1@example.com", "displayName": "stripped"},
        "attendees": [
            {"email": "person1@example.com"},
            {"email": "person2@example.com"},
            {"email": "holiday@x.calendar.google.com"},
        ],
    }


def write() -> None:
    """Record the demo person and keep what comes out."""
    import tempfile

    shutil.rmtree(RECORDING, ignore_errors=True)
    with tempfile.TemporaryDirectory() as home, connected(Path(home)) as (bridge, vendors):
        replay.record(bridge, bridge.store.people.user("ana"), RECORDING, at=NOW)
        files = RECORDING / replay.FILES_FOLDER
        files.mkdir()
        for name, content in demo_files(NOW.date(), days=DAYS).items():
            (files / name).write_bytes(content)
        (files / "choir.ics").write_text("\r\n".join(vendors["ics"].account["text"]), encoding="utf-8")
        shutil.copytree(lab.fixtures("garmin") / "watch", files / "watch")
    (RECORDING / replay.GOLDEN_FILE).write_text(replay.text(replay.replay(RECORDING)), encoding="utf-8")


if __name__ == "__main__":
    write()
