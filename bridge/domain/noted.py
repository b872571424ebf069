"""Names of things that people often note. The name of such a thing in any language counts as the same note."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from bridge.domain.languages import Text, languages, say, shown

COMMON = (say("alcohol"), say("late coffee"), say("late meal"))


@cache
def _common() -> Mapping[str, Text]:
    return {one.in_language(language).casefold(): one for one in COMMON for language in languages()}


def called(name: str) -> str:
    """Return the name of a note as a person reads it, translated if it is often noted."""
    return shown(_common().get(name, name))


def kept_name(name: str, noted: Collection[str]) -> str:
    """Return the name in ``noted`` that means the same thing in any language, or ``name`` if there is none."""
    if (one := _common().get(name)) is None:
        return name
    return min((other for other in noted if _common().get(other) == one), default=name)


def chips(noted: Collection[str]) -> list[str]:
    """Return names to offer for a new note: what the user noted before, then common notes, without repetition."""
    return list(dict.fromkeys([*map(called, noted), *map(shown, COMMON)]))
