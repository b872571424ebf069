"""Write accepted recommendations as events of a calendar named Rhythm.

The consent covers all calendars, so an event without the bridge's mark is never touched.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

from bridge.domain.errors import SetupError
from bridge.domain.ports import Account
from bridge.domain.types import Plan
from connectors.microsoft.calendar import SPEC
from connectors.microsoft.calendar.normalise import mark_of
from connectors.microsoft.graph import Graph, Missing, Overtaken, Thing
from connectors.written_plans import TITLE, WrittenPlans, event_id, mark_of_plan, title_of

TEXT = "What you accepted. Delete this event, and the advice counts as ignored. rhythm-bridge"
AROUND = timedelta(days=7)  # of the plans' times, in which an event of theirs is looked for


def write(account: Account, plans: Sequence[Plan], *, now: datetime) -> Sequence[str]:
    written = WrittenPlans(account, plans, now=now)
    if written.is_settled():
        return []
    with closing(Graph(account, SPEC)) as graph:
        rhythm = _Rhythm(graph, written)
        return written.settle(take_away=rhythm.take_away, is_deleted=rhythm.is_deleted)


class _Rhythm:
    """The calendar named Rhythm, which holds the accepted recommendations. It is created if it is missing."""

    def __init__(self, graph: Graph, plans: WrittenPlans) -> None:
        self._graph, self._plans, self._now = graph, plans, plans.now
        plans.keep_in(plans.calendar or self._found() or self._made())

    def is_deleted(self, plan: Plan) -> bool:
        """Return True if the user deleted a plan's event after agreeing. Else write a missing or outdated event."""
        event = self._event(plan.key, plan.start, plan.end)
        if event is None and self._plans.was_agreed(plan):
            self._check_calendar()
            return True
        if event is None:
            event = self._create(plan)
        elif (mark := mark_of(event)) is not None and mark[1] != mark_of_plan(plan):
            self._change("PATCH", event, _body(plan))
        self._plans.written(plan, id=str(event.get("id", "")))
        return False

    def take_away(self, key: str) -> None:
        end = datetime.fromisoformat(self._plans.notes[key]["end"])
        event = self._event(key, end, end)
        if event is not None and mark_of(event) is not None:
            self._change("DELETE", event, None)

    def _change(self, method: str, event: Thing, body: Thing | None) -> None:
        try:
            self._graph.send(method, _path(event), now=self._now, body=body, etag=_etag(event))
        except (Missing, Overtaken):
            return

    def _event(self, key: str, start: datetime, end: datetime) -> Thing | None:
        name = self._plans.notes[key].get("id")
        if not name:
            window = {"startDateTime": _text(start - AROUND), "endDateTime": _text(end + AROUND)}
            try:
                held = self._graph.listed(f"{self._place}/calendarView", now=self._now, params=window)
            except Missing:
                return None
            return next((one for one in held if (mark_of(one) or ("",))[0] == event_id(key)), None)
        try:
            return self._graph.get(f"/me/events/{quote(name, safe='')}", now=self._now)
        except Missing:
            return None

    def _create(self, plan: Plan) -> Thing:
        body = {**_body(plan), "transactionId": f"{event_id(plan.key)}-{plan.agreed_at.timestamp():.0f}"}
        try:
            return self._graph.send("POST", f"{self._place}/events", now=self._now, body=body)
        except Missing:
            self._check_calendar()
            raise
        except Overtaken:  # another process was faster
            return {}

    def _check_calendar(self) -> None:
        try:
            self._graph.get(self._place, now=self._now)
        except Missing:
            self._plans.removed()
            raise SetupError(
                f'the calendar "{TITLE}" was deleted at Microsoft: accepted advice is no longer written. '
                f"To have it again: bridge connect {SPEC.name} --user NAME --write"
            ) from None

    def _found(self) -> str | None:
        held = self._graph.listed("/me/calendars", now=self._now)
        named = [one for one in held if one.get("name") == TITLE and one.get("canEdit") is True]
        return str(named[0]["id"]) if named else None

    def _made(self) -> str:
        return str(self._graph.send("POST", "/me/calendars", now=self._now, body={"name": TITLE})["id"])

    @property
    def _place(self) -> str:
        return f"/me/calendars/{quote(self._plans.calendar, safe='')}"


def _body(plan: Plan) -> dict[str, Any]:
    return {
        "subject": title_of(plan),
        "body": {"contentType": "text", "content": f"{TEXT} {event_id(plan.key)} {mark_of_plan(plan)}"},
        "start": _moment(plan.start),
        "end": _moment(plan.end),
        "isReminderOn": False,
    }


def _moment(at: datetime) -> Mapping[str, str]:
    return {"dateTime": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S"), "timeZone": "UTC"}


def _path(event: Thing) -> str:
    return f"/me/events/{quote(str(event.get('id', '')), safe='')}"


def _etag(event: Thing) -> str:
    return str(event.get("@odata.etag", "*"))


def _text(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
