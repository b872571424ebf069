"""``bridge migrate``: every table of a lived-in store into the other database and back, equal to the last value."""

from __future__ import annotations

import json
import os
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from subprocess import CompletedProcess
from unittest.mock import patch

import pytest
import sqlalchemy as sa

from bridge import config, installation, registry
from bridge.advice import recommend
from bridge.daemon import housekeeping
from bridge.domain.errors import SetupError
from bridge.store import Store
from bridge.store.moving import ordered
from tests import commands
from tests.world import KEY, NOW, bridge_of, living

pytestmark = pytest.mark.postgres


def lived_in(url: str) -> None:
    """Two people, of whom one has everything a week brings: revisions, reasons, sealed consents, outcomes, advice."""
    with closing(Store(url)) as store, living(store, "whoop", "awkward") as world:
        world.sync()
        world.sync(at=world.now + timedelta(hours=1))
        store.people.set_zone(world.user.id, "Asia/Kolkata", since=NOW)
        store.people.add_user("ben", "UTC", now=NOW)
        recommend.recommend(bridge_of(store), world.user, registry.policy("heuristic"), now=NOW)


def rows(url: str) -> dict[str, list[str]]:
    engine = sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as db:
        found = {
            table.name: [repr(tuple(row)) for row in db.execute(sa.select(table).order_by(*table.primary_key.columns))]
            for table in ordered()
        }
    engine.dispose()
    return found


def bridge(url: str, folder: Path, *arguments: str) -> CompletedProcess[str]:
    with patch.dict(os.environ, BRIDGE_DATABASE=url, BRIDGE_KEY=KEY):
        return commands.bridge(*arguments, home=folder)


def test_there_and_back(postgres_url: str, tmp_path: Path) -> None:
    here, back = f"sqlite:///{tmp_path / 'here.db'}", f"sqlite:///{tmp_path / 'back.db'}"
    lived_in(here)
    before = rows(here)
    assert before["records"]
    assert before["sync_runs"]
    there = bridge(here, tmp_path, "migrate", "--to", postgres_url, "--json")
    assert there.returncode == 0, there.stderr
    told = json.loads(there.stdout)
    assert told["verified"] is True
    assert {one["table"]: one["rows"] for one in told["tables"]} == {name: len(some) for name, some in before.items()}
    assert rows(postgres_url) == before
    again = bridge(here, tmp_path, "migrate", "--to", postgres_url)
    assert (again.returncode, "empty" in again.stderr) == (2, True)
    returned = bridge(postgres_url, tmp_path, "migrate", "--to", back)
    assert returned.returncode == 0, returned.stderr
    assert rows(back) == before == rows(here)
    with closing(Store(postgres_url)) as store:  # numbers go on after those that came
        fresh = store.people.add_user("cleo", "UTC", now=NOW)
        connection = store.connections.connect(fresh.id, "whoop", "account", now=NOW)
    assert fresh.id == 3
    assert connection.id == 2


def opened(store: Store, url: str, monkeypatch: pytest.MonkeyPatch) -> installation.Bridge:
    monkeypatch.setenv("BRIDGE_DATABASE", url)
    return installation.Bridge(settings=config.load(), store=store)


def silent(name: str) -> housekeeping.Step:
    return lambda _done, _total: None


def test_while_somebody_syncs_nothing_is_moved(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = f"sqlite:///{tmp_path / 'here.db'}"
    lived_in(here)
    with closing(Store(here)) as store:
        connection = store.connections.of_user(store.people.user("ana").id)[0]
        assert store.scheduling.claim(connection.id, "elsewhere/1", now=installation.now(), lease=timedelta(minutes=5))
        with pytest.raises(SetupError, match="stop the daemon"):
            housekeeping.migrate(opened(store, here, monkeypatch), postgres_url, progress=silent)
    assert not any(rows(postgres_url).values())


def test_while_a_daemon_is_there_nothing_is_moved(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = f"sqlite:///{tmp_path / 'here.db'}"
    with closing(Store(here)) as store:
        bridge_here = opened(store, here, monkeypatch)
        daemon = store.scheduling.singleton_lock("daemon", "elsewhere/1", now=NOW)
        with closing(daemon), pytest.raises(SetupError, match="a daemon already works at this store"):
            housekeeping.migrate(bridge_here, postgres_url, progress=silent)


def test_a_copy_that_differs_is_taken_back(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the other database changes values by itself: here with a trigger."""
    here = f"sqlite:///{tmp_path / 'here.db'}"
    lived_in(here)
    engine = sa.create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as db:
        db.exec_driver_sql(
            "CREATE FUNCTION worse() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN NEW.value := NEW.value + 1e-9; RETURN NEW; END $$"
        )
        db.exec_driver_sql("CREATE TRIGGER worse BEFORE INSERT ON samples FOR EACH ROW EXECUTE FUNCTION worse()")
    engine.dispose()
    with closing(Store(here)) as store, pytest.raises(housekeeping.Unequal, match="samples"):
        housekeeping.migrate(opened(store, here, monkeypatch), postgres_url, progress=silent)
    assert not any(rows(postgres_url).values())
