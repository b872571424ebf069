"""The growth of the store in a load test, and the delays of its syncs."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from bridge import config, registry
from bridge.advice import recommend
from bridge.domain.guard import Guard
from bridge.domain.records import Feedback, Silence
from bridge.ingest.checkins import CheckIn, record_check_in
from bridge.ingest.outcomes import SYNC_CADENCE
from bridge.installation import Bridge
from bridge.store import Store, tables
from lab.fleet import stage
from lab.fleet.accounts import NOW, SOURCES
from rhythm_env.interface import HISTORY_DAYS, SLOTS_PER_DAY, Answer

RAW_DAYS = 90  # of what came from the sources, as it came, are kept
RUN_DAYS = 90  # of how syncs ended
DAILY = (
    tables.records,
    tables.arrivals,
    tables.samples,
    tables.packed_samples,
    tables.episodes,
    tables.events,
)  # grow with the days
PER_DAY = len(SOURCES) * (timedelta(days=1) // SYNC_CADENCE)  # syncs of one person


def at_share(ordered: Sequence[float], share: float) -> float:
    """Return the quantile ``share`` (0 to 1) of sorted values, 0 without values."""
    return ordered[min(round(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def lag_figures(steady: Sequence[float], burst: Sequence[float]) -> dict[str, float]:
    """Return quantiles of the delays of syncs in seconds, at a steady rate and if all are due at once.

    Both arguments are sorted.
    """
    return {
        f"{round_of}lag_p{round(100 * share)}_s": round(at_share(lags, share), 3)
        for round_of, lags in (("", steady), ("burst_", burst))
        for share in (0.50, 0.95)
    }


def parts(store: Store) -> dict[str, int]:
    """Return the bytes of every table with its indices, and of the whole database."""
    grown, whole = (*DAILY, tables.sync_runs), stage.size(store)
    try:
        return {table.name: stage.part(store, table) for table in grown} | {"all": whole}
    except sa.exc.OperationalError:  # a SQLite built without its tables' statistics: all of it counts as data
        return {table.name: 0 for table in grown} | {"records": whole, "all": whole}


def held(store: Store, users: int, days: int) -> dict[str, int]:
    """Return the rows of daily data and the bytes of their indices per user and day, on PostgreSQL."""
    with store.database.read() as db:
        rows = sum(db.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() for table in DAILY)
        query = sa.text("SELECT pg_indexes_size(CAST(:name AS regclass))")
        indexed = sum(db.execute(query, {"name": table.name}).scalar_one() for table in DAILY)
    each = users * days
    return {"rows_per_user_day": round(rows / each), "index_bytes_per_user_day": round(indexed / each)}


def figures(users: int, days: int, advice: float, loaded: dict[str, int], later: dict[str, int]) -> dict[str, Any]:
    """Return the bytes per user and day, per sync and per recommendation, and per user and year.

    ``advice`` is the size of a recommendation, and ``loaded`` and ``later`` are sizes after the first and second sync.
    """
    run = later["sync_runs"] / (2 * users * len(SOURCES))  # everybody was synced twice
    day = sum(loaded[table.name] for table in DAILY) / users / days
    raw_day = loaded["arrivals"] / users / days
    year = 365 * (day - raw_day + SLOTS_PER_DAY * advice) + RAW_DAYS * raw_day + RUN_DAYS * PER_DAY * run
    return {
        "database_mb": round(later["all"] / 1e6, 2),
        "bytes_per_user_day": round(day),
        "raw_bytes_per_user_day": round(raw_day),
        "bytes_per_sync_run": round(run, 1),
        "bytes_per_advice": round(advice),
        "bytes_per_user_year": round(year),
    }


NUMBER = 8  # bytes of one, and of an instant


def bytes_per_advice(store: Store) -> float:
    """Return the bytes of one stored recommendation, which include the user's answers of a month.

    The meters of that month are random, because equal levels would take less space than real ones.
    """
    user, slots = store.people.user_by_id(1), HISTORY_DAYS * SLOTS_PER_DAY
    bridge = Bridge(settings=replace(config.load(), classifier="keywords"), store=store)
    policy = registry.policy("heuristic")
    begun = NOW - timedelta(days=HISTORY_DAYS)
    record_check_in(store, user, CheckIn(at=begun, score=3), now=begun)  # without any data nothing is advised
    for ago in reversed(range(slots)):
        at = NOW - ago * timedelta(days=1) / SLOTS_PER_DAY
        advice = recommend.recommend(bridge, user, policy, now=at, guard=Guard(silent=False))
        if isinstance(advice, Silence):
            continue
        store.recommendations.mark_shown(advice.id, now=at)
        store.recommendations.save_feedback(advice.id, Feedback(answer=Answer.ACCEPT, answered_at=at))
    with store.database.read() as db:
        newest = sa.select(tables.recommendations).order_by(tables.recommendations.c.id.desc()).limit(1)
        kept = dict(db.execute(newest).mappings().one())
    return float(sum(_bytes(_lively(value) if name == "observation" else value) for name, value in kept.items()))


def _lively(observation: str) -> bytes:
    rng, body = random.Random(0), json.loads(observation)
    for one in body["history"]:
        one["levels"] = {name: round(rng.random(), 4) for name in one["levels"]}
    return zlib.compress(json.dumps(body, ensure_ascii=False).encode())


def _bytes(value: Any) -> int:
    return len(value.encode() if isinstance(value, str) else value) if isinstance(value, str | bytes) else NUMBER
