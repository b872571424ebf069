"""Pull a calendar from its secret address. It is read whole, unless the server says that nothing changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from bridge import http
from bridge.domain.errors import NeedsLogin, Refused, SourceChanged, TryLater
from bridge.domain.languages import say
from bridge.domain.ports import Account
from bridge.domain.types import Covers, Page
from bridge.http import egress
from connectors.ics.consent import CONNECT_AGAIN
from connectors.ics.files import addresses, begins
from connectors.ics.parse import CALENDAR_MAX_BYTES, pages

if TYPE_CHECKING:
    import requests

CHUNK = 65_536
DEFAULT_NAME = "calendar"  # of one that does not name itself; a connection has one calendar
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
GONE_STATUSES = (401, 410)
REFUSED_STATUSES = (403, 404)  # by a server or by something on the way to it
REDIRECTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The result of a request for a calendar, with the pages of all streams and the next cursor.

    An unchanged calendar has no pages.
    """

    pages: tuple[Page, ...]
    cursor: str | None


class Ics:
    """A calendar's secret address, opened for a single sync. The address never appears in a record, a log or an
    error.
    """

    def __init__(self, account: Account) -> None:
        token = account.token() or {}
        if not token.get("url"):
            raise NeedsLogin(say("ics needs the calendar's secret address: {command}", command=CONNECT_AGAIN))
        self._address = str(token["url"])
        self._zone = account.zone
        self._mine = addresses(account.settings["addresses"])
        self._session = http.open_typed_session(_hosts(account, self._address))
        self._found: dict[str | None, Found] = {}

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the stream's pages of the calendar, or a page without records if the calendar has not changed.

        Stored entries that the calendar lacks are deleted, even if only its name or address changed. An empty calendar
        is valid. The calendar is requested once for all streams with the same cursor.
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
        read = pages(content, name=DEFAULT_NAME, zone=self._zone, mine=self._mine) if changed else ()
        return Found(pages=tuple(read), cursor=json.dumps(marks | {"read_as": read_as}, sort_keys=True))

    def _ask(self, seen: dict[str, str], now: datetime) -> tuple[bytes, dict[str, str]] | None:
        """Request the calendar, with the validators of the last answer in ``seen``, and follow up to five redirects.

        Returns (content, validators for the next request), or None if nothing changed. Validators are ETag and
        Last-Modified. Raises TryLater without an answer, SourceChanged for a redirect that is not followed, and the
        errors of ``_read``.
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
        except requests.RequestException:  # refused, closed and silent read the same: they tell of a network inside
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
        """Return the URL to which ``location`` redirects.

        Raises SourceChanged for a URL without https, unless its scheme and host are those of the calendar's own
        address. The session checks which hosts it connects to.
        """
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


def _hosts(account: Account, address: str) -> Collection[str]:
    """Return the host names inside the operator's network that requests for a calendar's address may reach.

    They are the account's ``allow_hosts`` if the address is on any of these, else none. An address from the settings
    may also reach its own host.
    """
    host, given = egress.host_of(address), account.settings.get("url", "").strip()
    if address in (given, f"https{given.removeprefix('webcal')}"):
        return {*account.allow_hosts, host}
    return account.allow_hosts if host in account.allow_hosts else ()


def _read(answer: requests.Response, now: datetime) -> tuple[bytes, dict[str, str]] | None:
    """Return (a calendar's content, its validators), or None for status 304 (not modified).

    The validators are the answer's ETag and Last-Modified, and ``bytes``, a digest of the content. Raises NeedsLogin or
    Refused if the address no longer works, and the errors of ``bridge.http``.
    """
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
    """Return the content of an answer. Raises SourceChanged above 20 MB, and TryLater if it is not a calendar."""
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
        raise TryLater(  # perhaps a log-in page of the network this machine is in
            say(
                "the calendar's address answers something that is no calendar; check it, then: {command}",
                command=CONNECT_AGAIN,
            )
        )
    return bytes(content)
