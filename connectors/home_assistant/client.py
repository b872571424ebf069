"""Ask for the address, token and phone of a Home Assistant, and pull the phone's health sensors from its history.

Every pull reads the last three days again. Source: developers.home-assistant.io, "REST API", and Home Assistant's
``components/history``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from typing import Any
from urllib.parse import quote, urlunsplit
from zoneinfo import ZoneInfo

from bridge import http
from bridge.domain.errors import NeedsLogin, Refused, SetupError, SourceChanged, TryLater
from bridge.domain.languages import reason, say
from bridge.domain.ports import Account, Browser
from bridge.domain.types import Page, RawRecord
from bridge.http import egress
from connectors.addresses import ask, typed_for_secrets
from connectors.home_assistant import SPEC
from connectors.instants import utc
from connectors.payload import mapping
from connectors.windows import Window

AGAIN = "bridge connect home_assistant --user NAME --url http://homeassistant.local:8123"
UNKNOWN = "home_assistant answered in an unknown shape; look for a newer release of the bridge"
DAYS_PER_REQUEST = 14
ENTITIES_MAX = 50  # of a phone; it has nine sensors, and more after the app was installed anew
ADDRESS_HELP = "The address of Home Assistant, e.g. http://homeassistant.local:8123"
TOKEN_HELP = "The long-lived access token, made in Home Assistant in your profile under Security"  # noqa: S105 - a question
NOTHING_TYPED = say("home_assistant needs its address, and an access token on standard input: {command}", command=AGAIN)
STREAM = "sensor"
ENDINGS = {  # of an entity's name -> what it tells
    "daily_steps": "steps",
    "health_steps": "steps",
    "daily_distance": "distance",
    "walking_running_distance": "distance",
    "active_energy": "active_energy",
    "total_calories_burned": "total_energy",
    "resting_heart_rate": "resting_hr",
    "heart_rate_variability": "hrv",
    "sleep_duration": "sleep",
}
TOTAL_NAMES = frozenset({"steps", "distance", "active_energy", "total_energy"})  # sums since midnight
DAILY_NAMES = TOTAL_NAMES | {"resting_hr"}  # the last reading of a day counts
ENTITY_NAME = re.compile(rf"sensor\.(?P<phone>[a-z0-9_]{{1,200}}?)_(?P<ending>{'|'.join(ENDINGS)})(_\d{{1,3}})?")
NO_VALUE = frozenset({"unknown", "unavailable", "none", ""})  # states that say that there is no value
KEPT_ATTRIBUTES = (  # attributes; names of people and phones are among the others
    "unit_of_measurement",
    "device_class",
    "state_class",
    "date",
    "startTime",
    "endTime",
    "source",
    "sources",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensor:
    """A health sensor of Home Assistant, with the phone it belongs to and the kind of value it shows."""

    entity: str
    phone: str
    kind: str


def sensor_of(entity: object) -> Sensor | None:
    """Return the sensor that an entity id names, or None for other entities.

    >>> sensor_of("sensor.pixel_8_daily_steps_2")
    Sensor(entity='sensor.pixel_8_daily_steps_2', phone='pixel_8', kind='steps')
    """
    found = ENTITY_NAME.fullmatch(entity) if isinstance(entity, str) else None
    return None if found is None else Sensor(entity=found[0], phone=found["phone"], kind=ENDINGS[found["ending"]])


def is_of_an_app(state: Mapping[str, Any]) -> bool:
    """Return True for a state of a phone app's health sensor.

    Android's states name their source. The iPhone's steps are known by the entity's name.
    """
    told = mapping(state.get("attributes"))
    entity = str(state.get("entity_id"))
    return (sensor_of(entity) is not None and ("source" in told or "sources" in told)) or bool(
        re.fullmatch(r"sensor\.\w+_health_steps(_\d+)?", entity)
    )


def records(lists: Iterable[list[dict[str, Any]]], zone: ZoneInfo, start: datetime) -> tuple[RawRecord, ...]:
    """Return a raw record for each reading after ``start`` in the states of entities. ``zone`` is for local days."""
    found: dict[str, tuple[datetime | None, RawRecord]] = {}
    for rows in lists:
        for kind, at, row in _new_readings(rows, start):
            record = _record(kind, at, row, zone)
            held = found.get(record.key)
            if held is None or held[0] is None or (at is not None and at >= held[0]):
                found[record.key] = at, record
    return tuple(record for _, record in found.values())


def _new_readings(
    rows: Iterable[Mapping[str, Any]], start: datetime
) -> Iterator[tuple[str, datetime | None, Mapping[str, Any]]]:
    """Yield (kind of value, time of measuring or None, state) for each state that holds a reading after ``start``."""
    last: object = None
    for row in rows:
        sensor, told = sensor_of(row.get("entity_id")), mapping(row.get("attributes"))
        if sensor is None or not _is_value(row.get("state")) or _is_no_sum(sensor.kind, row):
            continue
        before, last = last, row.get("state")
        stamp = next((told[name] for name in ("startTime", "date", "endTime") if name in told), None)
        at = utc(row.get("last_changed") if stamp is None else stamp)
        if stamp is None and at is not None and (last == before or at <= start):
            continue
        yield sensor.kind, at, row


def _is_value(state: object) -> bool:
    return state is not None and not (isinstance(state, str) and state.strip().lower() in NO_VALUE)


def _is_no_sum(kind: str, row: Mapping[str, Any]) -> bool:
    return kind in TOTAL_NAMES and mapping(row.get("attributes")).get("sources") == []


def _record(kind: str, at: datetime | None, row: Mapping[str, Any], zone: ZoneInfo) -> RawRecord:
    told = mapping(row.get("attributes"))
    kept = {name: told[name] for name in KEPT_ATTRIBUTES if name in told}
    payload = {"state": row.get("state"), "at": at and at.isoformat(), "zone": zone.key, "attributes": kept}
    if at is None:
        return RawRecord(stream=STREAM, key=f"{kind}/?", payload=payload)
    key = _day(at, zone).isoformat() if kind in DAILY_NAMES else at.isoformat()
    return RawRecord(stream=STREAM, key=f"{kind}/{key}", payload=payload)


def _day(at: datetime, zone: ZoneInfo) -> date:
    return at.astimezone(zone).date()


class Server:
    """A Home Assistant at an address that the user typed.

    Requests go to public addresses, and to the hosts in ``hosts``, which may be in the operator's own network.
    """

    def __init__(self, address: str, token: str, hosts: Collection[str]) -> None:
        self._base = address
        self._session: Any = http.open_typed_session(hosts)
        self._session.headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        self._session.close()

    def states(self, *, now: datetime) -> list[dict[str, Any]]:
        """Return the state of every sensor. Raises NeedsLogin for a refused token, SourceChanged for another answer."""
        body = self._asked("/api/states", now)
        if not _is_states(body):
            raise SourceChanged(UNKNOWN)
        return [state for state in body if str(state["entity_id"]).startswith("sensor.")]

    def history(
        self, entities: Sequence[str], start: datetime, end: datetime, *, now: datetime
    ) -> list[list[dict[str, Any]]]:
        """Return for each entity its last state before ``start``, and then its states until ``end``.

        Raises NeedsLogin for a refused token, TryLater without an answer, SourceChanged for another answer.
        """
        asked = {
            "filter_entity_id": ",".join(entities),
            "end_time": end.isoformat(),
            "significant_changes_only": "0",
        }
        body = self._asked(f"/api/history/period/{quote(start.isoformat(), safe='')}", now, asked)
        if not isinstance(body, list) or not all(_is_states(rows) for rows in body):
            raise SourceChanged(UNKNOWN)
        return body

    def _asked(self, path: str, now: datetime, params: dict[str, str] | None = None) -> Any:
        try:
            return http.get_json(self._session, f"{self._base}{path}", now=now, params=params)
        except NeedsLogin as error:
            if isinstance(error, Refused):
                raise
            raise NeedsLogin(
                say("home_assistant refused the access token; make another, then: {command}", command=AGAIN)
            ) from None


def _is_states(body: Any) -> bool:
    return isinstance(body, list) and all(isinstance(row, dict) and "entity_id" in row for row in body)


class HomeAssistant:
    """Connector for a Home Assistant, for a single sync. Raises NeedsLogin if no address, token or phone is saved."""

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
        """Yield pages from three days before the cursor's date, or without a cursor from ``days`` (a setting) ago."""
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


def authorise(account: Account, browser: Browser) -> None:
    """Save address, token and phone once Home Assistant has accepted them.

    Raises NeedsLogin for a wrong token, and SetupError for a wrong address or unless exactly one phone fits.
    """
    address = safe(account.settings["url"].strip() or ask(browser, ADDRESS_HELP, NOTHING_TYPED), account)
    token = account.settings["password"].strip() or ask(browser, TOKEN_HELP, NOTHING_TYPED)
    if not token.isascii() or not token.isprintable():
        raise NeedsLogin(
            say("that is not an access token of Home Assistant; make one and try again: {command}", command=AGAIN)
        )
    hosts = sorted({egress.host_of(address)} & {*account.allow_hosts})
    with closing(Server(address, token, hosts)) as server:
        try:
            states = server.states(now=datetime.now(UTC))
        except TryLater as error:
            raise SetupError(
                say(
                    "no Home Assistant answers at this address ({why}); correct it, then: {command}",
                    why=reason(error),
                    command=AGAIN,
                )
            ) from None
    phone = _phone(states, _slug(account.settings["name"]))
    account.save_token({"address": address, "token": token, "phone": phone, "hosts": hosts})


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower().removeprefix("sensor.")).strip("_")


def _phone(states: list[dict[str, Any]], named: str) -> str:
    """Return the phone to read, which is ``named``, or if that is "" the only phone with health sensors."""
    told = {one.phone for state in states if (one := sensor_of(state.get("entity_id")))}
    apps = {one.phone for state in states if is_of_an_app(state) and (one := sensor_of(state.get("entity_id")))}
    if named:
        if named not in told:
            raise SetupError(
                say(
                    "no sensor of that phone tells about health; switch them on in its app, then: {command}",
                    command=AGAIN,
                )
            )
        return named
    if not apps:
        raise SetupError(
            say(
                "no phone's health sensors are in Home Assistant; switch them on in the companion app "
                "(docs/sources/home_assistant.md), wait until they show a value, then: {command}",
                command=AGAIN,
            )
        )
    if len(apps) > 1:
        raise SetupError(say("several phones tell about health; name yours: {command} --name PHONE", command=AGAIN))
    return apps.pop()


def safe(address: str, account: Account) -> str:
    """Return a server's address without a path, with https if no scheme was typed.

    Raises SetupError for an unreadable address, and for http unless the host is this machine or an allowed one.
    """
    parts = typed_for_secrets(
        address,
        account,
        say("the address of Home Assistant looks like http://homeassistant.local:8123; try: {command}", command=AGAIN),
        say(
            "the access token would travel unencrypted; name the host in BRIDGE_ALLOW_HOSTS if it is "
            "in your own network, or use its https:// address, then: {command}",
            command=AGAIN,
        ),
    )
    return urlunsplit((parts.scheme, parts.netloc, "", "", ""))
