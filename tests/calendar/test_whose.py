"""Whose an entry of a family's calendar is, from six answers of a person."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest

from bridge.advice import whose
from bridge.calendar.ownership import Mark, Whose
from bridge.store import Store
from tests.calendar.families import Entry, as_ics, family
from tests.desk import Desk
from tests.world import NOW

SEEDS = range(10)
ANSWERS = 6


def truth(one: Entry) -> Whose:
    return {"me": Whose.MINE, "house": Whose.NO_TIME}.get(one.owner, Whose.NOT_MINE)


class Told:
    """A family's calendar in a store, and what its claims are worth after six answers."""

    def __init__(self, seed: int, folder: Path, *, asked: bool) -> None:
        self.me, self.entries = family(seed)
        self.answered: list[Entry] = []
        with closing(Store("sqlite://")) as store:
            desk = Desk(store, folder, "ics")
            desk.give("family.ics", as_ics(self.entries))
            user, rng = store.people.user("ana"), random.Random(seed)
            near = [one for one in self.entries if abs(one.start - NOW) < whose.NEAR]
            for _ in range(ANSWERS):
                doubts = whose.doubts(store, user, now=NOW, most=1) if asked else []
                title = doubts[0].title if doubts else rng.choice(near).title
                one = next(entry for entry in near if entry.title == title)
                is_like = one.name is not None or self.is_of_one(one.what)  # a doctor without a name is anybody's
                whose.mark(store, user, Mark(key=title, whose=truth(one), like=is_like), now=NOW)
                self.answered.append(one)
            self.said = store.people.preferences(user.id).ownership(user.name)

    def is_spoken_of(self, one: Entry) -> bool:
        """True if an answer was about the name in a title, or without a name about what only one of them does."""
        things = {said.what: said for said in self.answered if said.name is None and self.is_of_one(said.what)}
        if one.name is not None and one.name in {said.name for said in self.answered}:
            return True
        return one.what in things and (one.name is None or truth(things[one.what]) is not Whose.MINE)

    def is_of_one(self, what: str) -> bool:
        return len({one.owner for one in self.entries if one.what == what}) == 1

    def right(self) -> tuple[float, float]:
        """(share of the entries spoken of that got the right owner, share of the others of which something is said)."""
        spoken = [one for one in self.entries if self.is_spoken_of(one)]
        others = [one for one in self.entries if not self.is_spoken_of(one)]
        right = sum(self.said.told(one.title) is truth(one) for one in spoken) / len(spoken)
        return right, sum(self.said.told(one.title) is not None for one in others) / len(others)


@pytest.mark.parametrize("asked", [True, False], ids=["asked", "by themselves"])
@pytest.mark.parametrize("seed", SEEDS)
def test_six_answers_tell_whose_the_entries_spoken_of_are(seed: int, asked: bool, tmp_path: Path) -> None:
    told = Told(seed, tmp_path, asked=asked)
    right, claimed = told.right()
    assert right >= 0.9
    assert claimed == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_to_come_is_asked_about_beside_titles_of_what_is_alike(seed: int, tmp_path: Path) -> None:
    _, entries = family(seed)
    with closing(Store("sqlite://")) as store:
        Desk(store, tmp_path, "ics").give("family.ics", as_ics(entries))
        doubts = whose.doubts(store, store.people.user("ana"), now=NOW)
    assert any(doubt.others for doubt in doubts)
    for doubt in doubts:
        alike = {one.title for one in entries if one.name is not None and one.name.casefold() == doubt.name}
        coming = {one.title for one in entries if NOW < one.start < NOW + whose.NEAR} & alike
        assert doubt.title not in doubt.others
        assert {*doubt.others} <= alike
        assert not coming or doubt.title in coming
