"""Replays labelled calendars in which a person corrects the first mistakes, and counts what is right afterwards."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import fmean

from bridge.calendar import likeness
from bridge.calendar.corrections import Titles
from bridge.calendar.likeness import Corrected
from bridge.domain.ports import EventClassifier
from bridge.domain.records import Correction
from lab.classifier.corpus import Titled
from lab.validation.ranks import interval

CORRECTED = (10, 20)
FEWEST_LATER = 20
SHUFFLES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Counts over a person's entries after the last correction that are labelled right.

    ``alone`` counts the classifier's labels, ``titles`` also the corrections of equal and similar titles, and ``like``
    also what the model of the person's corrections teaches.
    """

    person: str
    later: int
    alone: int
    titles: int
    like: int


def replays(
    entries: Sequence[tuple[datetime, Titled]], classifier: EventClassifier, corrected: int, shuffles: int = SHUFFLES
) -> list[Replay]:
    """Return replays of each person with ``corrected`` mistakes and at least 20 entries after them.

    A person's entries are replayed in their own order, and in shuffled orders, because few people have so many.
    """
    people: dict[str, list[tuple[datetime, Titled]]] = {}
    for start, one in sorted(entries, key=lambda pair: pair[0]):
        people.setdefault(one.person, []).append((start, one))
    orders = [lived for own in people.values() for lived in (own, *(_shuffled(own, seed) for seed in range(shuffles)))]
    found = (_replay(lived, classifier, corrected) for lived in orders)
    return [one for one in found if one is not None]


def _shuffled(lived: Sequence[tuple[datetime, Titled]], seed: int) -> list[tuple[datetime, Titled]]:
    return random.Random(seed).sample(lived, len(lived))


def _replay(lived: Sequence[tuple[datetime, Titled]], classifier: EventClassifier, corrected: int) -> Replay | None:
    labels = classifier.classify([one.event for _, one in lived])
    mistakes = [at for at, (_, one) in enumerate(lived) if labels[at].action not in (one.action, *one.also)][:corrected]
    if len(mistakes) < corrected or len(lived) - mistakes[-1] - 1 < FEWEST_LATER:
        return None
    cases = [likeness.case(one.event, label) for (_, one), label in zip(lived, labels, strict=True)]
    made = [
        Correction(series=str(at), title=lived[at][1].event.title, action=lived[at][1].action, made_at=lived[at][0])
        for at in reversed(mistakes)
    ]
    known = [Corrected(case=cases[at], action=lived[at][1].action) for at in reversed(mistakes)]
    last = mistakes[-1] + 1
    left = [case for at, case in enumerate(cases[:last]) if at not in mistakes]
    said, truth = Titles(made), [one.action for _, one in lived[last:]]
    alone = [label.action for label in labels[last:]]
    titles = [said.said(case.title) or case.label for case in cases[last:]]
    taught = likeness.likened(cases[last:], known, left[::-1])
    like = [said.said(case.title) or mine or case.label for case, mine in zip(cases[last:], taught, strict=True)]
    return Replay(
        person=lived[0][1].person,
        later=len(truth),
        alone=_right(alone, truth),
        titles=_right([label.action for label in titles], truth),
        like=_right([label.action for label in like], truth),
    )


def _right(said: Sequence[object], truth: Sequence[object]) -> int:
    return sum(a is b for a, b in zip(said, truth, strict=True))


def markdown(entries: Sequence[tuple[datetime, Titled]], classifier: EventClassifier) -> str:
    """Return the shares of right labels after 10 and 20 corrections as a table in Markdown.

    The gain is the mean over people, with its 95 % interval, of what likeness adds to the classifier.
    """
    head = "| corrections | people | replays | later entries | classifier | and similar titles | and likeness | gain |"
    lines = [head, "|---:|---:|---:|---:|---:|---:|---:|---|"]
    for corrected in CORRECTED:
        found = replays(entries, classifier, corrected)
        later = sum(one.later for one in found)
        shares = [sum(getattr(one, name) for one in found) / max(later, 1) for name in ("alone", "titles", "like")]
        gains = _gains(found)
        counts = f"{corrected} | {len(gains)} | {len(found)} | {later}"
        lines.append(f"| {counts} | {' | '.join(f'{share:.3f}' for share in shares)} | {_interval(gains)} |")
    return "\n".join(lines)


def _gains(found: Sequence[Replay]) -> list[float]:
    """Return for each person the mean gain of likeness over the classifier, as a share of later entries."""
    people: dict[str, list[float]] = {}
    for one in found:
        people.setdefault(one.person, []).append((one.like - one.alone) / one.later)
    return [fmean(gains) for gains in people.values()]


def _interval(values: Sequence[float]) -> str:
    low, high = interval(values)
    if low is None or high is None:
        return "-"
    return f"{fmean(values):+.3f} [{low:+.3f}, {high:+.3f}]"
