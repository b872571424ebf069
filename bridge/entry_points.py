"""Read what other installed packages add to this one, as the laboratory adds commands and policies."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def added(group: str) -> dict[str, str]:
    """Return name -> ``module`` or ``module:attribute`` of the entry points that installed packages state for a group.

    ``importlib.metadata`` tells the same, after a fourth of the time of ``bridge --help`` for e-mail and archives.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        for file in Path(folder).glob("*.dist-info/entry_points.txt"):
            _, _, rest = file.read_text(encoding="utf-8").partition(f"[{group}]\n")
            for line in rest.partition("\n[")[0].splitlines():
                name, stated, value = line.partition("=")
                if stated:
                    found.setdefault(name.strip(), value.strip())
    return dict(sorted(found.items()))
