"""Protect the operator's network from addresses that users type (server-side request forgery).

Each IP address is checked as a connection is made, so redirects and changing names are covered.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from bridge.domain.languages import say

if TYPE_CHECKING:
    from requests.adapters import HTTPAdapter

MAX_TRIED_ADDRESSES = 4  # addresses of one name
UNICAST_NETWORK = IPv6Network("2000::/3")  # IPv6 addresses of the Internet (RFC 4291, 2.4; IANA's registry)
NAT64_NETWORK = IPv6Network("64:ff9b::/96")  # holds an IPv4 address in its last 32 bits (RFC 6052, 2.1)
# Azure's virtual public address of metadata and of the host's agent ("What is IP address 168.63.129.16?").
METADATA_ADDRESSES = frozenset({ip_address("168.63.129.16")})
# Not global in IANA's registry, but in some Pythons': protocol assignments (RFC 6890), relays of 6to4 (RFC 7526).
DENIED_NETWORKS = (ip_network("192.0.0.0/24"), ip_network("192.88.99.0/24"))
ADDRESS_EVENTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})  # audited as (socket, address)
REFUSAL_TEXT = say(
    "an address inside this network is reached only if the operator names its host in BRIDGE_ALLOW_HOSTS"
)

Found = tuple[Any, Any, int, str, Any]  # as socket.getaddrinfo gives it


class Refused(OSError):
    """The address is neither public nor allowed by the operator."""


def parse_hosts(text: str) -> frozenset[str]:
    """Return the host names in a text separated by commas, such as the setting ``BRIDGE_ALLOW_HOSTS``.

    They are in lower case, without brackets and final dots.

    >>> sorted(parse_hosts("NAS.lan., localhost,[::1]"))
    ['::1', 'localhost', 'nas.lan']
    """
    return frozenset(filter(None, map(_plain, text.split(","))))


def _plain(host: str) -> str:
    return host.strip().lower().strip("[]").rstrip(".")


def host_of(address: str) -> str:
    """Return the host in a URL, in the form of ``parse_hosts``. Return "" without a readable host."""
    try:
        return _plain(urlsplit(address).hostname or "")
    except ValueError:
        return ""


def is_public(address: str) -> bool:
    """Return True for a unicast address of the Internet, including IPv4 addresses that IPv6 embeds.

    Loopback, private, link-local (cloud metadata), shared (carrier NAT), unspecified, reserved and multicast
    addresses are not public. Raises ValueError for text that is no address.

    >>> [is_public(one) for one in ("8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::808:808", "2606:4700::1111")]
    [True, True, True, True]
    >>> [is_public(one) for one in ("127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "fe80::1%eth0", "2002:7f00:1::")]
    [False, False, False, False, False]
    """
    found = _embedded_ipv4(ip_address(address))
    if isinstance(found, IPv6Address) and found not in UNICAST_NETWORK:
        return False
    denied = found in METADATA_ADDRESSES or any(found in network for network in DENIED_NETWORKS)
    return found.is_global and not found.is_multicast and not denied


def _embedded_ipv4(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address that an IPv6 address embeds (mapped, 6to4, NAT64), else the address."""
    if isinstance(address, IPv4Address):
        return address
    if address in NAT64_NETWORK:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour or address


def permitted_addresses(
    host: str, port: int | str | None, allowed: Collection[str], *family_and_more: int, **options: Any
) -> list[Found]:
    """Return a few permitted addresses of a host, in the form of ``socket.getaddrinfo``.

    Raises Refused without a permitted address, and OSError or UnicodeError for an unknown name.
    """
    found = _look_up(host, port, *family_and_more, **options)
    permitted = found if _plain(host) in allowed else [info for info in found if _may_reach(info)]
    if not permitted:
        raise Refused(REFUSAL_TEXT)
    return permitted[:MAX_TRIED_ADDRESSES]


_look_up = socket.getaddrinfo


def _may_reach(info: Found) -> bool:
    family, *_, where = info
    return is_public(where[0]) and not _is_own(family, where)


def _is_own(family: int, where: Any) -> bool:
    """Return True if an address is this machine's, or in its IPv6 network, although it may look public."""
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(where)
        except OSError:  # no route: the connection fails as well
            return False
        return is_same_network(probe.getsockname()[0], where[0])


def is_same_network(own: str, other: str) -> bool:
    """Return True if two IPv4 addresses are equal, or two IPv6 addresses lie in the same /64 network.

    >>> is_same_network("2001:4860::1", "2001:4860::8888"), is_same_network("2001:4860::1", "2606:4700::1111")
    (True, False)
    >>> [is_same_network("8.8.8.8", other) for other in ("8.8.8.8", "8.8.4.4", "2606:4700::1111")]
    [True, False, False]
    """
    length = 64 if ":" in own else 32
    return ip_address(other) in ip_network(f"{own.partition('%')[0]}/{length}", strict=False)


def adapter(allowed: Collection[str], **options: Any) -> HTTPAdapter:
    """Return an adapter for ``requests`` that connects only to public addresses, and to the hosts in ``allowed``."""
    from urllib3 import HTTPConnectionPool, HTTPSConnectionPool
    from urllib3.connection import HTTPConnection, HTTPSConnection

    from bridge.http.transport import Bounded

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return _connect(self, allowed)

    class Sealed(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return _connect(self, allowed)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SealedPool(HTTPSConnectionPool):
        ConnectionCls = Sealed

    found = Bounded(**options)
    found.poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": SealedPool}
    return found


def _connect(connection: Any, allowed: Collection[str]) -> socket.socket:
    """Open a connection to a permitted address. All failures raise the same error, which reveals nothing."""
    from urllib3.exceptions import NewConnectionError
    from urllib3.util.connection import create_connection

    options = {"source_address": connection.source_address, "socket_options": connection.socket_options}
    try:
        for *_, where in permitted_addresses(connection.host, connection.port, allowed, type=socket.SOCK_STREAM):
            try:
                return create_connection(where[:2], connection.timeout, **options)
            except OSError:
                continue
    except (OSError, UnicodeError):
        pass
    raise NewConnectionError(connection, "no permitted address answers")


def confine(allowed: Collection[str]) -> None:
    """Refuse, for the rest of this process, connections except to public addresses and the hosts in ``allowed``.

    This is for libraries that open their own sockets. Any other connection raises Refused.
    """
    permitted: set[str] = set()

    def checked(host: Any, port: Any, *family_and_more: int, **options: int) -> list[Found]:  # as getaddrinfo
        name = host.decode("ascii") if isinstance(host, bytes) else host or ""
        found = permitted_addresses(name, port, allowed, *family_and_more, **options)
        permitted.update(where[0] for *_, where in found)
        return found

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ADDRESS_EVENTS and arguments[1] is not None and not _is_permitted(arguments[1], permitted):
            raise Refused(REFUSAL_TEXT)

    socket.getaddrinfo = checked
    sys.addaudithook(watch)


def _is_permitted(where: Any, permitted: Collection[str]) -> bool:
    try:
        return where[0] in permitted or is_public(where[0])
    except (TypeError, ValueError):
        return False
