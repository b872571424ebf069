"""Made-up lives for the tests of meters and observation."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta

from bridge import registry
from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.slots import ZoneSpan
from bridge.domain.types import Episode, EpisodeKind, Event, Label, Occurrence, Reading, Sample, Task
from bridge.meters import Past
from bridge.meters import body as body_signals
from rhythm_env.interface import ActionType

BERLIN = (ZoneSpan(since=datetime(2020, 1, 1, tzinfo=UTC), zone="Europe/Berlin"),)
TODAY = date(2026, 11, 20)  # a Friday; Berlin is an hour ahead of UTC
MORNING = datetime(2026, 11, 20, 6, tzinfo=UTC)  # when every made-up night ends
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def night(ago, asleep=480.0, *, source="whoop", **values):
    """The night that ended ``ago`` days ago at 7:00 in Berlin, ``asleep`` minutes; values by lower-case metric."""
    end = MORNING - ago * DAY
    given = {Metric(name): value for name, value in values.items()}
    return Episode(
        key=f"{source}/sleep/{ago}",
        kind=EpisodeKind.SLEEP,
        start=end - 8 * HOUR,
        end=end,
        offset=60,
        day=TODAY - ago * DAY,
        values={Metric.ASLEEP: asleep, **given},
    )


def nightly(metric, ago, value, *, source="whoop"):
    """A sample of the night that ended ``ago`` days ago."""
    end = MORNING - ago * DAY
    return Sample(
        key=f"{source}/{metric}/{ago}", metric=metric, start=end - 8 * HOUR, end=end, day=TODAY - ago * DAY, value=value
    )


def steps(ago, value, *, source="garmin"):
    """The total of the day ``ago`` days ago."""
    day = TODAY - ago * DAY
    start = datetime(day.year, day.month, day.day, tzinfo=UTC) - HOUR
    return Sample(key=f"{source}/steps/{ago}", metric=Metric.STEPS, start=start, day=day, value=value)


def stress(at, value, *, source="garmin"):
    return Sample(key=f"{source}/stress/{at.isoformat()}", metric=Metric.STRESS, start=at, day=at.date(), value=value)


def entry(start, hours, action=None, **of):
    """A labelled calendar entry."""
    key = f"{start.isoformat()}/{hours}/{action}"
    event = Event(key=key, calendar="c", start=start, end=start + hours * HOUR, **of)
    label = Label(action=action, confidence=0.9, by="test@1", why="")
    return Occurrence(key=key, event=event, start=start, end=start + hours * HOUR), label


def known(*items, at=MORNING + 2 * HOUR, zones=BERLIN, agenda=(), tasks=(), interactions=(), proxies=None):
    """The known rows. The source of a sample or an episode is the beginning of its key."""
    return Snapshot(
        at=at,
        zones=zones,
        samples=[(source_of(i), i) for i in items if isinstance(i, Sample)],
        episodes=[(source_of(i), i) for i in items if isinstance(i, Episode)],
        agenda=sorted(agenda, key=lambda one: one[0].start),
        tasks=tasks,
        interactions=interactions,
        rmssd_errors=registry.rmssd_errors(),
        proxies=proxies,
    )


def hrv_z(*items, **of):
    """The z of variability as the body tells it, before a meter reads it."""
    life = known(*items, **of)
    return body_signals.hrv(Past(life), life.at).z


def source_of(item):
    return item.key.split("/")[0]


def body(seed=1, days=70, *, hrv=45.0, source="whoop"):
    """Nights with everything a band delivers."""
    rng = random.Random(seed)
    found = []
    for ago in range(days):
        asleep = rng.gauss(430, 60)
        found.append(
            night(
                ago,
                asleep,
                source=source,
                deep_sleep=asleep * 0.17,
                rem_sleep=asleep * 0.2,
                sleep_need=470,
                sleep_efficiency=rng.uniform(80, 97),
                sleep_score=rng.uniform(60, 100),
            )
        )
        found.append(nightly(Metric.HRV_RMSSD, ago, hrv * 2.718 ** rng.gauss(0, 0.19), source=source))
        found.append(nightly(Metric.RESTING_HR, ago, rng.gauss(55, 2), source=source))
        found.append(steps(ago, rng.uniform(3000, 14000)))
    return found


def weeks(seed=1, days=40, ahead=3):
    """A full calendar: six entries a day."""
    rng = random.Random(seed)
    begin = MORNING - days * DAY
    return [
        entry(begin + day * DAY + hour * HOUR, 1.0, rng.choice([*ActionType, None]), others=rng.choice([0, 0, 2]))
        for day in range(days + ahead)
        for hour in rng.sample(range(16), 6)
    ]


def task(ago, *, done=None, due=None):
    """A task completed ``done`` hours before the morning, or due ``due`` days from today."""
    return Task(
        key=f"task/{ago}",
        list="l",
        due=None if due is None else TODAY + due * DAY,
        completed=None if done is None else MORNING - done * HOUR,
    )


def z_of(reading: Reading, signal: str) -> float:
    return next(b.z for b in reading.because if b.signal == signal)


def signals(reading: Reading) -> set[str]:
    return {b.signal for b in reading.because}


def day_before(*entries):
    """A calendar that has been in use for a day, with these entries today."""
    return [entry(MORNING - timedelta(days=1), 0.5), *entries]
