"""A bridge on a file system of a few megabytes, which is then filled, made read-only, or has pages overwritten.

Run in a mount namespace of its own: ``unshare -m python -m tests.doors.small_disk FAULT FOLDER`` prints as JSON what
each command and each request says.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from bridge import installation
from bridge.daemon import backups
from bridge.ingest import pushes
from tests.commands import bridge

MEGABYTES = 8
PAGE_BYTES = 4096
COMMAND_SECONDS = 60  # less than the wait for a lock
TORN_TABLES = ("records", "events", "connections")
COMMANDS = {
    "doctor": ("doctor", "--json"),
    "status": ("status", "--json"),
    "today": ("today",),
    "export": ("export", "--user", "ana", "--to", "{folder}/export"),
    "backup": ("backup", "{home}/second.backup"),
    "backup elsewhere": ("backup", "{folder}/third.backup"),
    "restore": ("restore", "{folder}/first.backup"),
    "key rotate": ("key", "rotate"),
    "daemon": ("daemon", "--every", "1"),
    "restore by name": ("restore", "{newest}", "--replace"),
    "doctor after it": ("doctor", "--json"),
}
PUSHED_BYTES = 1 << 20  # more than the body before it gives back, which goes once it is imported, also on a full disk
DAEMON_SECONDS = 30  # after which a daemon that says nothing is stopped
GOES_ON_SECONDS = 4  # in which a daemon that has said what is wrong looks several times for due work
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{}END:VCALENDAR\r\n"
EVENT = (
    "BEGIN:VEVENT\r\nUID:{0}@example.org\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:202611{1:02}T{2:02}0000Z\r\n"
    "DTEND:202611{1:02}T{2:02}3000Z\r\nSUMMARY:Meeting {0}\r\nDESCRIPTION:{3}\r\nEND:VEVENT\r\n"
)


def main(fault: str, folder: Path) -> None:
    disk = folder / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", disk], check=True)
    try:
        home = disk / "home"
        os.environ |= {"BRIDGE_HOME": str(home), "BRIDGE_BACKUPS": str(folder), "COLUMNS": "300"}
        token = _filled(folder)
        newest = max(path.name for path in folder.glob("bridge-*.age"))
        with _served() as port:
            before = _push(port, token, "before"), _started(port)
            _break(fault, disk)
            told: dict[str, Any] = {
                "push before": before[0],
                "health before": before[1],
                "push": _push(port, token, "after", at_least=PUSHED_BYTES),
                "page": _get(port, "/"),
                "health": _get(port, "/health"),
            }
        for name, arguments in COMMANDS.items():
            if fault == "full":
                _close(home / "bridge.db", disk)
                _break(fault, disk)  # the last command may have left room
            begun = time.monotonic()
            told[name] = _said(*(one.format(home=home, folder=folder, newest=newest) for one in arguments))
            told[name]["seconds"] = time.monotonic() - begun
        print(json.dumps(told))
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def _filled(folder: Path) -> str:
    """Fill the store with a person and a calendar, back it up, and return the token of an app that pushes."""
    words = "".join(random.Random(1).choices("abcdefghij ", k=400))
    events = (EVENT.format(number, 1 + number % 28, number % 24, words) for number in range(600))
    (folder / "life.ics").write_text(CALENDAR.format("".join(events)))
    for arguments in (
        ("user", "add", "ana", "--zone", "UTC"),
        ("import", str(folder / "life.ics"), "--user", "ana"),
        ("backup", str(folder / "first.backup")),
    ):
        assert _said(*arguments)["code"] == 0
    with installation.open_bridge() as opened:
        backups.daily(opened, now=installation.now())
        return pushes.grant(opened, opened.store.people.user("ana"), "health_auto_export")


def _break(fault: str, disk: Path) -> None:
    match fault:
        case "full":
            with suppress(OSError), (disk / "ballast").open("ab", buffering=0) as file:
                while True:
                    file.write(b"0" * PAGE_BYTES)
        case "read-only":
            for options in ("bind", "remount,ro,bind"):
                subprocess.run(["mount", "-o", options, disk, disk], check=True)
        case "torn":
            tear(disk / "home" / "bridge.db")


def _close(store: Path, disk: Path) -> None:
    """Drop the log that a process cut off at its end leaves, in which a command could write on a full disk."""
    (disk / "ballast").unlink()
    with sqlite3.connect(store) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def tear(path: Path, tables: tuple[str, ...] = TORN_TABLES) -> None:
    """Overwrite the first pages of three tables and of their indexes, as a disk or a copy cut short would."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE tbl_name = ? AND rootpage > 0"
        roots = [root for name in tables for (root,) in db.execute(query, (name,))]
    db.close()
    with path.open("r+b") as file:
        for root in roots:
            file.seek((root - 1) * PAGE_BYTES)
            file.write(random.Random(root).randbytes(PAGE_BYTES))


def _said(*arguments: str) -> dict[str, Any]:
    if arguments[0] != "daemon":  # a process of its own would take a second more
        done = bridge(*arguments)
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr}
    command, told = [sys.executable, "-m", "bridge", *arguments], ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        late = threading.Timer(DAEMON_SECONDS, process.kill)
        late.start()
        for line in process.stdout:
            told += line
            if "the database is damaged" in line:
                break
        try:
            code: int | None = process.wait(GOES_ON_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
            process.kill()
        told += process.stdout.read()
        late.cancel()
    return {"code": code, "out": "", "err": told}


@contextmanager
def _served() -> Iterator[int]:
    """Run ``bridge up`` and yield the page's port."""
    command = [sys.executable, "-m", "bridge", "up", "--port", "0"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert running.stderr is not None
        lines = iter(running.stderr.readline, "")
        first = next(line for line in lines if line.startswith("open http"))
        yield int(first.rstrip("/\n").rpartition(":")[2])
    finally:
        running.terminate()
        running.communicate(timeout=COMMAND_SECONDS)


def _started(port: int) -> dict[str, Any]:
    """Return what ``/health`` says once the first look for due work has ended, or after the time of a command."""
    until = time.monotonic() + COMMAND_SECONDS
    while (found := _get(port, "/health"))["out"] == '{"status":"starting"}' and time.monotonic() < until:
        time.sleep(0.1)
    return found


def _push(port: int, token: str, what: str, *, at_least: int = 0) -> dict[str, Any]:
    points = [{"date": "2026-11-19 08:00:00 +0000", "qty": 10, "source": what}]
    body = json.dumps({"data": {"metrics": [{"name": "step_count", "units": "count", "data": points}]}})
    headers = {"Authorization": f"Bearer {token}"}
    return _asked(port, "POST", "/push/health_auto_export", body.ljust(at_least), headers)


def _get(port: int, path: str) -> dict[str, Any]:
    return _asked(port, "GET", path, None, {})


def _asked(port: int, method: str, path: str, body: str | None, headers: dict[str, str]) -> dict[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=COMMAND_SECONDS)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    return {"code": answer.status, "out": answer.read().decode(), "retry": answer.getheader("Retry-After")}


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
