"""Generated people: ten weeks of nights and work, one of them possibly odd, for the laws of the person now."""

import random
from dataclasses import dataclass
from datetime import timedelta

from bridge.day.person import Person
from bridge.day.routine import learn_routine
from bridge.domain.slots import ZoneSpan
from rhythm_env.interface import ActionType
from tests.day.lives import BERLIN, DAY, TODAY, at, entry, known, labelled, sleep, whole_day

A = ActionType
WEEKS = 10
MONDAY = TODAY - TODAY.weekday() * DAY - WEEKS * 7 * DAY  # of the first week
ODD = ("festival", "abroad", "holiday", "ill", "night duty", "early course", "late")
BACK, AHEAD = 60 * DAY, 14 * DAY


@dataclass(frozen=True)
class Life:
    """A life by seed. Minutes count from midnight. ``odd`` is what the week ``week`` is, if any."""

    seed: int
    odd: str | None = None
    week: int = 0

    @property
    def shape(self):
        rng = random.Random(self.seed)
        bed, length = rng.choice([-90, -45, 0, 60, 105]), rng.choice([400, 450, 500])
        start = bed + length + rng.choice([60, 105, 150])
        return bed, length, start, start + rng.choice([300, 420, 500]), rng.choice([0, 30, 75]), rng.choice([8, 20, 35])

    def person(self, day, minute=12 * 60, *, watch=True, extra=(), **of):
        """The person at a minute of a date."""
        now = at(day, minute)
        slept, agenda, zones = [], list(extra), BERLIN
        if self.odd == "abroad":
            first = MONDAY + self.week * 7 * DAY
            there, home = at(first, 600), at(first + 7 * DAY, 600)
            zones = (
                *BERLIN,
                ZoneSpan(since=there, zone="America/New_York"),
                ZoneSpan(since=home, zone="Europe/Berlin"),
            )
        for number in range(WEEKS * 7 + 21):
            date = MONDAY + number * DAY
            night, entries = self._day(number, date)
            if watch and night[0][1].end <= now and date > day - BACK - 20 * DAY:
                slept += night
            agenda += [one for one in entries if day - BACK <= date <= day + AHEAD]
        life = known(slept, agenda, now=now, zones=tuple(one for one in zones if one.since <= now), **of)
        return Person(known=life, now=now, routine=learn_routine(life))

    def _day(self, number, date):
        bed, length, start, end, later, noise = self.shape
        rng = random.Random(f"{self.seed}/{number}")
        free = later if date.weekday() >= 5 else 0
        far, longer, over, begun = (rng.gauss(0, noise) for _ in range(4))
        bed, wake = bed + free + far, bed + free + length + longer
        if date.weekday() < 5:
            work = [
                entry(date, start + begun / 2, (start + end) / 2 - 30, A.DEEP_WORK, "Write"),
                entry(date, (start + end) / 2 + 30, end + over / 2, A.ADMIN_WORK, "Review", others=3),
            ]
        else:
            work = []
        if self.odd is None or number // 7 != self.week:
            return [sleep(date, bed, wake)], work
        return self._odd(date, bed, wake, work)

    def _odd(self, date, bed, wake, work):
        if self.odd == "festival":
            acts = [entry(date, 790 + k * 80, 850 + k * 80, A.ADMIN_WORK, f"Stage {k}") for k in range(10)]
            acts = [(occurrence, unsure(label)) for occurrence, label in acts]
            return [sleep(date, bed + 300, wake + 240)], acts
        if self.odd == "abroad":
            zone = "America/New_York"
            return [sleep(date, bed, wake, zone=zone)], [entry(date, 600, 1200, A.DEEP_WORK, "Fair", zone=zone)]
        if self.odd == "holiday":
            monday = date - date.weekday() * DAY
            return [sleep(date, bed + 90, wake + 120)], [whole_day(monday, "Vacation", days=7)][: date.weekday() == 0]
        if self.odd == "ill":
            return [sleep(date, bed - 100, wake + 120)], []
        if self.odd == "night duty":
            return [sleep(date, 480, 900)], [entry(date, 1320, 1800, A.ADMIN_WORK, "Night duty")]
        if self.odd == "early course":
            return [sleep(date, bed - 150, wake - 150)], [*work, entry(date, 300, 420, A.DEEP_WORK, "Course")]
        return [sleep(date, bed + 50, wake + 50)], work


def unsure(label):
    found = labelled(label.action)
    return type(label)(action=found.action, confidence=0.4, by=label.by, why=label.why)


def times(person, days=7):
    """Bedtime and waking of the coming nights, and begin and end of work, as instants by date."""
    today = person.date_of(person.now)
    found = {}
    for day in (today + k * DAY for k in range(1, days + 1)):
        found["bed", day], found["wake", day] = person.sleep(day)
        for name, side in (("begin", 0), ("end", -1)):
            edges = [edge for stretch in person.work(day) for edge in stretch]
            found[name, day] = edges[side] if edges else None
    return found


def apart(one, other):
    """The largest difference of two results of ``times`` in minutes, with its key. None against a time is a day."""
    found = []
    for key, first in one.items():
        second = other[key]
        both = first is not None and second is not None
        far = abs(first - second) if both else timedelta(0) if first is second else DAY
        found.append((far / timedelta(minutes=1), key))
    return max(found, key=lambda pair: pair[0])
