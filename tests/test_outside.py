"""Values that cannot be true: set aside with their reason, counted and shown, at every source by one mechanism."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bridge import installation
from bridge.config import load
from bridge.domain.metrics import METRICS, Metric
from bridge.domain.samples import quarter_hours, set_apart
from bridge.domain.types import Episode, EpisodeKind, Sample
from bridge.ingest import runs
from bridge.store import Store
from connectors.whoop.columns import TABLES
from tests.commands import bridge as run
from tests.world import NOW

START, END = datetime(2026, 9, 13, 22, tzinfo=UTC), datetime(2026, 9, 14, 5, tzinfo=UTC)
DAY = date(2026, 9, 14)


def nights(folder: Path, values: dict[str, float]) -> Path:
    """A WHOOP export with one night of these values by column."""
    named = {
        "Cycle start time": "2026-09-13 22:00:00",
        "Cycle end time": "2026-09-14 22:00:00",
        "Cycle timezone": "UTCZ",
        "Sleep onset": "2026-09-13 22:00:00",
        "Wake onset": "2026-09-14 05:00:00",
        **values,
    }
    place = folder / "physiological_cycles.csv"
    header = TABLES[0].columns
    cells = [str(named.get(column, "")) for column in header]
    place.write_text("\n".join([",".join(header), ",".join(cells)]), encoding="utf-8")
    return place


def columns(hrv: float, resting: float) -> dict[str, float]:
    return {"Heart rate variability (ms)": hrv, "Resting heart rate (bpm)": resting}


@pytest.mark.parametrize(("hrv", "resting"), [(251, 29), (314, 120), (3, 25)])
def test_athletes_and_the_sick_are_people(lite: Store, tmp_path: Path, hrv: float, resting: float) -> None:
    user = lite.people.add_user("ana", "UTC", now=NOW)
    bridge = installation.Bridge(settings=load(), store=lite)
    (outcome,) = runs.import_path(bridge, user, nights(tmp_path, columns(hrv, resting)), at=NOW).outcomes
    found = {sample.metric: sample.value for _, sample in lite.reading.samples(user.id)}
    assert (found[Metric.HRV_RMSSD], found[Metric.RESTING_HR], outcome.set_aside) == (hrv, resting, 0)


def test_what_cannot_be_true_is_counted_shown_and_kept(store: Store, tmp_path: Path) -> None:
    user = store.people.add_user("ana", "UTC", now=NOW)
    bridge = installation.Bridge(settings=load(), store=store)
    place = nights(tmp_path, columns(4000, 300))
    (outcome,) = runs.import_path(bridge, user, place, at=NOW).outcomes
    above = ("whoop/export_cycle: hrv_rmssd above 400 ms", "whoop/export_cycle: resting_hr above 180 bpm")
    assert (outcome.outcome, outcome.new, outcome.set_aside) == ("ok", 1, 2)
    assert outcome.reasons == tuple(f"{why} (1)" for why in above)
    (connection,) = store.connections.of_user(user.id)
    kept = [("export_cycle", why) for why in above]
    assert store.ingest.set_aside(connection.id) == kept
    (landing,) = runs.rebuild(bridge, user, None)["whoop"]
    assert landing.outside == above
    assert store.ingest.set_aside(connection.id) == kept
    nights(tmp_path, columns(40, 50))
    runs.import_path(bridge, user, place, at=NOW)
    assert store.ingest.set_aside(connection.id) == []


def test_the_import_and_the_status_say_so(tmp_path: Path) -> None:
    run("user", "add", "ana", "--zone", "UTC")
    place = nights(tmp_path, columns(4000, 50))
    told = run("import", str(place), "--user", "ana")
    assert "set aside, whoop/export_cycle: hrv_rmssd above 400 ms (1)" in told.stdout
    shown = run("status", "--user", "ana")
    assert "1 set aside, whoop/export_cycle: hrv_rmssd above 400 ms" in shown.stdout
    (row,) = json.loads(run("status", "--user", "ana", "--json").stdout)
    assert row["set_aside_reasons"] == {"whoop/export_cycle: hrv_rmssd above 400 ms": 1}


@pytest.mark.parametrize("metric", [m for m, spec in METRICS.items() if spec.low > 0])
@pytest.mark.parametrize("sentinel", [0, -1, -2])
def test_what_was_not_measured_is_missing_and_no_fault(metric: Metric, sentinel: float) -> None:
    assert list(quarter_hours(metric, [(0, sentinel)], offset=0)) == []


def test_one_reading_outside_does_not_cost_its_quarter_of_an_hour() -> None:
    readings = [(0.0, 60.0), (60.0, 70.0), (120.0, 999.0), (180.0, 999.0)]
    kept, outside = set_apart(list(quarter_hours(Metric.HEART_RATE, readings, offset=0)))
    assert [(s.value, s.count) for s in kept if isinstance(s, Sample)] == [(65.0, 2)]
    assert outside == ("heart_rate above 300 bpm",)


def test_one_figure_outside_does_not_cost_its_night() -> None:
    values = {Metric.ASLEEP: 400.0, Metric.SLEEP_EFFICIENCY: 8600.0}
    night = Episode(key="n", kind=EpisodeKind.SLEEP, start=START, end=END, day=DAY, values=values)
    (kept,), outside = set_apart([night])
    assert isinstance(kept, Episode)
    assert dict(kept.values) == {Metric.ASLEEP: 400.0}
    assert outside == ("sleep_efficiency above 100 %",)
