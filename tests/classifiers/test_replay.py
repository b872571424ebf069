"""Gains by corrections, counted on made-up people whose labels no table guesses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from bridge.domain.ports import Invitation
from classifiers.keywords import Keywords, lexicon
from lab.classifier import replay
from lab.classifier.corpus import Titled
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
