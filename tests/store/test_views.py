"""Views for other programs: every query of the dashboard runs on both databases, and no title is in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bridge import installation
from bridge.daemon.due_tasks import run_due_tasks
from bridge.domain.metrics import Metric
from bridge.domain.records import SAID, Deed, Feedback
from bridge.recordings.recorded_life import DEMO_USER, DEMO_ZONE, land
from bridge.store import Store, views
from rhythm_env.interface import Answer
from tests.store.later_schema import leave, plant

DOCS = Path(__file__).parents[2] / "docs"
BOARD: dict[str, Any] = json.loads((DOCS / "grafana.json").read_text(encoding="utf-8"))
NOW = datetime(2026, 11, 21, 11, 5, tzinfo=UTC)
QUERIES = {panel["title"]: panel["targets"][0] for panel in BOARD["panels"]}
PERSON = BOARD["templating"]["list"][1]["query"]


def engine_of(url: str) -> sa.Engine:
    return sa.create_engine(url.replace("postgresql://", "postgresql+psycopg://"))


def asked(url: str, query: str) -> list[Any]:
    """Run a query as Grafana does, over all time."""
    engine = engine_of(url)
    text = query.replace("$person", DEMO_USER).replace("$__from", "0").replace("$__to", "4000000000000")
    with engine.connect() as db:
        found = db.execute(sa.text(text.replace(":", r"\:"))).all()
    engine.dispose()
    return list(found)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without any table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    url: str = request.getfixturevalue("postgres_url")
    engine = engine_of(url)
    with engine.begin() as db:
        db.exec_driver_sql("DROP SCHEMA public CASCADE")
        db.exec_driver_sql("CREATE SCHEMA public")
    engine.dispose()
    return url


@pytest.fixture
def bridge(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[installation.Bridge]:
    """An installation with the made-up person, advice that was taken, and views."""
    monkeypatch.setenv("BRIDGE_HOME", str(tmp_path))
    monkeypatch.setenv("BRIDGE_DATABASE", database_url)
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with installation.open_bridge() as found:
        store = found.store
        user = store.people.add_user(DEMO_USER, DEMO_ZONE, now=NOW)
        for source in ("whoop", "apple_health", "google_calendar", "google_tasks"):
            land(found, user, source, at=NOW)
        run_due_tasks(found, user, now=NOW)
        (advice,) = store.recommendations.changed(user.id, since=NOW - timedelta(days=1))
        store.recommendations.save_feedback(advice.id, Feedback(answer=Answer.ACCEPT, answered_at=NOW))
        store.recommendations.save_outcome(advice.id, Deed.DONE, SAID, at=NOW)
        assert store.maintenance.make_views() == sorted(views.statements("sqlite"))
        yield found


def present(bridge: installation.Bridge) -> list[str]:
    engine = engine_of(bridge.settings.database)
    with engine.connect() as db:
        found = views.present(db)
    engine.dispose()
    return found


def of(bridge: installation.Bridge, query: str) -> list[Any]:
    return asked(bridge.settings.database, query)


def test_every_query_of_the_dashboard_finds_something(bridge: installation.Bridge) -> None:
    assert of(bridge, PERSON) == [(DEMO_USER,)]
    for title, target in QUERIES.items():
        assert target["rawSql"] == target["queryText"] == target["rawQueryText"]
        assert of(bridge, target["rawSql"]), title


def test_the_views_say_what_the_store_holds(bridge: installation.Bridge) -> None:
    store, user = bridge.store, bridge.store.people.user(DEMO_USER)
    (advice,) = store.recommendations.changed(user.id, since=NOW - timedelta(days=1))
    levels = dict(of(bridge, "SELECT meter, level FROM view_meters"))
    assert {name: level for name, level in levels.items() if level is not None} == pytest.approx(advice.levels)
    (row,) = of(bridge, "SELECT time, action, answer, outcome FROM view_recommendations")
    assert row == (int(NOW.timestamp()), str(advice.action), "ACCEPT", "done")
    days = (NOW - timedelta(days=400)).date(), NOW.date()
    found = store.reading.episodes(user.id, since=days[0], until=days[1])
    nights = [one for _, one in found if one.kind == "sleep"]
    stages = Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP
    slept = sorted(sum(one.values[stage] for stage in stages) / 60 for one in nights if set(stages) <= set(one.values))
    assert len(slept) > 20
    assert sorted(hours for (hours,) in of(bridge, "SELECT hours FROM view_nights") if hours) == pytest.approx(slept)
    midnight = datetime.combine(max(one.day for one in nights), time(), UTC).timestamp()
    assert of(bridge, "SELECT MAX(time) FROM view_nights") == [(midnight,)]
    steps = of(bridge, "SELECT DISTINCT source FROM view_measurements WHERE metric = 'steps'")
    assert steps == [("apple_health",)]
    assert dict(of(bridge, "SELECT source, state FROM view_sources"))["whoop"] == "well"


def test_no_title_and_no_secret_is_in_them(bridge: installation.Bridge) -> None:
    user = bridge.store.people.user(DEMO_USER)
    month = timedelta(days=30)
    found = bridge.store.reading.events(user.id, since=NOW - month, until=NOW + month)
    titles = {one.title for _, one in found if one.title}
    assert len(titles) > 5
    for name in views.statements("sqlite"):
        shown = {str(value) for row in of(bridge, " ".join(("SELECT * FROM", name))) for value in row}
        assert not shown & titles, name


def test_drop_takes_them_away_and_nothing_else(bridge: installation.Bridge) -> None:
    assert present(bridge) == sorted(views.statements("sqlite"))
    bridge.store.maintenance.drop_views()
    assert present(bridge) == []
    assert bridge.store.people.user(DEMO_USER).name == DEMO_USER


def test_an_upgrade_keeps_them(empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave(empty_url)
    engine = engine_of(empty_url)
    with engine.begin() as db:
        db.exec_driver_sql("CREATE VIEW view_people AS SELECT u.name AS person FROM users u")
        db.exec_driver_sql("CREATE VIEW view_measurements AS SELECT s.value AS value FROM samples s")
    plant(tmp_path, monkeypatch)
    Store(empty_url).close()
    with engine.connect() as db:
        assert views.present(db) == sorted(views.statements("sqlite"))
        assert sa.inspect(db).has_table("planted")  # of a later release
        assert "ana" in db.exec_driver_sql(PERSON).one()
    engine.dispose()


@pytest.mark.postgres
def test_a_role_that_may_read_the_views_reads_no_table(postgres_url: str) -> None:
    store = Store(postgres_url)
    store.maintenance.make_views()
    engine = engine_of(postgres_url)
    with engine.begin() as db:
        db.exec_driver_sql("DROP ROLE IF EXISTS looker")
        db.exec_driver_sql("CREATE ROLE looker")
        db.exec_driver_sql("GRANT SELECT ON view_people TO looker")
    try:
        with engine.connect() as db:
            db.exec_driver_sql("SET ROLE looker")
            assert db.exec_driver_sql("SELECT * FROM view_people").all() == []
            with pytest.raises(sa.exc.ProgrammingError, match="permission denied"):
                db.exec_driver_sql("SELECT * FROM users")
    finally:
        with engine.begin() as db:
            db.exec_driver_sql("DROP OWNED BY looker")
            db.exec_driver_sql("DROP ROLE looker")
        engine.dispose()
        store.close()
