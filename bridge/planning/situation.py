"""Gather what a suggestion has to fit: calendar, routine, wishes, recent recommendations, and last night."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property

from bridge.calendar.busy import Stretch, clipped, merged, takes_time
from bridge.day.person import NEAR, Person
from bridge.day.sleep import is_night
from bridge.domain.records import AdviceRecord
from bridge.domain.slots import ZoneHistory, moment_at
from bridge.domain.types import Label, Occurrence
from rhythm_env.interface import ActionType, Answer

BESIDE = timedelta(minutes=5)  # kept free before and after an entry
WAY_HOME = timedelta(minutes=15)  # from an entry to the time to wind down
OUTING = timedelta(minutes=30)  # an entry outside of work that is so long may be away from home
LONG, BREATH = timedelta(minutes=45), timedelta(minutes=10)  # of an entry; and kept free after it
TRAVEL = timedelta(minutes=30)  # kept free before and after an entry at a place
WAY = timedelta(minutes=15)  # kept free before an entry that may be away from home
NAP_SHORT = timedelta(hours=1)  # a night so much shorter than usual calls for a nap
DAY = timedelta(days=1)
BEFORE_WAKING = timedelta(hours=8)  # in which nothing is suggested to a person who is ill


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An action at a time. ``kind`` is ``suggested``, ``keep`` (an entry of the calendar) or ``sleep``.

    ``what`` names the calendar entry, or the user's usual activity. It is None for a private entry, or if no name is
    known. ``until`` is None for what is not placed in a free gap.
    """

    action: ActionType
    kind: str
    start: datetime
    end: datetime
    what: str | None = None
    usual: bool = False  # at the hour at which the user usually does it
    until: datetime | None = None  # end of the free gap


@dataclass(frozen=True, kw_only=True)
class Situation(Person):
    """The person now, with the suggestions of a plan that is being made."""

    # Suggestions of the plan so far, and of the plans of the days before.
    previewed: Sequence[tuple[ActionType | None, datetime, datetime]] = ()
    titles: Sequence[str] = ()  # what these suggestions are about

    @cached_property
    def busy(self) -> list[Stretch]:
        """Stretches of time in which nothing can be suggested, merged and ascending.

        They are entries with travel or a pause around them, agreed suggestions, and suggestions of the plan so far. For
        a person who is ill, so are the hours before the usual waking.
        """
        taken = [
            (o.start - max(margin(o), WAY if self._is_outing(o) else BESIDE), o.end + self._after(o, label))
            for o, label in self.entries
            if takes_time(o.event) and not is_night(o, label)
        ]
        said = ((low, high) for _, low, high in self.previewed)
        return merged([*taken, *self.promised, *said, *(self._rest_of_nights() if self.body.ill else ())])

    def _rest_of_nights(self) -> Iterator[Stretch]:
        today = self.date_of(self.now)
        for ahead in range(-1, NEAR.days):
            wake = self.routine.sleep_ending_on(today + ahead * DAY, self.zones)[1]
            yield wake - BEFORE_WAKING, wake

    def _after(self, occurrence: Occurrence, label: Label) -> timedelta:
        """Return the time kept free after a calendar entry, which is at least its ``margin``.

        It is 30 minutes after an outing or a class, and ten after another entry of 45 minutes or more.
        """
        long = occurrence.end - occurrence.start >= LONG
        leaves = self._is_outing(occurrence) or (long and label.action is ActionType.LEARN)
        return max(margin(occurrence), TRAVEL if leaves else BREATH if long else BESIDE)

    def _is_outing(self, occurrence: Occurrence) -> bool:
        """Return True if a calendar entry takes 30 minutes or more, outside of working hours."""
        return occurrence.end - occurrence.start >= OUTING and not clipped(
            self.work(self.date_of(occurrence.start)), occurrence.start, occurrence.end
        )

    @cached_property
    def promised(self) -> list[Stretch]:
        """The times of suggestions that the user accepted, or put off to a slot in which these times lie."""
        return [
            (one.start, one.end)
            for one in self.advised
            if is_agreed(one, self.known.zones) and one.kind == "suggested" and one.start and one.end
        ]

    @cached_property
    def told(self) -> frozenset[str]:
        """The names of tasks and activities in suggestions that have not ended, so that a task is suggested only once.

        Suggestions of the plan so far are included.
        """
        ahead = (one for one in self.advised if one.end is not None and one.end > self.now and one.kind == "suggested")
        return frozenset([*self.titles, *(one.what for one in ahead if one.what is not None)])

    def first_before(self, start: datetime) -> Occurrence | None:
        """Return the first timed, busy calendar entry that begins from now on and before ``start``.

        Return None without any.
        """
        entries = (o for o, label in self.entries if takes_time(o.event) and not is_night(o, label))
        return next((o for o in entries if self.now <= o.start < start), None)

    def busy_from(self, at: datetime) -> Stretch | None:
        """Return the stretch of ``busy`` that begins exactly at ``at``. Return None if none does."""
        return next((one for one in self.busy if one[0] == at), None)


def is_agreed(advice: AdviceRecord, zones: ZoneHistory) -> bool:
    """Return True if the user accepted a recommendation, or put it off to the slot of its start."""
    if advice.answer is Answer.RESCHEDULE and advice.start is not None:
        return moment_at(advice.start, zones) == advice.moved_to
    return advice.answer is Answer.ACCEPT


def without_advice(situation: Situation, number: int) -> Situation:
    """Return the situation without the recommendation with the id ``number`` in ``advised``."""
    return replace(situation, advised=[one for one in situation.advised if one.id != number])


def margin(occurrence: Occurrence) -> timedelta:
    """Return the time kept free before and after a calendar entry.

    It is 30 minutes for an entry with a place, otherwise 5.
    """
    return TRAVEL if occurrence.event.located else BESIDE
