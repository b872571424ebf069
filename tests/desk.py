"""A user in Berlin who imports files of a source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bridge import installation
from bridge.config import load
from bridge.domain.types import Outcome
from bridge.ingest import runs
from bridge.store import Store
from tests.world import NOW, contents


class Desk:
    """A user, with a folder for the files to import and the source they belong to."""

    def __init__(self, store: Store, folder: Path, source: str) -> None:
        self.store, self.folder, self.source = store, folder, source
        self.bridge = installation.Bridge(settings=load(), store=store)
        store.people.add_user("ana", "Europe/Berlin", now=NOW)

    def imported(self, place: Path) -> Outcome:
        found = runs.import_path(self.bridge, self.store.people.user("ana"), place, at=NOW).outcomes
        return next(outcome for outcome in found if outcome.source == self.source)

    def give(self, name: str, text: str) -> Outcome:
        place = self.folder / name
        place.write_text(text, encoding="utf-8")
        return self.imported(place)

    def held(self) -> dict[str, list[Any]]:
        return contents(self.store, self.store.people.user("ana"))

    def of(self, metric: str) -> dict[str, float]:
        return {one["day"]: one["value"] for one in self.held()["samples"] if one["metric"] == metric}
