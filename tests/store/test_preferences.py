"""The order of sources that a user chose, on both databases."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge.calendar.ownership import Mark, Whose
from bridge.store import Store
from bridge.store.preferences import Preferences, preferences_of
from rhythm_env.interface import ActionType

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def test_the_last_choice_stands_for_its_own_user_and_goes_with_the_user(store: Store) -> None:
    ana, ben = (store.people.add_user(name, "UTC", now=NOW) for name in ("ana", "ben"))
    store.people.prefer_sources(ana.id, ["oura"], now=NOW)
    store.people.prefer_sources(ana.id, ["garmin", "oura"], now=NOW)
    assert (store.people.preferred_sources(ana.id), store.people.preferred_sources(ben.id)) == (("garmin", "oura"), ())
    assert store.reading.changed_since(ana.id, NOW)  # in the same instant as well
    assert not store.reading.changed_since(ben.id, NOW - timedelta(seconds=1))
    saved = store.exports.dump(ana.id)
    cleo = store.people.add_user("cleo", "UTC", now=NOW)
    store.exports.restore(cleo.id, saved)
    assert store.people.preferred_sources(cleo.id) == ("garmin", "oura")
    store.people.forget(ana.id)
    assert store.people.preferred_sources(ana.id) == ()


def test_all_that_is_chosen_is_kept_and_read_back() -> None:
    day = NOW.date()
    whole = Preferences(
        sources=("oura",),
        language="de",
        modes=(("ill", day, day),),
        left_out=("Family",),
        marks=(
            Mark(key="a", whose=Whose.NOT_MINE, title="CW Preschool", series=True, like=True, name="cw"),
            Mark(key="b", whose=Whose.NO_TIME),
        ),
        answered=(("mode", "ill", day),),
        resting=((ActionType.EXERCISE, "", day),),
    )
    assert preferences_of(whole.body) == whole
    assert preferences_of(Preferences(sources=("oura",)).body) == Preferences(sources=("oura",))


@pytest.mark.parametrize(
    "part",
    [
        {"marks": ["x"]},
        {"marks": [{"key": "a", "whose": "hers"}]},
        {"marks": [{"whose": "mine"}]},
        {"modes": 5},
        {"resting": [["SWIM", "", "2026-11-20"]]},
        {"answered": [["mode", "ill", "soon"]]},
    ],
)
def test_preferences_of_another_form_are_refused(part: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        preferences_of(json.dumps({"sources": [], "language": None, **part}))
