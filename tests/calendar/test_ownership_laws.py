"""Laws over generated people with a store: what is not mine changes nothing, and one command undoes what was said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from bridge import meters
from bridge.advice import modes, whose
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.calendar.ownership import Mark, Ownership, Whose
from bridge.day.body import Mode, ModeKind
from bridge.day.person import Person
from bridge.store import Store
from tests.calendar.families import Entry, as_ics, family
from tests.desk import Desk
from tests.world import NOW

SEEDS = range(3)


class Home:
    """A person with a calendar of their own entries, and the family's calendar beside it."""

    def __init__(self, store: Store, folder: Path, seed: int) -> None:
        self.desk, self.store = Desk(store, folder, "ics"), store
        self.user = store.people.user("ana")
        entries = family(seed)[1]
        self.others = [one for one in entries if one.owner in ("partner", "child")]
        self.desk.give("mine.ics", as_ics([one for one in entries if one.owner == "me"], "Mine"))

    def share(self, entries: list[Entry]) -> None:
        self.desk.give("family.ics", as_ics(entries))

    def day(self) -> tuple[Any, ...]:
        """All that is made of a calendar: entries, meters, routine, work, company, and the plan of the day."""
        plan = plan_day(self.desk.bridge, self.user, NOW.date(), now=NOW, seen=False).blocks
        return *self.known(), [(b.kind, b.start, b.end, b.action) for b in plan]

    def forget(self) -> None:
        """Drop what is kept while the store is unchanged, as a planted fault changes the code alone."""
        self.desk.bridge.snapshots.__dict__.clear()

    def loaded(self) -> Person:
        return load_person(self.desk.bridge, self.user, now=NOW)

    def known(self) -> tuple[Any, ...]:
        """The same without the plan, which remembers what it advised before."""
        one = self.loaded()
        agenda = [(o.key, o.start, o.event.busy, label.action) for o, label in one.known.agenda]
        levels = {meter: reading.level for meter, reading in meters.read(one.known).items()}
        hours = [one.work(NOW.date() + timedelta(days=n)) for n in range(7)]
        return agenda, levels, one.routine, hours


@pytest.fixture(params=SEEDS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Home]:
    with closing(Store("sqlite://")) as store:
        yield Home(store, tmp_path, request.param)


def test_a_calendar_left_out_changes_nothing_and_comes_back_by_one_command(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = home.day()
    home.share(home.others)
    shared = home.day()
    assert shared != alone
    whose.use(home.store, home.user, "family", used=False, now=NOW)
    assert home.day() == alone
    whose.use(home.store, home.user, "Family", used=True, now=NOW)
    assert home.known() == shared[:-1]
    whose.use(home.store, home.user, "family", used=False, now=NOW)
    monkeypatch.setattr(whose, "use", lambda *_, **__: whose.calendars(home.store, home.user, now=NOW))  # the fault
    whose.use(home.store, home.user, "family", used=True, now=NOW)
    assert home.known() != shared[:-1]


def test_entries_that_are_not_mine_change_nothing(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    near = [one for one in home.others if abs(one.start - NOW) < timedelta(days=40)]
    alone = home.day()
    home.share(near)
    events = home.store.reading.events(home.user.id, since=NOW - whose.NEAR, until=NOW + whose.NEAR)
    for key in [event.key for _, event in events if event.calendar == "Family"]:
        whose.mark(home.store, home.user, Mark(key=key, whose=Whose.NOT_MINE), now=NOW)
    assert home.day() == alone
    monkeypatch.setattr(Ownership, "own_of", lambda _, occurrences: list(occurrences))  # the planted fault
    home.forget()
    assert home.day() != alone


def test_an_entry_without_time_is_shown_and_takes_none(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    title = home.others[-1].title
    home.share([replace(home.others[-1], start=NOW + timedelta(hours=3))])
    busy = home.day()
    whose.mark(home.store, home.user, Mark(key=title, whose=Whose.NO_TIME, like=True), now=NOW)
    (found,) = [entry for entry in home.day()[0] if entry not in busy[0]]
    assert found[2] is False
    with monkeypatch.context() as planted:  # the planted fault: an entry without time is as any other
        planted.setattr(Ownership, "own_of", lambda _, occurrences: list(occurrences))
        home.forget()
        assert home.known() == busy[:-1]
    whose.mark(home.store, home.user, Mark(key=title, whose=Whose.MINE), now=NOW)
    assert home.known() == busy[:-1]


@pytest.mark.parametrize("scope", [{}, {"series": True}, {"like": True}])
def test_each_mark_is_taken_back_by_one_command(
    home: Home, scope: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    home.share(home.others)
    before, title = home.known(), next(o.title for o in home.others if NOW < o.start < NOW + timedelta(days=14))
    made = whose.mark(home.store, home.user, Mark(key=title, whose=Whose.NOT_MINE, **scope), now=NOW)
    assert made.mark is not None
    assert home.known() != before
    with monkeypatch.context() as planted:  # the planted fault: "mine" takes nothing back
        planted.setattr(type(home.store.people), "change_preferences", lambda *_, **__: None)
        whose.mark(home.store, home.user, Mark(key=made.mark.key, whose=Whose.MINE), now=NOW)
        assert home.known() != before
    whose.mark(home.store, home.user, Mark(key=made.mark.key, whose=Whose.MINE), now=NOW)
    assert whose.marks(home.store, home.user) == ()
    assert home.known() == before


def test_a_mode_ends_by_itself_and_by_one_command(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, today = home.known(), NOW.date()
    for undone in (False, True):
        modes.say_mode(home.store, home.user, Mode(kind=ModeKind.HOLIDAY, until=today + timedelta(days=2)), now=NOW)
        assert modes.mode_of(home.store, home.user, today).kind is ModeKind.HOLIDAY
        assert modes.mode_of(home.store, home.user, today + timedelta(days=3)).kind is ModeKind.NORMAL
        if undone:
            with monkeypatch.context() as planted:  # the planted fault: what was said before stays beside "normal"
                planted.setattr(modes, "_beside", lambda old, *_: [old])
                modes.say_mode(home.store, home.user, Mode(kind=ModeKind.NORMAL), now=NOW)
                assert modes.mode_of(home.store, home.user, today).kind is ModeKind.HOLIDAY
            modes.say_mode(home.store, home.user, Mode(kind=ModeKind.NORMAL), now=NOW)
            assert home.known() == plain
    monkeypatch.setattr(modes, "LASTS", dict.fromkeys(ModeKind, 10_000))  # the planted fault: a mode without an end
    modes.say_mode(home.store, home.user, Mode(kind=ModeKind.ODD), now=NOW)
    assert modes.mode_of(home.store, home.user, date(2030, 1, 1)).kind is ModeKind.ODD


def test_nothing_of_an_odd_week_is_learnt(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    begin, end = NOW - timedelta(days=14), NOW - timedelta(days=7)
    plain = home.known()[2]
    modes.say_mode(home.store, home.user, Mode(kind=ModeKind.ODD, until=end.date()), now=begin)
    without = home.known()[2]
    home.share([replace(one, start=begin + k * timedelta(hours=9)) for k, one in enumerate(home.others[:18])])
    assert home.known()[2] == without
    monkeypatch.setattr(modes, "ordinary", lambda known, _: known)  # the planted fault
    assert home.known()[2] != without
    monkeypatch.undo()
    modes.say_mode(home.store, home.user, Mode(kind=ModeKind.NORMAL), now=begin)
    home.share([])
    assert home.known()[2] == plain


FLIGHT = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//made up//EN
X-WR-CALNAME:Family
BEGIN:VEVENT
UID:flight@home
DTSTAMP:20260801T000000Z
DTSTART;TZID=Europe/Berlin:20261119T100000
DTEND;TZID=America/New_York:20261119T130000
SUMMARY:Ben: flight to New York
END:VEVENT
END:VCALENDAR
"""


def test_somebody_elses_flight_changes_no_clock(home: Home) -> None:
    bridge, at_home = home.desk.bridge, home.user.zones
    home.desk.give("flight.ics", FLIGHT.replace("\n", "\r\n"))
    assert bridge.travelled(home.user, at=NOW).zones != at_home
    whose.mark(home.store, home.user, Mark(key="Ben: flight to New York", whose=Whose.NOT_MINE), now=NOW)
    assert bridge.travelled(home.user, at=NOW).zones == at_home
