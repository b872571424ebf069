"""JSON that is small in its zip and endless outside of it: every reader of files takes little memory for it."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

PEAK = """
import resource, sys
from pathlib import Path
from bridge import installation
from bridge.config import load
from bridge.domain.errors import SetupError
from bridge.ingest import runs
from bridge.store import Store
from tests.world import NOW
store = Store("sqlite://")
user = store.people.add_user("ana", "UTC", now=NOW)
try:
    ended = runs.import_path(installation.Bridge(settings=load(), store=store), user, Path(sys.argv[1]), at=NOW)
    print(*(reason for one in ended.outcomes for _, reason in one.failed_files))
except SetupError as error:
    print(error)
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) // 1024)
"""
MEGABYTES = 300  # at most; Python with the bridge takes half of it before anything is read
MANY = 6_000_000  # objects, which would be 400 megabytes in memory
HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "empty objects in a saved answer": (
        "days.json",
        lambda: b'[{"wellnessStartTimeGmt":1}' + b",{}" * MANY + b"]",
    ),
    "empty objects in the export": ("UDSFile_1.json", lambda: b"[{}" + b",{}" * MANY + b"]"),
    "empty objects in an object": ("UDSFile_1.json", lambda: b'[{"a":[{}' + b",{}" * MANY + b"]}]"),
    "empty objects about an export of ours": ("rhythm-bridge-export.json", lambda: b"[{}" + b",{}" * MANY + b"]"),
    "empty objects of the app's own": ("day.json", lambda: b'{"metric":"a","data":[{}' + b",{}" * MANY + b"]}"),
    "one endless text": ("UDSFile_1.json", lambda: b'[{"a":"' + b"x" * 90_000_000 + b'"}]'),
    "brackets": ("UDSFile_1.json", lambda: b"[" * 90_000_000),
}


@pytest.mark.parametrize("case", sorted(HOSTILE))
def test_hostile_json_in_a_small_zip_takes_little_memory(tmp_path: Path, case: str) -> None:
    name, content = HOSTILE[case]
    place = tmp_path / "export.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content())
    assert place.stat().st_size < 200_000
    done = subprocess.run([sys.executable, "-c", PEAK, str(place)], capture_output=True, text=True, timeout=120)
    said, peak = done.stdout.strip().rsplit("\n", 1) if "\n" in done.stdout.strip() else ("", done.stdout.strip())
    assert said, done.stderr
    assert int(peak) < MEGABYTES
