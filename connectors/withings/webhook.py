"""Subscribe to Withings's notifications, and read them. They name a person and dates, and carry no data.

Source: developer.withings.com, "keep user data up to date", and aiowithings. Notifications are not signed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import date, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from bridge import http
from bridge.auth import oauth
from bridge.domain.errors import Forged, SourceChanged
from bridge.domain.ports import Account
from bridge.domain.types import Notice
from connectors.instants import calendar_date, utc_of_unix
from connectors.payload import mapping, rows
from connectors.withings import SPEC

KEPT = "channels"  # beside the consent: the address that Withings sends to, and when that was last looked at
CATEGORY_STREAMS = {"16": "activity", "44": "sleep"}  # by category (appli); both are of the scope user.activity
LOOKED = timedelta(days=1)  # between two looks at the subscriptions, which Withings ends after failures
DAY, FARTHEST = timedelta(days=1), timedelta(days=365)
REPEATED = 60  # seconds within which the same notification is the same message, sent again
FIELDS_MAX = 20  # of a notification
REFUSED_STATUS = 400  # what Withings answers to ending a subscription that it does not have


def token_of(member: str, secret: str) -> str:
    """Return ``MEMBER-DIGEST``, the end of the person's notification address. ``secret`` is the client's secret."""
    digest = hmac.new(secret.encode(), f"notify {member}".encode(), hashlib.sha256).hexdigest()
    return f"{member}-{digest}"


def notice(
    headers: Mapping[str, str],  # noqa: ARG001 - the port's shape
    body: bytes,
    *,
    settings: Mapping[str, str],
    now: datetime,
    token: str,
) -> list[Notice] | None:
    """Return the notices in a notification, or None if it is unreadable or names another person than the address.

    ``token`` is the end of the address. Raises Forged if ``token_of`` did not make it.
    """
    member, secret = token.partition("-")[0], settings["client_secret"]
    if not secret or not hmac.compare_digest(token_of(member, secret).encode(), token.encode()):
        raise Forged(
            "a notification came to an address that the bridge did not name to Withings; it was refused, and nothing "
            "has to be done"
        )
    try:
        said = dict(parse_qsl(body.decode(), max_num_fields=FIELDS_MAX))
    except ValueError:
        return None
    stream = CATEGORY_STREAMS.get(said.get("appli", ""))
    if stream is None or said.get("userid") != member:
        return None
    keys = sorted({key for day in (*_dates(said), now.date()) if (key := _key(day, now.date())) is not None})
    return [_notice(member, stream, key, now) for key in keys]


def _notice(member: str, stream: str, key: str, now: datetime) -> Notice:
    seal = f"{member} {stream} {key} {int(now.timestamp()) // REPEATED}"
    trace = hashlib.sha256(seal.encode()).hexdigest()
    return Notice(member=member, stream=stream, key=key, deleted=False, trace=trace)


def _key(day: date, today: date) -> str | None:
    if day >= today - SPEC.overlap + DAY:
        return "" if day <= today + DAY else None
    return f"{day:%Y-%m}" if day >= today - FARTHEST else None


def _dates(said: Mapping[str, str]) -> Iterator[date]:
    for edge in ("startdate", "enddate"):
        text = said.get(edge, "")
        at = utc_of_unix(int(text)) if text.isascii() and text.isdecimal() else None
        if at is not None:
            yield at.date()
    day = calendar_date(said.get("date"))
    if day is not None:
        yield day


def watch(account: Account, address: str | None, *, now: datetime) -> str | None:
    """Have Withings notify an address of the person's own below ``address``, or stop if ``address`` is None.

    Returns the person's id at Withings, None after stopping. Raises NeedsLogin if the consent ended, and TryLater or
    SourceChanged without a usable answer.
    """
    stored = account.token() or {}
    state, member = mapping(stored.get(KEPT)), str(stored.get("userid") or "")
    if not member:
        raise SourceChanged("withings did not say whose consent this is; look for a newer release of the bridge")
    own = None if address is None else f"{address}/{token_of(member, account.settings['client_secret'])}"
    if own is not None and state.get("address") == own and _is_fresh(state, now):
        return member
    with closing(oauth.open_session(account, SPEC)) as session:
        notifications = _Notifications(session, account.settings, now)
        if state.get("address") not in (None, own):
            notifications.end(str(state["address"]))
        if own is None:
            _remember(account, {})
            return None
        _remember(account, {"address": own})  # before asking, so that it can be ended
        notifications.begin(own)
    _remember(account, {"address": own, "looked_at": now.isoformat()})
    return member


def _is_fresh(state: Mapping[str, Any], now: datetime) -> bool:
    looked = state.get("looked_at")
    return looked is not None and abs(now - datetime.fromisoformat(looked)) < LOOKED


def _remember(account: Account, state: Mapping[str, str]) -> None:
    with account.refresh_lock():
        token = {name: value for name, value in (account.token() or {}).items() if name != KEPT}
        account.save_token({**token, KEPT: state} if state else token)


class _Notifications:
    def __init__(self, session: oauth.TokenSession, settings: Mapping[str, str], now: datetime) -> None:
        self._session, self._now = session, now
        self._address = oauth.filled("{base_url}/notify", settings)

    def begin(self, callback: str) -> None:
        found = [mapping(row) for row in rows(mapping(self._ask({"action": "list"})).get("profiles"))]
        have = {str(one.get("appli")) for one in found if one.get("callbackurl") == callback}
        for category in CATEGORY_STREAMS:
            if category not in have:
                self._ask({"action": "subscribe", "callbackurl": callback, "appli": category})

    def end(self, callback: str) -> None:
        for category in CATEGORY_STREAMS:
            self._ask({"action": "revoke", "callbackurl": callback, "appli": category}, nothing=(REFUSED_STATUS,))

    def _ask(self, form: dict[str, str], *, nothing: tuple[int, ...] = ()) -> Any:
        return http.get_json(self._session, self._address, now=self._now, data=form, nothing=nothing)
