"""Pushes over real HTTP: who may, what is refused and how it is said, and that what was answered is never lost."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from cryptography.fernet import Fernet
from starlette.applications import Starlette

from bridge import installation
from bridge.auth.vault import SEALING_LOCK, Vault
from bridge.config import load
from bridge.daemon.housekeeping import restore
from bridge.doctor import _connection
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.ingest import connecting
from bridge.ingest.pushes import Arriving, grant, granted, grants, land
from bridge.store import Store
from bridge.web import pushes, throttle
from bridge.web.throttle import RateLimit
from lab.web_server import running
from tests import commands
from tests.health_auto_export.reading import body, metric
from tests.world import KEY

NOW = installation.now()
ADDRESS = "/push/health_auto_export"
LIMIT = 100_000


def day(steps: float) -> bytes:
    return body(metric("step_count", "count", {"date": "2026-11-18 00:00:00 +0100", "qty": steps})).content


@dataclass(frozen=True, kw_only=True)
class Place:
    """A server with one person who may push."""

    bridge: installation.Bridge
    user: User
    token: str
    app: Starlette
    port: int

    def post(self, content: bytes, path: str = ADDRESS, **headers: str) -> tuple[int, Any]:
        named = {"Authorization": f"Bearer {self.token}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        return self.raw("POST", path, content, named)

    def raw(self, method: str, path: str, content: Any, headers: dict[str, str], **more: Any) -> tuple[int, Any]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)) as connection:
            connection.request(method, path, content, headers, **more)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    @property
    def folder(self) -> Path:
        return next(one.folder for one, _ in grants(self.bridge))

    def waiting(self) -> list[str]:
        return [place.name for place in self.folder.iterdir() if not place.name.startswith(".")]

    def steps(self) -> list[float]:
        land(self.bridge)
        return [
            sample.value for _, sample in self.bridge.store.reading.samples(self.user.id) if sample.metric == "steps"
        ]


@pytest.fixture
def place(store: Store, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    bridge = installation.Bridge(settings=load(), store=store)
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)
    token = grant(bridge, user, "health_auto_export")
    app = pushes.create(bridge, max_bytes=LIMIT)
    with running(app, lifespan="off") as port:
        yield Place(bridge=bridge, user=user, token=token, app=app, port=port)


def test_a_growing_day_is_replaced_and_a_repeat_is_known(place: Place) -> None:
    assert place.post(day(5000)) == (200, {"bytes": len(day(5000)), "known": False})
    assert place.steps() == [5000]
    assert place.post(day(8000))[1]["known"] is False
    assert place.post(day(5000))[1]["known"] is True
    assert place.steps() == [8000]
    assert place.waiting() == []


def test_the_token_may_stand_in_either_header_and_a_body_may_come_in_chunks(place: Place) -> None:
    assert place.raw("POST", ADDRESS, day(1), {"X-API-Key": place.token})[0] == 200
    chunked = {"X-API-Key": place.token, "Transfer-Encoding": "chunked"}
    pieces = [day(2)[:20], day(2)[20:]]
    assert place.raw("POST", ADDRESS, iter(pieces), chunked, encode_chunked=True)[0] == 200
    assert place.steps() == [2]
    assert place.raw("GET", "/health", None, {}) == (200, {"status": "ok"})


def test_it_answers_under_any_name_and_only_where_something_is(place: Place) -> None:
    """Its address may be a phone's name for this machine, a tunnel's or a proxy's: the token decides."""
    headers = {"X-API-Key": place.token, "Host": "bridge.example.org", "Origin": "https://elsewhere.example"}
    assert place.raw("POST", ADDRESS, day(1), headers)[0] == 200
    for method, path in (("GET", ADDRESS), ("GET", "/"), ("POST", "/"), ("GET", "/login"), ("POST", "/checkin")):
        assert place.raw(method, path, None, {})[0] == 404, path


def test_who_has_no_token_is_told_how_to_get_one(place: Place) -> None:
    for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {place.token}"}, {"X-API-Key": ""}):
        status, answer = place.raw("POST", ADDRESS, day(1), headers)
        assert status == 401
        assert "bridge connect health_auto_export" in answer["error"]
    assert grant(place.bridge, place.user, "health_auto_export") != place.token
    assert place.post(day(1))[0] == 401
    assert place.waiting() == []


@pytest.mark.parametrize(
    ("content", "headers", "status", "word"),
    [
        (day(1)[:-9], {}, 400, "cut off"),
        (b"steps,10", {}, 400, "JSON"),
        (b'{"a": 1}', {}, 400, "Health Auto Export"),
        (b"", {}, 400, "Health Auto Export"),
        (day(1), {"automation_aggregation": "weeks"}, 400, "days"),
        (day(1) + b" " * LIMIT, {}, 413, "100000 bytes"),
        (day(1), {"content_encoding": "gzip"}, 415, "compressed"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_reason(
    place: Place, content: bytes, headers: dict[str, str], status: int, word: str
) -> None:
    found, answer = place.post(content, **headers)
    assert (found, word in answer["error"]) == (status, True)
    assert place.waiting() == []
    assert place.post(day(1))[0] == 200


def test_lengths_are_demanded_and_believed_only_as_far_as_they_are_true(place: Place) -> None:
    bearer = {"Authorization": f"Bearer {place.token}"}
    with closing(http.client.HTTPConnection("127.0.0.1", place.port, timeout=20)) as connection:
        connection.putrequest("POST", ADDRESS)
        connection.putheader("Authorization", bearer["Authorization"])
        connection.endheaders()
        assert connection.getresponse().status == 411
    chunked = bearer | {"Transfer-Encoding": "chunked"}
    long = (b"x" * 50_000 for _ in range(4))
    assert place.raw("POST", ADDRESS, long, chunked, encode_chunked=True)[0] == 413
    assert place.post(day(1), path="/push/nobody")[0] == 404
    assert place.post(day(1), path="/push/whoop")[0] == 401
    assert place.waiting() == []


def test_who_guesses_tokens_has_to_wait(place: Place) -> None:
    place.app.state.pushes = replace(place.app.state.pushes, requests=RateLimit(allowed=3, seconds=60))
    found = [place.raw("POST", ADDRESS, b"", {"Authorization": f"Bearer {n}"})[0] for n in range(5)]
    assert found == [401] * 3 + [429] * 2
    assert "too often" in place.post(day(1))[1]["error"]


def test_a_token_is_kept_nowhere_and_nothing_sent_is_logged(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    secret = b'{"data": {"metrics": [], "note": "my private words"}}'
    assert place.post(secret)[0] == 200
    assert place.post(secret[:-2])[0] == 400
    land(place.bridge)
    assert "private" not in caplog.text
    assert place.token not in caplog.text
    for file in place.bridge.settings.folder.rglob("*"):
        assert not file.is_file() or place.token.encode() not in file.read_bytes()


def test_a_source_that_cannot_be_pushed_to_gives_no_token(place: Place) -> None:
    with pytest.raises(SetupError, match="health_auto_export"):
        grant(place.bridge, place.user, "whoop")


def test_a_token_is_made_while_somebody_elses_is_swapped(place: Place) -> None:
    """Sealing takes the key's lock before it writes. In the other order two writers would wait for each other."""
    store, held, made = place.bridge.store, threading.Event(), threading.Event()

    def granting() -> None:
        held.wait(10)
        grant(place.bridge, place.user, "health_auto_export")
        made.set()

    thread = threading.Thread(target=granting)
    thread.start()
    with store.lock(SEALING_LOCK):
        held.set()
        assert not made.wait(0.2)
        with store.transaction():
            store.people.set_zone(place.user.id, "UTC", since=NOW)
    thread.join(10)
    assert made.is_set()


def test_what_waits_goes_with_the_person(place: Place) -> None:
    assert place.post(day(1))[0] == 200
    assert len(place.waiting()) == 1
    folder = place.folder
    connecting.forget(place.bridge, place.user)
    assert not folder.exists()
    assert place.post(day(2))[0] == 401


def test_after_a_restore_elsewhere_the_token_still_holds_and_bodies_land(place: Place, tmp_path: Path) -> None:
    moved = replace(place.bridge.settings, folder=tmp_path / "elsewhere", key=KEY)
    elsewhere = installation.Bridge(settings=moved, store=place.bridge.store)
    into = granted(elsewhere, "health_auto_export", place.token)
    assert into is not None
    assert into.folder.is_relative_to(tmp_path / "elsewhere")
    with closing(Arriving(into)) as arriving:
        arriving.write(day(4000))
        assert arriving.accept({}) == (len(day(4000)), False)
    assert replace(place, bridge=elsewhere).steps() == [4000]


def test_what_a_backup_does_not_hold_may_be_sent_again(place: Place, tmp_path: Path) -> None:
    place.bridge.store.maintenance.backup(tmp_path / "saved", lambda _: lambda *_: None)
    assert place.post(day(4000))[1]["known"] is False
    assert place.steps() == [4000]
    restore(place.bridge, tmp_path / "saved", replace=True, progress=lambda _: lambda *_: None, now=NOW)
    assert place.steps() == []
    assert place.post(day(4000))[1]["known"] is False
    assert place.steps() == [4000]


def test_a_consent_that_no_key_opens_stops_nobody_else_and_is_told(place: Place) -> None:
    store = place.bridge.store
    ben = store.people.add_user("ben", "UTC", now=NOW)
    grant(place.bridge, ben, "health_auto_export")
    (connection,) = store.connections.of_user(ben.id)
    store.connections.save_secret(connection.id, Vault([Fernet.generate_key().decode()]).seal({"token": ""}))
    assert place.post(day(4000))[0] == 200
    assert place.steps() == [4000]
    found = _connection(place.bridge, ben, connection)
    assert (found.ok, found.next) == (False, "bridge connect health_auto_export --user ben --push")


def stalled(stack: ExitStack, place: Place, head: bytes) -> socket.socket:
    """A sender that begins and then says nothing more."""
    found = stack.enter_context(socket.create_connection(("127.0.0.1", place.port), timeout=20))
    found.sendall(head)
    return found


def stalled_body(place: Place) -> bytes:
    host = f"POST {ADDRESS} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    return f"{host}X-API-Key: {place.token}\r\nContent-Length: 900\r\n\r\n{{".encode()


def test_stalled_bodies_are_few_and_end_in_time(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 45 with one token four are waited for, and those for a time; the others are told to wait."""
    monkeypatch.setattr(throttle, "BODY_SECONDS", 3.0)
    begun = time.monotonic()
    with ExitStack() as stack:
        senders = [stalled(stack, place, stalled_body(place)) for _ in range(45)]
        assert place.raw("GET", "/health", None, {})[0] == 200
        answers = [sender.recv(100).split()[1] for sender in senders]
    assert sorted(answers) == [b"408"] * 4 + [b"429"] * 41
    assert time.monotonic() - begun < 15
    assert [file for file in place.folder.iterdir() if file.name.startswith(".part")] == []
    assert place.post(day(1))[0] == 200


def test_a_body_that_drips_ends_in_time(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "BODY_SECONDS", 1.0)
    begun = time.monotonic()
    with ExitStack() as stack:
        sender = stalled(stack, place, stalled_body(place))
        sender.settimeout(0.1)
        answer = b""
        while not answer and time.monotonic() < begun + 20:
            sender.sendall(b" ")
            try:
                answer = sender.recv(100)
            except TimeoutError:
                continue
    assert answer.startswith(b"HTTP/1.1 408")


def test_half_open_headers_end_in_time_and_are_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "HEADER_SECONDS", 2.0)
    monkeypatch.setattr(throttle, "MAX_OPEN_PER_ADDRESS", 8)
    monkeypatch.setattr(throttle, "MAX_OPEN", 20)
    with ExitStack() as stack:
        senders = [stalled(stack, place, b"POST /push/x HTTP/1.1\r\nHost:") for _ in range(30)]
        begun = time.monotonic()
        ends = []
        for sender in senders:
            with suppress(ConnectionResetError):
                assert sender.recv(100) == b""
            ends.append(time.monotonic() - begun)
        assert max(ends) < 15
        assert place.post(day(1))[0] == 200


def test_a_server_that_is_killed_after_its_answer_loses_nothing(tmp_path: Path) -> None:
    """The real command: answered, killed; the body lands with the next sync."""
    environment = {**os.environ, "BRIDGE_HOME": str(tmp_path / "home"), "BRIDGE_NOW": NOW.isoformat()}

    def bridge(*arguments: str) -> str:
        with patch.dict(os.environ, environment):
            done = commands.bridge(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    bridge("user", "add", "ana", "--zone", "Europe/Berlin")
    printed = bridge("connect", "health_auto_export", "--user", "ana", "--push")
    token = re.search(r"ended\): (\S+)", printed)
    assert token is not None
    command = [sys.executable, "-m", "bridge", "serve-push", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        port = int(server.stderr.readline().partition("127.0.0.1:")[2].partition("/")[0])
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
            connection.request("POST", ADDRESS, day(777), {"Authorization": f"Bearer {token[1]}"})
            assert connection.getresponse().status == 200
        server.send_signal(signal.SIGKILL)
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        port = int(server.stderr.readline().partition("127.0.0.1:")[2].partition("/")[0])
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", "/health")
            assert connection.getresponse().status == 200
        server.send_signal(signal.SIGTERM)
        assert "Traceback" not in server.stderr.read()
        assert server.wait(timeout=60) == 0
    json.loads(bridge("sync", "--user", "ana", "--json"))
    store = Store(f"sqlite:///{tmp_path / 'home' / 'bridge.db'}")
    assert [s.value for _, s in store.reading.samples(store.people.user("ana").id) if s.metric == "steps"] == [777]
    store.close()
