"""A pool of threads with a limit per kind of work, and the end of a process whose threads still work.

A limit per kind keeps a slow source from holding up the rest.
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
    """Threads under way, by kind. ``limit`` gives how many of a kind may run at once. Work must not raise."""

    def __init__(self, limit: Callable[[str], int]) -> None:
        self._limit = limit
        self._busy: Counter[str] = Counter()
        self._changed = threading.Condition()

    def free_threads(self, kind: str) -> int:
        """Return how many more threads of a kind may start now."""
        with self._changed:
            return max(0, self._limit(kind) - self._busy[kind])

    def start(self, kind: str, work: Callable[[], object]) -> None:
        """Run ``work`` in a thread of its own. The end of the process cuts the thread off."""
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
        """Return how many threads run, by kind."""
        with self._changed:
            return {kind: count for kind, count in self._busy.items() if count}

    def wait_until_idle(self, patience: float | None = None) -> bool:
        """Wait until no thread runs. Returns False if that takes longer than ``patience`` seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(self._busy.values()), patience)


def exit_process() -> None:
    """End the process at once, with threads at work. Nothing is lost, because each page is one transaction."""
    logging.shutdown()
    os._exit(0)
