"""Make texts that other people wrote, such as titles of invitations, safe to show, and name slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridge.domain.languages import _, shown
from bridge.domain.titles import slot_text

if TYPE_CHECKING:
    from bridge.domain.slots import Moment
    from bridge.domain.types import Event

JOINERS = "\u200c\u200d"  # emoji and several scripts are written with them


def writable(text: object) -> str:
    """Return a text with lone surrogates, which cannot be encoded, replaced by question marks."""
    return str(text).encode("utf-8", "replace").decode()


def printable(text: str) -> str:
    """Return a text with unprintable characters replaced by U+FFFD, because they could control the terminal."""
    return "".join(c if c.isprintable() or c in JOINERS else "\ufffd" for c in text)


def title_of(event: Event) -> str:
    """Return an event's title without lone surrogates, or ``(untitled)``. Control characters stay."""
    return writable(event.title or _("(untitled)"))


def counted_people(count: int) -> str:
    """Return a number of people in English, as commands print it.

    >>> counted_people(1), counted_people(0)
    ('1 person', '0 people')
    """
    return f"{count} person" if count == 1 else f"{count} people"


def slot_name(moment: Moment) -> str:
    """Return the name of a slot in the current language by weekday and part of the day, such as ``Thu evening``."""
    return shown(slot_text(moment))
