"""Parse a language model's answer about titles. Each label is checked on its own."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NamedTuple

from rhythm_env.chat.fault import Fault
from rhythm_env.interface import ActionType

SUREST = 0.9  # upper limit of confidence, because models are overconfident
ACTION_WORDS = tuple(str(action) for action in ActionType)


class Said(NamedTuple):
    """A model's label for a title, with a confidence from 0 to 0.9."""

    action: ActionType
    confidence: float


class Sorted(NamedTuple):
    """The labels of an answer: ``said`` maps a title's number to its label, ``wrong`` a fault to how many have it."""

    said: dict[int, Said]
    wrong: Counter[str]


def read(answer: bytes, titles: int) -> Sorted:
    """Return the labels in the body of a chat completion about ``titles`` titles, which are numbered from 0.

    A title with several labels counts as one without. Raises Fault for an answer without a list of labels.
    """
    labels = _labels(answer)
    wrong = Counter(kind for label in labels if (kind := _wrong(label, titles)))
    right = [label for label in labels if not _wrong(label, titles)]
    times = Counter(label["i"] for label in right)
    said = {
        label["i"]: Said(ActionType(label["type"]), min(float(label["confidence"]), SUREST))
        for label in right
        if times[label["i"]] == 1
    }
    wrong["labels for one title twice"] += sum(times[i] > 1 for i in times)
    wrong["titles without a label"] += titles - len(said)
    return Sorted(said, +wrong)


def _labels(answer: bytes) -> list[Any]:
    """Return the list of labels in the first choice's text, which is JSON within JSON."""
    try:
        labels = json.loads(json.loads(answer)["choices"][0]["message"]["content"])["labels"]
    except (ValueError, LookupError, TypeError, RecursionError):  # RecursionError: brackets nested by the thousand
        labels = None
    if not isinstance(labels, list):
        raise Fault("an answer without labels", wait=0, stops=False)
    return labels


def _wrong(label: Any, titles: int) -> str | None:
    if not isinstance(label, dict):
        return "labels of another form"
    number, confidence = label.get("i"), label.get("confidence")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < titles:
        return "labels for titles that were not sent"
    if label.get("type") not in ACTION_WORDS:
        return "labels of no known type"
    if not isinstance(confidence, int | float) or isinstance(confidence, bool) or not 0 <= confidence <= 1:
        return "labels without a share as confidence"
    return None
