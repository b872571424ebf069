"""A real client plays a week over the WebSocket of a real server. Needs the extra ``openenv``: make test-openenv."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest
import requests

from lab.evaluation.week import begin
from rhythm_env.profiles import belief_target

pytest.importorskip("openenv", reason="OpenEnv is not installed: make test-openenv")

ACTIONS = ("deep_work", "learn", "family_time", "sleep")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "lab.environments.openenv.server:app", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    until = time.monotonic() + 60
    while time.monotonic() < until:
        try:
            requests.get(f"{address}/health", timeout=1)
            break
        except requests.RequestException:
            time.sleep(0.3)
    yield address
    process.terminate()
    process.wait(timeout=20)


def test_a_week_is_played_and_graded(url: str) -> None:
    from lab.environments.openenv.client import RhythmEnv
    from lab.environments.openenv.models import RhythmAction

    weeks = begin([42])
    target = belief_target(weeks.people)[:, 0].tolist()
    with RhythmEnv(base_url=url).sync() as env:
        first = env.reset(seed=42)
        assert (first.observation.timestep, first.observation.vitality) == (0, 0.7)
        for step in range(28):
            belief = target if step == 27 else None
            result = env.step(RhythmAction(action_type=ACTIONS[step % 4], belief=belief))
            weeks.advance(np.array([{"deep_work": 0, "learn": 2, "family_time": 6, "sleep": 3}[ACTIONS[step % 4]]]))
            assert result.done == (step == 27)
            assert result.observation.progress == pytest.approx(float(weeks.meters[2, 0]))
            if step < 27:
                assert result.reward == pytest.approx(float(weeks.rewards[-1][0]))
                assert "final_score" not in result.observation.reward_breakdown
        assert result.observation.reward_breakdown["final_score"] == pytest.approx(float(weeks.final_score(1.0)[0]))
        assert env.state().done


def test_the_person_is_hidden_until_the_end(url: str) -> None:
    from lab.environments.openenv.client import RhythmEnv
    from lab.environments.openenv.models import RhythmAction

    weeks = begin([7])
    hidden = [*belief_target(weeks.people)[:, 0], *weeks.people.weights[:, 0]]
    with RhythmEnv(base_url=url).sync() as env:
        said = [env.reset(seed=7).observation.model_dump_json()]
        for step in range(27):
            said.append(env.step(RhythmAction(action_type=ACTIONS[step % 4])).observation.model_dump_json())
            said.append(env.state().model_dump_json())
    text = "".join(said)
    assert not any(f"{float(x):.9f}" in text for x in hidden)
    for path in ("/state", "/metadata", "/schema"):
        assert "weights" not in json.dumps(requests.get(url + path, timeout=10).json())


def test_a_named_person_and_an_unknown_action(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    with GenericEnvClient(base_url=url).sync() as env:
        env.reset(seed=1, profile_mode="discrete", profile="workaholic_stoic")
        first = env.step({"action_type": "deep_work"})
        assert first.reward == pytest.approx(1.599, abs=0.15)  # with the bias everybody has
        with pytest.raises(Exception, match="VALIDATION_ERROR"):
            env.step({"action_type": "fly"})
        assert env.step({"action_type": "sleep"}).observation["timestep"] == 2  # the session survives
