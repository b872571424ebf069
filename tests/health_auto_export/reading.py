"""The app's documents, written in a test and read as the connector reads them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bridge.domain.types import Episode, Item
from connectors.apple.auto_export import files
from connectors.apple.auto_export.normalise import normalise
from tests import pushed
from tests.pushed import Body


def body(*metrics: Any, workouts: Iterable[Any] = ()) -> Body:
    """Return the body that the app sends for these metrics and workouts."""
    return Body(json.dumps({"data": {"metrics": list(metrics), "workouts": list(workouts)}}).encode())


def metric(name: str, units: str | None, *points: Any) -> dict[str, Any]:
    return {"name": name, "units": units, "data": list(points)}


def landed(*bodies: Body, zone: str = "Europe/Berlin") -> list[Item]:
    """Return the items that several deliveries leave."""
    return pushed.landed(files.read, normalise, *bodies, zone=zone)


def episodes(items: Iterable[Item]) -> list[Episode]:
    return [item for item in items if isinstance(item, Episode)]
