"""The lab: real HTTP servers in the role of the vendors, and a made-up person who lives behind them.

It ships inside the wheel so that ``bridge demo`` runs anywhere; nothing in it is imported by normal use.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def fixtures(source: str) -> Path:
    """The folder of a source's fixtures: inside the wheel, or beside the package in a checkout."""
    packaged = Path(__file__).parent / "fixtures"
    folder = packaged if packaged.is_dir() else Path(__file__).parents[2] / "fixtures"
    return folder / source


def account(source: str, case: str) -> dict[str, Any]:
    """What a vendor holds for one person: ``fixtures/<source>/<case>.json``."""
    body: dict[str, Any] = json.loads((fixtures(source) / f"{case}.json").read_text(encoding="utf-8"))
    return body
