"""Names of things that people often note. The name of such a thing in any language counts as the same note."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from bridge.domain.languages import Text, languages, say, shown

COMMON = (say("alcohol"), say("late coffee"), say("late meal"))  # offered to everybody
OFTEN = (
    *COMMON,
    *(say("coffee"), say("caffeine"), say("beer"), say("wine"), say("headache"), say("migraine"), say("sauna")),
    *(say("night shift"), say("early shift"), say("late shift")),
)


@cache
def _known(texts: Sequence[Text]) -> Mapping[str, Text]:
    return {text.in_language(language).casefold(): text for text in texts for language in languages()}


def name_of(name: str) -> str:
    """Return the name of a note, to be shown later in any language if it is often noted."""
    return _known(OFTEN).get(name.casefold(), name)


def called(name: str) -> str:
    """Return the name of a note as a person reads it, translated if it is often noted."""
    return shown(name_of(name))


def in_languages(name: str) -> frozenset[str]:
    """Return the names in all languages of a note that is often noted, else the name alone."""
    text = name_of(name)
    return frozenset(
        {text.in_language(language).casefold() for language in languages()} if isinstance(text, Text) else {text}
    )


def kept_name(name: str, noted: Collection[str]) -> str:
    """Return the name in ``noted`` that means the same as ``name`` in some language, or ``name`` if there is none."""
    if (one := _known(COMMON).get(name)) is None:
        return name
    return min((other for other in noted if _known(COMMON).get(other) == one), default=name)


def chips(noted: Collection[str]) -> list[str]:
    """Return names to offer for a new note: the user's earlier notes, then notes that are common, each once."""
    return list(dict.fromkeys([*map(called, noted), *map(shown, COMMON)]))
