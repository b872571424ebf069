"""Map the names that vendors and people use for sports to one standard name each."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

PREFIX = "HKWorkoutActivityType"
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_]+")

_TOLD = tomllib.loads(Path(__file__).with_name("sports.toml").read_text(encoding="utf-8"))
FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(  # name of several sports -> their normalised names
    {name: tuple(sports.split(", ")) for name, sports in _TOLD.pop("family").items()}
)
SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(  # normalised name -> other names of the same sport
    {name: tuple(others.split(", ")) for name, others in _TOLD.items()}
)
_NORMALISED: Mapping[str, str] = {other: name for name, others in SYNONYMS.items() for other in (name, *others)}

_UNBROKEN = {  # names in one word, as some sources write them in lower case
    name.replace(" ", ""): _NORMALISED.get(name, name)
    for name in (*_NORMALISED, *(sport for several in FAMILIES.values() for sport in several))
}


def plain(label: str) -> str:
    """Return a vendor's name of a sport in lower case and separate words.

    >>> plain("HKWorkoutActivityTypeRunning"), plain("strength_training"), plain("TraditionalStrengthTraining")
    ('running', 'strength training', 'traditional strength training')
    """
    return " ".join(_WORD.findall(label.strip().removeprefix(PREFIX))).lower()


def normalised(label: str) -> str:
    """Return the standard name of a sport, or the name in plain words if it is unknown.

    >>> normalised("Run"), normalised("lap_swimming"), normalised("Unicycling"), normalised("mountainbiking")
    ('running', 'pool swimming', 'unicycling', 'mountain biking')
    """
    words = plain(label)
    return _NORMALISED.get(words) or _UNBROKEN.get(words, words)


def names(label: str) -> tuple[str, ...]:
    """Return a sport's name as given, in plain words and in its standard form, then the synonyms of the last.

    >>> names("Run")[:4]
    ('Run', 'run', 'running', 'run')
    """
    return (label, plain(label), name := normalised(label), *SYNONYMS.get(name, ()))


def is_known(name: str) -> bool:
    """Return True if a name is that of a known sport, one of its synonyms, or a family of sports."""
    return plain(name) in {*_NORMALISED, *FAMILIES}


def is_kind(one: str, other: str) -> bool:
    """Return True if two names mean the same sport, or are the same word apart from an ending "s" or "ing"."""
    first, second = ({normalised(name.removesuffix(end)) for end in ("", "s", "ing")} for name in (one, other))
    return bool(first & second)


def is_sport(label: str | None, asked: str) -> bool:
    """Return True if a workout's label means the sport ``asked``, or a sport of the family ``asked``."""
    if label is None:
        return False
    name = normalised(label)
    named = name == normalised(asked) or name in FAMILIES.get(plain(asked), ())
    return named or label.casefold().strip() == asked.casefold().strip()


def is_in(title: str, asked: str) -> bool:
    """Return True if a title, or a word of it, means the sport ``asked``, or contains its name.

    >>> is_in("Swim with Ana", "swimming"), is_in("Climbing with Leo", "swimming")
    (True, False)
    """
    return asked.casefold() in title.casefold() or any(is_sport(one, asked) for one in (title, *title.split()))
