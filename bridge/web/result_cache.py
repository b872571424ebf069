"""Cache what pages show of years of data. A result is computed again when the data behind it have changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, TypeVar, cast

from bridge.domain.languages import current
from bridge.domain.slots import moment_at, today_at

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.domain.records import User
    from bridge.installation import Bridge

MAX_CACHED_RESULTS = 128
FINISH_SECONDS = 5  # a stop waits no longer for a result
COUNTS_FRESH_SECONDS = 60  # after which rows are counted again, because a rebuild changes them unseen

Result = TypeVar("Result")
Version = tuple[object, ...]
Key = tuple[int, str, str]  # user, name and language


class ResultCache:
    """A cache of results for pages, by user, name and language. Of too many results, the oldest is dropped."""

    def __init__(self) -> None:
        self._results: dict[Key, tuple[Version, Any]] = {}
        self._renewed: dict[Key, threading.Thread] = {}
        self._lock = threading.Lock()

    def get(self, user: User, name: str, version: Version, make: Callable[[], Result], *, wait: bool = True) -> Result:
        """Return the result called ``name``, from the cache if it was stored with an equal ``version``.

        Otherwise ``make`` is called, and its result stored. With ``wait=False`` an older result is returned, if there
        is one, while a thread makes the new one.
        """
        key = user.id, name, current()  # results hold texts
        cached = self._results.get(key)
        if cached is not None and cached[0] != version and not wait:
            self._renew(key, version, make)
        elif cached is None or cached[0] != version:
            cached = self._made(key, version, make)
        return cast("Result", cached[1])

    def _made(self, key: Key, version: Version, make: Callable[[], Any]) -> tuple[Version, Any]:
        made = version, make()
        with self._lock:
            self._results.pop(key, None)
            self._results[key] = made
            if len(self._results) > MAX_CACHED_RESULTS:
                del self._results[next(iter(self._results))]
        return made

    def _renew(self, key: Key, version: Version, make: Callable[[], Any]) -> None:
        def renew() -> None:
            try:
                self._made(key, version, make)
            finally:
                del self._renewed[key]

        with self._lock:
            if key in self._renewed:
                return
            thread = self._renewed[key] = threading.Thread(target=copy_context().run, args=(renew,), daemon=True)
            thread.start()

    def finish(self) -> None:
        """Wait for the threads that make results. Call it before closing the store that they read."""
        for thread in tuple(self._renewed.values()):
            thread.join(FINISH_SECONDS)


def advice_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's recommendations, their answers and outcomes, resets, and the slot."""
    store = bridge.store
    resets = tuple((reset.made_at, reset.taken_back_at) for reset in store.lessons.resets(user.id))
    return store.recommendations.marks(user.id), resets, user.zones, moment_at(now, user.zones)


def effects_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's recommendations or data."""
    return advice_version(bridge, user, now), data_version(bridge, user, now)


def counts_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's data, after each sync or import, and every minute."""
    finished = bridge.store.scheduling.syncs_finished(user.id)
    return data_version(bridge, user, now), finished, now.timestamp() // COUNTS_FRESH_SECONDS


def data_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's data, corrections and preferences, and with the date."""
    changes = tuple((c.id, c.last_change) for c in bridge.store.connections.of_user(user.id))
    corrected = tuple((found.series, found.made_at) for found in bridge.store.people.corrections(user.id))
    ticked_at = bridge.store.task_notes.said_at(user.id)
    rules = ticked_at, bridge.proxies.version, user.zones, bridge.store.people.preferences(user.id)
    return changes, corrected, *rules, today_at(now, user.zones)
