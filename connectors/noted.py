"""Turn names that a person notes in a vendor's app into the names of ``bridge note``, so that both count as one."""

from __future__ import annotations

import re
from collections.abc import Mapping

NAME_MAX = 60  # characters
SWITCHED_ON = frozenset({"yes", "on", "true", "1"})
NOTED = ("alcohol", "caffeine")  # amounts that Apple Health keeps, in drinks and in milligrams
ASKED = re.compile(
    r"(?:did you |have you |do you )?(?:have|had|drink|drank|eat|ate|consume|consumed|take|took|taken|use|used) "
    r"(?:any |an |a |your )?"
)
SIGNS = re.compile(r"[<>=!?~/\s]+")


def is_switched_on(settings: Mapping[str, str] | None, name: str) -> bool:
    """Return True if the value of the setting ``name`` is "yes", "on", "true" or "1", in any case."""
    return (settings or {}).get(name, "").strip().lower() in SWITCHED_ON


def note_name(text: object) -> str | None:
    """Return the short name of a question or tag, or None for a text without letters.

    >>> note_name("Have any caffeine? "), note_name("Read in bed?"), note_name("Take melatonin?")
    ('caffeine', 'read in bed', 'melatonin')
    """
    words = SIGNS.sub(" ", text).strip().casefold() if isinstance(text, str) else ""
    asked = ASKED.match(words)
    short = words[asked.end() :] if asked and len(words) > asked.end() else words
    return short.lstrip("0123456789 ")[:NAME_MAX].strip() or None
