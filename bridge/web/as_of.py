"""Tell how a person was on the last days of old data, for pages that would else say that nothing is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from statistics import median

from bridge import meters
from bridge.advice import recommend
from bridge.advice.modes import routine_of
from bridge.advice.observation import newest_if_old
from bridge.calendar.expansion import midnight
from bridge.day.routine import Routine
from bridge.documents.trends_cache import CachedTrends, load_trends, trends_until
from bridge.domain.facts import Fact
from bridge.domain.languages import _, date_text
from bridge.domain.records import Snapshot
from bridge.domain.slots import ends_shown
from bridge.domain.types import Episode, EpisodeKind, Reading
from bridge.web.day import local
from bridge.web.state import Visit
from bridge.web.today_cache import data_version
from rhythm_env.interface import Meter

NOON, A_DAY = timedelta(hours=12), timedelta(days=1)
NIGHTS_MIN, NIGHTS_DAYS = 3, 28
DAYS_PER_WEEK = 7
UNTIL_BACK = timedelta(days=7320)  # before today, no earlier day is shown
SINCE = {  # facts of people whose nights are not known lately -> the same with the nights known long ago
    "bedtime_common": "bedtime_common_since",
    "waking_common": "waking_common_since",
    "asleep_common": "asleep_common_since",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AsOf:
    """The meters at noon of the last day with data, or when its night ended.

    ``nights`` tells the usual night until then, if it is known, and ``learnt`` is the routine of then.
    """

    day: date
    known: Snapshot
    learnt: Routine
    readings: Mapping[Meter, Reading]
    nights: str | None

    @property
    def text(self) -> str:
        return date_text(self.day, "%-d %B %Y")


def as_of(visit: Visit, snapshot: Snapshot) -> AsOf | None:
    """Return how the visiting user, whose snapshot of now is given, was on the last day with data.

    None while there are newer ones, or none.
    """
    newest = newest_if_old(visit.bridge.store, visit.user, snapshot)
    if newest is None:
        return None
    version = data_version(visit.bridge, visit.user, visit.now)
    return visit.app.results.get(visit.user, "as_of", version, lambda: _read(visit, newest))


def _read(visit: Visit, day: date) -> AsOf:
    bridge, at = visit.bridge, midnight(day, visit.user.zones) + NOON
    now, back = visit.now, visit.now - at  # what came with a later import is known now only
    known = recommend.load_snapshot(bridge, visit.user, at=now, back=back)
    sleeps = (one for _source, one in known.episodes if one.kind is EpisodeKind.SLEEP and one.day == day)
    at = max([at, *(one.end for one in sleeps)])  # a morning elsewhere may be later than noon here
    then = replace(known, at=at)
    learnt = routine_of(bridge.store, visit.user, then)
    return AsOf(day=day, known=then, learnt=learnt, readings=meters.read(then), nights=_nights(visit, then, at))


def _nights(visit: Visit, then: Snapshot, at: datetime) -> str | None:
    usual = _usual(visit, (one for _source, one in then.episodes), at)
    return None if usual is None else _("{bed} to {up}", bed=usual[0], up=usual[1])


def _usual(visit: Visit, episodes: Iterable[Episode], at: datetime) -> tuple[str, str] | None:
    """Return the usual bedtime and time of getting up of the nights before ``at``, or None of too few nights."""
    since = at - NIGHTS_DAYS * A_DAY
    sleeps = {one.day: one for one in episodes if one.kind is EpisodeKind.SLEEP and since < one.end <= at}
    if len(sleeps) < NIGHTS_MIN:
        return None
    ends = (ends_shown(one.start, one.end, visit.user.zones, one.offset) for one in sleeps.values())
    beds, wakings = zip(*(map(_since_noon, both) for both in ends), strict=True)
    return _clock(median(beds)), _clock(median(wakings))


def trends_shown(visit: Visit, weeks: int, until: date | None) -> CachedTrends:
    """Return the trends document of so many weeks, up to a day in the past or, by default, until now."""
    bridge, user, days = visit.bridge, visit.user, DAYS_PER_WEEK * weeks
    today = local(visit, visit.now).date()
    if until is None or until >= today:
        return load_trends(bridge, user, at=visit.now, days=days, wait=False)
    day = max(until, today - UNTIL_BACK)
    version = data_version(bridge, user, visit.now)
    text = visit.app.results.get(
        user, f"trends-{days}-{day}", version, lambda: trends_until(bridge, user, day, at=visit.now, days=days)
    )
    return CachedTrends(text=text, fresh=True)


def with_old_nights(visit: Visit, facts: Sequence[Fact]) -> list[Fact]:
    """Return facts of common times of sleep with the nights that were known long ago, if there are any."""
    if not any(one.kind in SINCE for one in facts):
        return list(facts)
    then = old_nights(visit)
    if then is None:
        return list(facts)
    return [
        replace(one, kind=SINCE[one.kind], values={**one.values, **then}) if one.kind in SINCE else one for one in facts
    ]


def old_nights(visit: Visit) -> dict[str, str] | None:
    """Return ``day`` of the newest known night, and the usual ``bed`` and ``up`` until then, or None."""

    def read() -> dict[str, str] | None:
        found = [one for _source, one in visit.bridge.store.reading.episodes(visit.user.id)]
        last = max((one for one in found if one.kind is EpisodeKind.SLEEP), key=lambda one: one.end, default=None)
        usual = None if last is None else _usual(visit, found, last.end)
        if last is None or usual is None:
            return None
        return {"day": last.day.isoformat(), "bed": usual[0], "up": usual[1]}

    return visit.app.results.get(visit.user, "old nights", data_version(visit.bridge, visit.user, visit.now), read)


def _since_noon(at: datetime) -> float:
    return (at.hour * 60 + at.minute - 720) % 1440


def _clock(minutes: float) -> str:
    hour, minute = divmod(round(minutes + 720) % 1440, 60)
    return f"{hour:02d}:{minute:02d}"
