"""Estimate how the next day differs after each factor: sleep, variability, resting heart rate and meters."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from bridge.domain.metrics import METRICS, Metric
from bridge.domain.noted import COMMON, drink_of, name_of
from bridge.domain.slots import local_time
from bridge.query.effects import Effect, Outcome, effects
from bridge.query.exposures import DAYS_BACK, exposures
from bridge.query.model import METER_NAMES
from bridge.query.parse import Words, query_of
from bridge.query.rows import levels, load_tables

if TYPE_CHECKING:
    from bridge.domain.records import User
    from bridge.installation import Bridge

METER_DAYS = 365
# Outcome -> the smallest difference that people care for, and the usual SD between days.
NIGHTLY = {
    Metric.ASLEEP: (20.0, 60.0),
    Metric.HRV_RMSSD: (4.0, 12.0),
    Metric.RESTING_HR: (1.0, 3.0),
}
OF_METER = (0.05, 0.12)


def factors(bridge: Bridge, user: User, *, now: datetime) -> list[Effect]:
    """Return the effect of each factor on each outcome in the person's data, those with a verdict first."""
    known = exposures(bridge, user, now=now)
    if not known:
        return []
    today = local_time(now, user.zones).date()
    since = today - timedelta(days=DAYS_BACK)
    words = Words(what="asleep", since=str(since), where=["hrv_rmssd > 0", "resting_hr > 0", "steps > 0"])
    query = query_of(words)
    tables = load_tables(bridge, user, query, now=now)
    meters = levels(bridge, user, METER_NAMES, today - timedelta(days=METER_DAYS), now)
    outcomes = [
        Outcome(name=str(metric), unit=METRICS[metric].unit, values=tables.by_day(metric), least=least, usual=usual)
        for metric, (least, usual) in NIGHTLY.items()
        if tables.by_day(metric)
    ]
    outcomes += [
        Outcome(name=name, unit="level", values=values, least=OF_METER[0], usual=OF_METER[1])
        for name, values in meters.items()
        if values
    ]
    given = {name: {day: amount > 0 for day, amount in days.items()} for name, days in known.items()}
    return effects(_apart(given), outcomes, [tables.by_day("steps")])


def _apart(given: Mapping[str, Mapping[date, bool]]) -> dict[str, Mapping[date, bool]]:
    """Return factors without older names of a drink, such as "beers", or without the drink if it has one name alone."""
    drinks = {name: drink.in_language("en").casefold() for name in given if (drink := drink_of(name))}
    same = {name for name, drink in drinks.items() if given.get(drink) == given[name]}
    left_out = {drinks[name] for name in same} | {
        name for name in drinks.keys() - same if name_of(name) not in COMMON and drinks[name] in given
    }
    return {name: days for name, days in given.items() if name not in left_out}
