"""Write accepted recommendations as events of a calendar named Rhythm.

The login could change any calendar. Events that lack the bridge's mark are never touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from xml.sax.saxutils import escape

from bridge.domain.errors import NeedsLogin, Refused, SetupError
from bridge.domain.ports import Account
from bridge.domain.types import Plan
from connectors.caldav.client import login_of
from connectors.caldav.discovery import collections, discover
from connectors.caldav.entries import MARK, OURS
from connectors.caldav.server import CONNECT_AGAIN, NAMESPACES, Declined, Server, joined
from connectors.icalendar.components import components, text_of
from connectors.icalendar.text import decoded, parsed
from connectors.written_plans import TITLE, WrittenPlans, event_id, mark_of_plan, title_of

PATH = "rhythm-bridge/"
ICALENDAR = {"Content-Type": "text/calendar; charset=utf-8"}
PLAIN = {"Accept-Encoding": "identity"}  # some servers change the etag of a packed answer
CHANGED = (409, 412)  # somebody was faster
NO_CALENDAR = (404, 409, 410)


def write(account: Account, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]:
    """Write the current plans as events, and remove outdated events. Return the keys of plans whose event is deleted.

    The user deleted these events. Raises NeedsLogin without a login, and SetupError, a single time, if the user deleted
    the whole calendar.
    """
    written = WrittenPlans(account, plans, now=now)
    if written.is_settled():
        return []
    login = login_of(account)
    if login is None:
        raise NeedsLogin(
            f"caldav needs an address, a login name and an app password; connect again: {CONNECT_AGAIN} --write"
        )
    with closing(Server(login, now=now)) as server:
        homes = [str(home) for home in (account.token() or {}).get("homes") or ()]
        rhythm = _Rhythm(server, written, homes or discover(server, login.address).homes)
        return written.settle(take_away=rhythm.take_away, is_deleted=rhythm.is_deleted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    """An event stored under a plan's key. ``mark`` is None if another program wrote it."""

    etag: str
    mark: str | None


class _Rhythm:
    """The calendar named Rhythm, which holds the accepted recommendations. It is created if it is missing."""

    def __init__(self, server: Server, plans: WrittenPlans, homes: Sequence[str]) -> None:
        self._server, self._plans = server, plans
        for home in homes:
            server.trust(home)
        plans.keep_in(plans.calendar or self._found(homes) or self._made(homes[0]))

    def is_deleted(self, plan: Plan) -> bool:
        """Return True if the user deleted a plan's event after agreeing. Else write a missing or outdated event."""
        event = self._event(plan.key)
        if event is None and self._plans.was_agreed(plan):
            self._check_calendar()
            return True
        if event is None:
            self._put(plan, {"If-None-Match": "*"})
        elif event.mark is not None and event.mark != mark_of_plan(plan):
            self._put(plan, {"If-Match": event.etag})
        self._plans.written(plan)
        return False

    def take_away(self, key: str) -> None:
        event = self._event(key)
        if event is None or event.mark is None:
            return
        try:
            self._server.ask("DELETE", self._address(key), headers={"If-Match": event.etag})
        except Declined as error:  # the person was faster
            if not error.is_gone and error.status not in CHANGED:
                raise

    def _event(self, key: str) -> _Written | None:
        try:
            answer = self._server.ask("GET", self._address(key), headers=PLAIN)
        except Declined as error:
            if error.is_gone:
                return None
            raise
        calendars, _ = parsed(decoded(answer.content))
        marks = [text_of(component, OURS) for calendar in calendars for component in components(calendar)]
        return _Written(etag=answer.headers.get("ETag", "*"), mark=next(filter(None, marks), None))

    def _put(self, plan: Plan, condition: Mapping[str, str]) -> None:
        body = _event_of(plan, self._plans.now).decode()
        try:
            self._server.ask("PUT", self._address(plan.key), body, headers={**ICALENDAR, **condition})
        except Declined as error:
            if error.status in NO_CALENDAR:
                self._check_calendar()
            if error.status not in CHANGED:
                raise

    def _check_calendar(self) -> None:
        if self._is_there():
            return
        self._plans.removed()
        raise SetupError(
            f'the calendar "{TITLE}" was deleted at the server: accepted advice is no longer written. '
            f"To have it again: {CONNECT_AGAIN} --write"
        )

    def _is_there(self) -> bool:
        try:
            listing = self._server.propfind(self._plans.calendar, "<d:resourcetype/>", depth=0)
        except Declined as error:
            if not error.is_gone:
                raise
            return False
        return any(response.status in (None, 200) for response in listing.responses)

    def _found(self, homes: Sequence[str]) -> str | None:
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
        return f"{self._plans.calendar}{event_id(key)}.ics"


_MKCALENDAR = (
    f'<c:mkcalendar xmlns:d="DAV:" {NAMESPACES}><d:set><d:prop><d:displayname>{TITLE}</d:displayname>'
    f"<c:calendar-description>{escape(MARK)}</c:calendar-description>"
    '<c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>'
    "</d:prop></d:set></c:mkcalendar>"
)


def _event_of(plan: Plan, now: datetime) -> bytes:
    from icalendar import Calendar, Event

    event = Event()
    event.add("uid", f"{event_id(plan.key)}@rhythm-bridge")
    event.add("dtstamp", now)
    event.add("dtstart", plan.start)
    event.add("dtend", plan.end)
    event.add("summary", title_of(plan))
    event.add(OURS, mark_of_plan(plan))
    body = Calendar()
    body.add("prodid", "-//rhythm-bridge//advice//EN")
    body.add("version", "2.0")
    body.add_component(event)
    written: bytes = body.to_ical()
    return written
