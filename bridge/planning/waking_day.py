"""Describe the waking day between two sleeps: its work, meals, travel, rests, and evenings with the family.

The lengths are our choice where no source is named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from itertools import pairwise

from bridge.calendar import busy, expansion
from bridge.calendar.busy import Stretch, clipped, merged, takes_time
from bridge.calendar.flights import moves
from bridge.day.person import Entry
from bridge.day.place import TO_THE_AIRPORT
from bridge.day.sleep import is_night
from bridge.domain.types import Label, Occurrence
from bridge.planning.situation import Situation
from rhythm_env.interface import ActionType

MINUTE, HOUR, A_DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
EVENING = 17 * HOUR  # after midnight
FREE_FROM = 10 * HOUR  # after midnight, on free days, for company and work
TIRING = 8 * HOUR + 30 * MINUTE  # of entries, after which there is no sport and no more work
# Begins of lunch and dinner in minutes after midnight, the first free one counts; and their lengths.
LUNCHES, LUNCH_LENGTH = (750, 720, 780, 690, 810, 840, 870), 30 * MINUTE
DINNERS, DINNER_LENGTH = (1140, 1110, 1170, 1080, 1200, 1230, 1050), 40 * MINUTE
LUNCH_FROM, DINNER_FROM, DINNER_UNTIL = 11 * HOUR, 17 * HOUR, 22 * HOUR
LUNCH = (11 * HOUR + 30 * MINUTE, 14 * HOUR)  # hours of a working day for exercise
FASTS_UNTIL = 10 * HOUR + 30 * MINUTE  # after midnight; for those who get up later, breakfast is lunch
PAUSE_AT_MOST = 30 * MINUTE  # between entries that count as a single stretch
# Stretches without a pause: least length, and the time that is needed before and after it.
DEMANDS = ((6 * HOUR, HOUR, 90 * MINUTE), (3 * HOUR, 15 * MINUTE, 30 * MINUTE))
WAY_TO_WORK, WAY_FROM_WORK = 45 * MINUTE, 30 * MINUTE
FAMILY_PAUSE, FAMILY_FROM = 3 * HOUR, 14 * HOUR  # between entries with the family, which stays around
FAMILY_MORNING = 9 * HOUR  # after midnight; an entry with the family before it begins at home
OFFICE_WORK = frozenset({ActionType.DEEP_WORK, ActionType.ADMIN_WORK})
NIGHT_WORK = 18 * HOUR  # after midnight; work that begins later fills the evening too
EVENING_ENTRY = 45 * MINUTE  # least length of an entry that fills an evening
# Words in titles: en, de, fr, es, it, nl, pt.
MEAL = re.compile(
    r"\b(lunch|brunch|dinner|supper|mittagessen|abendessen|mittag|déjeuner|dîner|almuerzo|comida|cena|pranzo|"
    r"avondeten|almoço|jantar)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class Day:
    """A user's waking day, from the end of the sleep on ``date`` to the start of the next sleep.

    Its parts are computed at their first use and kept.
    """

    situation: Situation
    date: date

    @cached_property
    def wake(self) -> datetime:
        return self.situation.sleep(self.date)[1]

    @cached_property
    def bed(self) -> datetime:
        return self.situation.sleep(self.date + A_DAY)[0]

    @cached_property
    def midnight(self) -> datetime:
        return expansion.midnight(self.date, self.situation.known.zones)

    @cached_property
    def work(self) -> list[Stretch]:
        """The working spans of the day."""
        return self.situation.work(self.date)

    @cached_property
    def entries(self) -> list[Entry]:
        """The timed, busy calendar entries between waking and bedtime, as pairs of occurrence and label."""
        return [
            (o, label)
            for o, label in self.situation.entries
            if takes_time(o.event) and not is_night(o, label) and o.start < self.bed and o.end > self.wake
        ]

    @cached_property
    def meals(self) -> list[Stretch]:
        """The stretches of lunch and dinner.

        Each is a calendar entry for the meal, else the first usual time that is free. A user who gets up after 10:30
        has no lunch.
        """
        lunch = None if self.wake > self.since(FASTS_UNTIL) else self._meal(LUNCHES, LUNCH_LENGTH, LUNCH_FROM, EVENING)
        dinner = self._meal(DINNERS, DINNER_LENGTH, DINNER_FROM, DINNER_UNTIL)
        return merged(meal for meal in (lunch, dinner) if meal is not None)

    def _meal(self, begins: Sequence[int], length: timedelta, low: timedelta, high: timedelta) -> Stretch | None:
        """Return the stretch of a calendar entry whose title names a meal and that begins from ``low`` to ``high``.

        Otherwise return the first free stretch of ``length`` that begins at one of ``begins``. Return None if none is
        free. ``begins``, ``low`` and ``high`` count from midnight, the first in minutes.
        """
        for occurrence, _ in self.entries:
            named = not occurrence.event.private and MEAL.search((occurrence.event.title or "")[:200])
            if named and self.since(low) <= occurrence.start < self.since(high):
                return occurrence.start, occurrence.end
        taken = merged([*self.situation.attended, *self.situation.promised])
        for minutes in begins:
            start = self.since(minutes * MINUTE)
            if not clipped(taken, start, start + length) and self.wake < start < self.bed:
                return start, start + length
        return None

    @cached_property
    def rests(self) -> list[Stretch]:
        """The stretches kept free for the way, food and rest.

        They lie around series of calendar entries with pauses under 30 minutes. A series of six hours or more gets an
        hour before and 90 minutes after. A series of three hours or more gets 15 and 30 minutes. Also kept free are 45
        minutes before each span of work and 30 after it.
        """
        found: list[Stretch] = []
        near = clipped(self.situation.attended, self.wake - A_DAY, self.bed + A_DAY)
        for start, end in merged(near, bridging=PAUSE_AT_MOST):
            need = next((one for one in DEMANDS if end - start >= one[0]), None)
            if need is not None:
                found += [(start - need[1], start), (end, end + need[2])]
        ways = [
            (low, high)
            for start, end in self.work
            for low, high in ((start - WAY_TO_WORK, start), (end, end + WAY_FROM_WORK))
        ]
        return merged([*found, *ways])

    @cached_property
    def journeys(self) -> list[Stretch]:
        """The stretches of the day's flights with the ways to and from the airport, merged.

        A flight after waking takes the rest of the day, until bedtime.
        """
        return merged(
            (start, end if start + TO_THE_AIRPORT < self.wake else max(end, self.bed))
            for start, end in self.situation.journeys
            if start < self.bed and end > self.wake
        )

    @cached_property
    def in_new_zone(self) -> bool:
        """True if the user's clock is set anew during the day or in the 24 hours before waking, after a journey."""
        return bool(moves(self.situation.known.zones, self.wake - A_DAY, self.bed))

    @cached_property
    def away(self) -> bool:
        """True if the user's time zone at bedtime differs from that of two weeks before."""
        return self.situation.away(self.date)

    @cached_property
    def at_home(self) -> bool:
        """True if an all-day entry of the date says that the user works at home, such as a working location."""
        return self.situation.at_home(self.date)

    @cached_property
    def with_family(self) -> list[Stretch]:
        """The stretches next to calendar entries with the family, in which the family is taken to be around.

        They are pauses of up to three hours between two such entries, of which the first begins from 14:00 on. The time
        from waking to a first such entry before 09:00 belongs to them too.
        """
        mine = [o for o, label in self.entries if label.action is ActionType.FAMILY_TIME]
        found = [
            (one.end, other.start)
            for one, other in pairwise(mine)
            if one.start >= self.since(FAMILY_FROM) and timedelta(0) < other.start - one.end <= FAMILY_PAUSE
        ]
        if mine and self.wake < mine[0].start < self.since(FAMILY_MORNING):
            found.append((self.wake, mine[0].start))
        return merged(found)

    @cached_property
    def strains(self) -> list[Stretch]:
        """The stretches that tiring calendar entries take, merged.

        All entries are tiring except sleep, exercise, meditation, family, time for oneself, series, and company after
        work.
        """
        hard = [o for o, label in self.entries if label.action not in EASY and not self._is_company(o, label)]
        return merged((o.start, o.end) for o in hard)

    def _is_company(self, occurrence: Occurrence, label: Label) -> bool:
        """Return True if a calendar entry is labelled SOCIALIZE and lies outside of working hours."""
        at_work = clipped(self.work, occurrence.start, occurrence.end)
        return label.action is ActionType.SOCIALIZE and not at_work

    def strained(self, until: datetime) -> timedelta:
        """Return how long tiring entries (``strains``) take on the day before the instant ``until``."""
        low = min([self.wake, *(start for start, _ in self.strains)])
        return busy.length(clipped(self.strains, low, until)) if low < until else timedelta(0)

    @cached_property
    def spent_from(self) -> datetime:
        """The begin of the evening's first calendar entry of 45 minutes or more, or bedtime without one.

        The evening begins at 17:00, and for entries of work at 18:00.
        """
        found = [
            o.start
            for o, label in self.entries
            if o.start >= self.since(EVENING if label.action not in OFFICE_WORK else NIGHT_WORK)
            and o.end - o.start >= EVENING_ENTRY
        ]
        return min([self.bed, *found])

    def awake(self, after: timedelta, before: timedelta) -> Stretch:
        """Return the stretch from ``after`` past waking to ``before`` ahead of bedtime."""
        return self.wake + after, self.bed - before

    def off_work(self, stretch: Stretch) -> list[Stretch]:
        """Return the parts of a stretch outside of working hours."""
        return without([stretch], self.work)

    def since(self, after_midnight: timedelta) -> datetime:
        """Return the instant that is ``after_midnight`` later than the date's midnight."""
        return self.midnight + after_midnight


EASY = frozenset(
    {
        ActionType.SLEEP,
        ActionType.EXERCISE,
        ActionType.MEDITATE,
        ActionType.FAMILY_TIME,
        ActionType.ME_TIME,
        ActionType.BINGE_WATCH,
    }
)


def without(stretches: Sequence[Stretch], taken: Sequence[Stretch]) -> list[Stretch]:
    """Return the parts of ``stretches`` that no stretch in ``taken`` covers.

    ``stretches`` must be disjoint and ascending. ``taken`` may overlap, in any order.
    """
    left: list[Stretch] = []
    for low, high in stretches:
        at = low
        for start, end in clipped(merged(taken), low, high):
            if at < start:
                left.append((at, start))
            at = end
        if at < high:
            left.append((at, high))
    return left


def day_of(situation: Situation, at: datetime) -> Day:
    """Return the waking day to which an instant belongs.

    A sleep's first half belongs to the day before it, and its second half to the day after it.
    """
    day = situation.date_of(at)
    bed, wake = situation.sleep(day)
    if at < bed or (at < wake and at < bed + (wake - bed) / 2):
        return Day(situation=situation, date=day - A_DAY)
    return Day(situation=situation, date=day)


def rounded_up(at: datetime) -> datetime:
    """Return an instant rounded up to the next full five minutes. An instant at full five minutes stays."""
    over = timedelta(minutes=at.minute % 5, seconds=at.second, microseconds=at.microsecond)
    return at + (5 * MINUTE - over if over else over)
