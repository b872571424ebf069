"""Label a user's calendar entries with actions.

Labels come from the user's corrections, from corrections of similar entries, and from the classifier, in this order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from bridge.calendar import corrections, likeness
from bridge.calendar.expansion import expand, series_of
from bridge.calendar.kinds import claimed
from bridge.calendar.likeness import Case, Corrected
from bridge.domain.ports import EventClassifier, Invitation
from bridge.domain.records import Correction, User
from bridge.domain.slots import ZoneHistory, local_time, slot_start, slots_of_today
from bridge.domain.types import Label, Occurrence
from rhythm_env.interface import SLOTS_PER_DAY

if TYPE_CHECKING:
    from bridge.installation import Bridge
    from bridge.store import Store

LESSON_DAYS = timedelta(days=60)  # of calendar that corrections are compared with, and questions drawn from


def labelled(
    bridge: Bridge, user: User, since: datetime, until: datetime, *, at: datetime
) -> list[tuple[Occurrence, Label]]:
    """Return the user's calendar entries between two times, as known at ``at``, with labels, by start.

    One that the title leaves uncertain has no action, here and so on every page.
    """
    occurrences = _calendar(bridge.store, user, since, until, at=at)
    cases = _cases(user, bridge.classifier, occurrences)
    made = bridge.store.people.corrections(user.id, at=at)
    said = corrections.applied(occurrences, [case.label for case in cases], made)
    asked = [one for one, label in zip(cases, said, strict=True) if label is one.label]
    found = iter(liked(bridge, user, asked, made, at=at))
    new = [(next(found) or label) if label is one.label else label for one, label in zip(cases, said, strict=True)]
    return [(one, claimed(one, label)) for one, label in zip(occurrences, new, strict=True)]


def of_days(
    bridge: Bridge, user: User, days: int, *, at: datetime
) -> tuple[datetime, datetime, list[tuple[Occurrence, Label]]]:
    """Return (start, end, labelled entries) of ``days`` days from this morning on, or from the night under way."""
    first, *_, night = slots_of_today(at, user.zones)
    start, end = slot_start(first, user.zones), slot_start(night.shifted(SLOTS_PER_DAY * (days - 1) + 1), user.zones)
    last = slot_start(night.shifted(SLOTS_PER_DAY * (days - 2) + 1), user.zones)
    entries = labelled(bridge, user, start, end, at=at)
    return start, end, [entry for entry in entries if not entry[0].event.all_day or entry[0].start <= last]


def liked(
    bridge: Bridge, user: User, asked: Sequence[Case], made: Sequence[Correction], *, at: datetime
) -> list[Label | None]:
    """Return, for each of ``asked``, the label that the user's corrections of similar entries suggest, or None.

    ``made`` are the corrections, newest first.
    """
    named = [(one, one.action) for one in made if one.title and one.action is not None]
    if len(named) < likeness.FEWEST or not asked:
        return [None] * len(asked)
    newest = named[0][0].made_at
    occurrences = _calendar(bridge.store, user, newest - LESSON_DAYS, newest, at=at)
    series = {series_of(occurrence.event): occurrence for occurrence in occurrences}
    at_hand = [series[one.series] for one, _ in named if one.series in series]
    of_series = dict(zip(map(_series, at_hand), _cases(user, bridge.classifier, at_hand), strict=True))
    events = [Invitation(title=one.title or "") for one, _ in named]
    alone = [likeness.case(*one) for one in zip(events, bridge.classifier.classify(events), strict=True)]
    known = [
        Corrected(case=of_series.get(one.series, case), action=action)
        for (one, action), case in zip(named, alone, strict=True)
    ]
    return likeness.likened(
        asked, known, [occurrence.event.title for occurrence in occurrences if occurrence.event.title]
    )


def to_ask(bridge: Bridge, user: User, count: int, *, at: datetime) -> list[likeness.Question]:
    """Return at most ``count`` questions which action an entry is, the most informative first. None is private."""
    made = bridge.store.people.corrections(user.id, at=at)
    occurrences = _calendar(bridge.store, user, at - LESSON_DAYS, at + LESSON_DAYS, at=at)
    cases = _cases(user, bridge.classifier, occurrences)
    said = corrections.applied(occurrences, [case.label for case in cases], made)
    pairs = [(o, one, label is one.label) for o, one, label in zip(occurrences, cases, said, strict=True)]
    times = Counter(_series(o) for o, _, _ in pairs)
    first = {_series(o): one for o, one, is_open in reversed(pairs) if is_open and not o.event.private}
    open_ones = [likeness.Question(series=name, case=one, times=times[name]) for name, one in first.items()]
    answered = {_series(o): one for o, one, is_open in pairs if not is_open}
    return likeness.questions(open_ones, list(answered.values()), count)


def _series(one: Occurrence) -> str:
    return series_of(one.event)


def _calendar(store: Store, user: User, since: datetime, until: datetime, *, at: datetime) -> list[Occurrence]:
    whose = store.people.preferences(user.id).ownership(user.name)
    events = whose.used(event for _, event in store.reading.events(user.id, since=since, until=until, at=at))
    return whose.own_of(expand(events, since=since, until=until, zones=user.zones))


def _cases(user: User, classifier: EventClassifier, occurrences: Sequence[Occurrence]) -> list[Case]:
    seen = [invitation(occurrence, user.zones) for occurrence in occurrences]
    calendars = [occurrence.event.calendar for occurrence in occurrences]
    return [likeness.case(*one) for one in zip(seen, _labels(classifier, seen), calendars, strict=True)]


def _labels(classifier: EventClassifier, asked: Sequence[Invitation]) -> list[Label]:
    different = list(dict.fromkeys(asked))
    labels = dict(zip(different, classifier.classify(different), strict=True))
    return [labels[one] for one in asked]


def invitation(occurrence: Occurrence, zones: ZoneHistory) -> Invitation:
    """Return the fields of an event that a classifier may see. Guests and places are left out."""
    event = occurrence.event
    local = local_time(occurrence.start, zones)
    return Invitation(
        title=event.title or "",
        start_hour=None if event.all_day else local.hour,
        weekday=local.weekday(),
        minutes=(occurrence.end - occurrence.start) / timedelta(minutes=1),
        all_day=event.all_day,
        others=event.others,
        organised_by_me=event.organised_by_me,
        conference=event.conference,
        located=event.located,
        recurring=bool(event.recurrence) or event.master is not None,
        kind=event.kind,
        private=event.private,
    )
