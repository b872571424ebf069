"""Send a source no more requests a second than it allows, counted over all processes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.domain.errors import TryLater
from bridge.domain.languages import say

if TYPE_CHECKING:
    from bridge.store import Store

PATIENCE = timedelta(seconds=5)  # for which requests are reserved ahead, and waited for


@dataclass(slots=True, kw_only=True)
class Ration:
    """A permission to send requests to a source at ``rate`` a second (None for no limit), over all processes together.

    It reserves ``block`` requests at a time.
    """

    store: Store
    source: str
    rate: float | None
    block: int
    left: int = 0
    ready: float = 0.0  # on the monotonic clock, when those left may be sent

    def reserve(self) -> timedelta:
        """Reserve the next block of requests, and return the wait before it. If that is too long, reserve nothing."""
        if self.rate is None:
            return timedelta(0)
        worth = timedelta(seconds=self.block / self.rate)
        wait = self.store.rates.reserve(self.source, worth, now=datetime.now(UTC), patience=PATIENCE)
        self.left = 0 if wait > PATIENCE else self.block
        self.ready = time.monotonic() + wait.total_seconds()
        return wait

    def take(self) -> None:
        """Wait until the next request may be sent, and count it. Raises TryLater if the wait would be too long."""
        if self.rate is None:
            return
        if self.left == 0 and (wait := self.reserve()) > PATIENCE:
            raise TryLater(say("the source allows no more requests for now"), after=wait, limited=True)
        time.sleep(max(0.0, self.ready - time.monotonic()))
        self.left -= 1
