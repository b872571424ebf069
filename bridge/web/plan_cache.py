"""Cache day plans. A plan is computed again if data, wishes or recommendations changed, and every five minutes."""

from __future__ import annotations

import threading
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.advice.day_plan import Ahead, plan_day
from bridge.day.plan import DayPlan
from bridge.domain.slots import INSTANT, local_time
from bridge.web.today_cache import TodayCache, data_version

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

FRESH = timedelta(minutes=5)  # suggestions begin at full five minutes
ADVICE_BACK = timedelta(days=8)
MAX_CACHED_PLANS = 64
Key = tuple[int, date, bool]  # user, date, and if the recommendation was marked as shown
Version = tuple[object, ...]


class PlanCache:
    """A cache of users' day plans, which are computed from the snapshots that the cache of today holds.

    Over 64 plans, the oldest is dropped. So are the previews of a user over 64 users.
    """

    def __init__(self, today: TodayCache) -> None:
        self._today = today
        self._plans: dict[Key, tuple[Version, DayPlan]] = {}
        self._ahead: dict[int, tuple[Version, Ahead]] = {}  # user -> previews for the plans of several dates
        self._lock = threading.Lock()

    def plan(self, bridge: Bridge, user: User, day: date | None, *, now: datetime, seen: bool) -> DayPlan:
        """Return the plan of a date, or of today for None, from the cache while nothing has changed.

        If ``seen``, the current recommendation is marked as shown, so a plan cached without it is not used.
        """
        day = day or local_time(now, user.zones).date()
        key, version = (user.id, day, seen), _version(bridge, user, now)
        for cached in (self._plans.get(key), self._plans.get((user.id, day, True))):
            if cached is not None and cached[0] == version:
                return cached[1]
        known = self._today.planning_snapshot(bridge, user, now)
        found = plan_day(bridge, user, day, now=now, seen=seen, known=known, ahead=self._previews(user, version))
        if _version(bridge, user, now) == version:  # else the slot's advice was made just now
            self._keep(key, version, found)
        return found

    def _previews(self, user: User, version: Version) -> Ahead:
        with self._lock:
            if self._ahead.get(user.id, (None,))[0] != version:
                self._ahead.pop(user.id, None)
                self._ahead[user.id] = version, {}
                if len(self._ahead) > MAX_CACHED_PLANS:
                    del self._ahead[next(iter(self._ahead))]
            return self._ahead[user.id][1]

    def _keep(self, key: Key, version: Version, found: DayPlan) -> None:
        with self._lock:
            self._plans.pop(key, None)
            self._plans[key] = version, found
            if len(self._plans) > MAX_CACHED_PLANS:
                del self._plans[next(iter(self._plans))]


def _version(bridge: Bridge, user: User, now: datetime) -> Version:
    store = bridge.store
    advice = store.recommendations.states(user.id, since=now - ADVICE_BACK, until=now + INSTANT)
    resets = tuple(reset.taken_back_at for reset in store.lessons.resets(user.id))
    five_minutes = now.timestamp() // FRESH.total_seconds()
    return data_version(bridge, user, now), store.people.wishes(user.id), advice, resets, five_minutes
