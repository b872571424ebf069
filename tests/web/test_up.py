"""``bridge up``: everything in one process, alone at its store, and gone ten seconds after a signal."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.commands import bridge
from tests.daemon.stage import MONDAY, Stage, staged, stalled


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with staged(tmp_path, monkeypatch) as found:
        yield found


def start(*more: str, **variables: str) -> tuple[subprocess.Popen[str], str]:
    """Start ``bridge up``, and return it with its address."""
    command = [sys.executable, "-m", "bridge", "up", "--port", "0", *more]
    process = subprocess.Popen(command, env=os.environ | variables, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"open (http://127\.0\.0\.1:\d+)/", line)
    assert found is not None, line + process.stderr.read()
    return process, found[1]


def status(url: str) -> tuple[int, str]:
    answer = requests.get(f"{url}/health", timeout=30)
    return answer.status_code, answer.json()["status"]


@pytest.mark.timeout(180)
def test_it_syncs_serves_and_ends_in_ten_seconds_in_the_middle_of_a_page(stage: Stage, tmp_path: Path) -> None:
    connection = stage.add("ana", "UTC")
    with stalled(stage.server) as reached:
        process, url = start("--every", "1", BRIDGE_NOW=MONDAY.isoformat(), BRIDGE_HOME=str(tmp_path))
        try:
            assert reached.wait(60)
            assert status(url) == (200, "ok")
            assert "made-up person" not in requests.get(f"{url}/welcome", timeout=30).text  # ana is there
            assert requests.post(f"{url}/push/health_auto_export", timeout=30).status_code == 401
            assert requests.post(f"{url}/mcp", json={}, timeout=30).status_code == 401
            assert requests.post(f"{url}/hooks/whoop", data=b"{}", timeout=30).status_code in (400, 401, 503)
            for second in ("up", "daemon"):
                refused = bridge(second, *(["--port", "0"] if second == "up" else []))
                assert (refused.returncode, f"/{process.pid}/" in refused.stderr) == (2, True), refused.stderr
            begun = time.monotonic()
            process.send_signal(signal.SIGTERM)
            _, printed = process.communicate(timeout=30)
            assert time.monotonic() - begun < 10
            assert process.returncode == 0
            assert "Traceback" not in printed
        finally:
            process.kill()
            process.wait()
    assert stage.bridge.store.scheduling.lease_holder(connection.id) is None
    stage.daemon().tick()
    assert len(stage.runs()[connection.id]) == 1


def test_it_begins_with_nobody_and_ends_at_once(tmp_path: Path) -> None:
    process, url = start(BRIDGE_HOME=str(tmp_path))
    try:
        assert status(url)[0] == 200
        assert "made-up person" in requests.get(url, timeout=30).text
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        assert (process.returncode, time.monotonic() - begun < 8) == (0, True)
    finally:
        process.kill()
        process.wait()


def test_beyond_this_machine_it_wants_passwords_first(tmp_path: Path) -> None:
    done = bridge("up", "--host", "0.0.0.0", "--port", "0", home=tmp_path)  # noqa: S104 - it is refused
    assert done.returncode == 2
    assert "bridge user add NAME" in done.stderr
