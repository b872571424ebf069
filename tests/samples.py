"""Real files that nobody here wrote: beside the checkout, or where ``BRIDGE_SAMPLES`` says; not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PLACE = Path(os.environ.get("BRIDGE_SAMPLES") or Path(__file__).parents[2] / "shared" / "samples")


def sample(path: str) -> Path:
    """A file or folder of the samples; the test is skipped where it is absent."""
    found = PLACE / path
    if not found.exists():
        pytest.skip(f"the sample {path} is not here; set BRIDGE_SAMPLES")
    return found
