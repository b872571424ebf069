"""Pull Google's task lists and tasks, and turn them into tasks of the bridge.

A list's tasks are read whole once, and later only their changes. Field names:
developers.google.com/workspace/tasks/reference/rest/v1/tasks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property, partial
from typing import Any

from bridge.domain.errors import SourceChanged
from bridge.domain.ports import Account
from bridge.domain.types import Covers, Item, Page, RawRecord
from connectors.google import auth
from connectors.google.answers import Gone, Invalid, NotFound, Service, answered
from connectors.google.auth import open_service
from connectors.instants import EVENT_YEARS, calendar_date, utc
from connectors.lists import dropped, tasks_in
from connectors.payload import Fields

TASKS = Service(
    source="google_tasks",
    api="Google Tasks API",
    scope="https://www.googleapis.com/auth/tasks.readonly",
    reads="tasks",
)
authorise = partial(auth.authorise, service=TASKS)

PAGE_MAX_TASKS = 100  # the API's maximum
OVERLAP = timedelta(hours=1)  # before the last pull began, read once more: clocks differ
LIST_FIELDS = "kind,nextPageToken,items(id,title,updated)"
TASK_FIELDS = "kind,nextPageToken,items(id,title,status,due,completed,updated,deleted,hidden,parent)"  # no notes


class GoogleTasks:
    def __init__(self, account: Account) -> None:
        self._account = account
        self._lists: list[str] | None = None

    def close(self) -> None:
        if "_service" in vars(self):
            self._service.close()

    @cached_property
    def _service(self) -> Any:
        return open_service(self._account, TASKS, "tasks", "v1", "/")

    def pull(self, stream: str, cursor: str | None, *, now: datetime) -> Iterator[Page]:
        """Yield the lists (stream ``list``), or each list's tasks that changed since the last pull (stream ``task``).

        Tasks of a removed list are deleted.
        """
        if stream == "list":
            yield self._list_lists(now)
            return
        if self._lists is None:
            self._list_lists(now)
        since: dict[str, str] = json.loads(cursor) if cursor else {}
        for gone in sorted(set(since) - set(self._lists or ())):
            yield dropped("task", gone, since)
        for one in self._lists or ():
            try:
                yield from self._follow(one, since, now)
            except (NotFound, Invalid):  # 404 or 400 "Invalid task list ID": removed since the lists were read?
                self._list_lists(now)
                if one in (self._lists or ()):
                    raise
                yield dropped("task", one, since)

    def _list_lists(self, now: datetime) -> Page:
        found: list[Mapping[str, Any]] = []
        resource = self._service.tasklists()
        request = resource.list(maxResults=PAGE_MAX_TASKS, fields=LIST_FIELDS)
        while request is not None:
            body = answered(request, TASKS, now)
            found += _items(body, "tasks#taskLists")
            request = resource.list_next(request, body)
        self._lists = [str(entry["id"]) for entry in found if "id" in entry]
        records = tuple(RawRecord(stream="list", key=str(entry.get("id", "?")), payload=entry) for entry in found)
        return Page(stream="list", records=records, covers=Covers())

    def _follow(self, one: str, since: dict[str, str], now: datetime) -> Iterator[Page]:
        try:
            yield from self._listing(one, since, now)
        except Gone:
            if since.pop(one, None) is None:
                raise
            yield from self._listing(one, since, now)

    def _listing(self, one: str, since: dict[str, str], now: datetime) -> Iterator[Page]:
        options: dict[str, Any] = {
            "tasklist": one,
            "maxResults": PAGE_MAX_TASKS,
            "showCompleted": True,
            "showHidden": True,
            "showDeleted": True,
            "showAssigned": True,  # in documents and in chats
            "fields": TASK_FIELDS,
        }
        again = datetime.fromisoformat(since[one]) - OVERLAP if one in since else None
        whole = again is None or again > now  # later than now: the clock was ahead, and what it missed is not known
        if again is not None and not whole:
            options["updatedMin"] = _text(again)
        while True:
            body = answered(self._service.tasks().list(**options), TASKS, now)
            records = tuple(_record(one, item) for item in _items(body, "tasks#tasks"))
            if "nextPageToken" not in body:
                break
            yield Page(stream="task", records=records)
            options["pageToken"] = body["nextPageToken"]
        since[one] = _text(now)
        covers = Covers(prefix=f"{one}/") if whole else None
        yield Page(stream="task", records=records, cursor=json.dumps(since, sort_keys=True), covers=covers)


def _items(body: Any, kind: str) -> list[Mapping[str, Any]]:
    # The answer is recognised by its ``kind``, because Google leaves out empty ``items``.
    items = body.get("items", []) if isinstance(body, dict) and body.get("kind") == kind else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise SourceChanged("google_tasks answered in an unknown shape; look for a newer release of the bridge")
    return items


def _record(one: str, item: Mapping[str, Any]) -> RawRecord:
    gone = item.get("deleted") is True
    return RawRecord(stream="task", key=f"{one}/{item.get('id', '?')}", payload={} if gone else item, deleted=gone)


def _text(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def normalise(record: RawRecord, parent: RawRecord | None) -> Sequence[Item]:  # noqa: ARG001 - the port's shape
    return tasks_in("google_tasks", record, _due, _completed)


def _due(fields: Fields) -> date | None:
    text = fields.get("due")
    day = None if text is None else calendar_date(str(text)[:10], EVENT_YEARS)
    if text is not None and day is None:
        raise fields.bad("due is not a date")
    return day


def _completed(fields: Fields) -> datetime | None:
    if not fields.choice("status", {"needsAction": False, "completed": True}):
        return None
    at = utc(fields.get("completed")) or utc(fields.get("updated"))
    if at is None:
        raise fields.bad("completed is not an instant")
    return at
