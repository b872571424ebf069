"""Answers lift what a person writes later, on made lives of several years, and a bound is not met by chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from statistics import fmean

import pytest

from classifiers.linear import open_classifier
from lab.classifier.entries import Lived
from lab.classifier.replay import Gain, markdown, replays
from tests.classifiers.lives import lives, once


@pytest.fixture(scope="module")
def lived() -> list[Lived]:
    every = lives()
    times = Counter((one.person, one.event.title) for _, one in every)
    return [Lived(titled=one, times=times[one.person, one.event.title]) for _, one in once(every)]


def holds(gains: list[Gain], mean: float) -> bool:
    """Return True if people gain in the mean on new titles, and nobody loses more than .03."""
    return fmean(one.new for one in gains) >= mean and min(one.new for one in gains) > -0.03


@pytest.mark.timeout(300)
def test_a_dozen_answers_lift_new_titles_and_nobody_loses(lived: list[Lived]) -> None:
    found = replays(lived, open_classifier(), seeds=1, answers=(0, 12))
    twelve = found["covering", 12]
    assert len(lived) > 1000
    assert len(twelve) >= 6
    assert holds(twelve, 0.06)
    assert fmean(one.others for one in twelve) >= 0.05
    assert fmean(one.all for one in twelve) >= 0.16
    for way in ("at random", "most frequent"):
        assert fmean(one.new for one in twelve) >= fmean(one.new for one in found[way, 12]) + 0.02
    assert all((one.new, one.others, one.all) == (0, 0, 0) for one in found["covering", 0])


@pytest.mark.timeout(300)
def test_one_wrong_answer_in_ten_leaves_most_of_the_gain(lived: list[Lived]) -> None:
    assert holds(replays(lived, open_classifier(), wrong=0.1, seeds=1, answers=(12,))["covering", 12], 0.04)


def test_answers_that_say_nothing_do_not_meet_the_bound(lived: list[Lived]) -> None:
    few = [one for one in lived if one.titled.person in {"made 0 0", "made 0 1", "made 0 2"}]
    assert not holds(replays(few, open_classifier(), wrong=1.0, seeds=1, answers=(12,))["covering", 12], 0.06)


def test_few_titles_are_no_replay_and_a_table_tells_the_rest(lived: list[Lived]) -> None:
    few = [replace(one, titled=replace(one.titled, person="few")) for one in lived[:39]]
    assert replays(few, open_classifier(), answers=(12,))["covering", 12] == []
    own = [one for one in lived if one.titled.person == "made 0 9"]
    assert markdown(own, open_classifier(), answers=(6,)).count("\n") == 5
