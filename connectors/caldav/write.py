"""A writer of accepted recommendations, as events of a calendar named Rhythm.

A login may write everywhere, so what is written carries a mark, and an event without it is never touched. The wanted
events are compared with those in the calendar, so that a repetition changes nothing. Conditions (If-Match,
If-None-Match) keep a change that another program makes meanwhile. CalDAV tells no deletions of single events, so the
written events are noted beside the consent.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from xml.sax.saxutils import escape

from bridge.domain.errors import NeedsLogin, Refused, SetupError
from bridge.domain.ports import Account
from bridge.domain.types import Plan
from connectors.caldav.consent import login_of
from connectors.caldav.discovery import collections, discover
from connectors.caldav.entries import MARK, OURS, TITLE
from connectors.caldav.server import CONNECT_AGAIN, NAMESPACES, Declined, Server, joined
from connectors.icalendar.components import components, text_of
from connectors.icalendar.text import parsed

REMOVED = "removed"  # in place of the calendar's address: the person deleted it
PATH = "rhythm-bridge/"
ICALENDAR = "text/calendar; charset=utf-8"
PLAIN = {"Accept-Encoding": "identity"}  # some servers change the etag of a packed answer
CHANGED = (409, 412)  # somebody was faster
NO_CALENDAR = (404, 409, 410)
Notes = dict[str, dict[str, str]]  # key of a plan -> its end, and when the user agreed to what was written


def write(account: Account, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]:
    """Make the calendar hold the plans that are not over, and return the keys of those whose events the user deleted.

    ``bridge.domain.ports.Writer`` says more. Raises SetupError once if the user deleted the whole calendar. Then
    nothing more is written until the user connects again.
    """
    token = account.token() or {}
    noted = {key: note for key, note in token.get("plans", {}).items() if datetime.fromisoformat(note["end"]) > now}
    current = [plan for plan in plans if plan.end > now]
    withdrawn = set(noted) - {plan.key for plan in current}
    if token.get("calendar") == REMOVED or not (current or withdrawn):
        return []
    login = login_of(account)
    if login is None:
        raise NeedsLogin(f"caldav needs an address, a login name and an app password: {CONNECT_AGAIN} --write")
    with closing(Server(login, now=now)) as server:
        return _Rhythm(account, server, noted, login.address).keep(current, withdrawn, now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """An event in the calendar. ``mark`` is None for an event that another program wrote."""

    etag: str
    mark: str | None


class _Rhythm:
    """The calendar named Rhythm, which holds the accepted recommendations. It is made if it is missing."""

    def __init__(self, account: Account, server: Server, noted: Notes, address: str) -> None:
        self._account, self._server, self._noted = account, server, noted
        token = account.token() or {}
        homes = [str(home) for home in token.get("homes") or ()] or discover(server, address).homes
        for home in homes:
            server.trust(home)
        self._calendar = str(token.get("calendar") or "") or self._found(homes) or self._made(homes[0])
        self._remember(calendar=self._calendar)

    def keep(self, current: Sequence[Plan], withdrawn: set[str], now: datetime) -> list[str]:
        """Write, change and remove events so that the calendar holds the ``current`` plans.

        The events of the plans with the keys ``withdrawn`` are removed. Returns the keys of current plans whose events
        the user deleted.
        """
        for plan in current:
            self._noted.setdefault(plan.key, {})["end"] = plan.end.isoformat()
        self._remember(plans=self._noted)
        for key in withdrawn:
            self._take_away(key)
            del self._noted[key]
        deleted = [plan.key for plan in current if self._is_deleted(plan, now)]
        for key in deleted:
            del self._noted[key]
        self._remember(plans=self._noted)
        return deleted

    def _is_deleted(self, plan: Plan, now: datetime) -> bool:
        """Return True if the user deleted a plan's event after agreeing. Otherwise write the event as far as needed."""
        event, agreed = self._event(plan.key), plan.agreed_at.isoformat()
        if event is None and self._noted[plan.key].get("agreed") == agreed:
            self._check_calendar()
            return True
        if event is None:
            self._put(plan, {"If-None-Match": "*"}, now)
        elif event.mark is not None and event.mark != _marked(plan):
            self._put(plan, {"If-Match": event.etag}, now)
        self._noted[plan.key]["agreed"] = agreed
        self._remember(plans=self._noted)
        return False

    def _take_away(self, key: str) -> None:
        event = self._event(key)
        if event is None or event.mark is None:
            return
        try:
            self._server.ask("DELETE", self._address(key), headers={"If-Match": event.etag})
        except Declined as error:  # the person was faster
            if not error.is_gone and error.status not in CHANGED:
                raise

    def _event(self, key: str) -> _Written | None:
        """Return the event of a plan by the plan's key, or None if there is none."""
        try:
            answer = self._server.ask("GET", self._address(key), headers=PLAIN)
        except Declined as error:
            if error.is_gone:
                return None
            raise
        calendars, _ = parsed(answer.content)
        marks = [text_of(one, OURS) for calendar in calendars for one in components(calendar)]
        return _Written(etag=answer.headers.get("ETag", "*"), mark=next(filter(None, marks), None))

    def _put(self, plan: Plan, condition: Mapping[str, str], now: datetime) -> None:
        body = _event_of(plan, now).decode()
        try:
            self._server.ask("PUT", self._address(plan.key), body, headers=condition, kind=ICALENDAR)
        except Declined as error:
            if error.status in NO_CALENDAR:
                self._check_calendar()
            if error.status not in CHANGED:
                raise

    def _check_calendar(self) -> None:
        """Raise SetupError if the calendar is gone, and note that nothing more is written."""
        if self._is_there():
            return
        self._remember(calendar=REMOVED, plans={})
        raise SetupError(
            f'the calendar "{TITLE}" was deleted at the server: accepted advice is no longer written. '
            f"To have it again: {CONNECT_AGAIN} --write"
        )

    def _is_there(self) -> bool:
        """Return True if the calendar exists. Some servers, as Xandikos, say within a good answer that it does not."""
        try:
            listing = self._server.propfind(self._calendar, "<d:resourcetype/>", depth=0)
        except Declined as error:
            if not error.is_gone:
                raise
            return False
        return any(response.status in (None, 200) for response in listing.responses)

    def _found(self, homes: list[str]) -> str | None:
        """Return the address of the calendar by its description or name, or None if there is none.

        Its stored address may be lost, for example with an earlier consent.
        """
        held = collections(self._server, homes).values()
        named = [one for one in held if one.description == MARK] or [one for one in held if one.name == TITLE]
        return named[0].address if named else None

    def _made(self, home: str) -> str:
        address = joined(home if home.endswith("/") else f"{home}/", PATH)
        try:
            self._server.ask("MKCALENDAR", address, _MKCALENDAR)
        except (Declined, Refused):
            raise SetupError(
                f'the calendar server lets nobody make a calendar there; make one named "{TITLE}" by hand, '
                f"then: {CONNECT_AGAIN} --write"
            ) from None
        return address

    def _address(self, key: str) -> str:
        return f"{self._calendar}{event_id(key)}.ics"

    def _remember(self, **more: Any) -> None:
        """Save values beside the consent, if any of them changed."""
        with self._account.refresh_lock():
            token = self._account.token() or {}
            if any(token.get(name) != value for name, value in more.items()):
                self._account.save_token(token | more)


_MKCALENDAR = (
    f'<c:mkcalendar xmlns:d="DAV:" {NAMESPACES}><d:set><d:prop><d:displayname>{TITLE}</d:displayname>'
    f"<c:calendar-description>{escape(MARK)}</c:calendar-description>"
    '<c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>'
    "</d:prop></d:set></c:mkcalendar>"
)


def event_id(key: str) -> str:
    """Return the name of a plan's event, a digest of the plan's key."""
    return hashlib.blake2b(key.encode(), digest_size=20).hexdigest()


def _event_of(plan: Plan, now: datetime) -> bytes:
    from icalendar import Calendar, Event

    event = Event()
    event.add("uid", f"{event_id(plan.key)}@rhythm-bridge")
    event.add("dtstamp", now)
    event.add("dtstart", plan.start)
    event.add("dtend", plan.end)
    event.add("summary", plan.action.replace("_", " ").capitalize())
    event.add(OURS, _marked(plan))
    body = Calendar()
    body.add("prodid", "-//rhythm-bridge//advice//EN")
    body.add("version", "2.0")
    body.add_component(event)
    written: bytes = body.to_ical()
    return written


def _marked(plan: Plan) -> str:
    return f"{plan.slot}/{plan.action}"
