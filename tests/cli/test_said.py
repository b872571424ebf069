"""What people type is understood as they mean it, or its nearest is named."""

from __future__ import annotations

from datetime import date

import pytest

from bridge import registry
from bridge.documents.inputs import parse_action, parse_day
from bridge.domain.errors import SetupError
from bridge.store import Store
from rhythm_env.interface import ActionType
from tests.world import NOW

SATURDAY = date(2026, 11, 28)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("today", 28),
        ("Tomorrow", 29),
        ("gestern", 27),
        ("sat", 28),
        ("Sunday", 29),
        ("so", 29),
        ("2026-11-20", 20),
        ("fr", 4),
    ],
)
def test_days_are_said_as_people_say_them(said: str, day: int) -> None:
    assert parse_day(said, SATURDAY).day == day


@pytest.mark.parametrize("said", ["", "s", "someday", "31", "0001-01-01"])
def test_no_day_is_refused(said: str) -> None:
    with pytest.raises(SetupError, match="tomorrow or a weekday"):
        parse_day(said, SATURDAY)


def test_an_action_is_found_by_a_word_for_it() -> None:
    assert [parse_action(one) for one in ("RUNNING", "deep-work", "netflix", "NONE", "Klettern")] == [
        ActionType.EXERCISE,
        ActionType.DEEP_WORK,
        ActionType.BINGE_WATCH,
        None,
        ActionType.EXERCISE,
    ]
    with pytest.raises(SetupError, match="did you mean EXERCISE"):
        parse_action("EXCERCISE")


def test_a_mistyped_name_names_its_nearest(store: Store) -> None:
    store.people.add_user("demo", "UTC", now=NOW)
    with pytest.raises(SetupError, match="no user dmo; did you mean demo"):
        store.people.user("dmo")
    with pytest.raises(SetupError, match="no user xy; add one"):
        store.people.user("xy")
    with pytest.raises(SetupError, match="did you mean whoop"):
        registry.spec("woop")
