"""Classify events by a linear model of n-grams and of the keyword rules' verdict. This is the default classifier.

It is trained by ``python -m lab.classifier`` and runs with numpy alone. MODEL_CARD.md gives its accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.domain.languages import say
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.types import Label
from classifiers.keywords import KINDS, Keywords, Verdict, is_hold, lexicon, structure
from classifiers.linear.entry import at_work, sureness
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


class Linear:
    """The linear classifier. It stores no titles, and its reasons repeat none of their words."""

    name = "linear"

    def __init__(self, model: Model, rules: Keywords) -> None:
        self.version = model.version
        self._model = model
        self._rules = rules

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """Return a label for each event, in the order of ``events``. Titles are read in batches of 1000."""
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
        """Return the label of an event, from the model's probabilities (``shares``) and the keyword rules' verdict."""
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
