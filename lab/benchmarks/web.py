"""Measure views of the web page with a year of data, beside a static file (``python -m lab.benchmarks.web``)."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import requests

from bridge import config, installation
from bridge.advice import recommend
from bridge.domain.records import Feedback, FullRecommendation, User
from bridge.domain.slots import moment_at, slot_bounds
from bridge.ingest import archive
from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE, last_morning
from bridge.store import Store
from bridge.web.server import create
from lab.web_server import running
from rhythm_env.interface import ActionType, Answer

PATHS = (
    "/static/style.css",
    "/",
    "/trends?weeks=52",
    "/belief",
    "/connections",
    "/api/v1/today",
    "/api/v1/trends?weeks=52",
)
DAYS, TIMES = 365, 100


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The cost of views in milliseconds of the server's CPU time, also of the ``first`` view, and of wall time."""

    path: str
    first: float
    median: float
    p95: float
    wall_p95: float
    bytes: int


def year(folder: Path, days: int = DAYS) -> tuple[installation.Bridge, User]:
    """Return an installation in ``folder`` with the demo person and ``days`` days of data."""
    morning = last_morning(installation.now()).date().isoformat()
    command = [sys.executable, "-m", "lab.people.life", str(folder / "life"), morning, str(days)]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own module
    settings = replace(config.load(), folder=folder, database=f"sqlite:///{folder / 'bridge.db'}")
    bridge = installation.Bridge(settings=settings, store=Store(settings.database))
    user = bridge.store.people.add_user(DEMO_USER, DEMO_ZONE, now=installation.now())
    bridge.store.exports.restore(user.id, archive.read(folder / "life"))
    advised(bridge, user, days)
    return bridge, bridge.store.people.user(DEMO_USER)


def advised(bridge: installation.Bridge, user: User, days: int) -> None:
    """Add three recommendations with feedback per day, with drifting beliefs. All hold the present observation."""
    now, rng = installation.now(), random.Random(1)
    seen, _ = recommend.build_observation(bridge, user, at=now)
    observation, current = seen.to_json(), moment_at(now, user.zones)
    belief = [0.5, 0.5, 0.5]
    with bridge.store.transaction():
        for moment in (current.shifted(-step) for step in range(4 * days, 0, -1) if (current.timestep - step) % 4 < 3):
            belief = [min(max(x + rng.gauss(0, 0.02), 0.0), 1.0) for x in belief]
            start, end = slot_bounds(moment, user.zones)
            kept = bridge.store.recommendations.add(
                FullRecommendation(
                    id=0,
                    user_id=user.id,
                    moment=moment,
                    action=rng.choice(list(ActionType)),
                    policy="planner@3",
                    belief=dict(zip(("social", "morning", "work"), belief, strict=True)),
                    belief_sd=(0.1, 0.15, 0.1),
                    scores={},
                    probabilities={},
                    facts=(),
                    observation=observation,
                    created_at=start,
                    expires_at=end,
                )
            )
            bridge.store.recommendations.save_feedback(
                kept.id, Feedback(answer=rng.choice(list(Answer)), answered_at=start)
            )


@contextmanager
def listening(bridge: installation.Bridge) -> Iterator[str]:
    with running(create(bridge)) as port:
        yield f"http://127.0.0.1:{port}"


def cost(url: str, path: str, times: int = TIMES, between: Callable[[], None] = lambda: None) -> Cost:
    """Measure ``times`` views of a page after a first view. ``between`` runs before each view."""
    session = requests.Session()
    first, _, size = _view(session, url + path)
    views = []
    for _ in range(times):
        between()
        views.append(_view(session, url + path))
    spent, passed = sorted(view[0] for view in views) or [first], sorted(view[1] for view in views) or [first]
    last = len(spent) * 95 // 100
    return Cost(
        path=path, first=first, median=spent[len(spent) // 2], p95=spent[last], wall_p95=passed[last], bytes=size
    )


def _view(session: requests.Session, address: str) -> tuple[float, float, int]:
    """Return the server's CPU milliseconds, wall milliseconds and bytes of a view."""
    cpu, client, wall = time.process_time(), time.thread_time(), time.perf_counter()
    answer = session.get(address, timeout=300)
    answer.raise_for_status()
    spent = time.process_time() - cpu - (time.thread_time() - client)
    return 1000 * spent, 1000 * (time.perf_counter() - wall), len(answer.content)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--times", type=int, default=TIMES)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-bench-") as folder:
        bridge, _ = year(Path(folder), asked.days)
        with listening(bridge) as url:
            requests.get(f"{url}/advice", timeout=120).raise_for_status()  # the slot's advice is there from now on
            costs = [cost(url, path, asked.times) for path in PATHS]
        bridge.store.close()
    print(f"{'address':24} {'median':>9} {'p95':>9} {'wall p95':>9} {'bytes':>8}  x a plain file")
    for one in costs:
        ratio = one.median / costs[0].median
        print(f"{one.path:24} {one.median:6.1f} ms {one.p95:6.1f} ms {one.wall_p95:6.1f} ms {one.bytes:8}  {ratio:.1f}")


if __name__ == "__main__":
    main()
