"""Ask for the address of an ActivityWatch server, and pull each day's activity at the computer from it.

Every pull reads the last three days again. Source: docs.activitywatch.net, "REST API", and the OpenAPI document of
aw-server at ``/api/swagger.json``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any
from urllib.parse import quote, urlunsplit
from zoneinfo import ZoneInfo

from bridge import http
from bridge.domain.errors import BridgeError, NeedsLogin, SetupError, SourceChanged
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.domain.types import Page, RawRecord
from bridge.http import egress
from connectors.activitywatch import SPEC
from connectors.activitywatch.stretches import Host, day_records, host_of, kind_of, note, own_apps
from connectors.addresses import typed
from connectors.windows import Window

CONNECT_AGAIN = "bridge connect activitywatch --user NAME --url http://localhost:5600"
EVENT_KEYS = frozenset({"timestamp", "duration", "data"})
UNKNOWN = "activitywatch answered in an unknown shape; look for a newer release of the bridge"
DAYS_PER_REQUEST = 7
QUESTION = "The address of ActivityWatch; leave it empty for http://localhost:5600"
USUAL = "http://localhost:5600"


class Server:
    """An ActivityWatch server at an address that the user typed.

    Requests go to public addresses, and to the hosts in ``hosts``, which may be in the operator's own network.
    """

    def __init__(self, address: str, hosts: Collection[str]) -> None:
        self._base = address
        self._session: Any = http.open_typed_session(hosts)

    def close(self) -> None:
        self._session.close()

    def buckets(self, *, now: datetime) -> dict[str, str]:
        """Return bucket id -> "currentwindow" or "afkstatus", for the server's buckets of those two types.

        Raises SourceChanged if the answer is not a list of buckets, and the request's errors, such as TryLater.
        """
        body = self._asked("/buckets/", now)
        buckets = body.values() if isinstance(body, dict) else [None]
        if not all(isinstance(bucket, dict) and isinstance(bucket.get("type"), str) for bucket in buckets):
            raise SourceChanged(UNKNOWN)
        kinds = {key: kind_of(key, bucket) for key, bucket in body.items()}
        return {key: kind for key, kind in sorted(kinds.items()) if kind is not None}

    def events(self, bucket: str, start: datetime, end: datetime, *, now: datetime) -> list[Any]:
        """Return a bucket's events between two instants. Raises SourceChanged unless the answer is a list of events."""
        asked = {"start": start.isoformat(), "end": end.isoformat(), "limit": "-1"}
        body = self._asked(f"/buckets/{quote(bucket, safe='')}/events", now, asked)
        if not isinstance(body, list) or not all(
            isinstance(event, dict) and event.keys() >= EVENT_KEYS for event in body
        ):
            raise SourceChanged(UNKNOWN)
        return body

    def _asked(self, path: str, now: datetime, params: dict[str, str] | None = None) -> Any:
        try:
            return http.get_json(self._session, f"{self._base}/api/0{path}", now=now, params=params)
        except NeedsLogin:
            raise NeedsLogin(
                say(
                    "activitywatch asks for a login, which the bridge cannot give; "
                    "name a server that asks for none: {command}",
                    command=CONNECT_AGAIN,
                )
            ) from None


class ActivityWatch:
    """Connector for an ActivityWatch server, opened for a single sync. Raises NeedsLogin if no address is saved."""

    def __init__(self, account: Account) -> None:
        token = account.token() or {}
        if not token.get("url"):
            raise NeedsLogin(say("activitywatch needs the address of its server: {command}", command=CONNECT_AGAIN))
        self._server = Server(str(token["url"]), {*account.allow_hosts, *token.get("hosts", ())})
        self._zone, self._days = ZoneInfo(account.zone), int(account.settings["days"])
        self._own = own_apps(account.settings["work_apps"])

    def close(self) -> None:
        self._server.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield a page per week, from three days before the cursor's date up to tomorrow.

        Without a cursor, the first page begins as many days ago as the connector's setting ``days`` says.
        """
        buckets = self._server.buckets(now=now)
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap)
        yield from window.pages(stream, DAYS_PER_REQUEST, partial(self._read, buckets, now))

    def _read(self, buckets: dict[str, str], now: datetime, first: date, last: date) -> Iterator[tuple[RawRecord, ...]]:
        start, end = (datetime.combine(day, time(0), tzinfo=self._zone) for day in (first, last + timedelta(days=1)))
        hosts: dict[str, Host] = {}
        for bucket, kind in buckets.items():
            host = hosts.setdefault(host_of(bucket), Host())
            for event in self._server.events(bucket, start, end, now=now):
                note(host, kind, event, self._own)
        records = day_records(hosts.values(), self._zone)
        yield tuple(record for record in records if first.isoformat() <= record.key <= last.isoformat())


def authorise(account: Account, browser: Browser) -> None:
    """Ask for the server's address, and save it once ActivityWatch has answered. Raises SetupError if it does not."""
    address = safe(account.settings["url"].strip() or browser.ask(QUESTION) or USUAL)
    hosts = sorted({egress.host_of(address)} & {*account.allow_hosts})
    with closing(Server(address, {*account.allow_hosts, *hosts})) as server:
        try:
            server.buckets(now=datetime.now(UTC))
        except BridgeError as error:
            raise SetupError(
                say(
                    "no ActivityWatch answers at this address ({why}); see if it runs, then: {command}",
                    why=reason(error),
                    command=CONNECT_AGAIN,
                )
            ) from None
    account.save_token({"url": address, "hosts": hosts})


def safe(address: str) -> str:
    """Return a server's address without its path, with http if no scheme was typed. Raises SetupError if unreadable."""
    unreadable = say(
        "the address of ActivityWatch looks like {example}; try again: {command}", example=USUAL, command=CONNECT_AGAIN
    )
    parts = typed(address, "http", unreadable)
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))
