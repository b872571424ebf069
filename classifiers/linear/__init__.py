"""Classify events by a linear model of n-grams and of the keyword rules' verdict. This is the default classifier.

It is trained by ``python -m lab.classifier`` and runs with numpy alone. MODEL_CARD.md gives its accuracy. Weights for
length, hour or people, learnt from labelled entries, changed almost no label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.domain.languages import say
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.types import Label
from classifiers.keywords import KINDS, Keywords, Verdict, is_hold, lexicon, structure
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from classifiers.linear.model import Model


HERE = Path(__file__).parent
BATCH_TITLES = 1000
UNSURE = 0.30  # below this probability the rules decide, and without a rule the label says "unsure"
DOUBT = 0.30  # below this probability a video link is asked
HOLD = 0.35  # the most that a title is sure of that only holds time
CLASSES = tuple(ActionType)
SATURDAY = 5
ENTRY_TEMPERATURE = 1.22  # divides the logarithms of an entry's probabilities: it is harder than a title alone
ONE_TO_ONE = re.compile(r"\b(1[:-]1|1[ -]?on[ -]?1|one[ -](on|to)[ -]one)\b", re.IGNORECASE)
# A race that one runs, unless its title says that one watches it.
RACE = re.compile(r"\b(running|triathlon|duathlon|cyclocross|10k|5k|mile run|race)\b", re.IGNORECASE)
WATCHED = re.compile(
    r"\b(watch\w*|tv|live|stream\w*|film|movie|episode|season|netflix|f1|formula|grand prix|nascar|horse|schauen)\b",
    re.IGNORECASE,
)
RHYTHM = re.compile(r"(dailys?|dailies|weekly|biweekly|bi-weekly|monthly)( \(?\d+ ?min\.?\)?)?", re.IGNORECASE)
WORKING = range(8, 18)  # hours of Monday to Friday
_AT = {action: at for at, action in enumerate(ActionType)}


class Linear:
    """The linear classifier. It stores no titles, and its reasons repeat none of their words."""

    name = "linear"

    def __init__(self, model: Model, rules: Keywords) -> None:
        self.version = model.version
        self._model = model
        self._rules = rules

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """Return a label for each event, in the order of ``events``."""
        starts = range(0, len(events), BATCH_TITLES)
        return [label for start in starts for label in self._batch(events[start : start + BATCH_TITLES])]

    def _batch(self, events: Sequence[Invitation]) -> list[Label]:
        verdicts = [self._rules.said(Invitation(title=event.title)) for event in events]
        shares = at_work(self._model.probabilities(events, verdicts), events)
        calm = sureness(shares, events)
        return [self._label(*one) for one in zip(events, verdicts, shares, calm, strict=True)]

    def _label(
        self, event: Invitation, rule: Verdict | None, shares: NDArray[np.float64], calm: NDArray[np.float64]
    ) -> Label:
        second, first = shares.argsort()[-2:]
        hold = is_hold(event.title)
        sure = min(shares[first], HOLD) if hold else shares[first]
        mark = max(_marks(event, sure), key=lambda one: one.confidence, default=None)
        if mark is not None and (mark.confidence > sure or mark.action is None):
            return self._of(*mark)
        if hold:
            return self._of(CLASSES[first], min(calm[first], HOLD), "holds time", CLASSES[second])
        if shares[first] >= UNSURE or rule is None or rule.action is None:
            why = say("learnt") if shares[first] >= UNSURE else say("unsure")
            told = why if rule is None else say("{first}; {rest}", first=why, rest=rule.why)
            label = self._of(CLASSES[first], calm[first], told, CLASSES[second])
            return replace(label, shares=tuple(shares.round(4).tolist()))
        other = CLASSES[first] if rule.action is not CLASSES[first] else CLASSES[second]
        return self._of(rule.action, calm[CLASSES.index(rule.action)], rule.why, other)

    def _of(self, action: ActionType | None, confidence: float, why: str, runner_up: ActionType | None = None) -> Label:
        by = f"{self.name}@{self.version}"
        return Label(action=action, confidence=round(float(confidence), 3), by=by, why=why, runner_up=runner_up)


def _marks(event: Invitation, sure: float) -> list[Verdict]:
    known = KINDS.get(event.kind)
    asked = sure < DOUBT and event.conference
    shown = structure(Invitation(title="", others=event.others, conference=True)) if asked else None
    return [mark for mark in (known, shown) if mark is not None]


def open_classifier() -> EventClassifier:
    """Return the linear classifier with the shipped model."""
    from classifiers.linear.model import load

    return Linear(load(HERE / "model.npz"), Keywords(lexicon()))


def at_work(shares: NDArray[np.float64], events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return the probabilities (event, action) after corrections by title and time.

    A one-to-one at working hours is no SOCIALIZE but ADMIN_WORK. A bare "Daily" at working hours, with others or online
    is no MEDITATE but ADMIN_WORK. A race is no BINGE_WATCH but EXERCISE unless the title says that it is watched.
    """
    work = ActionType.ADMIN_WORK
    found = _moved(shares, [_is_one_to_one(event) for event in events], ActionType.SOCIALIZE, work)
    found = _moved(found, [_is_rhythm(event) for event in events], ActionType.MEDITATE, work)
    return _moved(found, [_is_race(event) for event in events], ActionType.BINGE_WATCH, ActionType.EXERCISE)


def _moved(
    shares: NDArray[np.float64], rows: Sequence[bool], action: ActionType, other: ActionType
) -> NDArray[np.float64]:
    found, chosen = shares.copy(), list(rows)
    found[chosen, _AT[other]] += found[chosen, _AT[action]]
    found[chosen, _AT[action]] = 0
    return found


def _is_race(event: Invitation) -> bool:
    return RACE.search(event.title) is not None and WATCHED.search(event.title) is None


def sureness(shares: NDArray[np.float64], events: Sequence[Invitation]) -> NDArray[np.float64]:
    """Return the confidence (event, action) from probabilities of the same shape.

    Those of calendar entries are made less certain than those of titles alone, because entries are harder.
    """
    import numpy as np

    powers = np.array([1 / ENTRY_TEMPERATURE if is_entry(event) else 1.0 for event in events])[:, None]
    calm = shares**powers
    found: NDArray[np.float64] = calm / calm.sum(axis=1, keepdims=True)
    return found


def _is_one_to_one(event: Invitation) -> bool:
    return _is_working_time(event) and ONE_TO_ONE.search(event.title) is not None


def _is_rhythm(event: Invitation) -> bool:
    together = event.others > 0 or event.conference
    return (together or _is_working_time(event)) and RHYTHM.fullmatch(event.title.strip()) is not None


def _is_working_time(event: Invitation) -> bool:
    working = event.start_hour in WORKING and event.weekday is not None and event.weekday < SATURDAY
    return working and not event.all_day


def is_entry(event: Invitation) -> bool:
    """Return True if an event is all-day or has an hour or a length, False for a title alone."""
    return event.all_day or event.start_hour is not None or event.minutes is not None
