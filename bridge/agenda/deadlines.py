"""Tasks as time: which are open, when their day ends, and how much they press."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from math import exp

from bridge.agenda.examples import LONDON, hour, task  # noqa: F401 - for the worked examples
from bridge.agenda.expansion import midnight
from bridge.types import Task
from rhythm_env.interface import ZoneHistory

EFFORT = 1.0  # hours, where the task does not say
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


def still_open(tasks: Iterable[Task], at: datetime, zones: ZoneHistory) -> Iterator[tuple[Task, datetime]]:
    """Tasks with a day that are not done at ``at``, with the end of that day on the person's clock.

    >>> [end.day for _, end in still_open([task(20), task(19, completed=hour(9))], hour(10), LONDON)]
    [21]
    """
    for one in tasks:
        if one.due is not None and (one.completed is None or one.completed > at):
            yield one, midnight(one.due + DAY, zones)


def deadline_pressure(tasks: Iterable[Task], at: datetime, zones: ZoneHistory) -> float | None:
    """How much the open tasks press: the sum of exp(-slack), where slack is the hours left after the effort, measured
    in efforts (of an hour at least), and 0 once they do not suffice. None when no task has a day.

    The formula is a proposal: 1 for every task that can no longer wait, nothing for one that has days.

    >>> round(deadline_pressure([task(20), task(22)], hour(22), LONDON), 3)  # two hours left, and two days
    0.368
    >>> deadline_pressure([task(19), task(20, completed=hour(9))], hour(10), LONDON)  # one is overdue, one is done
    1.0
    """
    dated = [one for one in tasks if one.due is not None]
    if not dated:
        return None
    return sum((exp(-_slack(one, (end - at) / HOUR)) for one, end in still_open(dated, at, zones)), 0.0)


def _slack(one: Task, hours_left: float) -> float:
    effort = EFFORT if one.effort is None else one.effort
    return max((hours_left - effort) / max(effort, 1.0), 0.0)
