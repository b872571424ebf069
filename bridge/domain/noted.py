"""Names of things that people often note, such as coffee. Such a name counts as the same note in every language."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from bridge.domain.drinks import Kind, kind_of
from bridge.domain.languages import Text, languages, say, shown
from bridge.domain.note_times import without_times

COMMON = (say("alcohol"), say("late coffee"), say("late meal"))  # offered to everybody
COFFEE = say("coffee")
DRINKS: Mapping[Kind, Text] = {"alcohol": COMMON[0], "late coffee": COMMON[1], "coffee": COFFEE}
KEPT = (*COMMON, COFFEE)  # by one name, whatever the language
OFTEN = (
    *KEPT,
    *(say("caffeine"), say("beer"), say("wine"), say("headache"), say("migraine"), say("sauna")),
    *(say("night shift"), say("early shift"), say("late shift")),
)


@cache
def _known(texts: Sequence[Text]) -> Mapping[str, Text]:
    return {text.in_language(language).casefold(): text for text in texts for language in languages()}


def name_of(name: str) -> str:
    """Return the name of a common note as a text that ``shown`` can translate, and any other name unchanged."""
    return _known(OFTEN).get(name.casefold(), name)


def called(name: str) -> str:
    """Return the name of a common note in the current language, and any other name unchanged."""
    return shown(name_of(name))


def in_languages(name: str) -> frozenset[str]:
    """Return the names of a common note in all languages, in lower case. For any other note, return its name alone."""
    text = name_of(name)
    return frozenset(
        {text.in_language(language).casefold() for language in languages()} if isinstance(text, Text) else {text}
    )


def kept_name(name: str, noted: Collection[str]) -> str:
    """Return the name in ``noted`` that means the same as ``name`` in some language, or ``name`` if there is none."""
    if (one := _known(KEPT).get(name)) is None:
        return name
    return min((other for other in noted if _known(KEPT).get(other) == one), default=name)


@cache
def drink_of(name: str) -> Text | None:
    """Return the drink that a note's name implies, such as alcohol for "beers", or None if it is no drink.

    Returns None as well if the name is already the drink's own, in any language.
    """
    kind = kind_of(without_times(name.casefold()))
    drink = None if kind is None else DRINKS["coffee" if kind == "late coffee" else kind]
    return None if drink is None or _known(KEPT).get(name.casefold()) == drink else drink


def chips(noted: Collection[str]) -> list[str]:
    """Return names to offer for a new note, without repetition. Names in ``noted`` come first, then common ones."""
    known = _known(KEPT)
    names = [name if name.casefold() in known else drink_of(name) or name for name in noted]
    return list(dict.fromkeys([*(called(name) for name in names), *map(shown, COMMON)]))
