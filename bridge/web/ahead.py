"""Name the coming slots to which a recommendation can be put off, in forms and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bridge.advice.rescheduling import HINTS
from bridge.day.choice import Option
from bridge.documents.text import slot_name
from bridge.domain.errors import SetupError
from bridge.domain.languages import _, say, shown
from bridge.domain.records import Recommendation
from bridge.domain.slots import Moment, moment_at
from bridge.domain.types import Task
from bridge.web.state import Visit
from rhythm_env.interface import SLOTS_PER_DAY

RESCHEDULE_SLOTS = 28  # a recommendation can be moved by fewer slots


def slots_ahead(visit: Visit) -> list[Moment]:
    """Return the 27 slots after the current slot, the next first. All begin less than a week ahead."""
    moment = moment_at(visit.now, visit.user.zones)
    return [moment.shifted(steps) for steps in range(1, RESCHEDULE_SLOTS)]


def key(moment: Moment) -> str:
    """Return a slot as forms name it: ``week/timestep``."""
    return f"{moment.week}/{moment.timestep}"


def choices(visit: Visit) -> list[tuple[str, str]]:
    """Return the coming slots as (key, name) for a form, the next first."""
    return [(key(moment), slot_name(moment)) for moment in slots_ahead(visit)]


def tomorrow(
    visit: Visit, advice: Recommendation, gaps: Sequence[Option], tasks: Iterable[Task]
) -> list[tuple[str, str]]:
    """Return [(key, "tomorrow")] of the slot a day after that of ``advice``, or [] if ``gaps`` offer that date.

    The name says so if one of ``tasks`` is advised that is due before.
    """
    moment = advice.moment.shifted(SLOTS_PER_DAY)
    dates = {moment_at(gap.start, visit.user.zones).date for gap in gaps}
    if moment.date in dates or moment not in slots_ahead(visit):
        return []
    dues = [one.due for one in tasks if one.title and one.title == advice.what and one.completed is None]
    late = any(due is not None and visit.today <= due < moment.date for due in dues)
    name, hint = _("tomorrow"), HINTS["after_due"]
    return [(key(moment), shown(say(hint, slot=name)) if late else name)]


def chosen(visit: Visit, named: str, *, since_now: bool = True) -> Moment:
    """Return the slot that a form names by its key (``week/timestep``). The current slot is possible only with
    ``since_now``.

    Raises SetupError for a slot that is over, or is a week or more ahead.
    """
    slots = [*([moment_at(visit.now, visit.user.zones)] if since_now else []), *slots_ahead(visit)]
    found = next((moment for moment in slots if key(moment) == named), None)
    if found is None:
        raise SetupError(
            _("the chosen slot is over or not possible; choose one of the slots of the coming seven days on this page")
        )
    return found
