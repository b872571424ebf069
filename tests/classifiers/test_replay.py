"""Gains by corrections, on made-up people whose labels no table guesses, and on made lives of several years."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta
from statistics import fmean

import pytest

from bridge.domain.ports import Invitation
from classifiers.keywords import Keywords, lexicon
from classifiers.linear import open_classifier
from lab.classifier import replay
from lab.classifier.corpus import Titled
from lab.classifier.lives import lives, once
from rhythm_env.interface import ActionType

START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def life(person: str, titles: list[tuple[str, ActionType]]) -> list[tuple[datetime, Titled]]:
    return [
        (
            START + timedelta(days=day),
            Titled(event=Invitation(title=title), action=action, also=frozenset(), language="en", person=person),
        )
        for day, (title, action) in enumerate(titles)
    ]


def test_corrections_of_like_titles_are_counted_as_a_gain_of_their_person() -> None:
    """Ana's meetings are matches, each of another name; Ben's titles are right as they are."""
    matches = [(f"{name} {k} meeting", ActionType.EXERCISE) for k in "abcdef" for name in ("red", "blue", "old", "new")]
    known = [("Yoga", ActionType.EXERCISE), ("Buy milk", ActionType.ADMIN_WORK)] * 12
    ana = [title for pair in zip(matches, known, strict=True) for title in pair]
    table = replay.markdown([*life("ana", ana), *life("ben", known)], Keywords(lexicon()))
    first = table.splitlines()[2].strip("| ").split(" | ")
    corrected, people, alone, like = first[0], first[1], float(first[4]), float(first[6])
    assert (corrected, people) == ("10", "1")
    assert like > alone + 0.1


@pytest.mark.timeout(300)
def test_ten_corrections_lift_what_people_write_later_and_nobody_loses() -> None:
    """Each title of ten made lives is in the replay once, so that only likeness can lift it."""
    found = replay.replays(once(lives()), open_classifier(), 10, shuffles=1)
    gains = defaultdict(list)
    for one in found:
        gains[one.person].append((one.like - one.alone) / one.later)
    assert len(gains) >= 6
    assert fmean(fmean(own) for own in gains.values()) > 0.03
    assert min(fmean(own) for own in gains.values()) > -0.03
