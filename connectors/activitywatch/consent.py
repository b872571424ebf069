"""Take the address of an aw-server from the settings or from the user, and try it at once."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from urllib.parse import urlunsplit

from bridge.domain.errors import BridgeError, SetupError
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.http import egress
from connectors.activitywatch.server import CONNECT_AGAIN, Server
from connectors.addresses import typed

QUESTION = "The address of ActivityWatch; leave it empty for http://localhost:5600"
USUAL = "http://localhost:5600"


def authorise(account: Account, browser: Browser) -> None:
    """Save the server's address once it has answered. Raises SetupError if no ActivityWatch answers there."""
    address = safe(account.settings["url"].strip() or browser.ask(QUESTION) or USUAL)
    hosts = sorted({egress.host_of(address)} & {*account.allow_hosts})
    with closing(Server(address, {*account.allow_hosts, *hosts})) as server:
        try:
            server.buckets(now=datetime.now(UTC))
        except BridgeError as error:
            raise SetupError(
                say(
                    "no ActivityWatch answers at this address ({why}); see if it runs, then: {command}",
                    why=reason(error),
                    command=CONNECT_AGAIN,
                )
            ) from None
    account.save_token({"url": address, "hosts": hosts})


def safe(address: str) -> str:
    """Return a server's address without a path, http by default. Raises SetupError unless it is a plain one."""
    parts = typed(address, "http")
    if parts is None:
        raise SetupError(
            say(
                "the address of ActivityWatch looks like {example}; try again: {command}",
                example=USUAL,
                command=CONNECT_AGAIN,
            )
        )
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))
