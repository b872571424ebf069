"""Measures the import of 60 daily FIT files against Garmin's bare decoder on the same files in the same run.

Run: ``python -m lab.benchmarks.fit [--days N]``. The files are made with Garmin's own encoder: a heart rate and a
stress
level every minute, as watches write them. The import is a process of its own for the peak of its memory, and is timed
within it from the first file to the last row, into an SQLite file.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

DAYS = 60
FIRST = date(2026, 9, 1)
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def write(folder: Path, days: int) -> None:
    """Write a file per day."""
    from lab.people.watch_files import watch_day

    for number in range(days):
        day = FIRST + timedelta(days=number)
        (folder / f"{number:03}_WELLNESS.fit").write_bytes(watch_day(day, steps=7000 + 50 * number))


def bare(folder: Path) -> tuple[float, int]:
    """Return the seconds and messages of the SDK's decoder with its defaults."""
    from garmin_fit_sdk import Decoder, Stream

    begun, messages = perf_counter(), 0
    for place in sorted(folder.glob("*.fit")):
        found: dict[str, list[Any]]
        found, errors = Decoder(Stream.from_file(str(place))).read()  # type: ignore[assignment]  # it annotates nothing
        if errors:
            raise SystemExit(f"the decoder failed: {errors}")
        messages += sum(len(some) for some in found.values())
    return perf_counter() - begun, messages


def imported(folder: Path) -> None:
    """Import in this process, and print seconds, samples and peak memory in MB."""
    from bridge import installation
    from bridge.ingest import runs

    with installation.open_bridge() as bridge:
        user = bridge.store.people.add_user("bench", "Europe/Berlin", now=NOW)
        begun = perf_counter()
        outcome = runs.import_path(bridge, user, folder, at=NOW).outcomes[0]
        seconds = perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if outcome.outcome != "ok" or outcome.files != len(list(folder.glob("*.fit"))):
        raise SystemExit(f"the import failed: {outcome}")
    print(json.dumps({"seconds": seconds, "samples": outcome.items["sample"], "peak_mb": peak}))


def measure(days: int) -> dict[str, float]:
    """The best of three of each, alternating."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "files"
        folder.mkdir()
        write(folder, days)
        alone, ours = [], []
        for attempt in range(3):
            alone.append(bare(folder))
            home = Path(name) / f"home{attempt}"
            command = [sys.executable, "-m", "lab.benchmarks.fit", "--import", str(folder)]
            environment = {**os.environ, "BRIDGE_HOME": str(home)}
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)  # noqa: S603
            ours.append(json.loads(done.stdout))
        size = sum(place.stat().st_size for place in folder.glob("*.fit"))
    best = min(ours, key=lambda one: one["seconds"])
    decoder, messages = min(alone)
    return {
        "files": days,
        "kilobytes": round(size / 1000),
        "messages": messages,
        "samples": best["samples"],
        "decoder_s": round(decoder, 2),
        "import_s": round(best["seconds"], 2),
        "ratio": round(best["seconds"] / decoder, 2),
        "peak_mb": round(max(one["peak_mb"] for one in ours)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=DAYS)
    parser.add_argument("--import", dest="folder", type=Path)
    options = parser.parse_args()
    if options.folder:
        imported(options.folder)
    else:
        print(json.dumps(measure(options.days), indent=1))


if __name__ == "__main__":
    main()
