"""The shipped recording is what its command writes: a changed connector or person needs it made anew."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bridge.recordings.recorded_life import LIFE_FOLDER
from lab.people.record_life import record


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_shipped_recording_is_what_the_command_writes(tmp_path: Path) -> None:
    counts = record(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in LIFE_FOLDER.iterdir()}
    assert len(counts) == 6
    for path in sorted(tmp_path.iterdir()):
        assert lines(path) == lines(LIFE_FOLDER / path.name), f"{path.name}: python -m lab.people.record_life"
