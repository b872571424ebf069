"""Samsung Health's tables read by pandas alone, and what is imported of them held against that, cell by cell.

``python -m tests.samsung_health.independent FOLDER ZONE`` prints the table in ``docs/sources/samsung_health.md``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from bridge import installation
from bridge.config import load
from bridge.ingest import runs
from bridge.store import Store
from tests.fitbit.independent import Cells, Compared
from tests.world import NOW, contents

STAGES = {40001: "awake", 40002: "light_sleep", 40003: "deep_sleep", 40004: "rem_sleep"}
NEAR = 1e-6


def table(folder: Path, kind: str) -> pd.DataFrame:
    """The table whose first line names a kind, whatever its file is called."""
    for place in sorted(folder.rglob("*.csv")):
        with place.open(encoding="utf-8-sig") as file:
            if file.readline().partition(",")[0] == kind:
                found = pd.read_csv(place, skiprows=1, index_col=False, encoding="utf-8-sig", dtype=str)
                return found.rename(columns=lambda name: str(name).rpartition(".")[2])
    return pd.DataFrame()


def seconds(times: pd.Series) -> pd.Series:
    return pd.to_datetime(times, format="ISO8601", utc=True).map(lambda at: at.timestamp())


def by_pandas(folder: Path) -> Cells:
    return {**dict(sleeps(folder)), **dict(steps(folder)), **dict(workouts(folder)), **dict(rates(folder))}


def sleeps(folder: Path) -> Iterator[tuple[tuple[str, ...], float]]:
    told = table(folder, "com.samsung.shealth.sleep")
    for key, start, end in zip(told["datauuid"], seconds(told["start_time"]), seconds(told["end_time"]), strict=True):
        yield ("sleep start", key), start
        yield ("sleep end", key), end
    stages = table(folder, "com.samsung.health.sleep_stage")
    lengths = (seconds(stages["end_time"]) - seconds(stages["start_time"])) / 60
    minutes = lengths.groupby([stages["sleep_id"], stages["stage"].astype(int)]).sum()
    for (key, stage), value in minutes.items():
        yield (f"sleep {STAGES[stage]}", str(key)), float(value)


def steps(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    told = table(folder, "com.samsung.shealth.step_daily_trend")
    told = told.assign(
        count=told["count"].astype(float), day=pd.to_datetime(told["day_time"].astype("int64"), unit="ms")
    )
    merged = told[told["source_type"] == "-2"].groupby("day")["count"].max()
    devices = told[told["source_type"] != "-2"].groupby("day")["count"].max()
    for day, value in merged.combine_first(devices).items():
        if value > 0:
            yield ("steps", str(pd.Timestamp(str(day)).date())), value


def workouts(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    told = table(folder, "com.samsung.shealth.exercise")
    columns = {"start": seconds(told["start_time"]), "end": seconds(told["end_time"])}
    names = {"distance": "distance", "calorie": "total_energy", "mean_heart_rate": "heart_rate"}
    columns |= {ours: told[theirs].astype(float) for theirs, ours in names.items()}
    for name, values in columns.items():
        for key, value in zip(told["datauuid"], values, strict=True):
            if value > 0:
                yield (f"workout {name}", key), value


def rates(folder: Path) -> Iterator[tuple[tuple[str, str], float]]:
    told = table(folder, "com.samsung.shealth.tracker.heart_rate")
    times = pd.to_datetime(told["start_time"], format="ISO8601", utc=True)
    means = told["heart_rate"].astype(float).groupby(times.dt.floor("15min")).mean()
    yield from ((("heart_rate", at.isoformat()), value) for at, value in means.items())


def by_bridge(folder: Path, zone: str) -> Cells:
    """Return the bridge's cells after an import. Check that a second import finds nothing new."""
    store = Store("sqlite://")
    bridge = installation.Bridge(settings=load(), store=store)
    user = store.people.add_user("ana", zone, now=NOW)
    runs.import_path(bridge, user, folder, at=NOW)
    again = next(o for o in runs.import_path(bridge, user, folder, at=NOW).outcomes if o.source == "samsung_health")
    assert (again.new, again.updated, again.deleted) == (0, 0, 0)
    held, cells = contents(store, user), {}
    for one in held["samples"]:
        if one["metric"] in ("steps", "heart_rate"):
            cells[one["metric"], one["start" if one["metric"] == "heart_rate" else "day"]] = one["value"]
    for one in held["episodes"]:
        told = {**one["values"], **{end: pd.Timestamp(one[end]).timestamp() for end in ("start", "end")}}
        kind = "workout" if one["kind"] == "workout" else "sleep"
        wanted = ("start", "end", "distance", "total_energy", "heart_rate", *STAGES.values())
        staged = one["values"].get("light_sleep") is not None or kind == "workout"
        for name, value in told.items():
            if name in wanted and (value or name in ("start", "end")) and (staged or not name.endswith("_sleep")):
                cells[f"{kind} {name}", one["key"]] = value
    store.close()
    return cells


def compared(folder: Path, zone: str) -> list[Compared]:
    """Each quantity's cells, by pandas and by the bridge."""
    ours, theirs = by_bridge(folder, zone), by_pandas(folder)
    found = []
    for what in sorted({cell[0] for cell in ours | theirs}):
        a, b = ({cell: value for cell, value in held.items() if cell[0] == what} for held in (ours, theirs))
        equal = sum(abs(a[cell] - b[cell]) <= max(NEAR, NEAR * abs(b[cell])) for cell in a.keys() & b.keys())
        different = len(a.keys() & b.keys()) - equal
        missing = {"only_pandas": len(b.keys() - a.keys()), "only_bridge": len(a.keys() - b.keys())}
        found.append(Compared(what=what, equal=equal, different=different, **missing))
    return found


if __name__ == "__main__":
    print("| what | equal | different | only pandas | only the bridge |\n|---|---|---|---|---|")
    for line in compared(Path(sys.argv[1]), sys.argv[2]):
        print(f"| {line.what} | {line.equal} | {line.different} | {line.only_pandas} | {line.only_bridge} |")
