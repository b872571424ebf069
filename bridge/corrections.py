"""A person's own word on what their events are: it outranks every classifier, for a series and for titles like it.

The shared model is not retrained; this is a layer on top of it, made of what one person said.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from bridge.ports import Correction
from bridge.types import Event, Label, Occurrence
from rhythm_env.interface import ActionType

BY = "you"
SIMILAR = 0.7  # overlap of three-letter runs (Dice 1945) from which titles are alike
SURE_OF_ALIKE = 0.95  # confidence in a correction of an equal title; less for a similar one
WORD = re.compile(r"[^\W\d_]+")


def series_of(event: Event) -> str:
    """What a correction holds for: the same on every calendar that shares the event."""
    return event.series or f"{event.calendar}/{event.master or event.key}"


def applied(
    occurrences: Sequence[Occurrence], labels: Sequence[Label], corrections: Sequence[Correction]
) -> list[Label]:
    """The labels, each replaced by what the person said of its series or of a title like its own.

    What they accepted is what it was advised as, whatever a classifier makes of its title.
    """
    labels = [agreed(o.event) or label for o, label in zip(occurrences, labels, strict=True)]
    if not corrections:
        return labels
    said = {one.series: one for one in corrections}
    shapes = [(one, runs(one.title)) for one in corrections if one.title]
    return [_label(o.event, label, said, shapes) for o, label in zip(occurrences, labels, strict=True)]


def _label(
    event: Event, label: Label, said: dict[str, Correction], shapes: Sequence[tuple[Correction, Counter[str]]]
) -> Label:
    mine = said.get(series_of(event))
    if mine is not None:
        return Label(action=mine.action, confidence=1.0, by=BY, why="you said so of this series")
    shape = runs(event.title or "")
    nearest, one = max(((alike(shape, of), one) for one, of in shapes), key=lambda pair: pair[0], default=(0.0, None))
    if one is None or nearest < SIMILAR:
        return label
    why = "you said so of the same title" if nearest == 1 else "you said so of a similar title"
    return Label(action=one.action, confidence=round(nearest * SURE_OF_ALIKE, 3), by=BY, why=why)


def agreed(event: Event) -> Label | None:
    """What an event is that was written for an accepted recommendation; None for any other event.

    >>> agreed(Event(key="e", calendar="c", kind="advice:LEARN")).action, agreed(Event(key="e", calendar="c"))
    (<ActionType.LEARN: 'LEARN'>, None)
    """
    word, _, action = event.kind.partition(":")
    if word != "advice" or action not in list(ActionType):
        return None
    return Label(action=ActionType(action), confidence=1.0, by=BY, why="you accepted it")


def runs(title: str) -> Counter[str]:
    """How often each run of three letters occurs in a title's words, numbers and marks aside, case and width folded."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    words = (f" {word} " for word in WORD.findall(folded))
    return Counter(word[at : at + 3] for word in words for at in range(len(word) - 2))


def alike(one: Counter[str], other: Counter[str]) -> float:
    """Overlap of two titles' runs, 0..1: 2 |A & B| / (|A| + |B|).

    >>> alike(runs("Standup Team A"), runs("standup team a (12)")), alike(runs("Choir"), runs("Choir practice")) > 0.5
    (1.0, True)
    """
    both = sum((one & other).values())
    return 2 * both / (one.total() + other.total()) if both else 0.0
