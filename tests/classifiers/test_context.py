"""Context never makes a right title wrong, and says something where a title says nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.domain.ports import Invitation
from bridge.domain.types import Label
from classifiers.keywords import Keywords, is_hold, lexicon
from classifiers.linear import CLASSES, HOLD, Linear, open_classifier
from classifiers.linear.context import FACTS, MAX_SHIFT, facts, leant, sureness, table
from lab.classifier import in_context
from lab.classifier.corpus import Titled, corpus, rows
from lab.classifier.entries import LATER, TEST, YEARS, entries
from lab.classifier.leanings import KEPT, leanings, learnt
from lab.classifier.train import trained
from rhythm_env.interface import ActionType
from tests.samples import sample

HALF_A_POINT = 0.005

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


@given(
    shares=st.lists(st.floats(0.001, 1), min_size=10, max_size=10),
    leaning=st.floats(-9, 9),
    shown=st.lists(st.booleans(), min_size=len(FACTS), max_size=len(FACTS)),
    seed=st.integers(0, 99),
)
def test_a_label_that_is_twice_as_likely_as_any_other_stays(
    shares: list[float], leaning: float, shown: list[bool], seed: int
) -> None:
    before = np.array([shares]) / sum(shares)
    drawn = np.array([[random.Random(seed + k).uniform(-abs(leaning), abs(leaning)) for k in range(10)]] * len(FACTS))
    after = leant(before, np.array([shown], dtype=float), drawn)
    assert after.sum() == pytest.approx(1)
    second, first = np.sort(before[0])[-2:]
    assert np.log(2) > 2 * MAX_SHIFT
    if first > 2 * second or first >= 0.5:
        assert after.argmax() == before.argmax()


ONE_TO_ONES = ["1:1 with Kim", "1-1 Tom", "Kim 1:1", "1on1 w/ Ana", "One-on-one with Lee", "one to one: Priya"]


@pytest.mark.parametrize("title", ONE_TO_ONES)
@given(hour=st.integers(8, 17), weekday=st.integers(0, 4), minutes=st.sampled_from([15.0, 30.0, 60.0]))
@settings(deadline=None, max_examples=10)
def test_a_one_to_one_at_working_hours_is_work(title: str, hour: int, weekday: int, minutes: float) -> None:
    found = label(title, start_hour=hour, weekday=weekday, minutes=minutes, others=1)
    assert found.action is ActionType.ADMIN_WORK
    assert label(title, start_hour=19, weekday=weekday, minutes=minutes, others=1).action is label(title).action


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


def test_facts_by_hand() -> None:
    event = Invitation(title="x", start_hour=9, weekday=5, minutes=90, others=3, conference=True, located=True)
    assert facts(event) == [
        "up to 150 minutes",
        "in the forenoon",
        "weekend",
        "several people",
        "video link",
        "place",
    ]
    assert facts(Invitation(title="x", all_day=True, minutes=4320, recurring=True)) == [
        "all day",
        "several days",
        "repeats",
    ]
    assert facts(Invitation(title="x", organised_by_me=False)) == ["invited"]
    assert table([event]).sum() == 6


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


def test_the_kept_leanings_name_the_facts() -> None:
    assert [row["fact"] for row in rows(KEPT)] == list(FACTS)
    assert leanings().shape == (len(FACTS), len(CLASSES))


def test_leanings_learn_what_a_place_says() -> None:
    """Half of the entries have a place. Those are lectures, and all others are chores."""
    lived = [
        Titled(
            event=Invitation(title="x", located=k % 2 == 0),
            action=ActionType.LEARN if k % 2 == 0 else ActionType.ADMIN_WORK,
            also=frozenset(),
            language="en",
            person="p",
        )
        for k in range(400)
    ]
    found = learnt(lived, np.full((400, 10), 0.1))[FACTS.index("place")]
    assert found.argmax() == CLASSES.index(ActionType.LEARN)
    assert found[CLASSES.index(ActionType.ADMIN_WORK)] < 0


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_context_costs_unsure_titles_nothing() -> None:
    """A model of few titles doubts many others. In contexts as other people's entries have them, no row loses."""
    titles = [one for one in corpus() if one.event == Invitation(title=one.event.title)]
    random.Random(1).shuffle(titles)
    classifier = Linear(trained(titles[:6000]), Keywords(lexicon()))
    unseen = [replace(one, person="") for one in titles[6000:46000]]
    found = in_context.table(in_context.placed(unseen, seed=2), classifier)
    assert len(found) == len(in_context.ROWS) + 2
    for row in found:
        assert row.context.strict >= row.alone.strict - HALF_A_POINT, row.name
        assert row.context.also >= row.alone.also - HALF_A_POINT, row.name
    assert min(row.alone.titles for row in found) > 1000


@pytest.mark.parametrize(("labels", "least"), [(TEST, 500), (LATER, 300), (YEARS, 1000)])
def test_context_costs_real_entries_nothing(labels: Path, least: int) -> None:
    """On public calendars of people from whom nothing was learnt. They lie in ``public_calendars`` of the samples.

    A row of fewer than 200 entries may lose one entry.
    """
    found = in_context.table(entries(labels, sample("public_calendars")), open_classifier())
    assert found[0].alone.titles > least
    for row in found:
        allowed = max(HALF_A_POINT, 1 / row.alone.titles) + 1e-9
        assert row.context.strict >= row.alone.strict - allowed, row.name
        assert row.context.also >= row.alone.also - allowed, row.name
