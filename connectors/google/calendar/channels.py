"""Open and renew push channels, by which Google reports changes of a Google calendar.

Source: developers.google.com/workspace/calendar/api/guides/push. A channel cannot be prolonged.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from bridge.domain.errors import Forged
from bridge.domain.ports import Account
from bridge.domain.types import Notice
from connectors.google.answers import Forbidden, Invalid, NotFound, answered
from connectors.google.auth import open_service
from connectors.google.calendar.calendars import CALENDAR, calendars

OVER = (NotFound, Invalid, Forbidden)  # what is said of one calendar or channel, and means no other
KEPT = "channels"  # beside the consent
CHANNEL_LIFE = timedelta(days=7)  # what is asked for; the answer says what is given
RENEWED = timedelta(days=1)  # before its end
LOOKED = timedelta(hours=6)  # between two looks at which calendars there are
NEWS = frozenset({"exists", "not_exists"})

Channel = dict[str, str]  # id, resource, calendar, until


def notice(headers: Mapping[str, str], body: bytes, *, settings: Mapping[str, str], now: datetime) -> Notice | None:  # noqa: ARG001 - the port's shape
    """Return the notice in a message of a push channel, or None if the message reports no change.

    Its ``member`` names the connection. Raises Forged if the message lacks the token of a channel of the bridge.
    """
    channel, number = headers.get("x-goog-channel-id", ""), headers.get("x-goog-message-number", "")
    right = token_of(channel, settings["client_secret"])
    if not settings["client_secret"] or not hmac.compare_digest(
        right.encode(), headers.get("x-goog-channel-token", "").encode()
    ):
        raise Forged(
            "a push does not carry the token of a channel that the bridge opened; it was refused, and nothing has to "
            "be done"
        )
    if headers.get("x-goog-resource-state") not in NEWS or not number.isdecimal():
        return None
    member = channel.partition("-")[0]
    return Notice(member=member, stream="event", key="", deleted=False, trace=f"{channel}/{number}"[:100])


def token_of(channel: str, secret: str) -> str:
    """Return the token of a push channel, made from its id and the client's secret. Each message must repeat it."""
    return hmac.new(secret.encode(), f"channel {channel}".encode(), hashlib.sha256).hexdigest()


def watch(account: Account, address: str | None, *, now: datetime) -> str | None:
    """Have Google push changes of each read calendar to ``address``, or stop pushes if ``address`` is None.

    Returns the name that messages give the connection, None after stopping. Raises the errors of ``answered``.
    """
    state = (account.token() or {}).get(KEPT, {})
    about = f"{address} {token_of('', account.settings['client_secret'])[:16]}"  # another secret ends them all
    if address is not None and state.get("about") == about and not _due(state, now):
        return str(state["member"])
    service = open_service(account, CALENDAR, "calendar", "v3", "/calendar/v3/")
    try:
        return _Channels(account, service, address, about, now).keep()
    finally:
        service.close()


def _due(state: Mapping[str, Any], now: datetime) -> bool:
    looked = datetime.fromisoformat(state["looked_at"])
    return now - looked >= LOOKED or any(_ends(channel, now) for channel in state["open"])


def _ends(channel: Channel, now: datetime) -> bool:
    return datetime.fromisoformat(channel["until"]) - now <= RENEWED


class _Channels:
    """The push channels of an account at Google Calendar. Each opened channel is saved before the next is opened."""

    def __init__(self, account: Account, service: Any, address: str | None, about: str, now: datetime) -> None:
        self._account, self._service, self._address, self._about, self._now = account, service, address, about, now
        self._state = dict((account.token() or {}).get(KEPT, {}))
        self._member = str(self._state.get("member") or secrets.token_hex(16))
        self._open: list[Channel] = list(self._state.get("open", ()))

    def keep(self) -> str | None:
        """Open missing channels, then stop those not wanted any more. Return the connection's name in messages."""
        wanted = [] if self._address is None else calendars(self._service, None, self._now)[0]
        same = self._state.get("about") == self._about
        good = [one for one in self._open if same and one["calendar"] in wanted and not _ends(one, self._now)]
        for calendar in sorted(set(wanted) - {one["calendar"] for one in good}):
            opened = self._opened(calendar)
            if opened is not None:
                good.append(opened)
                self._open.append(opened)
                self._remember()
        for over in [one for one in self._open if one not in good]:
            self._stop(over)
            self._open.remove(over)
        self._remember()
        return self._member if self._address is not None else None

    def _opened(self, calendar: str) -> Channel | None:
        name = f"{self._member}-{secrets.token_hex(8)}"
        body = {
            "id": name,
            "type": "web_hook",
            "address": self._address,
            "token": token_of(name, self._account.settings["client_secret"]),
            "expiration": str(int((self._now + CHANNEL_LIFE).timestamp() * 1000)),
        }
        try:
            given = self._ask(self._service.events().watch(calendarId=calendar, body=body))
        except OVER:
            return None
        ends = datetime.fromtimestamp(int(given.get("expiration", body["expiration"])) / 1000, UTC)
        return {
            "id": name,
            "resource": str(given.get("resourceId", "")),
            "calendar": calendar,
            "until": ends.isoformat(),
        }

    def _stop(self, channel: Channel) -> None:
        try:
            self._ask(self._service.channels().stop(body={"id": channel["id"], "resourceId": channel["resource"]}))
        except OVER:  # it has ended
            return

    def _ask(self, request: Any) -> Any:
        return answered(request, CALENDAR, self._now)

    def _remember(self) -> None:
        # The connection's name is saved too, so that late messages are still recognised.
        kept = {
            "member": self._member,
            "about": self._about,
            "looked_at": self._now.isoformat(),
            "open": self._open,
        }
        with self._account.refresh_lock():
            token = {name: value for name, value in (self._account.token() or {}).items() if name != KEPT}
            self._account.save_token(token if self._address is None and not self._open else {**token, KEPT: kept})
