"""``python -m bridge.lab.life FOLDER DAY [DAYS]``: the demo person's days up to a morning, as an export."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from bridge import app, archive
from bridge.lab.demo import NAME, ZONE, Visitor, stage


class _Agreeing:
    """A person who agrees to everything, and has no keys to type."""

    def open(self, url: str) -> None:
        Visitor().open(url)

    def paste(self) -> str | None:
        return None

    def ask(self, question: str) -> str | None:  # noqa: ARG002 - the port's shape
        return sys.stdin.readline().strip() or None


def live(folder: Path, day: date, *, days: int = 75, seed: int = 7) -> None:
    """Connect, import and sync everything as the demo does, then write what came of it into ``folder``."""
    with stage(seed=seed, today=day, days=days) as (served, downloads), app.open_bridge() as bridge:
        person = bridge.store.add_user(NAME, ZONE, now=app.now())
        for source in served:
            app.connect(bridge, person, source, _Agreeing())
        for path in downloads:
            app.import_path(bridge, person, Path(path), at=app.now())
        app.sync_user(bridge, person, None, at=app.now())
        archive.write(bridge.store.dump(person.id), folder, "json")


if __name__ == "__main__":
    length = int(sys.argv[3]) if len(sys.argv) > 3 else 75
    live(Path(sys.argv[1]), date.fromisoformat(sys.argv[2]), days=length)
