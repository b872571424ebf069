"""A full disk, a read-only disk and torn pages: every command and every door says so in a sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

NAMESPACE = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
ROOT = Path(__file__).parents[2]
FULL = r"there is no room left on the disk; make room, then do it again"
READ_ONLY = r"the disk or the database can only be read; make it writable, then do it again"
DAMAGED = r"the database is damaged; stop the bridge and go on from a backup \(see: bridge doctor\)"
NEWEST = r"the newest backup is of [-0-9]+ [:0-9]+ UTC: bridge restore bridge-\w+\.age --replace"
TABLE = [  # fault, what is asked, exit code or status, what it says
    *[
        (fault, command, 1, rf"^error: {text}\n")
        for fault, text in (("full", FULL), ("read-only", READ_ONLY))
        for command in (
            *("status", "today", "export", "backup", "backup elsewhere"),
            *("restore", "key rotate", "daemon", "restore by name"),
        )
    ],
    *[
        ("torn", command, 1, rf"^error: {DAMAGED}\n{NEWEST}\n$")
        for command in ("status", "today", "export", "backup", "backup elsewhere", "restore", "key rotate")
    ],
    ("full", "push", 507, FULL),
    ("full", "health", 503, f'"status":"full","reason":"{FULL}"'),
    ("full", "doctor", 1, f'"finding": "{FULL}",\\s+"next": "make room on the disk"'),
    ("read-only", "push", 503, READ_ONLY),
    ("read-only", "health", 503, f'"status":"read-only","reason":"{READ_ONLY}"'),
    ("read-only", "doctor", 1, f'"finding": "{READ_ONLY}",\\s+"next": "make the disk'),
    ("torn", "push", 503, DAMAGED),
    ("torn", "page", 503, DAMAGED.partition(r" \(")[0]),
    ("torn", "health", 503, f'"status":"damaged","reason":"{DAMAGED}"'),
    ("torn", "doctor", 1, f'"finding": "the database in \\S+bridge.db is damaged \\(.+\\)",\\s+"next": ".*{NEWEST}"'),
    ("torn", "daemon", None, DAMAGED),
    ("torn", "restore by name", 0, r"The data of 1 person are back(.|\n)*kept as \S+bridge\.db\.damaged-\w+\n"),
    ("torn", "doctor after it", 1, '"check": "store",\\s+"ok": true'),
]


def said(fault: str) -> dict[str, dict[str, Any]]:
    """What every command and door says under a fault."""
    with TemporaryDirectory() as folder:
        command = [*NAMESPACE, sys.executable, "-m", "tests.doors.small_disk", fault, folder]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, f"a small file system cannot be mounted, or the bridge broke on it: {done.stderr}"
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", ["full", "read-only", "torn"])
def test_every_command_and_door_says_what_is_wrong_with_the_disk(fault: str) -> None:
    found = said(fault)
    assert found["push before"]["code"] == 200
    assert found["health before"]["out"] == '{"status":"ok"}'
    for _, what, code, text in (row for row in TABLE if row[0] == fault):
        one = found[what]
        whole = one["out"] + one.get("err", "")
        assert re.search(text, whole), (what, whole)
        assert one["code"] == code, what
        assert "Traceback" not in whole, what
        assert one.get("seconds", 0) < 45, what  # no wait for a lock that nobody holds
