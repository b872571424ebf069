"""Web applications served by a thread of this process, on a free port of the loopback address."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from bridge.web import serving


@contextmanager
def running(app: Any, **settings: Any) -> Iterator[int]:
    """Serve an application until the context ends, and yield its port. ``settings`` are those of uvicorn.Config.

    Raises RuntimeError if the server does not start.
    """
    server = uvicorn.Server(serving.config(app, port=0, **settings))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the web server did not start")
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
