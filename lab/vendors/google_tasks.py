"""A server that plays Google Tasks, with ``lists``, and ``tasks`` by list, each with its time of change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from bridge.recordings.server import Answer, Request
from lab.vendors.google import GoogleServer, page, refusal

API = "/tasks/v1/"


class Vendor(GoogleServer):
    """A server of ``account``. Changes must be made by ``put``, ``delete`` and ``remove_list``."""

    scope = "https://www.googleapis.com/auth/tasks.readonly"

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.page_size = 100
        self.unknown_list = 404  # or 400: both are answered to the name of a list that was removed

    def put(self, one: str, task: dict[str, Any]) -> None:
        """Add or replace a task of the list ``one``. It must have the field ``updated``."""
        tasks = self.account["tasks"].setdefault(one, [])
        tasks[:] = [t for t in tasks if t["id"] != task["id"]] + [task]

    def delete(self, one: str, task_id: str, *, updated: str) -> None:
        """Replace a task of the list ``one`` by a mark that it is deleted."""
        self.put(one, {"id": task_id, "deleted": True, "updated": updated})

    def account_changed(self, before: dict[str, Any], at: datetime) -> None:
        """Mark as deleted the tasks of the account ``before`` that ``account`` no longer has."""
        for one, tasks in before["tasks"].items():
            alive = {task["id"] for task in self.account["tasks"].get(one, ())}
            for key in (task["id"] for task in tasks if task["id"] not in alive):
                self.delete(one, key, updated=at.isoformat(timespec="milliseconds").replace("+00:00", "Z"))

    def remove_list(self, one: str) -> None:
        self.account["lists"] = [entry for entry in self.account["lists"] if entry["id"] != one]

    def answer_for(self, request: Request, query: Mapping[str, str]) -> Answer:
        size = min(int(query.get("maxResults", "20")), self.page_size)
        path = request.path.removeprefix(API)
        if path == "users/@me/lists":
            return _named("tasks#taskLists", page(self.account["lists"], query, size, {}))
        parts = path.split("/")
        known = {entry["id"] for entry in self.account["lists"]}
        if len(parts) != 3 or parts[0] != "lists" or unquote(parts[1]) not in known:
            return refusal(self.unknown_list, "notFound" if self.unknown_list == 404 else "invalid")
        tasks = [task for task in self.account["tasks"].get(unquote(parts[1]), []) if _shown(task, query)]
        return _named("tasks#tasks", page(tasks, query, size, {}))


def _named(kind: str, answer: Answer) -> Answer:
    """Return a list with its kind, and without the field ``items`` if it is empty, as Google does."""
    found = {"kind": kind, **answer.body}
    return replace(answer, body=found if found["items"] else {name: found[name] for name in found if name != "items"})


def _shown(task: Mapping[str, Any], query: Mapping[str, str]) -> bool:
    """Return True if a query shows a task. Deleted and hidden tasks are shown on request only."""
    wanted = {name for name in ("showDeleted", "showHidden", "showCompleted") if query.get(name) == "true"}
    if task.get("deleted") and "showDeleted" not in wanted:
        return False
    if task.get("hidden") and "showHidden" not in wanted:
        return False
    if task.get("assignmentInfo") and query.get("showAssigned") != "true":
        return False
    done = task.get("status") == "completed" and query.get("showCompleted") == "false"
    return not done and str(task.get("updated", "")) >= query.get("updatedMin", "")
