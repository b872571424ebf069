"""Ask Microsoft Graph for single objects, for lists in pages, and for changes of a list, and read its times.

A time's zone is named as Windows, as IANA or by an address. Sources: learn.microsoft.com/graph/delta-query-overview,
/graph/throttling, and /graph/errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from bridge import http
from bridge.auth import oauth
from bridge.domain.errors import CursorExpired, Refused, SourceChanged, TryLater
from bridge.domain.ports import Account, ConnectorSpec
from bridge.domain.zones import zone_named
from connectors.icalendar.zones import zone_of_name
from connectors.instants import EVENT_YEARS, utc
from connectors.payload import mapping

if TYPE_CHECKING:
    import requests


PAGE_MAX = 200  # things of a page
NEXT, DELTA, REMOVED = "@odata.nextLink", "@odata.deltaLink", "@removed"
Thing = Mapping[str, Any]


class Missing(SourceChanged):
    """Graph answers 404. The object was deleted, or is no longer shared."""


class Closed(Refused):
    """Graph answers 403 for an object, such as a calendar that is no longer shared."""


class Rejected(SourceChanged):
    """Graph answers 400. It rejects the request, such as a link to changes that it does not accept any more."""


class Overtaken(SourceChanged):
    """Graph answers 409 or 412. Another program changed the object first."""


ERRORS = {400: Rejected, 403: Closed, 404: Missing, 409: Overtaken, 412: Overtaken}


class Graph:
    """An open session at Microsoft Graph for an account.

    Its methods raise the errors of this module for a refusal, CursorExpired for an old link, SourceChanged for an
    unknown answer, NeedsLogin if the consent ended, and TryLater without an answer.
    """

    def __init__(self, account: Account, spec: ConnectorSpec) -> None:
        self._name = spec.name
        self._base = account.settings["base_url"].rstrip("/")
        self._session = oauth.open_session(account, spec)

    def close(self) -> None:
        self._session.close()

    def get(self, path: str, *, now: datetime, params: Mapping[str, str] | None = None) -> Thing:
        """Return the object at a path such as ``/me/calendars``, which may also be the path of a link from Graph."""
        return self._object(self._asked("GET", path, now=now, params=dict(params or {})))

    def send(
        self, method: str, path: str, *, now: datetime, body: Thing | None = None, etag: str | None = None
    ) -> Thing:
        """Send a request that creates, changes or deletes an object, and return the answer, {} if Graph sends none.

        With ``etag``, raises Overtaken unless the object still has that etag.
        """
        headers = {"If-Match": etag} if etag else {}
        answer = self._asked(method, path, now=now, headers=headers, json=body)
        return self._object(answer) if answer.content else {}

    def listed(self, path: str, *, now: datetime, params: Mapping[str, str] | None = None) -> list[Thing]:
        """Return all objects of a list, from all of its pages."""
        return [thing for page in self._pages(path, now, params) for thing in self._things(page)]

    def changes(self, path: str, *, now: datetime, params: Mapping[str, str] | None = None) -> tuple[list[Thing], str]:
        """Return (objects of all pages of a delta query, link to their next changes).

        The link is a path, so that the token goes to no other server. Raises CursorExpired if Graph refuses an old
        link.
        """
        found: list[Thing] = []
        for page in self._pages(path, now, params):
            found += self._things(page)
            link = page.get(DELTA)
        if not isinstance(link, str):
            raise SourceChanged(f"{self._name} ended a listing without a link; look for a newer release of the bridge")
        return found, self._path(link)

    def _pages(self, path: str, now: datetime, params: Mapping[str, str] | None) -> Iterator[Thing]:
        page = self.get(path, now=now, params=params)
        yield page
        while NEXT in page:
            page = self.get(self._path(page[NEXT]), now=now)
            yield page

    def _path(self, link: Any) -> str:
        if not isinstance(link, str) or not link.startswith(f"{self._base}/"):
            raise SourceChanged(f"{self._name} answered a link to elsewhere; look for a newer release of the bridge")
        return link.removeprefix(self._base)

    def _things(self, page: Thing) -> list[Thing]:
        things = page.get("value")
        if not isinstance(things, list) or not all(isinstance(thing, dict) for thing in things):
            raise SourceChanged(f"{self._name} answered in an unknown shape; look for a newer release of the bridge")
        return things

    def _asked(
        self, method: str, path: str, *, now: datetime, headers: Mapping[str, str] | None = None, **options: Any
    ) -> requests.Response:
        import requests

        preferred = {"Prefer": f"odata.maxpagesize={PAGE_MAX}", **(headers or {})}
        try:
            answer = self._session.request(
                method, self._base + path, headers=preferred, timeout=http.TIMEOUT, **options
            )
        except requests.RequestException as error:
            raise TryLater(f"no answer from {self._name} ({type(error).__name__})") from None
        if answer.status_code in ERRORS and not http.is_page(answer):
            raise ERRORS[answer.status_code](f"{self._name} refused the request (HTTP {answer.status_code})")
        if answer.status_code == 410:
            raise CursorExpired(
                f"{self._name} no longer knows where the last sync ended (HTTP 410); the data are fetched again from "
                "the beginning"
            )
        http.raise_for_status(answer, now=now)
        return answer

    def _object(self, answer: requests.Response) -> Thing:
        body = http.parse_json(answer.content)
        if not isinstance(body, dict):
            raise SourceChanged(f"{self._name} answered in an unknown shape; look for a newer release of the bridge")
        return body


def zone_of(name: Any) -> ZoneInfo | None:
    """Return the zone of a name as Windows, Outlook or IANA writes it, or of an offset. None for another name."""
    return zone_named(zone_of_name(name)) if isinstance(name, str) else None


def instant(when: Any) -> datetime | None:
    """Return the UTC instant of a ``dateTimeTimeZone`` object, or None for anything else."""
    return utc(mapping(when).get("dateTime"), EVENT_YEARS, zone=zone_of(mapping(when).get("timeZone")))


def written_date(when: Any, zone: Any) -> date | None:
    """Return the date of a whole day's ``dateTimeTimeZone`` object, or None for anything else.

    A time other than midnight is first converted to ``zone``, the name of the zone in which the day was written.
    """
    try:
        wall = datetime.fromisoformat(str(mapping(when).get("dateTime"))).replace(tzinfo=None)
    except ValueError:
        return None
    at, home = instant(when), zone_of(zone)
    if wall.time() != time(0) and at is not None and home is not None:
        wall = at.astimezone(home).replace(tzinfo=None)
    return wall.date() if wall.year in EVENT_YEARS else None
