"""The times that are offered when a person puts advice off."""

from datetime import timedelta

import pytest

from bridge.planning.choice import good_gaps
from bridge.planning.common_sense import options
from rhythm_env.interface import ActionType

from .lives import DAY, TODAY, at, days, entry
from .test_common_sense import situation

A = ActionType
WRITING = [entry(TODAY + k * DAY, 540, 660, A.DEEP_WORK, "Write") for k in range(6) if k not in (1, 2)]


def test_an_entry_that_is_planned_every_day_can_be_put_off_to_free_time():
    made = situation(*WRITING, hour=9)
    assert options(made, (made.now, made.now + timedelta(hours=3)))[0][A.DEEP_WORK].kind == "keep"
    found = good_gaps(made, A.DEEP_WORK, after=made.now)
    assert len(found) == 3
    assert {one.kind for one in found} == {"suggested"}
    taken = [(o.start, o.end) for o, _ in made.entries]
    assert not [one for one in found for low, high in taken if low < one.end and one.start < high]


@pytest.mark.parametrize("action", [A.MEDITATE, A.ME_TIME, A.EXERCISE])
def test_three_times_are_offered_and_tomorrow_is_among_them(action):
    usual = [entry(day, 1080, 1140, action, "Mine") for day in days(40, TODAY - DAY) if day.weekday() != 5]
    made = situation(*usual, hour=8)
    found = good_gaps(made, action, after=made.now)
    assert len(found) == 3
    assert (
        at(TODAY + DAY, 0)
        <= min(one.start for one in found if one.start >= at(TODAY + DAY, 0))
        < at(TODAY + 2 * DAY, 0)
    )
    assert found == sorted(found, key=lambda one: one.start)
