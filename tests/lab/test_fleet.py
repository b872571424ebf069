"""``bridge fleet``: what it says is so, and what is missing or too much in a store is found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from bridge import installation
from bridge.auth.vault import Vault
from bridge.domain.errors import SetupError
from bridge.recordings.recorded_life import environment
from bridge.store import Store, tables
from lab.cli.scale import COLUMNS, keep
from lab.fleet import accounts, count, stage
from lab.fleet.worker import play
from lab.postgres_cluster import programs
from tests.world import NOW

BEGIN, END = "<!-- fleet -->", "<!-- /fleet -->"

ASKED = {"users", "syncs_per_s", "lag_p50_s", "lag_p95_s", "peak_mb", "lost", "doubled", "bytes_per_user_year"}
PEOPLE = accounts.KINDS + 2  # two are of a kind with others


def bridge(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bridge", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=dict(os.environ))


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_few_people_are_synced_twice_and_nothing_is_lost(tmp_path: Path) -> None:
    """Nor are the figures, where there is no table to keep them in."""
    page = tmp_path / "SCALE.md"
    page.write_text("# Load\n")
    ran = bridge("fleet", "--users", "3", "--workers", "2", "--json", "--write", str(page))
    assert ran.returncode == 2
    assert "no place for load runs" in ran.stderr
    told = json.loads(ran.stdout)
    assert set(told) >= ASKED
    assert (told["users"], told["syncs"], told["lost"], told["doubled"], told["missed_syncs"]) == (3, 18, 0, 0, 0)
    assert told["bytes_per_user_year"] > 365 * (4 * told["bytes_per_advice"] + told["raw_bytes_per_user_day"]) > 0
    assert 1000 < told["bytes_per_advice"] < 15_000  # compressed, a month of answers in it
    page.write_text(f"# Load\n\n{BEGIN}\n{END}\n\nMore.\n")
    keep(page, told)
    assert f"| 3 | sqlite | 2 | 2 | {told['syncs_per_s']} |" in page.read_text()


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
def test_a_fleet_may_run_in_a_private_cluster() -> None:
    ran = bridge("fleet", "--users", "2", "--workers", "2", "--database", "postgresql", "--json")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["database"], told["syncs"], told["lost"], told["doubled"]) == ("postgresql", 12, 0, 0)


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a store in which everybody was synced once."""
    database = tmp_path_factory.mktemp("fleet") / "bridge.db"
    with (
        stage.staged(2, f"sqlite:///{database}") as variables,
        environment(variables),
        installation.open_bridge() as opened,
    ):
        assert isinstance(opened.store, Store)
        stage.populate(opened.store, PEOPLE, Vault([variables["BRIDGE_KEY"]]))
        at = accounts.NOW.isoformat()
        report = play(opened, 2, {"base": at, "until": at, "origin": time.monotonic()})
        assert report["outcomes"] == {"ok": 3 * PEOPLE}
    return database


@pytest.fixture
def loaded(synced: Path, tmp_path: Path) -> Store:
    """A store of one's own in which everybody was synced once."""
    return Store(f"sqlite:///{shutil.copy(synced, tmp_path)}")


def change(store: Store, statement: str) -> None:
    with store.database.write() as db:
        db.execute(sa.text(statement))


def test_what_is_missing_or_too_much_is_counted(loaded: Store) -> None:
    with closing(loaded):
        whole = count.count(loaded, PEOPLE, 2)
        assert whole == (0, 0)
        assert count.missed(loaded, 1) == 0
        assert count.missed(loaded, 2) == 3 * PEOPLE
        change(loaded, "DELETE FROM samples WHERE id IN (SELECT id FROM samples LIMIT 3)")
        assert count.count(loaded, PEOPLE, 2) == (3, 0)
        change(loaded, "UPDATE records SET key = key || 'x' WHERE id = 1")
        assert count.count(loaded, PEOPLE, 2) == (4, 1)
        change(
            loaded,
            "INSERT INTO arrivals SELECT NULL, record_id, arrived_at, deleted, parent, payload, pieces FROM arrivals",
        )
        arrivals = sa.select(sa.func.count()).select_from(tables.arrivals)
        with loaded.database.read() as db:
            assert count.count(loaded, PEOPLE, 2) == (4, 1 + db.execute(arrivals).scalar_one() // 2)


def test_one_persons_data_at_another_are_both_lost_and_doubled(loaded: Store) -> None:
    """Persons 1 and 17 are of a kind: only their numbers tell them apart."""
    with closing(loaded):
        change(loaded, "UPDATE connections SET name = 'was' || user_id WHERE user_id IN (1, 17)")
        change(loaded, "UPDATE connections SET user_id = 18 - user_id WHERE user_id IN (1, 17)")
        lost, doubled = count.count(loaded, PEOPLE, 2)
        assert lost == doubled > 20


def test_a_store_with_people_in_it_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'mine.db'}"
    with closing(Store(url)) as store:
        store.people.add_user("ana", "UTC", now=NOW)
    ran = bridge("fleet", "--users", "2", "--database", url)
    assert ran.returncode == 2
    assert "of its own" in ran.stderr
    with closing(Store(url)) as store:
        assert [user.name for user in store.people.users()] == ["ana"]


def test_a_row_replaces_the_earlier_run_of_as_many_on_the_same_database(tmp_path: Path) -> None:
    page = tmp_path / "SCALE.md"
    page.write_text(f"{BEGIN}\n{END}\n")

    def run(users: int, database: str, pace: float) -> None:
        keep(page, dict.fromkeys(COLUMNS.values(), 0) | {"users": users, "database": database, "syncs_per_s": pace})

    run(100, "sqlite", 1.0)
    run(20, "sqlite", 2.0)
    run(20, "postgresql", 3.0)
    run(100, "sqlite", 4.0)
    rows = [line.split(" | ")[:5] for line in page.read_text().split("\n\n")[0].splitlines()[3:]]
    assert [(row[0].strip("| "), row[1], row[4]) for row in rows] == [
        ("20", "postgresql", "3.0"),
        ("20", "sqlite", "2.0"),
        ("100", "sqlite", "4.0"),
    ]
    page.write_text("nothing")
    with pytest.raises(SetupError, match="no place for load runs"):
        run(1, "sqlite", 1.0)


def test_the_growth_of_costs_stands_below_the_runs_as_exponents(tmp_path: Path) -> None:
    page = tmp_path / "scale.md"
    page.write_text(f"{BEGIN}\n{END}\nMore.\n")
    for users, cost in ((10, 2.0), (100, 4.0), (1000, 8.0), (100, 4.0)):
        figures = dict.fromkeys(COLUMNS.values(), 1.0) | {"users": users, "database": "sqlite"}
        keep(page, figures | {"cpu_ms_per_first_sync": cost, "mb_late": users})
    runs, growth, *_ = page.read_text().split("\n\n")
    assert runs.count("| sqlite |") == 3
    assert growth.splitlines()[2] == "| sqlite | 0.301 | 0.0 | 1.0 | 0.0 |"
