"""Configure logging so that it holds no personal data: no payloads, titles, tokens or addresses."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from datetime import UTC, datetime

from bridge.domain.errors import SetupError

# Libraries that write URLs, headers or bodies into their debug and info lines.
TALKATIVE_LIBRARIES = (
    *("urllib3", "requests", "requests_oauthlib", "oauthlib", "googleapiclient", "google", "httplib2", "alembic"),
    *("apscheduler", "apprise"),
)
SERVER_LOGGERS = ("bridge.ingest.push", "bridge.web", "uvicorn", "asyncio")  # outsiders can cause lines of servers
LINES_PER_WINDOW, LINES_WINDOW_SECONDS = 20, 60.0
LOGGED_FIELDS = ("source", "connection", "outcome", "new")  # attributes of a record that a JSON line repeats


class LineLimit(logging.Filter):
    """A filter that limits how many log lines a minute a place in the code writes, as outsiders may cause them."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[
            tuple[str, int], tuple[float, int]
        ] = {}  # place in the code -> begin of the window, number of lines
        self._lock = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if a line is to be written, and False if it is over the limit."""
        if not record.name.startswith(SERVER_LOGGERS):
            return True
        place, now = (record.pathname, record.lineno), time.monotonic()
        with self._lock:
            begun, lines = self._lines.get(place, (now, 0))
            over = now - begun >= LINES_WINDOW_SECONDS
            self._lines[place] = (now, 1) if over else (begun, lines + 1)
        if over and lines > LINES_PER_WINDOW:
            record.msg, record.args = f"{record.getMessage()} ({lines - LINES_PER_WINDOW} like it left out)", None
        return over or lines < LINES_PER_WINDOW


class JsonFormatter(logging.Formatter):
    """A formatter that writes a JSON object per line: ``at``, ``level``, ``from`` (the logger) and ``message``.

    Where known, ``source``, ``connection``, ``outcome``, ``new`` and ``error`` (an exception's class) are added.
    """

    def format(self, record: logging.LogRecord) -> str:
        body = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage(),
        }
        body |= {name: getattr(record, name) for name in LOGGED_FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0]:
            body["error"] = record.exc_info[0].__name__
        return json.dumps(body)


def configure(*, verbose: bool = False) -> None:
    """Write warnings and errors to standard error, and with ``verbose`` also lines of the level info.

    Raises SetupError for a ``BRIDGE_LOG`` other than text or json.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(LineLimit())
    handler.setFormatter(_formatter(os.environ.get("BRIDGE_LOG", "text")))
    logging.basicConfig(handlers=[handler], level=logging.INFO if verbose else logging.WARNING)
    for name in TALKATIVE_LIBRARIES:
        logging.getLogger(name).setLevel(logging.ERROR)


def _formatter(kind: str) -> logging.Formatter:
    if kind not in ("text", "json"):
        raise SetupError("BRIDGE_LOG must be text or json; set it to one of them, or unset it")
    return JsonFormatter() if kind == "json" else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
