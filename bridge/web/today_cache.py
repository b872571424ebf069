"""Cache users' data, meters and day plans until the data change. Plans are kept for some minutes only."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

from bridge import meters
from bridge.advice import feedback, recommend
from bridge.advice.day_plan import Ahead, plan_day
from bridge.advice.modes import mode_of, routine_of
from bridge.advice.week import WeekSlot, is_known, of_moment, slot_of
from bridge.calendar.expansion import midnight
from bridge.calendar.facts import slot_facts
from bridge.day.opening import opening
from bridge.day.person import Person
from bridge.day.plan import DayPlan
from bridge.day.routine import Routine
from bridge.domain.facts import Fact
from bridge.domain.records import Recommendation, Snapshot, User
from bridge.domain.slots import INSTANT, Moment, local_time, moment_at, slot_start, slots_of_today, today_at
from bridge.domain.types import Reading
from bridge.web.result_cache import Version, data_version
from rhythm_env.interface import Meter

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge


DAY, WEEK = timedelta(days=1), timedelta(days=7)
MAX_CACHED_USERS = 32
VIEWS_PER_INDEX = 50
Kept = TypeVar("Kept")
FRESH = timedelta(minutes=5)  # suggestions begin at full five minutes
ADVICE_BACK = timedelta(days=8)
MAX_CACHED_PLANS = 64
Key = tuple[int, date, bool]  # user, date, and if the recommendation was marked as shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """A user's five meters at the moment ``at``, those a day ago, and the four slots of the day, which begins at 06:00.

    ``calendar`` is False if the user has no calendar. ``known`` holds the data from which all this was computed.
    """

    at: datetime
    known: Snapshot
    moment: Moment
    readings: Mapping[Meter, Reading]
    before: Mapping[Meter, Reading]  # those of a day ago
    slots: Sequence[WeekSlot]
    calendar: bool


class TodayCache:
    """A cache of users' data and routines (learnt hours of sleep and work), valid until the data or the date change."""

    def __init__(self) -> None:
        self._snapshots: dict[int, tuple[Version, Snapshot]] = {}
        self._routines: dict[int, tuple[Version, Routine]] = {}
        self._pasts: dict[int, _Index] = {}
        self._yesterdays: dict[int, tuple[object, Moment, dict[Meter, Reading]]] = {}
        self._days: dict[int, tuple[object, Sequence[Moment], list[WeekSlot]]] = {}
        self._openings: dict[int, tuple[tuple[object, ...], tuple[Fact, ...]]] = {}
        self._advice: dict[int, tuple[Version, list[Recommendation]]] = {}
        self._lock = threading.Lock()

    def routine(self, bridge: Bridge, user: User, now: datetime) -> Routine:
        """Return a user's learnt hours of sleep and work."""
        version = data_version(bridge, user, now)
        cached = self._routines.get(user.id)
        if cached is None or cached[0] != version:
            cached = version, routine_of(bridge.store, user, self.snapshot(bridge, user, now))
            self._keep(self._routines, user, cached)
        return cached[1]

    def snapshot(self, bridge: Bridge, user: User, now: datetime) -> Snapshot:
        """Return all data of a user at ``now``, from the cache if nothing has changed."""
        version = data_version(bridge, user, now)
        cached = self._snapshots.get(user.id)
        if cached is None or cached[0] != version or cached[1].at > now:
            found = recommend.load_snapshot(bridge, user, at=now)
            cached = version, found
            self._keep(self._snapshots, user, cached)
        return replace(cached[1], at=now)

    def planning_snapshot(self, bridge: Bridge, user: User, now: datetime) -> Snapshot:
        """Return all data of a user at ``now``, with the answers to recommendations, which a plan needs."""
        answers = feedback.interactions(bridge.store, user, at=now)
        return replace(self.snapshot(bridge, user, now), interactions=answers)

    def today(self, bridge: Bridge, user: User, now: datetime) -> Today:
        """Return a user's meters at ``now``, and the day's slots with calendar entries and recommendations."""
        snapshot = self.snapshot(bridge, user, now)
        moment = moment_at(now, user.zones)
        entries = [entry for entry in snapshot.agenda if entry[0].end > now - WEEK and entry[0].start < now + WEEK]
        advice = self._given(bridge, user, now)
        slots = self._slots(user, snapshot, slots_of_today(now, user.zones))
        return Today(
            at=now,
            known=snapshot,
            moment=moment,
            readings=self._readings(user, snapshot, now),
            before=self._before(user, snapshot, now),
            slots=[replace(slot, advice=of_moment(advice, slot.facts.moment)) for slot in slots],
            calendar=is_known(bridge.store, user, entries),
        )

    def _given(self, bridge: Bridge, user: User, now: datetime) -> list[Recommendation]:
        store, bounds = bridge.store.recommendations, {"since": now - WEEK, "until": now + INSTANT}
        found, states = self._advice.get(user.id), store.states(user.id, **bounds)
        if found is None or found[0] != states:
            found = states, store.between(user.id, **bounds)
            self._keep(self._advice, user, found)
        return found[1]

    def _slots(self, user: User, snapshot: Snapshot, moments: Sequence[Moment]) -> list[WeekSlot]:
        found = self._days.get(user.id)
        if found is None or found[0] is not snapshot.agenda or found[1] != moments:
            begin = slot_start(moments[0], user.zones)
            near = [entry for entry in snapshot.agenda if begin - WEEK < entry[0].end and entry[0].start < begin + WEEK]
            facts = (slot_facts(near, snapshot.tasks, moment, user.zones) for moment in moments)
            found = snapshot.agenda, moments, [slot_of(fact, near, (), user.zones) for fact in facts]
            self._keep(self._days, user, found)
        return found[2]

    def _readings(self, user: User, snapshot: Snapshot, now: datetime) -> dict[Meter, Reading]:
        """Return the meters of this minute, from an index of the data that is made anew after some readings."""
        # It remembers what it reads, so that it is made again after these views.
        with self._lock:
            minute = now.replace(second=0, microsecond=0)
            found = self._pasts.pop(user.id, None)
            if found is not None and found.samples is snapshot.samples and found.read == minute:
                self._pasts[user.id] = found
                return found.readings
            if found is None or found.samples is not snapshot.samples or not found.until > now or not found.left:
                until = midnight(today_at(now, user.zones) + timedelta(days=1), user.zones)
                past = meters.Past(replace(snapshot, at=max(until, now)), since=now)
                found = _Index(past=past, samples=snapshot.samples, until=until)
            found.left -= 1
            found.read, found.readings = minute, meters.read_at(found.past, now)
            self._pasts[user.id] = found
            if len(self._pasts) > MAX_CACHED_USERS:
                del self._pasts[next(iter(self._pasts))]
            return found.readings

    def opening(self, bridge: Bridge, user: User, current: Today) -> tuple[Fact, ...]:
        """Return the facts told at the top of today's page, cached for a quarter of an hour unless the data change."""
        known, now, local = current.known, current.at, local_time(current.at, user.zones)
        wishes = bridge.store.people.wishes(user.id)
        mode = mode_of(bridge.store, user, local.date())
        kept = bridge.store.task_notes.places(user.id, at=now).items()
        moved = {key: place for key, place in kept if place[2] is not None}  # by the user, not by a plan
        key = (known.samples, mode, wishes, moved, local.date(), local.hour, local.minute // 15)
        found = self._openings.get(user.id)
        if found is None or found[0][0] is not key[0] or found[0][1:] != key[1:]:
            routine = self.routine(bridge, user, now)
            person = Person(known=known, now=now, routine=routine, mode=mode, wishes=wishes, places=moved)
            found = key, opening(replace(person, readings=current.readings))
            self._keep(self._openings, user, found)
        return found[1]

    def _keep(self, kept: dict[int, Kept], user: User, value: Kept) -> None:
        with self._lock:
            kept.pop(user.id, None)
            kept[user.id] = value
            if len(kept) > MAX_CACHED_USERS:
                del kept[next(iter(kept))]

    def _before(self, user: User, snapshot: Snapshot, now: datetime) -> dict[Meter, Reading]:
        """Return the meters at the same time of the day before, cached per slot."""
        moment = moment_at(now, user.zones)
        found = self._yesterdays.get(user.id)
        if found is None or found[0] is not snapshot.samples or found[1] != moment:
            found = snapshot.samples, moment, meters.read(replace(snapshot, at=now - DAY))
            self._keep(self._yesterdays, user, found)
        return found[2]


@dataclass(slots=True, kw_only=True)
class _Index:
    """An index over the samples of a user, valid before ``until`` and for ``left`` more readings."""

    past: meters.Past
    samples: Sequence[object]
    until: datetime
    left: int = VIEWS_PER_INDEX
    read: datetime | None = None
    readings: dict[Meter, Reading] = field(default_factory=dict)


class PlanCache:
    """A cache of users' day plans. Of too many plans, the oldest is dropped."""

    def __init__(self, today: TodayCache) -> None:
        self._today = today
        self._plans: dict[Key, tuple[Version, DayPlan]] = {}
        self._ahead: dict[int, tuple[Version, Ahead]] = {}  # user -> previews for the plans of several dates
        self._lock = threading.Lock()

    def plan(self, bridge: Bridge, user: User, day: date | None, *, now: datetime, seen: bool) -> DayPlan:
        """Return the plan of a date (None for today) from the cache, or make it if data or advice changed.

        With ``seen``, the current recommendation is marked as shown, so a plan that was cached without it is not used.
        """
        day = day or today_at(now, user.zones)
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
