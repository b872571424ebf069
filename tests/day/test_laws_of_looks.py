"""A law over generated evenings: after a wish, a mode or another zone the card is the plan's night at the next look."""

import random
from contextlib import closing
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bridge.advice import feedback, modes, requests, wishing
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.advice.wishing import Because
from bridge.calendar.busy import clipped
from bridge.day.bedtime import of_bedtime
from bridge.day.body import Mode, ModeKind
from bridge.domain.records import Feedback, Recommendation
from bridge.domain.rendering import for_person
from bridge.domain.slots import local_time
from bridge.domain.wishes import NightWish, Wishes
from bridge.ingest.sync import sync
from bridge.store import Store
from lab.plans.people import generate
from lab.plans.run import FIRST, bridge_of, source_of
from rhythm_env.interface import Answer

pytestmark = pytest.mark.timeout(600)
SEEDS, MINUTE = (0, 2, 6), timedelta(minutes=1)  # people with a night at night, who do not fly


@pytest.fixture(params=SEEDS)
def evening(request):
    """(bridge, instant) of a generated person in the hour before bedtime, to whom nothing but sleep is suggested."""
    made = generate(request.param, 3, FIRST)
    with closing(Store("sqlite://")) as store:
        begun, zone = made.zones[0]
        user = store.people.add_user("generated", zone, now=begun)
        store.people.save_wishes(user.id, Wishes(suggestions=0), now=begun)
        source, bridge = source_of(store, user.id, made, begun), bridge_of(store)
        wall = datetime.combine(FIRST + timedelta(days=1), time(21, 40))
        now = wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        sync(source, store, holder="lab", now=now)
        yield bridge, now


def look(bridge, now):
    """Return the card and the plan, once they agree with each other, with a second look, and with what is stored."""
    user = bridge.person("generated", at=now)
    card, plan = requests.recommend(bridge, user, now=now), plan_day(bridge, user, None, now=now)
    again = requests.recommend(bridge, user, now=now)
    nights = [one for one in plan.blocks if one.kind == "sleep" and one.end > now]
    stored = bridge.store.recommendations.full_between(
        user.id, since=now - timedelta(days=1), until=now + timedelta(days=1)
    )
    ahead = [one for one in stored if one.answer is None and one.kind == "sleep" and one.end > now]
    if isinstance(card, Recommendation):
        assert again.id == card.id
        (night,) = [one for one in nights if (one.start, one.end) == (card.start, card.end)]
        assert card.start >= now
        up, shown = ([one for one in of.facts if one.kind.startswith("waking")] for of in (card, night))
        over, lies = ([one.kind for one in of.facts if one.kind.startswith("night_over")] for of in (card, night))
        assert for_person(up) in ([], for_person(shown))
        assert over == lies
    assert {one.id for one in ahead} <= {getattr(card, "id", None)}
    return card, nights, user


def wished(bridge, user, now, **night):
    wishes = bridge.store.people.wishes(user.id)
    bridge.store.people.save_wishes(
        user.id, Wishes(suggestions=0, never=wishes.never, night=NightWish(**night)), now=now
    )


CHANGES = {
    "an earlier bedtime": lambda bridge, user, now: wished(bridge, user, now, bed=time(22, 25)),
    "a later bedtime": lambda bridge, user, now: wished(bridge, user, now, bed=time(23, 40)),
    "getting up": lambda bridge, user, now: wished(bridge, user, now, up=time(6, 10)),
    "ill": lambda bridge, user, now: modes.say_mode(bridge.store, user, Mode(kind=ModeKind.ILL), now=now),
    "normal": lambda bridge, user, now: modes.say_mode(bridge.store, user, Mode(kind=ModeKind.NORMAL), now=now),
    "west": lambda bridge, user, now: bridge.store.people.set_zone(user.id, "America/Chicago", since=now),
    "near": lambda bridge, user, now: bridge.store.people.set_zone(user.id, "Europe/London", since=now),
    "east": lambda bridge, user, now: bridge.store.people.set_zone(user.id, "Asia/Tokyo", since=now),
    "home": lambda bridge, user, now: bridge.store.people.set_zone(user.id, "Europe/Berlin", since=now),
}


def test_the_card_is_the_plans_night_at_every_look(evening):
    bridge, now = evening
    _, _, user = look(bridge, now)
    for number, change in enumerate(CHANGES.values(), start=1):
        at = now + number * MINUTE
        change(bridge, user, at)
        look(bridge, at)
        look(bridge, at + MINUTE / 2)


def answered(bridge, user, card, answer, now):
    """Answer a card, or take its answer back for None."""
    if answer is None:
        feedback.take_back(bridge.store, user, card.id, now=now)
    else:
        feedback.give_feedback(bridge.store, user, card.id, Feedback(answer=answer), now=now)


@pytest.mark.parametrize("seed", [0, *(pytest.param(more, marks=pytest.mark.slow) for more in (1, 2))])
def test_one_bedtime_is_shown_whatever_is_answered_and_changed_in_an_evening(evening, seed):
    bridge, now = evening
    rng = random.Random(seed)
    now += timedelta(minutes=rng.randint(30, 70))
    for _ in range(6):
        card, _, user = look(bridge, now)
        now += rng.choice([MINUTE, 5 * MINUTE, 17 * MINUTE])
        if isinstance(card, Recommendation) and card.kind == "sleep" and rng.random() < 0.4:
            answered(bridge, user, card, None if card.answer else Answer.ACCEPT, now)
        CHANGES[rng.choice([*CHANGES][:5])](bridge, user, now)
        now += MINUTE / 2
        look(bridge, now)


def test_an_evening_of_a_newcomer_shows_one_bedtime(evening):
    bridge, now = evening
    now += timedelta(minutes=68)  # 22:48
    card, _, user = look(bridge, now)
    answered(bridge, user, card, Answer.ACCEPT, now)
    CHANGES["an earlier bedtime"](bridge, user, now + MINUTE)
    kept, _, _ = look(bridge, now + 2 * MINUTE)
    assert (kept.id, local_time(kept.start, user.zones).time()) == (card.id, time(22, 50))
    assert kept.facts[0].kind == "bedtime_wished"
    answered(bridge, user, kept, None, now + 4 * MINUTE)
    _, (night, *_), _ = look(bridge, now + 28 * MINUTE)
    assert local_time(night.start, user.zones).time() == time(23, 20)


def test_an_open_night_is_superseded_and_an_answered_one_stays(evening):
    bridge, now = evening
    card, _, user = look(bridge, now)
    CHANGES["an earlier bedtime"](bridge, user, now + MINUTE)
    other, _, _ = look(bridge, now + 2 * MINUTE)
    assert (other.id, bridge.store.recommendations.by_id(card.id).superseded_at) != (card.id, None)
    bridge.store.recommendations.save_feedback(other.id, Feedback(answer=Answer.ACCEPT, answered_at=now + 3 * MINUTE))
    CHANGES["a later bedtime"](bridge, user, now + 4 * MINUTE)
    assert requests.recommend(bridge, user, now=now + 5 * MINUTE).id == other.id


@pytest.mark.parametrize("why", Because)
def test_a_refused_night_says_nothing_of_naps(evening, why):
    bridge, now = evening
    card, _, user = look(bridge, now)
    store = bridge.store
    wishes = store.people.wishes(user.id)
    assert (card.kind, wishing.lasting(card, user, why)) == ("sleep", None)
    for only_today in (True, False):
        told = wishing.refuse(store, user, card.id, why, now=now + MINUTE, only_today=only_today)
        assert "nap" not in told
        assert (store.people.wishes(user.id), store.people.preferences(user.id).resting) == (wishes, ())
    assert store.recommendations.by_id(card.id).answer is Answer.IGNORE
    assert card.id in wishing.refusals(store, user)


@pytest.mark.parametrize("zones", [["America/New_York"], ["America/Chicago", "Asia/Tokyo", "Europe/London"]])
@pytest.mark.parametrize("hours", [1 / 60, 4])
def test_in_another_zone_without_a_flight_the_night_is_usual_on_its_clock(evening, zones, hours):
    bridge, now = evening
    for zone in [*zones, "Europe/Berlin", *zones]:
        now += timedelta(hours=hours)
        bridge.store.people.set_zone(bridge.person("generated", at=now).id, zone, since=now)
        _, nights, user = look(bridge, now)
        person = load_person(bridge, user, now=now)
        for ends in map(person.date_of, (one.end for one in nights)):
            bed, wake = person.sleep(ends)
            usual = datetime.combine(ends, time()) + person.routine.nights[ends.weekday()].bed * MINUTE
            apart = bed - usual.replace(tzinfo=ZoneInfo(zone))
            assert of_bedtime(person, ends).kind != "bedtime_late" or apart > timedelta(0)
            if not clipped(person.attended, bed - timedelta(hours=3), wake + timedelta(hours=3)):
                assert abs(apart) <= timedelta(minutes=90), (zone, bed, usual)
        assert all(
            local_time(one.start, user.zones).utcoffset() == local_time(now, user.zones).utcoffset() for one in nights
        )
