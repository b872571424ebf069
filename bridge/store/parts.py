"""Write a file under another name and rename it when it is whole, and delete what killed processes left."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SUFFIX = ".bridge-part"
RESTORING = ".restoring-"  # begins folders with the copy of a backup that is being read
ABANDONED_SECONDS = 86_400.0  # after which whoever wrote it, also on another machine, was killed
WRITER = re.compile(rf"\.([0-9a-f]{{8}})\.(\d+){re.escape(SUFFIX)}")  # host and process id in a part's name


@contextmanager
def part_of(path: Path) -> Iterator[Path]:
    """Yield a hidden path to write to.

    It is moved to ``path`` if the ``with`` block succeeds, and otherwise deleted.
    """
    drop_abandoned(path.parent)
    part = path.with_name(f".{path.name}.{_host()}.{os.getpid()}{SUFFIX}")
    unlink(part)
    try:
        yield part
        part.replace(path)
    finally:
        unlink(part)


def drop_abandoned(folder: Path) -> None:
    """Delete partial files in a folder whose writing process has ended.

    Those of other machines are deleted after a day.
    """
    for left in (*folder.glob(f".*{SUFFIX}*"), *folder.glob(f"{RESTORING}*")):
        writer = WRITER.search(left.name)
        if (writer is not None and _has_ended(writer)) or time.time() - _changed(left) > ABANDONED_SECONDS:
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink(missing_ok=True)


def unlink(path: Path) -> None:
    """Delete a SQLite database with the files that SQLite keeps beside it. Missing files are skipped."""
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _has_ended(writer: re.Match[str]) -> bool:
    host, process = writer.groups()
    if host != _host() or sys.platform == "win32":  # where signal 0 would end the process
        return False
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        pass
    return False


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _host() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]
