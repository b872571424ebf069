"""Rules of what may be on a day, a row of ``RULES`` each: the times that it allows, and the reason for which it
refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bridge.calendar.busy import Stretch, clipped, takes_time
from bridge.calendar.busy import length as length_of
from bridge.calendar.kinds import FETCH
from bridge.calendar.plans import COMPANY
from bridge.day import masks
from bridge.day.agreed import promised, refused_slots, rests_until
from bridge.day.grid import BESIDE, DAY, HARD_WEEK, HOUR, MINUTE, OFFICE_WORK, Cells, Starts, run
from bridge.day.known import LONG_SPORT
from bridge.day.leisure import LOAD, off, own_hours, own_spans, told_hours, wished
from bridge.day.masks import LEISURE, ONE_REST, PLANNED_ONCE, is_near, is_urgent, nap_until, presses, usual
from bridge.day.recovery import hardly_slept, held_back
from bridge.day.sums import has_few, has_place
from bridge.day.view import DUE_DAYS, RESTS, WEEKEND, WORK, Candidate, View, deadline
from bridge.domain.facts import Fact, fact, length
from bridge.domain.wish_terms import wished_once
from rhythm_env.constants import EFFECTS
from rhythm_env.interface import ActionType, Meter

A = ActionType

DAY_SLEEP = 12 * HOUR  # a sleep that ends later was in the daytime
TIRING = 8.5 * 60  # minutes of entries, after which there is no sport and no more work
SHORT_NIGHT = HOUR  # by which a night is shorter than usual that is short
NAP_BELOW = 5.5 * HOUR  # of sleep, after which a nap or an early night comes before time for oneself
BRIEF = 5.75 * HOUR  # of sleep, which is short also for who sleeps half an hour more
DIGESTION, ALONE, APART, PAUSE = HOUR, 3 * HOUR, 2 * HOUR, 30 * MINUTE
WASH = 15  # minutes that are enough after sport at a wished hour
BEFORE_TRAVEL, AFTER_TRAVEL = 90 * MINUTE, 2 * HOUR  # without sport
LONELY, UNEASY = 0.5, 0.55  # Connection; Serenity that is clearly low
PART = 30  # minutes
FREE_ANYWAY = 240  # minutes free of entries, which are one's own; our choice
NO_GAP = {  # kinds of a refusal for want of room, by entries or ways around them -> the same of a part of the day
    "no_gap": "no_gap_before",
    "no_gap_beside": "no_gap_before",
    "no_gap_within": "no_gap_within",
}
SHOWN_LOW, TAKES = 0.35, -0.05  # a level shown as low, and an effect that lowers it further
OF_DEEDS = frozenset({"planned", "lately", "often enough"})  # rules of what was done or entered since
OF_PERSON = frozenset({"veto", "not today", "body", "mode", "away", "wished hours"})  # rules of what changes in a slot


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: ``mask`` returns the allowed cells (the allowed starts if ``starts`` is True), or True, False or a fact.

    ``refusal`` is the fact for a refusal, or its kind. ``actions`` None means all. A ``firm`` rule holds even for what
    the person asks for. A ``guess`` does not hold in hours that the person wishes.
    """

    name: str
    mask: Callable[[Candidate, View], Cells | Fact | bool]
    refusal: str | Callable[[Candidate, View], Fact] = "nothing_fits"
    actions: frozenset[ActionType] | None = None
    starts: bool = False
    firm: bool = True
    guess: bool = False

    def holds_for(self, candidate: Candidate) -> bool:
        return self.actions is None or candidate.action in self.actions

    def refuses(self, candidate: Candidate, view: View) -> Fact:
        return fact(self.refusal) if isinstance(self.refusal, str) else self.refusal(candidate, view)


def fit(candidate: Candidate, view: View, first: int, last: int, *, asked: bool = False) -> Starts | Fact:
    """Return, for each start, how long an action or task can last, in steps of five minutes, or the reason why it
    cannot be.

    ``asked``: the person wants it, so only firm rules count. Wished hours outrank guesses. For a task due today without
    a gap, ways and pauses are shortened, and then a part of the task suffices. One that fits nowhere before its due
    time may come after it, unless it is fetched where somebody closes.
    """
    found, task = _in_time(candidate, view, first, last, asked=asked), candidate.task
    if not isinstance(found, Fact) or task is None or task.due_at is None or FETCH.search((task.title or "")[:200]):
        return found
    late = replace(candidate, task=replace(task, due_at=None))
    return _in_time(late, view, first, last, asked=asked)


def _in_time(candidate: Candidate, view: View, first: int, last: int, *, asked: bool) -> Starts | Fact:
    found = _fit(candidate, view, first, last, asked=asked)
    inside = None if asked or not own_spans(candidate, view) else in_hours(candidate, view, first)
    if inside is not None and not isinstance(inside, Fact):
        return _now(inside, candidate, view, last)
    if not isinstance(found, Fact) or found.kind not in NO_GAP or not is_urgent(candidate, view):
        return found
    if last < view.grid.size and not isinstance(_fit(candidate, view, first, view.grid.size, asked=asked), Fact):
        return found
    tight = replace(view, grid=replace(view.grid, tight=True))
    parts = (candidate, replace(candidate, least=part_of(candidate)))
    fits = (_fit(part, tight, first, last, asked=asked) for part in parts)
    return next((one for one in fits if not isinstance(one, Fact)), found)


def in_hours(candidate: Candidate, view: View, first: int = 0) -> Starts | Fact:
    """Return for each start how many steps the wished hours (or the day) go on, or why there are none."""
    own = own_hours(candidate, view)
    own = np.ones(view.grid.size, dtype=bool) if own is None else own
    cells = np.flatnonzero(own)
    if not cells.size:
        return fact("hours_of_sleep")
    found = _fit(candidate, view, max(first, int(cells[0])), int(cells[-1]) + 1, asked=False)
    if isinstance(found, Fact):
        return found
    lengths = np.minimum(found, run(own))
    lengths = np.where(lengths >= -(-candidate.least // 5), lengths, 0)
    return lengths if lengths.any() else fact("no_gap", minutes=candidate.least)


def _now(lengths: Starts, candidate: Candidate, view: View, last: int) -> Starts | Fact:
    early = np.where(np.arange(lengths.size) < last, lengths, 0)
    return early if early.any() else fact("wished_later", **told_hours(candidate, view))


def part_of(candidate: Candidate) -> int:
    """Return how many minutes of a task due today are worth beginning, if no gap holds the whole task."""
    return min(candidate.least, max(PART, candidate.length.least))


def _fit(candidate: Candidate, view: View, first: int, last: int, *, asked: bool) -> Starts | Fact:
    size, least, wanted = view.grid.size, -(-candidate.least // 5), candidate.wanted // 5
    free, begins = np.ones(size, dtype=bool), np.zeros(size, dtype=bool)
    begins[first:last] = True
    run_of = run(free)
    began, fits = begins.any(), (begins & (run_of >= least)).any()
    own = own_hours(candidate, view)
    for rule in RULES:
        if not rule.holds_for(candidate) or (asked and not rule.firm):
            continue
        mask = rule.mask(candidate, view)
        if mask is True:
            continue
        if isinstance(mask, Fact):
            return mask
        mask = mask | own if rule.guess and own is not None else mask
        alone = mask is False or (began and not (begins & mask).any())  # where too little time is left anyway
        before = free
        if rule.starts or mask is False:
            begins = begins & mask
        else:
            free = free & mask
            run_of = run(free)
        if (fits or alone) and not (begins & (run_of >= least)).any():
            refusal = rule.refuses(candidate, view)
            bare = np.where(begins, run(before & ~_taken(view)), 0)
            is_room = refusal.kind == "no_gap" and bool((bare >= least).any())
            return _within(candidate, view, bare, np.where(begins, run_of, 0)) if is_room else refusal
    fitting = begins & (run_of >= least)
    return np.where(fitting, np.minimum(run_of, wanted), 0) if fitting.any() else fact("nothing_fits")


def _within(candidate: Candidate, view: View, bare: Starts, left: Starts) -> Fact:
    """Return the longest time ``bare`` of entries, and how much of it ways, meals and pauses leave."""
    first = int(np.argmax(bare))
    start, end = (view.person.local(view.grid.at(cell)) for cell in (first, first + int(bare[first])))
    minutes = 5 * int(left[first : first + int(bare[first])].max())
    return fact("no_gap_within", start=start, end=end, left=minutes, minutes=candidate.least)


def _taken(view: View) -> Cells:
    """Return the cells of entries and agreed suggestions, without ways and pauses."""
    return view.grid.touched([*view.entries, *promised(view.person)])


def taken_back(candidate: Candidate, view: View, span: Stretch, *, rules: frozenset[str] = OF_PERSON) -> Fact | None:
    """Return why a suggestion no longer suits what the person stated, or the person's body, or None."""
    low, high = view.grid.up(span[0]), view.grid.down(span[1])
    for rule in RULES:
        if rule.name in rules and rule.holds_for(candidate):
            mask = rule.mask(candidate, view)
            if isinstance(mask, Fact):
                return mask
            if mask is False or (mask is not True and not mask[low:high].all()):
                return rule.refuses(candidate, view)
    return None


# Wishes, body and mode ------------------------------------------------------------------------------------------------


def _not_resting(candidate: Candidate, view: View) -> bool:
    named = "" if candidate.task is None else candidate.task.title or ""
    resting = view.person.resting.get(view.grid.date, ())
    return not any(action is candidate.action and what in ("", named) for action, what in resting)


def _not_put_off(candidate: Candidate, view: View) -> Cells | Fact | bool:
    if candidate.task is not None or candidate.action is None:
        return True
    until = rests_until(view.person, candidate.action)
    if until is None:
        return True
    later = view.grid.inside([(until, view.grid.bed)])
    return later if later.any() else fact("put_off_until", time=view.person.local(until))


def _at_another_hour(candidate: Candidate, view: View) -> Cells | bool:
    name, by = None if candidate.task is None else candidate.task.title, deadline(candidate, view.person)
    slots = refused_slots(view.person, name, by=by)
    return ~view.grid.touched(slots) if slots else True


def _body(candidate: Candidate, view: View) -> Fact | bool:
    body = view.person.body
    if not view.is_today or body.state == "well":
        return True
    rests = candidate.action in ONE_REST or is_urgent(candidate, view)
    return (rests if body.ill else candidate.action is not A.EXERCISE) or body.why


def _mode(candidate: Candidate, view: View) -> Fact | bool:
    mode, due = view.person.mode.on(view.grid.date), presses(candidate, view)
    allowed = mode != "away" or candidate.action not in COMPANY
    if mode == "ill":
        allowed = candidate.action in ONE_REST or is_urgent(candidate, view)
    if mode == "holiday":
        allowed = candidate.action not in OFFICE_WORK or due
    return allowed or fact(f"mode_{mode}")


def _at_home(candidate: Candidate, view: View) -> bool:
    """Refuse company away from home, and sport by habit, whose place is at home. Sport that is wished stays."""
    wished = candidate.task is not None or view.wishes.asks_for(candidate.action, view.grid.date.weekday())
    return (candidate.action is A.EXERCISE and wished) or not view.person.away(view.grid.date)


def _with_somebody(candidate: Candidate, view: View) -> bool:
    """Allow company or learning only as a habit, a wish or a task, or while Connection is low."""
    connection = view.readings.get(Meter.CONNECTION) if view.is_today and candidate.action is A.SOCIALIZE else None
    return (
        candidate.task is not None
        or (connection is not None and connection.coverage > 0 and connection.level < LONELY)
        or candidate.action in view.person.routine.habits
        or view.wishes.more.get(candidate.action or A.SLEEP, 0) > 0
        or view.wishes.asks_for(candidate.action, view.grid.date.weekday())
    )


def _in_own_zone(candidate: Candidate, view: View) -> Cells | bool:
    """On a day with a change of zone, allow only rest after the flight, and tasks that are due soon or late."""
    grid = view.grid
    if candidate.task is not None and presses(candidate, view):
        return True
    if not grid.new_zones or candidate.action not in ONE_REST:
        return not grid.new_zones
    return ~grid.touched((grid.begin, start) for start, _ in view.person.journeys if start < grid.bed)


def _level(candidate: Candidate, view: View) -> Fact | bool:
    if candidate.action is None or not view.is_today or presses(candidate, view):
        return True
    for meter, change in zip(Meter, EFFECTS[candidate.action], strict=True):
        reading = view.readings.get(meter)
        taxes = change <= TAKES or (candidate.action is A.EXERCISE and meter is Meter.VITALITY)
        if taxes and reading is not None and reading.coverage > 0 and reading.level < SHOWN_LOW:
            return fact("level_is_low", meter=str(meter), level=round(reading.level, 2))
    return True


# Tiredness ------------------------------------------------------------------------------------------------------------


def _rested(candidate: Candidate, view: View) -> Cells | Fact | bool:
    """Refuse sport after a short night, after sleeping by day, and once the day was tiring."""
    grid, short = view.grid, short_night(view)
    if short is not None:
        return short
    if grid.wake > grid.since(DAY_SLEEP):
        return fact("slept_until", time=view.person.local(grid.wake))
    if grid.load < TIRING:
        return True
    return grid.strained[:-1] < TIRING if own_spans(candidate, view) else _of_strain(candidate, view)


def _of_strain(_candidate: Candidate, view: View) -> Fact:
    return fact("tiring_day", length=length(view.grid.load))


def little_sleep(view: View) -> Fact | None:
    """Return the fact of a night of under four hours that ended today, or None."""
    told = hardly_slept(view.person, view.grid.date) if view.is_today else None
    return None if told is None else fact("short_opening", asleep=told.values["asleep"])


def _slept_enough(candidate: Candidate, view: View) -> Fact | bool:
    rests = candidate.action in (A.SLEEP, A.ME_TIME) or presses(candidate, view)
    return rests or little_sleep(view) or True


def _recovered(candidate: Candidate, view: View) -> Fact | bool:
    """Refuse usual sport for two days after illness, hardly any sleep or a race. A task is not refused.

    A wish is refused only after illness, unless it is for that very date.
    """
    person, day = view.person, view.grid.date
    if any(person.date_of(race.start) == day for race in person.races if race.key in person.missed):
        return fact("race_day")  # whatever the watch shows of it
    if candidate.task is not None or (candidate.action and wished_once(person.wishes, candidate.action, day)):
        return True
    return held_back(person, day, wished=view.wishes.asks_for(candidate.action, day.weekday())) or True


def _rest_first(candidate: Candidate, view: View) -> Cells | Fact | bool:
    """Refuse quiet minutes for oneself after a short night, and meditation in illness or before a nap, unless usual."""
    night = view.person.slept(view.grid.date) if view.is_today else None
    if candidate.action is A.ME_TIME:
        return night is None or night.end - night.start >= NAP_BELOW
    own = candidate.action in view.wishes.goals or usual(candidate, view)
    if not own and view.is_today and view.person.body.tells_of(view.grid.date):
        return fact("rest_first")
    return bool(own) or short_night(view) is None or view.grid.inside([(nap_until(view.grid), view.grid.bed)])


def _one_s_own(candidate: Candidate, view: View) -> Cells | bool:
    """Refuse time for oneself where hours of a day off are free anyway, unless it is usual, wished or the body asks."""
    asked = candidate.action in view.wishes.goals or view.wishes.asks_for(candidate.action, view.grid.date.weekday())
    serenity = view.readings.get(Meter.SERENITY) if view.is_today else None
    low = serenity is not None and serenity.coverage > 0 and serenity.level <= UNEASY
    needed = low or (view.is_today and view.person.body.state != "well")
    if asked or needed or usual(candidate, view) or not off(view, view.grid.date):
        return True
    return run(~view.grid.touched(view.entries)) * 5 < FREE_ANYWAY


def short_night(view: View) -> Fact | None:
    short = view.person.short_of_sleep if view.is_today else None
    night = view.person.slept(view.grid.date)
    least = SHORT_NIGHT if night is None or night.end - night.start >= BRIEF else SHORT_NIGHT / 2
    return None if short is None or short < least else fact("short_night", length=length(short / MINUTE))


def _waits_for_work(candidate: Candidate, view: View) -> Fact | bool:
    """Refuse work without a task on full days off and on those without a cause, and tasks that can wait."""
    grid, due = view.grid, candidate.due
    if candidate.task is None and candidate.action in OFFICE_WORK and off(view, grid.date):
        cause = view.wishes.asks_for(candidate.action, grid.date.weekday()) or _done_then(candidate, view)
        full = length_of(clipped(view.person.attended, grid.begin, grid.bed)) >= LOAD * MINUTE
        return fact("no_working_time") if full or not cause else True
    if due is None or grid.work or grid.date.weekday() < WEEKEND or is_near(candidate, view):
        return True
    if (due - grid.date).days > DUE_DAYS:
        return fact("due_in", days=(due - grid.date).days)
    hours = grid.worked(6)
    return hours < HARD_WEEK or fact("long_week", hours=round(hours))


def _done_then(candidate: Candidate, view: View) -> bool:
    """Return True if the calendar held an action on three of the four days a week apart before the day."""
    done = [o for o, label in view.person.known.agenda if label.action is candidate.action]
    days = [view.grid.midnight - 7 * k * DAY for k in range(1, 5)]
    return sum(any(low <= o.start < low + DAY and takes_time(o.event) for o in done) for low in days) >= 3


def _has_room(candidate: Candidate, view: View) -> Cells | Fact | bool:
    work = candidate.task is not None or candidate.action in WORK
    return not work or is_urgent(candidate, view) or view.grid.load < TIRING or _rested(candidate, view)


# Free time ------------------------------------------------------------------------------------------------------------


def _free(candidate: Candidate, view: View) -> Cells:
    grid = view.grid
    taken = [
        *promised(view.person),
        *view.attended_beside,
        *([] if candidate.action is A.FAMILY_TIME else grid.with_family),
    ]
    if candidate.action in COMPANY:
        taken += [
            (o.start - ALONE, o.end + ALONE)
            for o, label in grid.entries
            if (label.action or label.runner_up) in COMPANY
        ]
    if candidate.action is A.EXERCISE:
        taken += [(end, end + DIGESTION) for start, end in grid.meals if (start, end) in view.person.attended]
        trips = [(o.start, o.end) for o in view.person.trips]
        taken += [(start - BEFORE_TRAVEL, end + AFTER_TRAVEL) for start, end in (*view.person.journeys, *trips)]
    if candidate.action is A.MEDITATE:
        taken += [(o.end, o.end + APART) for o in view.person.races if o.end - o.start >= LONG_SPORT]
    busy, own = grid.fixed if is_urgent(candidate, view) else grid.busy, own_hours(candidate, view)
    free = ~(_with_time_after(busy, candidate.length.after) | grid.touched(taken))
    if own is None:
        return free
    firm = _with_time_after(grid.entered, min(candidate.length.after, WASH)) | grid.touched(taken)
    return free | (own & ~firm)


def _with_time_after(busy: Cells, minutes: int) -> Cells:
    """Return the busy cells, widened by so many minutes before each busy stretch."""
    return busy | _shifted(busy, minutes // 5) if minutes >= 5 else busy


def _shifted(cells: Cells, by: int) -> Cells:
    found = cells.copy()
    ends = np.flatnonzero(cells)
    for start in ends[np.flatnonzero(np.diff(ends, prepend=-2) > 1)]:
        found[max(start - by, 0) : start] = True
    return found


def _apart(candidate: Candidate, view: View) -> Cells | bool:
    apart = APART if candidate.task is None else BESIDE if view.grid.tight else PAUSE
    return ~view.grid.touched((one.start - apart, one.end + apart) for one in view.near) if view.near else True


def _of_apart(candidate: Candidate, view: View) -> Fact:
    time = view.person.local(view.near[-1].start)
    beside = fact("no_gap_beside", minutes=candidate.least, time=time)
    return fact("suggestion_at", time=time) if candidate.task is None else beside


RULES: tuple[Rule, ...] = (
    Rule(name="veto", mask=lambda one, view: one.action not in view.wishes.never, refusal="vetoed"),
    Rule(name="not today", mask=_not_resting, refusal="not_today", firm=False),
    Rule(name="put off", mask=_not_put_off, firm=False),
    Rule(name="refused", mask=_at_another_hour, refusal="refused_now", firm=False),
    Rule(name="little sleep", mask=_slept_enough, firm=False),
    Rule(name="tired", actions=frozenset({A.EXERCISE}), mask=_rested, refusal=_of_strain),
    Rule(name="body", mask=_body),
    Rule(name="mode", mask=_mode),
    Rule(name="subject", actions=frozenset({A.LEARN}), mask=_with_somebody, refusal="no_grounds", firm=False),
    Rule(
        name="new zone",
        mask=_in_own_zone,
        refusal=lambda _, view: view.person.of_zone(view.grid.new_zones[-1]),
        firm=False,
    ),
    Rule(name="away", actions=COMPANY | {A.EXERCISE}, mask=_at_home, refusal="away"),
    Rule(name="somebody", actions=COMPANY, mask=_with_somebody, refusal="nobody_known", firm=False),
    Rule(name="level", mask=_level),
    Rule(name="planned", actions=PLANNED_ONCE, mask=masks.not_planned, firm=False),
    Rule(name="lately", mask=masks.not_lately, refusal=masks.of_lately, firm=False),
    Rule(name="exam", actions=WORK | {A.EXERCISE}, mask=masks.before_exam, refusal="exam_first", firm=False),
    Rule(name="recovered", actions=frozenset({A.EXERCISE}), mask=_recovered, firm=False),
    Rule(name="deadline", mask=masks.by_the_deadline, refusal="deadline_over"),
    Rule(name="too often", mask=masks.not_too_often, refusal=masks.of_too_often, firm=False),
    Rule(name="often enough", mask=masks.not_enough, firm=False),
    Rule(name="one rest", actions=LEISURE, mask=masks.one_kind_of_rest, refusal="another_rest", firm=False),
    Rule(
        name="nap",
        actions=frozenset({A.SLEEP}),
        mask=lambda _, view: (view.is_today and view.person.body.ill) or short_night(view) is not None,
        refusal="bedtime_far",
        firm=False,
    ),
    Rule(name="rest first", actions=RESTS, mask=_rest_first, refusal="nap_first", firm=False),
    Rule(name="long day", mask=_has_room, refusal=_of_strain),
    Rule(name="free day", mask=_waits_for_work, firm=False),
    Rule(name="hours", mask=masks.hours, refusal=masks.of_hours, guess=True),
    Rule(name="after waking", mask=masks.after_waking, refusal="hour_of_day", guess=True),
    Rule(name="sum of the day", mask=has_place, refusal="sum_of_day"),
    Rule(name="few then", mask=has_few, refusal="outside_hours", starts=True),
    Rule(name="wished hours", mask=wished, refusal="outside_hours"),
    Rule(name="free anyway", actions=frozenset({A.ME_TIME}), mask=_one_s_own, refusal="no_grounds", firm=False),
    Rule(name="ahead", mask=masks.ahead, refusal="hour_of_day", starts=True),
    Rule(name="free", mask=_free, refusal=lambda one, _: fact("no_gap", minutes=one.least)),
    Rule(name="shops", actions=WORK, mask=masks.shops_open, refusal="shops_closed"),
    Rule(name="calls", actions=WORK, mask=masks.answered, refusal="no_calls"),
    Rule(name="apart", mask=_apart, refusal=_of_apart, firm=False),
    Rule(name="late", mask=masks.not_too_late, refusal="hour_of_day", starts=True, guess=True),
)
