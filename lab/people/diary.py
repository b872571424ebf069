"""A simulated person's Google calendar, with weekly meetings, plans, and some of the actions taken."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bridge.domain.slots import Moment
from lab.people.appointments import ME, Book, Meeting
from lab.people.titles import PAIRED, STANDING, TITLES
from lab.vendors.google_calendar import Vendor
from rhythm_env.interface import ActionType

A = ActionType
MINUTES = {  # how long what is written down takes; what takes less than two hours shows little of a slot
    A.DEEP_WORK: 180,
    A.ADMIN_WORK: 120,
    A.LEARN: 120,
    A.SLEEP: 90,
    A.EXERCISE: 75,
    A.MEDITATE: 30,
    A.FAMILY_TIME: 180,
    A.SOCIALIZE: 165,
    A.ME_TIME: 125,
    A.BINGE_WATCH: 150,
}
GUESTS = {A.SOCIALIZE: 2, A.ADMIN_WORK: 3}
LEAST, MOST = 0.7, 1.3  # of the usual length


@dataclass(slots=True)
class Diary:
    """A writer of entries into the simulated calendar service ``vendor``."""

    seed: int
    language: str
    zone: ZoneInfo
    vendor: Vendor = field(init=False)
    _book: Book = field(init=False)
    _written: dict[Moment, str] = field(default_factory=dict)  # moment -> id of the event in it

    def __post_init__(self) -> None:
        self._book = Book(zone=self.zone, today=date(2025, 1, 1), rng=random.Random(f"diary/{self.seed}"))
        calendars = self._book.calendars()[:1]
        self.vendor = Vendor({"zone": self.zone.key, "calendars": calendars, "events": {ME: []}})

    def comes_round(self, monday: date) -> None:
        """Add the weekly meetings of a working week, from ``monday`` on."""
        self._book.today = monday
        standing = Meeting(STANDING[self.language], self._at(monday, time(9, 30)), 20, 5, online=True, mine=False)
        paired = Meeting(PAIRED[self.language], self._at(monday + timedelta(days=2), time(14)), 30, 1)
        self._put(self._book.add(ME, standing, recurrence=["RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"]))
        self._put(self._book.add(ME, paired, recurrence=["RRULE:FREQ=WEEKLY;BYDAY=WE"]))

    def write(self, moment: Moment, action: ActionType, start: datetime, *, today: date) -> None:
        """Write an entry for ``action`` at ``start``, where the slot ``moment`` begins, in place of its entry."""
        rng = random.Random(f"diary/{self.seed}/{moment.week}/{moment.timestep}/{action}")
        self.strike(moment)
        minutes = round(MINUTES[action] * rng.uniform(LEAST, MOST) / 5) * 5
        begins = start + timedelta(minutes=5 * rng.randrange(9, max(10, (345 - minutes) // 5)))
        title = rng.choice(TITLES[self.language][action])
        self._book.today = today
        event = self._book.add(ME, Meeting(title, begins.astimezone(self.zone), minutes, others=GUESTS.get(action, 0)))
        self._put(event)
        self._written[moment] = event["id"]

    def strike(self, moment: Moment) -> None:
        """Remove the entry of a slot, if it has one."""
        written = self._written.pop(moment, None)
        if written is not None:
            self.vendor.delete(ME, written)

    def _put(self, event: dict[str, object]) -> None:
        self.vendor.put(ME, event)

    def _at(self, day: date, at: time) -> datetime:
        return datetime.combine(day, at, self.zone)
