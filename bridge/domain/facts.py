"""Facts, which are reasons (why something is advised, measured or counted as done) stored as data instead of prose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, NoReturn, Union

# Of a fact: what JSON holds, further facts, or a tuple of either. A time is ISO 8601 with its offset, a day without.
Value = Union[str, int, float, bool, None, "Fact", tuple[Union[str, "Fact"], ...]]


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
    """A reason, as data. ``weight`` is how much it speaks for the advised action (log-odds), or how far it moves a
    meter's level.
    """

    kind: str
    values: Mapping[str, Value] = field(default_factory=dict)
    weight: float = 0.0
    title: Private | None = None

    def __hash__(self) -> int:
        return hash((self.kind, frozenset(self.values.items()), self.weight, self.title))

    def weighed(self, weight: float) -> Fact:
        return replace(self, weight=weight)

    def parts(self) -> Iterator[Fact]:
        """Yield the fact and all facts within its values, at any depth."""
        yield self
        for value in self.values.values():
            for part in value if isinstance(value, tuple) else (value,):
                if isinstance(part, Fact):
                    yield from part.parts()

    def to_json(self) -> dict[str, Any]:
        """Return the fact as JSON values for the store, with its private title.

        Readers get facts from ``rendering`` instead.
        """
        title = None if self.title is None else self.title.reveal()
        return {"kind": self.kind, "values": _packed(self.values), "weight": self.weight, "title": title}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Fact:
        title = kept["title"]
        return cls(
            kind=kept["kind"],
            values={name: _unpacked(value) for name, value in kept["values"].items()},
            weight=kept["weight"],
            title=None if title is None else Private(title),
        )


def fact(kind: str, /, *, title: str | None = None, **values: Value | date) -> Fact:
    """Return a fact with these ``values``. Dates and times become ISO text, so give times in the reader's time zone.

    >>> fact("until", day=date(2026, 11, 28)).values
    {'day': '2026-11-28'}
    """
    told = {name: value.isoformat() if isinstance(value, date) else value for name, value in values.items()}
    return Fact(kind=kind, values=told, title=None if title is None else Private(title))


def length(minutes: float) -> Fact:
    """Return a length in minutes, rounded, as a fact to be used as a value of another fact.

    >>> length(77).values, length(60).kind
    ({'hours': 1, 'minutes': 17}, 'hours')
    """
    hours, left = divmod(round(minutes), 60)
    if not hours:
        return Fact(kind="minutes", values={"minutes": left})
    return Fact(kind="hours_minutes" if left else "hours", values={"hours": hours, "minutes": left})


def prose(text: str) -> Fact:
    """Return a fact that consists of the given text. Only the person whom it is about may read the text."""
    return Fact(kind=PROSE, values={"text": text})


PROSE = "prose"


def _packed(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: _packed_value(value) for name, value in values.items()}


def _packed_value(value: Value) -> Any:
    if isinstance(value, tuple):
        return [_packed_value(one) for one in value]
    return value.to_json() if isinstance(value, Fact) else value


def _unpacked(value: Any) -> Value:
    if isinstance(value, list):
        return tuple(_unpacked(one) for one in value)  # type: ignore[misc]  # JSON is not typed
    return Fact.from_json(value) if isinstance(value, dict) else value
