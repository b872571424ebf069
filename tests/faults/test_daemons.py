"""Real daemons killed, databases restarted, disks full, leases lost: what is due runs, nothing is lost, doubled or sent
twice. Each fault has a small version here; the long ones print what they counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.postgres_cluster import programs, restartable
from tests.faults.serving import Serving


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def killed(serving: Serving, times: int) -> dict[str, int]:
    kills = 0
    for _ in range(times):
        kills += serving.kill_once()
        serving.change()
    serving.settle()
    assert kills == times, serving.said.read_text()[-2000:]
    return {"kills": kills, **serving.check()}


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_daemon_killed_twice(stack: ExitStack, tmp_path: Path) -> None:
    killed(Serving(stack, tmp_path, f"sqlite:///{tmp_path / 'bridge.db'}", seed=3), 2)


@pytest.mark.faults
def test_a_daemon_killed_fifty_times(
    stack: ExitStack, tmp_path: Path, database_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = killed(Serving(stack, tmp_path, database_url, seed=50), 50)
    with capsys.disabled():
        print(f"\n{database_url.partition(':')[0]}: {counts}")


@pytest.mark.faults
@pytest.mark.postgres
def test_a_database_that_restarts_ten_times(
    stack: ExitStack, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = restarted(stack, tmp_path, 10)
    with capsys.disabled():
        print(f"\nrestarts: {counts}")


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.timeout(400)
def test_a_database_that_restarts(stack: ExitStack, tmp_path: Path) -> None:
    restarted(stack, tmp_path, 1)


def restarted(stack: ExitStack, folder: Path, times: int) -> dict[str, int]:
    """The daemon goes on by itself: it is never started again while its database is away and back."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed")
    address, restart = stack.enter_context(restartable("-c fsync=off"))
    serving = Serving(stack, folder, f"{address}/postgres", seed=7)
    for _ in range(times):
        asked = serving.asked()
        process = serving.start()
        for _ in range(600):
            if serving.asked() > asked + serving.rng.randrange(1, 12):
                break
            time.sleep(0.05)
        restart()
        time.sleep(4)
        assert process.poll() is None
        process.terminate()
        assert process.wait(timeout=15) == 0
        serving.change()
    serving.settle()
    return {"restarts": times, **serving.check()}
