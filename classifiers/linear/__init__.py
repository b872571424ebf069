"""Event titles to action types by a linear model of hashed n-grams and the keyword rules' word (the default).

Logistic regression on letters within words, words and their neighbours, what the event's structure shows, and which
action the keyword rules name, so that it is learnt how far to trust a rule. Trained with scikit-learn
(``python -m classifiers.linear``) on ``classifiers/corpus``; read from ``model.npz`` and run with numpy alone.
MODEL_CARD.md beside this file says how well it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bridge.ports import EventClassifier, Invitation
from bridge.types import Label
from classifiers.keywords import KINDS, Keywords, Verdict, lexicon, structure
from rhythm_env.interface import ActionType

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from classifiers.linear.model import Model

HERE = Path(__file__).parent
BATCH = 1000
UNSURE = 0.30  # below this probability the rules decide, and where they are silent the label says that it is unsure
NAMES = tuple(ActionType)


class Linear:
    """The classifier. It keeps no titles, and its reasons repeat none of their words."""

    name = "linear"

    def __init__(self, model: Model, rules: Keywords) -> None:
        self.version = model.version
        self._model = model
        self._rules = rules

    def classify(self, events: Sequence[Invitation]) -> list[Label]:
        """One label per event, in order."""
        return [label for at in range(0, len(events), BATCH) for label in self._batch(events[at : at + BATCH])]

    def _batch(self, events: Sequence[Invitation]) -> list[Label]:
        verdicts = [self._rules.said(event) for event in events]
        shares = self._model.probabilities(events, verdicts)
        return [self._label(*one) for one in zip(events, verdicts, shares, strict=True)]

    def _label(self, event: Invitation, rule: Verdict | None, shares: NDArray[np.float64]) -> Label:
        marks = [mark for mark in (KINDS.get(event.kind), structure(event)) if mark is not None]
        if rule is not None and rule.action is None:
            marks.append(rule)
        second, first = shares.argsort()[-2:]
        mark = max(marks, key=lambda one: one.confidence, default=None)
        if mark is not None and (mark.confidence > shares[first] or mark.action is None):
            return self._of(*mark)
        by_rule = "" if rule is None else f"; {rule.why}"
        if shares[first] >= UNSURE or rule is None or rule.action is None:
            why = "learnt" if shares[first] >= UNSURE else "unsure"
            return self._of(NAMES[first], shares[first], f"{why}{by_rule}", NAMES[second])
        other = NAMES[first] if rule.action is not NAMES[first] else NAMES[second]
        return self._of(rule.action, shares[NAMES.index(rule.action)], rule.why, other)

    def _of(self, action: ActionType | None, confidence: float, why: str, runner_up: ActionType | None = None) -> Label:
        by = f"{self.name}@{self.version}"
        return Label(action=action, confidence=round(float(confidence), 3), by=by, why=why, runner_up=runner_up)


def open_classifier() -> EventClassifier:
    """The classifier with the model that is shipped beside this file."""
    from classifiers.linear.model import load

    return Linear(load(HERE / "model.npz"), Keywords(lexicon()))
