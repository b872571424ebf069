"""The body of the shortcut in ``docs/sources/apple_health.md`` lands whole."""

from __future__ import annotations

import re
from pathlib import Path

from bridge.domain.types import Episode, EpisodeKind
from connectors.apple.auto_export import files
from tests.health_auto_export.reading import landed
from tests.pushed import Body, values

PAGE = Path(__file__).parents[2] / "docs" / "sources" / "apple_health.md"
EXAMPLE = re.compile(r"```json\n(.*?)```", re.DOTALL)


def test_the_shortcuts_example_is_taken_and_read() -> None:
    (example,) = EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))
    body = Body(example.encode())
    files.receive({}, body)
    items = landed(body)
    assert values(items, "steps") == {"2026-11-17": 8421}
    assert values(items, "resting_hr") == {"2026-11-17": 57}
    assert values(items, "hrv_sdnn") == {"2026-11-18": 48}
    (night,) = [item for item in items if isinstance(item, Episode)]
    assert (night.kind, night.day.isoformat()) == (EpisodeKind.SLEEP, "2026-11-18")
    assert night.values["asleep"] == 430
    assert landed(body, body) == items
