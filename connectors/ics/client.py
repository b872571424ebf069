"""Pull a calendar from its secret address: the whole of it each time, unless it is as before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bridge import http
from bridge.errors import NeedsLogin, SourceChanged, TryLater
from bridge.ports import Account
from bridge.types import Page
from connectors.ics.consent import AGAIN
from connectors.ics.files import BEGIN
from connectors.ics.parse import LARGEST, STREAM, pages

if TYPE_CHECKING:
    import requests

CHUNK = 65_536
NAME = "calendar"  # of one that does not name itself; a connection has one calendar
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
GONE = (401, 403, 404, 410)


class Ics:
    """An address. It is never part of a record, a log or an error."""

    def __init__(self, account: Account) -> None:
        token = account.token() or {}
        if not token.get("url"):
            raise NeedsLogin(f"ics needs the calendar's secret address: {AGAIN}")
        self._address = str(token["url"])
        self._zone = account.zone
        own = account.settings["addresses"].lower().split(",")
        self._mine = frozenset(address.strip() for address in own if address.strip())
        self._session = http.open_session()

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """The calendar if it changed. A failed answer changes nothing; an empty calendar is a valid one."""
        seen: dict[str, str] = json.loads(cursor) if cursor else {}
        answer = self._ask(seen, now)
        if answer is None:
            yield Page(stream=stream, records=(), cursor=cursor)
            return
        content, marks = answer
        if marks["bytes"] != seen.get("bytes"):
            *before, last = pages(content, name=NAME, zone=self._zone, mine=self._mine)
            yield from before
            yield replace(last, cursor=json.dumps(marks, sort_keys=True))
        else:
            yield Page(stream=STREAM, records=(), cursor=json.dumps(marks, sort_keys=True))

    def _ask(self, seen: dict[str, str], now: datetime) -> tuple[bytes, dict[str, str]] | None:
        """(content, marks to compare with next time); None when the server says it is as before."""
        import requests

        headers = {header: seen[mark] for mark, header in CONDITIONS.items() if mark in seen}
        try:
            with self._session.get(self._address, headers=headers, timeout=http.TIMEOUT, stream=True) as answer:
                if answer.status_code == 304:
                    return None
                if answer.status_code in GONE:
                    raise NeedsLogin(f"the calendar's address no longer works; take the new one, then: {AGAIN}")
                http.check(answer, now=now)
                content = _content(answer)
                marks = {mark: answer.headers[mark] for mark in CONDITIONS if mark in answer.headers}
        except requests.RequestException as error:
            raise TryLater(f"the calendar's server does not answer ({type(error).__name__})") from None
        return content, {**marks, "bytes": hashlib.blake2b(content, digest_size=16).hexdigest()}


def _content(answer: requests.Response) -> bytes:
    """The calendar's text; a log-in page instead of one, or one without end, is refused."""
    content = b""
    chunks: Any = answer.iter_content(CHUNK)
    for chunk in chunks:
        content += chunk
        if len(content) > LARGEST:
            raise SourceChanged("the calendar is larger than 20 MB; give a smaller one")
    if not content.removeprefix(b"\xef\xbb\xbf").lstrip().upper().startswith(BEGIN):
        raise SourceChanged("the address answers something that is no calendar; check it, then: bridge connect ics")
    return content
