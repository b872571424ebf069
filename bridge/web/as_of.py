"""Show the state on the last day with data, on pages that would be empty because the data are old."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from bridge import meters
from bridge.advice import recommend
from bridge.advice.modes import routine_of
from bridge.advice.observation import newest_if_old, newest_measurement
from bridge.calendar.expansion import midnight
from bridge.day.routine import Routine
from bridge.documents.trends_cache import CachedTrends, load_trends, trends_until
from bridge.domain.languages import date_text
from bridge.domain.records import Snapshot
from bridge.domain.types import EpisodeKind, Reading
from bridge.meters.fuse import OWN_WORD
from bridge.web.result_cache import data_version
from bridge.web.state import Visit
from rhythm_env.interface import Meter

NOON, A_DAY = timedelta(hours=12), timedelta(days=1)
DAYS_PER_WEEK = 7
ANSWER_HOURS = 48.0  # our choice: for so long an answer tells how a person is, beside older data
UNTIL_BACK = timedelta(days=7320)  # before today, no earlier day is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """The meters on the last day with data, at noon or at the end of its night.

    ``learnt`` is the user's routine (learnt sleeping and working hours) as of that day. ``all_old`` is False if some
    data, such as a calendar, are newer.
    """

    day: date
    all_old: bool
    known: Snapshot
    learnt: Routine
    readings: Mapping[Meter, Reading]

    @property
    def text(self) -> str:
        return date_text(self.day, "%-d %B %Y")


def as_of(visit: Visit) -> AsOf | None:
    """Return the user's state on the last day with data, or None without data.

    It is also None if that day is today, or if a meter has a value now from newer data, a calendar or a check-in of the
    last two days.
    """
    newest = _newest(visit)
    if newest is None:
        return None
    version = (*newest, *data_version(visit.bridge, visit.user, visit.now))
    return visit.app.results.get(visit.user, "as_of", version, lambda: _read(visit, *newest))


def _newest(visit: Visit) -> tuple[date, bool] | None:
    """Return (last day with data, True if no other data are newer), or None if a meter has a current value."""
    current, store = visit.app.today_cache.today(visit.bridge, visit.user, visit.now), visit.bridge.store
    inputs = [because for reading in current.readings.values() for because in reading.because]
    if any(one.signal == OWN_WORD and one.age_hours < ANSWER_HOURS for one in inputs):
        return None
    old = newest_if_old(store, visit.user, current.known)
    if old is not None:
        return old, True
    if any(one.signal != OWN_WORD for one in inputs):
        return None
    measured = newest_measurement(store, visit.user, visit.now)
    day = visit.today if measured is None else visit.local(measured).date()
    return (day, False) if day < visit.today else None


def _read(visit: Visit, day: date, all_old: bool) -> AsOf:
    bridge, at = visit.bridge, midnight(day, visit.user.zones) + NOON
    now, back = visit.now, visit.now - at  # what came with a later import is known now only
    known = recommend.load_snapshot(bridge, visit.user, at=now, back=back)
    sleeps = (one for _source, one in known.episodes if one.kind is EpisodeKind.SLEEP and one.day == day)
    at = max([at, *(sleep.end for sleep in sleeps)])  # a morning elsewhere may be later than noon here
    then = replace(known, at=at)
    by_now = visit.app.today_cache.routine(bridge, visit.user, now)
    learnt = replace(routine_of(bridge.store, visit.user, then), nights=by_now.nights, until=by_now.until)
    return AsOf(day=day, all_old=all_old, known=then, learnt=learnt, readings=meters.read(then))


def trends_shown(visit: Visit, weeks: int, until: date | None) -> CachedTrends:
    """Return the trends document of ``weeks`` weeks, up to the day ``until`` if that is past, else up to now."""
    bridge, user, days = visit.bridge, visit.user, DAYS_PER_WEEK * weeks
    today = visit.today
    if until is None or until >= today:
        return load_trends(bridge, user, at=visit.now, days=days, wait=False)
    day = max(until, today - UNTIL_BACK)
    version = data_version(bridge, user, visit.now)
    text = visit.app.results.get(
        user, f"trends-{days}-{day}", version, lambda: trends_until(bridge, user, day, at=visit.now, days=days)
    )
    return CachedTrends(text=text, fresh=True)
