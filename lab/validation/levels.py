"""Shares that tell if meters vary, such as days near normal or slots at the most frequent level.

Each is a share of a person's days or a calendar's slots, summarised as the correlations are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import fmean

from bridge.advice.recommend import load_snapshot
from bridge.domain.types import Reading
from bridge.ingest import runs
from bridge.meters import read_slots
from bridge.meters.fuse import NORMAL
from bridge.meters.sleep import Night, need, night_of
from bridge.meters.words import SHORTFALL_MIN_HOURS
from bridge.store import Store
from lab.plans.run import bridge_of, busy_days, spread, zone_of
from lab.validation import life
from lab.validation.cohort import Cohort, Person
from lab.validation.columns import METERS, Columns
from lab.validation.protocol import LEAST_DAYS, One, Row, summary
from rhythm_env.interface import Meter

TARGET = "share of days"
NEAR = 0.02  # distance from normal that a screen hardly shows
LEARNT_NIGHTS = 7  # of a person, from which the need is learnt
CALENDARS = "Calendars"
WEEKS, TIMES = 4, 3  # looked at a time, and times spread over a calendar's years
SLOT = timedelta(hours=6)
LEAST_BUSY_DAYS, LEAST_YEARS = 60, 2
LEAST_KNOWN = 0.1  # of the slots, from which a calendar tells a meter
OF_CALENDARS = (Meter.COGNITION, Meter.PROGRESS, Meter.SERENITY, Meter.CONNECTION)


def of_cohort(cohort: Cohort, people: Sequence[Columns]) -> list[Row]:
    """Return a row for each known meter with the share of days near its normal level, and one of too short nights."""
    found = {f"{name} within .02 of .70": [_near(one, name) for one in people] for name in METERS.values()}
    found["nights below the need"] = [_below_need(person) for person in cohort.persons]
    return list(_rows(cohort.name, found))


def _near(one: Columns, name: str) -> One | None:
    levels = [level for level in one.predictors[name].tolist() if level == level]  # NaN is not known
    if len(levels) < LEAST_DAYS:
        return None
    return One(rho=fmean(abs(level - NORMAL) <= NEAR for level in levels), days=len(levels))


def _below_need(person: Person) -> One | None:
    """Return the share of nights that the product calls too short, without the first LEARNT_NIGHTS."""
    nights: dict[date, Night] = {}
    for episode in (episode for day in person.days for episode in life.nights(day)):
        night = night_of(episode, timedelta(0))
        if night is not None:
            nights[episode.day] = night
    days = sorted(nights)[LEARNT_NIGHTS:]
    if len(days) < LEAST_DAYS:
        return None
    short = [need(day, nights) - nights[day].asleep > SHORTFALL_MIN_HOURS for day in days]
    return One(rho=fmean(short), days=len(short))


def of_calendars(folder: Path, on_step: Callable[[int, int], None]) -> tuple[list[Row], int]:
    """Return rows for the ``.ics`` files of a folder, each a person's calendar, and the number of files too short.

    A file needs LEAST_BUSY_DAYS days with entries over LEAST_YEARS years. Several spans of its time are read.
    """
    paths = sorted(folder.glob("**/*.ics"))
    found: list[list[dict[Meter, Reading]]] = []
    for k, path in enumerate(paths):
        found += [readings] if (readings := _slots(path)) else []
        on_step(k + 1, len(paths))
    figures: dict[str, list[One | None]] = {}
    for meter in OF_CALENDARS:
        name = METERS[meter]
        figures[f"{name}: slots known"] = [_known(readings, meter) for readings in found]
        figures[f"{name}: at the most frequent level"] = [_most_frequent(readings, meter) for readings in found]
    return list(_rows(CALENDARS, figures)), len(paths) - len(found)


def _slots(path: Path) -> list[dict[Meter, Reading]]:
    """Return the meters of a calendar's slots, or nothing for a calendar that is too short."""
    home, landed = zone_of(path) or "UTC", datetime(1971, 1, 1, tzinfo=UTC)
    found: list[dict[Meter, Reading]] = []
    with closing(Store("sqlite://")) as store:
        bridge = bridge_of(store)
        user = store.people.add_user("calendar", home, now=landed)
        runs.import_path(bridge, user, path, at=landed)
        days = busy_days(store, user.id)
        if len(days) < LEAST_BUSY_DAYS or (days[-1] - days[0]).days < 365 * LEAST_YEARS:
            return []
        for last in spread(days, TIMES):
            at = datetime(last.year, last.month, last.day, tzinfo=UTC)
            starts = [at - SLOT * back for back in range(4 * 7 * WEEKS - 1, -1, -1)]
            known = load_snapshot(bridge, user, at=at, back=timedelta(weeks=WEEKS))
            found += read_slots(known, starts, reasons=False)
    return found


def _known(readings: Sequence[dict[Meter, Reading]], meter: Meter) -> One:
    return One(rho=fmean(reading[meter].coverage > 0 for reading in readings), days=len(readings))


def _most_frequent(readings: Sequence[dict[Meter, Reading]], meter: Meter) -> One | None:
    """Return the share of known slots at the most frequent level, in hundredths, or None if too few are known."""
    levels = [round(reading[meter].level, 2) for reading in readings if reading[meter].coverage > 0]
    if len(levels) < LEAST_KNOWN * len(readings):
        return None
    return One(rho=Counter(levels).most_common(1)[0][1] / len(levels), days=len(levels))


def _rows(cohort: str, figures: dict[str, list[One | None]]) -> Iterator[Row]:
    for name, ones in figures.items():
        if any(ones):
            yield {"cohort": cohort, "target": TARGET, "predictor": name, **summary(ones)}
