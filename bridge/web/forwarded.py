"""Find the address of a client behind trusted proxies. Anyone can send ``X-Forwarded-For``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from bridge.domain.errors import SetupError

FORWARDED_FOR_HEADER = "x-forwarded-for"
HEADER_PATTERN = re.compile(r"[a-z0-9-]{1,64}")
COMMON_HEADERS = frozenset({"authorization", "cookie", "host", "origin", "user-agent", FORWARDED_FOR_HEADER})
CUSTOMER_PREFIX_BITS = 64  # of IPv6: the smallest network of a customer (RFC 6177, section 2)

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address


class Forwarded:
    """ASGI middleware that replaces each request's client address by the one that trusted proxies report.

    The header ``user_header``, in which a proxy names the user, is removed from requests of others.
    """

    def __init__(self, app: ASGIApp, *, proxies: Sequence[Network] = (), user_header: str = "") -> None:
        self._app, self._proxies, self._user_header = app, proxies, user_header

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            peer, _ = scope.get("client") or ("", 0)
            if self._user_header:
                named = _taken_out(scope, self._user_header)
                believed = named if is_trusted(peer, self._proxies) else []
                scope.setdefault("state", {})["proxy_user"] = user_named(believed)
            headers = Headers(scope=scope)
            scope["client"] = (client(peer, headers.getlist(FORWARDED_FOR_HEADER), self._proxies), 0)
            if headers.get("x-forwarded-proto", "").rpartition(",")[2].strip() == "https":
                scope["scheme"] = "https"
        await self._app(scope, receive, send)


def _taken_out(scope: Scope, name: str) -> list[bytes]:
    raw = name.encode()
    values = [value for key, value in scope["headers"] if key == raw]
    scope["headers"] = [pair for pair in scope["headers"] if pair[0] != raw]
    return values


def user_named(values: Sequence[bytes]) -> str | None:
    """Return the user's name in the values of a header, decoded as UTF-8. Invalid bytes become replacement characters.

    Return None if the header is missing, empty or there twice.

    >>> user_named([b"ana"]), user_named([]), user_named([b"ana", b"ben"])
    ('ana', None, None)
    """
    if len(values) != 1:
        return None
    return values[0].decode("utf-8", "replace").strip() or None


def check_user_header(name: str, proxies: Sequence[Network]) -> None:
    """Raise SetupError if the header's name is one that HTTP uses otherwise, or if no trusted proxy is set.

    ``name`` is the setting ``BRIDGE_USER_HEADER``. If it is empty, nothing is raised.
    """
    if not name:
        return
    if not HEADER_PATTERN.fullmatch(name) or name in COMMON_HEADERS:
        raise SetupError(
            "BRIDGE_USER_HEADER must be a header that only your proxy sets, e.g. Remote-User; "
            "correct it and start again"
        )
    if not proxies:
        raise SetupError(
            "BRIDGE_USER_HEADER is believed of named proxies only; name yours and start again: "
            "BRIDGE_TRUSTED_PROXIES=127.0.0.1"
        )


def networks(text: str) -> tuple[Network, ...]:
    """Return the networks in ``BRIDGE_TRUSTED_PROXIES``, addresses and networks separated by commas.

    Raises SetupError for anything else.

    >>> networks("127.0.0.1, 10.0.0.0/8")
    (IPv4Network('127.0.0.1/32'), IPv4Network('10.0.0.0/8'))
    """
    try:
        return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise SetupError(
            "BRIDGE_TRUSTED_PROXIES must hold addresses or networks, e.g. 127.0.0.1,10.0.0.0/8, "
            f"but {error}; correct it and start again"
        ) from None


def client(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """Return the address of the client, which is the right-most address that is not a trusted proxy's.

    ``peer`` is the connected address and ``forwarded`` the values of ``X-Forwarded-For``. An entry that is no address
    ends the search, as entries to its left may be forged. If all are trusted, the left-most is returned.

    >>> client("127.0.0.1", ["6.6.6.6, 9.9.9.9"], networks("127.0.0.1"))
    '9.9.9.9'
    >>> client("9.9.9.9", ["6.6.6.6"], networks("127.0.0.1"))
    '9.9.9.9'
    """
    hops = ",".join(forwarded).split(",")
    found, address = _address(peer), peer
    while found is not None and hops and _is_in(found, trusted):
        found = _address(hops.pop())
        address = address if found is None else str(found)
    return address


def customer_network(address: str) -> str:
    """Return the key by which a client is limited, its IPv4 address, or the /64 network of its IPv6 address.

    Text that is no address is returned unchanged.

    >>> customer_network("192.0.2.7"), customer_network("2001:db8::1:2")
    ('192.0.2.7', '2001:db8::/64')
    """
    found = _address(address)
    if not isinstance(found, IPv6Address):
        return address if found is None else str(found)
    return str(ip_network((found, CUSTOMER_PREFIX_BITS), strict=False))


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    found = _address(address)
    return found is not None and _is_in(found, trusted)


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _address(text: str) -> Address | None:
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found
