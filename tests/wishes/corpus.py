"""Read the wishes of en.txt and de.txt with what they mean."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time
from pathlib import Path

from bridge.wishes.hearing import Said
from bridge.wishes.lexicon import ALL, WORK
from rhythm_env.interface import DAY_NAMES, ActionType, Meter

HERE = Path(__file__).parent
DAYS = [name.lower() for name in DAY_NAMES]
Meaning = frozenset[tuple[object, ...]]
Wish = tuple[str, Meaning]


def wishes(language: str) -> list[Wish]:
    """Return (text, meaning) of a file's wishes in its order. The meaning of what cannot be kept is empty."""
    lines = (HERE / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.rpartition(" | ") for line in lines if line and not line.startswith("#"))
    return [(text, meant_by(meaning)) for text, _, meaning in rows]


def meant_by(text: str) -> Meaning:
    """Return the meaning of a text such as "goal EXERCISE 3; days WORK mon-fri"."""
    return frozenset(one for part in text.split("; ") if part != "-" for one in _meaning(part))


def meant(said: tuple[Said, ...]) -> Meaning:
    """Return what was understood in the form of a meaning."""
    return frozenset(
        (one.kind, subject, frozenset(one.hours), one.days, one.number, None if one.kind == "best" else one.at)
        for one in said
        for subject in (one.actions or {one.meter})
    )


def nameless(said: tuple[Said, ...]) -> tuple[Said, ...]:
    """Return what was understood without the kind of an action that it names."""
    return tuple(one if one.kind == "without" else replace(one, names=frozenset()) for one in said)


def _meaning(text: str) -> Meaning:
    kind, *words = text.split()
    numbers = [float(word) for word in words if re.fullmatch(r"-?[\d.]+", word)]
    spans = (word.split("-") for word in words if ":" in word and "-" in word)
    hours = tuple((time.fromisoformat(begin), time.fromisoformat(end)) for begin, end in spans)
    days = frozenset(day for word in words if word[:3] in DAYS for day in _days(word))
    meter = Meter(words[0]) if kind == "weight" else None
    actions: frozenset[ActionType] = frozenset()
    for word in words if meter is None else ():
        if word.isupper():
            actions |= {"ALL": ALL, "WORK": WORK}.get(word) or frozenset({ActionType(word)})
    number = numbers[0] if numbers else 0
    at = time.fromisoformat(words[0]) if kind in ("bed", "earliest", "up", "rest") else None
    return meant((Said(kind=kind, actions=actions, meter=meter, hours=hours, days=days, number=number, at=at),))


def _days(word: str) -> range:
    low, _, high = word.partition("-")
    return range(DAYS.index(low), DAYS.index(high or low) + 1)
