"""Pull Withings's lists of sleeps and of days of activity, 30 days per request, and normalise their records.

Field names: https://developer.withings.com/api-reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from functools import partial

from bridge import http
from bridge.auth import oauth
from bridge.domain.errors import SourceChanged
from bridge.domain.ports import Account
from bridge.domain.types import EpisodeKind, Item, Page, RawRecord
from connectors.answers import listing, raw_records
from connectors.instants import local_date, offset_in
from connectors.payload import Fields
from connectors.stretches import Stretch
from connectors.windows import Window
from connectors.withings import ACTIVITY, NIGHT, SLEEP, SPEC

MONTH = 30  # days that one request asks for
DAY, LONGEST_MONTH = timedelta(days=1), timedelta(days=31)
FIGURES = sorted((at if isinstance(at, str) else at[0]).removeprefix("data.") for at in {**SLEEP, **NIGHT}.values())
LISTS = {  # stream -> path, what is asked for, the list in the answer, and the field that names a row
    "sleep": ("/v2/sleep", {"action": "getsummary", "data_fields": ",".join(FIGURES)}, "series", "id"),
    "activity": ("/v2/measure", {"action": "getactivity"}, "activities", "date"),
}

authorise = partial(oauth.authorise, spec=SPEC)
revoke = partial(oauth.revoke, spec=SPEC)
SHORTEST_NIGHT = 120  # minutes; Withings does not tell which sleep is a nap


class Client:
    """Connector for an account at Withings. Methods raise NeedsLogin without consent, TryLater without an answer."""

    def __init__(self, account: Account) -> None:
        self._base, self._days = oauth.filled("{base_url}", account.settings), int(account.settings["days"])
        self._session = oauth.open_session(account, SPEC)

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap)
        yield from window.pages(stream, MONTH, partial(self._listed, stream, now))

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """Yield the pages of the month ``key``, such as ``2026-10``, of a notice. An empty key gives an empty page."""
        if not key:
            yield Page(stream=stream, records=())
            return
        first = date.fromisoformat(f"{key}-01")
        for records in self._listed(stream, now, first - DAY, first + LONGEST_MONTH):
            yield Page(stream=stream, records=records)

    def _listed(self, stream: str, now: datetime, first: date, last: date) -> Iterator[tuple[RawRecord, ...]]:
        path, action, rows, key = LISTS[stream]
        asked = action | {"startdateymd": str(first), "enddateymd": str(last)}
        offset, more = 0, True
        while more:
            form = asked | ({"offset": str(offset)} if offset else {})
            body = http.get_json(self._session, self._base + path, now=now, data=form)
            yield raw_records(stream, listing(body, rows, SPEC.name, stream), key=key)
            if more := bool(body.get("more")):
                offset = _after(offset, body.get("offset"))


def _after(offset: int, told: object) -> int:
    # Otherwise pulling would never end.
    if not isinstance(told, int) or told <= offset:
        raise SourceChanged(
            f"{SPEC.name} told of more rows, but not where they begin; look for a newer release of the bridge"
        )
    return told


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - no record has a parent
    fields = Fields.of(SPEC.name, record)
    return list(_sleep(record.key, fields) if record.stream == "sleep" else _activity(record.key, fields))


def _sleep(key: str, fields: Fields) -> Iterator[Item]:
    start, end = fields.unix("startdate"), fields.unix("enddate")
    fields.ordered(start, end)
    offset = offset_in(fields.zone("timezone"), end)
    lasted = Stretch(start=start, end=end, offset=offset, day=local_date(end, offset))
    nap = lasted.minutes < SHORTEST_NIGHT
    yield lasted.episode(EpisodeKind.NAP if nap else EpisodeKind.SLEEP, key, fields.measured(SLEEP))
    yield from lasted.samples(key, {} if nap else fields.measured(NIGHT))


def _activity(key: str, fields: Fields) -> Iterator[Item]:
    yield from fields.day_in("date", "timezone").samples(key, fields.measured(ACTIVITY))
