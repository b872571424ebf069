"""Keep one of several devices' recordings of the same night, nap or workout, and join the pieces of a night.

A device may end a recording while the person lies awake. A nap by ``samples.is_nap`` is never joined. Other sleeps of a
device are pieces of one night if the time awake between them lies between 20:00 and 08:00, and is no longer than the
shorter piece, nor than two hours. Sleep in two parts with an hour or more awake between was once usual (Ekirch 2001,
"Sleep We Have Lost", American Historical Review 106), and accelerometers join sleep over pauses of an hour (van Hees
2018, Scientific Reports 8:12975; ``spt_max_gap`` of GGIR).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from bridge.domain.metrics import Metric
from bridge.domain.preference import Key, Preference
from bridge.domain.records import Snapshot
from bridge.domain.samples import NAP_HOURS, is_nap
from bridge.domain.types import Episode, EpisodeKind

SAME = 0.5  # of the shorter recording
COMPLETE = 0.5  # of the longest recording
HISTORY = timedelta(days=60)  # in which a series becomes established
NO_PREFERENCE = Preference()

Told = tuple[str, Episode]  # source and episode
Order = tuple[bool, Key, timedelta, timedelta, str]

FLOWN_MINUTES = 180  # of offset; less is a change to summer time or a neighbouring zone
AWAKE_MAX, MINUTE = timedelta(hours=2), timedelta(minutes=1)
ADDED = (Metric.ASLEEP, Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP)


def series_of(source: str, device: str | None) -> str:
    """Return ``SOURCE`` or ``SOURCE/DEVICE``, the name of a series of values."""
    return source if device is None else f"{source}/{device}"


def once(
    episodes: Iterable[Told],
    preference: Preference = NO_PREFERENCE,
    nights: Mapping[str, Sequence[date]] | None = None,
) -> list[Told]:
    """Return (source, episode) by start, without copies of the same night, nap or workout by other devices.

    Two recordings are copies if they share more than half of the shorter. A complete one of the device that
    ``preference`` prefers stays. ``nights`` maps a series to its days of waking, needed if ``episodes`` are only some.
    """
    asleep: list[Told] = []
    active: list[Told] = []
    for told in episodes:
        (active if told[1].kind is EpisodeKind.WORKOUT else asleep).append(told)
    nights = _days(asleep) if nights is None else nights
    kept: list[Told] = []
    for of, told_nights in ((asleep, nights), (active, {})):
        for together in _touching(of):
            kept += together if len(together) == 1 else _chosen(together, preference, told_nights)
    return sorted(kept, key=_by_start)


def ended_once(known: Snapshot) -> list[Told]:
    """Return (source, episode) that ended by ``known.at``, without copies, computed once per snapshot."""
    ended = (told for told in known.episodes if told[1].end <= known.at)
    return known.once("once", lambda: once(ended, known.preference))


def _by_start(told: Told) -> tuple[datetime, str, str]:
    source, one = told
    return one.start, source, one.key


def _days(asleep: Iterable[Told]) -> dict[str, list[date]]:
    found: dict[str, set[date]] = {}
    for source, one in asleep:
        if one.kind is EpisodeKind.SLEEP:
            found.setdefault(series_of(source, one.device), set()).add(one.day)
    return {series: sorted(days) for series, days in found.items()}


def _touching(episodes: Iterable[Told]) -> Iterator[list[Told]]:
    """Yield groups of recordings that overlap, by start. Recordings of different groups never overlap."""
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


def _chosen(together: Sequence[Told], preference: Preference, nights: Mapping[str, Sequence[date]]) -> Iterator[Told]:
    for thing in _things(together):
        kept: list[Told] = []
        for told in sorted(thing, key=_order(thing, preference, nights), reverse=True):
            if not kept or (_series(told) == _series(kept[0]) and not any(_same(told[1], one) for _, one in kept)):
                kept.append(told)
        yield from kept


def _things(together: Sequence[Told]) -> list[list[Told]]:
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


def _order(
    thing: Sequence[Told], preference: Preference, nights: Mapping[str, Sequence[date]]
) -> Callable[[Told], Order]:
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
    return bisect_left(days, day) - bisect_left(days, day - HISTORY)


def _same(one: Episode, other: Episode) -> bool:
    shared = min(one.end, other.end) - max(one.start, other.start)
    return shared > SAME * min(one.end - one.start, other.end - other.start)


def whole_nights(episodes: Iterable[Told]) -> list[Told]:
    """Return the (source, episode) pairs by start, with the pieces of a device's night joined into one episode."""
    done: list[Told] = []
    last: dict[tuple[str, str | None], int] = {}  # device -> where its last sleep that is no nap stands
    for source, one in sorted(episodes, key=lambda told: (told[1].start, told[1].end, told[0], told[1].key)):
        device = source, one.device
        before = last.get(device)
        if one.kind is EpisodeKind.WORKOUT or _is_nap(one):
            done.append((source, one))
        elif before is not None and _belong(done[before][1], one):
            done[before] = source, _united(done[before][1], one)
        else:
            last[device] = len(done)
            done.append((source, one))
    return done


def ended_whole(known: Snapshot) -> list[Told]:
    """Return ``ended_once`` with the pieces of a device's night joined into one episode, computed once per snapshot."""
    return known.once("whole nights", lambda: whole_nights(ended_once(known)))


def _is_nap(one: Episode) -> bool:
    begun = one.start + timedelta(minutes=one.offset or 0)
    return is_nap(begun.hour, (one.end - one.start) / MINUTE)


def _belong(first: Episode, second: Episode) -> bool:
    if (
        not timedelta(0)
        <= second.start - first.end
        <= min(first.end - first.start, second.end - second.start, AWAKE_MAX)
    ):
        return False
    is_main = EpisodeKind.SLEEP in (first.kind, second.kind)
    moved = 0 if None in (first.offset, second.offset) else abs((first.offset or 0) - (second.offset or 0))
    return is_main and moved < FLOWN_MINUTES and _at_night(first.end, first) and _at_night(second.start, second)


def _at_night(at: datetime, one: Episode) -> bool:
    return (at + timedelta(minutes=one.offset or 0)).hour not in NAP_HOURS


def _united(first: Episode, second: Episode) -> Episode:
    longer = max(first, second, key=lambda one: (one.kind is EpisodeKind.SLEEP, one.end - one.start))
    pause = (second.start - first.end) / MINUTE
    values = dict(longer.values)
    for metric in (*ADDED, Metric.AWAKE, Metric.IN_BED):
        values.pop(metric, None)
        if metric in first.values and metric in second.values:
            values[metric] = first.values[metric] + second.values[metric] + (0 if metric in ADDED else pause)
    values.pop(Metric.SLEEP_EFFICIENCY, None)
    if Metric.ASLEEP in values and values.get(Metric.IN_BED):
        values[Metric.SLEEP_EFFICIENCY] = 100 * values[Metric.ASLEEP] / values[Metric.IN_BED]
    day = second.day if second.kind is EpisodeKind.SLEEP else first.day
    return replace(longer, start=first.start, end=second.end, offset=second.offset, day=day, values=values)
