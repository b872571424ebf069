"""The rules that every recommendation and day plan must keep, and counts of how often each is broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise

from bridge.advice import requests
from bridge.advice.day_plan import plan_day
from bridge.advice.recommend import load_person
from bridge.calendar.busy import clipped
from bridge.day.blocks import Block
from bridge.day.masks import BEFORE_BED
from bridge.day.person import Person
from bridge.day.plan import DayPlan
from bridge.day.view import LENGTHS
from bridge.domain.records import Recommendation, Silence, User
from bridge.domain.rendering import for_person
from bridge.domain.slots import moment_at
from bridge.installation import Bridge
from bridge.meters import read
from lab.plans.surfaces import against_their_sign, disagreements
from rhythm_env.interface import ActionType, Answer

PLACED = ("suggested", "task", "wind_down")
RULE_NAMES = (
    "overlaps an entry",
    "sleep too early",
    "vetoed",
    "begins before now",
    "length not plausible",
    "surfaces disagree",
    "reason against its sign",
    "too many suggestions",
)


@dataclass(slots=True)
class Counts:
    """The numbers of checks, of recommendations by kind and action, and of broken rules, with examples.

    A check (``look``) asks for a recommendation and a plan. ``days``, ``weeks`` and ``slots`` are what the checks
    covered.
    """

    looks: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    advice: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    days: set[tuple[int, date]] = field(default_factory=set)
    weeks: set[tuple[int, date, str]] = field(default_factory=set)  # user, week, action
    slots: set[tuple[int, date, int, str, date]] = field(default_factory=set)  # user, week, slot, action, date

    def note(self, rule: str, example: str) -> None:
        """Count a broken rule. The example is kept while there are fewer than EXAMPLES_MAX."""
        self.broken[rule] += 1
        if len(self.examples) < EXAMPLES_MAX:
            self.examples.append(f"{rule}: {example}")


EXAMPLES_MAX = 40


def look(bridge: Bridge, user: User, now: datetime, counts: Counts, *, kind: str) -> None:
    """Ask for a user's recommendation and day plan at ``now``, and count in ``counts`` every rule that they break.

    ``kind`` names the user's kind of calendar in the examples.
    """
    advice = requests.recommend(bridge, user, now=now)
    plan = plan_day(bridge, user, None, now=now)
    again = requests.recommend(bridge, user, now=now)
    person = load_person(bridge, user, now=now)
    counts.looks += 1
    counts.days.add((user.id, plan.date))
    found = [*broken(advice, again, plan, person)]
    found += [("surfaces disagree", text) for text in disagreements(bridge, user, advice, plan, now)]
    readings = read(person.known)
    found += [("reason against its sign", text) for text in against_their_sign(readings)]
    for rule, example in found:
        counts.note(rule, f"{kind}, {person.clock(now)} {plan.date:%a %d %b}: {example}")
    if isinstance(advice, Silence):
        counts.advice["silence by lot" if advice.by_lot else "silence"] += 1
    else:
        counts.advice[f"{advice.kind} {advice.action}"] += 1
        moment = moment_at(now, user.zones)
        counts.weeks.add((user.id, moment.week, str(advice.action)))
        if advice.kind == "suggested" and not _is_their_own(advice.action, moment.date, person):
            counts.slots.add((user.id, moment.week, int(moment.slot), str(advice.action), moment.date))


def _is_their_own(action: ActionType, day: date, person: Person) -> bool:
    """Return True if an action is a goal of the user, or a habit on this weekday. Both may be suggested every day."""
    habit = person.routine.habits.get(action)
    return action in person.wishes.goals or (habit is not None and day.weekday() in habit.starts)


def broken(
    advice: Recommendation | Silence, again: Recommendation | Silence, plan: DayPlan, person: Person
) -> Iterator[tuple[str, str]]:
    """Yield (name of the rule, example) for each rule that a recommendation and a day plan break.

    ``again`` is the answer to a second request for the recommendation, which must be the same.
    """
    yield from _of_blocks(plan, person)
    if isinstance(advice, Recommendation):
        yield from _of_advice(advice, person)
    yield from _of_surfaces(advice, again, plan)


def _of_blocks(plan: DayPlan, person: Person) -> Iterator[tuple[str, str]]:
    for block in plan.blocks:
        text = f"{block.kind} {block.action} {person.clock(block.start)}-{person.clock(block.end)}"
        if block.kind in PLACED:
            if clipped(person.attended, block.start, block.end):
                yield "overlaps an entry", text
            if (block.end if block.kind == "task" else block.start) < person.now:
                yield "begins before now", text
            yield from _of_length(block, text)
        if block.kind in ("suggested", "sleep") and _early(block, person):
            yield "sleep too early", text
        if block.kind == "suggested" and block.action in person.wishes.never:
            yield "vetoed", text
    placed = sorted((b.start, b.end) for b in plan.blocks if b.kind in PLACED)
    if any(one[1] > other[0] for one, other in pairwise(placed)):
        yield "overlaps an entry", "two suggestions overlap"
    suggested = sum(block.kind == "suggested" for block in plan.blocks)
    if suggested > person.wishes.suggestions:
        yield "too many suggestions", str(suggested)


def _of_length(block: Block, text: str) -> Iterator[tuple[str, str]]:
    if block.kind == "suggested" and block.action is not None:
        minutes = (block.end - block.start) / timedelta(minutes=1)
        rule = LENGTHS[block.action]
        if not rule.least <= minutes <= rule.most:
            yield "length not plausible", text


def _early(block: Block, person: Person) -> bool:
    """Return True if a nap is long, late or close to the night, or a night begins long before the usual bedtime."""
    if block.action is not ActionType.SLEEP:
        return False
    if block.kind == "suggested":
        late = block.end > person.sleep(person.date_of(block.start) + timedelta(days=1))[0] - timedelta(hours=7)
        return late or person.clock(block.start) >= "15:00" or block.end - block.start > timedelta(minutes=30)
    nights = (person.routine.sleep_ending_on(person.date_of(block.end), person.known.zones),)
    return all(block.start < bed - BEFORE_BED for bed, _ in nights)


def _of_advice(advice: Recommendation, person: Person) -> Iterator[tuple[str, str]]:
    text = f"{advice.action} {advice.kind}"
    if advice.start is None or advice.end is None:
        yield "length not plausible", f"{text} without a time"
        return
    if advice.action in person.wishes.never:
        yield "vetoed", text
    if advice.kind == "suggested" and clipped(person.attended, advice.start, advice.end):
        yield "overlaps an entry", text
    if any(fact.kind.startswith("slept_short") for fact in advice.facts) and advice.action is ActionType.DEEP_WORK:
        yield "reason against its sign", "; ".join(for_person(advice.facts))


def _of_surfaces(
    advice: Recommendation | Silence, again: Recommendation | Silence, plan: DayPlan
) -> Iterator[tuple[str, str]]:
    if isinstance(advice, Silence) or isinstance(again, Silence):
        if type(advice) is not type(again):
            yield "surfaces disagree", f"{advice} and {again}"
        return
    if (advice.id, advice.action, advice.start) != (again.id, again.action, again.start):
        yield "surfaces disagree", f"recommend said {advice.action} and then {again.action}"
    ignored = advice.answer in (Answer.IGNORE, Answer.RESCHEDULE)
    if advice.kind == "suggested" and not ignored and not any(_same(block, advice) for block in plan.blocks):
        yield "surfaces disagree", f"the plan lacks {advice.action} at {advice.start}"


def _same(block: Block, advice: Recommendation) -> bool:
    return (block.recommendation_id, block.action, block.start) == (advice.id, advice.action, advice.start)


def repeated(counts: Counts, days: int = 3) -> int:
    """Return how often a user got the same suggestion in the same slot on more than ``days`` days of a week."""
    weeks = Counter(key[:4] for key in counts.slots)
    return sum(number > days for number in weeks.values())


def actions_a_week(counts: Counts) -> float:
    """Return the number of different actions recommended to a user in a week, as a mean over users and weeks."""
    weeks = Counter(key[:2] for key in counts.weeks)
    return sum(weeks.values()) / max(len(weeks), 1)


def total(counts: Sequence[Counts]) -> Counts:
    """Return the sum of several counts, each of which is about other users."""
    whole = Counts()
    for number, one in enumerate(counts):
        whole.looks += one.looks
        whole.broken += one.broken
        whole.advice += one.advice
        whole.examples = [*whole.examples, *one.examples][:EXAMPLES_MAX]
        whole.days |= {(number, day) for _, day in one.days}
        whole.weeks |= {(number, *key[1:]) for key in one.weeks}
        whole.slots |= {(number, *key[1:]) for key in one.slots}
    return whole
