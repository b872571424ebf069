"""Files that other people wrote of this app come to what a plain look at them comes to."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import installation
from bridge.config import load
from bridge.ingest import runs
from bridge.store import Store
from tests.samples import PLACE, sample
from tests.world import NOW

FOLDER = "health_auto_export"
FILES = sorted(str(place.relative_to(PLACE)) for place in (PLACE / FOLDER).rglob("*.json"))
TOTALS = {"step_count": "steps", "active_energy": "active_energy"}
FACTORS = {"kJ": 1 / 4.184}


def parts(found: Any, name: str = "", unit: str = "") -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Everything in a document that may be a point or a workout, with the metric it stands under."""
    if isinstance(found, list):
        for one in found:
            yield from parts(one, name, unit)
    elif isinstance(found, dict):
        inner = found.get("data")
        own = str(found.get("metric") or found.get("name") or name).lower().replace(" ", "_")
        units = str(found.get("units") or found.get("unit") or unit)
        if isinstance(inner, list):
            yield from parts(inner, own, units)
        elif {"start", "end", "date", "startDate", "sleepStart", "totalSleep"} & found.keys():
            yield own if "name" in found or "metric" in found else name, units, found
        else:
            for key, one in found.items():
                yield from parts(one, key if isinstance(one, dict) and key != "data" else name, units)


def moment(value: Any) -> datetime:
    if isinstance(value, int | float):
        return datetime(2001, 1, 1, tzinfo=UTC) + timedelta(seconds=int(value))
    return datetime.fromisoformat(value.replace(" +", "+").replace(" -", "-"))


def plainly(document: Any) -> dict[str, Any]:
    """Totals per printed date, quarters of an hour with a heart rate, and how many nights and workouts."""
    totals: dict[tuple[str, str], float] = defaultdict(float)
    quarters, nights, resting, workouts = set(), set(), 0, 0
    for name, unit, point in parts(document):
        if "duration" in point or ("heartRateData" in point and "start" in point):
            workouts += 1
        elif ("sleepStart" in point or "startDate" in point) and not name.startswith("heart"):
            nights.add(point.get("sleepStart") or point["startDate"])
        elif name in TOTALS:
            totals[TOTALS[name], point["date"][:10]] += point["qty"] * FACTORS.get(unit, 1)
        elif name == "resting_heart_rate":
            resting += 1
        elif "Avg" in point or name == "heart_rate":
            quarters.add(int(moment(point.get("date") or point["start"]).timestamp()) // 900)
    return {
        "totals": dict(totals),
        "quarters": len(quarters),
        "resting": resting,
        "nights": len(nights),
        "workouts": workouts,
    }


def imported(place: Path) -> tuple[dict[str, Any], str]:
    store = Store("sqlite://")
    try:
        bridge, user = (
            installation.Bridge(settings=load(), store=store),
            store.people.add_user("ana", "Europe/Berlin", now=NOW),
        )
        (outcome,) = runs.import_path(bridge, user, place, at=NOW).outcomes
        long_ago = date(2001, 1, 1)
        samples = [s for _, s in store.reading.samples(user.id, since=long_ago)]
        kinds = [e.kind for _, e in store.reading.episodes(user.id, since=long_ago)]
    finally:
        store.close()
    found = {
        "totals": {(str(s.metric), s.day.isoformat()): s.value for s in samples if s.metric in TOTALS.values()},
        "quarters": sum(s.metric == "heart_rate" for s in samples),
        "resting": sum(s.metric == "resting_hr" for s in samples),
        "nights": sum(kind != "workout" for kind in kinds),
        "workouts": sum(kind == "workout" for kind in kinds),
    }
    return found, outcome.outcome


@pytest.mark.parametrize("path", FILES or [f"{FOLDER}/none.json"])
def test_a_sample_comes_to_what_is_plainly_in_it(path: str) -> None:
    place = sample(path)
    found, outcome = imported(place)
    wanted = plainly(json.loads(place.read_text(encoding="utf-8")))
    assert outcome == "ok"
    assert found.pop("totals") == pytest.approx(wanted.pop("totals"))
    assert found == wanted
