"""Threads by kind of work: never more of one kind at once than its limit, so that no source holds another up."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping


class Crew:
    """Work under way. ``limit`` gives how much of a kind may be at once; work must not raise."""

    def __init__(self, limit: Callable[[str], int]) -> None:
        self._limit = limit
        self._busy: Counter[str] = Counter()
        self._changed = threading.Condition()

    def free(self, kind: str) -> int:
        """How much more of a kind may begin now."""
        with self._changed:
            return max(0, self._limit(kind) - self._busy[kind])

    def begin(self, kind: str, work: Callable[[], object]) -> None:
        """Do it beside everything else. The threads do not outlive the process: whatever they do may be cut off."""
        with self._changed:
            threading.Thread(target=self._do, args=(kind, work), name=kind, daemon=True).start()
            self._busy[kind] += 1  # it cannot end before

    def _do(self, kind: str, work: Callable[[], object]) -> None:
        try:
            work()
        finally:
            with self._changed:
                self._busy[kind] -= 1
                self._changed.notify_all()

    def busy(self) -> Mapping[str, int]:
        with self._changed:
            return {kind: count for kind, count in self._busy.items() if count}

    def idle(self, patience: float | None = None) -> bool:
        """Wait until nothing is under way; False when that takes longer than so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not any(self._busy.values()), patience)
