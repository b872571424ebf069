"""Must-do things are said, mails that are no appointment take no time, and an open title claims nothing."""

import random
import re
from dataclasses import replace
from datetime import timedelta

import pytest

from bridge.advice.requests import next_entry
from bridge.calendar.kinds import claimed
from bridge.day.bedtime import leaves, of_bedtime
from bridge.day.body import Mode, ModeKind
from bridge.day.choice import look
from bridge.day.silence import quiet
from bridge.domain.facts import length
from bridge.domain.metrics import Metric
from bridge.domain.records import MUST_DO, Silence
from bridge.domain.rendering import for_person, told
from bridge.domain.slots import moment_at
from bridge.domain.types import Label, Task
from bridge.domain.wishes import Wishes
from bridge.meters.past import past_of
from rhythm_env.interface import ActionType, Answer

from .lives import DAY, TODAY, at, entry, nights, sleep, workout
from .persons import MINUTE, SUNDAY, blocks, found, free_sunday, grid, person, runs, week
from .test_outcomes import advice
from .test_put_off import recorded

A = ActionType
TRAIN = entry(TODAY, 950, 1080, A.ADMIN_WORK, "ATK to PHL")


def silence(one, hours=4):
    return quiet(look(one, one.now), found(one, hours)[1])


def test_what_closes_before_a_race_is_suggested_within_its_hours():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    pickup = entry(SUNDAY - DAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup")
    for hour, said in ((9, False), (13, True), (18.2, True)):
        one = person(race, pickup, hour=hour, day=SUNDAY - DAY, work=False, episodes=nights(30, -60, 420, last=SUNDAY))
        option = found(one, 2)[0].get(A.ADMIN_WORK)
        assert (option is not None) is said
        if option is None:
            assert silence(one, 2)[0].kind == "errand_later"
        else:
            assert option.what == "Race packet pickup"
            assert at(SUNDAY - DAY, 720) <= option.start < option.end <= at(SUNDAY - DAY, 1140)
            assert for_person(option.facts) == ["it closes at 19:00, before your sport on Sunday at 08:30"]


def test_who_can_no_longer_fetch_it_in_time_is_not_sent():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    pickup = entry(SUNDAY - DAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup")
    busy = entry(SUNDAY - DAY, 1020, 1139, A.ADMIN_WORK, "Workshop")
    for minute, said in ((1105, True), (1115, False), (1138, False)):
        one = person(race, pickup, busy, hour=minute / 60, day=SUNDAY - DAY, work=False)
        assert any(why.kind == "errand_later" for why in silence(one, 2)) is said


@pytest.mark.parametrize("title", ["Pick up the parcel", "Paket abholen", "Collect the suit"])
def test_what_is_fetched_before_a_closing_time_is_not_suggested_after_it(title):
    task = Task(key="t", list="l", title=title, due=TODAY, due_at=at(TODAY, 1080), effort=0.5)
    for minute in range(960, 1100, 10):
        one = person(hour=minute / 60, tasks=[task], task_actions={"t": A.ADMIN_WORK}, work=False)
        option = found(one)[0].get(A.ADMIN_WORK)
        assert (option is not None) is (minute < 1050)
        assert option is None or option.start + 30 * MINUTE <= option.end <= at(TODAY, 1080)


def test_it_is_said_when_to_leave_for_a_train_and_what_clashes_with_it():
    farm = entry(TODAY, 1000, 1040, None, "Red Rocket Farm")
    for hour, kind in ((14.6, "leave_by_land"), (15.15, "leave_now_land"), (15.5, "leave_late_land")):
        one = person(TRAIN, farm, hour=hour, work=False)
        facts = silence(one)
        assert [why.kind for why in facts[:2]] == [kind, "clash_land"]
        assert Silence(moment=moment_at(one.now, one.zones), facts=facts, at=one.now).must_do
    assert for_person(silence(person(TRAIN, hour=15.5, work=False)))[0] == (
        "you should have left by 15:05 for ATK to PHL at 15:50: go now"
    )
    assert silence(person(TRAIN, hour=15.7, work=False))[0].kind == "begins_soon"  # nobody reaches it any more
    (train, other) = blocks(person(TRAIN, farm, hour=9, work=False), "entry")
    assert for_person(train.facts) == ["leave by 15:05"]
    assert [why.kind for why in other.facts] == ["beside_trip"]
    assert train.action is None


def test_the_next_entry_tells_when_to_leave_and_is_none_on_board(store_of):
    bridge, user = store_of(TRAIN, entry(TODAY, 1000, 1040, None, "Red Rocket Farm"))
    texts = [next_entry(bridge, user, at(TODAY, minutes)) for minutes in (600, 920, 960)]
    assert [text and told(text) for text in texts] == [
        "Next: ATK to PHL, 15:50; leave by 15:05",
        "Next: ATK to PHL, 15:50; leave now",
        None,
    ]


@pytest.fixture
def store_of(monkeypatch):
    from types import SimpleNamespace

    def of(*agenda):
        monkeypatch.setattr("bridge.advice.requests.labelled", lambda *_args, **_named: list(agenda))
        one = person(work=False)
        return SimpleNamespace(store=None, classifier=None), SimpleNamespace(zones=one.zones)

    return of


def test_a_mail_that_confirms_takes_no_time_and_wakes_nobody():
    for title, takes in (("Travel: Booking #C398490456", False), ("Telehealth appointment confirmed", True)):
        one = person(entry(SUNDAY, 400, 460, A.ADMIN_WORK, title), day=SUNDAY, hour=5, work=False)
        assert bool(one.attended) is takes
        (block,) = blocks(one, "entry")
        assert ([why.kind for why in block.facts] == ["reminder"]) is not takes
        assert (one.night(SUNDAY).moved == "early_entry") is takes


def test_a_kind_that_the_title_leaves_open_is_not_claimed():
    def label(action, confidence, *shares):
        return Label(action=action, confidence=confidence, by="t@1", why="", shares=shares)

    rows = (
        ("Ana | Technical Video Call", label(A.FAMILY_TIME, 0.55), None),
        ("Brisket Challenge", label(A.EXERCISE, 0.48, 0.57, 0.19), None),
        ("Dr s", label(A.ME_TIME, 0.88, 0.94, 0.03), None),
        ("Red Rocket Farm", label(A.BINGE_WATCH, 0.61, 0.68, 0.24), None),
        ("Call with Mum", label(A.FAMILY_TIME, 0.9, 0.93, 0.04), A.FAMILY_TIME),
        ("Dr s", label(A.ME_TIME, 1.0), A.ME_TIME),  # the person said so
        ("Gym", label(A.EXERCISE, 0.95, 0.97, 0.01), A.EXERCISE),
        ("Standup", label(A.ADMIN_WORK, 0.4), A.ADMIN_WORK),
    )
    for title, given, action in rows:
        assert claimed(entry(TODAY, 600, 660, None, title)[0], given).action is action, title


def test_usual_sport_rests_on_both_days_before_a_race():
    race = entry(SUNDAY + 2 * DAY, 450, 620, A.EXERCISE, "City run")
    for ahead, said in ((0, False), (2, True)):
        moved = entry(SUNDAY + (2 + ahead) * DAY, 450, 620, A.EXERCISE, "City run") if ahead else race
        one = free_sunday(moved, hour=9, episodes=runs(7, 14, 21, 28))
        assert (A.EXERCISE in found(one, 12)[0]) is said
    assert told(found(free_sunday(race, hour=9, episodes=runs(7, 14, 21, 28)), 12)[1][A.EXERCISE]) == (
        "you rest before your sport on Tuesday at 07:30"
    )


def test_a_row_of_meetings_without_lunch_says_where_one_can_be():
    meetings = [entry(TODAY, 480 + 45 * k, 525 + 45 * k, A.ADMIN_WORK, f"Review {k}") for k in range(12)]
    one = person(*meetings, hour=9.2)
    text = "no lunch gap 08:00 to 17:00: end Review 5 (11:45) 20 minutes early to make one"
    assert for_person(silence(one)) == [text, "you have an entry until 09:30"]
    assert "no_lunch" in MUST_DO
    assert [b.title for b in blocks(one, "entry") if "no_lunch" in {why.kind for why in b.facts}] == ["Review 5"]
    for other in (
        meetings[:5] + meetings[6:],
        [*meetings[:5], entry(TODAY, 705, 750, A.ME_TIME, "Lunch"), *meetings[6:]],
    ):
        assert "no_lunch" not in {why.kind for why in silence(person(*other, hour=9.2))}


def test_private_company_over_noon_leaves_time_to_eat() -> None:
    for action, spoken in ((A.SOCIALIZE, False), (A.LEARN, True)):
        row = [entry(SUNDAY, 585, 735, action, "Choir"), entry(SUNDAY, 735, 855, action, "Party of the choir")]
        kinds = {why.kind for why in silence(free_sunday(*row, hour=12.6))}
        assert ("no_lunch" in kinds) is spoken


def lunch_said(*titles, others=4, begin=480, hour=9.2):
    row = [entry(TODAY, begin + 45 * k, begin + 45 * (k + 1), None, t, others=others) for k, t in enumerate(titles)]
    (text,) = [one for one in for_person(silence(person(*row, hour=hour, work=False))) if "gap" in one]
    return text


@pytest.mark.parametrize(
    ("noon", "ended"),
    [
        (("Steering", "Client call", "Client call", "Interview"), "lunch gap 08:00 to 17:00: end Steering (11:00)"),
        (("Client call", "All hands", "Interview", "Review"), "lunch gap 08:00 to 17:00: end Review (13:15)"),
        (("Interview", "Kundentermin", "Steering", "All hands"), "lunch gap 08:00 to 17:00: end Steering (12:30)"),
        (
            ("Interview", "Client call", "Interview", "Exam"),
            "gap to eat 08:00 to 17:00: eat something during one of them",
        ),
    ],
)
def test_lunch_is_made_from_the_entry_that_is_easiest_to_end(noon, ended):
    row = [*["Review"] * 4, *noon, *["Review"] * 4]
    assert lunch_said(*row).removesuffix(" 20 minutes early to make one") == f"no {ended}"
    late = lunch_said(*["Review"] * 8, "Interview", "Interview", "Client call", "Steering", "Review", hour=14.1)
    assert late == "no gap to eat 08:00 to 17:45: eat something during one of them"


def test_lunch_is_one_s_own_time_before_a_meeting_and_after_a_short_row_of_guests():
    own = entry(TODAY, 750, 795, A.DEEP_WORK, "Focus time")
    row = [entry(TODAY, 480 + 45 * k, 525 + 45 * k, None, "Review", others=4) for k in range(12) if k != 6]
    assert "end Focus time (12:30)" in told(grid(person(own, *row, hour=9, work=False)).no_lunch[1])
    for hour, counsel in ((7.6, "take something to eat with you"), (9.2, "eat something during one of them")):
        assert lunch_said(*["Review"] * 12, others=20, hour=hour) == f"no gap to eat 08:00 to 17:00: {counsel}"
    paused = [entry(TODAY, 480 + 45 * k, 517 + 45 * k, None, "Review", others=20) for k in range(12)]
    apart = for_person(silence(person(*paused, hour=13.1, work=False)))
    assert any(re.search(r"eat something in the pause at \d\d:\d[27]$", text) for text in apart), apart
    guests = lunch_said(*["Interview"] * 5, begin=630, hour=11)
    assert guests == "no lunch gap 10:30 to 14:15: eat after it"


def test_a_short_night_names_the_nap_to_come_and_nobody_naps_from_three_on():
    short = [*nights(30, -60, 420, last=SUNDAY - DAY), sleep(SUNDAY, 100, 420)]
    morning = person(day=SUNDAY, hour=8.5, episodes=short, work=False)
    assert "nap_later" in {why.kind for why in silence(morning, 2)}
    owl = [*nights(30, 90, 540, last=SUNDAY - DAY), sleep(SUNDAY, 240, 540)]
    for slept, hour, said in ((short, 13.5, True), (owl, 14.2, True), (short, 15.2, False), (owl, 15.2, False)):
        assert (A.SLEEP in found(person(day=SUNDAY, hour=hour, episodes=slept, work=False), 2)[0]) is said
    hardly = [*nights(30, -60, 420, last=TODAY - DAY), sleep(TODAY, 190, 420)]
    assert A.SLEEP in found(person(hour=13, episodes=hardly), 2)[0]  # within working hours, in a free gap


def test_the_evening_carries_the_bedtime_that_the_morning_announced():
    race = entry(SUNDAY, 360, 500, A.EXERCISE, "City marathon")
    eve = person(race, day=SUNDAY - DAY, hour=17.5, work=False, episodes=nights(30, -60, 420, last=SUNDAY - DAY))
    bedtime = of_bedtime(eve, SUNDAY)
    assert bedtime in silence(eve)
    assert "before your race at 06:00" in told(bedtime)
    busy = replace(eve, now=at(SUNDAY - DAY, 540), _read={})
    assert bedtime not in silence(busy)


def test_what_is_due_today_takes_what_is_left_of_the_day_or_says_that_nothing_is():
    task = Task(key="t", list="l", title="Write report", due=TODAY)
    slept = nights(30, 85, 515, last=TODAY)
    deep = [(840, 60, A.DEEP_WORK), (825, 45, A.DEEP_WORK), (810, None, A.DEEP_WORK)]
    for begin, minutes, action in (*deep, (810, 30, A.ADMIN_WORK), (795, None, A.ADMIN_WORK)):
        shift = entry(TODAY, begin, begin + 480, A.ADMIN_WORK, "Late shift")
        one = person(shift, hour=12.4, episodes=slept, tasks=[task], task_actions={"t": action}, work=False)
        placed = [b for b in blocks(one, "task") if b.title == "Write report"]
        if minutes is None:
            assert placed == []
            least = 45 if action is A.DEEP_WORK else 30
            text = f"but no {least} minutes that suit it are left today: move its date, or something else"
            assert for_person(silence(one))[0] == f"Write report waits (it is due today), {text}"
            continue
        (block,) = placed
        assert at(TODAY, 745) <= block.start < block.end <= at(TODAY, begin - 15)
        assert (block.end - block.start).seconds == 60 * minutes
        assert ("begin with 30 minutes" in for_person(block.facts)) is (minutes == 30)


def test_an_entry_under_way_hides_no_pickup_that_closes_after_it():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    pickup = entry(SUNDAY - DAY, 540, 1005, A.ADMIN_WORK, "Race packet pickup")
    other = entry(SUNDAY - DAY, 840, 960, A.ADMIN_WORK, "Talk")
    slept = nights(30, -60, 420, last=SUNDAY)
    one = person(race, pickup, other, hour=15, day=SUNDAY - DAY, work=False, episodes=slept)
    assert [why.kind for why in silence(one)][:2] == ["errand_later", "entry_until"]
    for until, hour in ((1000, 15), (1000, 16.7)):  # what has no place any more is not said to come
        busy = entry(SUNDAY - DAY, 840, until, A.ADMIN_WORK, "Talk")
        kinds = {why.kind for why in silence(person(race, pickup, busy, hour=hour, day=SUNDAY - DAY, work=False))}
        assert len(kinds & {"errand_later", "task_waits"}) == 1
    (block,) = [b for b in blocks(one, "task", SUNDAY - DAY) if b.title == "Race packet pickup"]
    assert at(SUNDAY - DAY, 960) < block.start < block.end <= at(SUNDAY - DAY, 1005)


@pytest.mark.parametrize("minutes", [27, 45, 90])
def test_what_closes_soon_is_due_now_whatever_the_hour(minutes):
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    slept = nights(30, 30, 510, last=SUNDAY)
    for closes in (1140, 1260, 1350):  # 22:30 is after the hours of other tasks
        pickup = entry(SUNDAY - DAY, 540, closes, A.ADMIN_WORK, "Race packet pickup")
        one = person(race, pickup, hour=(closes - minutes) / 60, day=SUNDAY - DAY, work=False, episodes=slept)
        option = found(one, 1)[0].get(A.ADMIN_WORK)
        if minutes < 30:  # that fetching takes
            assert "but only 27 minutes are left: go at once, if you still can" in for_person(silence(one))[0]
            continue
        assert option is not None, (closes, for_person(silence(one)))
        assert (option.what, option.end <= at(SUNDAY - DAY, closes)) == ("Race packet pickup", True)
    for title, due, hour in (("Buy a gift", None, 20 * 60), ("Send the form", (22, 30), 22 * 60 + 30)):
        due_at = None if due is None else at(TODAY, due[0] * 60 + due[1])
        task = Task(key="t", list="l", title=title, due=TODAY, due_at=due_at, effort=0.25)
        of = {"tasks": [task], "task_actions": {"t": A.ADMIN_WORK}, "episodes": nights(30, 60, 540, last=TODAY)}
        option = found(person(hour=(hour - minutes) / 60, **of), 1)[0].get(A.ADMIN_WORK)
        assert option is not None, title
        assert option.end <= at(TODAY, hour)


def test_the_first_look_after_a_short_night_tells_of_it_also_before_an_entry():
    slept = [*nights(30, -60, 420, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 60, 420)]
    call = entry(SUNDAY, 500, 530, A.ADMIN_WORK, "Call")
    for agenda in ([call], []):
        one = person(*agenda, day=SUNDAY, hour=8, episodes=slept, work=False)
        kinds = {why.kind for why in silence(one, 2)}
        assert "nap_later" in kinds
        assert kinds & {"short_night", "low_vitality"}
    trained = [*slept, *(workout(SUNDAY - k * DAY, 800, 45) for k in (7, 14, 21, 28))]
    once = for_person(silence(person(day=SUNDAY, hour=15.5, episodes=trained, work=False)))
    assert sum("shorter than your usual" in text for text in once) <= 1
    late = person(day=SUNDAY, hour=15.5, episodes=slept, work=False)
    assert "nap_late" in {why.kind for why in silence(late, 1)}
    long = [*nights(30, 60, 490, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 140, 690)]
    assert A.SLEEP not in {
        b.action for b in blocks(person(day=SUNDAY, hour=12, episodes=long, work=False), "suggested")
    }


def test_company_comes_at_the_earliest_hour_that_fits_and_not_at_the_usual_late_one():
    pub = [entry(SUNDAY - k * 7 * DAY, 1320, 1410, A.SOCIALIZE, "Pub") for k in range(1, 7)]
    one = person(*pub, day=SUNDAY, hour=18.2, episodes=nights(30, 90, 570, last=SUNDAY), work=False)
    option = found(one)[0][A.SOCIALIZE]
    assert at(SUNDAY, 18.2 * 60 + 120) <= option.start <= at(SUNDAY, 18.2 * 60 + 135)


def test_what_has_days_of_time_is_not_squeezed_in_before_an_evening_out():
    task = Task(key="t", list="l", title="Read", due=TODAY + 3 * DAY)
    choir = entry(TODAY, 1140, 1260, A.SOCIALIZE, "Choir")
    for agenda, fits in (([], True), ([choir], False)):
        one = person(*agenda, hour=16.8, tasks=[task], task_actions={"t": A.LEARN})
        assert any(b.title == "Read" for b in week(one).blocks(TODAY)) is fits


def test_a_day_without_a_gap_speaks_of_food_all_day_long():
    row = [entry(TODAY, 480 + 45 * k, 525 + 45 * k, A.ADMIN_WORK, f"Review {k}") for k in range(15)]
    assert for_person(silence(person(*row, hour=15.3))) == [
        "no gap to eat 08:00 to 19:15: end Review 10 (15:30) 20 minutes early to make one",
        "you have an entry until 15:30",
    ]
    assert "no_meal_gap" in {why.kind for why in silence(person(*row[:12], hour=15.3))}  # nine hours
    assert [why.kind for why in silence(person(*row[:10], hour=15.3))] == ["entry_until"]


def test_the_warning_of_the_morning_stands_after_sport():
    slept = nights(30, -60, 420, last=SUNDAY)
    trained = [workout(SUNDAY - k * DAY, 1080, 45) for k in (7, 14, 21, 28)]
    race = entry(SUNDAY - DAY, 510, 660, A.EXERCISE, "City run")
    one = person(race, day=SUNDAY, hour=12, episodes=[*slept, *trained, workout(SUNDAY, 590, 40)], work=False)
    assert [why.kind for why in silence(one)] == ["trained", "sport_rests"]


def test_who_is_ill_is_not_on_the_way_to_work_that_is_merely_assumed():
    well = person(hour=14)
    ill = replace(well, mode=Mode(kind=ModeKind.ILL, until=SUNDAY, said=True), _read={})
    ill._read["work", TODAY] = well.work(TODAY)
    assert well.work(TODAY)
    assert grid(well).rests
    assert grid(ill).rests == []


def test_late_focused_work_is_not_begun_at_dinner_time_of_a_weekend():
    task = Task(key="t", list="l", title="Report", due=SUNDAY - 2 * DAY)
    for hour, said in ((10.0, True), (18.2, False)):
        one = free_sunday(hour=hour, tasks=[task], task_actions={"t": A.DEEP_WORK})
        assert (A.DEEP_WORK in found(one)[0]) is said
    text = for_person(silence(one))[0]
    assert "Report" in text
    assert "it is 2 days late; if it matters no more, move or delete it in your task list" in text
    today = [replace(task, due=SUNDAY)]
    assert A.DEEP_WORK in found(free_sunday(hour=18.2, tasks=today, task_actions={"t": A.DEEP_WORK}))[0]


def test_a_free_evening_is_not_called_free_of_work_beside_a_late_task():
    day = SUNDAY - DAY
    for tasks, text in (([], "no work today or tomorrow"), ([Task(key="t", list="l", title="Report", due=TODAY)], "")):
        one = person(day=day, hour=18.2, tasks=tasks, task_actions={"t": A.DEEP_WORK})
        texts = {why for option in found(one)[0].values() for why in for_person(option.facts)}
        assert ("no work today or tomorrow" in texts) is bool(text)
        assert text or "waits" in for_person(silence(one))[0] or "tomorrow" in for_person(silence(one))[0]


def test_a_free_day_of_the_weekend_holds_two_pieces_of_work_unless_they_are_due():
    for due, most in ((3, 2), (0, 3)):
        tasks = [Task(key=f"t{k}", list="l", title=f"Talk {k}", due=SUNDAY + max(due, 0) * DAY) for k in range(3)]
        tasks[0] = replace(tasks[0], due=SUNDAY - 4 * DAY if due else SUNDAY)
        one = free_sunday(hour=9.2, tasks=tasks, task_actions={t.key: A.DEEP_WORK for t in tasks})
        made = [b.title for b in week(one).blocks(SUNDAY) if (b.title or "").startswith("Talk")]
        assert len(made) <= most, made
        assert made[:1] == ["Talk 0"]


def test_a_party_that_makes_the_night_too_short_says_when_to_leave():
    party = entry(SUNDAY, 1320, 1560, A.SOCIALIZE, "Party", others=4)
    lecture = entry(SUNDAY + DAY, 600, 690, A.LEARN, "Lecture")
    slept = nights(30, 60, 570, last=SUNDAY, noise=5)
    one = person(party, lecture, day=SUNDAY, hour=12.4, episodes=slept, work=False)
    (block,) = blocks(one, "wind_down")
    assert [why.kind for why in block.facts] == ["bedtime_leaves", "leave_by_then"]
    assert for_person(block.facts)[-1] == "leave by 00:05"


@pytest.mark.parametrize(
    ("action", "title"), [(A.EXERCISE, "Marathon"), (A.LEARN, "Exam"), (A.ADMIN_WORK, "Early shift at the airport")]
)
@pytest.mark.parametrize("never", [frozenset(), frozenset({A.SLEEP})])
def test_before_a_night_that_an_entry_cuts_by_hours_a_nap_on_the_next_day_is_told(action, title, never):
    for begin, is_cut in ((235, True), (250, True), (420, False), (540, False)):
        early = entry(SUNDAY, begin, begin + 200, action, title)
        slept = nights(30, -60, 420, last=SUNDAY - DAY, noise=5)
        one = person(early, day=SUNDAY - DAY, hour=20.5, episodes=slept, work=False, wishes=Wishes(never=never))
        for told_in in ([why for block in blocks(one, "wind_down") for why in block.facts], silence(one)):
            texts = for_person(told_in)
            assert ("keep half an hour for a nap on Sunday" in texts) is (is_cut and not never), (begin, texts)


def test_who_woke_just_before_an_entry_hears_of_an_alarm_for_the_same_hour_tomorrow():
    for title, woke in (("Seminar", 598), ("Lecture", 598), ("Lecture", 603)):
        slept = [*nights(30, 85, 560, last=TODAY - DAY, noise=5), sleep(TODAY, 50, woke)]
        agenda = [entry(TODAY, 600, 690, A.LEARN, "Seminar"), entry(TODAY + DAY, 600, 690, A.LEARN, title)]
        text = told(of_bedtime(person(*agenda, hour=12.4, episodes=slept, work=False), TODAY + DAY))
        assert text.endswith("your entry at 10:00; set an alarm for 09:15")


def test_what_was_slept_through_counts_though_the_day_before_went_well():
    lecture = [entry(TODAY + k * DAY, 600, 690, A.LEARN, "Lecture") for k in (-1, 1)]
    seminar = entry(TODAY, 600, 690, A.LEARN, "Seminar")
    slept = [*nights(30, 85, 560, last=TODAY - 2 * DAY, noise=5), sleep(TODAY - DAY, 50, 660), sleep(TODAY, 85, 560)]
    one = person(*lecture, seminar, hour=12.4, episodes=slept, work=False)
    assert one.overslept(TODAY + DAY) == lecture[1][0]
    told_of = told(of_bedtime(one, TODAY + DAY))
    assert f"you slept through the last one like it, on {TODAY - DAY:%A}; set an alarm" in told_of


def test_what_closes_is_said_again_once_its_suggested_time_is_over_without_an_answer():
    race = entry(SUNDAY, 510, 660, A.EXERCISE, "City run")
    pickup = entry(SUNDAY - DAY, 720, 1140, A.ADMIN_WORK, "Race packet pickup")
    given = advice(A.ADMIN_WORK, at(SUNDAY - DAY, 720), 1.5, kind="suggested", what="Race packet pickup")
    slept = nights(30, -60, 420, last=SUNDAY)
    for answer, again in ((None, True), (Answer.ACCEPT, False)):
        told = recorded(given, answer=answer)
        one = person(race, pickup, hour=18.1, day=SUNDAY - DAY, work=False, episodes=slept, advised=[told])
        assert (found(one, 2)[0].get(A.ADMIN_WORK) is not None) is again


def test_a_bill_is_neither_given_up_nor_moved_and_a_short_one_takes_a_late_hour():
    for title, kind in (("Pay invoice", "owed_long"), ("Steuererklärung", "owed_long"), ("Sort photos", "long_due")):
        task = Task(key="t", list="l", title=title, due=SUNDAY - 4 * DAY)
        one = free_sunday(hour=10, tasks=[task], task_actions={"t": A.ADMIN_WORK})
        assert [why.kind for why in found(one)[0][A.ADMIN_WORK].facts] == [kind]
    for title, due, said in (("Pay invoice", 4, True), ("Call the bank", 4, False), ("Tax return", 4, False)):
        task = Task(key="t", list="l", title=title, due=TODAY - due * DAY)
        slept = nights(30, -10, 470, last=TODAY)
        one = person(hour=20.5, work=False, episodes=slept, tasks=[task], task_actions={"t": A.ADMIN_WORK})
        assert (A.ADMIN_WORK in found(one)[0]) is said, title


def test_what_a_night_lacks_is_told_by_the_need_of_which_its_figures_speak():
    """A device that says of last night that it needed ten hours raises what the coming one lacks, and no bedtime."""
    race, beds = entry(SUNDAY, 330, 500, A.EXERCISE, "City run"), set()
    for stated in ({}, {Metric.SLEEP_NEED: 600.0}):
        slept = nights(30, -30, 450, last=SUNDAY - DAY)
        slept = [(s, replace(n, values={Metric.ASLEEP: 430.0, **stated})) for s, n in slept]
        one = person(race, hour=20, day=SUNDAY - DAY, work=False, episodes=slept)
        needs = timedelta(hours=past_of(one.known).needs[slept[-1][0]][SUNDAY - DAY])
        bed, wake = one.sleep(SUNDAY)
        missing = round((max(needs, one.need(SUNDAY)) - (wake - bed)) / timedelta(minutes=5)) * 5
        assert leaves(one, SUNDAY).values["missing"] == length(missing)
        beds.add(bed)
    assert needs > one.need(SUNDAY) + timedelta(minutes=30)
    assert len(beds) == 1


@pytest.mark.parametrize(
    ("agenda", "hour", "told_of"),
    [
        ((), 13.5, "a nap of 20 minutes fits at 13:30, if your work lets you"),
        (((905, 965),), 10.2, "a nap of 20 minutes fits at 13:00, if your work lets you"),
        (((720, 780), (905, 965)), 10.2, "a nap of 20 minutes fits at 13:10, if your work lets you"),
        (((630, 720), (720, 840), (845, 960)), 10.2, "your entries leave no 20 minutes for a nap"),
    ],
)
def test_a_nap_beside_working_hours_is_told_where_the_entries_leave_it(agenda, hour, told_of):
    """The hours of work are those of other days, so that a day without entries has room for it, if work allows."""
    slept = [*nights(30, -60, 420, last=TODAY - DAY, noise=5), sleep(TODAY, 60, 420)]
    held = [entry(TODAY, low, high, A.ADMIN_WORK, "Review", others=3) for low, high in agenda]
    texts = for_person(silence(person(*held, hour=hour, episodes=slept)))
    assert [text for text in texts if " nap" in text] == [told_of]


def test_no_nap_at_work_is_told_in_the_evening_or_to_whose_work_is_unknown():
    slept = [*nights(30, -60, 420, last=TODAY - DAY, noise=5), sleep(TODAY, 60, 420)]
    for of in ({"hour": 19}, {"hour": 13.5, "work": None}):  # nobody's hours but published ones
        texts = for_person(silence(person(episodes=slept, **of)))
        assert not [text for text in texts if "if your work" in text or "entries leave" in text]


def test_an_afternoon_of_a_day_off_is_one_s_own_without_a_suggestion():
    slept = [*nights(30, -60, 420, last=SUNDAY - DAY, noise=5), sleep(SUNDAY, 10, 420)]
    free = person(hour=15.2, day=SUNDAY, episodes=slept, work=False)
    booked = person(entry(SUNDAY, 1080, 1260, A.SOCIALIZE, "Dinner"), hour=15.2, day=SUNDAY, episodes=slept, work=False)
    assert A.ME_TIME not in found(free, 3)[0]
    assert A.ME_TIME in found(booked, 3)[0]


@pytest.mark.parametrize("seed", range(8))
def test_each_sport_of_a_day_of_illness_is_said_once_to_be_left_out(seed):
    """Of sport ahead that the calendar holds, on days that the person called ill and on no other."""
    rng = random.Random(seed)
    starts = [(k, rng.randrange(480, 1200, 15)) for k in range(5) for _ in range(rng.randrange(3))]
    sport = [entry(TODAY + k * DAY, start, start + 45, A.EXERCISE, f"Gym {start}") for k, start in starts]
    last = TODAY + rng.randrange(2, 5) * DAY
    if seed % 2:
        last = TODAY + seed // 2 * DAY
        said = Mode(kind=ModeKind.ILL, since=TODAY, until=last, said=True)
    else:
        said = Mode(planned=(Mode(kind=ModeKind.ILL, since=TODAY + DAY, until=last),))
    one = person(*sport, hour=7, mode=said)
    for k in range(5):
        for block in blocks(one, "entry", TODAY + k * DAY):
            if block.action is A.EXERCISE:
                told = [why for why in block.facts if why.kind == "race_can_wait"]
                ill = said.on(TODAY + k * DAY) is ModeKind.ILL
                assert [why.values["time"] for why in told] == [one.local(block.start).isoformat()] * bool(ill)


@pytest.mark.parametrize("seed", range(6))
def test_one_need_of_sleep_is_said_of_last_night_and_of_the_next(seed):
    """A device adds the debt of nights before to the need of one night, which does not change it."""
    rng, told = random.Random(seed), set()
    slept = [*nights(30, -60, 360, last=TODAY - DAY, noise=30), sleep(TODAY, -60, 300 + rng.randrange(30))]
    for debt in (0.0, 90.0):
        stated = {one.day: 430.0 + seed + debt * (one.day == TODAY) for _, one in slept}
        one = person(
            entry(TODAY + DAY, 300, 400, A.ADMIN_WORK, "Early"),
            hour=20,
            episodes=[
                (
                    s,
                    replace(
                        n, values={Metric.ASLEEP: (n.end - n.start) / MINUTE - 3, Metric.SLEEP_NEED: stated[n.day]}
                    ),
                )
                for s, n in slept
            ],
            work=False,
        )
        (last,) = [why.fact for why in one.vitality.because if why.fact.kind.startswith("slept_short")]
        coming = next(why for why in of_bedtime(one, TODAY + DAY).parts() if "missing" in why.values)
        for why, a, b in ((last, "length", "short"), (coming, "long", "missing")):
            parts = (why.values[a].values, why.values[b].values)
            told.add(sum(60 * of.get("hours", 0) + of.get("minutes", 0) for of in parts))
    assert len(told) == 1


def test_sport_after_the_last_day_on_which_one_is_ill_is_not_left_out():
    """Also within 36 hours; without a last day it is."""
    sport = entry(TODAY + DAY, 1080, 1140, A.EXERCISE, "Bouldering")
    for until, left_out in ((TODAY, False), (TODAY + DAY, True), (None, True)):
        ill = Mode(kind=ModeKind.ILL, since=TODAY - DAY, until=until, said=True)
        assert (sport[0].key in person(sport, hour=12, mode=ill).left_out) is left_out
