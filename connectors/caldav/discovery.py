"""Find the calendars of a login from the address that a user types (RFC 6764, RFC 5397, RFC 4791 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin

from bridge.domain.errors import BridgeError, NeedsLogin, Refused, SourceChanged, TryLater
from bridge.domain.languages import say
from connectors.caldav.multistatus import CALDAV, DAV, SERVER, NotWebDav, Response
from connectors.caldav.server import CONNECT_AGAIN, Declined, Listing, Server, key_of

CALENDARS_MAX = 500
HOMES_MAX = 10
WELL_KNOWN = "/.well-known/caldav"
USUAL_PATHS = ("remote.php/dav/", "dav.php/")  # of Nextcloud and Baikal, below the address of their page
PRINCIPAL = "<d:current-user-principal/><d:resourcetype/><c:calendar-home-set/><c:calendar-user-address-set/>"
PROPERTIES = (
    "<d:resourcetype/><d:displayname/><d:sync-token/><s:getctag/><c:calendar-description/>"
    "<c:supported-calendar-component-set/>"
)
COMPONENTS = {"VEVENT", "VTODO"}
BIRTHDAYS = "contact_birthdays"  # the name of the calendar that Nextcloud makes of the contacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """An account at a CalDAV server. ``homes`` are the addresses that hold its calendars.

    ``addresses`` are the user's own e-mail addresses.
    """

    homes: list[str]
    addresses: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A calendar or task list of a CalDAV server. ``key`` is its path, always quoted alike and with a slash at the end.

    ``token`` is its sync token. ``ctag`` is a text that changes with its content. Both are "" if the server has none.
    """

    address: str
    key: str
    name: str
    token: str
    ctag: str
    description: str


def discover(server: Server, address: str) -> Found:
    """Return the account that an address leads to, after trying several addresses on its host.

    Raises NeedsLogin for a wrong login, Refused for HTTP 403, TryLater for a busy server, else SourceChanged.
    """
    errors: list[BridgeError] = []
    for candidate in candidates(address):
        try:
            found = _account(server, candidate)
        except (NeedsLogin, SourceChanged, TryLater) as error:
            errors.append(error)
            if isinstance(error, NeedsLogin | TryLater) and not isinstance(error, Refused | NotWebDav):
                break  # the same everywhere; a server may lock out a login that is refused again and again
        else:
            if found is not None:
                return found
    raise _telling(errors)


def candidates(address: str) -> list[str]:
    """Return the addresses at which an account may be found, in the order in which they are tried.

    >>> candidates("https://example.com/dav/")[:2]
    ['https://example.com/dav/', 'https://example.com/.well-known/caldav']
    """
    slashed = address if address.endswith("/") else f"{address}/"
    named = [slashed, urljoin(address, WELL_KNOWN)]
    bare = urljoin(address, "/") == slashed
    return [*(reversed(named) if bare else named), *(urljoin(slashed, path) for path in USUAL_PATHS)]


def _telling(errors: list[BridgeError]) -> BridgeError:
    """Return the error that helps the user most. A wrong login comes first, then a busy server."""
    for kind in (NeedsLogin, TryLater, SourceChanged):
        named = [error for error in errors if isinstance(error, kind) and not isinstance(error, Refused)]
        if named:
            return named[0]
    refused = next((error for error in errors if isinstance(error, Refused)), None)
    return refused or SourceChanged(
        say("no calendar account is found at this address; check it, then: {command}", command=CONNECT_AGAIN)
    )


def _account(server: Server, address: str) -> Found | None:
    listing = server.propfind(address, PRINCIPAL, depth=0, discovering=True)
    for _ in range(2):
        response = listing.responses[0] if listing.responses else None
        if response is None:
            return None
        homes = [listing.at(href) for href in response.hrefs(f"{CALDAV} calendar-home-set")][:HOMES_MAX]
        if homes:
            for home in homes:
                server.trust(home)
            return Found(homes=homes, addresses=_addresses(response))
        principals = response.hrefs(f"{DAV} current-user-principal")
        if not principals:
            return None
        principal = listing.at(principals[0])
        server.trust(principal)
        listing = server.propfind(principal, PRINCIPAL, depth=0, discovering=True)
    return None


def _addresses(response: Response) -> list[str]:
    found = response.hrefs(f"{CALDAV} calendar-user-address-set")
    return sorted({one[len("mailto:") :].lower() for one in found if one.lower().startswith("mailto:")})[:50]


def collections(server: Server, homes: Sequence[str]) -> dict[str, Collection]:
    """Return key -> calendar or task list, of all that the addresses ``homes`` of an account hold, sorted by key.

    Nextcloud's calendar of birthdays is left out. Raises SourceChanged for too many calendars.
    """
    found: dict[str, Collection] = {}
    for home in homes:
        server.trust(home)
        listing = server.propfind(home, PROPERTIES, depth=1)
        found |= {calendar.key: calendar for calendar in _calendars(listing)}
    if len(found) > CALENDARS_MAX:
        raise SourceChanged(
            say(
                "the calendar server has more than {max} calendars of this login; "
                "delete some there, then connect again",
                max=CALENDARS_MAX,
            )
        )
    return dict(sorted(found.items()))


def _calendars(listing: Listing) -> Iterator[Collection]:
    for response in listing.responses:
        address = listing.at(response.href)
        key = key_of(address).rstrip("/") + "/"
        name = key.rstrip("/").rpartition("/")[2]
        if not _is_read(response) or name == BIRTHDAYS:
            continue
        yield Collection(
            address=address if address.endswith("/") else f"{address}/",
            key=key,
            name=(response.words(f"{DAV} displayname") or name).replace("\0", "")[:200],
            token=response.words(f"{DAV} sync-token"),
            ctag=response.words(f"{SERVER} getctag"),
            description=response.words(f"{CALDAV} calendar-description"),
        )


def _is_read(response: Response) -> bool:
    kinds = response.found.get(f"{DAV} resourcetype")
    names = [] if kinds is None else [part.name.rpartition(" ")[2] for part in kinds.parts]
    if "calendar" not in names or "deleted-calendar" in names:
        return False
    components = response.found.get(f"{CALDAV} supported-calendar-component-set")
    held = set() if components is None else {part.attributes.get("name", "").upper() for part in components.parts}
    return not held or bool(held & COMPONENTS)


def is_gone(error: BridgeError) -> bool:
    """Return True if an error says that there is nothing at an address (HTTP 404 or 410)."""
    return isinstance(error, Declined) and error.is_gone
