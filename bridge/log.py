"""Logs without personal data: names of sources, counts and error kinds; never payloads, titles, tokens or addresses."""

from __future__ import annotations

import logging
import sys

# Libraries that write URLs, headers or bodies into their debug and info lines.
TALKATIVE = (
    *("urllib3", "requests", "requests_oauthlib", "oauthlib", "googleapiclient", "google", "httplib2", "alembic"),
    "apscheduler",
)


def configure(*, verbose: bool = False) -> None:
    """Log to standard error: warnings by default, our own progress with ``verbose``; libraries only warnings."""
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.INFO if verbose else logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.ERROR)
