"""Check the address that a user types for a server of their own."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.ports import Account
from bridge.http import egress


def typed(address: str, scheme: str) -> SplitResult | None:
    """Return the parsed address of a server. An address without a scheme gets ``scheme``.

    Return None without a host, with a user name or blanks, and for a scheme other than http and https.
    """
    try:
        parts = urlsplit(address if "://" in address else f"{scheme}://{address}")
        named = bool(parts.hostname) and parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        return None
    return parts if named and parts.username is None and not any(map(str.isspace, address)) else None


def is_open_to_others(parts: SplitResult, account: Account) -> bool:
    """Return True if a password sent to this address could be read on the way.

    That is so for plain http to another machine, unless the user allowed its host.
    """
    allowed = parts.hostname in LOOPBACK_HOSTS or egress.host_of(parts.geturl()) in account.allow_hosts
    return parts.scheme == "http" and not allowed
