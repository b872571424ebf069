"""Nights of several devices, chosen one by one where it matters, are those that are chosen among all."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import date, timedelta

from bridge.domain.preference import Preference
from bridge.domain.types import Episode, EpisodeKind
from bridge.meters.overlaps import once, series_of
from bridge.query import rows
from bridge.store import codec
from bridge.store.daily import episode_of
from tests.query.wearer import Wearer


def test_what_nothing_touches_is_chosen_like_all() -> None:
    rng = random.Random(11)
    found = []
    for seed, (source, device, days) in enumerate(
        (("garmin", "old", range(150)), ("garmin", "new", range(130, 300)), ("oura", None, range(60, 220)))
    ):
        for one in Wearer(seed=seed, count=300).items:
            if not isinstance(one, Episode) or one.kind is not EpisodeKind.SLEEP:
                continue
            if (one.day - date(2025, 1, 1)).days in days:
                pieces = [replace(one, device=device)]
                if rng.random() < 0.2:
                    middle = one.start + (one.end - one.start) / 2
                    later = middle + timedelta(minutes=rng.choice((20, 100)))
                    pieces = [replace(pieces[0], end=middle), replace(pieces[0], start=later, key=f"{one.key}/2")]
                if rng.random() < 0.1:
                    nap = one.end + timedelta(hours=6)
                    end = nap + timedelta(hours=1)
                    pieces.append(
                        replace(one, device=device, kind=EpisodeKind.NAP, start=nap, end=end, key=f"{one.key}/n")
                    )
                found += [(source, json.loads(codec.encode(piece))) for piece in pieces]
    rng.shuffle(found)
    history: dict[str, list[date]] = {}
    for source, fields in sorted(found, key=lambda told: str(told[1]["day"])):
        if fields["kind"] == "sleep":
            history.setdefault(series_of(source, fields.get("device")), []).append(date.fromisoformat(fields["day"]))
    history = {series: sorted({*days}) for series, days in history.items()}
    among_all = rows._chosen(found, (), Preference(), history)
    alone = rows._nights(found, (), Preference())
    assert len(rows._doubtful(found)) < len(found)
    assert {day: (row.values, row.fields) for day, row in alone.items()} == {
        day: (row.values, row.fields) for day, row in among_all.items()
    }


def test_workouts_of_several_devices_are_each_told_once() -> None:
    rng = random.Random(12)
    found = []
    for source in ("garmin", "apple_health", "whoop"):
        for one in Wearer(seed=3, count=200).items:
            if isinstance(one, Episode) and one.kind is EpisodeKind.WORKOUT and rng.random() < 0.6:
                later = timedelta(minutes=rng.randint(0, 30))
                moved = replace(one, key=f"{source}/{one.key}", start=one.start + later, end=one.end + later)
                found.append((source, json.loads(codec.encode(moved))))
    rng.shuffle(found)
    kept = once((source, episode_of(fields)) for source, fields in found)
    told = [str(row.fields["key"]) for row in rows._workouts(found, (), Preference())]
    assert sorted(told) == sorted(one.key for _, one in kept)
    assert len(told) < len(found)
