"""Tasks, titles, meetings and entries of several days in the typed query."""

from __future__ import annotations

from datetime import timedelta

import pytest
from typer.testing import CliRunner

from bridge.cli import app
from bridge.domain.errors import SetupError
from bridge.domain.records import User
from bridge.domain.types import Event, Item, Task
from bridge.installation import Bridge
from bridge.query import asking
from bridge.query import said as sentences
from bridge.query.answered import Answer
from bridge.query.parse import Words
from tests.query.life import BERLIN, DAY, FIRST, ask, at, lived, steps
from tests.query.wearer import NOW, land

__all__ = ["lived"]


def test_tasks_are_counted_by_day(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    today = NOW.astimezone(BERLIN).date()
    told: list[Item] = [
        Task(key="1", list="l", due=FIRST, completed=at(FIRST, "23:30")),
        Task(key="2", list="l", due=FIRST + timedelta(days=1), completed=at(FIRST + timedelta(days=2), "00:30")),
        Task(key="3", list="l", due=FIRST + timedelta(days=1)),
        Task(key="4", list="l", due=today + timedelta(days=1)),
    ]
    land(bridge.store, user, told)
    assert ask(lived, "tasks_done", of="sum").value == 2
    assert ask(lived, "tasks_done", of="sum", since=FIRST.isoformat(), until=FIRST.isoformat()).value == 1
    assert ask(lived, "tasks_due", of="sum", since=(today + timedelta(days=1)).isoformat()).value == 1
    assert ask(lived, "tasks_overdue", of="sum").value == 1
    assert ask(lived, "steps", "tasks_done > 0").n == 2


def test_titles_part_days_on_the_persons_own_surfaces_only(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    day = FIRST + timedelta(days=5)
    evening = at(day, "19:00")
    land(
        bridge.store,
        user,
        [
            Event(
                key="e", calendar="c", title="Rehearsals of the choir", start=evening, end=evening + timedelta(hours=1)
            )
        ],
    )
    words = Words(what="steps", where=["titled rehearsal > 0"])
    assert asking.typed(bridge, user, words, now=NOW, titles=True)[0].value == steps(5)
    with pytest.raises(SetupError):
        asking.typed(bridge, user, words, now=NOW)
    found, _ = asking.plain(bridge, user, "steps on choir days", now=NOW, titles=True)
    assert (found.value, found.n) == (steps(5), 1)
    within = Words(what="steps", where=["titled hear > 0"])  # of "rehearsal", and another word
    assert asking.typed(bridge, user, within, now=NOW, titles=True)[0].n == 0
    found, _ = asking.plain(bridge, user, "steps on court days", now=NOW, titles=True)
    assert found.value is None
    assert "court" in str(found.reason)


def test_tasks_and_entries_are_listed_with_their_titles(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    today = NOW.date()
    tasks = [
        Task(key="a", list="l", title="Tax", due=today + timedelta(days=2)),
        Task(key="b", list="l", title="Roof", due=today - timedelta(days=2)),
        Task(key="c", list="l", title="Hedge", completed=NOW - timedelta(days=1)),
    ]
    begin = NOW + timedelta(days=3)
    visit = Event(key="v", calendar="c", title="Dentist", start=begin, end=begin + timedelta(hours=1))
    land(bridge.store, user, [*tasks, visit])

    def listed(text: str) -> list[str]:
        groups = asking.plain(bridge, user, text, now=NOW, titles=True)[0].groups
        return [one.key.split(" ", 1)[1] for one in groups]

    assert listed("what do I need to get done") == ["Roof", "Tax"]
    assert listed("what did I tick off yesterday") == ["Hedge"]
    found, _ = asking.plain(bridge, user, "when is my next dentist appointment", now=NOW, titles=True)
    assert found.at == begin.date()
    words = Words(what="entries", where=["entry.title ~ dentist"], until=begin.date().isoformat())
    assert asking.typed(bridge, user, words, now=NOW, titles=True)[0].value == 1
    with pytest.raises(SetupError):
        asking.typed(bridge, user, words, now=NOW)
    bare = Words(what="tasks", by="row", where=["task.state = open"])
    assert not any("Tax" in one.key for one in asking.typed(bridge, user, bare, now=NOW)[0].groups)


def test_a_span_runs_since_the_only_entry_of_a_name(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    for day in (FIRST, FIRST + timedelta(days=2)):
        begin = at(day, "10:00")
        title = "Removal" if day == FIRST else "Choir"
        land(
            bridge.store,
            user,
            [Event(key=title, calendar="c", title=title, start=begin, end=begin + timedelta(hours=1))],
        )
    found, _ = asking.plain(bridge, user, "average steps since my removal", now=NOW, titles=True)
    assert found.query.since == FIRST
    found, _ = asking.plain(bridge, user, "average steps since I got the parrot", now=NOW, titles=True)
    assert (found.value, found.query.since) == (None, None)
    assert "parrot" in str(found.reason)


def test_meetings_are_the_entries_of_work_that_are_one(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    told = {"Gym": {}, "Dentist": {"others": 1}, "Team sync": {}, "Quarterly figures": {"others": 3}, "Deep work": {}}
    entries = []
    for hour, (title, of) in enumerate(told.items(), 9):
        start = at(FIRST, f"{hour:02}:00")
        entries.append(
            Event(key=title, calendar="c", title=title, start=start, end=start + timedelta(minutes=30), **of)
        )
    land(bridge.store, user, entries)
    found, _ = asking.plain(bridge, user, "how many meetings did I have", now=NOW)
    assert (found.value, found.unit, found.query.subject.name) == (2, "meetings", "meetings")
    assert str(sentences.said(found)).startswith("you had 2 meetings (work with others, or named a meeting or call)")
    assert asking.plain(bridge, user, "how many appointments did I have", now=NOW)[0].value == len(told)
    assert asking.plain(bridge, user, "how many hours of meetings did I have", now=NOW)[0].value == 60
    assert asking.plain(bridge, user, "steps on days with more than 1 meeting", now=NOW)[0].value == steps(0)
    assert asking.plain(bridge, user, "how many appointments started after 10:30", now=NOW)[0].value == 3
    earliest = asking.plain(bridge, user, "what was my earliest meeting", now=NOW)[0]
    assert (earliest.value, earliest.query.subject.name, earliest.at) == (11 * 60, "meetings.start", FIRST)
    by_title = asking.plain(bridge, user, "how often did I see the dentist", now=NOW, titles=True)[0]
    assert by_title.value == 1


def test_entries_ahead_are_spoken_of_as_ahead_with_their_minutes(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    begin = at(NOW.date() + timedelta(days=1), "10:00")
    land(
        bridge.store,
        user,
        [
            Event(key="v", calendar="c", title="Dentist", start=begin, end=begin + timedelta(minutes=40)),
            Event(key="w", calendar="c", title="Fair", first_day=begin.date(), last_day=begin.date()),
        ],
    )
    found, _ = asking.plain(bridge, user, "what do I have tomorrow", now=NOW)
    assert (found.value, found.column) == (2, "min")
    assert sorted((one.unit or "", found.in_column(one)) for one in found.groups) == [("", None), ("min", 40.0)]
    assert (told := sentences.said(found)) is not None
    assert told.startswith("you have 2 calendar entries, ")
    assert told.in_language("de").startswith("du hast 2 Kalendereinträge, ")
    assert told.in_language("fr").startswith("tu as 2 entrées de calendrier, ")
    over, _ = asking.plain(bridge, user, "how many appointments did I have last week", now=NOW)
    assert str(sentences.said(over)) == "no calendar of yours reaches back that far."
    printed = CliRunner().invoke(app, ["ask", "what do I have tomorrow", "--user", "ana"]).output
    assert "┃ min ┃" in printed


def test_an_entry_of_several_days_is_of_each_of_them_and_counted_once(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    monday = NOW.date() - timedelta(days=NOW.weekday() + 7)  # of last week
    trip, night = at(monday + timedelta(days=1), "08:00"), at(monday, "21:00")
    talks = {title: at(monday + timedelta(days=2), f"{hour}:00") for hour, title in ((10, "Standup"), (19, "Theatre"))}
    land(
        bridge.store,
        user,
        [
            Event(key="t", calendar="c", title="Deep work retreat", start=trip, end=trip + timedelta(hours=58)),
            Event(key="n", calendar="c", title="Party", start=night, end=night + timedelta(hours=4)),
            *(Event(key=k, calendar="c", title=k, start=v, end=v + timedelta(hours=1)) for k, v in talks.items()),
        ],
    )

    def told(text: str) -> Answer:
        return asking.plain(bridge, user, text, now=NOW, titles=True)[0]

    dates = (monday + timedelta(days=k) for k in range(5))
    days = [told(f"how many appointments did I have on {day:%-d %B %Y}").value for day in dates]
    assert days == [1, 1, 3, 1, 0]  # the party is of the evening on which it began
    week = "last week"
    assert told(f"how many appointments did I have {week}").value == 4
    (listed,) = [one for one in told(f"list my appointments {week}").groups if "retreat" in one.key]
    assert listed.value == 58 * 60
    assert told(f"how many hours of focused work did I have {week}").value in (None, 0)  # nobody works at night
    assert told(f"how many free evenings did I have {week}").value == 4
    days_off = Event(key="b", calendar="c", title="Business trip", start=NOW - DAY, end=NOW + 2 * DAY)
    land(bridge.store, user, [days_off])
    assert "from 27 Nov 2026 to 30 Nov 2026" in str(sentences.said(told("when is my business trip")))


def test_a_journey_is_no_work_whatever_its_label(lived: tuple[Bridge, User]) -> None:
    bridge, user = lived
    planned: list[Item] = []
    for k, title in enumerate(("Train to Leeds", "Zug nach Köln", "Budget review")):
        begin = at(FIRST, "08:00") + timedelta(hours=3 * k)
        planned.append(Event(key=title, calendar="c", title=title, start=begin, end=begin + timedelta(hours=2)))
    land(bridge.store, user, planned)
    work = ask(lived, "entries.minutes", "action = ADMIN_WORK|DEEP_WORK", of="sum")
    assert (work.value, work.n) == (120, 1)
    assert ask(lived, "entries").value == 3
