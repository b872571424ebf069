"""A server that plays Microsoft To Do, with ``lists``, and ``tasks`` by list."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlencode

from bridge.recordings.server import Answer, Request
from lab.vendors.microsoft import API, Changes, MicrosoftServer, refusal


class Vendor(MicrosoftServer):
    """A server of ``account``. Changes must be made by ``put``, ``delete`` and ``remove_list``, so that links work."""

    default_scope = "Tasks.Read"

    def __init__(self, account: dict[str, Any]) -> None:
        super().__init__(account)
        self.changes = {name: Changes(tasks) for name, tasks in account["tasks"].items()}

    def put(self, one: str, task: dict[str, Any]) -> None:
        """Add or replace a task of the list ``one``."""
        tasks = self.account["tasks"].setdefault(one, [])
        tasks[:] = [t for t in tasks if t["id"] != task["id"]] + [task]
        self._of(one).touch(task["id"])

    def delete(self, one: str, task_id: str) -> None:
        """Delete a task of the list ``one``."""
        tasks = self.account["tasks"][one]
        tasks[:] = [t for t in tasks if t["id"] != task_id]
        self._of(one).touch(task_id)

    def remove_list(self, one: str) -> None:
        self.account["lists"] = [entry for entry in self.account["lists"] if entry["id"] != one]

    def account_changed(self, before: dict[str, Any], at: Any) -> None:  # noqa: ARG002 - numbers, not times
        """Record every difference to the account ``before`` as a change, which later lists of changes contain."""
        for name in {*before["tasks"], *self.account["tasks"]}:
            self._of(name).differ(before["tasks"].get(name, []), self.account["tasks"].get(name, []))

    def _of(self, one: str) -> Changes:
        return self.changes.setdefault(one, Changes([]))

    def answer_for(self, request: Request, url: str) -> Answer:
        path = request.path.removeprefix(API).strip("/").split("/")
        if path == ["pages"]:
            return self.page(request.query["$skiptoken"], url)
        if path == ["me", "todo", "lists"]:
            return self.listed(self.account["lists"], url)
        if len(path) != 6 or path[:3] != ["me", "todo", "lists"] or path[4:] != ["tasks", "delta"]:
            return refusal(404, "ResourceNotFound")
        name = unquote(path[3])
        if name not in {entry["id"] for entry in self.account["lists"]}:
            return refusal(404, "ErrorItemNotFound")
        return self._tasks(name, request.query.get("$deltatoken"), f"{url}{API}/{'/'.join(path)}", url)

    def _tasks(self, name: str, token: str | None, link: str, url: str) -> Answer:
        tasks, changes = self.account["tasks"].get(name, []), self._of(name)
        found = list(tasks) if token is None else changes.since(int(token), tasks, lambda _: True)
        if found is None:
            return refusal(410, "syncStateNotFound")
        return self.listed(found, url, {"@odata.deltaLink": f"{link}?{urlencode({'$deltatoken': changes.now})}"})
