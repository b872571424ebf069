"""What keeps one task back is said of this task, and not of all that its action stands for."""

import pytest

from bridge.domain.rendering import Audience, for_person, reasons
from bridge.domain.types import Task
from rhythm_env.interface import ActionType

from .lives import TODAY
from .persons import SUNDAY, found, person

A = ActionType


@pytest.mark.parametrize(
    ("title", "day", "hour", "due", "why"),
    [
        ("Call the dentist", SUNDAY, 10.0, None, "offices are closed today"),
        ("Call the dentist", TODAY, 18.0, None, "nobody answers calls at this hour"),
        ("Buy a gift", TODAY, 20.5, None, "it is for the hours in which shops are open"),
    ],
)
def test_what_keeps_one_errand_back_names_it(title, day, hour, due, why):
    tasks = [Task(key=name, list="l", title=name, due=day) for name in (title, "Pay for the trip")]
    of = {"day": day, "hour": hour, "task_actions": {task.key: A.ADMIN_WORK for task in tasks}, "work": False}
    refusal = found(person(tasks=tasks[:1], **of), 1)[1][A.ADMIN_WORK]
    assert for_person([refusal]) == [f"{title} waits (it is due today), but {why}"]
    assert reasons([refusal], Audience.LOCK_SCREEN) == [f"a task waits (it is due today), but {why}"]
    assert found(person(tasks=tasks, **of), 1)[0][A.ADMIN_WORK].what == "Pay for the trip"
