"""An entry's context makes no right title wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.ports import Invitation
from bridge.domain.types import Label
from classifiers.keywords import is_hold
from classifiers.linear import HOLD, open_classifier, sureness
from lab.classifier import in_context
from lab.classifier.corpus import Titled
from rhythm_env.interface import ActionType
from tests.classifiers.lives import lives, once

contexts = st.fixed_dictionaries(
    {
        "start_hour": st.none() | st.integers(0, 23),
        "weekday": st.none() | st.integers(0, 6),
        "minutes": st.none() | st.floats(0, 20_000),
        "all_day": st.booleans(),
        "others": st.integers(0, 60),
        "organised_by_me": st.booleans(),
        "conference": st.booleans(),
        "located": st.booleans(),
        "recurring": st.booleans(),
    }
)
LEARNT = {
    "DEEP_WORK": "Preparing the presentation|Working on the website|Prepare slides|Work on project"
    "|Finalizing the report|Präsentation vorbereiten|Trabajar en el proyecto|Rédiger le rapport|Working on my thesis",
    "LEARN": "CS 101|CS101|MATH 240 Lecture|PHYS 2B|CHEM 1A Discussion|ECON 201 section|Reading papers|Read chapter 4"
    "|Preparing for the exam|Webinar: personal finance|Operating Systems|Leer capítulo 3|TP2 Réseaux",
    "BINGE_WATCH": "Watching Netflix|Disney+|Watching Disney Plus|Watch Hulu|Crunchyroll|Netflix schauen|Ver Netflix"
    "|Paramount+ show|Watch the match on DAZN|HBO Max night",
    "ADMIN_WORK": "Cancel Netflix subscription|Netflix interview|Rebook haircut|Website redesign kickoff|Prepare taxes",
    "SOCIALIZE": "Feast|Medieval feast|House party|Party 8-2|Summer festival|Anna's birthday",
    "FAMILY_TIME": "Family day|Day with family|Thanksgiving feast",
}
CASES = [(title, ActionType(action)) for action, titles in LEARNT.items() for title in titles.split("|")]


def label(title: str, **context: object) -> Label:
    return open_classifier().classify([Invitation(title=title, **context)])[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(("title", "action"), CASES)
@given(context=contexts)
@settings(deadline=None, max_examples=10)
def test_plain_titles_are_what_they_are_in_any_context(
    title: str, action: ActionType, context: dict[str, object]
) -> None:
    assert label(title, **context).action is action


ONE_TO_ONES = ["1:1 with Kim", "1-1 Tom", "Kim 1:1", "1on1 w/ Ana", "One-on-one with Lee", "one to one: Priya"]


@pytest.mark.parametrize("title", ONE_TO_ONES)
@given(hour=st.integers(8, 17), weekday=st.integers(0, 4), minutes=st.sampled_from([15.0, 30.0, 60.0]))
@settings(deadline=None, max_examples=10)
def test_a_one_to_one_at_working_hours_is_work(title: str, hour: int, weekday: int, minutes: float) -> None:
    found = label(title, start_hour=hour, weekday=weekday, minutes=minutes, others=1)
    assert found.action is ActionType.ADMIN_WORK
    assert label(title, start_hour=19, weekday=weekday, minutes=minutes, others=1).action is label(title).action


def test_a_race_that_one_runs_is_sport_and_one_that_one_watches_is_not():
    for title in ("2022 City Running Series Springfield", "Cyclocross series", "Race day"):
        assert label(title, start_hour=8, weekday=5, minutes=150).action is ActionType.EXERCISE, title
    for title in ("Formula 1 race", "Lord of the Rings marathon", "Watch the race live"):
        assert label(title, start_hour=20, weekday=5, minutes=150).action is ActionType.BINGE_WATCH, title


@pytest.mark.parametrize("title", ["Daily", "daily", "Weekly", "Biweekly", "Monthly", "Daily 15 min"])
@given(hour=st.integers(0, 23), weekday=st.integers(0, 6), others=st.integers(0, 12), conference=st.booleans())
@settings(deadline=None, max_examples=10)
def test_a_bare_rhythm_is_a_meeting(title: str, hour: int, weekday: int, others: int, conference: bool) -> None:
    """A rhythm with other people, with a video link or at working hours is no meditation."""
    found = label(title, start_hour=hour, weekday=weekday, minutes=15, others=others, conference=conference)
    if others or conference or (8 <= hour < 18 and weekday < 5):
        assert found.action is ActionType.ADMIN_WORK
    assert label("Daily reflection", start_hour=10, weekday=1, minutes=15).action is ActionType.MEDITATE


@given(shares=st.lists(st.floats(0.001, 1), min_size=10, max_size=10))
def test_an_entry_is_less_sure_than_its_title_alone(shares: list[float]) -> None:
    before = np.array([shares, shares]) / sum(shares)
    alone, entry = sureness(before, [Invitation(title="x"), Invitation(title="x", start_hour=9, minutes=60)])
    assert alone == pytest.approx(before[0])
    assert entry.argmax() == alone.argmax()
    assert entry.max() <= alone.max() + 1e-9


HOLDS = ["Busy", "Hold", "Block", "HOLD", "busy 14:00", "Tentative", "Belegt", "Occupé", "ocupado", "New event"]


@pytest.mark.parametrize("title", HOLDS)
@given(hour=st.integers(0, 23), minutes=st.floats(15, 900), all_day=st.booleans())
@settings(deadline=None, max_examples=10)
def test_a_title_that_only_holds_time_is_never_sure(title: str, hour: int, minutes: float, all_day: bool) -> None:
    found = label(title, start_hour=hour, minutes=minutes, all_day=all_day)
    assert found.confidence <= HOLD
    assert found.action in ActionType


def test_a_hold_with_an_activity_is_no_hold() -> None:
    assert not is_hold("Hold: team lunch")
    assert not is_hold("Busy bees kindergarten")
    assert label("Hold: dentist").confidence > HOLD


@pytest.fixture(scope="module")
def lived() -> list[Titled]:
    return [one for _, one in once(lives())]


def test_context_costs_entries_nothing(lived: list[Titled]) -> None:
    """On made lives of ten people, no row of the table loses half a point."""
    found = in_context.table(lived, open_classifier())
    assert found[0].alone.titles > 1000
    assert len({one.person for one in lived}) >= 6
    assert len(found) == len(in_context.ROWS) + 2
    assert in_context.losing(found) == []


def test_a_context_that_overrules_a_title_is_found(lived: list[Titled]) -> None:
    class Evenings:
        name = "evenings"

        def classify(self, events: Sequence[Invitation]) -> list[Label]:
            late = [one.start_hour is not None and one.start_hour >= 19 for one in events]
            labels = open_classifier().classify(events)
            pairs = zip(labels, late, strict=True)
            return [replace(one, action=ActionType.SOCIALIZE) if it else one for one, it in pairs]

    assert "30 minutes to 2 hours" in in_context.losing(in_context.table(lived, Evenings()))
