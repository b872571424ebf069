"""Laws over families' calendars: a shift beside another's name moves nothing until the person said whose it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge.advice import whose
from bridge.calendar.ownership import Mark, Whose
from bridge.store import Store
from tests.calendar.families import BEGIN, Entry, as_ics
from tests.calendar.test_ownership_laws import Home
from tests.world import NOW

SHIFTS = {  # in UTC, an hour or two behind the clock of the family
    "night shift": 21,
    "Late shift": 13,
    "early shift 6-14": 4,
    "Nachtdienst": 20,
    "Dienst": 20,
    "Spätschicht": 13,
    "on call": 18,
    "turno di notte": 21,
    "nachtdienst 22:00-06:00": 20,
}
FORMS = ["{name} {what}", "{what} {name}", "{name}: {what}", "{what} ({name})", "{what} von {name}"]
OF_PEOPLE = [*FORMS, "{name}'s {what}"]
OTHERS = ("Tom", "Anna", "Papa", "Mum", "Oma", "Jürgen", "José", "Femke")
PLACES = ("ICU", "Station 3", "Hospital", "Klinik", "Starbucks", "St. Anna")
HOURS = timedelta(hours=8, minutes=30)


@pytest.fixture(params=range(6))
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Home, random.Random]]:
    with closing(Store("sqlite://")) as store:
        yield Home(store, tmp_path, request.param), random.Random(request.param)


def shifts(rng: random.Random, names: tuple[str, ...]) -> list[Entry]:
    """Two to five shifts a week around now, of one name, written in two ways."""
    forms, known = rng.sample(FORMS if names is PLACES else OF_PEOPLE, 2), rng.sample(sorted(SHIFTS), 3)
    name = rng.choice(names)
    found = []
    for ago in range(-21, 10):
        if ago in (0, 1) or rng.random() < 0.5:
            what = rng.choice(known)
            begin = datetime.combine(NOW.date() + timedelta(days=ago), time(SHIFTS[what]), BEGIN.tzinfo)
            title = rng.choice(forms).format(name=name, what=what)
            found.append(Entry(title, what, "partner", name, begin))
    return found


def share(home: Home, found: list[Entry]) -> None:
    text, hour = as_ics(found), timedelta(hours=1)
    for one in found:
        text = text.replace(f"DTEND:{one.start + hour:%Y%m%dT%H%M%SZ}", f"DTEND:{one.start + HOURS:%Y%m%dT%H%M%SZ}")
    home.desk.give("family.ics", text)


def answer(home: Home, others: list[Entry], owner: Whose) -> None:
    """Answer the questions about the entries beside a name, which come first."""
    name, asked = others[0].name or "", 0
    while (doubts := whose.doubts(home.store, home.user, now=NOW)) and (doubts[0].name or "").startswith(name.lower()):
        whose.mark(home.store, home.user, Mark(key=doubts[0].key, whose=owner, like=True), now=NOW)
        asked += 1
    assert asked == 1


def life(home: Home) -> list[Any]:
    """The nights of a week, and what the calendar tells of a life."""
    person = home.loaded()
    nights = [person.sleep(NOW.date() + timedelta(days=k)) for k in range(8)]
    return [
        nights,
        person.routine.nights,
        [person.work(NOW.date() + timedelta(days=k)) for k in range(7)],
        person.attended,
    ]


def test_somebody_elses_shift_moves_nothing_and_is_asked_about(home: tuple[Home, random.Random]) -> None:
    one, rng = home
    alone, others = life(one), shifts(rng, OTHERS)
    share(one, others)
    assert life(one) == alone
    answer(one, others, Whose.NOT_MINE)
    assert life(one) == alone
    assert not {entry.title for entry in others} & {o.event.title for o, _ in one.loaded().known.agenda}


def test_a_shift_counts_once_the_person_says_that_it_is_theirs(home: tuple[Home, random.Random]) -> None:
    one, rng = home
    alone, others = life(one), shifts(rng, OTHERS)
    share(one, others)
    answer(one, others, Whose.MINE)
    assert life(one) != alone
    assert all(o.event.busy for o, _ in one.loaded().known.agenda)


@pytest.mark.parametrize("names", [PLACES, ("Ana",)], ids=["place", "own name"])
def test_ones_own_shift_counts_without_a_question(home: tuple[Home, random.Random], names: tuple[str, ...]) -> None:
    one, rng = home
    alone, mine = life(one), shifts(rng, names)
    share(one, [replace(entry, owner="me") for entry in mine])
    assert life(one) != alone
    assert all(o.event.busy for o, _ in one.loaded().known.agenda)
