"""Ask for a calendar's secret address, which needs no login, and pull the calendar from it.

The calendar is read whole, unless the server says that nothing changed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit, urlunsplit

from bridge import http
from bridge.auth.redirect_listener import LOOPBACK_HOSTS
from bridge.domain.errors import BridgeError, NeedsLogin, Refused, SetupError, SourceChanged, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.domain.types import Covers, Page
from bridge.http import certificates, egress
from connectors.icalendar.components import READER
from connectors.icalendar.text import begins
from connectors.ics.parse import ADDRESS, CALENDAR_MAX_BYTES, addresses, pages

if TYPE_CHECKING:
    import requests


CONNECT_AGAIN = "bridge connect ics --user NAME"
CHUNK = 65_536
CONDITIONS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
GONE_STATUSES = (401, 410)
REFUSED_STATUSES = (403, 404)  # by a server or by something on the way to it
REDIRECTS = 5
Answer = tuple[bytes, dict[str, str]]  # a calendar's text, and the validators for the next request
DEFAULT_NAME = "calendar"  # of one that does not name itself; a connection has one calendar
YES = ("y", "yes", "j", "ja", "o", "oui", "s", "si", "s\u00ed", "sim", "tak", "\u0434\u0430")
WHERE = say("in Google Calendar: Settings, the calendar, Integrate calendar, Secret address in iCal format")


class NoCalendar(TryLater):
    """The address answers with something else than a calendar, such as a network's log-in page."""


class Server:
    """The server of a calendar's secret ``address``, which appears in no error."""

    def __init__(self, address: str, hosts: Collection[str], trust: certificates.Trust | None = None) -> None:
        self._address, self._hosts = address, hosts
        self._session = http.open_typed_session(hosts, trust)

    def close(self) -> None:
        self._session.close()

    def calendar(self, seen: dict[str, str], *, now: datetime) -> Answer | None:
        """Return (content of the calendar, validators of this answer), or None if the calendar has not changed.

        ``seen`` holds the validators (ETag, Last-Modified) of the last answer. Raises TryLater without an answer, and
        SourceChanged for a refused redirect or too large a calendar.
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
            silent = say("the calendar's server does not answer; check the address ({rule})", rule=egress.REFUSAL_TEXT)
            raise certificates.no_answer(error, address, self._hosts, CONNECT_AGAIN, silent) from None
        except ValueError:  # requests looks at a redirect's address even where it shall not follow
            raise SourceChanged(
                say("the calendar's server redirects to an unreadable address; check the calendar's address")
            ) from None
        raise SourceChanged(say("the calendar's server redirects too often; check the address"))

    def _get(self, address: str, headers: dict[str, str]) -> requests.Response:
        options: dict[str, Any] = {"timeout": http.TIMEOUT, "stream": True, "allow_redirects": False}
        return self._session.get(address, headers=headers, **options)

    def _next(self, address: str, location: str) -> str:
        """Return the address that a redirect leads to. Raises SourceChanged for plain http on another host."""
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
                "the calendar's address answers something that is not a calendar; check it, then: {command}",
                command=CONNECT_AGAIN,
            )
        )
    return bytes(content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A calendar as it was read, with the pages of all streams (none if it is unchanged) and the next cursor."""

    pages: tuple[Page, ...]
    cursor: str | None


class Ics:
    """Connector for a calendar's secret address, for a single sync. The address appears in no record, log or error."""

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


def authorise(account: Account, browser: Browser) -> None:
    """Save the calendar's address, from the settings or by asking, once a calendar was read from it.

    Raises NeedsLogin if no address is given, and SetupError for an unsafe address or one without a calendar.
    """
    address = account.settings["url"] or browser.ask(say("The calendar's secret address ({where})", where=WHERE))
    if not address:
        raise NeedsLogin(
            say(
                "ics needs the calendar's secret address ({where}), then: {command}", where=WHERE, command=CONNECT_AGAIN
            )
        )
    token: dict[str, Any] = {"url": safe(address.strip())}
    inside = {egress.host_of(token["url"])} & {*account.allow_hosts}
    hosts = account.allow_hosts if inside else frozenset[str]()

    def tried(trust: certificates.Trust | None) -> str:
        return _tried(Server(token["url"], hosts, trust), account)

    name, trust = certificates.with_trust(browser, token["url"], account.settings.get("ca", ""), tried)
    token |= {} if trust is None else {certificates.TRUST_FIELD: trust.stored()}
    token |= {"hosts": sorted(inside)} if inside else {}
    if not account.settings["addresses"] and ADDRESS.fullmatch(name) and _is_own(name, browser):
        token["addresses"] = [name.lower()]
    account.save_token(token)


def _is_own(address: str, browser: Browser) -> bool:
    asked = say(
        "This calendar is named {address}. Is that you? With yes, meetings that you declined do not count (yes or no)",
        address=address,
    )
    return (browser.ask(asked) or "").strip().casefold() in {*YES, address.casefold()}


def _tried(asked: Server, account: Account) -> str:
    """Return the name of the calendar, or "", after reading it as a test. Raises SetupError if that fails."""
    with closing(asked) as server:
        try:
            answer = server.calendar({}, now=datetime.now(UTC))
            read = pages(answer[0] if answer else b"", name="", zone=account.zone)
            named = (str(record.payload.get("calendar", "")) for page in read for record in page.records)
            return next(named, "")
        except NoCalendar:
            raise SetupError(
                say(
                    "this address leads to something else than a calendar, such as a web page. Copy the secret "
                    "address in iCal format, which often ends in .ics, and paste it: {command}",
                    command=CONNECT_AGAIN,
                )
            ) from None
        except certificates.Untrusted:
            raise
        except NeedsLogin:
            raise SetupError(
                say(
                    "no calendar is given out at this address. Copy the whole secret address once more, "
                    "and paste it: {command}",
                    command=CONNECT_AGAIN,
                )
            ) from None
        except BridgeError as error:
            raise SetupError(
                say("{why}; nothing was connected; then: {command}", why=reason(error), command=CONNECT_AGAIN)
            ) from None


def safe(address: str) -> str:
    """Return a calendar's address with https in place of webcal. Raises SetupError if it is no safe address.

    Plain http is accepted for this machine only.
    """
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or any(character.isspace() for character in address):
        raise SetupError(
            say(
                "a calendar's address begins with https:// or webcal:// and has no blanks; try again: {command}",
                command=CONNECT_AGAIN,
            )
        )
    if parts.scheme == "webcal":
        return urlunsplit(parts._replace(scheme="https"))
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK_HOSTS):
        raise SetupError(
            say("a calendar's address begins with https:// or webcal://; try again: {command}", command=CONNECT_AGAIN)
        )
    return urlunsplit(parts)
