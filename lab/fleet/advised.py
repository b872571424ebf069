"""Measures stored recommendations. The fleet's first person is advised for a month, and gives feedback."""

from __future__ import annotations

import json
import random
import zlib
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from bridge import registry
from bridge.advice import recommend
from bridge.domain.guard import Guard
from bridge.domain.records import Silence
from bridge.ingest.checkins import CheckIn, record_check_in
from bridge.store import Store, tables
from lab.fleet.accounts import NOW
from rhythm_env.interface import HISTORY_DAYS, SLOTS_PER_DAY, Answer

NUMBER = 8  # bytes of one, and of an instant


def bytes_per_advice(store: Store) -> float:
    """Return the bytes of a slot's advice after a month of answers, which the policy is shown.

    The levels in that month are replaced by random levels. Equal levels would take less space than those of a real
    life.
    """
    user, slots = store.people.user_by_id(1), HISTORY_DAYS * SLOTS_PER_DAY
    classifier, policy = registry.classifier("keywords"), registry.policy("heuristic")
    begun = NOW - timedelta(days=HISTORY_DAYS)
    record_check_in(store, user, CheckIn(at=begun, score=3), now=begun)  # without any data nothing is advised
    for ago in reversed(range(slots)):
        at = NOW - ago * timedelta(days=1) / SLOTS_PER_DAY
        advice = recommend.recommend(store, user, classifier, policy, now=at, guard=Guard(silent=False))
        if isinstance(advice, Silence):
            continue
        store.recommendations.mark_shown(advice.id, now=at)
        store.recommendations.save_feedback(advice.id, Answer.ACCEPT, now=at)
    with store.database.read() as db:
        newest = sa.select(tables.recommendations).order_by(tables.recommendations.c.id.desc()).limit(1)
        kept = dict(db.execute(newest).mappings().one())
    return float(sum(_bytes(_lively(value) if name == "observation" else value) for name, value in kept.items()))


def _lively(observation: str) -> bytes:
    """Return the observation as it is stored, with different levels in every slot of its past."""
    rng, body = random.Random(0), json.loads(observation)
    for one in body["history"]:
        one["levels"] = {name: round(rng.random(), 4) for name in one["levels"]}
    return zlib.compress(json.dumps(body, ensure_ascii=False).encode())


def _bytes(value: Any) -> int:
    return len(value.encode() if isinstance(value, str) else value) if isinstance(value, str | bytes) else NUMBER
