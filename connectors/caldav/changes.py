"""Read the changes of a CalDAV calendar since its last known state, and the texts of the changed entries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import escape

from bridge.domain.errors import Refused, SourceChanged
from connectors.caldav.discovery import Collection
from connectors.caldav.multistatus import CALDAV, DAV, Response
from connectors.caldav.server import NAMESPACES, Declined, Listing, Server, key_of

ENTRIES_MAX = 200_000
ROUNDS_MAX = 1_000  # answers of a listing that the server cuts into parts
TRUNCATED = 507  # of the calendar itself: there is more (RFC 6578, 3.6)
REFUSED_TOKEN = (400, 403, 409, 410, 412, 507)
GONE = (404, 410)
ETAGS = "<d:getetag/><d:resourcetype/>"


@dataclass(slots=True, kw_only=True)
class Changes:
    """The changed entries of a CalDAV calendar, and the state to save.

    ``changed`` maps paths to addresses. ``whole`` is True if all entries of the calendar are in it.
    """

    changed: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    whole: bool = False
    state: dict[str, Any] = field(default_factory=dict)


def changes_by_token(server: Server, collection: Collection, token: str | None) -> Changes | None:
    """Return changes since a sync token, or all entries. Returns None if the server refuses to list by tokens.

    Raises Declined if the calendar is gone, SourceChanged for a listing without end.
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
    """Return the changes since a sync token, or all entries for an empty token."""
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
    """Return the entries whose etags differ from those in ``known`` (name -> etag), or all entries for None."""
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
    """Return path -> text of the asked entries: None if gone, "" if unreadable. ``asked`` maps paths to addresses.

    Too large a request is split in halves. Raises SourceChanged if the server returns none of several.
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
