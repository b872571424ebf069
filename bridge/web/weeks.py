"""Cache the week that the page and the JSON API show until something in it changes."""

from __future__ import annotations

from datetime import date
from functools import partial

from bridge.advice.week import A_WEEK, Week, load_week
from bridge.domain.slots import moment_of, slot_start
from bridge.web.result_cache import data_version
from bridge.web.state import Visit


def cached_week(visit: Visit, monday: date) -> Week:
    """Return the week that begins on ``monday``, from the cache until data or advice change."""
    bridge, user, now = visit.bridge, visit.user, visit.now
    start = slot_start(moment_of(monday, 0), user.zones)
    advice = bridge.store.recommendations.states(user.id, since=start - A_WEEK, until=start + A_WEEK)
    version = data_version(bridge, user, now), monday, advice
    week = partial(load_week, bridge, user, monday, at=now)
    return visit.app.results.get(user, "week", version, week)
