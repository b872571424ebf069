"""Find the recordings of the same night, nap or workout by several devices, and keep one of each.

Watches, rings, phones and the apps between them write down the same thing, each with its own start and end. Recordings
that share more than half of the shorter one are the same thing, and one device tells the whole of it. A recording of
less than half of the longest one is incomplete, as with an empty battery, and gives way to any other. Otherwise the
order of sources decides. The order in which recordings arrive has no influence.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta

from bridge.domain.preference import Key, Preference
from bridge.domain.records import Snapshot
from bridge.domain.types import Episode, EpisodeKind

SAME = 0.5  # of the shorter recording
COMPLETE = 0.5  # of the longest recording
HISTORY = timedelta(days=60)  # in which a series becomes established
NO_PREFERENCE = Preference()

Told = tuple[str, Episode]  # source and episode
Order = tuple[bool, Key, timedelta, timedelta, str]


def series_of(source: str, device: str | None) -> str:
    """Return the name of a series, which has its own normal: ``SOURCE``, or ``SOURCE/DEVICE`` for a known device.

    A new device, or new firmware where the device's name tells it, starts a new series.
    """
    return source if device is None else f"{source}/{device}"


def once(episodes: Iterable[Told], preference: Preference = NO_PREFERENCE) -> list[Told]:
    """Return (source, episode) of each night, nap and workout once, by start.

    Recordings are of the same thing if they share more than half of the shorter. A night and a nap at the same time are
    the same thing. A workout is a thing of its own. Of a thing's recordings, those of the preferred series stay.
    Recordings of less than half the longest come last, whatever the preference.
    """
    asleep: list[Told] = []
    active: list[Told] = []
    for told in episodes:
        (active if told[1].kind is EpisodeKind.WORKOUT else asleep).append(told)
    nights = _days(asleep)
    kept: list[Told] = []
    for of, told_nights in ((asleep, nights), (active, {})):
        for together in _touching(of):
            kept += together if len(together) == 1 else _chosen(together, preference, told_nights)
    return sorted(kept, key=_by_start)


def ended_once(known: Snapshot) -> list[Told]:
    """Return ``once`` of the episodes that have ended, made a single time for a snapshot."""
    if "once" not in known.kept:
        known.kept["once"] = once((told for told in known.episodes if told[1].end <= known.at), known.preference)
    found: list[Told] = known.kept["once"]
    return found


def _by_start(told: Told) -> tuple[datetime, str, str]:
    source, one = told
    return one.start, source, one.key


def _days(asleep: Iterable[Told]) -> dict[str, list[date]]:
    """Return series -> ascending days with a main sleep."""
    found: dict[str, set[date]] = {}
    for source, one in asleep:
        if one.kind is EpisodeKind.SLEEP:
            found.setdefault(series_of(source, one.device), set()).add(one.day)
    return {series: sorted(days) for series, days in found.items()}


def _touching(episodes: Iterable[Told]) -> Iterator[list[Told]]:
    """Yield the episodes in groups, so that episodes of different groups do not overlap.

    Each group is in the order of start.
    """
    together: list[Told] = []
    over: datetime | None = None
    for told in sorted(episodes, key=_by_start):
        if over is not None and told[1].start >= over:
            yield together
            together, over = [], None
        together.append(told)
        over = told[1].end if over is None else max(over, told[1].end)
    if together:
        yield together


def _chosen(together: Sequence[Told], preference: Preference, nights: dict[str, list[date]]) -> Iterator[Told]:
    """Yield the episodes of a group that remain when each thing is kept once. One series tells the whole of a thing."""
    for thing in _things(together):
        kept: list[Told] = []
        for told in sorted(thing, key=_order(thing, preference, nights), reverse=True):
            if not kept or (_series(told) == _series(kept[0]) and not any(_same(told[1], one) for _, one in kept)):
                kept.append(told)
        yield from kept


def _things(together: Sequence[Told]) -> list[list[Told]]:
    """Return the episodes of a group, divided by the night, nap or workout that they record. Sameness is transitive."""
    things: list[list[Told]] = []
    for told in together:
        thing, others = [told], []
        for known in things:
            if any(_same(told[1], one) for _, one in known):
                thing += known
            else:
                others.append(known)
        things = [*others, thing]
    return things


def _order(thing: Sequence[Told], preference: Preference, nights: dict[str, list[date]]) -> Callable[[Told], Order]:
    """Return the sort key of the recordings of a night, nap or workout, the largest of which is taken.

    Recordings of at least half the longest come first. Then the order of sources decides, then the length, and then the
    earlier start. ``nights`` is series -> days with a night.
    """
    longest = max(one.end - one.start for _, one in thing)
    begin = min(one.start for _, one in thing)

    def order(told: Told) -> Order:
        series, one = _series(told), told[1]
        key = preference.key(series, _earlier(nights.get(series, ()), one.day))
        length = one.end - one.start
        return length >= COMPLETE * longest, key, length, begin - one.start, one.key

    return order


def _series(told: Told) -> str:
    return series_of(told[0], told[1].device)


def _earlier(days: Sequence[date], day: date) -> int:
    """Return how many of ascending days lie in the 60 days before ``day``."""
    return bisect_left(days, day) - bisect_left(days, day - HISTORY)


def _same(one: Episode, other: Episode) -> bool:
    """Return True if two recordings share more than half of the shorter."""
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > SAME * min(one.end - one.start, other.end - other.start)
