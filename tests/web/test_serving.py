"""``bridge web`` as a process, and the page on both databases."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
import requests

from bridge import installation
from bridge.domain.records import User
from tests.web.served import Place, calendar, open_at, served


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    environment = os.environ | {"BRIDGE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "bridge", "web", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = re.search(r"open (http://127\.0\.0\.1:\d+/)", process.stderr.readline())
        assert url is not None
        assert "made-up person" in requests.get(url[1], timeout=60).text
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
        assert process.wait(timeout=60) in (0, -signal.SIGTERM)
    assert "Traceback" not in said


def test_beyond_this_machine_it_wants_passwords_first(tmp_path: Path) -> None:
    environment = os.environ | {"BRIDGE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "bridge", "web", "--host", "0.0.0.0", "--port", "0"]  # noqa: S104 - it is refused
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert done.returncode == 2
    assert "bridge user add NAME" in done.stderr


@pytest.mark.slow
def test_half_open_headers_exhaust_neither_files_nor_the_log(tmp_path: Path) -> None:
    """400 of them, where a process may have 256 files open; the page answers when their time is over."""
    environment, log = os.environ | {"BRIDGE_HOME": str(tmp_path)}, tmp_path / "log"
    limited = f"ulimit -n 256; exec {sys.executable} -m bridge web --port 0"
    with ExitStack() as stack, log.open("wb") as said:
        process = stack.enter_context(subprocess.Popen(["bash", "-c", limited], env=environment, stderr=said))
        stack.callback(process.kill)
        end = time.monotonic() + 90
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", log.read_text())) and time.monotonic() < end:
            time.sleep(0.1)
        assert found is not None
        port = int(found[1])
        for _ in range(400):
            client = stack.enter_context(socket.socket())
            client.settimeout(0.2)
            with suppress(OSError):
                client.connect(("127.0.0.1", port))
                client.sendall(b"GET / HTTP/1.1\r\nHost:")
        assert is_answered(f"{found[0]}welcome", seconds=60)
    assert log.stat().st_size < 50_000


def is_answered(url: str, *, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(requests.RequestException):
            return requests.get(url, timeout=5).ok
        time.sleep(0.2)
    return False


def test_a_day_on_both_databases(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(open_at(tmp_path, database_url)) as place:
        place.bridge.store.people.add_user("ana", "Europe/Berlin", now=installation.now())
        visitor = place.visitor()
        visitor.get("/connections")
        assert "2 new" in visitor.finished(visitor.upload("calendar.ics", calendar()).text)
        assert "Planning" in visitor.get("/").text
        path = re.search(r'action="(/advice/\d+)"', visitor.get("/advice", headers={"HX-Request": "true"}).text)
        assert path is not None
        visitor.change(path[1], {"answer": "accept"})
        visitor.change("/checkin", {"score": "4"})
        shown = visitor.get("/").text
        assert ">accepted<" in re.sub(r"\s+", "", shown)
        assert "You said: 4" in shown


def test_static_files_are_packed_and_pages_never(place: Place, ana: User) -> None:
    visitor = place.visitor()
    today = visitor.get("/")
    assert "Content-Encoding" not in today.headers
    style = visitor.get(re.findall(r'href="(/static/style\.css[^"]*)"', today.text)[0], stream=True)
    assert style.headers["Content-Encoding"] == "gzip"
    assert int(style.headers["Content-Length"]) < len(style.text.encode()) / 3
    plain = visitor.get("/static/style.css", headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert plain.text == style.text
