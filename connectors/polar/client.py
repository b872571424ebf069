"""Pull Polar's lists, and turn their raw records into samples and episodes.

Activity is requested by dates. The other lists always hold the last 28 days, or 30 of exercises. The API reports
neither changes nor deletions, so every pull reads the last seven days again (``SPEC.overlap``).
Names and units: Polar's AccessLink v3.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial

from bridge import http
from bridge.auth import oauth
from bridge.auth.redirect_listener import tried_by_hand
from bridge.domain.errors import BadRecord, BridgeError
from bridge.domain.metrics import Metric
from bridge.domain.ports import Account, Browser
from bridge.domain.types import EpisodeKind, Item, Page, RawRecord
from connectors.answers import listing, raw_records
from connectors.instants import midnight
from connectors.payload import SECONDS, Fields, total, words
from connectors.polar import ACTIVITY, EXERCISE, RECHARGE, SCORES, SLEEP, SPEC, STAGES
from connectors.stretches import Stretch
from connectors.windows import Window

PATHS = {
    "sleep": "users/sleep",
    "nightly_recharge": "users/nightly-recharge",
    "activities": "users/activities",
    "exercises": "exercises",
}
LIST_NAMES = {"sleep": "nights", "nightly_recharge": "recharges"}  # in an object; the others are the answer itself
KEYS = {"sleep": "date", "nightly_recharge": "date", "activities": "start_time", "exercises": "id"}
HELD = {"sleep": 28, "nightly_recharge": 28, "exercises": 30}  # days in a list that is not asked for by dates
ASKED_MAX = 28  # days of activity in a request
NO_DATA = 204
REGISTERED = (200, 201, 409)  # now, or before
REVOKED_STATUS = 204


class Polar:
    """Connector for an account at Polar. Methods raise NeedsLogin without consent, TryLater without an answer."""

    def __init__(self, account: Account) -> None:
        self._base = oauth.filled("{base_url}/v3/", account.settings)
        self._days = int(account.settings["days"])
        self._member = _member_of(account)
        self._session = oauth.open_session(account, SPEC)

    def close(self) -> None:
        self._session.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the pages of a stream. Activity is read from the cursor's date on, any other list whole."""
        held = HELD.get(stream)
        window = Window.after(cursor, now=now, days=self._days, overlap=SPEC.overlap, held=held)
        read = partial(self._records, stream, now)
        for page in window.pages(stream, held or ASKED_MAX, read):
            yield replace(page, member=self._member)

    def fetch(self, stream: str, key: str, *, now: datetime) -> Iterator[Page]:
        """Yield the activity of the date ``key``, such as ``2026-11-20``, which a notice named.

        For other streams yield an empty page, because every pull reads their lists whole.
        """
        if stream != "activities":
            yield Page(stream=stream, records=())
            return
        day = date.fromisoformat(key)
        for records in self._records(stream, now, day, day):
            yield Page(stream=stream, records=records)

    def _records(self, stream: str, now: datetime, first: date, last: date) -> Iterator[tuple[RawRecord, ...]]:
        asked = None if stream in HELD else {"from": str(first), "to": str(last)}
        body = http.get_json(self._session, self._base + PATHS[stream], now=now, params=asked, nothing=(NO_DATA,))
        rows = [] if body is None else listing(body, LIST_NAMES.get(stream, ""), SPEC.name, stream)
        records = raw_records(stream, rows, key=KEYS[stream])
        if stream == "nightly_recharge":
            records = tuple(replace(record, parent=f"sleep/{record.key}") for record in records)
        yield records


def authorise(account: Account, browser: Browser) -> None:
    """Ask for consent, save the token, and then register the user with Polar, which must precede any pull.

    Polar has a single scope, for everything. Raises NeedsLogin if the user refuses, and TryLater without an answer.
    """
    oauth.authorise(account, browser, SPEC)
    address = oauth.filled("{base_url}/v3/users", account.settings)
    member = {"member-id": secrets.token_hex(16)}  # any name that no other member has; the answer is not read
    with tried_by_hand(SPEC.name), closing(oauth.open_session(account, SPEC)) as session:
        http.get_json(session, address, now=datetime.now(UTC), json=member, nothing=REGISTERED)


def _member_of(account: Account) -> str | None:
    """Return Polar's id of the user from the stored token, or None if it is missing."""
    told = str((account.token() or {}).get("x_user_id", ""))
    return told if told.isascii() and told.isdecimal() else None


def revoke(account: Account) -> bool:
    """Remove the person from the application's users, which ends the consent. Return True if Polar confirmed.

    Return False if Polar does not answer or refuses, or if Polar's id of the user is not known.
    """
    import requests

    member = _member_of(account)
    if member is None:
        return False
    address = oauth.filled("{base_url}/v3/users/", account.settings) + member
    try:
        with closing(oauth.open_session(account, SPEC)) as session:
            return session.request("DELETE", address, timeout=http.TIMEOUT).status_code == REVOKED_STATUS
    except (requests.RequestException, BridgeError):
        return False


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:
    return list(_items(record.stream, record.key, Fields.of(SPEC.name, record), parent))


def _items(stream: str, key: str, fields: Fields, parent: RawRecord | None) -> Iterator[Item]:
    if stream == "sleep":
        yield from _sleep(key, fields)
    elif stream == "nightly_recharge":  # it has no time of its own
        yield from _night_of(fields, parent).samples(key, fields.measured(RECHARGE))
    elif stream == "activities":
        yield from _activity(key, fields)
    elif stream == "exercises":
        yield from _exercise(key, fields)
    else:
        raise fields.bad("not a stream of polar")


def _night(fields: Fields) -> Stretch:
    return fields.stretch("sleep_start_time", "sleep_end_time", day="date")


def _sleep(key: str, fields: Fields) -> Iterator[Item]:
    night, stages = _night(fields), fields.measured(STAGES)
    unknown = fields.number("unrecognized_sleep_stage", SECONDS) or 0.0
    values = {
        Metric.ASLEEP: total(unknown, *stages.values()),
        Metric.IN_BED: night.minutes,
        **fields.measured(SLEEP),
        **(stages if any(stages.values()) else {}),
    }
    yield night.episode(EpisodeKind.SLEEP, key, values)
    yield from night.samples(key, fields.measured(SCORES))


def _night_of(fields: Fields, sleep: RawRecord | None) -> Stretch:
    """Return the time of the night of a recharge (Polar's overnight recovery), from its sleep, else its date."""
    try:
        if sleep is not None:
            return _night(Fields.of(SPEC.name, sleep))
    except BadRecord:
        pass
    day = fields.day("date")
    return Stretch(start=midnight(day), end=None, offset=None, day=day)


def _activity(key: str, fields: Fields) -> Iterator[Item]:
    # A day of 0 steps and no active energy yields nothing, because the watch was not worn.
    values = fields.measured(ACTIVITY)
    day = fields.wall("start_time").date()
    if values.get(Metric.STEPS) != 0 or values.get(Metric.ACTIVE_ENERGY):  # a watch in a drawer: no measurement
        yield from Stretch(start=midnight(day), end=None, offset=None, day=day).samples(key, values)


def _exercise(key: str, fields: Fields) -> Iterator[Item]:
    lasted = fields.wall_stretch("start_time", "start_time_utc_offset", duration="duration")
    sport = words(fields.get("sport"))
    label = None if sport is None else sport.replace("_", " ").lower()
    yield lasted.episode(EpisodeKind.WORKOUT, key, fields.measured(EXERCISE), label=label)
