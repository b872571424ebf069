"""Build the plan of a date from blocks: entries, suggestions, tasks before their deadlines, winding down, and sleep."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from bridge.calendar.busy import Stretch, clipped, merged, takes_time
from bridge.calendar.expansion import midnight
from bridge.day.place import is_journey
from bridge.domain.facts import Fact, fact
from bridge.domain.slots import ZoneSpan, zone_at
from bridge.domain.types import Label, Occurrence, Reading, Task
from bridge.planning.common_sense import occupied
from bridge.planning.facts import of_task, reasons
from bridge.planning.kept_entries import is_own
from bridge.planning.night_facts import of_bedtime, of_waking
from bridge.planning.outlook import Expected
from bridge.planning.rules import REST_AFTER_SPORT, RESTS
from bridge.planning.situation import BESIDE, WAY_HOME, Option, Situation
from bridge.planning.tasks import TASK_PAUSE, due_tasks, has_room, kept_place, place_of
from bridge.planning.waking_day import Day, rounded_up, without
from rhythm_env.interface import ActionType, Meter

A_DAY = timedelta(days=1)
WIND_DOWN, WIND_DOWN_MIN = timedelta(minutes=45), timedelta(minutes=15)
WIND_DOWN_BACK = timedelta(minutes=90)  # earliest begin before bedtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A part of a day's plan. ``kind`` is entry, keep, suggested, task, wind_down or sleep.

    ``recommendation_id`` is that of the recommendation which the block shows. It is None for a preview and for all
    other blocks. ``task`` is the key of the open task that a block names, or None if it names none.
    """

    start: datetime
    end: datetime
    kind: str
    action: ActionType | None = None
    title: str | None = None
    facts: tuple[Fact, ...] = ()
    recommendation_id: int | None = None
    all_day: bool = False
    flight: bool = False
    task: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPlan:
    """The plan of a date, with ``blocks`` in order of time, and the day's working hours in ``work``.

    ``wake`` is on the date, and ``bedtime`` at its end. Both are None if nothing is known of the user. ``changes`` say
    which suggestions were withdrawn, and why. ``outlook`` holds the expected levels of the meters, for tomorrow only.
    ``moves`` are the stays in other time zones that begin on the day. ``zone`` is the user's now for today, else that
    of the date's midnight.
    """

    date: date
    zone: str
    bedtime: datetime | None
    wake: datetime | None
    work: tuple[Stretch, ...]
    blocks: tuple[Block, ...]
    changes: tuple[Fact, ...] = ()
    outlook: tuple[Expected, ...] = ()
    moves: tuple[ZoneSpan, ...] = ()

    @property
    def rows(self) -> list[Block | ZoneSpan]:
        """The blocks in order of time, all-day blocks first, and the stays in new time zones between them.

        Where a flight sets the clock anew, the stay in the new zone comes before the next block that is not all-day. A
        stay without such a block is left out.
        """
        blocks = sorted(self.blocks, key=lambda block: (not block.all_day, block.start, block.end))
        timed = [block for block in blocks if not block.all_day]
        found: list[Block | ZoneSpan] = [*blocks]
        for move in self.moves:
            following = next((block for block in timed if block.start >= move.since), None)
            if following is not None:
                found.insert(found.index(following), move)
        return found


def fixed_blocks(situation: Situation, day: date) -> list[Block]:
    """Return the calendar entries of a date as blocks, ascending.

    Left out are cancelled and declined entries, and those that merely mark a working place or a task. The kind is
    ``keep`` if an entry is the user's own, worth keeping and not vetoed, otherwise ``entry``. A ``keep`` entry of
    DEEP_WORK that is not over names a due task, if any is left, as its reason.
    """
    start, end = (midnight(day + k * A_DAY, situation.known.zones) for k in (0, 1))
    found = [
        _entry(situation, occurrence, label)
        for occurrence, label in situation.entries
        if occurrence.start < end and (occurrence.end > start or occurrence.start == start) and _stands(occurrence)
    ]
    return _with_tasks(situation, found)


def _stands(occurrence: Occurrence) -> bool:
    """Return True if a calendar entry belongs in the plan.

    It must be neither cancelled nor declined, and not merely mark a working place or a task.
    """
    event = occurrence.event
    return takes_time(event) or (
        not event.cancelled and event.response != "declined" and event.kind not in ("workingLocation", "task")
    )


def _entry(situation: Situation, occurrence: Occurrence, label: Label) -> Block:
    event = occurrence.event
    keeps = is_own(situation, occurrence, label)
    vetoed = label.action in situation.wishes.never
    return Block(
        start=occurrence.start,
        end=occurrence.end,
        kind="keep" if keeps and not vetoed else "entry",
        action=label.action,
        title=None if event.private else event.title,
        all_day=event.all_day,
        flight=is_journey(occurrence),
        facts=_landing(situation, occurrence),
    )


def _landing(situation: Situation, occurrence: Occurrence) -> tuple[Fact, ...]:
    """Return a tuple with the fact of a flight's landing, on the clocks of arrival and of departure.

    The tuple is empty for other entries, and for flights between places with the same clock.
    """
    before, after = (zone_at(at, situation.known.zones) for at in (occurrence.start, occurrence.end))
    landing = occurrence.end.astimezone(before)
    if not is_journey(occurrence) or landing.utcoffset() == occurrence.end.astimezone(after).utcoffset():
        return ()
    there = occurrence.end.astimezone(after)
    return (fact("landing_clocks", there=there, here=landing),)


def _with_tasks(situation: Situation, blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks, where each DEEP_WORK entry to keep names a due task of DEEP_WORK as its reason.

    The task that shares most words with the entry's title comes first, else the most pressing. Entries that have ended
    get no task, and each task is given to a single entry only.
    """
    due = [t for t in due_tasks(situation) if situation.task_actions.get(t.key) is ActionType.DEEP_WORK]
    found: list[Block] = []
    for block in blocks:
        focus = block.kind == "keep" and block.action is ActionType.DEEP_WORK and block.end > situation.now
        task = max(due, key=lambda t: len(_words(t.title) & _words(block.title)), default=None) if focus else None
        if task is not None:
            due.remove(task)
        found.append(
            block if task is None else replace(block, facts=(fact("for_task", title=task.title),), task=str(task.key))
        )
    return found


def _words(title: str | None) -> set[str]:
    """Return a title's words of three letters and more, in lower case."""
    return set(re.findall(r"[^\W\d_]{3,}", (title or "")[:200].lower()))


def suggestion_block(
    option: Option, situation: Situation, readings: Mapping[Meter, Reading], task: Task | None
) -> Block:
    """Return an option as a block of a preview, with the reasons that speak for it.

    The reasons rest on the ``situation``, the meters' ``readings`` and the task. The title is that of ``task``, the
    open task that the action works on. If ``task`` is None, the title is that of the entry or usual activity. It is
    None if that is unknown.
    """
    return Block(
        start=option.start,
        end=option.end,
        kind=option.kind,
        action=option.action,
        title=option.what if task is None else task.title,
        facts=reasons(option, situation, readings, task),
        task=None if task is None else str(task.key),
    )


def task_blocks(situation: Situation, day: Day, taken: Sequence[Block]) -> Iterator[Block]:
    """Yield a block for each due task that ``taken`` does not name, the most urgent first.

    A task that an earlier plan has shown comes before the rest, and keeps its place while that is free. Left out are
    tasks for which the day has no room (``tasks.has_room``) or no free stretch. So are tasks that are due from today on
    and before ``day``. ``taken`` holds the blocks of the plan so far.
    """
    named = {block.title for block in taken} | {block.task for block in taken}
    said = [b for b in taken if not b.all_day]
    before = [b.action for b in taken if b.kind == "suggested" and b.action not in RESTS]
    for task in sorted(due_tasks(situation), key=lambda task: str(task.key) not in situation.places):
        is_past = task.due is not None and situation.date_of(situation.now) <= task.due < day.date
        if is_past or {task.title, str(task.key)} & named or not has_room(task, day, before):
            continue
        action = situation.task_actions.get(task.key)
        busy = [*occupied(day), *(_apart(block, action) for block in said)]
        place = kept_place(task, day, busy) or place_of(task, day, busy)
        if place is not None:
            before = [*before, action]
            block = Block(
                start=place[0],
                end=place[1],
                kind="task",
                action=action,
                title=task.title,
                facts=of_task(task, situation, day.date),
                task=str(task.key),
            )
            said = [*said, block]
            yield block


def _apart(block: Block, action: ActionType | None) -> Stretch:
    """Return the stretch of a block, widened by the time kept free around it for a task of ``action``.

    That is five minutes at each end between errands (ADMIN_WORK), and 30 around other tasks. Around other blocks it is
    as ``with_rest`` says. ``action`` None stands for a task of unknown action.
    """
    if block.kind in ("suggested", "task") and block.action is action is ActionType.ADMIN_WORK:
        return block.start - BESIDE, block.end + BESIDE
    return (block.start - TASK_PAUSE, block.end + TASK_PAUSE) if block.kind == "task" else with_rest(block)


def night_blocks(situation: Situation, day: date, taken: Sequence[Block]) -> Iterator[Block]:
    """Yield the sleep that ends on ``day`` and the sleep after it.

    A sleep that has ended, or lies on board of a flight, is left out. Between the two comes a block to wind down before
    bedtime. It lies in a stretch that the blocks in ``taken`` leave free.
    """
    for ends in (day, day + A_DAY):
        bed, wake = situation.sleep(ends)
        on_board = any(o.start <= bed and wake <= o.end for o in situation.flights)
        if wake <= situation.now or on_board:
            continue
        if ends > day:
            yield from _wind_down(situation, ends, taken)
        yield Block(start=bed, end=wake, kind="sleep", action=ActionType.SLEEP, facts=(of_waking(situation, ends),))


def _wind_down(situation: Situation, ends: date, taken: Sequence[Block]) -> Iterator[Block]:
    """Yield a block to wind down before the sleep that ends on the date ``ends``.

    It ends with the last free stretch of the 90 minutes before the sleep, and takes at most 45 minutes. If that stretch
    has less than 15 minutes, nothing is yielded.
    """
    bed = situation.sleep(ends)[0]
    low = max(bed - WIND_DOWN_BACK, rounded_up(situation.now))
    home = [*((start, end + WAY_HOME) for start, end in situation.attended), *situation.journeys]
    free = without([(low, bed)], [*home, *spans(taken)]) if low < bed else []
    if free and free[-1][1] - free[-1][0] >= WIND_DOWN_MIN:
        start, end = max(free[-1][0], free[-1][1] - WIND_DOWN), free[-1][1]
        yield Block(start=start, end=end, kind="wind_down", facts=(of_bedtime(situation, ends),))


def with_rest(block: Block) -> Stretch:
    """Return the stretch of a block, widened by the time that is kept free before and after it.

    A suggestion has 30 minutes before it and an entry to keep five. After both come 30 minutes, or 45 after exercise.
    Other blocks have only five minutes after them.
    """
    if block.kind not in ("suggested", "keep") or block.action is None:
        return block.start, block.end + BESIDE
    rest = REST_AFTER_SPORT if block.action is ActionType.EXERCISE else TASK_PAUSE
    return block.start - (TASK_PAUSE if block.kind == "suggested" else BESIDE), block.end + rest


def spans(blocks: Sequence[Block]) -> list[Stretch]:
    """Return (start, end) of each block that is not all-day."""
    return [(b.start, b.end) for b in blocks if not b.all_day]


def clear_of(option: Option, blocks: Sequence[Block]) -> bool:
    """Return True if an option overlaps none of the blocks. All-day blocks do not count."""
    return not clipped(merged(spans(blocks)), option.start, option.end)
