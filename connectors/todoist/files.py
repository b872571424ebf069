"""Read Todoist's files, which are the CSV file of a project, as in backups, and the JSON of its API.

A CSV file has no ids. A task is identified by its project, the tasks above it and its title.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from bridge.domain.errors import SourceChanged
from bridge.domain.ports import File
from bridge.domain.types import Page, RawRecord
from bridge.ingest.files import ending
from bridge.ingest.json_stream import Broken, Json
from connectors.lists import file_pages, named
from connectors.payload import mapping

FILE_MAX_BYTES = 20_000_000
TASKS_MAX = 100_000
TASK_MAX_CHARS = 200_000
INDENT_MAX = 10
NEEDED = {"TYPE", "CONTENT", "INDENT"}
TASK_LISTS = ("items", "results", "tasks")  # of the sync API, of its successor, and of completed tasks
ID_SUFFIX = re.compile(r" \[\d+\]$")  # in the name of a backup's file
API_MARKS = (b'"full_sync"', b'"sync_token"', b'"day_orders"')
TOO_LARGE = "the file is far larger than a list of tasks; export fewer"


def recognise(file: File) -> bool:
    """Return True for a CSV file with Todoist's columns, or a JSON file that begins with fields of its tasks."""
    if ending(file.name) == "json":
        return b'"content"' in file.head and (b'"project_id"' in file.head or any(m in file.head for m in API_MARKS))
    return ending(file.name) == "csv" and set(_columns(file.head)) >= NEEDED


def read(file: File, *, zone: str) -> Iterator[Page]:
    """Yield the tasks in pages. Tasks of an earlier file of the same name that this file lacks are deleted.

    ``zone`` is for times without a zone. Raises SourceChanged for too large a file, and CutShort after the readable
    part.
    """
    name, parent = named(file)
    cut = False
    records: dict[str, RawRecord] = {}
    try:
        found = _from_json(file, zone) if ending(file.name) == "json" else _from_csv(file, ID_SUFFIX.sub("", name))
        for key, payload in found:
            records[key] = RawRecord(stream="task", key=key, payload=payload, parent=parent)
            if len(records) > TASKS_MAX:
                raise SourceChanged(TOO_LARGE)
    except (Broken, csv.Error):
        cut = True
    yield from file_pages(parent, list(records.values()), cut=cut)


def _content(file: File) -> bytes:
    with file.open() as opened:
        content = opened.read(FILE_MAX_BYTES + 1)
    if len(content) > FILE_MAX_BYTES:
        raise SourceChanged(TOO_LARGE)
    return content


def _columns(head: bytes) -> list[str]:
    line = head.decode("utf-8-sig", errors="replace").partition("\n")[0]
    return [name.strip() for name in line.split(",")]


def _from_csv(file: File, project: str) -> Iterator[tuple[str, dict[str, Any]]]:
    text = _content(file).decode("utf-8-sig", errors="replace").replace("\0", "")
    above: list[str] = []
    seen: Counter[tuple[str, ...]] = Counter()
    for row in csv.DictReader(io.StringIO(text, newline=""), strict=True):
        title = (row.get("CONTENT") or "").strip()
        if (row.get("TYPE") or "").strip() != "task" or not title:
            continue
        depth = _depth(row.get("INDENT"))
        above = [*above[: depth - 1], title]
        path = (project, *above)
        seen[path] += 1
        texts = {"due": row.get("DATE"), "deadline": row.get("DEADLINE"), "zone": row.get("TIMEZONE")}
        kept = {name: value.strip() for name, value in texts.items() if value and value.strip()}
        yield _digest((*path, str(seen[path]))), {"title": title, "list": project, "labelled": True, **kept}


def _depth(text: str | None) -> int:
    return min(max(int(text), 1), INDENT_MAX) if text and text.strip().isdecimal() and len(text) < 4 else 1


def _digest(path: tuple[str, ...]) -> str:
    return hashlib.blake2b("\n".join(path).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _from_json(file: File, zone: str) -> Iterator[tuple[str, dict[str, Any]]]:
    items: list[dict[str, Any]] = []
    projects: dict[str, str] = {}
    broken = False
    try:
        _collect(Json(io.BytesIO(_content(file))), items, projects)
    except Broken:
        broken = True
    for item in sorted(items, key=lambda one: str(one.get("completed_at") or "")):
        key = item.get("task_id") or item.get("id")
        if isinstance(key, str | int) and item.get("is_deleted") not in (True, 1):
            yield str(key), _payload(item, projects, zone)
    if broken:
        raise Broken


def _collect(document: Json, items: list[dict[str, Any]], projects: dict[str, str]) -> None:
    if document.peek() == "[":
        _extend(items, document)
        return
    for name in document.members():
        if name in TASK_LISTS and document.peek() == "[":
            _extend(items, document)
        elif name == "projects" and document.peek() == "[":
            projects |= {str(one.get("id")): str(one.get("name")) for one in _objects(document)}
        elif name == "projects" and document.peek() == "{":
            for number in document.members():
                projects[number] = str(mapping(document.value()).get("name"))
        else:
            document.skip()


def _extend(items: list[dict[str, Any]], document: Json) -> None:
    """Add the objects of a list one by one to ``items``, so that a damaged file keeps those before the damage."""
    for item in _objects(document):
        items.append(item)  # noqa: PERF402 - see above


def _objects(document: Json) -> Iterator[dict[str, Any]]:
    for _ in document.elements():
        found = document.object(TASK_MAX_CHARS) if document.peek() == "{" else None
        if found is None:
            document.skip()
        else:
            yield found


def _payload(item: Mapping[str, Any], projects: Mapping[str, str], zone: str) -> dict[str, Any]:
    due, deadline = mapping(item.get("due")), mapping(item.get("deadline"))
    checked = item.get("checked", item.get("is_completed"))
    kept = {
        "title": item.get("content"),
        "list": projects.get(str(item.get("project_id"))) or str(item.get("project_id") or "Todoist"),
        "due": due.get("datetime") or due.get("date"),
        "deadline": deadline.get("date"),
        "zone": due.get("timezone") or zone,
        "checked": checked in (True, 1) or None,
        "completed": item.get("completed_at") or item.get("date_completed"),
        "updated": item.get("updated_at"),
    }
    return {name: value for name, value in kept.items() if value is not None}
