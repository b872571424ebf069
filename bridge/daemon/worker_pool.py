"""Run work in threads with a limit per kind of work, and end a process whose threads still work.

The kind of a sync is its source. A limit per kind keeps a slow source from holding up the other sources.
"""

from __future__ import annotations

import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Mapping

SHUTDOWN_GRACE_SECONDS = 8.0  # from the signal to the end of work that can be waited for
SHUTDOWN_LAST_SECONDS = 1.0  # for releasing leases after that


class WorkerPool:
    """Threads at work, counted by kind. ``limit(kind)`` gives how many threads of a kind may run at once.

    The limit is not enforced, so callers must ask ``free_threads`` before ``start``. Work must not raise.
    """

    def __init__(self, limit: Callable[[str], int]) -> None:
        self._limit = limit
        self._busy: Counter[str] = Counter()
        self._changed = threading.Condition()

    def free_threads(self, kind: str) -> int:
        """Return how many more threads of a kind may start now."""
        with self._changed:
            return max(0, self._limit(kind) - self._busy[kind])

    def start(self, kind: str, work: Callable[[], object]) -> None:
        """Run ``work`` in a thread of its own, counted under ``kind``. The end of the process cuts it off."""
        with self._changed:
            threading.Thread(target=self._do, args=(kind, work), name=kind, daemon=True).start()
            self._busy[kind] += 1  # the thread cannot end before: it needs this lock

    def _do(self, kind: str, work: Callable[[], object]) -> None:
        try:
            work()
        finally:
            with self._changed:
                self._busy[kind] -= 1
                self._changed.notify_all()

    def busy(self) -> Mapping[str, int]:
        """Return kind -> number of running threads, without kinds at 0."""
        with self._changed:
            return {kind: count for kind, count in self._busy.items() if count}

    def wait_until_idle(self, patience: float | None = None) -> bool:
        """Wait up to ``patience`` seconds (None for no limit) until no thread runs. Return True if none does."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(self._busy.values()), patience)


def exit_process() -> None:
    """End the process at once with exit code 0. No data is lost, as each page of a sync is a transaction."""
    logging.shutdown()
    os._exit(0)
