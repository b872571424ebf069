"""Ask for the address, login name and app password of a CalDAV server, and pull its calendars and task lists.

Changes are found by sync tokens (RFC 6578), or by etags at servers without them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit
from xml.sax.saxutils import escape

from bridge.domain.errors import NeedsLogin, Refused, SetupError, SourceChanged, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.domain.types import Covers, Page, RawRecord
from bridge.http import certificates, egress
from connectors.addresses import ask, typed_for_secrets
from connectors.caldav.discovery import Collection, Found, collections, discover, is_gone
from connectors.caldav.entries import STREAM, Reading, is_ours
from connectors.caldav.multistatus import CALDAV, DAV, Response
from connectors.caldav.server import CONNECT_AGAIN, NAMESPACES, Declined, Listing, Login, Server, key_of
from connectors.icalendar.components import READER

BATCH_ENTRIES = 100
State = dict[str, Any]
ADDRESS_HELP = "The calendar server's address, e.g. https://cloud.example.com or https://caldav.icloud.com"
LOGIN_HELP = "The login name there, for iCloud and Fastmail your e-mail address"
PASSWORD = "The app password, made for this in the security settings there"  # noqa: S105 - a question
NOTHING_TYPED = say(
    "caldav needs an address, a login name and an app password on standard input: {command}", command=CONNECT_AGAIN
)
ENTRIES_MAX = 200_000
ROUNDS_MAX = 1_000  # answers of a listing that the server cuts into parts
TRUNCATED = 507  # of the calendar itself: there is more (RFC 6578, 3.6)
REFUSED_TOKEN = (400, 403, 409, 410, 412, 507)
GONE = (404, 410)
ETAGS = "<d:getetag/><d:resourcetype/>"


class CalDav:
    """Connector for an account at a CalDAV server. Raises NeedsLogin if no login is saved."""

    def __init__(self, account: Account) -> None:
        token = account.token() or {}
        login = login_of(account)
        if login is None:
            raise NeedsLogin(
                say("caldav needs an address, a login name and an app password: {command}", command=CONNECT_AGAIN)
            )
        self._login = login
        self._server = Server(login)
        self._homes = [str(home) for home in token.get("homes") or ()]
        self._mine = frozenset(str(one) for one in token.get("addresses") or ())
        self._written = key_of(str(token.get("calendar") or ""))
        self._zone = account.zone

    def close(self) -> None:
        self._server.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the changed entries of all calendars. A calendar without a known state is read whole.

        Entries of a removed calendar are deleted. Raises Refused if the login may read no calendar.
        """
        self._server.now = now
        found = self._collections()
        known = self._known(cursor)
        for key in sorted(set(known) - set(found)):
            yield self._dropped(key, known)
        refused: list[str] = []
        for key, collection in found.items():
            try:
                yield from self._follow(collection, known)
            except Refused:
                refused.append(key)
                if len(refused) == len(found):  # it is not about one calendar
                    raise
            except SourceChanged as error:
                if not is_gone(error):
                    raise
                yield self._dropped(key, known)  # it was removed since the calendars were listed
        for key in refused:
            yield self._dropped(key, known)
        if not found:
            yield Page(stream=stream, records=(), cursor=self._cursor(known))

    def _collections(self) -> dict[str, Collection]:
        with suppress(SourceChanged):
            if self._homes:
                return collections(self._server, self._homes)
        found = discover(self._server, self._login.address)
        self._homes, self._mine = found.homes, self._mine | frozenset(found.addresses)
        return collections(self._server, self._homes)

    def _known(self, cursor: str | None) -> dict[str, State]:
        body = json.loads(cursor) if cursor else {}
        states: dict[str, State] = body.get("calendars", {})
        return states if body.get("read_as") == self._read_as() else {key: {} for key in states}

    def _read_as(self) -> str:
        parts = READER, urlsplit(self._login.address).hostname, self._login.name, self._zone, sorted(self._mine)
        return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()

    def _cursor(self, known: Mapping[str, State]) -> str:
        return json.dumps({"read_as": self._read_as(), "calendars": known}, sort_keys=True)

    def _dropped(self, key: str, known: dict[str, State]) -> Page:
        known.pop(key, None)
        return Page(stream=STREAM, records=(), cursor=self._cursor(known), covers=Covers(prefix=key))

    def _follow(self, collection: Collection, known: dict[str, State]) -> Iterator[Page]:
        # A renamed calendar is read whole again, because its entries bear its name.
        state = known.get(collection.key, {})
        state = state if state.get("name") == collection.name else {}
        changes = self._changes(collection, state)
        if changes is None:
            return
        if changes.whole:
            known[collection.key] = {}  # entries are stored before the listing ends, and go with the calendar
        reading = Reading(
            key=collection.key,
            name=collection.name,
            zone=self._zone,
            mine=self._mine,
            ours=is_ours(collection, self._written),
        )
        held: Page | None = None
        for page in self._pages(collection, changes, reading):
            if held is not None:
                yield replace(held, cursor=self._cursor(known)) if changes.whole else held
            held = page
        known[collection.key] = changes.state | {"name": collection.name}
        last = held or Page(stream=STREAM, records=())
        covers = Covers(prefix=collection.key) if changes.whole else last.covers
        yield replace(last, cursor=self._cursor(known), covers=covers)

    def _changes(self, collection: Collection, state: State) -> Changes | None:
        if collection.token:
            if state.get("token") == collection.token:
                return None
            found = changes_by_token(self._server, collection, state.get("token"))
            if found is not None:
                return found
        if collection.ctag and state.get("ctag") == collection.ctag and "etags" in state:
            return None
        return changes_by_etags(self._server, collection, state.get("etags"))

    def _pages(self, collection: Collection, changes: Changes, reading: Reading) -> Iterator[Page]:
        keys = sorted(changes.changed)
        for begin in range(0, len(keys), BATCH_ENTRIES):
            asked = {key: changes.changed[key] for key in keys[begin : begin + BATCH_ENTRIES]}
            texts = fetched(self._server, collection, asked)
            yield _page([record for key in asked for record in reading.records(key, texts[key])], set(asked))
        gone = sorted(changes.gone)
        for begin in range(0, len(gone), BATCH_ENTRIES):
            some = gone[begin : begin + BATCH_ENTRIES]
            yield _page([reading.deletion(key) for key in some], set(some))


def _page(records: list[RawRecord], keys: set[str]) -> Page:
    parents = frozenset(f"{STREAM}/{key}" for key in keys)
    return Page(stream=STREAM, records=tuple(records), covers=Covers(parents=parents))


def authorise(account: Account, browser: Browser, *, write: bool = False) -> None:  # noqa: ARG001 - allowed anyway
    """Save the server's address and login, from the settings or by asking, once the server has accepted them.

    Raises NeedsLogin for a wrong login, SetupError for an unusable address, Untrusted for the server's certificate,
    TryLater if the server is busy or silent.
    """
    address = safe(account.settings["url"].strip() or ask(browser, ADDRESS_HELP, NOTHING_TYPED), account)
    name = account.settings["name"].strip() or ask(browser, LOGIN_HELP, NOTHING_TYPED)
    password = account.settings["password"] or ask(browser, PASSWORD, NOTHING_TYPED)
    hosts = sorted({egress.host_of(address)} & {*account.allow_hosts})
    token: dict[str, Any] = {"address": address, "login": name, "password": password, "hosts": hosts}

    def tried(trust: certificates.Trust | None) -> Found:
        return _tried(replace(_login(token, account), trust=trust), address)

    found, trust = certificates.with_trust(browser, address, account.settings.get("ca", ""), tried)
    kept = {} if trust is None else {certificates.TRUST_FIELD: trust.stored()}
    account.save_token({**token, **kept, "homes": found.homes, "addresses": _own(found.addresses, name)})


def _tried(login: Login, address: str) -> Found:
    """Return the account found at an address, after its calendars were listed as a test."""
    with closing(Server(login)) as server:
        try:
            found = discover(server, address)
            collections(server, found.homes)
        except Refused as error:
            raise NeedsLogin(str(error)) from None
        except SourceChanged as error:
            raise SetupError(say("the calendars at this address cannot be read: {why}", why=reason(error))) from None
        except TryLater as error:
            raise TryLater(f"{error}; try again later: {CONNECT_AGAIN}", retry_at=error.retry_at) from None
    return found


def login_of(account: Account) -> Login | None:
    """Return the login that the user typed, or None if the address, the name or the password was not saved."""
    token = account.token() or {}
    if not all(token.get(field) for field in ("address", "login", "password")):
        return None
    return _login(token, account)


def _login(token: dict[str, Any], account: Account) -> Login:
    hosts = {*account.allow_hosts, *token.get("hosts", ())}
    trust = certificates.stored_trust(token)
    return Login(address=token["address"], name=token["login"], password=token["password"], hosts=hosts, trust=trust)


def _own(addresses: list[str], name: str) -> list[str]:
    return sorted({*addresses, *([name.lower()] if "@" in name else [])})


def safe(address: str, account: Account) -> str:
    """Return a server's address without query and fragment, with https if no scheme was typed.

    Raises SetupError for an unreadable address, and for http unless the host is this machine or an allowed one.
    """
    parts = typed_for_secrets(
        address,
        account,
        say(
            "a calendar server's address looks like https://cloud.example.com; try again: {command}",
            command=CONNECT_AGAIN,
        ),
        say(
            "a calendar server's address begins with https://, unless BRIDGE_ALLOW_HOSTS names its host; "
            "then: {command}",
            command=CONNECT_AGAIN,
        ),
    )
    return urlunsplit(parts._replace(query="", fragment=""))


@dataclass(slots=True, kw_only=True)
class Changes:
    """The changed entries of a CalDAV calendar, and the state to save for the next pull.

    ``changed`` maps paths of entries to addresses. ``whole`` is True if it holds every entry of the calendar.
    """

    changed: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    whole: bool = False
    state: dict[str, Any] = field(default_factory=dict)


def changes_by_token(server: Server, collection: Collection, token: str | None) -> Changes | None:
    """Return the changes since a sync token, or all entries if it is None. None if the server has no such listings.

    Raises Declined if the calendar is gone, SourceChanged for a listing that never ends.
    """
    if token:
        try:
            return _since(server, collection, token)
        except Refused:
            pass
        except Declined as error:
            if error.status not in REFUSED_TOKEN:
                raise
    try:
        return _since(server, collection, "")
    except Declined as error:
        if error.is_gone:
            raise
        return None


def _since(server: Server, collection: Collection, token: str) -> Changes:
    """Return the changes since a token, or all entries for an empty one. Raises SourceChanged if it never ends."""
    found, seen, after = Changes(whole=not token), {token}, token
    for _ in range(ROUNDS_MAX):
        listing = server.report(collection.address, _SYNC.format(token=escape(after)))
        more = _note(found, collection, listing)
        after = listing.token
        if not after:
            raise SourceChanged("the calendar server's listing has no sync token; report it to the server's makers")
        if len(found.changed) + len(found.gone) > ENTRIES_MAX:
            raise SourceChanged(
                f"the calendar server listed more than {ENTRIES_MAX:,} entries; move old ones to another calendar"
            )
        if not more:
            found.state = {"token": after}
            return found
        if after in seen:
            break
        seen.add(after)
    raise SourceChanged(
        "the calendar server names the same part of a listing again and again; report it to the server's makers"
    )


_SYNC = (
    f'<d:sync-collection xmlns:d="DAV:" {NAMESPACES}><d:sync-token>{{token}}</d:sync-token>'
    "<d:sync-level>1</d:sync-level><d:prop><d:getetag/></d:prop></d:sync-collection>"
)


def _note(found: Changes, collection: Collection, listing: Listing) -> bool:
    more = False
    for response in listing.responses:
        key = key_of(listing.at(response.href))
        if response.status == TRUNCATED:
            more = True
        elif _is_entry(key, collection, response):
            found.gone.discard(key)
            found.changed.pop(key, None)
            if response.status in GONE:
                found.gone.add(key)
            else:
                found.changed[key] = response.href
    return more


def _is_entry(key: str, collection: Collection, response: Response) -> bool:
    name = key.removeprefix(collection.key)
    kinds = response.found.get(f"{DAV} resourcetype")
    folder = kinds is not None and any(part.name == f"{DAV} collection" for part in kinds.parts)
    return key.startswith(collection.key) and bool(name) and "/" not in name and not folder


def changes_by_etags(server: Server, collection: Collection, known: Mapping[str, str] | None) -> Changes:
    """Return the entries whose etags differ from those in ``known`` (name -> etag), or all entries if it is None."""
    listing = server.propfind(collection.address, ETAGS, depth=1)
    before = known or {}
    etags: dict[str, str] = {}
    found = Changes(whole=known is None, state={"ctag": collection.ctag, "etags": etags})
    for response in listing.responses:
        key = key_of(listing.at(response.href))
        if response.status in GONE or not _is_entry(key, collection, response):
            continue
        name, etag = key.removeprefix(collection.key), response.words(f"{DAV} getetag")
        etags[name] = etag
        if not etag or before.get(name) != etag:
            found.changed[key] = response.href
    found.gone = {collection.key + name for name in set(before) - set(etags)}
    return found


def fetched(server: Server, collection: Collection, asked: Mapping[str, str]) -> dict[str, str | None]:
    """Return path -> text of the entries in ``asked`` (path -> address). The text is None if gone, "" if unreadable.

    A request with too large an answer is split. Raises SourceChanged if the server returns none of several entries.
    """
    from bridge.http.transport import TooLarge

    found: dict[str, str | None] = {}
    waiting = [dict(asked)]
    while waiting:
        some = waiting.pop()
        try:
            texts = _texts(server, collection, some)
        except TooLarge:
            if len(some) == 1:
                found |= dict.fromkeys(some, "")
                continue
            keys = list(some)
            halves = keys[: len(keys) // 2], keys[len(keys) // 2 :]
            waiting += [{key: some[key] for key in half} for half in halves]
            continue
        if not texts:
            if len(asked) > 1 and not found:
                raise SourceChanged(
                    "the calendar server lists entries, but does not send them; report it to the server's makers"
                )
            texts = dict.fromkeys(some, "")
        found |= texts
        left = {key: href for key, href in some.items() if key not in texts}
        waiting += [left] if left else []
    return found


def _texts(server: Server, collection: Collection, asked: Mapping[str, str]) -> dict[str, str | None]:
    hrefs = "".join(f"<d:href>{escape(href)}</d:href>" for href in asked.values())
    listing = server.report(collection.address, _MULTIGET.format(hrefs=hrefs))
    found: dict[str, str | None] = {}
    for response in listing.responses:
        key, text = key_of(listing.at(response.href)), response.found.get(f"{CALDAV} calendar-data")
        if key in asked:
            found[key] = None if response.status in GONE else "" if text is None else text.text
    return found


_MULTIGET = (
    f'<c:calendar-multiget xmlns:d="DAV:" {NAMESPACES}><d:prop><d:getetag/><c:calendar-data/></d:prop>'
    "{hrefs}</c:calendar-multiget>"
)
