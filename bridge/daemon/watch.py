"""Whether the clock went on as time did: it is set, and machines sleep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

TOLERANCE = timedelta(minutes=2)  # clocks that are kept in step are slewed, and a busy machine is late


@dataclass(slots=True, kw_only=True)
class Watch:
    """A clock beside one that only counts seconds (``time.monotonic``, which stands still while a machine sleeps)."""

    clock: Callable[[], datetime]
    steady: Callable[[], float]
    last: tuple[datetime, float] | None = field(default=None)

    def jumped(self) -> timedelta:
        """How far the clock has run ahead of time since the last look, negative when it went back; 0 for a little."""
        now, steady = self.clock(), self.steady()
        before, self.last = self.last, (now, steady)
        if before is None:
            return timedelta(0)
        ahead = (now - before[0]) - timedelta(seconds=steady - before[1])
        return ahead if abs(ahead) > TOLERANCE else timedelta(0)
