"""Questions cover a calendar: what is frequent, doubted and unlike what is known, each title once."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.calendar.likeness import Case, Question, questions
from bridge.domain.types import Label
from rhythm_env.interface import ActionType


def ask(title: str, times: int = 1, confidence: float = 0.5, action: ActionType | None = ActionType.LEARN) -> Question:
    label = Label(action=action, confidence=confidence, by="linear@8", why="learnt")
    return Question(series=title, case=Case(title=title, label=label), times=times)


def titles(found: list[Question]) -> list[str]:
    return [one.case.title for one in found]


def test_a_frequent_title_comes_before_a_rare_one_and_a_doubted_one_before_a_sure_one() -> None:
    assert titles(questions([ask("Kestrels"), ask("Polyhymnia", times=50)], [], 1)) == ["Polyhymnia"]
    assert titles(questions([ask("Kestrels", confidence=0.98), ask("Polyhymnia", confidence=0.3)], [], 1)) == [
        "Polyhymnia"
    ]


def test_questions_are_unlike_each_other_and_what_is_answered() -> None:
    choir = [ask(f"Polyhymnia {word}") for word in ("alto", "tenor", "bass", "gala", "tour")]
    others = [ask("Kestrels away"), ask("Kestrels home")]
    first = titles(questions([*choir, *others], [], 2))
    assert [one.split()[0] for one in first] == ["Polyhymnia", "Kestrels"]
    answered = [one.case for one in choir[:3]]
    assert titles(questions([*choir[3:], *others], answered, 1))[0].startswith("Kestrels")


def test_one_question_stands_for_all_that_is_like_it() -> None:
    team = [ask(f"Kestrels {word}") for word in ("home", "away", "cup", "bus", "trials", "draw")]
    assert titles(questions([ask("Plumber"), *team], [], 1))[0].startswith("Kestrels")


def test_a_title_is_asked_once_and_never_without_title_activity_or_need() -> None:
    series = [ask("Standup", times=4), ask("standup", times=3), ask(""), ask("Birthday", action=None)]
    found = questions(series, [], 9)
    assert [(one.case.title, one.times) for one in found] == [("Standup", 7)]
    assert questions(series, [ask("STANDUP").case], 9) == []
    assert questions(series, [], 0) == []


@given(found=st.lists(st.text(max_size=20), max_size=8), count=st.integers(0, 12))
@settings(deadline=None, max_examples=25)
def test_any_titles_give_distinct_questions(found: list[str], count: int) -> None:
    chosen = questions([ask(title) for title in found], [], count)
    folded = [title.casefold() for title in titles(chosen)]
    assert len(set(folded)) == len(folded) == min(count, len({title.casefold() for title in found if title}))
