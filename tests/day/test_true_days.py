"""Days as a strict reader wants them told: missed entries, short eves, gaps of one slot, late and later tasks."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest

from bridge.advice.review import times_done
from bridge.day.bedtime import of_bedtime
from bridge.day.body import Mode, ModeKind, body_of
from bridge.day.choice import look
from bridge.day.masks import _long_sport
from bridge.day.routine import missed
from bridge.day.silence import quiet
from bridge.day.view import of_action
from bridge.domain.facts import fact
from bridge.domain.metrics import Metric
from bridge.domain.rendering import for_person, told
from bridge.domain.types import Because, Reading, Sample, Task
from bridge.domain.wishes import Wishes
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, entry, known, nights, sleep, workout
from .persons import HOUR, MINUTE, SUNDAY, blocks, found, free_sunday, person, week

A = ActionType


def silence(one):
    return for_person(quiet(look(one, one.now), found(one)[1]))


def test_the_eve_of_an_early_start_is_as_early_as_it_can_be_and_owns_up_to_what_is_missing():
    race = entry(SUNDAY, 450, 600, A.EXERCISE, "City run")
    for bed, wake, usual_length in ((120, 480, 6), (-30, 450, 8)):
        eve = person(race, day=SUNDAY - DAY, hour=20, episodes=nights(30, bed, wake, last=SUNDAY - DAY, noise=5))
        night, usual = eve.night(SUNDAY), eve.routine.sleep_ending_on(SUNDAY, eve.zones)[0]
        assert night.wake == at(SUNDAY, 330)
        assert 85 * MINUTE <= usual - night.bed <= 2 * HOUR + 5 * MINUTE
        missing = eve.need(SUNDAY) - (night.wake - night.bed)
        assert missing > HOUR / 2 or usual_length == 8
        if missing > HOUR / 2:
            text = told(of_bedtime(eve, SUNDAY))
            assert "before your sport at 07:30: that leaves " in text
            assert text.endswith("less than you need")
    party = entry(SUNDAY - DAY, 1200, 1500, A.SOCIALIZE, "Party", others=4)
    late = person(race, party, day=SUNDAY - DAY, hour=18, episodes=nights(30, -30, 450, last=SUNDAY - DAY, noise=5))
    assert told(of_bedtime(late, SUNDAY)).startswith(
        "bedtime is 01:45 today, before your sport at 07:30: that leaves 3 h 45 min"
    )


def test_what_is_left_of_a_night_is_counted_from_the_start_that_is_shown():
    entries = entry(SUNDAY, 450, 600, A.EXERCISE, "City run"), entry(SUNDAY - DAY, 1200, 1500, A.SOCIALIZE, "Party")
    up = person(*entries, day=SUNDAY, hour=2.45, episodes=nights(30, -30, 450, last=SUNDAY - DAY, noise=5))
    card = found(up, 3)[0][A.SLEEP]
    assert (card.start, card.end) == (at(SUNDAY, 150), at(SUNDAY, 330))
    assert "leaves 3 h in bed, " in for_person(card.facts)[0]


def eve_of_a_race(last_night, start=450, hour=18.0, before=None):
    """The night before a race of somebody who sleeps from half past one to eight, after a night of some minutes."""
    slept = [*nights(40, 90, 480, noise=10, last=SUNDAY - 3 * DAY), sleep(SUNDAY - 2 * DAY, 90, 90 + (before or 390))]
    slept.append(sleep(SUNDAY - DAY, 150, 150 + last_night))
    race = entry(SUNDAY, start, start + 150, A.EXERCISE, "City run")
    return person(race, day=SUNDAY - DAY, hour=hour, episodes=slept, work=False)


def test_the_eve_of_a_race_is_ninety_minutes_early_and_owns_up_to_what_is_missing():
    for last_night, start, before in ((149, 450, None), (262, 450, 225), (400, 450, None)):
        eve = eve_of_a_race(last_night, start, before=before)
        assert eve.usual_sleep(SUNDAY)[0] - eve.sleep(SUNDAY)[0] == pytest.approx(1.5 * HOUR, abs=5 * MINUTE)
        assert "less than you need" in told(of_bedtime(eve, SUNDAY))


def test_sport_after_hardly_any_sleep_is_doubted_the_evening_before_and_in_the_morning():
    doubt = "consider leaving out your sport on Sunday at 07:30, or go easy"
    for last_night, said in ((149, True), (400, False)):
        eve = eve_of_a_race(last_night)
        assert (doubt in silence(eve)) is said
        night = found(replace(eve, now=at(SUNDAY - DAY, 1260), _read={}), 2)[0].get(A.SLEEP)
        assert night is None or (doubt in for_person(night.facts)) is said
        morning = replace(eve, now=at(SUNDAY, 390), _read={})
        ready = "it is time to get ready for City run at 07:30"
        assert (f"{ready}, if you take part after all" if said else ready) in silence(morning)
        assert (doubt in silence(morning)) is said
        assert ("your night into Saturday held 2 h 17 min of sleep" in silence(morning)) is said


def test_usual_sport_rests_for_two_days_after_hardly_any_sleep_or_a_race_and_says_so():
    trained = [workout(SUNDAY - k * DAY, 1080, 45) for k in (7, 14, 21, 28)]
    race = entry(SUNDAY - 2 * DAY, 510, 660, A.EXERCISE, "City run")
    for little, agenda, why in (
        (True, [], "your night into Friday held 2 h 27 min of sleep"),
        (False, [race], "your sport on Friday was long"),
        (False, [], None),
    ):
        slept = [n for n in nights(30, -60, 420, last=SUNDAY) if not little or n[1].day < SUNDAY - 2 * DAY]
        slept += [sleep(SUNDAY - 2 * DAY, 260, 420)] if little else []  # no later night is known to make good for it
        one = person(*agenda, day=SUNDAY, hour=17, episodes=[*slept, *trained], work=False)
        assert (A.EXERCISE in found(one, 3)[0]) is (why is None)
        assert why is None or f"your usual sport rests until Monday: {why}" in silence(one)
        monday = person(*agenda, day=SUNDAY, hour=17, episodes=[*slept, *trained], work=False, wishes=wanted())
        assert A.EXERCISE in found(monday, 3)[0]  # what the person asks for is no mere habit


def test_a_whole_night_makes_good_for_hardly_any_sleep_before_usual_sport():
    trained = [workout(SUNDAY - k * DAY, 1080, 45) for k in (7, 14, 21, 28)]
    for short_one, rests in ((1, False), (2, False), (0, True)):
        slept = [n for n in nights(30, -60, 420, last=SUNDAY) if n[1].day != SUNDAY - short_one * DAY]
        slept += [sleep(SUNDAY - short_one * DAY, 260, 420)]
        one = person(day=SUNDAY, hour=17, episodes=[*slept, *trained], work=False)
        assert (A.EXERCISE not in found(one, 3)[0]) is rests, short_one


def test_sport_before_its_usual_time_says_which_entry_is_too_near():
    trained = [workout(SUNDAY - k * DAY, 1080, 45) for k in (7, 14, 21, 28)]
    for begins, said in ((1150, True), (1260, False)):
        dinner = entry(SUNDAY, begins, begins + 60, A.SOCIALIZE, "Dinner")
        one = person(dinner, day=SUNDAY, hour=16.5, episodes=[*nights(30, -60, 420, last=SUNDAY), *trained], work=False)
        sport = next(b for b in week(one).blocks(SUNDAY) if b.action is A.EXERCISE)
        time = f"{begins // 60:02d}:{begins % 60:02d}"
        usual = "you usually do it on Sun at 18:00"
        near = f"{usual}, which is too near your entry at {time} today"
        assert (near if said else usual) in for_person(sport.facts), sport


def wanted():
    return Wishes(goals={A.EXERCISE: 7})


def test_illness_is_told_of_its_night_where_the_last_is_not_known():
    why = fact("illness", signs=(fact("resting_hr_up"), fact("skin_warmer")))
    for hours, text in ((3.0, "your watch shows your body"), (24.0, "your night into Thursday showed your body")):
        because = Because(signal="illness", source=None, z=-4, contribution=-0.4, fact=why, age_hours=hours)
        read = Reading(level=0.3, sd=0.1, coverage=1.0, because=(because,))
        body = body_of(read, now=at(TODAY, 600).astimezone(ZoneInfo("Europe/Berlin")))
        assert (body.ill, body.tells_of(TODAY)) == (True, True)
        assert told(body.facts[0]).startswith(f"{text} fighting something: resting")


def test_the_eve_of_a_race_is_as_early_as_may_be_also_where_weekends_are_later():
    slept = nights(40, lambda d: 160 if d.weekday() >= 5 else 80, lambda d: 570 if d.weekday() >= 5 else 450, noise=5)
    slept = [n for n in slept if n[1].day < SUNDAY - DAY] + [sleep(SUNDAY - DAY, 160, 560)]
    race = entry(SUNDAY, 450, 600, A.EXERCISE, "City run")
    eve = person(race, day=SUNDAY - DAY, hour=19, episodes=slept, work=False)
    assert eve.usual_sleep(SUNDAY)[0] - eve.sleep(SUNDAY)[0] == pytest.approx(1.5 * HOUR, abs=5 * MINUTE)
    assert "less than you need" in told(of_bedtime(eve, SUNDAY))


def test_a_mere_entry_that_takes_minutes_of_the_night_owns_up_to_nothing():
    for start in (515, 520, 530, 540):
        eve = eve_of_a_race(400, start)
        assert "less than you need" not in told(of_bedtime(eve, SUNDAY)), start


def test_a_bedtime_called_earlier_is_earlier_than_the_usual_of_the_page():
    for short in range(45, 200, 10):
        slept = [*nights(30, 60, 450, noise=5, last=TODAY - DAY), sleep(TODAY, 60 + short, 450)]
        one = person(hour=18, episodes=slept, work=False)
        usual, text = one.usual_sleep(TODAY + DAY)[0], told(of_bedtime(one, TODAY + DAY))
        assert ("earlier than usual" in text) is (usual - one.sleep(TODAY + DAY)[0] >= 15 * MINUTE)


def test_the_usual_night_is_one_and_the_same_for_days_of_a_kind_within_a_fortnight():
    slept = nights(70, 100, 470, noise=50, seed=7)
    found = []
    for ago in range(14):
        day = TODAY - ago * DAY
        one = person(day=day, hour=12, episodes=[n for n in slept if n[1].day <= day], work=False)
        found += [(d >= 5, night.bed, night.wake) for d, night in enumerate(one.routine.nights)]
    for kind in (False, True):
        for k in (1, 2):
            times = [one[k] for one in found if one[0] is kind]
            assert max(times) - min(times) <= 25, (kind, k)


def test_after_hardly_any_sleep_the_night_begins_as_early_as_sleep_comes():
    for asleep, least in ((235, 90), (300, 50)):
        slept = [*nights(30, 85, 450, noise=0, last=TODAY - DAY), sleep(TODAY, 450 - asleep, 450)]
        one = person(hour=18, episodes=slept, work=False)
        usual = one.routine.sleep_ending_on(TODAY + DAY, one.zones)[0]
        earlier = usual - one.sleep(TODAY + DAY)[0]
        assert earlier >= least * MINUTE


@pytest.mark.parametrize("worn", [True, False])
def test_an_entry_that_was_slept_over_is_not_done(worn):
    race = entry(SUNDAY, 450, 620, A.EXERCISE, "City run")
    slept = [*nights(30, -60, 420, last=SUNDAY - DAY), *([sleep(SUNDAY, 200, 600)] if worn else [])]
    one = person(race, day=SUNDAY, hour=13.5, episodes=slept, work=False)
    view = look(one, one.now)
    assert bool(view.planned(A.EXERCISE)) is (not worn)
    assert (SUNDAY in view.times(A.EXERCISE, one.now)) is (not worn)
    assert (A.EXERCISE in one.routine.habits) is (not worn)
    assert any("you rest after" in text for text in silence(one)) is (not worn)


def test_what_was_slept_through_was_not_attended_and_says_so():
    for woke, gone in ((612, True), (590, False)):
        lecture = [entry(SUNDAY - k * DAY, 600, 690, A.LEARN, "Lecture") for k in (0, -1)]
        slept = [*nights(30, 60, 540, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 100, woke)]
        one = person(*lecture, day=SUNDAY, hour=10.5, episodes=slept, work=False)
        assert (lecture[0][0].key in missed(one.known)) is gone
        block = next(b for b in blocks(one, "entry") if b.title == "Lecture")
        assert ("you slept until 10:12" in for_person(block.facts)) is gone
        assert told(of_bedtime(one, SUNDAY + DAY)).endswith("your entry at 10:00; set an alarm for 09:00")
        assert (silence(one) == ["you have an entry until 11:30"]) is not gone


def test_a_race_that_was_slept_into_is_known_as_missed_at_once():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    slept = [*nights(30, 60, 540, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 60, 509)]
    one = person(race, day=SUNDAY, hour=12, episodes=slept, work=False)
    assert missed(one.known).keys() == {race[0].key}
    around = race[0].start - DAY, race[0].end + DAY
    assert times_done(A.EXERCISE, one.known, around) == 0  # the review counts as the plans do
    assert not any("you rest after your sport" in text for text in silence(one))
    ran = person(race, day=SUNDAY, hour=12, episodes=[*slept, workout(SUNDAY, 530, 110)], work=False)
    assert not missed(ran.known)
    assert times_done(A.EXERCISE, ran.known, around) == 1


def test_entries_that_overlap_are_named_once():
    pair = [entry(SUNDAY, 1145, 1265, A.ADMIN_WORK, "ATK to WAS"), entry(SUNDAY, 1170, 1230, None, "Red Rocket Farm")]
    one = person(*pair, day=SUNDAY, hour=17.3, work=False)
    assert silence(one) == ["at 19:30 these clash, counting the ways: ATK to WAS 19:05, Red Rocket Farm 19:30"]


def test_deep_work_of_days_ahead_waits_for_a_morning_without_a_late_shift():
    task = Task(key="t", list="l", title="Prepare talk", due=TODAY + 3 * DAY)
    shift = entry(TODAY, 840, 1320, A.ADMIN_WORK, "Late shift")
    for agenda, said in (((shift,), False), ((), True)):
        one = person(*agenda, hour=9.2, tasks=[task], task_actions={"t": A.DEEP_WORK}, work=False)
        assert any(b.title == "Prepare talk" for b in week(one).blocks(TODAY)) is said


def test_sport_of_which_a_watch_shows_nothing_is_not_done_where_it_shows_the_others():
    gym = [entry(TODAY - k * DAY, 1080, 1140, A.EXERCISE, "Gym") for k in range(1, 9)]
    race = entry(TODAY - DAY, 480, 580, A.EXERCISE, "City run")
    trained = {count: [workout(TODAY - k * DAY, 1085, 50) for k in range(3, 3 + count)] for count in (0, 3, 6)}
    slept = nights(30, -60, 420)
    steps = [
        ("w", Sample(key=str(k), metric=Metric.STEPS, start=at(TODAY - k * DAY, 0), day=TODAY - k * DAY, value=9e3 / k))
        for k in range(1, 9)
    ]
    for count, samples, absent in ((0, (), 0), (3, (), 0), (6, (), 3), (6, steps, 0)):
        life = known([*slept, *trained[count]], [*gym, race], samples=samples)
        assert len(missed(life)) == absent, (count, absent)
    assert not missed(known([*trained[6]], [*gym, race]))  # no watch was worn at night
    runs = [workout(TODAY - k * DAY, 400, 30) for k in range(2, 9)]
    assert not missed(known([*slept, *runs], [*gym, race]))  # the gym is never shown
    daily = [workout(TODAY - k * DAY, 400, 30) for k in range(2, 15)]  # a watch of who has no other entry of sport
    assert missed(known([*slept, *daily], [race])).keys() == {race[0].key}
    assert not missed(known([*slept, *daily[:5]], [race]))
    overslept = [*nights(30, -60, 420, last=TODAY - 2 * DAY), sleep(TODAY - DAY, -60, 475)]
    assert missed(known([*overslept, *runs], [*gym, race])).keys() == {race[0].key}


def test_of_what_is_late_and_what_is_due_today_the_latter_comes_first():
    tasks = [Task(key=k, list="l", title=k, due=TODAY - n * DAY) for n, k in enumerate(("Write report", "Tax return"))]
    actions = {"Write report": A.DEEP_WORK, "Tax return": A.ADMIN_WORK}
    full = entry(TODAY, 540, 960, A.ADMIN_WORK, "Workshop")
    one = person(full, hour=12.4, tasks=tasks, task_actions=actions)
    placed = sorted(blocks(one, "task"), key=lambda block: block.start)
    assert placed[0].title == "Write report"
    assert found(replace(one, now=at(TODAY, 975), _read={}), 3)[1][A.ADMIN_WORK].kind == "due_first"


def test_one_rests_after_a_workout_that_was_long_or_hard_for_one():
    usual = [workout(SUNDAY - k * DAY, 1080, 45) for k in (4, 7, 11, 14, 18, 21)]
    long, easy = workout(SUNDAY - DAY, 600, 130), workout(SUNDAY - DAY, 600, 40)
    hard = easy[0], replace(easy[1], values={Metric.STRAIN: 15.2})
    for last, rests in ((long, True), (hard, True), (easy, False)):
        one = free_sunday(hour=12, episodes=[*usual, last])
        assert bool(_long_sport(of_action(A.EXERCISE, one), look(one, one.now))) is rests
        assert not rests or A.EXERCISE not in found(one, 8)[0]


def test_the_plan_shows_the_rest_of_the_current_slot_but_where_a_lot_keeps_it_silent():
    noon = [workout(SUNDAY - days * DAY, 1000, 40) for days in (7, 14, 21, 28, 35)]
    one = free_sunday(hour=13, episodes=noon)
    for silent in (False, True):
        starts = [b.start for b in week(one, silent=silent).blocks(SUNDAY) if b.action is A.EXERCISE]
        assert (at(SUNDAY, 1000) in starts) is (not silent)


def test_a_missing_gap_is_told_of_the_hours_that_were_looked_at():
    one = free_sunday(*(entry(SUNDAY, 600 + 40 * k, 625 + 40 * k, A.ADMIN_WORK, "Call") for k in range(3)), hour=9.8)
    why = found(one, 1.5)[1][A.EXERCISE]
    assert (why.kind, told(why)) == ("no_gap_before", "no free 30 minutes that suit it begin before 11:20")


def test_sport_that_fits_later_today_is_no_reason_for_a_silence():
    noon = [workout(SUNDAY - days * DAY, 700, 40) for days in (7, 14, 21, 28, 35)]
    for end, said in ((950, False), (1290, True)):
        one = free_sunday(entry(SUNDAY, 840, end, A.ADMIN_WORK, "Move house"), hour=12.9, episodes=noon)
        given, held = found(one, 1)
        assert A.EXERCISE not in given
        assert any("no sport today" in text for text in for_person(quiet(look(one, one.now), held))) is said


def test_a_task_that_comes_later_is_said_where_nothing_else_is():
    task = Task(key="t", list="l", title="Pay invoice", due=TODAY - DAY)
    call = entry(TODAY, 560, 600, A.ADMIN_WORK, "Standup")
    one = person(call, hour=7.6, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
    told_now = for_person(quiet(look(one, one.now), {}))
    assert told_now == ["Pay invoice is still to be done (it was due yesterday)"]


@pytest.mark.parametrize(("title", "said"), [("Pay invoice", True), ("Tax return", False)])
def test_a_short_task_that_is_overdue_takes_the_evening_and_a_long_one_tomorrow(title, said):
    task = Task(key="t", list="l", title=title, due=TODAY - DAY)
    slept = nights(30, 0, 440)
    one = person(hour=20.5, episodes=slept, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
    assert (A.ADMIN_WORK in found(one, 3)[0]) is said
    assert said or "and tomorrow at " in silence(one)[0]
    late = person(hour=22.2, episodes=slept, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
    assert A.ADMIN_WORK not in found(late, 3)[0]


def test_what_is_late_for_days_says_so_and_what_can_be_done():
    texts = []
    for days in (1, 2, 6):
        task = Task(key="t", list="l", title="Sort photos", due=TODAY - days * DAY)
        one = person(hour=10, tasks=[task], task_actions={"t": A.ADMIN_WORK})
        texts += for_person(found(one, 2)[0][A.ADMIN_WORK].facts)[:1]
    assert texts == [
        "it was due yesterday",
        "it is 2 days late; if it matters no more, move or delete it in your task list",
        "it is 6 days late; if it matters no more, move or delete it in your task list",
    ]


def test_a_late_call_is_not_held_back_by_an_errand_of_tomorrow():
    tasks = [Task(key=k, list="l", title=k, due=TODAY + n * DAY) for k, n in (("Book dentist", -3), ("Pay invoice", 1))]
    one = person(hour=12.4, tasks=tasks, task_actions={t.key: A.ADMIN_WORK for t in tasks}, work=False)
    assert found(one, 5)[0][A.ADMIN_WORK].what == "Book dentist"


def test_who_is_ill_gets_no_errand_of_tomorrow():
    tasks = [Task(key=k, list="l", title=f"Pay {k}", due=TODAY + n * DAY) for n, k in enumerate(("rent", "gas"))]
    ill = Mode(kind=ModeKind.ILL, since=TODAY, until=TODAY + DAY, said=True)
    one = person(hour=9, tasks=tasks, task_actions=dict.fromkeys(("rent", "gas"), A.ADMIN_WORK), mode=ill)
    assert [block.title for block in blocks(one, "task")] == ["Pay rent"]


def test_what_closes_before_the_race_it_is_for_is_said_on_its_last_day():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    hours = [entry(SUNDAY - k * DAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup") for k in (2, 1)]
    for day, said in ((SUNDAY - 2 * DAY, False), (SUNDAY - DAY, True)):
        one = person(race, *hours, hour=9, day=day, work=False, episodes=nights(30, -60, 420, last=day))
        expected = "Race packet pickup comes later today: it closes at 19:00, before your sport on Sunday at 08:30"
        assert (expected in silence(one)) is said


def test_who_is_ill_hears_that_a_race_can_be_left_out():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    ill = Mode(kind=ModeKind.ILL, since=SUNDAY - DAY, said=True)
    for mode, said in ((ill, True), (Mode(), False)):
        one = person(race, hour=9, day=SUNDAY - DAY, work=False, mode=mode)
        assert ("your sport on Sunday at 08:30 had better be left out" in silence(one)) is said


def test_a_task_is_not_said_hours_ahead_with_entries_before_it():
    task = Task(key="t", list="l", title="Pay invoice", due=TODAY)
    calls = [entry(TODAY, 740 + 65 * k, 800 + 65 * k, A.ADMIN_WORK, "Call") for k in range(4)]
    of = {"tasks": [task], "task_actions": {"t": A.ADMIN_WORK}, "work": False}
    for agenda, hour, said in ((calls, 12, False), (calls, 16.7, True), ((), 12, True)):
        given, held = found(person(*agenda, hour=hour, **of), 6)
        assert (A.ADMIN_WORK in given) is said
        assert said or held[A.ADMIN_WORK].kind == "no_gap_before"


def test_a_night_that_is_not_known_is_not_shown_as_an_early_one():
    slept = [*nights(30, -20, 460, noise=0, last=SUNDAY - DAY), sleep(SUNDAY, 200, 400)]
    evening = person(day=SUNDAY, hour=20, episodes=slept, work=False)
    assert evening.usual_sleep(SUNDAY + DAY)[0] - blocks(evening, "sleep")[-1].start >= HOUR
    morning = person(day=SUNDAY + DAY, hour=6, episodes=slept, work=False)
    assert abs(blocks(morning, "sleep")[0].start - morning.usual_sleep(SUNDAY + DAY)[0]) <= 5 * MINUTE


def test_before_a_race_one_gets_ready_and_ten_quiet_minutes_wait_after_it():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    morning = free_sunday(race, hour=7.4)
    assert silence(morning) == ["it is time to get ready for City run at 08:30", "leave by 07:45"]
    after = person(race, hour=11.2, day=SUNDAY, work=False, wishes=Wishes(goals={A.MEDITATE: 7}))
    assert found(after, 5)[0][A.MEDITATE].start >= at(SUNDAY, 780)


def test_after_a_journey_one_does_not_run_at_once():
    trained = [workout(SUNDAY - k * DAY, 1110, 45) for k in (4, 7, 11, 14, 18, 21)]
    for title, begins in (("ATK to PHL", 1200), ("Museum", 1080)):
        option = found(free_sunday(entry(SUNDAY, 950, 1050, A.ADMIN_WORK, title), hour=17.6, episodes=trained), 5)[0]
        assert A.EXERCISE not in option or option[A.EXERCISE].start >= at(SUNDAY, begins - 30)


def test_sport_of_the_night_is_told_to_nobody_though_it_is_usual():
    for minute, said in ((1390, False), (1260, True)):
        trained = [workout(SUNDAY - k * DAY, minute, 30) for k in (7, 14, 21, 28)]
        slept = nights(30, 100, 520, last=SUNDAY)
        one = person(day=SUNDAY, hour=minute / 60 - 1, episodes=[*slept, *trained], work=False)
        assert (A.EXERCISE in found(one, 3)[0]) is said


def test_sport_ends_in_time_before_one_leaves():
    flight = entry(SUNDAY, 1080, 1200, None, "Flight to Rome")
    trained = [workout(SUNDAY - k * DAY, 840, 45) for k in (4, 7, 11, 14, 18, 21)]
    option = found(free_sunday(flight, hour=10.5, episodes=trained), 10)[0].get(A.EXERCISE)
    assert option is None or option.end <= at(SUNDAY, 1080 - 150 - 90)


def test_the_usual_sport_of_a_watch_that_names_none_has_no_name_and_counts_half():
    guessed = [workout(SUNDAY - k * DAY, 1080, 45, "activity") for k in (7, 14)]
    habit = free_sunday(episodes=guessed).routine.habits[A.EXERCISE]
    assert (habit.last_sport, habit.names, habit.starts) == ("", {}, {})
