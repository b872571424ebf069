"""Compare a recommendation with what the data show of its time, and derive the answer that a model learns from.

Data rarely prove that something was not done, so ``NOT_DONE`` needs a source that would have shown it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from bridge.calendar.busy import Stretch
from bridge.calendar.kinds import SURE
from bridge.domain.facts import Fact, fact
from bridge.domain.metrics import METRICS, Metric, Shape
from bridge.domain.records import Deed, Recommendation, Snapshot
from bridge.domain.samples import CHECK_INS
from bridge.domain.slots import Moment, ZoneHistory, ends_shown, local_time, moment_of, slot_bounds, slot_start
from bridge.domain.types import Episode, EpisodeKind, Event, Occurrence, Response, Sample, Task
from rhythm_env.interface import SLOTS_PER_DAY, ActionType, Answer, Slot

Found = tuple[Deed, tuple[Fact, ...]]
Trace = tuple[Deed, Fact]  # evidence in the data that the action was done, or partly done, without title
Given = TypeVar("Given", bound=Recommendation)

MINUTE, HOUR, NONE = timedelta(minutes=1), timedelta(hours=1), timedelta(0)
KEPT_UNTIL = datetime(2026, 11, 28, tzinfo=UTC)  # the day from which what is in the calendar is no advice
WIDER = timedelta(hours=2)  # so far from its times an action still counts
LEAST = timedelta(minutes=10)  # of a workout or an entry
MINDFUL_LEAST = timedelta(minutes=5)
IN_TIME, LATE = timedelta(minutes=90), timedelta(hours=3)  # distance of falling asleep from the time advised
NAP_MAX = timedelta(hours=1)  # a longer sleep is a night
NIGHT_SHARE = 0.5  # of what was left of a night's slot
SETTLES = timedelta(days=3)  # after the end of advice; until then late data can change a known outcome
BEFORE = timedelta(days=28)  # in which a source has to have shown such actions
RHYTHM = timedelta(days=14)  # in which a source has to have measured by day, if its silence is to mean anything
WORN = 0.5  # share of the hours with a measurement
EVIDENCE_MAX = 4  # facts
TITLE_LEAST = 4  # letters of a task's title that is looked for within other words
AWAITED = "awaited"  # the kind of a fact about a source that may still show it
DAYTIME = frozenset({Slot.MORNING, Slot.AFTERNOON})
NOTHING_DONE = frozenset({"birthday", "workingLocation", "outOfOffice"})  # kinds of entries that nobody does
RANKS = (Deed.DONE, Deed.PARTLY)


def as_answer(advice: Recommendation, at: datetime) -> Answer | None:
    """Return the answer to a recommendation that a model learns from at ``at``, or None if it learns nothing.

    The user's own answer comes first, then the outcome if the advice was seen, but not for sleep.
    """
    if _known_by(advice.superseded_at, at) or (advice.kind == "keep" and at >= KEPT_UNTIL):
        return None
    if advice.answer is not None and _known_by(advice.answered_at, at):
        return advice.answer
    if advice.kind in ("keep", "sleep") or not _known_by(advice.shown_at, at):
        return None
    outcome = outcome_at(advice, at)
    if outcome is Deed.DONE:
        return Answer.ACCEPT
    return Answer.IGNORE if outcome is Deed.NOT_DONE and advice.expires_at <= at else None


def outcome_at(advice: Recommendation, at: datetime) -> Deed | None:
    """Return the outcome of a recommendation as it was known at ``at``."""
    if _known_by(advice.outcome_at, at):
        return advice.outcome
    return advice.outcome_before if _known_by(advice.outcome_before_at, at) else None


def _known_by(since: datetime | None, at: datetime) -> bool:
    return since is not None and since <= at


def meant_for(advice: Recommendation) -> Moment | None:
    """Return the slot in which the user was to act, or None for advice put off without a new slot."""
    return advice.moved_to if advice.answer is Answer.RESCHEDULE else advice.moment


def over_at(advice: Recommendation, zones: ZoneHistory) -> datetime:
    """Return the end of a recommendation's slot, or of the slot to which it was put off."""
    moment = meant_for(advice)
    return advice.expires_at if moment in (None, advice.moment) else slot_bounds(moment, zones)[1]


def day_end(advice: Recommendation, zones: ZoneHistory) -> datetime:
    """Return the end of the day of a recommendation, or of the day it was put off to. Until then it can be answered."""
    last = max(moment for moment in (advice.moment, advice.moved_to) if moment is not None)
    return _day(last, zones)[1]


def time_of(advice: Recommendation, zones: ZoneHistory) -> Stretch | None:
    """Return the time in which the action counts as following the recommendation: its slot, or its times widened.

    None means put off to no slot, or no time left.
    """
    moment = meant_for(advice)
    if moment is None:
        return None
    begin, end = slot_bounds(moment, zones)
    if moment == advice.moment:
        end = max(end, advice.expires_at)  # hours that a flight west brought twice
    placed = advice.start is not None and (moment == advice.moment or begin <= advice.start < end)
    if placed and advice.start is not None and advice.end is not None:
        first, last = _day(moment, zones)
        begin, end = max(first, advice.start - WIDER), min(last, advice.end + WIDER)
    begin = begin if advice.kind == "keep" else max(begin, advice.created_at)
    return (begin, end) if begin < end else None


def _day(moment: Moment, zones: ZoneHistory) -> Stretch:
    morning = moment_of(moment.week, moment.day * SLOTS_PER_DAY)
    return slot_start(morning, zones), slot_start(morning.shifted(SLOTS_PER_DAY), zones)


def with_task(advice: Given, tasks: Iterable[Task]) -> Given:
    """Return a recommendation, with the outcome "done" if the task that it names was completed since it was made."""
    done = (t.completed for t in tasks if t.completed is not None and advice.what and t.title == advice.what)
    since = min((at for at in done if at >= advice.created_at), default=None)
    return advice if since is None else replace(advice, outcome=Deed.DONE, outcome_at=since)


def observed(advice: Recommendation, known: Snapshot) -> Found:
    """Return (outcome, evidence) of a recommendation by the data known at ``known.at``. The evidence is a few facts.

    ``known`` must reach back to 28 days before the recommendation.
    """
    span = time_of(advice, known.zones)
    if span is None:
        later = tuple(_task(advice, known, advice.expires_at))
        return (later[0][0] if later else Deed.UNKNOWN), tuple(why for _, why in later)
    measured = list(_measured(advice, known, span))
    entries = list(_entries(advice, known, span))
    missed, awaited = ([], []) if measured else _missed(advice, known, span)
    if missed and not entries and any(_in_time(advice, known, span)):
        missed = []  # an entry that stood there before says that it may have been done, and the watch that it was not
    traces = measured + entries
    found = tuple([one for _, one in traces] + missed)[:EVIDENCE_MAX]
    if traces and not missed:
        return min((deed for deed, _ in traces), key=RANKS.index), found
    if missed and not traces:
        return Deed.NOT_DONE, found
    return Deed.UNKNOWN, found or tuple(awaited)[:EVIDENCE_MAX]


def _measured(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Trace]:
    if advice.action is ActionType.EXERCISE:
        yield from _workouts(advice, known, span)
    elif advice.action is ActionType.SLEEP:
        yield from _naps(advice, known, span) if is_nap(advice) else _nights(advice, known, span)
    elif advice.action is ActionType.MEDITATE:
        yield from _sessions(advice, known, span)
    if advice.what:
        yield from _task(advice, known, span[1])


def _episodes(known: Snapshot, kind: EpisodeKind, span: Stretch) -> Iterator[tuple[str, Episode, timedelta]]:
    for source, one in known.episodes:
        within = min(one.end, span[1]) - max(one.start, span[0])
        if one.kind is kind and within > NONE and one.end <= known.at:
            yield source, one, within


def _workouts(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Trace]:
    for source, one, within in _episodes(known, EpisodeKind.WORKOUT, span):
        if _begun(advice, one):
            continue
        whole = within >= min(LEAST, one.end - one.start) and one.end - one.start >= LEAST
        yield Deed.DONE if whole else Deed.PARTLY, _seen("seen_workout", one, known, source=source)


def is_nap(advice: Recommendation) -> bool:
    """Return True if a recommendation to sleep means a nap, which is short or, without times, in daytime."""
    if advice.start is not None and advice.end is not None:
        return advice.end - advice.start <= NAP_MAX
    moment = meant_for(advice)
    return moment is not None and moment.slot in DAYTIME


def _begun(advice: Recommendation, one: Episode) -> bool:
    return advice.kind != "keep" and one.start < advice.created_at


def _naps(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Trace]:
    for source, one, _ in _episodes(known, EpisodeKind.NAP, span):
        if not _begun(advice, one):
            yield Deed.DONE, _seen("seen_nap", one, known, source=source)
    for source, one, _ in _episodes(known, EpisodeKind.SLEEP, span):
        if one.start >= span[0]:  # who works at night
            yield Deed.DONE, _seen("seen_asleep", one, known, source=source)


def _nights(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Trace]:
    for source, one in known.episodes:
        if one.kind is EpisodeKind.SLEEP and one.end <= known.at:
            deed = _slept(advice, one, span)
            if deed is not None:
                yield deed, _seen("seen_asleep", one, known, source=source)


def _slept(advice: Recommendation, one: Episode, span: Stretch) -> Deed | None:
    if advice.start is not None:
        off = abs(one.start - advice.start)
        return Deed.DONE if off <= IN_TIME else Deed.PARTLY if off <= LATE else None
    within = min(one.end, span[1]) - max(one.start, span[0])
    if within <= NONE:
        return Deed.PARTLY if span[1] <= one.start <= span[1] + IN_TIME else None
    moment = meant_for(advice)
    at_night = moment is not None and moment.slot is Slot.NIGHT
    needed = (span[1] - span[0]) * NIGHT_SHARE if at_night else MINUTE
    return Deed.DONE if within >= needed else Deed.PARTLY


def _sessions(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Trace]:
    for source, one in known.samples:
        end = one.end or one.start + one.value * MINUTE
        if one.metric is Metric.MINDFUL and advice.created_at <= one.start < span[1] and end <= known.at:
            deed = Deed.DONE if one.value * MINUTE >= MINDFUL_LEAST else Deed.PARTLY
            yield deed, fact("seen_mindful", time=local_time(one.start, known.zones), minutes=one.value, source=source)


def _task(advice: Recommendation, known: Snapshot, end: datetime) -> Iterator[Trace]:
    of_day = max(end, day_end(advice, known.zones))
    until = of_day + SETTLES if advice.answer is Answer.RESCHEDULE else of_day  # what was put off may be done later yet
    for task in known.tasks:
        if task.completed is None or not _names(advice.what or "", (task.title or "").strip()):
            continue
        if advice.created_at <= task.completed < until and task.completed <= known.at:
            kind = "seen_task" if task.completed < of_day else "seen_task_later"
            yield Deed.DONE, fact(kind, time=local_time(task.completed, known.zones))


def _names(what: str, title: str) -> bool:
    """Return True if the text ``what`` of a recommendation contains a task's title.

    A title of fewer than four letters must be the whole text.

    >>> _names("Tax return, due on Friday", "Tax return"), _names("Tax return", "T"), _names("", "")
    (True, False, False)
    """
    return bool(title) and (title == what.strip() or (len(title) >= TITLE_LEAST and title in what))


def _entries(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Trace]:
    for occurrence in _in_time(advice, known, span):
        if made_after(advice, occurrence.event, known) and not _is_copy(advice, occurrence, known):
            yield Deed.DONE, _seen("seen_entry", occurrence, known)


def _is_copy(advice: Recommendation, occurrence: Occurrence, known: Snapshot) -> bool:
    """Return True if an older entry has the same time. The entry is then taken for a copy of it."""
    same = [o for o, _ in known.agenda if (o.start, o.end) == (occurrence.start, occurrence.end)]
    return any(not made_after(advice, one.event, known) for one in same)


def _in_time(advice: Recommendation, known: Snapshot, span: Stretch) -> Iterator[Occurrence]:
    for occurrence, label in known.agenda:
        within = min(occurrence.end, span[1]) - max(occurrence.start, span[0])
        needed = max(min(LEAST, occurrence.end - occurrence.start), MINUTE)
        over = occurrence.end <= known.at
        told = label.action is advice.action and label.confidence >= SURE
        if told and within >= needed and over and took_place(occurrence.event):
            yield occurrence


def made_after(advice: Recommendation, event: Event, known: Snapshot) -> bool:
    """Return True if an entry, with its series, came in after the recommendation. Unknown times count as before."""
    since = [known.event_since.get(key) for key in (event.key, event.master) if key is not None]
    return all(at is not None and at > advice.created_at for at in since)


def took_place(event: Event) -> bool:
    """Return True if a calendar entry that has ended can show that something was done.

    All-day, cancelled and declined entries, birthdays, working locations and being out of office cannot. Entries that
    the bridge wrote for advice are plans, and do not show that the user followed them.
    """
    off = event.all_day or event.cancelled or event.response is Response.DECLINED
    return not off and event.kind not in NOTHING_DONE and not event.kind.startswith("advice")


def _missed(advice: Recommendation, known: Snapshot, span: Stretch) -> tuple[list[Fact], list[Fact]]:
    if advice.action is ActionType.SLEEP and not is_nap(advice):
        return _other_nights(known, span)
    if advice.action not in SHOWS:
        return [], []
    kind, needed, none = SHOWS[advice.action]
    near = ((source, one) for source, one in _rows(known) if span[0] - BEFORE <= one.start < span[0])
    rows = Counter(source for source, one in near if (one.kind if isinstance(one, Episode) else one.metric) is kind)
    able = sorted(source for source, count in rows.items() if count >= needed)
    missed = [fact(none, source=source) for source in able if _reported(source, known, span)]
    return missed, [fact(AWAITED, source=source) for source in able if not _later(source, known, span)]


def _other_nights(known: Snapshot, span: Stretch) -> tuple[list[Fact], list[Fact]]:
    nights = [(s, e) for s, e in known.episodes if e.kind is EpisodeKind.SLEEP and e.end <= known.at]
    sources = sorted({source for source, one in nights if span[0] - BEFORE <= one.end <= span[0]})
    after = {source: one for source, one in reversed(nights) if span[0] <= one.start < span[1] + 12 * HOUR}
    other = [_seen("seen_asleep", after[source], known, source=source) for source in sources if source in after]
    late = known.at < span[1] + 24 * HOUR
    return other, [fact(AWAITED, source=source) for source in sources if source not in after and late]


SHOWS: Mapping[ActionType, tuple[EpisodeKind | Metric, int, str]] = {  # by which rows, how many before, and none since
    ActionType.EXERCISE: (EpisodeKind.WORKOUT, 1, "missed_workout"),
    ActionType.SLEEP: (EpisodeKind.NAP, 1, "missed_nap"),
    ActionType.MEDITATE: (Metric.MINDFUL, 3, "missed_mindful"),
}


def _later(source: str, known: Snapshot, span: Stretch) -> bool:
    rows = (one for of, one in _rows(known) if of == source)
    return any(span[1] <= (row.end or row.start) <= known.at for row in rows)


def _rows(known: Snapshot) -> list[tuple[str, Sample | Episode]]:
    return [*known.episodes, *known.samples]


def _reported(source: str, known: Snapshot, span: Stretch) -> bool:
    if not _later(source, known, span):
        return False
    by_hand = {Metric.MINDFUL, *CHECK_INS.values()}
    by_day = (one for of, one in known.samples if of == source and METRICS[one.metric].shape is Shape.INTRADAY)
    begun = [one for one in by_day if one.metric not in by_hand and one.start < span[1]]
    if not any(span[0] - RHYTHM <= one.start < span[0] for one in begun):
        return True
    hours = {(one.start - span[0]) // HOUR for one in begun if one.start >= span[0]}
    return len(hours) >= WORN * ((span[1] - span[0]) / HOUR)


def _seen(kind: str, one: Episode | Occurrence, known: Snapshot, **values: str) -> Fact:
    offset = one.offset if isinstance(one, Episode) else None
    start, end = ends_shown(one.start, one.end, known.zones, offset)
    return fact(kind, start=start, end=end, **values)
