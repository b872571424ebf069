"""Remember what a browser has begun and must end: a login at a provider, or a challenge for a passkey."""

from __future__ import annotations

import threading
import time
from typing import Generic, TypeVar

PENDING_SECONDS = 600.0
PENDING_MAX = 1_000  # the oldest are forgotten beyond that number

T = TypeVar("T")


class Pending(Generic[T]):
    """Values that wait for an answer, each for the browser that began, once, and for ten minutes.

    Of more than 1,000 values the oldest is dropped.
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, float, T]] = {}
        self._lock = threading.Lock()

    def put(self, browser: str, key: str, value: T) -> None:
        """Keep a value for a browser under a random key."""
        with self._lock:
            self._kept[key] = (browser, time.monotonic() + PENDING_SECONDS, value)
            if len(self._kept) > PENDING_MAX:
                del self._kept[next(iter(self._kept))]

    def take(self, browser: str, key: str) -> T | None:
        """Return and forget the value of a key. Returns None if it is unknown, taken, too old, or another browser's."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found[0] != browser:
                return None
            del self._kept[key]
        return found[2] if time.monotonic() < found[1] else None
