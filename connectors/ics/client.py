"""Pull a calendar from its secret address. It is read whole, unless the server says that nothing changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bridge.domain.errors import NeedsLogin
from bridge.domain.languages import say
from bridge.domain.ports import Account
from bridge.domain.types import Covers, Page
from bridge.http import certificates, egress
from connectors.icalendar.components import READER
from connectors.ics.parse import addresses, pages
from connectors.ics.server import CONNECT_AGAIN, Server

DEFAULT_NAME = "calendar"  # of one that does not name itself; a connection has one calendar


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
        self._zone = account.zone
        self._mine = addresses(account.settings["addresses"]) | {*token.get("addresses", ())}
        self._server = Server(str(token["url"]), _hosts(account, token), certificates.stored_trust(token))
        self._found: dict[str | None, Found] = {}

    def close(self) -> None:
        self._server.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the stream's pages of the calendar, or a page without records if the calendar has not changed."""
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
        read_as = hashlib.blake2b(repr((READER, self._zone, sorted(self._mine))).encode(), digest_size=16).hexdigest()
        seen = seen if seen.get("read_as") == read_as else {}  # or nobody would read it with the new addresses
        answer = self._server.calendar(seen, now=now)
        if answer is None:
            return Found(pages=(), cursor=cursor)
        content, marks = answer
        changed = marks["bytes"] != seen.get("bytes")
        read = pages(content, name=DEFAULT_NAME, zone=self._zone, mine=self._mine) if changed else ()
        return Found(pages=tuple(read), cursor=json.dumps(marks | {"read_as": read_as}, sort_keys=True))


def _hosts(account: Account, token: dict[str, Any]) -> Collection[str]:
    address, given = str(token["url"]), account.settings.get("url", "").strip()
    host = egress.host_of(address)
    if address in (given, f"https{given.removeprefix('webcal')}") or host in token.get("hosts", ()):
        return {*account.allow_hosts, host}
    return account.allow_hosts if host in account.allow_hosts else ()
