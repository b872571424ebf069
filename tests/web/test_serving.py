"""``bridge web`` as a process, and the page on both databases."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from bridge import app
from tests.web.served import calendar, open_at, served


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


def test_a_day_on_both_databases(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(open_at(tmp_path, database_url)) as place:
        place.bridge.store.add_user("ana", "Europe/Berlin", now=app.now())
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
