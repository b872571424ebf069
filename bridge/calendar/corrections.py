"""Apply a user's corrections of event labels to the events of the same series and to events with similar titles.

Corrections override every classifier. They hold for one user, and the classifier is not trained again.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from bridge.calendar.expansion import series_of
from bridge.domain.languages import say
from bridge.domain.records import Correction
from bridge.domain.types import Event, Label, Occurrence
from rhythm_env.interface import ActionType

BY = "you"
SIMILAR = 0.7  # overlap of three-letter runs (Dice 1945) from which titles count as similar
SURE_OF_ALIKE = 0.95  # confidence in a correction of an equal title; less for a similar title


def applied(
    occurrences: Sequence[Occurrence], labels: Sequence[Label], corrections: Sequence[Correction]
) -> list[Label]:
    """Return the classifier's ``labels`` of ``occurrences`` in order, overridden by ``corrections``, newest first."""
    by_series, titles = {correction.series: correction for correction in corrections}, Titles(corrections)
    said = [_of_series(by_series.get(series_of(o.event))) or titles.said(o.event.title or "") for o in occurrences]
    return [mine or agreed(o.event) or label for o, label, mine in zip(occurrences, labels, said, strict=True)]


def held_by(events: Sequence[Event], series: str, corrections: Sequence[Correction]) -> int:
    """Return the number of ``events`` whose label comes from the correction stored under ``series``.

    These may be events with a similar title. ``corrections`` are newest first.
    """
    by_series, titles = {correction.series: correction for correction in corrections}, Titles(corrections)
    counts = (by_series.get(series_of(event)) or titles.nearest(event.title or "")[0] for event in events)
    return sum(one is not None and one.series == series for one in counts)


def _of_series(mine: Correction | None) -> Label | None:
    if mine is None:
        return None
    return Label(action=mine.action, confidence=1.0, by=BY, why=say("you said so of this series"))


class Titles:
    """The titles of events that a user corrected, with a search for the most similar title."""

    def __init__(self, corrections: Sequence[Correction]) -> None:
        """Index the titles of ``corrections``, newest first. Of two equally similar titles the newer wins."""
        newest: dict[str, Correction] = {}
        for one in corrections:
            newest.setdefault((one.title or "").casefold(), one)
        self._wordless = {title: one for title, one in newest.items() if title and not words(title)}
        self._made = [(one, runs(one.title or "")) for one in newest.values()]
        self._with: dict[str, list[tuple[int, int]]] = {}
        for number, (_, shape) in enumerate(self._made):
            for run, times in shape.items():
                self._with.setdefault(run, []).append((number, times))
        self._found: dict[str, tuple[Correction | None, float]] = {}

    def said(self, title: str) -> Label | None:
        """Return the user's label for events with a similar title, or None.

        The confidence falls with the similarity.
        """
        one, likeness = self.nearest(title)
        if one is None:
            return None
        same, similar = say("you said so of the same title"), say("you said so of a similar title")
        why = same if likeness == 1 else similar
        return Label(action=one.action, confidence=round(likeness * SURE_OF_ALIKE, 3), by=BY, why=why)

    def nearest(self, title: str) -> tuple[Correction | None, float]:
        """Return the correction with the most similar title, or None, and the similarity from 0 to 1.

        Titles do not match if each has a word that the other lacks, such as another name.
        """
        if title not in self._found:
            self._found[title] = self._nearest(title) if words(title) else (self._wordless.get(title.casefold()), 1.0)
        return self._found[title]

    def _nearest(self, title: str) -> tuple[Correction | None, float]:
        shape = runs(title)
        shared: dict[int, int] = {}
        for run, times in shape.items():
            for number, there in self._with.get(run, ()):
                shared[number] = shared.get(number, 0) + min(times, there)
        total = shape.total()
        near = ((2 * both / (total + self._made[n][1].total()), -n) for n, both in shared.items())
        for likeness, number in sorted((one for one in near if one[0] >= SIMILAR), reverse=True):
            one = self._made[-number][0]
            if not swapped(title, one.title or ""):
                return one, likeness
        return None, 0.0


def agreed(event: Event) -> Label | None:
    """Return the action of an event that the bridge wrote for an accepted recommendation, as its label.

    Returns None for any other event.

    >>> agreed(Event(key="e", calendar="c", kind="advice:LEARN")).action, agreed(Event(key="e", calendar="c"))
    (<ActionType.LEARN: 'LEARN'>, None)
    """
    word, _, action = event.kind.partition(":")
    if word != "advice" or action not in list(ActionType):
        return None
    return Label(action=ActionType(action), confidence=1.0, by=BY, why=say("you accepted it"))


def words(title: str) -> list[str]:
    """Return a title's words in lower case, without numbers and symbols.

    >>> words("1:1 with Ana ❤️ (2)"), len(words("दिन")), words("दिन") == words("दान")
    (['with', 'ana'], 1, False)
    """
    folded = unicodedata.normalize("NFKC", title).casefold()
    parted = "".join(sign if unicodedata.category(sign)[0] in "LM" else " " for sign in folded).split()
    return [word for word in parted if unicodedata.category(word[0])[0] == "L"]


def runs(title: str) -> Counter[str]:
    """Return run -> count for each run of three letters in a title's words, each padded with a space on both sides."""
    spaced = (f" {word} " for word in words(title))
    return Counter(word[at : at + 3] for word in spaced for at in range(len(word) - 2))


def swapped(one: str, other: str) -> bool:
    """Return True if each of two titles has a word that the other lacks, such as another name.

    A similar spelling counts as the same word.

    >>> swapped("Call with Bob", "Call with Mom"), swapped("Swim training", "Swim trainings"), swapped("Gym", "Big gym")
    (True, False, False)
    """
    mine, theirs = set(words(one)), set(words(other))
    mine, theirs = mine - theirs, theirs - mine
    return any(_unlike(word, theirs) for word in mine) and any(_unlike(word, mine) for word in theirs)


def _unlike(word: str, others: AbstractSet[str]) -> bool:
    return not any(_spelt_alike(word, other) for other in others)


@lru_cache(maxsize=1 << 16)
def _spelt_alike(one: str, other: str) -> bool:
    return alike(runs(one), runs(other)) >= SIMILAR


def alike(one: Counter[str], other: Counter[str]) -> float:
    """Return the similarity of two titles, 0 to 1, from their runs A and B: 2 |A & B| / (|A| + |B|) (Dice 1945).

    >>> alike(runs("Standup Team A"), runs("standup team a (12)")), alike(runs("Choir"), runs("Choir practice")) > 0.5
    (1.0, True)
    """
    both = sum((one & other).values())
    return 2 * both / (one.total() + other.total()) if both else 0.0
