"""Program that sends a single message, a JSON object on standard input, by Apprise.

It is a process of its own, so that it can be limited to permitted addresses and to a time.
"""

from __future__ import annotations

import json
import logging
import sys

SENT, NOT_TAKEN, UNKNOWN = 0, 1, 3  # exit statuses; a crash also exits with 1


def main() -> int:
    """Send the message on standard input. Return 0 if it was sent, 1 if not, 3 if Apprise does not know the address."""
    import apprise

    from bridge.http import egress

    logging.getLogger("apprise").setLevel(logging.CRITICAL)  # Apprise logs addresses
    wanted = json.load(sys.stdin)
    egress.confine(frozenset(wanted["allowed"]))
    post = apprise.Apprise()
    if not post.add(wanted["address"]):
        return UNKNOWN
    how = None if post[0].notify_format == "markdown" else "text"
    return SENT if post.notify(title=wanted["title"], body=wanted["text"], body_format=how) else NOT_TAKEN


if __name__ == "__main__":
    sys.exit(main())
