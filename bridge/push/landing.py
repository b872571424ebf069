"""The thread beside a server that lands what was taken in."""

from __future__ import annotations

import logging
import threading

from bridge import app
from bridge.push.inbox import land

log = logging.getLogger(__name__)

EVERY = 60.0  # seconds between two looks at what waits, where nothing arrives


class Landing:
    """Lands what waits when ``arrived`` is set, now and then, and at the start, until it is stopped."""

    def __init__(self, bridge: app.Bridge, arrived: threading.Event) -> None:
        self._bridge, self._arrived = bridge, arrived
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """What is landing now is finished; the rest lands at the next start."""
        self._stopping.set()
        self._arrived.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._arrived.clear()
            self._guarded()
            if not self._stopping.is_set():
                self._arrived.wait(EVERY)

    def _guarded(self) -> None:
        """A defect in one landing must not stop the server; the body waits for the next look."""
        try:
            land(self._bridge)
        except Exception as error:  # noqa: BLE001 - the text may be personal, the kind is not
            log.error("push: unexpected %s while landing", type(error).__name__)
