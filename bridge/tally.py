"""What has landed so far in one sync or import, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from bridge.ports import Landing
from bridge.types import Page


@dataclass(slots=True)
class Tally:
    """What has landed so far in one sync."""

    outcomes: Counter[str] = field(default_factory=Counter)
    streams: Counter[str] = field(default_factory=Counter)
    aside: Counter[tuple[str, str]] = field(default_factory=Counter)  # (stream or what the file calls it, reason)
    items: Counter[str] = field(default_factory=Counter)

    def add(self, page: Page, landings: list[Landing]) -> None:
        self.streams[page.stream] += len(page.records)
        for landing in landings:
            self.outcomes[landing.outcome] += 1
            self.items.update(landing.items)
            if landing.set_aside is not None:
                self.aside[page.stream, landing.set_aside] += 1
        self.aside.update(page.set_aside)

    def reasons(self) -> Counter[str]:
        """Why records were set aside; a reason names its source and stream, or it is named with what it is about."""
        found: Counter[str] = Counter()
        for (what, why), count in self.aside.items():
            found[why if "/" in why else f"{what}: {why}"] += count
        return found

    def by_kind(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for (what, why), count in self.aside.items():
            found.setdefault(what, {})[why] = count
        return found
