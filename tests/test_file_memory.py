"""Small files that unpack to much: what a reader holds in memory stays bounded."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

MOST_MEGABYTES = 256  # over an import of nothing
IMPORT = """
import resource, sys
from datetime import UTC, datetime
from pathlib import Path
from bridge import installation
from bridge.config import load
from bridge.domain.errors import BridgeError
from bridge.ingest import runs
from bridge.store import Store
at = datetime(2026, 11, 22, tzinfo=UTC)
store = Store("sqlite://")
bridge, user = installation.Bridge(settings=load(), store=store), store.people.add_user("ana", "UTC", now=at)
before = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
try:
    runs.import_path(bridge, user, Path(sys.argv[1]), at=at)
except BridgeError:
    pass
print((next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")) - before) // 1024)
"""
EMPTY = b"{}," * 300_000
CASES: dict[str, tuple[str, Iterable[bytes]]] = {
    "a day of points": ("point.json", [b'{"metric":"x","data":[', *[EMPTY] * 12, b"{}]}"]),
    "points": (
        "HealthAutoExport.json",
        [b'{"data":{"metrics":[{"name":"step_count","units":"count","data":[', *[EMPTY] * 4, b"{}]}]}}"],
    ),
    "our own export": ("export/samples.json", [b"{}\n" * 900_000] * 12),
    "an Apple export": ("export.xml", [b"<HealthData>", *[b"<Record/>" * 100_000] * 12, b"</HealthData>"]),
    "counts": ("counts.csv", [b"date,contacts,messages\n", *[b"2026-01-01,1,1\n" * 60_000] * 20]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_small_file_takes_little_memory(tmp_path: Path, case: str) -> None:
    name, content = CASES[case]
    place = tmp_path / "hostile.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
        about = '{"version": 1, "format": "json", "tables": {"samples": 1}}'
        if name.startswith("export/"):
            packed.writestr("export/rhythm-bridge-export.json", about)
        with packed.open(name, "w") as member:
            for chunk in content:
                member.write(chunk)
    assert place.stat().st_size < 200_000
    done = subprocess.run([sys.executable, "-c", IMPORT, str(place)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < MOST_MEGABYTES
