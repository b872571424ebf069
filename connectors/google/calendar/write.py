"""Write accepted recommendations as events of a calendar named Rhythm. The consent allows writing only there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any

from bridge.domain.errors import SetupError
from bridge.domain.ports import Account
from bridge.domain.types import Plan
from connectors.google.answers import Gone, NotFound, Taken, answered
from connectors.google.auth import open_service
from connectors.google.calendar.calendars import CALENDAR, items
from connectors.google.calendar.normalise import OURS
from connectors.written_plans import TITLE, WrittenPlans, event_id, mark_of_plan, title_of

MARK = "Kept by rhythm-bridge: what you accepted. Delete an event and the advice counts as ignored."
OWNED_FIELDS = "nextPageToken,items(id,description,accessRole)"
EVENT_FIELDS = "id,status,updated,extendedProperties(private)"


def write(account: Account, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]:
    written = WrittenPlans(account, plans, now=now)
    if written.is_settled():
        return []
    with closing(open_service(account, CALENDAR, "calendar", "v3", "/calendar/v3/")) as service:
        rhythm = _Rhythm(account, service, written)
        return written.settle(take_away=rhythm.take_away, is_deleted=rhythm.is_deleted)


class _Rhythm:
    """The calendar named Rhythm at Google, which holds the accepted recommendations. It is created if it is missing."""

    def __init__(self, account: Account, service: Any, plans: WrittenPlans) -> None:
        self._account, self._service, self._plans, self._now = account, service, plans, plans.now
        self._calendar = plans.calendar or self._found() or self._made()
        plans.keep_in(self._calendar)

    def is_deleted(self, plan: Plan) -> bool:
        """Return True if the user deleted a plan's event after agreeing. Else write a missing or outdated event."""
        event = self._event(plan.key)
        if event is None:
            self._insert(plan)
        elif event.get("status") == "cancelled":
            if _changed_at(event, self._now) > plan.agreed_at:
                return True
            self._update(plan)
        elif (mark := _mark(event)) is not None and mark != mark_of_plan(plan):
            self._update(plan)
        return False

    def take_away(self, key: str) -> None:
        event = self._event(key)
        if event is not None and event.get("status") != "cancelled" and _mark(event) is not None:
            try:
                self._ask(self._service.events().delete(calendarId=self._calendar, eventId=event_id(key)))
            except (Gone, NotFound):  # the person was faster
                return

    def _event(self, key: str) -> Mapping[str, Any] | None:
        named = {"calendarId": self._calendar, "eventId": event_id(key)}
        try:
            found: Mapping[str, Any] = self._ask(self._service.events().get(**named, fields=EVENT_FIELDS))
        except (Gone, NotFound):
            return None
        return found

    def _insert(self, plan: Plan) -> None:
        body = {"id": event_id(plan.key), **_body(plan)}
        try:
            self._ask(self._service.events().insert(calendarId=self._calendar, body=body))
        except Taken:  # another process was faster
            return
        except NotFound:
            self._plans.removed()
            raise SetupError(
                f'the calendar "{TITLE}" was deleted at Google: accepted advice is no longer written. '
                f"To have it again: {CALENDAR.again} --write"
            ) from None

    def _update(self, plan: Plan) -> None:
        named = {"calendarId": self._calendar, "eventId": event_id(plan.key)}
        self._ask(self._service.events().update(**named, body={"status": "confirmed", **_body(plan)}))

    def _found(self) -> str | None:
        """Return the id of the calendar that the bridge created, known by its description, or None."""
        resource = self._service.calendarList()
        request = resource.list(maxResults=250, showHidden=True, fields=OWNED_FIELDS)
        while request is not None:
            body = self._ask(request)
            for entry in items(body):
                if entry.get("description") == MARK and entry.get("accessRole") == "owner":
                    return str(entry["id"])
            request = resource.list_next(request, body)
        return None

    def _made(self) -> str:
        body = {"summary": TITLE, "description": MARK, "timeZone": self._account.zone}
        return str(self._ask(self._service.calendars().insert(body=body))["id"])

    def _ask(self, request: Any) -> Any:
        return answered(request, CALENDAR, self._now)


def _body(plan: Plan) -> dict[str, Any]:
    return {
        "summary": title_of(plan),
        "start": {"dateTime": plan.start.isoformat()},
        "end": {"dateTime": plan.end.isoformat()},
        "reminders": {"useDefault": False},
        "extendedProperties": {"private": {OURS: mark_of_plan(plan)}},
    }


def _mark(event: Mapping[str, Any]) -> str | None:
    properties = event.get("extendedProperties")
    private = properties.get("private") if isinstance(properties, Mapping) else None
    mark = private.get(OURS) if isinstance(private, Mapping) else None
    return mark if isinstance(mark, str) else None


def _changed_at(event: Mapping[str, Any], otherwise: datetime) -> datetime:
    try:
        return datetime.fromisoformat(str(event.get("updated")))
    except ValueError:
        return otherwise
