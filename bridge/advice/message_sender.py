"""Program that hands a single message to Apprise, run as ``python -m bridge.advice.message_sender``.

Apprise's plug-ins open their own sockets and read proxies from the environment. A separate process can be confined to
permitted addresses and ended in time by its parent. Standard input is a JSON object with ``address``, ``title``,
``text`` and ``allowed`` (hosts). The exit status tells the result.
"""

from __future__ import annotations

import json
import logging
import sys

SENT, NOT_TAKEN, UNKNOWN = 0, 1, 3  # exit statuses; a crash also exits with 1


def main() -> int:
    """Send the message on standard input, and return the exit status.

    The status is 0 if it was sent, and 1 if not. It is 3 for an address that Apprise does not know. The message is sent
    as plain text, so that titles appear as written. For a service that takes Markdown no format is stated, because
    escaping would break links.
    """
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
