"""Pull the health sensors of a phone from Home Assistant's history. Every pull reads the last three days again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from bridge.domain.errors import NeedsLogin
from bridge.domain.languages import say
from bridge.domain.ports import Account
from bridge.domain.types import Page, RawRecord
from connectors.home_assistant import SPEC
from connectors.home_assistant.sensors import records, sensor_of
from connectors.home_assistant.server import AGAIN, Server
from connectors.windows import Window

DAYS_PER_REQUEST = 14
ENTITIES_MAX = 50  # of a phone; it has nine sensors, and more after the app was installed anew


class HomeAssistant:
    """A Home Assistant, opened for a single sync. Raises NeedsLogin if no address, token or phone is saved."""

    def __init__(self, account: Account) -> None:
        token = account.token() or {}
        if not all(token.get(name) for name in ("address", "token", "phone")):
            raise NeedsLogin(say("home_assistant needs its address and an access token: {command}", command=AGAIN))
        hosts = {*account.allow_hosts, *token.get("hosts", ())}
        self._server = Server(str(token["address"]), str(token["token"]), hosts)
        self._phone = str(token["phone"])
        self._zone, self._days = ZoneInfo(account.zone), int(account.settings["days"])

    def close(self) -> None:
        self._server.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield pages from three days before the cursor's date, or ``days`` back. Nothing is ever deleted."""
        entities = self._entities(now)
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap)
        read = partial(self._read, entities, now)
        yield from window.pages(stream, DAYS_PER_REQUEST, read, tells_deletions=False)

    def _entities(self, now: datetime) -> list[str]:
        found = (sensor_of(state.get("entity_id")) for state in self._server.states(now=now))
        return sorted(one.entity for one in found if one is not None and one.phone == self._phone)[:ENTITIES_MAX]

    def _read(self, entities: list[str], now: datetime, first: date, last: date) -> Iterator[tuple[RawRecord, ...]]:
        start, end = (datetime.combine(day, time(0), tzinfo=self._zone) for day in (first, last + timedelta(days=1)))
        yield records(self._server.history(entities, start, end, now=now), self._zone, start) if entities else ()
