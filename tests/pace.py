"""Durations in units of this machine's own speed, because a limit in milliseconds would test the machine as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

WORDS = [f"word {n * 7919 % 5003}" for n in range(2000)]


def paces(run: Callable[[], Any], *, tries: int = 7) -> float:
    """Processor time of a run in that of ``pace``, about a millisecond of one core of a server of 2023.

    The least of several tries of either, in turns, so that what else the machine does is borne by both.
    """
    spent = [(_seconds(run), _seconds(pace)) for _ in range(tries)]
    return min(one for one, _ in spent) / min(other for _, other in spent)


def pace() -> int:
    """Do the work of common Python programs: split strings, fill a dictionary, sort, and add numbers."""
    found: dict[str, int] = {}
    for word in WORDS:
        name, _, number = word.partition(" ")
        found[number + name] = found.get(number + name, 0) + int(number)
    return sum(found[key] for key in sorted(found))


def _seconds(run: Callable[[], Any]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun
