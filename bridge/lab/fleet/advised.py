"""What stored advice takes: the first of the fleet's people is advised in every slot of a month, and answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from bridge import advise, registry
from bridge.lab.fleet.accounts import NOW
from bridge.store import tables
from bridge.store.sql import SqlStore
from rhythm_env.interface import HISTORY_DAYS, SLOTS_PER_DAY, Answer

NUMBER = 8  # bytes of one, and of an instant


def bytes_per_advice(store: SqlStore) -> float:
    """Bytes of one slot's advice, once a month of answers stands in what the policy is shown.

    Levels that never change compress better than a life: with fewer days than a month it is less than it will be.
    """
    user, slots = store.person(1), HISTORY_DAYS * SLOTS_PER_DAY
    classifier, policy = registry.classifier("keywords"), registry.policy("heuristic")
    for ago in reversed(range(slots)):
        at = NOW - ago * timedelta(days=1) / SLOTS_PER_DAY
        advice = advise.recommend(store, user, classifier, policy, now=at)
        store.mark_shown(advice.id, now=at)
        store.answer(advice.id, Answer.ACCEPT, now=at)
    with store.database.read() as db:
        last = sa.text(f"SELECT * FROM {tables.recommendations.name} ORDER BY id DESC LIMIT {SLOTS_PER_DAY}")  # noqa: S608
        return sum(_bytes(value) for row in db.execute(last) for value in row) / SLOTS_PER_DAY


def _bytes(value: Any) -> int:
    return len(value.encode() if isinstance(value, str) else value) if isinstance(value, str | bytes) else NUMBER
