"""Pull Oura's collections, such as ``sleep``, 30 days a request, oldest first.

The API reports neither changes nor deletions, so every pull reads the last seven days again (``SPEC.overlap``).
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from functools import partial
from typing import Any

from bridge import http
from bridge.auth import oauth
from bridge.domain.ports import Account
from bridge.domain.types import Page, RawRecord
from connectors.answers import listing, raw_records, token_pages
from connectors.instants import midnight, utc
from connectors.oura import BULKY, SPEC
from connectors.windows import DAY, Window

MONTH = 30  # days; the longest stretch of heart rate one request may ask for
Rows = list[Mapping[str, Any]]

authorise = partial(oauth.authorise, spec=SPEC)
revoke = partial(oauth.revoke, spec=SPEC)


class Oura:
    """Connector for an account at Oura. Methods raise NeedsLogin without consent, TryLater without an answer."""

    def __init__(self, account: Account) -> None:
        self._base = oauth.filled("{base_url}/v2/usercollection/", account.settings)
        self._days, self._zone = int(account.settings["days"]), account.zone
        self._session = oauth.open_session(account, SPEC)

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap)
        yield from window.pages(stream, MONTH, lambda first, last: self._records(stream, first, last, now))

    def _records(self, stream: str, first: date, last: date, now: datetime) -> Iterator[tuple[RawRecord, ...]]:
        if stream == "heartrate":
            asked = {"start_datetime": midnight(first).isoformat(), "end_datetime": midnight(last + DAY).isoformat()}
            pages = iter([_by_day([row for rows in self._listed(stream, asked, now) for row in rows], self._zone)])
        else:  # a sleep that is dated on the end is left out, anything else is not
            pages = self._listed(stream, {"start_date": str(first), "end_date": str(last + DAY)}, now)
        for rows in pages:
            yield raw_records(stream, rows, without=BULKY)

    def _listed(self, stream: str, asked: dict[str, str], now: datetime) -> Iterator[Rows]:
        def ask(more: dict[str, str]) -> Any:
            return http.get_json(self._session, self._base + stream, now=now, params=asked | more)

        for body in token_pages(ask, parameter="next_token", field="next_token"):
            yield listing(body, "data", SPEC.name, stream)


def _by_day(rows: Rows, zone: str) -> Rows:
    days: dict[str, Rows] = {}
    for row in rows:
        at = utc(row.get("timestamp"))
        days.setdefault(str(at.date()) if at else "?", []).append(row)
    return [{"id": day, "zone": zone, "data": found} for day, found in sorted(days.items())]
