"""Send requests to a CalDAV server. The password goes only to the user's host and to hosts named by its discovery."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from bridge import http
from bridge.domain.errors import NeedsLogin, Refused, SourceChanged
from bridge.domain.languages import say
from bridge.http import certificates, egress
from connectors.caldav import multistatus

if TYPE_CHECKING:
    import requests

CONNECT_AGAIN = "bridge connect caldav --user NAME --url ADDRESS --name LOGIN"
REDIRECTS_MAX = 5
MULTISTATUS = 207
PORTS = {"https": 443, "http": 80}
XML = "application/xml; charset=utf-8"
KEY_CHARACTERS = ":!$&'()*+,;=~"


class Declined(SourceChanged):
    """The server understood a request but refused it. ``status`` is the HTTP status."""

    def __init__(self, status: int) -> None:
        super().__init__(
            f"the calendar server declined a request (HTTP {status}); check its address, then: {CONNECT_AGAIN}"
        )
        self.status = status

    @property
    def is_gone(self) -> bool:
        """Return True if there is nothing at the address (HTTP 404 or 410)."""
        return self.status in (404, 410)


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A CalDAV login as the user typed it.

    Requests may reach ``hosts``, which may lie in the operator's network. ``trust`` tells which certificates to accept.
    """

    address: str
    name: str
    password: str
    hosts: Collection[str]
    trust: certificates.Trust | None = None


class Server:
    """A CalDAV server, for a single sync. Its requested waits count from ``now``, by default the clock's time."""

    def __init__(self, login: Login, *, now: datetime | None = None) -> None:
        from requests.auth import HTTPBasicAuth

        self.now = now
        self._hosts = login.hosts
        self._session = http.open_typed_session(login.hosts, login.trust)
        self._name, self._password = login.name.encode(), login.password.encode()
        # Bytes, because the library writes texts in Latin 1.
        self._session.auth = HTTPBasicAuth(self._name, self._password)
        self._origins = {origin(login.address)}

    def close(self) -> None:
        self._session.close()

    def trust(self, address: str) -> None:
        """Allow requests to the host of an address. Raises SourceChanged for http to a host not allowed before."""
        if origin(address) not in self._origins:
            if urlsplit(address).scheme != "https":
                raise SourceChanged(
                    say(
                        "the calendar server leads to an unencrypted address; check it, then: {command}",
                        command=CONNECT_AGAIN,
                    )
                )
            self._origins.add(origin(address))

    def propfind(self, address: str, properties: str, *, depth: int, discovering: bool = False) -> Listing:
        """Return the properties (XML elements) of an address, with ``depth`` 1 also of the addresses below it.

        ``discovering`` is as in ``ask``. Raises NotWebDav for another kind of answer, Declined if the server refuses,
        and the errors of ``ask``.
        """
        body = f'<d:propfind xmlns:d="DAV:" {NAMESPACES}><d:prop>{properties}</d:prop></d:propfind>'
        answer = self.ask("PROPFIND", address, body, headers={"Depth": str(depth)}, discovering=discovering)
        return _listing(answer)

    def report(self, address: str, body: str) -> Listing:
        """Return the answer to a report on an address. Raises NotWebDav for another kind of answer, Declined if
        refused.

        The request has depth 0, as RFC 6578 (3.2) demands.
        """
        return _listing(self.ask("REPORT", address, body, headers={"Depth": "0"}))

    def ask(
        self,
        method: str,
        address: str,
        body: str = "",
        *,
        headers: Mapping[str, str] | None = None,
        discovering: bool = False,
    ) -> requests.Response:
        """Send a request and return the answer. The body is XML unless ``headers`` say otherwise.

        Redirects to allowed hosts are followed, and if ``discovering`` also to other hosts. Raises SourceChanged for
        other redirects, Declined if the server refuses, NeedsLogin for a wrong login, and TryLater without an answer.
        """
        sent = {"Content-Type": XML, **(headers or {})}
        for _ in range(REDIRECTS_MAX + 1):
            answer = self._sent(method, address, body.encode(), sent)
            if not answer.is_redirect:
                self._check(answer)
                return answer
            address = joined(address, answer.headers["Location"])
            if discovering:
                self.trust(address)
            if origin(address) not in self._origins:
                raise SourceChanged(
                    say(
                        "the calendar server redirects to another host; check its address, then: {command}",
                        command=CONNECT_AGAIN,
                    )
                )
        raise SourceChanged(
            say("the calendar server redirects too often; check its address, then: {command}", command=CONNECT_AGAIN)
        )

    def _sent(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> requests.Response:
        import requests
        from requests.auth import HTTPBasicAuth, HTTPDigestAuth

        options: dict[str, Any] = {"data": body, "headers": headers, "timeout": http.TIMEOUT, "allow_redirects": False}
        try:
            answer = self._session.request(method, address, **options)
            wanted = answer.headers.get("WWW-Authenticate", "").lower()
            if answer.status_code == 401 and "digest" in wanted and isinstance(self._session.auth, HTTPBasicAuth):
                self._session.auth = HTTPDigestAuth(self._name.decode(), self._password.decode())
                answer = self._session.request(method, address, **options)
        except requests.RequestException as error:
            silent = say("the calendar server does not answer; check the address ({rule})", rule=egress.REFUSAL_TEXT)
            raise certificates.no_answer(error, address, self._hosts, CONNECT_AGAIN, silent) from None
        except ValueError:  # of a redirect that cannot be read
            raise SourceChanged(
                say(
                    "the calendar server answered with an unreadable address; check its address, then: {command}",
                    command=CONNECT_AGAIN,
                )
            ) from None
        return answer

    def _check(self, answer: requests.Response) -> None:
        from datetime import UTC

        status = answer.status_code
        if status == 401:
            raise NeedsLogin(
                say(
                    "the calendar server refused the login name or the app password; type both again: {command}",
                    command=CONNECT_AGAIN,
                )
            )
        if status == 403:
            raise Refused(
                say(
                    "the calendar server forbids this login to read there (HTTP 403); use another login: {command}",
                    command=CONNECT_AGAIN,
                )
            )
        if status in (501, 505, 507) or (400 <= status < 500 and status not in http.RETRY_LATER_STATUSES):
            raise Declined(status)
        http.raise_for_status(answer, now=self.now or datetime.now(UTC))


NAMESPACES = f'xmlns:c="{multistatus.CALDAV}" xmlns:s="{multistatus.SERVER}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A CalDAV server's answer about ``address``, which is the last of any redirects, and the addresses below it.

    ``token`` is the sync token, or "" without one.
    """

    address: str
    responses: list[multistatus.Response]
    token: str

    def at(self, href: str) -> str:
        """Return the absolute address of ``href``, a possibly relative address in the answer."""
        return joined(self.address, href)


def _listing(answer: requests.Response) -> Listing:
    if answer.status_code != MULTISTATUS:
        raise multistatus.NotWebDav(f"{multistatus.NOT_WEBDAV} (HTTP {answer.status_code})")
    found = multistatus.read(answer.content)
    return Listing(address=str(answer.url), responses=found.responses, token=found.token)


def joined(base: str, href: str) -> str:
    """Return the absolute address of ``href``, relative to ``base``. Raises SourceChanged if it is unusable."""
    try:
        found = urljoin(base, href)
        origin(found)
    except ValueError:
        raise SourceChanged(
            say(
                "the calendar server named an unreadable address; check its address, then: {command}",
                command=CONNECT_AGAIN,
            )
        ) from None
    return found


def origin(address: str) -> tuple[str, str, int]:
    """Return the scheme, the host and the port of an address. Raises ValueError for an address without a host.

    >>> origin("https://p01-caldav.icloud.com:443/1/") == origin("https://P01-caldav.icloud.com/")
    True
    """
    parts: SplitResult = urlsplit(address)
    if parts.scheme not in PORTS or not parts.hostname:
        raise ValueError("no address of a server")
    return parts.scheme, parts.hostname, parts.port or PORTS[parts.scheme]


def key_of(address: str) -> str:
    """Return the path of an address, always quoted alike, because servers quote the same path in several ways.

    A part of the path that contains ``@`` may be an e-mail address, so a digest replaces it.

    >>> key_of("https://example.com/dav/a%20b/"), key_of("https://example.com/dav/a b/")
    ('/dav/a%20b/', '/dav/a%20b/')
    """
    parts = unquote(urlsplit(address).path).split("/")
    return "/".join(_digest(part) if "@" in part else quote(part, safe=KEY_CHARACTERS) for part in parts)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=10).hexdigest()
