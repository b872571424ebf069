"""Facts: why something is advised, measured or counted as done, as data that no code ever reads as prose.

``bridge/domain/rendering.py`` is the one place where a fact becomes words, for an audience.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

Value = str | int | float | bool | None  # of a fact: what JSON holds; a time is ISO 8601 with its offset


class Private:
    """Words that some audiences may not read, such as a title. Only ``reveal`` gives them.

    >>> f"{Private('Oncology')}"
    Traceback (most recent call last):
        ...
    TypeError: private words are shown to an audience by the renderer alone
    """

    __slots__ = ("_words",)

    def __init__(self, words: str) -> None:
        self._words = words

    def reveal(self) -> str:
        """Return the words. Call it in a renderer that knows its audience, or to store the fact."""
        return self._words

    def __str__(self) -> NoReturn:
        raise TypeError("private words are shown to an audience by the renderer alone")

    def __format__(self, _spec: str) -> NoReturn:
        raise TypeError("private words are shown to an audience by the renderer alone")

    def __repr__(self) -> str:
        return "Private(...)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Private) and other._words == self._words

    def __hash__(self) -> int:
        return hash(self._words)

    def __reduce__(self) -> tuple[type[Private], tuple[str]]:
        return Private, (self._words,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A reason. ``weight`` is its signed share in the choice in log-odds, or in the level for a meter."""

    kind: str
    values: Mapping[str, Value] = field(default_factory=dict)
    weight: float = 0.0
    title: Private | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fact as it is stored, with its title. A document for an audience comes from the renderer."""
        title = None if self.title is None else self.title.reveal()
        return {"kind": self.kind, "values": dict(self.values), "weight": self.weight, "title": title}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Fact:
        """Return a fact from its stored form."""
        title = kept["title"]
        return cls(
            kind=kept["kind"],
            values=kept["values"],
            weight=kept["weight"],
            title=None if title is None else Private(title),
        )
