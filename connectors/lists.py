"""Follow lists of tasks, or calendars, of an account, and read those that come as files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from bridge.domain.errors import CutShort
from bridge.domain.ports import File
from bridge.domain.types import FILE_PARENT_PREFIX, Covers, Page, RawRecord

PAGE_TASKS = 500
COPY_SUFFIX = re.compile(r" ?\(\d+\)$")  # what browsers add to the name of a file that is downloaded again


def dropped(stream: str, name: str, places: dict[str, str]) -> Page:
    """Return the page that deletes what a list held that is gone, and take it out of the cursor's ``places``."""
    places.pop(name, None)
    cursor = json.dumps(places, sort_keys=True)
    return Page(stream=stream, records=(), cursor=cursor, covers=Covers(prefix=f"{name}/"))


def named(file: File) -> tuple[str, str]:
    """Return (the name of a list, the parent of its records) from a file's name, the same for a second download."""
    name = COPY_SUFFIX.sub("", file.name.rpartition(".")[0] or file.name).encode("utf-8", "replace").decode()
    return name, f"{FILE_PARENT_PREFIX}{name}"


def file_pages(parent: str, records: Sequence[RawRecord], *, cut: bool) -> Iterator[Page]:
    """Yield a file's tasks, and delete an earlier file's that it lacks. Raises CutShort last if it is ``cut``."""
    for begin in range(0, len(records), PAGE_TASKS):
        yield Page(stream="task", records=tuple(records[begin : begin + PAGE_TASKS]))
    if cut:
        raise CutShort("it ends early or is damaged; what came before was read. Export it again")
    yield Page(stream="task", records=(), covers=Covers(parents=frozenset({parent})))
