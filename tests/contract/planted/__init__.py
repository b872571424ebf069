"""A live source with faults to be planted, whose connector, vendor server and fixtures are found as any plug-in's.

``FAULT`` names the one that is planted; None: the source is sound.
"""

from __future__ import annotations

FAULT: str | None = None


def planted(fault: str) -> bool:
    return fault == FAULT
