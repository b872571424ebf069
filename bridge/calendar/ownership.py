"""Tell a person's own calendar entries from others', by what the person said of calendars and entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from functools import cached_property

from bridge.calendar.expansion import series_of
from bridge.calendar.owners import joined_in, on_shift, owners_in, same_words
from bridge.domain.types import Event, Occurrence


class Whose(StrEnum):
    """The owner of an entry, which is the person, somebody else, or nobody because the entry takes no time."""

    MINE = "mine"
    NOT_MINE = "not-mine"
    NO_TIME = "no-time"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A person's statement on who owns an entry. ``key`` is the key of the entry or its series.

    With ``like`` it holds for all entries with ``name`` as owner, or without a name for titles of the same words.
    """

    key: str
    whose: Whose
    title: str | None = None
    series: bool = False
    like: bool = False
    name: str | None = None
    said: date | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Ownership:
    """The calendars that a person ignores, and the person's statements on who owns entries, the newest last.

    ``own`` is the person's own name in lower case, as it may stand in titles.
    """

    left_out: frozenset[str] = frozenset()
    marks: tuple[Mark, ...] = ()
    own: str | None = field(default=None, compare=False)

    def whose(self, event: Event, key: str | None = None) -> Whose | None:
        """Return who owns an entry (or its occurrence ``key``), by the most specific statement, or None without any."""
        if event.calendar in self.left_out:
            return Whose.NOT_MINE
        for name in (key, event.key, event.master, event.series, series_of(event)):
            if name is not None and name in self._keys:
                return self._keys[name]
        return self.told(event.title)

    def told(self, title: str | None) -> Whose | None:
        """Return who owns an entry with this title, or None if unknown.

        An owner's name in the title decides, otherwise a statement on titles of the same words.
        """
        if not title or not (self._names or self._words):
            return None
        together = joined_in(title)
        said = [self._said(name) for name in together or owners_in(title)]
        known = [one for one in said if one is not None]
        if Whose.MINE in known:
            return Whose.MINE
        if known:
            return known[0] if len(set(said if together else known)) == 1 else None
        return next((whose for words, whose in self._words if same_words(words, title)), None)

    def _said(self, name: str) -> Whose | None:
        return Whose.MINE if name == self.own else self._names.get(name)

    def used(self, events: Iterable[Event]) -> list[Event]:
        """Return the entries without those of ignored calendars."""
        return [event for event in events if event.calendar not in self.left_out]

    def own_of(self, occurrences: Sequence[Occurrence]) -> list[Occurrence]:
        """Return the occurrences that are not somebody else's. Those of nobody are returned as free, not busy.

        A shift beside another person's name counts as nobody's until the person said whose it is.
        """
        found = ((occurrence, self._taken_as(occurrence)) for occurrence in occurrences)
        return [
            replace(one, event=replace(one.event, busy=False)) if whose is Whose.NO_TIME else one
            for one, whose in found
            if whose is not Whose.NOT_MINE
        ]

    def _taken_as(self, occurrence: Occurrence) -> Whose | None:
        said = self.whose(occurrence.event, occurrence.key) if self.left_out or self.marks else None
        is_open = said is None and on_shift(occurrence.event.title) not in (None, self.own)
        return Whose.NO_TIME if is_open else said

    @cached_property
    def _keys(self) -> Mapping[str, Whose]:
        return {mark.key: mark.whose for mark in self.marks}

    @cached_property
    def _names(self) -> Mapping[str, Whose]:
        return {mark.name: mark.whose for mark in self.marks if mark.like and mark.name is not None}

    @cached_property
    def _words(self) -> list[tuple[str, Whose]]:
        found = {
            mark.title: mark.whose for mark in self.marks if mark.like and mark.name is None and mark.title is not None
        }
        return list(found.items())[::-1]
