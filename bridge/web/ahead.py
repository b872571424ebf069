"""List the coming slots (quarters of a day) to which a recommendation can be moved, for forms and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridge.advice.rescheduling import HINTS, is_after_due
from bridge.day.choice import Option
from bridge.day.grid import without
from bridge.documents.text import slot_name
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, say, shown
from bridge.domain.records import Recommendation
from bridge.domain.slots import DAY, HOUR, MINUTE, Moment, moment_at, slot_bounds
from bridge.domain.types import Task
from bridge.web.state import Visit
from rhythm_env.interface import SLOTS_PER_DAY

RESCHEDULE_SLOTS = 28  # a recommendation can be moved by fewer slots
AWAKE = 2 * HOUR  # of a slot, from which it is offered; our choice


def slots_ahead(visit: Visit) -> list[Moment]:
    """Return the 27 slots (quarters of a day) after the current one, in order of time."""
    moment = moment_at(visit.now, visit.user.zones)
    return [moment.shifted(steps) for steps in range(1, RESCHEDULE_SLOTS)]


def key(moment: Moment) -> str:
    return f"{moment.week}/{moment.timestep}"


def choices(visit: Visit, task: Task | None = None) -> list[tuple[str, str]]:
    """Return the coming slots in which the person is usually awake as (key, name) for a form, in order of time.

    Those after a ``task`` is due are left out, unless it is due in this slot or overdue. A key is ``week/timestep``.
    """
    awake = [moment for moment in slots_ahead(visit) if _is_awake(visit, moment)]
    early = [moment for moment in awake if task is not None and not _is_after_due(visit, task, moment)]
    return [(key(moment), slot_name(moment)) for moment in early or awake]


def _is_awake(visit: Visit, moment: Moment) -> bool:
    routine, zones = visit.app.today_cache.routine(visit.bridge, visit.user, visit.now), visit.user.zones
    nights = [routine.sleep_ending_on(moment.date + days * DAY, zones) for days in (0, 1, 2)]
    return any(high - low >= AWAKE for low, high in without([slot_bounds(moment, zones)], nights))


def _is_after_due(visit: Visit, task: Task, moment: Moment) -> bool:
    start = slot_bounds(moment, visit.user.zones)[0]
    return is_after_due(task, (start, start + MINUTE), visit.now, visit.user.zones)


def tomorrow(
    visit: Visit, advice: Recommendation, gaps: Sequence[Option], tasks: Iterable[Task]
) -> list[tuple[str, str]]:
    """Return [(key, "tomorrow")] for the slot one day after that of ``advice``, or [] if that is offered already.

    It is offered if one of ``gaps`` lies on that date. The name has a hint if the advised task of ``tasks`` is due
    before.
    """
    moment = advice.moment.shifted(SLOTS_PER_DAY)
    dates = {moment_at(gap.start, visit.user.zones).date for gap in gaps}
    if moment.date in dates or moment not in slots_ahead(visit):
        return []
    dues = [task.due for task in tasks if task.title and task.title == advice.what and task.completed is None]
    late = any(due is not None and visit.today <= due < moment.date for due in dues)
    name, hint = _("tomorrow"), HINTS["after_due"]
    return [(key(moment), shown(say(hint, slot=name)) if late else name)]


def chosen(visit: Visit, named: str, *, since_now: bool = True) -> Moment:
    """Return the slot that a form names by its key (``week/timestep``).

    Raises SetupError for a slot that is over or a week or more ahead, and for the current slot unless ``since_now``.
    """
    slots = [*([moment_at(visit.now, visit.user.zones)] if since_now else []), *slots_ahead(visit)]
    found = next((moment for moment in slots if key(moment) == named), None)
    if found is None:
        raise SetupError(
            _("the chosen slot is over or not possible; choose one of the slots of the coming seven days on this page")
        )
    return found
