"""The names of what people often note, which are the same thing in every language."""

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
    """Return the first of the names in ``noted`` that is the same thing, else the name itself."""
    if (one := _common().get(name)) is None:
        return name
    return min((other for other in noted if _common().get(other) == one), default=name)


def chips(noted: Collection[str]) -> list[str]:
    """Return what a user noted, each thing once, then what is often noted, as a person reads it."""
    return list(dict.fromkeys([*map(called, noted), *map(shown, COMMON)]))
