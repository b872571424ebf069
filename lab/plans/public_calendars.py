"""Properties that every plan must keep, checked on public calendars, which are downloaded and not kept in the project.

``python -m lab.plans.public_calendars FOLDER [--fetch]``
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import requests

from bridge.advice.recommend import load_snapshot
from bridge.calendar.ownership import Ownership
from bridge.calendar.plans import COMPANY
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import look, options
from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.domain.records import Snapshot
from bridge.domain.types import Event, Label, Occurrence
from bridge.ingest import runs
from bridge.store import Store
from lab.plans.run import bridge_of, busy_days, spread, zone_of
from rhythm_env.interface import ActionType

# Repository, commit and path of each, found by a search for calendars of people. None of them is held back.
CALENDARS = (
    ("54mir/Student-Calendar", "337298cd08aa510fe8d4bdee2d77435eeef9e2fe", "basic.ics"),
    ("donaldjung/ics_converter", "93343dbe49bd5ded4397d72ffcfc932a5e13fe09", "basic.ics"),
    ("alrizvi/calendar", "412ad0a7314496added6cc92502ad2c757b9485d", "basic.ics"),
)
WEEKS, DAY = 12, timedelta(days=1)
LATE_HOUR = 20
MOST_ODD, MOST_SLEEP = 20 * 60, 15 * 60  # seconds


def fetch(folder: Path) -> None:
    """Download each calendar into a folder. Raises requests.HTTPError if one is not available."""
    folder.mkdir(parents=True, exist_ok=True)
    for repository, commit, path in CALENDARS:
        answer = requests.get(f"https://raw.githubusercontent.com/{repository}/{commit}/{path}", timeout=60)
        answer.raise_for_status()
        (folder / f"{repository.replace('/', '+')}.ics").write_bytes(answer.content)


def broken(path: Path, zone: str = "Europe/Berlin") -> Iterator[str]:
    """Check some weeks of a calendar file, and yield "looks" for each week and the name of each broken property.

    ``zone`` is the IANA zone of the person if the file names none.
    """
    with closing(Store("sqlite://")) as store:
        bridge, landed, home = bridge_of(store), datetime(1971, 1, 1, tzinfo=UTC), zone_of(path) or zone
        user = store.people.add_user("calendar", home, now=landed)
        runs.import_path(bridge, user, path, at=landed)
        for first in spread(busy_days(store, user.id), WEEKS):
            now = datetime.combine(first, time(12), tzinfo=ZoneInfo(home)).astimezone(UTC)
            known = load_snapshot(bridge, user, at=now)
            yield "looks"
            yield from laws(known, random.Random(f"{path.name}/{first}"))


def laws(known: Snapshot, rng: random.Random) -> Iterator[str]:
    """Yield the name of each property that a user's data break after hypothetical changes.

    They are about illness, recorded sleep, an unusual week, far entries, and entries of other people. ``rng`` draws
    changes.
    """
    plain = _person(known)
    today = plain.date_of(known.at)
    sleep = [_entry(*plain.routine.sleep_ending_on(today + DAY, known.zones), ActionType.SLEEP, 1.0)]
    added = _person(_with(known, sleep))
    for ends in (today + k * DAY for k in range(3)):
        if added.sleep(ends)[0] > plain.sleep(ends)[0]:
            yield "3: sleep in the calendar delays sleep"
    if _apart(plain, added) > MOST_SLEEP:
        yield "3: sleep at the usual hours changes the plan"
    starts = [known.at - ago * DAY + timedelta(hours=2) for ago in range(14, 7, -1)]
    odd = [_entry(start, start + DAY / 2, ActionType.ADMIN_WORK, 0.4) for start in starts]
    if _apart(plain, _person(_with(known, odd))) > MOST_ODD:
        yield "4: an odd week moves the weeks after it"
    yield from _when_ill(plain)
    soon = _entry(known.at + 12 * DAY, known.at + 12 * DAY + timedelta(hours=1), ActionType.ADMIN_WORK, 1.0)
    if _apart(plain, _person(_with(known, [soon]))) > 0:
        yield "10: an entry far ahead changes the plan"
    strange = [
        _entry(at, at + DAY / 12, rng.choice(list(ActionType)), 0.9)
        for at in (known.at + timedelta(hours=rng.uniform(-1000, 100)) for _ in range(40))
    ]
    whose = Ownership(left_out=frozenset({"added"}))
    if whose.own_of([one for one, _ in _with(known, strange).agenda]) != [one for one, _ in known.agenda]:
        yield "9: an entry that is not mine changes something"


def _when_ill(plain: Person) -> Iterator[str]:
    """Yield a text for each unsuitable suggestion within twelve hours if the same person says to be ill."""
    ill = replace(plain, mode=Mode(kind=ModeKind.ILL, said=True), _read={})
    for action, option in options(look(ill, ill.now), (ill.now, ill.now + DAY / 2))[0].items():
        late = action in COMPANY and ill.local(option.end).hour >= LATE_HOUR
        waking = ill.routine.sleep_ending_on(ill.date_of(option.start), ill.zones)[1]
        if action is ActionType.EXERCISE or late or (option.kind != "sleep" and option.start < waking):
            yield "1: an ill person hears of sport, late company or an early start"


def _person(known: Snapshot) -> Person:
    return Person(known=known, now=known.at, routine=learn_routine(known))


def _entry(start: datetime, end: datetime, action: ActionType, confidence: float) -> tuple[Occurrence, Label]:
    key = f"added/{start}/{end}/{action}"
    event = Event(key=key, calendar="added", title="added", start=start, end=end)
    label = Label(action=action, confidence=confidence, by="lab@1", why="")
    return Occurrence(key=key, event=event, start=start, end=end), label


def _with(known: Snapshot, entries: list[tuple[Occurrence, Label]]) -> Snapshot:
    return replace(known, agenda=sorted([*known.agenda, *entries], key=lambda one: one[0].start))


def _apart(one: Person, other: Person) -> float:
    """Return the seconds by which two persons' bedtimes, wake times and work hours differ most in the next week.

    It is the length of a day if one of them works on a date and the other does not.
    """
    today, far = one.date_of(one.now), 0.0
    for day in (today + k * DAY for k in range(1, 8)):
        edges = [[*person.sleep(day), *(at for span in person.work(day) for at in span)] for person in (one, other)]
        if len(edges[0]) != len(edges[1]):
            return DAY.total_seconds()
        far = max([far, *(abs((a - b).total_seconds()) for a, b in zip(*edges, strict=True))])
    return far


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--fetch", action="store_true", help="fetch the calendars into the folder first")
    given = asked.parse_args()
    if given.fetch:
        fetch(given.folder)
    for path in sorted(given.folder.glob("*.ics")):
        counts = Counter(broken(path))
        looks = counts.pop("looks", 0)
        print(
            f"{path.stem}: {looks} looks, {counts.total()} broken",
            *(f"  {k}: {n}" for k, n in counts.items()),
            sep="\n",
        )


if __name__ == "__main__":
    main()
