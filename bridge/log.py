"""Logs without personal data: names of sources, counts and error kinds; never payloads, titles, tokens or addresses."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime

from bridge.errors import SetupError

# Libraries that write URLs, headers or bodies into their debug and info lines.
TALKATIVE = (
    *("urllib3", "requests", "requests_oauthlib", "oauthlib", "googleapiclient", "google", "httplib2", "alembic"),
    *("apscheduler", "apprise"),
)
COUNTED = ("source", "connection", "outcome", "new")  # what a line may say beside its text


class Structured(logging.Formatter):
    """One JSON object per line: ``at``, ``level``, ``from``, ``message``, and what was counted."""

    def format(self, record: logging.LogRecord) -> str:
        body = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage(),
        }
        body |= {name: getattr(record, name) for name in COUNTED if hasattr(record, name)}
        if record.exc_info and record.exc_info[0]:
            body["error"] = record.exc_info[0].__name__
        return json.dumps(body)


def configure(*, verbose: bool = False) -> None:
    """Log to standard error: warnings by default, our own progress with ``verbose``; libraries only warnings.

    ``BRIDGE_LOG=json`` writes objects instead of lines of text.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(os.environ.get("BRIDGE_LOG", "text")))
    logging.basicConfig(handlers=[handler], level=logging.INFO if verbose else logging.WARNING)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.ERROR)


def _formatter(kind: str) -> logging.Formatter:
    if kind not in ("text", "json"):
        raise SetupError("BRIDGE_LOG is text or json")
    return Structured() if kind == "json" else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
