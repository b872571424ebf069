"""Pull a calendar from its secret address: the whole of it each time, unless it is as before."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from bridge import http
from bridge.errors import NeedsLogin, SourceChanged, TryLater
from bridge.ports import Account
from bridge.types import Covers, Page
from connectors.ics.consent import AGAIN
from connectors.ics.files import addresses, begins
from connectors.ics.parse import LARGEST, pages

if TYPE_CHECKING:
    import requests

CHUNK = 65_536
NAME = "calendar"  # of one that does not name itself; a connection has one calendar
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
GONE = (401, 403, 404, 410)
REDIRECTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the address answers: the pages of all streams, none when it is as before, and the next cursor."""

    pages: tuple[Page, ...]
    cursor: str | None


class Ics:
    """An address, for one sync. It is never part of a record, a log or an error."""

    def __init__(self, account: Account) -> None:
        token = account.token() or {}
        if not token.get("url"):
            raise NeedsLogin(f"ics needs the calendar's secret address: {AGAIN}")
        self._address = str(token["url"])
        self._zone = account.zone
        self._mine = addresses(account.settings["addresses"])
        self._session = http.open_session()
        self._found: dict[str | None, Found] = {}

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """The calendar if it changed. A failed answer changes nothing; an empty calendar is a valid one.

        Streams that stand at the same cursor share one answer. Whatever a connection has of a stream is covered,
        so that neither a calendar's new name nor its new address leaves the old one's events behind.
        """
        if cursor not in self._found:
            self._found[cursor] = self._look(cursor, now)
        found = self._found[cursor]
        mine = [page for page in found.pages if page.stream == stream]
        if not mine:
            yield Page(stream=stream, records=(), cursor=found.cursor)
            return
        yield from mine[:-1]
        yield replace(mine[-1], cursor=found.cursor, covers=Covers())

    def _look(self, cursor: str | None, now: datetime) -> Found:
        seen: dict[str, str] = json.loads(cursor) if cursor else {}
        read_as = hashlib.blake2b(repr((self._zone, sorted(self._mine))).encode(), digest_size=16).hexdigest()
        seen = seen if seen.get("read_as") == read_as else {}  # or nobody would read it with the new addresses
        answer = self._ask(seen, now)
        if answer is None:
            return Found(pages=(), cursor=cursor)
        content, marks = answer
        changed = marks["bytes"] != seen.get("bytes")
        read = pages(content, name=NAME, zone=self._zone, mine=self._mine) if changed else ()
        return Found(pages=tuple(read), cursor=json.dumps(marks | {"read_as": read_as}, sort_keys=True))

    def _ask(self, seen: dict[str, str], now: datetime) -> tuple[bytes, dict[str, str]] | None:
        """(content, marks to compare with next time); None when the server says it is as before."""
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
            raise TryLater(f"the calendar's server does not answer ({type(error).__name__})") from None
        except ValueError:  # requests looks at a redirect's address even where it shall not follow
            raise SourceChanged("the calendar's server sends us to an unreadable address; check it") from None
        raise SourceChanged("the calendar's server sends us round in circles; check the address")

    def _get(self, address: str, headers: dict[str, str]) -> requests.Response:
        options: dict[str, Any] = {"timeout": http.TIMEOUT, "stream": True, "allow_redirects": False}
        return self._session.get(address, headers=headers, **options)

    def _next(self, address: str, location: str) -> str:
        """Where a redirect leads. The secret is not sent on unencrypted, nor can a server of the outside world point us
        at this machine or one of its network.
        """
        first, target = urlsplit(self._address), urljoin(address, location)
        parts = urlsplit(target)
        if (parts.scheme, parts.netloc) == (first.scheme, first.netloc):
            return target
        if parts.scheme != "https" or (_is_near(parts.hostname) and not _is_near(first.hostname)):
            raise SourceChanged("the calendar's server sends us to an unsafe address; check it")
        return target


def _is_near(host: str | None) -> bool:
    """Whether a name leads to this machine or its own network; not where it leads nowhere."""
    try:
        found = socket.getaddrinfo(host or "", None)
    except (OSError, UnicodeError):
        return False
    return not all(ipaddress.ip_address(where[0]).is_global for *_, where in found)


def _read(answer: requests.Response, now: datetime) -> tuple[bytes, dict[str, str]] | None:
    """A calendar's text and its marks, None for "as before". Raises the bridge's errors for anything else."""
    if answer.status_code == 304:
        return None
    if answer.status_code in GONE:
        raise NeedsLogin(f"the calendar's address no longer works; take the new one, then: {AGAIN}")
    http.check(answer, now=now)
    content = _content(answer)
    marks = {mark: answer.headers[mark] for mark in CONDITIONS if mark in answer.headers}
    return content, {**marks, "bytes": hashlib.blake2b(content, digest_size=16).hexdigest()}


def _content(answer: requests.Response) -> bytes:
    """The calendar's text; a log-in page instead of one, or one without end, is refused."""
    content = bytearray()
    chunks: Any = answer.iter_content(CHUNK)
    for chunk in chunks:
        content += chunk
        if len(content) > LARGEST:
            raise SourceChanged("the calendar is larger than 20 MB; give a smaller one")
    if not begins(bytes(content[:CHUNK])):
        raise SourceChanged(
            "the address answers something that is no calendar; check it, then: bridge connect ics --user NAME"
        )
    return bytes(content)
