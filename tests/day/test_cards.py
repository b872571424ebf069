"""The card lives: after an answer a further recommendation follows in its slot, within the wished number."""

from __future__ import annotations

from datetime import time, timedelta
from pathlib import Path

import pytest

from bridge.advice import feedback, modes
from bridge.advice.aftermath import aftermath
from bridge.advice.day_plan import plan_day
from bridge.day.body import Mode, ModeKind
from bridge.day.rules import ONE_REST
from bridge.domain.records import Deed, Feedback, Recommendation, Silence, User
from bridge.domain.wishes import Wishes
from bridge.ingest import runs
from bridge.installation import Bridge
from rhythm_env.interface import ActionType, Answer
from tests.day.test_kept import NOON, ask, home  # noqa: F401 - the fixture

AT = NOON + timedelta(hours=3)
SOON = timedelta(minutes=1)


@pytest.fixture
def first(home: tuple[Bridge, User]) -> Recommendation:  # noqa: F811 - the fixture
    """Something suggested to somebody with three goals."""
    bridge, user = home
    goals = dict.fromkeys((ActionType.EXERCISE, ActionType.LEARN, ActionType.MEDITATE), 3)
    bridge.store.people.save_wishes(user.id, Wishes(goals=goals), now=NOON)
    found = ask(home, AT)
    assert isinstance(found, Recommendation)
    return found


@pytest.mark.parametrize("answer", [Answer.IGNORE, Answer.RESCHEDULE])
def test_a_refusal_is_heard_and_teaches_and_another_follows(
    home: tuple[Bridge, User],  # noqa: F811
    first: Recommendation,
    answer: Answer,
) -> None:
    bridge, user = home
    feedback.give_feedback(bridge.store, user, first.id, Feedback(answer=answer), now=AT + SOON)
    found = ask(home, AT + 2 * SOON)
    assert isinstance(found, Recommendation)
    assert found.id != first.id
    assert found.action is not first.action
    assert found.silence is None  # the slot counts by its first lot
    rows = bridge.store.recommendations.full_between(user.id, since=NOON, until=AT + timedelta(hours=1))
    assert [row.id for row in rows] == [first.id, found.id]
    assert rows[0].answer is answer
    heard = feedback.interactions(bridge.store, user, at=AT + 3 * SOON)
    assert [(one.recommended, one.answer) for one in heard] == [(first.action, answer)]
    assert ask(home, AT + 3 * SOON).id == found.id


def test_advice_whose_time_is_over_does_not_speak_of_the_minutes_left_of_its_slot(
    home: tuple[Bridge, User],  # noqa: F811
    first: Recommendation,
) -> None:
    end = AT + timedelta(hours=2, minutes=58)  # of the slot at 18:00
    found = ask(home, end)
    assert isinstance(found, Silence)
    (why,) = found.facts
    assert (why.kind, why.values["action"]) == ("slot_had", str(first.action))
    assert [one.kind for one in why.parts()] == ["slot_had", "suggestion_over"]


def test_the_further_one_stays_out_of_the_effect(home: tuple[Bridge, User], first: Recommendation) -> None:  # noqa: F811
    bridge, user = home
    feedback.give_feedback(bridge.store, user, first.id, Feedback(answer=Answer.IGNORE), now=AT + SOON)
    second = ask(home, AT + 2 * SOON)
    feedback.give_feedback(bridge.store, user, second.id, Feedback(answer=Answer.ACCEPT), now=AT + 3 * SOON)
    later = AT + timedelta(days=1)
    counted = list(aftermath(bridge.store, user, now=later).followed(user, now=later))
    assert [one.advice.id for one in counted] == [first.id]


def test_no_more_follow_than_the_person_wishes(home: tuple[Bridge, User], first: Recommendation) -> None:  # noqa: F811
    bridge, user = home
    bridge.store.people.save_wishes(user.id, Wishes(suggestions=1), now=AT + SOON)
    feedback.give_feedback(bridge.store, user, first.id, Feedback(answer=Answer.IGNORE), now=AT + SOON)
    assert ask(home, AT + 2 * SOON).id == first.id


def test_what_was_accepted_stays_until_it_is_over(home: tuple[Bridge, User], first: Recommendation) -> None:  # noqa: F811
    bridge, user = home
    feedback.give_feedback(bridge.store, user, first.id, Feedback(answer=Answer.ACCEPT), now=AT + SOON)
    assert ask(home, AT + 2 * SOON).id == first.id
    feedback.say(bridge.store, user, first.id, Deed.DONE, now=AT + 3 * SOON)
    found = ask(home, AT + 4 * SOON)
    assert isinstance(found, Recommendation)
    assert found.action is not first.action


@pytest.mark.parametrize("accepted", [False, True])
def test_who_falls_ill_sees_no_sport_any_more(home: tuple[Bridge, User], accepted: bool) -> None:  # noqa: F811
    bridge, user = home
    sunday = AT + timedelta(days=1)
    only = Wishes(never=frozenset(ActionType) - {ActionType.EXERCISE}, goals={ActionType.EXERCISE: 3})
    bridge.store.people.save_wishes(user.id, only, now=NOON)
    sport = ask(home, sunday)
    assert isinstance(sport, Recommendation)
    assert sport.action is ActionType.EXERCISE
    if accepted:
        feedback.give_feedback(bridge.store, user, sport.id, Feedback(answer=Answer.ACCEPT), now=sunday + SOON)
    modes.say_mode(bridge.store, user, Mode(kind=ModeKind.ILL), now=sunday + 2 * SOON)
    found = ask(home, sunday + 3 * SOON)
    assert isinstance(found, Silence) or found.action in ONE_REST
    plan = plan_day(bridge, user, None, now=sunday + 3 * SOON, seen=False).blocks
    assert ActionType.EXERCISE not in [one.action for one in plan if one.kind == "suggested"]
    modes.say_mode(bridge.store, user, Mode(kind=ModeKind.NORMAL), now=sunday + 4 * SOON)
    well = ask(home, sunday + 5 * SOON)
    assert not any(fact.kind == "said_ill" for fact in well.facts)


@pytest.mark.parametrize("ill", [False, True])
def test_a_goal_of_sport_waits_after_an_illness_that_was_told(
    home: tuple[Bridge, User],  # noqa: F811
    ill: bool,
) -> None:
    bridge, user = home
    only = Wishes(never=frozenset(ActionType) - {ActionType.EXERCISE}, goals={ActionType.EXERCISE: 3})
    bridge.store.people.save_wishes(user.id, only, now=NOON)
    if ill:
        modes.say_mode(bridge.store, user, Mode(kind=ModeKind.ILL, until=NOON.date()), now=NOON)
    found = ask(home, AT + timedelta(days=1))
    sport = isinstance(found, Recommendation) and found.action is ActionType.EXERCISE
    assert (sport, "sport_rests_ill" in {one.kind for one in found.facts}) == (not ill, ill)


def test_what_is_wished_at_another_hour_leaves_the_card(home: tuple[Bridge, User], first: Recommendation) -> None:  # noqa: F811
    bridge, user = home
    assert first.start is not None
    assert first.start > AT + 2 * SOON
    hours = {first.action: ((time(7), time(8)),)}
    bridge.store.people.save_wishes(user.id, Wishes(hours=hours), now=AT + SOON)
    found = ask(home, AT + 2 * SOON)
    assert isinstance(found, Silence) or found.action is not first.action


PICKUP = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:pickup
DTSTART:{day}T120000Z
DTEND:{day}T190000Z
SUMMARY:Race packet pickup
END:VEVENT
BEGIN:VEVENT
UID:race
DTSTART:{next}T083000Z
DTEND:{next}T110000Z
SUMMARY:Running race
END:VEVENT
END:VCALENDAR
"""


def test_what_closes_after_its_suggested_time_is_said_in_the_last_minutes_of_the_slot_too(
    home: tuple[Bridge, User],  # noqa: F811
    tmp_path: Path,
) -> None:
    bridge, user = home
    bridge.store.people.save_wishes(user.id, Wishes(), now=NOON)
    morrow = NOON + timedelta(days=1)
    (tmp_path / "race.ics").write_text(PICKUP.format(day=f"{NOON:%Y%m%d}", next=f"{morrow:%Y%m%d}"))
    runs.import_path(bridge, user, tmp_path / "race.ics", at=NOON - timedelta(minutes=30))
    found = ask(home, AT)
    assert isinstance(found, Recommendation)
    assert found.what == "Race packet pickup"
    last = ask(home, AT.replace(hour=17, minute=58))
    assert isinstance(last, Silence)
    assert last.must_do
    assert [one.kind for one in last.facts[0].parts()] == ["errand_later", "closes_before"]
