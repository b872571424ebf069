"""Follow lists of tasks, or calendars, of an account, whose cursor maps each list to where its changes go on."""

from __future__ import annotations

import json

from bridge.domain.types import Covers, Page


def dropped(stream: str, name: str, places: dict[str, str]) -> Page:
    """Return the page that deletes what a list held that is gone, and take it out of the cursor's ``places``."""
    places.pop(name, None)
    cursor = json.dumps(places, sort_keys=True)
    return Page(stream=stream, records=(), cursor=cursor, covers=Covers(prefix=f"{name}/"))
