"""Check the address that a user types for a server of their own, and ask for it."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.errors import NeedsLogin, SetupError
from bridge.domain.languages import Text
from bridge.domain.ports import Account, Browser
from bridge.http import egress


def ask(browser: Browser, question: str, missing: Text) -> str:
    """Return the user's answer to a question. Raises NeedsLogin with the text ``missing`` if the answer is empty."""
    answer = browser.ask(question)
    if not answer:
        raise NeedsLogin(missing)
    return answer.strip()


def typed(address: str, scheme: str, unreadable: Text) -> SplitResult:
    """Return the parsed address of a server. An address without a scheme gets ``scheme``.

    Raises SetupError with the text ``unreadable`` if the address has no host, contains a user name or blanks, or has
    another scheme than http or https.
    """
    try:
        parts = urlsplit(address if "://" in address else f"{scheme}://{address}")
        named = bool(parts.hostname) and parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        raise SetupError(unreadable) from None
    if not named or parts.username is not None or any(map(str.isspace, address)):
        raise SetupError(unreadable)
    return parts


def typed_for_secrets(address: str, account: Account, unreadable: Text, unencrypted: Text) -> SplitResult:
    """Return the parsed address of a server that a password is sent to, with https if no scheme was typed.

    Raises SetupError with ``unencrypted`` for http to another machine that the account does not allow, and with
    ``unreadable`` for text that is no address of a server.
    """
    parts = typed(address, "https", unreadable)
    allowed = parts.hostname in LOOPBACK_HOSTS or egress.host_of(parts.geturl()) in account.allow_hosts
    if parts.scheme == "http" and not allowed:
        raise SetupError(unencrypted)
    return parts
