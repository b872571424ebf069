"""Limit rate, pace and concurrency of requests, by counts in the server's memory."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager

from bridge.domain.errors import TryLater
from bridge.domain.languages import _

MAX_KEYS = 10_000  # remembered; the oldest are forgotten beyond that number
HEADER_SECONDS = 15.0  # from the start of a connection or the previous answer to the end of a request's headers
BODY_SECONDS = 30.0  # waiting for a body, plus the time that its bytes take at the slowest pace
BODY_MIN_BYTES_PER_SECOND = 5_000
MAX_OPEN = 200  # connections of one server; a process may have 256 files open on some systems
MAX_OPEN_PER_ADDRESS = 100  # of them from an address that is no trusted proxy


def allowed_seconds(arrived: int) -> float:
    """Return how many seconds a server waits in all for a body of which ``arrived`` bytes have come."""
    return BODY_SECONDS + arrived / BODY_MIN_BYTES_PER_SECOND


class ConcurrencyLimit:
    """A limit on how many blocks run at the same time, per key."""

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._running: Counter[object] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def held(self, key: object) -> Iterator[None]:
        """Count a ``with`` block as running for ``key``. Raises TryLater if too many run already."""
        with self._lock:
            if self._running[key] >= self._allowed:
                raise TryLater(
                    _("too many requests of this kind are running; wait until some have ended"), limited=True
                )
            self._running[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._running[key] -= 1
                if not self._running[key]:
                    del self._running[key]


class RateLimit:
    """A limit of ``allowed`` tries within ``seconds``, per key, counted in memory.

    Of too many keys, the one tried longest ago is forgotten.
    """

    def __init__(self, *, allowed: int, seconds: float) -> None:
        self._allowed, self._seconds = allowed, seconds
        self._tries: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait(self, key: str) -> float:
        """Count a try of a key and return 0.0 if it is allowed.

        Otherwise return the seconds until the next try is allowed, without counting.
        """
        now = time.monotonic()
        with self._lock:
            tries = self._tries.pop(key, deque())
            self._tries[key] = tries  # a dict keeps the order of insertion: this key is now the newest
            while tries and tries[0] <= now - self._seconds:
                tries.popleft()
            if len(tries) >= self._allowed:
                return self._seconds - (now - tries[0])
            tries.append(now)
            if len(self._tries) > MAX_KEYS:
                del self._tries[next(iter(self._tries))]
            return 0.0

    def give_back(self, key: str) -> None:
        """Remove the newest counted try of a key, so that it no longer counts."""
        with self._lock:
            tries = self._tries.get(key)
            if tries:
                tries.pop()
