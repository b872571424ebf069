"""What a day has said holds all day: sport that had better be left out, a nap that was missed, and what clashes."""

from dataclasses import replace

import pytest

from bridge.day.choice import look, of_bedtime, of_waking
from bridge.day.person import Mode, ModeKind
from bridge.day.silence import quiet
from bridge.domain.rendering import for_person, told
from bridge.domain.types import EpisodeKind
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, entry, nights, sleep
from .persons import SUNDAY, blocks, found, person

A = ActionType
SATURDAY = SUNDAY - DAY
RACE = entry(SUNDAY, 450, 600, A.EXERCISE, "City run")
PICKUP = entry(SATURDAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup")
AFTER_ALL = "if you take part after all"


def silence(one, hours=4):
    return for_person(quiet(look(one, one.now), found(one, hours)[1]))


def eve(hour, asleep=150, **of):
    slept = [*nights(30, -30, 450, last=SATURDAY - DAY, noise=5), sleep(SATURDAY, 450 - asleep, 450)]
    return person(RACE, PICKUP, day=SATURDAY, hour=hour, episodes=slept, work=False, **of)


def test_a_race_that_had_better_be_left_out_is_spoken_of_conditionally_all_day():
    for asleep, doubted in ((150, True), (470, False)):
        one = eve(13, asleep)
        pickup = for_person(found(one, 2)[0][A.ADMIN_WORK].facts)[0]
        texts = [pickup, told(of_bedtime(one, SUNDAY)), told(of_waking(one, SUNDAY)), *silence(eve(18.5, asleep))]
        texts = [text for text in texts if "your sport" in text and "consider" not in text]
        assert len(texts) >= 3
        assert [AFTER_ALL in text for text in texts] == [doubted] * len(texts), texts
        race = next(block for block in blocks(one, "entry", SUNDAY) if block.title == "City run")
        assert ("consider leaving out" in " ".join(for_person(race.facts))) is doubted
        morning = silence(replace(one, now=at(SUNDAY, 400), _read={}))
        assert (f"it is time to get ready for City run at 07:30, {AFTER_ALL}" in morning) is doubted


@pytest.mark.parametrize("ill", [True, False])
def test_who_is_ill_neither_fetches_the_packet_nor_gets_up_for_the_race(ill):
    mode = Mode(kind=ModeKind.ILL, until=SUNDAY, said=True) if ill else Mode()
    one = eve(13, 470, mode=mode)
    assert (A.ADMIN_WORK in found(one, 2)[0]) is not ill
    assert any(block.title == "Race packet pickup" for block in blocks(one, "task")) is not ill
    assert (one.sleep(SUNDAY)[1] < at(SUNDAY, 400)) is not ill
    assert any("had better be left out" in text for text in silence(one)) is ill


def short_day(hour, *agenda):
    slept = [*nights(30, -60, 420, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 90, 420)]
    return person(*agenda, day=SUNDAY, hour=hour, episodes=slept, work=False)


def test_a_nap_whose_time_is_over_is_spoken_of_with_the_earlier_night():
    talk = entry(SUNDAY, 740, 960, A.LEARN, "Talk")
    for hour, agenda, missed in ((12.5, (), False), (14.9, (), True), (15.5, (talk,), True), (18.0, (), False)):
        texts = silence(short_day(hour, *agenda), 1)
        assert ("the time for a nap is over" in texts) is missed, (hour, texts)
        assert any("earlier than usual, because last night was short" in text for text in texts) or hour < 13
    napped = short_day(15.5)
    naps = [*napped.known.episodes, sleep(SUNDAY, 800, 825, kind=EpisodeKind.NAP)]
    napped = replace(napped, known=replace(napped.known, episodes=naps), _read={})
    assert "the time for a nap is over" not in silence(napped, 1)


def test_what_clashes_says_so_in_the_plan():
    talk, other = entry(TODAY, 840, 900, A.LEARN, "Talk"), entry(TODAY, 870, 930, A.ADMIN_WORK, "Review")
    for hour, said in ((9, True), (16, False)):
        facts = {block.title: for_person(block.facts) for block in blocks(person(talk, other, hour=hour), "entry")}
        assert facts["Talk"] == []
        assert facts["Review"] == (["clashes with Talk at 14:00"] if said else [])


def test_a_race_leaves_time_for_breakfast_and_the_way_and_says_when_to_leave():
    rested = eve(13, 470)
    assert rested.sleep(SUNDAY)[1] == at(SUNDAY, 330)
    race = next(block for block in blocks(rested, "entry", SUNDAY) if block.title == "City run")
    assert for_person(race.facts) == ["leave by 06:45"]
    slept = [*nights(30, -30, 450, last=SATURDAY, noise=5), sleep(SUNDAY, -90, 330)]
    morning = person(RACE, day=SUNDAY, hour=5.75, episodes=slept, work=False)
    assert silence(morning)[:2] == ["it is time to get ready for City run at 07:30", "leave by 06:45"]
