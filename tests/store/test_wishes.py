"""Wishes on both databases."""

from __future__ import annotations

import re
from datetime import UTC, datetime, time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.advice import wishing
from bridge.domain.errors import SetupError
from bridge.domain.wish_records import plain, wishes_of
from bridge.domain.wishes import Wishes, checked
from bridge.store import Store
from rhythm_env.interface import ActionType, Meter

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
SOME = Wishes(
    never=frozenset({ActionType.BINGE_WATCH}),
    hours={ActionType.DEEP_WORK: ((time(9), time(12)), (time(22), time(2)))},
    goals={ActionType.EXERCISE: 3},
    weights={Meter.VITALITY: 2.5},
    suggestions=0,
)
clock = st.times(timezones=st.none())
spans = st.lists(st.tuples(clock, clock).filter(lambda span: span[0] != span[1]), min_size=1, max_size=6).map(tuple)
wanted = st.builds(
    Wishes,
    never=st.frozensets(st.sampled_from(list(ActionType)[5:])),
    hours=st.dictionaries(st.sampled_from(ActionType), spans),
    goals=st.dictionaries(st.sampled_from(list(ActionType)[:5]), st.integers(1, 21)),
    weights=st.dictionaries(st.sampled_from(Meter), st.floats(0, 5)),
    suggestions=st.integers(0, 12),
)


def test_a_new_user_has_the_wishes_of_a_new_user(store: Store) -> None:
    ana = store.people.add_user("ana", "UTC", now=NOW)
    assert store.people.wishes(ana.id) == Wishes()


def test_the_last_wishes_stand_for_their_own_user_and_go_with_the_user(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    store.people.save_wishes(ana.id, Wishes(suggestions=7), now=NOW)
    store.people.save_wishes(ana.id, SOME, now=NOW)
    assert (store.people.wishes(ana.id), store.people.wishes(ben.id)) == (SOME, Wishes())
    store.people.forget(ana.id)
    assert store.people.wishes(ana.id) == Wishes()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wishes=wanted)
def test_any_wishes_come_back_as_they_were(store: Store, wishes: Wishes) -> None:
    if not store.people.users():
        store.people.add_user("ana", "UTC", now=NOW)
    (ana,) = store.people.users()
    store.people.save_wishes(ana.id, wishes, now=NOW)
    assert store.people.wishes(ana.id) == wishes


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"nevr": []},
        {"never": "SLEEP"},
        {"never": ["NAP"]},
        {"hours": {"SLEEP": [["9", "12:00"]]}},
        {"hours": {"SLEEP": [["09:00", "09:00"]]}},
        {"hours": {"SLEEP": [["09:00"]]}},
        {"hours": {"SLEEP": []}},
        {"hours": {"SLEEP": [["09:00", "10:00"]] * 7}},
        {"goals": {"SLEEP": 0}},
        {"goals": {"SLEEP": 22}},
        {"goals": {"SLEEP": 2.5}},
        {"goals": {"SLEEP": True}},
        {"goals": {"SLEEP": 2}, "never": ["SLEEP"]},
        {"weights": {"VITALITY": -1}},
        {"weights": {"VITALITY": float("nan")}},
        {"weights": {"JOY": 1}},
        {"suggestions": 13},
        {"suggestions": None},
        {"spare": {}},
        {"spare": {"times": 2, "of": []}},
        {"lengths": {"LEARN": {}}},
        {"barred": {"LEARN": [{"days": [0]}]}},
        {"night": {"bed_days": [7]}},
        {"terms": [{"when": {"days": [0]}}]},
        {"kinds": {"run": {"best": {"EXERCISE": {"days": [9]}}}}},
    ],
)
def test_what_cannot_be_wished(body: object) -> None:
    with pytest.raises(SetupError, match="bridge wish"):
        wishes_of(body)


def test_the_shape_that_others_read() -> None:
    assert plain(SOME) == {
        "never": ["BINGE_WATCH"],
        "hours": {"DEEP_WORK": [["09:00", "12:00"], ["22:00", "02:00"]]},
        "goals": {"EXERCISE": 3},
        "weights": {"VITALITY": 2.5},
        "suggestions": 0,
    }


def test_a_wish_says_what_it_replaces_and_of_what_it_would_leave_nothing(store: Store) -> None:
    user = store.people.add_user("ana", "Europe/Berlin", now=NOW)

    def say(text: str) -> str:
        return str(wishing.say_wish(store, user, text, confirmed=True, now=NOW))

    assert "instead" not in say("sport only before 8") + say("focus only in the morning") + say("no sport on Sundays")
    for text, old in (
        ("no focus before 13", "focused work only from"),
        ("no sport before 9", "exercise not after 08:00"),
    ):
        with pytest.raises(SetupError, match=old) as refused:
            say(text)
        assert not re.search("DEEP_WORK|EXERCISE", str(refused.value))
    assert say("sport only in the evening").endswith("; instead of: exercise not after 08:00")
    assert "instead" not in say("no sport after 21")
    with pytest.raises(SetupError, match=r"^focused work would have no hours left"):
        checked(Wishes(hours={ActionType.DEEP_WORK: ()}))
