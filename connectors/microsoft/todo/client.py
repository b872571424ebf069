"""Pull the lists and tasks of Microsoft To Do, and turn them into tasks.

A list is read whole once. Later pulls follow its link, which leads to the changes. Field names:
learn.microsoft.com/graph/api/resources/todotask.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from functools import partial
from typing import Any
from urllib.parse import quote

from bridge.domain.errors import CursorExpired
from bridge.domain.ports import Account
from bridge.domain.types import Covers, Item, Page, RawRecord
from connectors.instants import EVENT_YEARS, utc
from connectors.lists import dropped, tasks_in
from connectors.microsoft.consent import obtain
from connectors.microsoft.graph import REMOVED, Graph, Missing, Rejected, Thing, instant, written_date
from connectors.microsoft.todo import SPEC
from connectors.payload import Fields

LIST_FIELDS = ("id", "wellknownListName")  # no names
TASK_FIELDS = ("id", "title", "status", "dueDateTime", "completedDateTime", "lastModifiedDateTime")  # no notes

authorise = partial(obtain, spec=SPEC)
STATES = {"notStarted": False, "inProgress": False, "waitingOnOthers": False, "deferred": False, "completed": True}


class MicrosoftToDo:
    def __init__(self, account: Account) -> None:
        self._graph = Graph(account, SPEC)
        self._zone = account.zone
        self._lists: dict[str, Thing] | None = None

    def close(self) -> None:
        self._graph.close()

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the lists (stream ``list``), or the changed tasks of all lists. Tasks of a removed list are deleted.

        The cursor holds each list's link to its next changes.
        """
        if self._lists is None:
            found = self._graph.listed("/me/todo/lists", now=now)
            self._lists = {str(one.get("id", "?")): _part(one, LIST_FIELDS) for one in found}
        if stream == "list":
            records = tuple(RawRecord(stream=stream, key=key, payload=one) for key, one in self._lists.items())
            yield Page(stream=stream, records=records, covers=Covers())
            return
        links: dict[str, str] = json.loads(cursor) if cursor else {}
        for gone in sorted(set(links) - set(self._lists)):
            yield dropped("task", gone, links)
        for one in self._lists:
            try:
                yield self._changes(one, links, now)
            except Missing:  # it was removed since the lists were read
                yield dropped("task", one, links)

    def _changes(self, one: str, links: dict[str, str], now: datetime) -> Page:
        """Return a page of a list's changes since its link, or of all tasks. ``links`` gets the next link."""
        link = links.get(one)
        begin = f"/me/todo/lists/{quote(one, safe='')}/tasks/delta"
        try:
            found, following = self._graph.changes(link or begin, now=now)
        except (CursorExpired, Rejected):
            if link is None:
                raise
            link = None
            found, following = self._graph.changes(begin, now=now)
        links[one] = following
        last = {str(thing.get("id", "?")): thing for thing in found}  # a task may be listed twice, the last one counts
        records = tuple(self._record(one, key, thing) for key, thing in last.items())
        covers = Covers(prefix=f"{one}/") if link is None else None
        return Page(stream="task", records=records, cursor=json.dumps(links, sort_keys=True), covers=covers)

    def _record(self, one: str, key: str, thing: Thing) -> RawRecord:
        gone = REMOVED in thing
        zone = {"zone": self._zone} if thing.get("dueDateTime") else {}
        payload = {} if gone else _part(thing, TASK_FIELDS) | zone
        return RawRecord(stream="task", key=f"{one}/{key}", payload=payload, deleted=gone)


def _part(thing: Thing, fields: tuple[str, ...]) -> dict[str, Any]:
    return {name: thing[name] for name in fields if thing.get(name) is not None}


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    return tasks_in("microsoft_todo", record, _due, _completed)


def _due(fields: Fields) -> date | None:
    written = fields.get("dueDateTime")
    day = None if written is None else written_date(written, fields.get("zone"))
    if written is not None and day is None:
        raise fields.bad("dueDateTime is not a date")
    return day


def _completed(fields: Fields) -> datetime | None:
    if not fields.choice("status", STATES):
        return None
    at, changed = instant(fields.get("completedDateTime")), utc(fields.get("lastModifiedDateTime"), EVENT_YEARS)
    if at is None or (at.time() == time(0) and changed is not None and changed.date() == at.date()):
        at = changed
    if at is None:
        raise fields.bad("completedDateTime is not an instant")
    return at
