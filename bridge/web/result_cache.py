"""Cache what pages show of years of data. A result is computed again when what it rests on has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from bridge.domain.languages import current
from bridge.domain.slots import moment_at
from bridge.web.today_cache import data_version

if TYPE_CHECKING:
    from datetime import datetime

    from bridge.domain.records import User
    from bridge.installation import Bridge

MAX_CACHED_RESULTS = 128
COUNTS_FRESH_SECONDS = 60  # after which rows are counted again, because a rebuild changes them unseen

Result = TypeVar("Result")
Version = tuple[object, ...]


class ResultCache:
    """A cache of what pages show, by user, name and language. Over 128 results, the oldest is dropped."""

    def __init__(self) -> None:
        self._results: dict[tuple[int, str, str], tuple[Version, Any]] = {}
        self._lock = threading.Lock()

    def get(self, user: User, name: str, version: Version, make: Callable[[], Result]) -> Result:
        """Return the result called ``name``, from the cache if it was stored with an equal ``version``.

        Otherwise ``make`` is called, and its result stored.
        """
        key = user.id, name, current()  # results hold texts
        cached = self._results.get(key)
        if cached is None or cached[0] != version:
            cached = version, make()
            with self._lock:
                self._results.pop(key, None)
                self._results[key] = cached
                if len(self._results) > MAX_CACHED_RESULTS:
                    del self._results[next(iter(self._results))]
        return cast("Result", cached[1])


def advice_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's recommendations, answers, outcomes and resets, and with the slot."""
    store = bridge.store
    resets = tuple((reset.made_at, reset.taken_back_at) for reset in store.lessons.resets(user.id))
    return store.recommendations.marks(user.id), resets, user.zones, moment_at(now, user.zones)


def effects_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's recommendations and answers, and with the user's data."""
    return advice_version(bridge, user, now), data_version(bridge, user, now)


def counts_version(bridge: Bridge, user: User, now: datetime) -> Version:
    """Return a value that changes with a user's data, with every finished sync or import, and every minute.

    The pages of an import have the same instant, so that its end counts, too.
    """
    finished = bridge.store.scheduling.syncs_finished(user.id)
    return data_version(bridge, user, now), finished, now.timestamp() // COUNTS_FRESH_SECONDS
