"""Made-up lives by the clock on the wall, for the tests of routine and plan."""

import random
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Episode, EpisodeKind, Event, Label, Occurrence, Task
from rhythm_env.interface import ActionType

BERLIN = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="Europe/Berlin"),)
TODAY = date(2026, 11, 20)  # a Friday
DAY = timedelta(days=1)


def at(day, minutes, zone="Europe/Berlin"):
    """The instant at which the clock shows minutes after a date's midnight."""
    wall = datetime.combine(day, time()) + timedelta(minutes=minutes)
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


def sleep(day, bed, wake, *, source="whoop", zone="Europe/Berlin", kind=EpisodeKind.SLEEP, values=True):
    """A sleep that ends on a date, in minutes after its midnight."""
    start, end = at(day, bed, zone), at(day, wake, zone)
    offset = round(end.astimezone(ZoneInfo(zone)).utcoffset() / timedelta(minutes=1))
    length = (end - start) / timedelta(minutes=1)
    asleep = {Metric.ASLEEP: 0.92 * length} if values else {}
    return source, Episode(
        key=f"{kind}/{start}", kind=kind, start=start, end=end, offset=offset, day=day, values=asleep
    )


def workout(day, start, length, sport="running", *, source="garmin"):
    begin = at(day, start)
    end = begin + timedelta(minutes=length)
    return source, Episode(key=f"w/{begin}", kind=EpisodeKind.WORKOUT, start=begin, end=end, day=day, label=sport)


def entry(day, start, end, action=None, title=None, *, zone="Europe/Berlin", calendar="mine", **of):
    """A timed calendar entry with its label."""
    begin, over = at(day, start, zone), at(day, end, zone)
    key = f"{begin}/{over}/{title}/{action}"
    event = Event(key=key, calendar=calendar, title=title, start=begin, end=over, **of)
    return Occurrence(key=key, event=event, start=begin, end=over), labelled(action)


def whole_day(day, title, action=None, *, days=1, calendar="mine", **of):
    last = day + (days - 1) * DAY
    key = f"{day}/{title}"
    event = Event(key=key, calendar=calendar, title=title, first_day=day, last_day=last, **of)
    return Occurrence(key=key, event=event, start=at(day, 0), end=at(last + DAY, 0)), labelled(action)


def labelled(action):
    return Label(action=None if action is None else ActionType(action), confidence=0.9, by="test@1", why="")


def done(day, minutes):
    return Task(key=f"{day}/{minutes}", list="l", completed=at(day, minutes))


def known(episodes=(), agenda=(), tasks=(), samples=(), *, now=None, zones=BERLIN):
    return Snapshot(
        at=now or at(TODAY, 12 * 60),
        zones=zones,
        samples=list(samples),
        episodes=list(episodes),
        agenda=sorted(agenda, key=lambda one: (one[0].start, one[0].key)),
        tasks=list(tasks),
    )


def days(count, last=TODAY):
    """The last ``count`` dates, ascending."""
    return [last - ago * DAY for ago in reversed(range(count))]


def nights(count, bed, wake, *, noise=25, seed=1, last=TODAY, **of):
    """Nights around a bedtime and wake time; both may be functions of the date."""
    rng = random.Random(seed)
    found = []
    for day in days(count, last):
        usual = [one(day) if callable(one) else one for one in (bed, wake)]
        found.append(sleep(day, *(usual[k] + rng.gauss(0, noise) for k in (0, 1)), **of))
    return found
