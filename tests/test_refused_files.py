"""What a first import refused, a second never calls ok; rows are read one by one; a newer reader reads again."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import lab
from bridge import installation, registry
from bridge.config import load
from bridge.domain.errors import SetupError
from bridge.domain.ports import Recognised
from bridge.ingest import runs
from bridge.store import Store
from connectors.oura import files as oura_files
from connectors.whoop import export
from tests.desk import Desk
from tests.world import NOW, filed

WHOOP = lab.fixtures("whoop") / "export"


def cut(content: bytes) -> bytes:
    return content[: len(content) * 2 // 3]


def undated(content: bytes) -> bytes:
    """Every date spoilt, so that rows are found and none can be read."""
    return re.sub(rb"20\d\d-", b"last-", content)


def half_undated(content: bytes) -> bytes:
    return content[: len(content) // 3] + undated(content[len(content) // 3 :])


@pytest.mark.parametrize("damage", [cut, undated, half_undated])
@pytest.mark.parametrize(("source", "case"), filed())
def test_what_was_refused_is_refused_again(
    lite: Store, tmp_path: Path, source: str, case: str, damage: Callable[[bytes], bytes]
) -> None:
    shutil.copytree(lab.fixtures(source) / case, tmp_path / "export")
    for place in (tmp_path / "export").rglob("*.*"):
        if place.is_file():
            place.write_bytes(damage(place.read_bytes()))
    bridge = installation.Bridge(settings=load(), store=lite)
    user = lite.people.add_user("ana", "Europe/Berlin", now=NOW)

    def imported() -> dict[str, list[str]]:
        try:
            found = runs.import_path(bridge, user, tmp_path / "export", at=NOW)
        except SetupError:
            return {}
        refused = [file for outcome in found.outcomes for file, _ in outcome.failed_files]
        return {"refused": sorted(refused), "not ok": sorted(o.source for o in found.outcomes if o.outcome != "ok")}

    assert imported() == imported()


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> Desk:
    return Desk(store, tmp_path, "whoop")


def rows_of(name: str) -> list[str]:
    return (WHOOP / name).read_text(encoding="utf-8").splitlines()


def test_a_third_of_unreadable_rows_costs_only_these(desk: Desk) -> None:
    header, *rows = rows_of("workouts.csv")
    bad = [row.replace("2026-", "in the year 2026-") for row in rows[: len(rows) // 3]]
    text = "\n".join([header, *rows[len(bad) :], *bad])
    first, second = (desk.give("workouts.csv", text) for _ in range(2))
    assert (first.outcome, first.set_aside, first.new) == ("ok", len(bad), len(rows))
    assert (second.outcome, second.set_aside, second.new, second.updated) == ("ok", len(bad), 0, 0)
    assert len(desk.held()["episodes"]) == len(rows) - len(bad)


def test_a_file_that_no_row_of_is_read_says_so_each_time(desk: Desk) -> None:
    header, *rows = rows_of("workouts.csv")
    text = "\n".join([header, *(row.replace("2026-", "in the year 2026-") for row in rows)])
    outcomes = [desk.give("workouts.csv", text) for _ in range(3)]
    assert {outcome.outcome for outcome in outcomes} == {"failed"}
    assert all("look for a newer release" in outcome.failed_files[0][1] for outcome in outcomes)
    assert all("sync" not in str(outcome.skipped_because) for outcome in outcomes)


def test_a_newer_reader_reads_what_an_older_one_could_not(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(shutil.copy(WHOOP / "workouts.csv", desk.folder))
    monkeypatch.setattr(export, "read", lambda _file, zone, settings: iter(()))  # noqa: ARG005 - the port's name
    older = desk.imported(place)
    monkeypatch.undo()
    monkeypatch.setattr(registry, "reader_version", lambda source: f"newer {source}")
    newer, again = (desk.imported(place) for _ in range(2))
    assert (older.outcome, older.new, newer.new > 0, again.new) == ("ok", 0, True, 0)


def test_the_version_of_a_reader_follows_from_its_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {source: registry.reader_version(source) for source in ("whoop", "oura", "apple_health")}
    assert len({*versions.values()}) == len(versions)
    assert versions["whoop"] == registry.reader_version.__wrapped__("whoop")
    copied = shutil.copytree(Path(export.__file__).parent, tmp_path / "whoop")
    (copied / "export.py").write_text("read = None\n", encoding="utf-8")
    monkeypatch.setattr(registry.resources, "files", lambda _: copied)
    assert registry.reader_version.__wrapped__("whoop") != versions["whoop"]


def test_the_count_of_files_is_true(desk: Desk) -> None:
    for name in ("physiological_cycles.csv", "sleeps.csv", "workouts.csv"):
        header, *rows = rows_of(name)
        odd = [row.replace("2026-", "in the year 2026-") for row in rows * 20]
        (desk.folder / name).write_text("\n".join([header, *odd]), encoding="utf-8")
    outcome = desk.imported(desk.folder)
    assert str(outcome.skipped_because) == "3 files were not read whole"
    assert len(outcome.failed_files) == 3


def test_the_surest_source_gets_a_file_and_a_tie_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Path(shutil.copy(WHOOP / "workouts.csv", desk.folder))

    def others_claim(sure: float) -> None:
        monkeypatch.setattr(oura_files, "recognise", lambda _: Recognised(sure, "it looks like a ring's"))

    others_claim(0.9)
    assert desk.imported(place).outcome == "ok"
    others_claim(1.0)
    user = desk.store.people.user("ana")
    for _ in range(2):
        tied = runs.import_path(desk.bridge, user, place, at=NOW)
        ((_, reason),) = ((file.path, file.reason) for file in tied.unreadable)
        assert (tied.outcomes, "oura (it looks like a ring's) or whoop" in reason) == ([], True)
        assert "--source" in reason
    (named,) = runs.import_path(desk.bridge, user, place, at=NOW, source="whoop").outcomes
    assert (named.source, named.outcome) == ("whoop", "ok")


@pytest.mark.parametrize(("steps", "outcome"), [([{"count": 10}], "failed"), (None, "ok")])
def test_a_few_unreadable_rows_of_a_document_refuse_none_of_the_rest(
    store: Store, tmp_path: Path, steps: list[dict[str, int]] | None, outcome: str
) -> None:
    """Rows make records of days: three lists of Health Connect with a bad row each are not more than a day of steps."""
    row = {"count": 800, "start_time": "2026-11-18T08:00:00Z", "end_time": "2026-11-18T09:00:00Z"}
    bad = {"heart_rate": [{"bpm": "x"}], "distance": [{}], "sleep": [{}]}
    document = {"timestamp": "2026-11-19T08:00:00Z", "app_version": "1", "steps": steps or [row], **bad}
    hand = Desk(store, tmp_path, "health_connect")
    outcomes = [hand.give("day.json", json.dumps(document)).outcome for _ in range(2)]
    assert (outcomes, hand.of("steps")) == ([outcome] * 2, {"2026-11-18": 800} if outcome == "ok" else {})
