"""Make texts that other people wrote, such as titles of invitations, safe to show, and name slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rhythm_env.interface import DAY_NAMES

if TYPE_CHECKING:
    from bridge.domain.slots import Moment
    from bridge.domain.types import Event

JOINERS = "\u200c\u200d"  # emoji and several scripts are written with them


def writable(text: object) -> str:
    """Return a text with half characters (lone surrogates) replaced by question marks, because no encoding writes them.

    Some calendars cut titles in the middle of a character.
    """
    return str(text).encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """Return a text with unprintable characters, such as control characters and direction marks, replaced by U+FFFD.

    Otherwise the sender of an invitation could move the terminal's cursor or turn a line round.
    """
    return "".join(c if c.isprintable() or c in JOINERS else "\ufffd" for c in text)


def title_of(event: Event) -> str:
    """Return an event's title, safe to encode, or ``(untitled)``. Control characters stay; see ``printable``."""
    return writable(event.title or "(untitled)")


NORMAL = 0.70  # of every meter
USUAL, LITTLE, CLEAR = 0.03, 0.12, 0.25  # distances from the normal; our choice


def steps_from_usual(level: float, sd: float) -> int:
    """Return how far a level is from the usual 0.70, from -3 (far below) to 3 (far above), and 0 for about as usual.

    A distance of at most 0.03, or of half the standard deviation, is about as usual.

    >>> [steps_from_usual(level, 0.1) for level in (0.3, 0.5, 0.62, 0.71, 0.85)]
    [-3, -2, -1, 0, 2]
    """
    off = abs(level - NORMAL)
    if off <= max(USUAL, sd / 2):
        return 0
    steps = 1 if off <= LITTLE else 2 if off <= CLEAR else 3
    return -steps if level < NORMAL else steps


def slot_name(moment: Moment) -> str:
    """Return the name of a slot by weekday and part of the day, e.g. ``Thu evening``."""
    return f"{DAY_NAMES[moment.day]} {moment.slot.name.lower()}"
