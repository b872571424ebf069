"""Our discovery message against Home Assistant's own schemas, in its own environment (``make test-home-assistant``)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from bridge.daemon.mqtt import entities, link
from bridge.domain.records import User

THEIRS = os.environ.get("HOME_ASSISTANT_PYTHON", "")
NAMES = link.Names(node="rhythm_bridge", discovery="homeassistant")


@pytest.mark.skipif(not THEIRS, reason="Home Assistant is not installed; make test-home-assistant has it")
@pytest.mark.parametrize("url", [None, "https://bridge.example.org"])
def test_home_assistant_takes_every_field(url: str | None) -> None:
    message = json.dumps(entities.discovery(NAMES, User(id=1, name="ana", zones=()), url))
    script = Path(__file__).with_name("discovery_schemas.py")
    done = subprocess.run([THEIRS, script], input=message, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    unknown = json.loads(done.stdout)["unknown"]
    assert unknown == {name: [] for name in json.loads(message)["components"]}


def test_each_topic_of_discovery_is_one_that_home_assistant_listens_to() -> None:
    device = NAMES.device(User(id=1, name="ana", zones=()))
    assert NAMES.config(device).split("/") == ["homeassistant", "device", device, "config"]
    assert device.isascii()
    assert device.replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("topic", "ours"),
    [
        ("homeassistant/device/rhythm_bridge_0123456789ab/config", True),
        ("homeassistant/device/rhythm_bridge_2_0123456789ab/config", False),
        ("homeassistant/device/rhythm_bridge_0123456789ab/other", False),
        ("homeassistant/device/kettle/config", False),
        ("rhythm_bridge/rhythm_bridge_0123456789ab/vitality", True),
        ("rhythm_bridge_2/x", False),
    ],
)
def test_what_belongs_to_others_is_theirs(topic: str, ours: bool) -> None:
    assert NAMES.is_ours(topic) is ours
