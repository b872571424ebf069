"""A damaged or crafted export is refused in a sentence, or everything that it brings can be shown."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bridge import installation, registry
from bridge.advice import feedback, recommend
from bridge.domain.errors import SetupError
from bridge.domain.records import Correction, Deed, Feedback, Prior, Recommendation
from bridge.domain.slots import moment_at
from bridge.domain.wishes import Wishes
from bridge.ingest import archive, runs
from bridge.store import Store
from rhythm_env.interface import ActionType, Answer
from tests.web.served import Place, open_at, served
from tests.world import bridge_of

NOW = datetime.fromisoformat("2026-11-25T20:00:00+01:00")
SEEDS = 72
Tables = dict[str, list[Any]]
PAGES = (
    *(
        "/",
        "/advice",
        "/week",
        "/review",
        "/effects",
        "/history",
        "/trends",
        "/belief",
        "/settings",
        "/wishes",
        "/connections",
    ),
    *("/api/v1/today", "/api/v1/plan", "/api/v1/days", "/api/v1/connections"),
)
HOSTILE = (
    *(None, True, "", "x", "\0", "\ud800", [], {}, [[]], 0, -1, 1.5, 2**31, 2**70, -(2**70), 1e308),
    *(float("nan"), float("inf"), "NaN", "0001-01-01", "9999-12-31", "2026-02-30", "0001-01-01T00:00:00+00:00"),
    *("9999-12-31T23:59:59+00:00", "2026-11-20T10:00:00", "{}", "[]", "null", "1e999", "[NaN]", "unknown_metric"),
    *("NOTHING", "[" * 100_000, '{"a":' * 100_000, "../..", "=1+1", {"kind": "unknown", "values": {}}),
)


@cache
def exported() -> str:
    """Rows of every table, as JSON text: the made-up person's last days, with all that a person can save."""
    from bridge.recordings.recorded_life import land, sources

    store = Store("sqlite://")
    bridge = installation.Bridge(settings=installation.config.load(), store=store)
    ana = store.people.add_user("ana", "Europe/Berlin", now=NOW - timedelta(days=40))
    for source in sources():
        land(bridge, ana, source, at=NOW - timedelta(days=28))
    bridge, policy = bridge_of(store), registry.policy("heuristic")
    for hours in (36, 30, 12, 0):
        advice = recommend.recommend(bridge, ana, policy, now=NOW - timedelta(hours=hours))
        if isinstance(advice, Recommendation) and hours:
            feedback.give_feedback(
                store, ana, advice.id, Feedback(answer=Answer.ACCEPT), now=NOW - timedelta(hours=hours - 1)
            )
            store.recommendations.save_outcome(advice.id, Deed.DONE, advice.facts, at=NOW)
    moment = moment_at(NOW - timedelta(days=3), ana.zones)
    store.recommendations.add_silence(ana.id, moment, probability=0.5, now=NOW - timedelta(days=3))
    correction = Correction(series="s", title="Gym", action=ActionType.EXERCISE, made_at=NOW)
    store.people.add_correction(ana.id, correction)
    store.people.save_wishes(ana.id, Wishes(never=frozenset({ActionType.BINGE_WATCH})), now=NOW)
    store.people.prefer_sources(ana.id, ["whoop"], now=NOW)
    prior = Prior(
        policy="adaptive@0",
        made_at=NOW,
        body={"through": NOW.isoformat()},
        learnt_from=1,
        tried_on=1,
        gain=1,
        kept=True,
    )
    store.lessons.add_prior(ana.id, prior)
    store.lessons.add_reset(ana.id, now=NOW - timedelta(days=60))
    tables = store.exports.dump(ana.id)
    store.close()
    return json.dumps(_few(tables))


def _few(tables: Tables) -> Tables:
    """Every 15th record with what hangs on it, because a person's four weeks are ten thousand rows."""
    kept = {row["id"] for row in tables["records"][::15]}
    few = {name: [row for row in rows if row.get("record_id", None) in (None, *kept)] for name, rows in tables.items()}
    return {**few, "samples": few["samples"][::4], "records": [row for row in tables["records"] if row["id"] in kept]}


def damaged(tables: Tables, dice: random.Random) -> str:
    """Damage an export in one place, and return where."""
    name = dice.choice([name for name, rows in tables.items() if rows and name != "shares"])
    rows, how = tables[name], dice.randrange(10)
    number = dice.randrange(len(rows))
    row = rows[number]
    if how == 0:
        rows.insert(number, copy.deepcopy(row))
        return f"{name} doubled"
    if how == 1:
        rows[number] = dice.choice([[], "row", 5, None, {}])
        return f"{name} is {rows[number]}"
    column = dice.choice(sorted(row))
    if how == 2:
        del row[column]
        return f"{name}.{column} is gone"
    if how > 4 and isinstance(row[column], str) and row[column][:1] in ("{", "["):
        body = json.loads(row[column])
        where = _damaged_inside(body, dice)
        row[column] = json.dumps(body)
        return f"{name}.{column}{where}"
    row[column] = dice.choice(HOSTILE)
    return f"{name}.{column} = {str(row[column])[:30]!a}"


def _damaged_inside(body: Any, dice: random.Random) -> str:
    keys: list[Any] = sorted(body) if isinstance(body, dict) else list(range(len(body)))
    if not keys:
        return " is empty"
    key = dice.choice(keys)
    if isinstance(body[key], dict | list) and body[key] and dice.random() < 0.7:
        return f"/{key}{_damaged_inside(body[key], dice)}"
    if dice.random() < 0.3:
        del body[key]
        return f"/{key} is gone"
    body[key] = dice.choice(HOSTILE)
    return f"/{key} = {str(body[key])[:30]!a}"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("BRIDGE_NOW", NOW.isoformat())
    with served(open_at(tmp_path)) as opened:
        yield opened


def imported(place: Place, name: str, tables: Tables, folder: Path) -> str | None:
    """Import an export for a new person. Returns the sentence of a refusal, or None."""
    archive.write(tables, folder, "json")
    user = place.bridge.store.people.add_user(name, "UTC", now=NOW)
    try:
        runs.import_path(place.bridge, user, folder, at=NOW)
    except SetupError as error:
        return str(error)
    return None


def broken(place: Place, name: str) -> list[str]:
    """The pages and commands that fail for a person."""
    visitor = place.visitor()
    visitor.log_in(name)
    user = place.bridge.store.people.user(name)
    found = [f"{path} {code}" for path in PAGES if (code := visitor.get(path).status_code) not in (200, 303)]
    with suppress(SetupError):  # the source may not be installed
        runs.rebuild(place.bridge, user, None)
    place.bridge.store.exports.dump(user.id)
    return found


def test_the_export_itself_is_taken_and_shown(place: Place, tmp_path: Path) -> None:
    assert imported(place, "whole", json.loads(exported()), tmp_path / "whole") is None
    assert broken(place, "whole") == []


@pytest.mark.parametrize("part", range(4))
def test_a_damaged_export_is_refused_or_can_be_shown(place: Place, tmp_path: Path, part: int) -> None:
    wrong = {}
    for seed in range(part * SEEDS // 4, (part + 1) * SEEDS // 4):
        tables = json.loads(exported())
        where = damaged(tables, random.Random(seed))
        name = f"seed-{seed}"
        try:
            said = imported(place, name, tables, tmp_path / name)
            if said is None:
                failed = broken(place, name)
                if failed:
                    wrong[seed, where] = ", ".join(failed)
            else:
                assert "cannot be read" in said, said
        except Exception as error:  # noqa: BLE001 - so that all are seen
            wrong[seed, where] = f"{type(error).__name__}: {error}"[:300]
    assert wrong == {}


@pytest.mark.parametrize("source", ["gone", "../..", "x" * 300])
def test_a_source_that_is_not_installed_breaks_no_page(place: Place, tmp_path: Path, source: str) -> None:
    tables = json.loads(exported())
    tables["connections"][0]["source"] = source
    assert imported(place, "foreign", tables, tmp_path / "foreign") is None
    assert broken(place, "foreign") == []


def test_a_prior_that_its_policy_cannot_use_is_refused(place: Place, tmp_path: Path) -> None:
    tables = json.loads(exported())
    tables["priors"][0]["policy"] = f"adaptive@{registry.policy('adaptive').version}"
    said = imported(place, "prior", tables, tmp_path / "prior")
    assert said is not None
    assert said.startswith("the export's priors cannot be read (")
    assert place.bridge.store.connections.of_user(place.bridge.store.people.user("prior").id) == []
