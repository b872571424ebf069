"""Pull the days at the computer, a week per request and watcher. The last three days are read again at every pull."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from bridge.domain.errors import NeedsLogin
from bridge.domain.languages import say
from bridge.domain.ports import Account
from bridge.domain.types import Page, RawRecord
from connectors.activitywatch import SPEC
from connectors.activitywatch.apps import own_apps
from connectors.activitywatch.server import CONNECT_AGAIN, Server, host_of
from connectors.activitywatch.stretches import Host, day_records, note
from connectors.windows import Window

DAYS_PER_REQUEST = 7


class ActivityWatch:
    """An aw-server of ActivityWatch, opened for a single sync. Raises NeedsLogin if no address is saved."""

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
        """Yield a page per week, from three days before the cursor's date, or ``days`` before today, to tomorrow."""
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
