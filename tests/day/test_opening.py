"""The sentence a day begins with: what matters, true of the night and the day it tells of."""

from dataclasses import replace

import pytest

from bridge.day.body import Mode, ModeKind
from bridge.day.grid import grid_of
from bridge.day.opening import opening
from bridge.day.view import Candidate, of_due
from bridge.domain.facts import fact
from bridge.domain.rendering import Audience, for_person, reasons
from bridge.domain.types import Task
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, entry, nights, sleep
from .persons import SUNDAY, found, free_sunday, meetings, person


def said(one):
    return for_person(opening(one))


def short():
    return [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 120, 420)]


def rested(*agenda, **of):
    """After a night as long as they need, which the default one is not."""
    return person(*agenda, episodes=[*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, -80, 430)], **of)


def test_an_ordinary_day_after_a_good_night():
    assert said(rested()) == ["an ordinary day after a good night"]


def test_a_night_is_good_only_as_vitality_reads_it():
    assert [one.fact.kind for one in person().vitality.because] == ["slept_short"]
    assert said(person()) == ["an ordinary day"]
    assert said(person(*meetings(6), work=False)) == ["a full day: 6 entries, 6 h"]


def test_one_task_is_due_in_the_words_of_its_card():
    def late(days):
        return said(person(tasks=[Task(key="t", list="l", title="Roadmap", due=TODAY - days * DAY)]))[0]

    assert [late(days) for days in range(3)] == [
        "due today: Roadmap",
        "due yesterday: Roadmap",
        "due 2 days ago: Roadmap",
    ]


def test_a_late_task_that_was_moved_says_to_when():
    late = TODAY - DAY
    places = {"t": (at(TODAY + DAY, 805), at(TODAY + DAY, 865), late)}
    task = Task(key="t", list="l", title="Roadmap", due=late)
    assert said(person(tasks=[task], places=places))[:2] == ["due yesterday: Roadmap", "you moved it to Sat 13:25"]
    other = Task(key="u", list="l", title="Dentist", due=TODAY)
    assert said(person(tasks=[task, other], places=places))[0] == "due today: Dentist"  # the other waits


def test_a_short_night_before_a_full_day():
    full = [entry(TODAY, 480 + 60 * k, 540 + 60 * k, ActionType.ADMIN_WORK, "Review", others=4) for k in range(8)]
    assert said(person(*full, work=False, episodes=short())) == [
        "a short night before a full day: 4 h 36 min, 8 entries",
        "take it easier today",
    ]
    assert said(person(episodes=short())) == ["a short night: 4 h 36 min", "take it easier today"]


def test_a_full_day_is_fuller_than_such_days_are():
    usual = [entry(TODAY - 7 * k * DAY, 480, 960, ActionType.ADMIN_WORK, "Review") for k in range(5)]
    assert said(rested(*usual, work=False)) == ["an ordinary day after a good night"]
    (text,) = said(rested(*meetings(6), work=False))
    assert text == "a full day after a good night: 6 entries, 6 h"


def test_a_body_that_is_ill_comes_before_everything():
    ill = Mode(kind=ModeKind.ILL, since=TODAY, until=TODAY, said=True)
    first, second, *rest = said(person(*meetings(6), work=False, mode=ill))
    assert "ill" in first
    assert second == "rest comes first today"
    assert rest == []


@pytest.mark.parametrize(
    ("kind", "text"), [(ModeKind.AWAY, "you are away from home"), (ModeKind.ODD, "these days are different")]
)
def test_no_day_is_ordinary_that_the_person_calls_otherwise(kind, text):
    until = TODAY + 4 * DAY
    mode = Mode(kind=kind, since=TODAY, until=until, said=True)
    assert said(rested(mode=mode)) == [text, "you had a good night"]
    assert said(person(mode=mode)) == [text]
    assert said(free_sunday(mode=mode))[0] == text
    assert said(person(mode=replace(mode, since=TODAY + DAY))) == ["an ordinary day"]


def test_news_comes_before_an_ordinary_night():
    task = Task(key="t", list="l", title="Taxes", due=TODAY)
    assert said(rested(tasks=[task])) == ["due today: Taxes", "you had a good night"]
    late = Task(key="late", list="l", title="Passport", due=TODAY - DAY)
    assert said(rested(tasks=[task, late]))[0] == "2 due by today: Taxes, Passport"
    older = [Task(key=f"o{n}", list="l", title=f"Old {n}", due=TODAY - n * DAY) for n in (1, 2, 3)]
    assert said(rested(tasks=[*older, task]))[0] == "4 due by today: Taxes, Old 3, Old 2, …"
    many = [*(Task(key=str(n), list="l", title=f"T{n}", due=TODAY) for n in range(5))]
    assert said(rested(tasks=many))[0] == "5 due by today: T0, T1, T2, …"
    assert reasons(opening(rested(tasks=many)), Audience.ASSISTANT)[0] == "tasks due by today: 5"
    flight = entry(TODAY, 1080, 1200, None, "LH 123", end_zone="America/New_York")
    leaves = ["your flight leaves at 18:00", "leave for the airport by 15:30"]
    assert said(rested(flight)) == [*leaves, "you had a good night"]


def test_one_long_entry_unlike_those_of_the_last_weeks_is_told():
    race = entry(TODAY, 900, 1050, ActionType.EXERCISE, "Half marathon")
    assert said(rested(race)) == ["today: Half marathon, at 15:00", "you had a good night"]
    before = [entry(TODAY - 7 * k * DAY, 900, 1050, ActionType.EXERCISE, "Half marathon") for k in range(3)]
    assert "Half marathon" not in " ".join(said(rested(*before)))
    other = entry(TODAY, 1080, 1200, ActionType.SOCIALIZE, "Party")
    assert "Party" not in " ".join(said(rested(race, other)))  # two of them are an ordinary calendar
    assert "Secret" not in " ".join(said(rested(entry(TODAY, 900, 1050, None, "Secret", private=True))))


def test_a_day_off_is_free_however_long_its_party_is():
    off = entry(TODAY, 0, 1440, None, "Day off", kind="outOfOffice")
    party = entry(TODAY, 1000, 1400, ActionType.SOCIALIZE, "Party")
    assert said(rested(off, party, work=False)) == ["a free day after a good night", "today: Party, at 16:40"]


def test_a_day_within_an_entry_of_several_days_is_neither_free_nor_ordinary():
    trip = entry(SUNDAY - DAY, 480, 480 + 4 * 1440, ActionType.ADMIN_WORK, "Business trip")
    kinds = {one.kind for one in opening(free_sunday(trip))}
    assert not {kind for kind in kinds if kind.startswith(("free_", "ordinary_"))}


def test_nights_that_have_not_come_in_are_told():
    until = nights(30, -60, 420, last=TODAY - 3 * DAY)
    assert said(person(episodes=until)) == [
        f"your watch has sent no sleep since the night into {TODAY - 3 * DAY:%A}; open its app, so that it syncs"
    ]
    assert said(person(episodes=nights(30, -60, 420, last=TODAY - DAY))) == ["your watch has not sent last night yet"]


def test_who_imports_files_is_told_to_import_the_next():
    late = f"your data hold no sleep since the night into {TODAY - 3 * DAY:%A}; import a new export"
    for ago, text in ((3, late), (1, "an ordinary day")):
        one = person(episodes=nights(30, -60, 420, last=TODAY - ago * DAY))
        one = replace(one, known=replace(one.known, brought=frozenset({"whoop"})), _read={})
        assert said(one) == [text]
        early = replace(one, now=at(TODAY, 435), _read={})
        assert "night_not_in" not in {why.kind for why in found(early)[1].values()}


@pytest.mark.parametrize("hour", [0.5, 8.0, 23.5])
def test_nothing_is_claimed_of_what_is_not_known(hour):
    assert said(person(hour=hour, episodes=[], work=False)) == []
    assert said(person(hour=hour, episodes=[])) in (["an ordinary day"], ["a free day"])
    assert not any("night" in text for text in said(free_sunday(hour=0.2, episodes=[])))


def test_the_texts_of_a_day_ahead_count_from_that_day():
    one, found = person(), []
    for days in (-1, 0):
        task = Task(key="t", list="l", title="Roadmap", due=TODAY + days * DAY)
        candidate = Candidate(action=None, wanted=30, least=30, task=task)
        found.append(of_due(candidate, grid_of(one, at(TODAY + DAY, 720))))
    assert found == [fact("was_due_before", count=2), fact("due_before", count=1)]
