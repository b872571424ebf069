"""A task is done in a block of one's own work, and in no entry that others attend or that is about something else."""

import pytest

from bridge.calendar.kinds import may_be_for

from .examples import entry, task

OWN = {"Focus time": "Pay rent", "Deep work": "Write Year 4 reports", "Writing block": "Finish essay on soil"}
SAME = {"Thesis": "Correct thesis", "Focus: budget": "Send budget to Anna", "Year 4 reports": "Write Year 4 reports"}
OTHER = {
    "Year 4 maths": "Write Year 4 reports",
    "Lecture": "Prepare lecture on soil",
    "Client workshop": "Slides for client workshop",
    "Focus: hiring": "Write Year 4 reports",
    "Quiet session with Ben": "Write Year 4 reports",
    "Budget call": "Budget",
    "7b": "Correct tests of 7b",
    "": "Write Year 4 reports",
}


@pytest.mark.parametrize(("title", "name"), [*OWN.items(), *SAME.items()])
def test_a_block_of_own_work_may_be_for_a_task(title, name):
    assert may_be_for(entry(9, 10, title=title), task(20, title=name))


@pytest.mark.parametrize(("title", "name"), OTHER.items())
def test_what_is_about_something_else_is_for_no_task(title, name):
    assert not may_be_for(entry(9, 10, title=title), task(20, title=name))


@pytest.mark.parametrize("of", [{"others": 2}, {"conference": True}, {"organised_by_me": False}])
def test_what_others_attend_is_for_no_task(of):
    assert not may_be_for(entry(9, 10, title="Focus time", **of), task(20, title="Write Year 4 reports"))


def test_what_nobody_may_read_is_for_no_task():
    assert not may_be_for(entry(9, 10, title="Thesis", private=True), task(20, title="Thesis"))
