"""The laboratory, which plays vendors by HTTP servers and a made-up person with accounts at them.

It is its own package, ``rhythm-lab``. The product's wheel does not hold it, and the product never imports it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def fixtures(source: str) -> Path:
    """Return the folder of a source's fixtures, in the wheel or in the checkout."""
    packaged = Path(__file__).parent / "fixtures"
    folder = packaged if packaged.is_dir() else Path(__file__).parents[1] / "fixtures"
    return folder / source


def account(source: str, case: str) -> dict[str, Any]:
    """Return the account in the JSON file ``fixtures/<source>/<case>.json``, for a vendor's server."""
    body: dict[str, Any] = json.loads((fixtures(source) / f"{case}.json").read_text(encoding="utf-8"))
    return body
