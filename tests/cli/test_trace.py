"""``bridge trace`` and ``bridge status``: where a row comes from, and how each connection is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bridge.cli import app as cli
from bridge.domain.errors import SetupError
from bridge.store import Store
from tests.world import NOW, World, later, living

Run = Callable[..., Any]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    url = f"sqlite:///{tmp_path / 'bridge.db'}"
    monkeypatch.setenv("BRIDGE_DATABASE", url)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with closing(Store(url)) as store, living(store, "whoop", "week") as world:
        world.sync()
        yield world


@pytest.fixture
def run(world: World, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Any:
        capsys.readouterr()
        assert not cli([*arguments], standalone_mode=False)
        printed = capsys.readouterr().out
        return json.loads(printed) if "--json" in arguments else printed

    return run


def test_from_the_day_to_the_record(run: Run) -> None:
    day = run("trace", "--user", "ana", "--metric", "hrv_rmssd", "--json")
    assert [(row["metric"], row["unit"], row["source"]) for row in day] == [("hrv_rmssd", "ms", "whoop")]
    number = str(day[0]["sample"])
    found = run("trace", "--sample", number, "--json")
    assert (found["kind"], found["id"], found["value"]) == ("sample", int(number), day[0]["value"])
    assert (found["source"], found["stream"], found["device"]) == ("whoop", "recovery", None)
    assert found["record"]["payload"]["score"]["hrv_rmssd_milli"] == pytest.approx(found["value"])
    assert found["normaliser"] == {"name": "connectors.whoop.normalise:normalise", "version": 2, "newest": 2}
    assert (found["connection"]["name"], found["user"]) == ("whoop", "ana")
    assert run("trace", "--sample", found["key"], "--json") == found
    told = run("trace", "--sample", number, "--raw")
    for words in (f"sample {number}", "recovery/", "sleep/", "version 2", "connection whoop of ana", '"score"'):
        assert words in told


def test_nights_too_and_days_without_what_is_measured_all_day(run: Run) -> None:
    nights = run("trace", "--episode", "1", "--json")
    assert nights["of"] in {"sleep", "nap", "workout"}
    assert nights["record"]["key"] == nights["key"]
    told = run("trace", "--user", "ana", "--day", "2026-11-19")
    assert "resting_hr" in told
    assert "heart_rate " not in told


@pytest.mark.parametrize(
    "arguments",
    [("--sample", "none"), (), ("--sample", "1", "--task", "1"), ("--user", "ana", "--day", "soon")],
)
def test_mistakes_name_the_next_command(run: Run, arguments: tuple[str, ...]) -> None:
    with pytest.raises(SetupError, match=r"bridge trace|2026-11-20"):
        cli(["trace", *arguments], standalone_mode=False)


def test_status_says_how_old_the_newest_data_is_and_what_is_wrong(run: Run, world: World) -> None:
    (row,) = run("status", "--user", "ana", "--json")
    assert (row["source"], row["paused"], row["error"], row["next"]) == ("whoop", None, None, "")
    assert row["next_due"] > row["last_success"] > ""
    assert 0 <= row["lag_hours"] < 6
    assert (row["newest_day"], row["set_aside"]) == ("2026-11-20", 0)
    world.vendor.account["sleeps"][0]["nap"] = "perhaps"
    later(world, hours=1).sync()
    (row,) = run("status", "--user", "ana", "--json")
    assert row["set_aside_reasons"] == {"whoop/sleep: nap is neither true nor false": 1}
    world.vendor.revoke()
    later(world, hours=2).sync()
    (row,) = run("status", "--user", "ana", "--json")
    assert row["next"] == "bridge connect whoop --user ana"
    assert row["paused"] == row["error"]
    assert row["next_due"] is None
    told = run("status", "--user", "ana")
    assert "1 set aside, whoop/sleep: nap is neither true nor false" in told
    assert "h ago" in told
