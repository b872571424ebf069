"""A recording of an account lands the same without the network: lists by address, sums of days by their order."""

from __future__ import annotations

from pathlib import Path

import pytest

from bridge import installation
from bridge.config import load
from bridge.recordings import replay
from tests.world import KEY, World


def test_a_recording_lands_what_the_account_held(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRIDGE_KEY", KEY)
    for name, value in world.vendor.settings(world.server.url).items():
        monkeypatch.setenv(f"BRIDGE_GOOGLE_HEALTH_{name}".upper(), value)
    bridge = installation.Bridge(settings=load(), store=world.store)
    bridge.account(world.connection, world.spec).save_token(world.vendor.grant())
    assert world.sync().outcome == "ok"
    (recorded,) = replay.record(bridge, world.user, tmp_path / "kept", at=world.now)
    assert recorded.outcome == "ok"
    result = replay.replay(tmp_path / "kept")["landed"]["google_health"]
    assert result["outcome"] == "ok"
    assert recorded.new == len(world.records())
    assert result["new"] == recorded.new
