"""The order of sources that a user chose, on both databases."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bridge.calendar.ownership import Mark, Whose
from bridge.domain.guard import ADVICE
from bridge.store import Store
from bridge.store.preferences import ID_MAX, Preferences, preferences_of, switch_of, trial_of
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


def test_a_trial_or_a_switch_of_a_year_that_cannot_be_is_not_read() -> None:
    trial = {"text": "no screens", "outcome": "sleep", "weeks": 4, "seed": "a", "kept": {}, "stopped": None}
    switch = {"what": ADVICE, "on": True, "by": "ana", "reason": "", "evidence": None, "silent": 0, "advised": 0}
    for year in (1970, 2199):
        assert trial_of({**trial, "id": 1, "start": f"{year}-06-01"}).start.year == year
        assert switch_of({**switch, "at": f"{year}-06-01T08:00:00+00:00"}).at.year == year
    for year in (1969, 2200):
        with pytest.raises(ValueError, match="a year that cannot be"):
            trial_of({**trial, "id": 1, "start": f"{year}-06-01"})
        with pytest.raises(ValueError, match="no known switch"):
            switch_of({**switch, "at": f"{year}-06-01T08:00:00+00:00"})
    assert trial_of({**trial, "id": ID_MAX - 1, "start": "2026-06-01"}).id == 2**53 - 1
    with pytest.raises(ValueError, match="no readable trial"):
        trial_of({**trial, "id": 2**53, "start": "2026-06-01"})
