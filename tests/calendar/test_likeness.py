"""Corrections reach entries that are like the corrected ones, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar import likeness
from bridge.calendar.likeness import ACTIONS, FEWEST, Case, Corrected, case, likened
from bridge.domain.ports import Invitation
from bridge.domain.types import Label
from classifiers.linear import open_classifier
from rhythm_env.interface import ActionType
from tests.pace import paces

CHOIR = (
    "warm-up|with Lena|main hall|sectional|dress run|with orchestra|at St Paul|Tuesday|extra|with Tom|retreat|autumn"
)
MORE = "spring|at the abbey|basses|open evening|with piano|long one|second half|Friday|with guests|recording"


def guess(title: str, action: ActionType = ActionType.ADMIN_WORK, **context: object) -> Case:
    """Return an entry that the classifier is fairly sure of, and wrong about."""
    label = Label(action=action, confidence=0.6, by="linear@4", why="learnt", runner_up=ActionType.LEARN)
    return case(Invitation(title=title, **context), label)  # type: ignore[arg-type]


def corrected(title: str, action: ActionType = ActionType.SOCIALIZE) -> Corrected:
    return Corrected(case=guess(title), action=action)


def chorus(words: str) -> list[str]:
    return [f"Polyhymnia {word}" for word in words.split("|")]


OFFICE = [f"{what} {k}" for k in ("budget", "vendor", "roadmap") for what in ("Review", "Call", "Plan", "Sync")]
TEN = [corrected(title) for title in chorus(CHOIR)[:10]]


def test_ten_corrections_reach_later_entries_of_the_same_kind() -> None:
    later = [guess(title) for title in chorus(MORE)]
    found = likened(later, TEN, OFFICE)
    assert sum(one is not None and one.action is ActionType.SOCIALIZE for one in found) >= 7
    for one in found:
        assert one is None or (one.by, one.runner_up) == ("you", ActionType.ADMIN_WORK)
        assert one is None or one.confidence <= 0.9


def test_entries_unlike_the_corrected_ones_keep_their_label() -> None:
    assert likened([guess("Invoice for plumber"), guess("Team sync"), guess("")], TEN, OFFICE) == [None] * 3
    sure = Label(action=ActionType.SLEEP, confidence=0.99, by="linear@4", why="learnt")
    assert likened([case(Invitation(title="Nap"), sure)], TEN, OFFICE) == [None]


def test_too_few_corrections_teach_nothing() -> None:
    later = [guess(title) for title in chorus(MORE)]
    assert likened(later, TEN[: FEWEST - 1], OFFICE) == [None] * len(later)
    assert likened([], TEN, OFFICE) == []


def test_answers_that_agree_with_the_classifier_change_nothing() -> None:
    agreed = [corrected(title, ActionType.ADMIN_WORK) for title in OFFICE]
    assert likened([guess(title) for title in chorus(MORE)], agreed, OFFICE) == [None] * len(chorus(MORE))


def test_an_answer_that_agrees_holds_what_is_like_it() -> None:
    """Beside ten of the choir that are company, the choir's board was left as work by an answer."""
    board = [corrected(f"Polyhymnia board {word}", ActionType.ADMIN_WORK) for word in ("budget", "minutes", "statutes")]
    later = [guess("Polyhymnia board election"), guess("Polyhymnia concert")]
    found = likened(later, [*board, *TEN], OFFICE)
    assert found[0] is None
    assert found[1] is not None


def test_what_else_is_asked_changes_no_label() -> None:
    later = [guess(title) for title in chorus(MORE)]
    alone = [likened([one], TEN, OFFICE)[0] for one in later]
    assert likened([*map(guess, OFFICE), *later], TEN, OFFICE)[len(OFFICE) :] == alone


def test_a_runner_up_is_never_likelier_than_an_unsure_label() -> None:
    for confidence in (0.12, 0.25, 0.4, 0.6, 0.95):
        label = Label(action=ActionType.LEARN, confidence=confidence, by="x", why="y", runner_up=ActionType.SLEEP)
        row = likeness.shares([case(Invitation(title="Chapter 3"), label)])[0]
        assert ACTIONS[row.argmax()] is ActionType.LEARN
        assert row.sum() == pytest.approx(1)
        assert row.argsort()[-2] == ACTIONS.index(ActionType.SLEEP)


def test_entries_without_activity_stay_without() -> None:
    none = Label(action=None, confidence=0.95, by="linear@4", why="the calendar marks a birthday")
    assert likened([case(Invitation(title="Polyhymnia birthday"), none)], TEN, OFFICE) == [None]


def test_the_calendar_and_the_context_are_facts() -> None:
    event = Invitation(title="x", start_hour=10, weekday=2, minutes=300, others=2)
    found = case(event, guess("x").label, "Work")
    assert found.facts == {"by day", "timed", "weekday", "with others", "calendar Work"}
    evening = case(Invitation(title="x", start_hour=19, weekday=6), found.label)
    assert evening.facts == {"evening", "timed", "weekend", "alone"}
    assert case(Invitation(title="x"), found.label).facts == frozenset()


def test_probabilities_are_the_classifiers_where_it_tells_them() -> None:
    label = open_classifier().classify([Invitation(title="Yoga class")])[0]
    assert likeness.shares([case(Invitation(title="Yoga class"), label)])[0] == pytest.approx(label.shares, abs=1e-3)
    assert ACTIONS[int(likeness.shares([case(Invitation(title="Yoga class"), label)])[0].argmax())] is label.action


@given(titles=st.lists(st.text(max_size=30), min_size=6, max_size=12), asked=st.lists(st.text(max_size=30), max_size=4))
@settings(deadline=None, max_examples=15)
def test_any_titles_give_one_answer_each(titles: list[str], asked: list[str]) -> None:
    made = [corrected(title, list(ActionType)[len(title) % 10]) for title in titles]
    found = likened([guess(title) for title in asked], made, OFFICE)
    assert len(found) == len(asked)


@pytest.mark.parametrize("count", [10, 400])
def test_it_is_fitted_in_a_second(count: int) -> None:
    kinds = (ActionType.SOCIALIZE, ActionType.EXERCISE, ActionType.LEARN)
    made = [corrected(f"Thing {k} of {chr(97 + k % 26)} kind {k % 7}", kinds[k % 3]) for k in range(count)]
    left = [f"Other {k} {chr(97 + k % 26)}" for k in range(200)]
    asked = [guess(f"Later {k} kind {k % 7}") for k in range(300)]
    likened(asked[:1], TEN, OFFICE)
    classifier = open_classifier()
    thousand = [Invitation(title=f"Thing {k} of kind {k % 7}") for k in range(1000)]
    pace = paces(lambda: classifier.classify(thousand), tries=3)
    assert paces(lambda: likened(asked, made, left), tries=2) < 6 * pace
