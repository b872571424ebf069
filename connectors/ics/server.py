"""Fetch a calendar from its secret address. The server may answer that nothing changed."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from bridge import http
from bridge.domain.errors import NeedsLogin, Refused, SourceChanged, TryLater
from bridge.domain.languages import say
from bridge.http import certificates, egress
from connectors.icalendar.text import begins
from connectors.ics.parse import CALENDAR_MAX_BYTES

if TYPE_CHECKING:
    import requests

CONNECT_AGAIN = "bridge connect ics --user NAME"
CHUNK = 65_536
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
GONE_STATUSES = (401, 410)
REFUSED_STATUSES = (403, 404)  # by a server or by something on the way to it
REDIRECTS = 5
Answer = tuple[bytes, dict[str, str]]  # a calendar's text, and the validators for the next request


class NoCalendar(TryLater):
    """The address answers something else than a calendar, perhaps the log-in page of the network in between."""


class Server:
    """The server of a calendar, asked at its secret ``address``. No error names the address."""

    def __init__(self, address: str, hosts: Collection[str], trust: certificates.Trust | None = None) -> None:
        self._address, self._hosts = address, hosts
        self._session = http.open_typed_session(hosts, trust)

    def close(self) -> None:
        self._session.close()

    def calendar(self, seen: dict[str, str], *, now: datetime) -> Answer | None:
        """Request the calendar with the last answer's validators. Return (content, new validators), None if unchanged.

        Raises TryLater without an answer, SourceChanged for a redirect not followed, and those of ``_read``.
        """
        import requests

        headers = {header: seen[mark] for mark, header in CONDITIONS.items() if mark in seen}
        address = self._address
        try:
            for _ in range(REDIRECTS + 1):
                with self._get(address, headers) as answer:
                    if answer.is_redirect:
                        address = self._next(address, answer.headers["Location"])
                        continue
                    return _read(answer, now)
        except requests.RequestException as error:
            untrusted = certificates.refusal(error, address, self._hosts, CONNECT_AGAIN)
            if untrusted is not None:
                raise untrusted from None
            # Refused, closed and silent read the same: they tell of a network inside.
            raise TryLater(
                say("the calendar's server does not answer; check the address ({rule})", rule=egress.REFUSAL_TEXT)
            ) from None
        except ValueError:  # requests looks at a redirect's address even where it shall not follow
            raise SourceChanged(
                say("the calendar's server redirects to an unreadable address; check the calendar's address")
            ) from None
        raise SourceChanged(say("the calendar's server redirects too often; check the address"))

    def _get(self, address: str, headers: dict[str, str]) -> requests.Response:
        options: dict[str, Any] = {"timeout": http.TIMEOUT, "stream": True, "allow_redirects": False}
        return self._session.get(address, headers=headers, **options)

    def _next(self, address: str, location: str) -> str:
        """Return the URL to which ``location`` redirects."""
        first, target = urlsplit(self._address), urljoin(address, location)
        parts = urlsplit(target)
        if (parts.scheme, parts.netloc) == (first.scheme, first.netloc):
            return target
        if parts.scheme != "https":
            raise SourceChanged(
                say(
                    "the calendar's server redirects to an unencrypted address; "
                    "copy its https address, then: {command}",
                    command=CONNECT_AGAIN,
                )
            )
        return target


def _read(answer: requests.Response, now: datetime) -> Answer | None:
    if answer.status_code == 304:
        return None
    if answer.status_code in (*GONE_STATUSES, *REFUSED_STATUSES):
        meaning = NeedsLogin if answer.status_code in GONE_STATUSES else Refused
        raise meaning(
            say("the calendar's address no longer works; take the new one, then: {command}", command=CONNECT_AGAIN)
        )
    http.raise_for_status(answer, now=now)
    content = _content(answer)
    marks = {mark: answer.headers[mark] for mark in CONDITIONS if mark in answer.headers}
    return content, {**marks, "bytes": hashlib.blake2b(content, digest_size=16).hexdigest()}


def _content(answer: requests.Response) -> bytes:
    content = bytearray()
    chunks: Any = answer.iter_content(CHUNK)
    for chunk in chunks:
        content += chunk
        if len(content) > CALENDAR_MAX_BYTES:
            raise SourceChanged(
                say(
                    "the calendar is larger than 20 MB; take the address of a smaller one, then: {command}",
                    command=CONNECT_AGAIN,
                )
            )
    if not begins(bytes(content[:CHUNK])):
        raise NoCalendar(
            say(
                "the calendar's address answers something that is no calendar; check it, then: {command}",
                command=CONNECT_AGAIN,
            )
        )
    return bytes(content)
