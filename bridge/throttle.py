"""How often something may be tried: in memory, for one server."""

from __future__ import annotations

import threading
import time
from collections import deque

MOST = 10_000  # keys remembered; beyond that the oldest are forgotten


class Throttle:
    """At most ``allowed`` tries in so many ``seconds``, per key."""

    def __init__(self, *, allowed: int, seconds: float) -> None:
        self._allowed, self._seconds = allowed, seconds
        self._tries: dict[str, deque[float]] = {}
        self._lock = threading.Lock()

    def wait(self, key: str) -> float:
        """Count a try: 0 where it may go on, else the seconds until the next one may."""
        now = time.monotonic()
        with self._lock:
            tries = self._tries.pop(key, deque())
            self._tries[key] = tries  # now the newest
            while tries and tries[0] <= now - self._seconds:
                tries.popleft()
            if len(tries) >= self._allowed:
                return self._seconds - (now - tries[0])
            tries.append(now)
            if len(self._tries) > MOST:
                del self._tries[next(iter(self._tries))]
            return 0.0

    def forget(self, key: str) -> None:
        """It went well: what was tried before does not count."""
        with self._lock:
            self._tries.pop(key, None)
