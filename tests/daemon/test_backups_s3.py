"""Backups in a bucket of a real S3 server, which checks every signature: Moto's, in a process of its own."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import requests
from typer.testing import CliRunner

from bridge import installation
from bridge.cli import app as cli
from bridge.daemon import backups
from bridge.daemon.backup_places import Bucket, places_of
from bridge.doctor import Finding, examine
from bridge.domain.errors import SetupError

NOW = datetime(2026, 11, 20, 9, 5, tzinfo=UTC)
DAY = timedelta(days=1)
PROGRAM = Path(__file__).parents[2] / ".venv-s3" / "bin" / "moto_server"
SETTING_UP = 4  # requests before the server begins to check who asks
POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
START_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Served:
    """A server with an empty bucket, and the key of a user who may write it."""

    url: str
    key: str
    secret: str


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    if not PROGRAM.exists():
        pytest.skip("Moto is not here; run: make test-s3")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command, variables = (
        [str(PROGRAM), "-H", "127.0.0.1", "-p", str(port)],
        {"INITIAL_NO_AUTH_ACTION_COUNT": str(SETTING_UP)},
    )
    log = tmp_path_factory.mktemp("moto") / "log"
    with log.open("wb") as file, subprocess.Popen(command, env=variables, stdout=file, stderr=file) as process:
        try:
            wait_for(port, process)
            yield set_up(f"http://127.0.0.1:{port}")
        finally:
            process.terminate()


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("the server did not start")


def set_up(url: str) -> Served:
    def manage(**form: str) -> str:
        who = {"Authorization": "AWS4-HMAC-SHA256 Credential=a/20261120/us-east-1/iam/aws4_request"}
        answer = requests.post(
            url, data={"Version": "2010-05-08", "UserName": "bridge", **form}, headers=who, timeout=30
        )
        assert answer.ok, answer.text
        return answer.text

    manage(Action="CreateUser")
    made = manage(Action="CreateAccessKey")
    manage(Action="PutUserPolicy", PolicyName="bucket", PolicyDocument=json.dumps(POLICY))
    assert requests.put(f"{url}/vault", timeout=30).ok
    assert not requests.get(f"{url}/vault", timeout=30).ok  # from now on, whoever asks has to sign
    key, secret = (re.search(f"<{name}>(.+?)</{name}>", made) for name in ("AccessKeyId", "SecretAccessKey"))
    assert key is not None
    assert secret is not None
    return Served(url=url, key=key[1], secret=secret[1])


@pytest.fixture
def bridge(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[installation.Bridge]:
    """An installation with backups in a folder of the bucket that is this test's own."""
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("BRIDGE_BACKUPS_S3", f"{server.url}/vault/{tmp_path.name.replace('_', '-')}")
    monkeypatch.setenv("BRIDGE_BACKUPS_S3_KEY", server.key)
    monkeypatch.setenv("BRIDGE_BACKUPS_S3_SECRET", server.secret)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with installation.open_bridge() as found:
        found.store.people.add_user("ana", "Europe/Berlin", now=NOW)
        yield found


def bucket_of(bridge: installation.Bridge) -> Bucket:
    (place,) = places_of(bridge.settings)
    assert isinstance(place, Bucket)
    return place


def checked() -> list[Finding]:
    return [one for one in examine() if one.check == "backups"]


def test_one_is_made_listed_tried_and_restored_on_another_machine(
    bridge: installation.Bridge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert backups.is_due(bridge, now=NOW)
    name = backups.daily(bridge, now=NOW)
    assert not backups.is_due(bridge, now=NOW)
    (finding,) = checked()
    assert finding.ok
    assert f"{name} (s3) was restored for a try, with 1 person;" in finding.text
    listed = json.loads(CliRunner().invoke(cli, ["backups", "--json"]).output)["backups"]
    assert [(row["name"], row["place"]) for row in listed] == [(name, "s3")]
    key = tmp_path / "backup.key"
    key.write_bytes((bridge.settings.folder / "backup.key").read_bytes())
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path / "another"))
    done = CliRunner().invoke(cli, ["restore", name, "--identity", str(key), "--json"])
    assert json.loads(done.output)["people"] == 1
    assert list((tmp_path / "another").glob(".backup-*")) == []


def test_what_lies_in_the_bucket_is_encrypted(bridge: installation.Bridge, tmp_path: Path) -> None:
    place = bucket_of(bridge)
    place.fetch(backups.daily(bridge, now=NOW), tmp_path / "raw")
    assert (tmp_path / "raw").read_bytes().startswith(b"age-encryption.org/v1")


def test_a_folder_besides_gets_the_same(bridge: installation.Bridge, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    both = replace(bridge, settings=replace(bridge.settings, backups=str(folder)))
    with pytest.raises(SetupError, match="BRIDGE_BACKUPS is not there"):
        backups.daily(both, now=NOW)
    (saved,) = bucket_of(bridge).found()  # a disk that is away costs the bucket nothing
    assert backups.state(both, NOW).last is None
    folder.mkdir()
    name = backups.daily(both, now=NOW + DAY)
    assert [one.name for one in bucket_of(bridge).found()] == [saved.name, name]
    assert [path.name for path in folder.iterdir()] == [name]


def test_rotation_keeps_days_and_weeks_and_touches_nothing_else(bridge: installation.Bridge, tmp_path: Path) -> None:
    place = bucket_of(bridge)
    old = tmp_path / "old"
    old.write_bytes(b"old")
    for number in range(20):
        place.save(old, f"bridge-{NOW - DAY * (20 - number):%Y%m%d}T090500Z.age")
    place.save(old, "letter.txt")
    place.save(old, "bridge-mine.age")
    backups.daily(bridge, now=NOW)
    days = [f"bridge-{NOW - DAY * back:%Y%m%d}T090500Z.age" for back in range(7)]
    weeks = [f"bridge-{day}T090500Z.age" for day in ("20261108", "20261101")]
    assert [one.name for one in place.found()] == sorted([*days, *weeks])
    place.fetch("letter.txt", tmp_path / "letter")
    place.fetch("bridge-mine.age", tmp_path / "mine")
    assert (tmp_path / "letter").read_bytes() == b"old"


def test_a_large_backup_goes_in_pieces_and_comes_back_whole(bridge: installation.Bridge, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(bytes(range(256)) * 60_000)  # three pieces of five megabytes
    place = bucket_of(bridge)
    place.save(large, "large")
    place.fetch("large", tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == large.read_bytes()


def test_a_backup_that_was_changed_there_is_found_by_the_drill(bridge: installation.Bridge, tmp_path: Path) -> None:
    place, name = bucket_of(bridge), backups.daily(bridge, now=NOW)
    changed = tmp_path / "changed"
    place.fetch(name, changed)
    body = bytearray(changed.read_bytes())
    body[len(body) // 2] ^= 1
    changed.write_bytes(body)
    place.save(changed, name)
    assert [one.ok for one in checked()] == [False]


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("BRIDGE_BACKUPS_S3_SECRET", "another", "failed (SignatureDoesNotMatch)"),
        ("BRIDGE_BACKUPS_S3_SECRET", "", "needs its access key"),
        ("BRIDGE_BACKUPS_S3", "https://user:word@example.org/vault", "must be a bucket's address"),
        ("BRIDGE_BACKUPS_S3", "s3://vault", "must be a bucket's address"),
    ],
)
def test_what_is_wrong_is_told_without_secrets(
    bridge: installation.Bridge, server: Served, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, told: str
) -> None:
    monkeypatch.setenv(variable, value)
    (finding,) = checked()
    assert not finding.ok
    assert told in finding.text
    assert server.secret not in finding.text
    assert "another" not in finding.text
    done = CliRunner().invoke(cli, ["backups"])
    assert isinstance(done.exception, SetupError)


def test_a_server_that_is_away_is_told(bridge: installation.Bridge, monkeypatch: pytest.MonkeyPatch) -> None:
    away = replace(bridge, settings=replace(bridge.settings, backups_s3="http://127.0.0.1:9/vault"))
    monkeypatch.setattr("bridge.daemon.backup_places.RETRY_SECONDS", 1)
    with pytest.raises(SetupError, match=r"bucket of BRIDGE_BACKUPS_S3 failed"):
        backups.daily(away, now=NOW)
    assert [backups.is_due(away, now=NOW + timedelta(minutes=m)) for m in (0, 59, 60)] == [False, False, True]
    assert backups.state(away, NOW).old
