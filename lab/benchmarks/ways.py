"""Measure a recommendation on the recorded demo life. Run ``python -m lab.benchmarks.ways``.

The measured recommendation is the first of a slot, in a process with modules loaded and caches empty. Its own part is
CPU time, function calls and our files that are entered, less those of the observation.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import cProfile
import gc
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from statistics import median
from time import process_time
from zoneinfo import ZoneInfo

from bridge import config
from bridge.advice import requests
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import build_observation
from bridge.domain.ports import Invitation
from bridge.domain.records import Silence, User
from bridge.installation import Bridge
from bridge.recordings.recorded_life import DEMO_TIME, DEMO_USER, DEMO_ZONE, environment, land, sources
from bridge.store import Store
from lab.benchmarks.subjects import forget

ROOT = Path(__file__).parents[2]
RUNS = 15
MOST = {"ms": 40.0, "calls": 40_000, "files": 25}  # of a recommendation beyond the observation
FRIDAY = datetime.combine(datetime(2026, 11, 27), DEMO_TIME, ZoneInfo(DEMO_ZONE))  # noqa: DTZ001 - combined with a zone
LOOK = FRIDAY + timedelta(hours=4)  # a free hour: within an entry nothing is recommended
OURS = ("bridge", "connectors", "classifiers", "policies", "rhythm_env")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Milliseconds of CPU, calls of Python functions, and the product's files in which functions were called."""

    ms: float
    calls: int
    files: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A database with the recorded demo life, which is copied for each measurement."""

    folder: Path
    original: Path

    @contextmanager
    def opened(self) -> Iterator[tuple[Bridge, User]]:
        """Open a copy of the database, with the classifier and a connection. The copy is deleted at the end."""
        copy = Path(shutil.copy(self.original, self.folder / "copy.db"))
        store = Store(f"sqlite:///{copy}")
        bridge = Bridge(settings=config.load(), store=store)
        user = store.people.user(DEMO_USER)
        bridge.classifier.classify([Invitation(title="Run")])
        yield bridge, user
        store.close()
        copy.unlink()


@contextmanager
def stage() -> Iterator[Stage]:
    """Import the recorded life as of a Friday morning, in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-ways-") as name:
        folder = Path(name)
        with environment({"BRIDGE_HOME": name, "BRIDGE_NOW": FRIDAY.isoformat()}):
            with closing(Store(f"sqlite:///{folder / 'life.db'}")) as store:
                bridge = Bridge(settings=config.load(), store=store)
                user = store.people.add_user(DEMO_USER, DEMO_ZONE, now=FRIDAY - timedelta(days=90))
                for source in sources():
                    land(bridge, user, source, at=FRIDAY)
            yield Stage(folder=folder, original=folder / "life.db")


Look = Callable[[Bridge, User], object]


def observe(bridge: Bridge, user: User) -> object:
    return build_observation(bridge, user, at=LOOK)


def recommend(bridge: Bridge, user: User) -> object:
    advice = requests.recommend(bridge, user, now=LOOK)
    if isinstance(advice, Silence):
        raise SystemExit("nothing is recommended at this time, so that nothing can be measured; choose another: LOOK")
    return advice


def plan(bridge: Bridge, user: User) -> object:
    return plan_day(bridge, user, None, now=LOOK)


def measured(on: Stage, looks: Sequence[Look]) -> dict[str, Way]:
    """Return the cost of each function by name, with the median time of RUNS alternating runs with empty caches."""
    rounds = [[_spent(on, look) for look in looks] for _ in range(RUNS + 1)][1:]
    times = (median(of) for of in zip(*rounds, strict=True))
    return {look.__name__: _counted(on, look, ms) for look, ms in zip(looks, times, strict=True)}


def _counted(on: Stage, look: Look, ms: float) -> Way:
    profile = cProfile.Profile()
    with on.opened() as (bridge, user):
        forget()
        profile.runcall(look, bridge, user)
    called = [(one.code, one.callcount) for one in profile.getstats() if not isinstance(one.code, str)]
    names = {code.co_filename for code, _ in called}
    ours = {str(Path(name).relative_to(ROOT)) for name in names if Path(name).is_relative_to(ROOT)}
    files = frozenset(name for name in ours if name.split("/")[0] in OURS)
    return Way(ms=ms, calls=sum(count for _, count in called), files=files)


def _spent(on: Stage, look: Look) -> float:
    with on.opened() as (bridge, user):
        forget()
        gc.collect()  # what earlier looks left
        begun = process_time()
        look(bridge, user)
        return 1000 * (process_time() - begun)


def beyond(way: Way, base: Way) -> dict[str, float]:
    """Return the cost of ``way`` less that of ``base``."""
    return {"ms": way.ms - base.ms, "calls": way.calls - base.calls, "files": len(way.files - base.files)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--files", action="store_true")
    asked = parser.parse_args()
    with stage() as on:
        found = measured(on, (observe, recommend, plan))
    more = beyond(found["recommend"], found["observe"])
    if asked.json:
        rows = {name: {"ms": way.ms, "calls": way.calls, "files": len(way.files)} for name, way in found.items()}
        print(json.dumps({**rows, "beyond": more, "most": MOST}))
        return
    for name, way in found.items():
        print(f"{name:12} {way.ms:7.1f} ms of CPU {way.calls:9,} calls {len(way.files):4} files")
    print(
        "beyond the observation: " + ", ".join(f"{more[name]:,.0f} {name} (at most {MOST[name]:,.0f})" for name in MOST)
    )
    if asked.files:
        print("\n".join(sorted(found["recommend"].files - found["observe"].files)))


if __name__ == "__main__":
    main()
