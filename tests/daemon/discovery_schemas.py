"""Hold a discovery message on standard input against Home Assistant's own schemas. Run by its Python, not by ours.

Prints a line per entity with the fields that the schema does not know. A release that knows whole devices (2024.12 and
later) also checks the device around them.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any


def main() -> None:
    told = json.load(sys.stdin)
    schemas = importlib.import_module("homeassistant.components.mqtt.schemas") if _knows_devices() else None
    if schemas is not None:
        schemas.DEVICE_DISCOVERY_SCHEMA(told)
    print(json.dumps({"device": schemas is not None, "unknown": {**_unknown(told)}}))


def _knows_devices() -> bool:
    try:
        return hasattr(importlib.import_module("homeassistant.components.mqtt.schemas"), "DEVICE_DISCOVERY_SCHEMA")
    except ImportError:
        return False


def _unknown(told: dict[str, Any]) -> dict[str, list[str]]:
    """Return entity -> its fields that Home Assistant would drop. Raises for a field of a wrong kind."""
    found: dict[str, list[str]] = {}
    for name, one in told["components"].items():
        platform = importlib.import_module(f"homeassistant.components.mqtt.{one['platform']}")
        fields = {key: value for key, value in one.items() if key != "platform"}
        taken = platform.DISCOVERY_SCHEMA({**fields, "device": told["device"], "origin": told["origin"]})
        found[name] = sorted(set(fields) - set(taken))
    return found


if __name__ == "__main__":
    main()
