"""Convert a user's preferences to the JSON in which they are stored, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

from bridge.calendar.ownership import Mark, Ownership, Whose
from bridge.domain import trials
from bridge.domain.guard import ADVICE, REASON_MAX, WATCH, Switch
from bridge.domain.preference import PREFERRED_MAX
from bridge.domain.trials import WEEKS, Trial
from rhythm_env.interface import ActionType

LANGUAGE_MAX = 16  # characters
NAME_MAX, TEXT_MAX = 20, 1000  # characters of a kind, and of a key or title
Spell = tuple[str, date, date]  # a mode of life, its first and its last date
Said = tuple[str, str, date]  # a kind of question or of rest, what it is about, and its date
MODES_MAX, SAID_MAX = 50, 50
MARKS_MAX, LEFT_OUT_MAX = 500, 200
TRIALS_MAX, SWITCHES_MAX = 20, 100
YEARS, ID_MAX = range(1970, 2200), 2**53
SEED_MAX, OUTCOME_MAX = 64, 30  # characters of a seed, and of an outcome or of who switched


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """A user's preferences. ``modes``, ``marks``, ``answered`` and ``resting`` are in the order of saving.

    ``left_out`` are ignored calendars, ``marks`` statements on who entries belong to, ``answered`` questions not to ask
    again, ``resting`` actions not to suggest on a date, and ``switches`` changes of advice or its watch to on or off.
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
        """Return which calendars and entries are the user's and which are others'. ``own`` is the user's name."""
        return Ownership(left_out=frozenset(self.left_out), marks=self.marks, own=own.casefold())

    @property
    def body(self) -> str:
        """The preferences as JSON, a list if only an order of sources was chosen, otherwise an object."""
        more = {
            "modes": [[kind, str(since), str(until)] for kind, since, until in self.modes[-MODES_MAX:]],
            "left_out": list(self.left_out[-LEFT_OUT_MAX:]),
            "marks": [_plain(mark) for mark in self.marks[-MARKS_MAX:]],
            "answered": _of_said(self.answered),
            "resting": _of_said(self.resting),
            "trials": [plain_trial(trial) for trial in self.trials[-TRIALS_MAX:]],
            "switches": [plain_trial(switch) for switch in self.switches[-SWITCHES_MAX:]],
        }
        chosen = {name: value for name, value in more.items() if value}
        if not (self.language or chosen):
            return json.dumps(list(self.sources))
        return json.dumps({"sources": list(self.sources), "language": self.language, **chosen})


def preferences_of(body: str) -> Preferences:
    """Return the preferences from their JSON text. Sources beyond a maximum are dropped.

    Raises ValueError, KeyError or TypeError for text that ``body`` cannot have made.
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
        trials=tuple(map(trial_of, found.get("trials", [])[-TRIALS_MAX:])),
        switches=tuple(map(switch_of, found.get("switches", [])[-SWITCHES_MAX:])),
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


def plain_trial(one: Trial | Switch) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(one, name) for name in type(one).__slots__}
    if isinstance(one, Trial):
        found["kept"] = {str(day): kept for day, kept in one.kept.items()}
    return {name: str(value) if isinstance(value, date) else value for name, value in found.items()}


def trial_of(body: Mapping[str, Any]) -> Trial:
    """Return a trial from its JSON object. Raises ValueError, KeyError or TypeError for any other object."""
    if int(body["weeks"]) not in WEEKS:
        raise ValueError("a trial of other weeks")
    found = Trial(
        id=int(body["id"]),
        text=str(body["text"])[: trials.TEXT_MAX],
        outcome=str(body["outcome"])[:OUTCOME_MAX],
        start=_possible_day(body["start"]),
        weeks=int(body["weeks"]),
        seed=str(body["seed"])[:SEED_MAX],
        kept={_possible_day(day): bool(kept) for day, kept in body["kept"].items()},
        stopped=None if body["stopped"] is None else _possible_day(body["stopped"]),
    )
    if not 0 < found.id < ID_MAX or not {*found.kept} <= {*found.arms()}:
        raise ValueError("no readable trial")
    return found


def switch_of(body: Mapping[str, Any]) -> Switch:
    """Return a switch from its JSON object. Raises ValueError, KeyError or TypeError for any other object."""
    at, evidence = datetime.fromisoformat(body["at"]), body["evidence"]
    if body["what"] not in (ADVICE, WATCH) or at.tzinfo is None or at.year not in YEARS:
        raise ValueError("no known switch")
    if evidence is not None and not isfinite(evidence):
        raise ValueError("no finite evidence")
    return Switch(
        at=at.astimezone(UTC),
        what=str(body["what"]),
        on=bool(body["on"]),
        by=str(body["by"])[:OUTCOME_MAX],
        reason=str(body["reason"])[:REASON_MAX],
        evidence=None if evidence is None else float(evidence),
        silent=int(body["silent"]),
        advised=int(body["advised"]),
    )


def _possible_day(text: str) -> date:
    day = date.fromisoformat(text)
    if day.year not in YEARS:
        raise ValueError("a year that cannot be")
    return day
