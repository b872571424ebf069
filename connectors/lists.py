"""Build the pages of task lists and calendars, from accounts and from files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime

from bridge.domain.errors import CutShort
from bridge.domain.ports import File
from bridge.domain.types import FILE_PARENT_PREFIX, Covers, Page, RawRecord, Task
from connectors.payload import Fields, words

PAGE_TASKS = 500
COPY_SUFFIX = re.compile(r" ?\(\d+\)$")  # what browsers add to the name of a file that is downloaded again


def dropped(stream: str, name: str, places: dict[str, str]) -> Page:
    """Return a page that deletes everything in a removed list. The list is also removed from ``places``, the cursor."""
    places.pop(name, None)
    cursor = json.dumps(places, sort_keys=True)
    return Page(stream=stream, records=(), cursor=cursor, covers=Covers(prefix=f"{name}/"))


def named(file: File) -> tuple[str, str]:
    """Return (list name, parent path of its records) from a file's name. A copy's suffix like "(1)" is dropped."""
    name = COPY_SUFFIX.sub("", file.name.rpartition(".")[0] or file.name).encode("utf-8", "replace").decode()
    return name, f"{FILE_PARENT_PREFIX}{name}"


def file_pages(parent: str, records: Sequence[RawRecord], *, cut: bool) -> Iterator[Page]:
    """Yield a file's tasks, then a page that deletes tasks that only an earlier file of that name held.

    If the file is ``cut`` short, raises CutShort instead of deleting.
    """
    for begin in range(0, len(records), PAGE_TASKS):
        yield Page(stream="task", records=tuple(records[begin : begin + PAGE_TASKS]))
    if cut:
        raise CutShort("the file ends early or is damaged; what came before was read. Export it again")
    yield Page(stream="task", records=(), covers=Covers(parents=frozenset({parent})))


def tasks_in(
    source: str, record: RawRecord, due: Callable[[Fields], date | None], completed: Callable[[Fields], datetime | None]
) -> list[Task]:
    """Return [the task] of a record with the key ``LIST/ID``, or [] for the record of a list.

    ``due`` and ``completed`` read a task's fields. Raises BadRecord without an id.
    """
    if record.stream == "list":
        return []
    fields = Fields.of(source, record)
    name, _, key = record.key.rpartition("/")
    if not isinstance(fields.get("id"), str) or not key:
        raise fields.bad("id is missing")
    title = words(fields.get("title"))
    return [Task(key=record.key, list=name, title=title, due=due(fields), completed=completed(fields))]
