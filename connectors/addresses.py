"""Addresses of a user's own servers, as they are typed."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.ports import Account
from bridge.http import egress


def typed(address: str, scheme: str) -> SplitResult | None:
    """Return the parts of a server's address, with ``scheme`` where none was typed.

    None stands for an address without a host, with a user name or blanks, or of another scheme than http and https.
    """
    try:
        parts = urlsplit(address if "://" in address else f"{scheme}://{address}")
        named = bool(parts.hostname) and parts.scheme in ("http", "https") and parts.port != 0
    except ValueError:
        return None
    return parts if named and parts.username is None and not any(map(str.isspace, address)) else None


def is_open_to_others(parts: SplitResult, account: Account) -> bool:
    """Return True for http to a host that is neither this machine nor allowed, where others could read a password."""
    allowed = parts.hostname in LOOPBACK_HOSTS or egress.host_of(parts.geturl()) in account.allow_hosts
    return parts.scheme == "http" and not allowed
