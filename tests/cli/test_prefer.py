"""``bridge prefer``, and what ``bridge trace`` says of a night that two sources recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lab
from bridge import installation, registry
from bridge.cli import app as cli
from bridge.domain.errors import SetupError
from bridge.recordings.server import LabServer
from bridge.store import Store
from tests.world import NOW, World, living, vendor_of

Run = Callable[..., Any]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """Ana with a week of two vendors, whose nights are at the same hours."""
    url = f"sqlite:///{tmp_path / 'bridge.db'}"
    monkeypatch.setenv("BRIDGE_DATABASE", url)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with closing(Store(url)) as store, living(store, "whoop", "week") as world:
        world.sync()
        made: Any = vendor_of("oura")(lab.account("oura", "week"))
        connection = store.connections.connect(world.user.id, "oura", "oura", now=NOW)
        with LabServer(made.application) as server:
            oura = replace(world, vendor=made, server=server, connection=connection, spec=registry.spec("oura"))
            oura.account.save_token(made.grant())
            assert oura.sync().outcome == "ok"
        yield world


@pytest.fixture
def run(world: World, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> Any:
        capsys.readouterr()
        assert not cli([*arguments, "--json"], standalone_mode=False)
        return json.loads(capsys.readouterr().out)

    return run


def test_the_usual_order_a_choice_and_back(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    before = run("prefer")
    assert (before["user"], before["chosen"]) == ("ana", [])
    assert [place["name"] for place in before["order"]] == ["oura", "whoop"]
    assert before["order"][0]["because"] == "measures the night's RMSSD, 6% off an electrocardiogram"
    chosen = run("prefer", "whoop", "whoop", "--user", "ana")
    assert chosen["chosen"] == ["whoop"]
    assert [(place["name"], place["chosen"]) for place in chosen["order"]] == [("whoop", True), ("oura", False)]
    assert run("prefer", "--user", "ana") == chosen
    assert run("prefer", "--clear", "--user", "ana") == before
    assert not cli(["prefer"], standalone_mode=False)
    assert "measures the night's RMSSD" in capsys.readouterr().out


def test_trace_names_the_source_that_counts(run: Run) -> None:
    numbers = {
        row["source"]: str(row["sample"]) for row in run("trace", "--user", "ana") if row["metric"] == "hrv_rmssd"
    }
    assert set(numbers) == {"oura", "whoop"}
    for first in ("whoop", "oura"):
        run("prefer", first)
        for source, number in numbers.items():
            found = run("trace", "--sample", number)["counted"]
            assert found == {"series": first, "this_row": source == first, "because": "you chose it"}
        night = run("trace", "--episode", str(_night(first)))
        assert (night["source"], night["counted"]["this_row"]) == (first, True)


def _night(source: str) -> int:
    """Return the number of the newest night of a source."""
    with installation.open_bridge() as bridge:
        ana = bridge.store.people.user("ana")
        episodes = [
            one for name, one in bridge.store.reading.episodes(ana.id) if name == source and one.kind == "sleep"
        ]
        return bridge.store.tracing.row_ids("episode", episodes[-1].key)[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nosuch"], "not a source of nights or workouts"),
        (["check_in"], "not a source of nights or workouts"),
        (["whoop", "--clear"], "cannot be combined with sources"),
        ([f"whoop/{number}" for number in range(21)], "at most 20"),
        (["whoop/" + 300 * "x"], "not a source of nights or workouts"),
    ],
)
def test_a_wrong_order_is_named_and_changes_nothing(run: Run, arguments: list[str], says: str) -> None:
    before = run("prefer", "whoop")
    with pytest.raises(SetupError, match=says):
        cli(["prefer", "--user", "ana", *arguments], standalone_mode=False)
    assert run("prefer") == before
