"""Take screenshots of the page Today on ten mornings of a made-up person, at two widths.

``python -m lab.plans.mornings`` writes the visible part to ``build/mornings`` and the whole page to its folder
``whole``. People who see a picture for five seconds should say what matters that day. The right answers are in
``key.txt``.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from bridge import config, installation
from bridge.domain.metrics import Metric
from bridge.domain.types import Episode, EpisodeKind, Event, Item, Sample, Task
from bridge.ingest.sync import sync
from bridge.recordings.recorded_life import environment
from bridge.store import Store
from bridge.web.server import create
from lab.plans.people import Person
from lab.plans.replay import Measured, sources_of
from lab.plans.run import source_of
from lab.web_server import running

HOME, FIRST, WEEKS_BEFORE = "Europe/Berlin", date(2026, 11, 16), 8
DAYS, A_DAY, MINUTE = 14, timedelta(days=1), timedelta(minutes=1)
FOLDER = Path("build") / "mornings"
CHROMIUM = "/usr/bin/chromium"
SIZES = {"390": {"width": 390, "height": 844}, "1280": {"width": 1280, "height": 900}}
USUAL = {  # mean and spread of a night's figures
    Metric.HRV_RMSSD: (58.0, 5.0),
    Metric.RESTING_HR: (54.0, 1.2),
    Metric.RESPIRATORY_RATE: (14.4, 0.25),
    Metric.SKIN_TEMPERATURE: (33.5, 0.15),
}
FEVERISH = {  # added to them
    Metric.HRV_RMSSD: -24.0,
    Metric.RESTING_HR: 11.0,
    Metric.RESPIRATORY_RATE: 2.4,
    Metric.SKIN_TEMPERATURE: 1.3,
}

Line = tuple[float, float, str, int]  # start and length in hours, title, other people
Sleep = tuple[float, float]  # hours after midnight of lying down and of getting up
WORKDAY: tuple[Line, ...] = (
    (9.25, 0.25, "Team standup", 6),
    (10.0, 2.0, "Focus time", 0),
    (13.5, 1.0, "Design review", 3),
)
FULL: tuple[Line, ...] = (
    (8.5, 1.0, "Steering committee", 9),
    (9.5, 0.5, "Team standup", 6),
    (10.0, 1.5, "Client workshop", 8),
    (11.5, 1.0, "Budget", 4),
    (13.0, 1.0, "Interview", 2),
    (14.0, 1.5, "Design review", 3),
    (15.5, 1.0, "All hands", 40),
    (17.0, 1.0, "Quarterly planning", 5),
)


@dataclass(frozen=True, kw_only=True)
class Morning:
    """A morning of the fortnight. ``key`` says in a few words what matters on this day.

    The default ``entries`` are those of any such weekday, and the default ``sleep`` is a usual night.
    """

    day: int  # of the fortnight, from 0
    hour: float  # at which the page is opened
    key: str
    entries: tuple[Line, ...] | None = None
    all_day: str | None = None
    sleep: Sleep | None = None
    feverish: bool = False


MORNINGS = (
    Morning(day=0, hour=7.5, key="nothing unusual: an ordinary working day"),
    Morning(day=1, hour=7.5, key="a short night before a full day", entries=FULL, sleep=(1.6, 6.7)),
    Morning(day=2, hour=7.5, key="the tax return is due today"),
    Morning(
        day=3,
        hour=7.5,
        key="a flight leaves at 13:10",
        entries=((9.25, 0.25, "Team standup", 6), (13 + 1 / 6, 2.25, "Flight to Lisbon", 0)),
    ),
    Morning(day=5, hour=9.0, key="a free Saturday after a good night", entries=()),
    Morning(day=6, hour=7.75, key="the half marathon is today", entries=((10.0, 2.5, "Half marathon Frankfurt", 0),)),
    Morning(day=7, hour=7.5, key="ill: the body fights something, so rest", feverish=True),
    Morning(day=10, hour=8.0, key="the watch has told nothing for two nights, so the body is not known"),
    Morning(day=11, hour=9.0, key="a day off work", entries=(), all_day="Day off", sleep=(-0.6, 8.2)),
    Morning(
        day=12,
        hour=9.75,
        key="a short night after a late party",
        entries=((15.0, 1.5, "Coffee with Lena", 1),),
        sleep=(3.6, 8.3),
    ),
)
PARTY = (11, (20.5, 6.0, "Birthday party at Tom's", 12))
UNWORN = (9, 10)  # days of the fortnight on whose nights the watch was off
DUE = (2, "Tax return")
BY_DAY = {morning.day: morning for morning in MORNINGS}


def moment(number: int, hour: float) -> datetime:
    """Return the instant ``hour`` hours after midnight of day ``number``, counted from 0 in the fortnight."""
    at = datetime.combine(FIRST + number * A_DAY, time(0)) + timedelta(hours=hour)
    return at.replace(second=0, microsecond=0, tzinfo=ZoneInfo(HOME))


def nights(rng: random.Random) -> Iterator[Measured]:
    """Yield each night's sleep and body figures until the end of the fortnight, except nights without the watch."""
    for number in range(-7 * WEEKS_BEFORE, DAYS):
        morning, free = BY_DAY.get(number), moment(number, 0).weekday() >= 5
        bed, wake = -0.9 + 0.5 * free + rng.gauss(0, 0.25), 6.7 + 0.9 * free + rng.gauss(0, 0.2)
        bed, wake = (bed, wake) if morning is None or morning.sleep is None else morning.sleep
        start, end = moment(number, bed), moment(number, wake)
        figures = {metric: rng.gauss(*of) for metric, of in USUAL.items()}
        if morning is not None and morning.feverish:
            figures = {metric: value + FEVERISH[metric] for metric, value in figures.items()}
        if number in UNWORN:
            continue
        day = FIRST + number * A_DAY
        lengths = {Metric.ASLEEP: (end - start) / MINUTE * 0.93, Metric.IN_BED: (end - start) / MINUTE}
        yield Episode(key=f"night/{day}", kind=EpisodeKind.SLEEP, start=start, end=end, day=day, values=lengths)
        for metric, value in figures.items():
            yield Sample(key=f"{metric}/{day}", metric=metric, start=start, end=end, day=day, value=value)


def workouts(rng: random.Random) -> Iterator[Measured]:
    """Yield a run on the evening of every Tuesday and Thursday of the weeks before the fortnight."""
    for number in range(-7 * WEEKS_BEFORE, 0):
        if moment(number, 0).weekday() in (1, 3):
            start, day = moment(number, 18.1), FIRST + number * A_DAY
            end = start + rng.randint(35, 55) * MINUTE
            yield Episode(key=f"run/{day}", kind=EpisodeKind.WORKOUT, start=start, end=end, day=day, label="running")


def entries() -> Iterator[Item]:
    """Yield the calendar entries of all days, then the task."""
    for number in range(-7 * WEEKS_BEFORE, DAYS + 7):
        morning, weekday = BY_DAY.get(number), moment(number, 0).weekday()
        usual: Sequence[Line] = ((18.0, 2.0, "Dinner with friends", 3),) if weekday == 5 else ()
        usual = WORKDAY if weekday < 5 else usual
        lines = usual if morning is None or morning.entries is None else morning.entries
        for start, length, title, others in (*lines, *((PARTY[1],) if number == PARTY[0] else ())):
            begin = moment(number, start)
            yield Event(
                key=f"{number}/{title}",
                calendar="own",
                title=title,
                start=begin,
                end=begin + length * 60 * MINUTE,
                zone=HOME,
                others=others,
            )
        if morning is not None and morning.all_day is not None:
            day = FIRST + number * A_DAY
            key, title = f"{number}/all day", morning.all_day
            yield Event(key=key, calendar="own", title=title, first_day=day, last_day=day, kind="outOfOffice")
    yield Task(key="due", list="tasks", title=DUE[1], due=FIRST + DUE[0] * A_DAY)


def known() -> tuple[tuple[datetime, Item], ...]:
    """Return (instant from which it is known, item) for all calendar items. The task occurs again when it is done."""
    begun = moment(-7 * WEEKS_BEFORE, 0)
    items: list[tuple[datetime, Item]] = [(begun, entry) for entry in entries()]
    (task,) = [one for _, one in items if isinstance(one, Task)]
    done = moment(DUE[0], 16)
    return (*items, (done, replace(task, completed=done)))


def take(folder: Path, browser: Any) -> Iterator[str]:
    """Store the fortnight in a database, take the screenshots into ``folder``, and yield a line for each morning.

    ``browser`` is Playwright's. A line holds the date, the key and the first words of the page.
    """
    rng, begun = random.Random("mornings"), moment(-7 * WEEKS_BEFORE, 0)
    person = Person(kind="mornings", zones=((begun, HOME),), items=known(), first=FIRST)
    with tempfile.TemporaryDirectory(prefix="rhythm-bridge-mornings-") as home:
        settings = replace(config.load(), folder=Path(home), database=f"sqlite:///{home}/bridge.db")
        bridge = installation.Bridge(settings=settings, store=Store(settings.database))
        user = bridge.store.people.add_user("mina", HOME, now=begun)
        watch = sources_of(bridge.store, user.id, {"whoop": [*nights(rng), *workouts(rng)]}, begun)
        sources = [*watch, source_of(bridge.store, user.id, person, begun)]
        with environment({"BRIDGE_NOW": begun.isoformat()}), running(create(bridge), lifespan="on") as port:
            for place, morning in enumerate(MORNINGS, 1):
                now = moment(morning.day, morning.hour)
                for source in sources:
                    sync(source, bridge.store, holder="lab", now=now)
                with environment({"BRIDGE_NOW": now.isoformat()}):
                    said = look(browser, f"http://127.0.0.1:{port}/", folder, f"{place:02}")
                yield f"{place:02} {now:%a %d %b %H:%M} | {morning.key} | {said}"
        bridge.store.close()


def look(browser: Any, address: str, folder: Path, name: str) -> str:
    """Take screenshots of the page at ``address`` at each width.

    Returns the first words of the page, then its height in pixels at each width.
    """
    heights = []
    for width, size in SIZES.items():
        page = browser.new_page(viewport=size)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=folder / f"{name}-{width}.png")
        page.screenshot(path=folder / "whole" / f"{name}-{width}.png", full_page=True)
        heights.append(f"{page.evaluate('document.documentElement.scrollHeight')} px")
        said = page.locator("#opening")
        words = said.inner_text() if said.count() else "(nothing)"
        page.close()
    return f"{words} | {', '.join(heights)}"


def main() -> None:
    """Take the screenshots and write the key, without printing it."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"for the pictures (default: {FOLDER})")
    folder: Path = parser.parse_args().folder
    (folder / "whole").mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, (folder / "key.txt").open("w", encoding="utf-8") as key:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for line in take(folder, browser):
            key.write(line + "\n")
        browser.close()
    sys.stdout.write(f"pictures: {folder}; what is right, for who counts alone: {key.name}\n")


if __name__ == "__main__":
    main()
