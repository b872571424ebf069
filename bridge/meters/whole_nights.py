"""Unite the pieces of a night that a device closed while the person lay awake.

A nap by ``samples.is_nap`` stays one, whatever its source calls it. Other sleeps of a device are pieces of one night if
the time awake between them lies between 20:00 and 08:00, and is no longer than the shorter piece, nor than two hours.
Sleep in two parts with an hour or more awake between was once usual (Ekirch 2001, "Sleep We Have Lost", American
Historical Review 106), and accelerometers join sleep over pauses of an hour (van Hees 2018, Scientific Reports 8:12975;
``spt_max_gap`` of GGIR).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from bridge.domain.metrics import Metric
from bridge.domain.records import Snapshot
from bridge.domain.samples import NAP_HOURS, is_nap
from bridge.domain.types import Episode, EpisodeKind
from bridge.meters.overlaps import Told, ended_once

FLOWN_MINUTES = 180  # of offset; less is a change to summer time or a neighbouring zone
AWAKE_MAX, MINUTE = timedelta(hours=2), timedelta(minutes=1)
ADDED = (Metric.ASLEEP, Metric.LIGHT_SLEEP, Metric.DEEP_SLEEP, Metric.REM_SLEEP)


def whole_nights(episodes: Iterable[Told]) -> list[Told]:
    """Return the episodes by start, with the pieces of a device's night joined into one episode."""
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
    """Return the whole nights of the ended episodes, each night once. They are computed once per snapshot."""
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
    """Return two pieces as one night. The pause between them counts as time awake and in bed."""
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
