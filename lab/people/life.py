"""Export the demo person's days up to a morning (``python -m lab.people.life FOLDER DAY [DAYS]``)."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from bridge import installation
from bridge.ingest import archive, connecting, runs
from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE
from lab.people.demo import Agreeing, stage


def live(folder: Path, day: date, *, days: int = 75, seed: int = 7) -> None:
    """Connect, import and sync the demo person's sources on ``day``, and export the result to ``folder``."""
    with stage(seed=seed, today=day, days=days) as (served, downloads), installation.open_bridge() as bridge:
        person = bridge.store.people.add_user(DEMO_USER, DEMO_ZONE, now=installation.now())
        for source in served:
            connecting.connect(bridge, person, connecting.NewConsent(source=source), Agreeing())
        for path in downloads:
            runs.import_path(bridge, person, Path(path), at=installation.now())
        runs.sync_user(bridge, person, None, at=installation.now())
        archive.write(bridge.store.exports.dump(person.id), folder, "json")


if __name__ == "__main__":
    length = int(sys.argv[3]) if len(sys.argv) > 3 else 75
    live(Path(sys.argv[1]), date.fromisoformat(sys.argv[2]), days=length)
