"""Clients that are slow on purpose: the page answers everybody else, and they end in time."""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from bridge import installation
from bridge.auth import access
from bridge.domain.errors import TryLater
from bridge.domain.records import User
from bridge.ingest.pushes import grant
from bridge.log import LINES_PER_WINDOW, LineLimit
from bridge.web import jobs, serving, throttle
from tests.web.served import Place, Visitor, calendar

SOURCE = "health_auto_export"


def begun(stack: ExitStack, place: Place, text: str) -> socket.socket:
    """A client that begins a request and then says nothing more."""
    found = stack.enter_context(socket.create_connection(("127.0.0.1", place.port), timeout=20))
    found.sendall(text.replace("\n", "\r\n").encode())
    return found


def status(client: socket.socket) -> bytes:
    """The status of its answer; empty where the connection ended without one."""
    try:
        return b" ".join(client.recv(4000).split()[1:2])
    except ConnectionResetError:
        return b""


def test_stalled_pushes_freeze_nobody(place: Place, ana: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """45 of one token: four are waited for, and those for a time."""
    monkeypatch.setattr(throttle, "BODY_SECONDS", 6.0)
    token = grant(place.bridge, ana, SOURCE)
    head = f"POST /push/{SOURCE} HTTP/1.1\nHost: 127.0.0.1\nX-API-Key: {token}\nContent-Length: 900\n\n" + "{"
    with ExitStack() as stack:
        clients = [begun(stack, place, head) for _ in range(45)]
        answers = [status(client) for client in clients[4:]]
        since = time.monotonic()
        assert place.visitor().get("/", timeout=5).status_code == 200
        assert time.monotonic() - since < 5
        answers += [status(client) for client in clients[:4]]
    assert sorted(answers) == [b"408"] * 4 + [b"429"] * 41


def test_stalled_forms_and_uploads_freeze_nobody(
    place: Place, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "BODY_SECONDS", 6.0)
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    same = f"Host: 127.0.0.1\nCookie: {cookies}\nX-CSRF-Token: {visitor.csrf}\nContent-Length: 900\n"
    form = f"POST /checkin HTTP/1.1\n{same}Content-Type: application/x-www-form-urlencoded\n\nscore"
    upload = f"POST /connections/import?name=a.ics HTTP/1.1\n{same}\nBEGIN"
    with ExitStack() as stack:
        forms = [begun(stack, place, form) for _ in range(45)]
        uploads = [begun(stack, place, upload) for _ in range(5)]
        assert visitor.get("/", timeout=5).status_code == 200
        assert sorted(status(client) for client in uploads) == [b"408"] * 2 + [b"429"] * 3
        assert {status(client) for client in forms} == {b"408"}
    assert list(place.bridge.settings.uploads.glob("*/*")) == []
    assert "2 new" not in visitor.finished(visitor.upload("calendar.ics", calendar()).text)  # it is known already


def test_a_sender_that_is_still_writing_sees_its_refusal(place: Place, ana: User) -> None:
    """Its body is read on for a while: a connection that closed at once would be reset under its hands."""
    size = 8_000_000
    with ExitStack() as stack:
        head = f"POST /checkin HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {size}\n\n"
        client = begun(stack, place, head)
        client.sendall(b"a" * size)
        assert status(client) == b"413"


def test_half_open_headers_end_in_time(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those of a second request on a connection, and those that drip."""
    monkeypatch.setattr(throttle, "HEADER_SECONDS", 2.0)
    whole = "GET /login HTTP/1.1\nHost: 127.0.0.1\n\n"
    with ExitStack() as stack:
        half = [begun(stack, place, text) for text in ("", "GET / HT", "GET / HTTP/1.1\nHost:") for _ in range(10)]
        second = begun(stack, place, whole)
        assert b"303" in second.recv(65_536)
        second.sendall(b"GET / HTTP/1.1\r\n")
        drip, end = begun(stack, place, "GET / HTTP/1.1\nX: "), time.monotonic() + 10
        drip.settimeout(0.1)
        while time.monotonic() < end:
            try:
                drip.sendall(b"a")
                if drip.recv(10) == b"":
                    break
            except TimeoutError:
                continue
            except OSError:
                break
        assert time.monotonic() < end
        assert {status(client) for client in (*half, second)} == {b""}


def test_connections_are_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MAX_OPEN_PER_ADDRESS", 10)
    monkeypatch.setattr(throttle, "HEADER_SECONDS", 3.0)
    with ExitStack() as stack:
        half = [begun(stack, place, "GET / HTTP/1.1\nHost:") for _ in range(30)]
        for client in half[:20]:  # the one that has waited longest gives way to the next
            assert status(client) == b""
        half[29].setblocking(False)
        with pytest.raises(BlockingIOError):
            half[29].recv(1)
        half[29].setblocking(True)
        assert status(half[20]) == b""
        assert place.visitor().get("/login", timeout=5).status_code == 303


@pytest.mark.slow
def test_who_takes_nothing_of_an_answer_is_left(
    place: Place, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "WRITE_SECONDS", 1.0)
    path = "/static/htmx.min.js"
    size = len(visitor.get(path).content)
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(20)
        client.connect(("127.0.0.1", place.port))
        asking = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        asked = 200
        client.sendall(asking * asked)
        time.sleep(4)
        taken = 0
        try:
            while piece := client.recv(65_536):
                taken += len(piece)
        except ConnectionResetError:
            pass
    assert taken < asked * size


def test_a_person_has_so_many_jobs_at_once(place: Place, visitor: Visitor, ana: User) -> None:
    state, end = place.made.state.page, threading.Event()
    work: Callable[[jobs.Job], object] = lambda _: end.wait(60)  # noqa: E731
    for number in range(jobs.RUNNING_PER_USER):
        state.jobs.start(ana.id, str(number), work)
    with pytest.raises(TryLater, match="are running for you"):
        state.jobs.start(ana.id, "more", work)
    refused = visitor.upload("calendar.ics", calendar())
    assert (refused.status_code, "wait until one has ended" in refused.text) == (429, True)
    assert list(place.bridge.settings.uploads.glob("*/*")) == []
    other = place.bridge.store.people.add_user("ben", "UTC", now=installation.now())
    state.jobs.start(other.id, "ben's", work)
    end.set()


def test_one_export_of_a_person_is_made_at_once(place: Place, ana: User) -> None:
    _, token = access.new_token(place.bridge.store, ana, "test", now=installation.now())
    client = place.visitor()
    client.headers["Authorization"] = f"Bearer {token}"
    with place.made.state.page.exporting.held(ana.id):
        assert client.get("/api/v1/export").status_code == 429
    assert client.get("/api/v1/export").status_code == 200


def test_lines_that_outsiders_bring_about_are_bounded() -> None:
    sparse = LineLimit()

    def said(name: str) -> int:
        record = logging.LogRecord(name, logging.WARNING, "file.py", 7, "a request broke off", None, None)
        return sum(bool(sparse.filter(record)) for _ in range(100_000))

    assert said("bridge.web.serving") == LINES_PER_WINDOW
    assert said("bridge.ingest.sync") == 100_000
