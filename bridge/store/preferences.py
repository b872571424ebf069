"""A user's preferences as a row holds them: sources, language, modes, whose calendars and entries are, and answers."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from bridge.calendar.ownership import Mark, Ownership, Whose
from bridge.domain.guard import Switch
from bridge.domain.preference import PREFERRED_MAX
from bridge.domain.trials import Trial
from bridge.store import trials
from rhythm_env.interface import ActionType

LANGUAGE_MAX = 16  # characters
NAME_MAX, TEXT_MAX = 20, 1000  # characters of a kind, and of a key or title
Spell = tuple[str, date, date]  # a mode of life, its first and its last date
Said = tuple[str, str, date]  # a kind of question or of rest, what it is about, and its date
MODES_MAX, SAID_MAX = 50, 50
MARKS_MAX, LEFT_OUT_MAX = 500, 200
TRIALS_MAX, SWITCHES_MAX = 20, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """A user's preferences. ``modes``, ``marks``, ``answered`` and ``resting`` are in the order said.

    ``left_out`` are keys of calendars. ``answered`` are questions of Today that are asked no more, ``resting`` actions
    that are not to be suggested on a date. ``switches`` are those of advice and of the watch over it.
    """

    sources: tuple[str, ...] = ()
    language: str | None = None
    modes: tuple[Spell, ...] = ()
    left_out: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    answered: tuple[Said, ...] = ()
    resting: tuple[Said, ...] = ()
    trials: tuple[Trial, ...] = ()
    switches: tuple[Switch, ...] = ()

    def ownership(self, own: str) -> Ownership:
        """Return what the user, whose name is ``own``, said of whose calendars and entries are."""
        return Ownership(left_out=frozenset(self.left_out), marks=self.marks, own=own.casefold())

    @property
    def body(self) -> str:
        """The preferences as the table holds them: a list of sources, or an object if anything else is chosen."""
        more = {
            "modes": [[kind, str(since), str(until)] for kind, since, until in self.modes[-MODES_MAX:]],
            "left_out": list(self.left_out[-LEFT_OUT_MAX:]),
            "marks": [_plain(mark) for mark in self.marks[-MARKS_MAX:]],
            "answered": _of_said(self.answered),
            "resting": _of_said(self.resting),
            "trials": [trials.plain(trial) for trial in self.trials[-TRIALS_MAX:]],
            "switches": [trials.plain(switch) for switch in self.switches[-SWITCHES_MAX:]],
        }
        chosen = {name: value for name, value in more.items() if value}
        if not (self.language or chosen):
            return json.dumps(list(self.sources))
        return json.dumps({"sources": list(self.sources), "language": self.language, **chosen})


def preferences_of(body: str) -> Preferences:
    """Return the preferences of a body as the table holds it. The first 20 names of sources count.

    Raises ValueError, KeyError or TypeError for another body.
    """
    read = json.loads(body)
    found = read if isinstance(read, dict) else {"sources": read, "language": None}
    spells, language = found.get("modes", []), found["language"]
    return Preferences(
        sources=tuple(str(name) for name in found["sources"][:PREFERRED_MAX]),
        language=None if language is None else str(language)[:LANGUAGE_MAX],
        modes=tuple((str(k)[:NAME_MAX], _day(since), _day(until)) for k, since, until in spells[-MODES_MAX:]),
        left_out=tuple(str(name)[:TEXT_MAX] for name in found.get("left_out", [])[-LEFT_OUT_MAX:]),
        marks=tuple(map(_mark, found.get("marks", [])[-MARKS_MAX:])),
        answered=_said(found.get("answered", [])),
        resting=tuple((ActionType(kind), about, day) for kind, about, day in _said(found.get("resting", []))),
        trials=tuple(map(trials.trial_of, found.get("trials", [])[-TRIALS_MAX:])),
        switches=tuple(map(trials.switch_of, found.get("switches", [])[-SWITCHES_MAX:])),
    )


def _plain(one: Mark) -> dict[str, Any]:
    said = None if one.said is None else str(one.said)
    told = {"key": one.key, "whose": str(one.whose), "title": one.title, "name": one.name, "said": said}
    ticks = {"series": one.series, "like": one.like}
    return {name: value for name, value in {**told, **ticks}.items() if value}


def _mark(one: Any) -> Mark:
    if not isinstance(one, dict):
        raise TypeError("no mark")
    title, name = (str(one[part])[:TEXT_MAX] if part in one else None for part in ("title", "name"))
    series, like = bool(one.get("series")), bool(one.get("like"))
    key, whose = str(one["key"])[:TEXT_MAX], Whose(one["whose"])
    said = _day(one["said"]) if "said" in one else None
    return Mark(key=key, whose=whose, title=title, series=series, like=like, name=name, said=said)


def _of_said(some: Iterable[Said]) -> list[list[str]]:
    return [[kind, about, str(day)] for kind, about, day in list(some)[-SAID_MAX:]]


def _said(some: list[list[str]]) -> tuple[Said, ...]:
    return tuple((str(k)[:NAME_MAX], str(about)[:TEXT_MAX], _day(day)) for k, about, day in some[-SAID_MAX:])


def _day(text: str) -> date:
    return date.fromisoformat(text)
