"""Rows of nights and naps, with stages of the watch and another app, and time in bed of the phone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from statistics import median

from lab.people.apple.document import CATEGORY, OTHER, PHONE, QUANTITY, WATCH, Sheet, Source, metadata
from lab.people.apple.life import Day, Life, Night, dice

STAGED_SINCE = date(2022, 9, 12)  # before, a watch knew sleep but no stages
VALUE = "HKCategoryValueSleepAnalysis"
FIELDS = {"AsleepCore": "light", "AsleepDeep": "deep", "AsleepREM": "rem", "Awake": "awake"}
NAP_WINDOW = (780, 930)  # minutes after midnight

Stages = list[tuple[int, int, str]]
Spot = tuple[float, float]  # Unix seconds and value
Overnight = dict[str, dict[str, list[Spot]]]  # by date of waking and field


def write_sleep(sheet: Sheet, life: Life, days: Sequence[Day]) -> tuple[dict[str, dict[str, float]], dict[str, int]]:
    """Write the rows of sleep. Returns figures by date of waking (see ``minutes``) and the number of naps by date."""
    kind = CATEGORY + "SleepAnalysis"
    heads = {source.rank: source.head(kind) for source in (WATCH, PHONE, OTHER)}
    nights: dict[str, dict[str, float]] = {}
    naps: dict[str, int] = {}
    for day in days:
        seen = []
        for source, stages, late in _reported(life, day):
            rng, inside = dice(life.seed, "doubled", day.text), metadata([("HKTimeZone", day.morning)])
            entered = stages[-1][1] + late  # all of a night at once
            written = [
                sheet.row(
                    heads[source.rank], a, b, VALUE + stage, late=entered - b, double=rng.random() < 0.01, inside=inside
                )
                for a, b, stage in stages
            ]
            if all(written):
                seen.append((source, stages))
        if seen:
            nights[day.text] = minutes(min(seen, key=_quality)[1])
        naps |= _nap(sheet, life, day, heads[WATCH.rank])
    sheet.end_of_kind()
    return nights, naps


def _reported(life: Life, day: Day) -> list[tuple[Source, Stages, int]]:
    """Return (source, stages, delay in seconds after the last stage) for each source that reports the night."""
    night, rng = life.night(day.date), dice(life.seed, "sleep", day.text)
    found: list[tuple[Source, Stages, int]] = []
    watch = staged(night, rng) if day.date >= STAGED_SINCE else _unstaged(night, rng)
    late = rng.randint(90_000, 400_000) if rng.random() < 0.03 else 0
    if night.worn:
        found.append((WATCH, watch, late))
    if rng.random() < 0.6 or not night.worn:
        found.append((PHONE, [(night.start - rng.randint(300, 1500), night.end + rng.randint(60, 900), "InBed")], 0))
    if life.has_other(day.date):
        found.append((OTHER, staged(Night(night.start + 240, night.end - 420, night.zone, worn=True), rng), 0))
    return found


def staged(night: Night, rng: random.Random) -> Stages:
    """Return a night's (start, end, stage) in cycles of about ninety minutes, with early deep sleep and late REM."""
    at, stages, cycle = night.start + rng.randint(60, 1200), Stages(), 0
    while at < night.end - 1800:
        for stage, share in (("AsleepCore", 45), ("AsleepDeep", max(26 - 7 * cycle, 0)), ("AsleepREM", 8 + 5 * cycle)):
            end = min(at + int(share * 60 * rng.uniform(0.7, 1.3)) // 30 * 30, night.end)
            if end > at:
                stages.append((at, end, stage))
                at = end
        pause = rng.choice((0, 0, 30, 180, 600))
        if pause and at + pause < night.end:
            stages.append((at, at + pause, "Awake"))
            at += pause + rng.choice((0, 0, 60))
        cycle += 1
    return stages


def _unstaged(night: Night, rng: random.Random) -> Stages:
    """Return a night as two pieces of sleep without stages, as before the watch knew stages."""
    name = rng.choice(("Asleep", "AsleepUnspecified"))
    middle = night.start + int((night.end - night.start) * rng.uniform(0.3, 0.7))
    return [(night.start + 300, middle, name), (middle + rng.randint(60, 1200), night.end, name)]


def _quality(reported: tuple[Source, Stages]) -> tuple[int, int]:
    source, stages = reported
    known = {stage for _, _, stage in stages}
    return 0 if "AsleepCore" in known else 2 if "InBed" in known else 1, source.rank


def minutes(stages: Stages) -> dict[str, float]:
    """Return minutes by stage, with ``start`` and ``end`` of the sleep in Unix seconds. Stages must not overlap."""
    asleep = [stage for stage in stages if stage[2] not in ("InBed", "Awake")]
    whole = asleep or stages
    found: dict[str, float] = {"start": whole[0][0], "end": whole[-1][1]}
    if not asleep:
        return found | {"in_bed": (whole[-1][1] - whole[0][0]) / 60}
    found["asleep"] = sum(b - a for a, b, _ in asleep) / 60
    if any(stage == "AsleepCore" for _, _, stage in asleep):
        found |= {FIELDS[name]: 0.0 for name in FIELDS if name != "Awake"}
    for a, b, stage in stages:
        if stage in FIELDS:
            found[FIELDS[stage]] = found.get(FIELDS[stage], 0.0) + (b - a) / 60
    return found


def _nap(sheet: Sheet, life: Life, day: Day, head: str) -> dict[str, int]:
    rng = dice(life.seed, "nap", day.text)
    if rng.random() > 0.08 or day.travels or life.idle(day):
        return {}
    start = day.start + rng.randint(*NAP_WINDOW) * 60
    end = start + rng.randint(20, 80) * 60
    inside = metadata([("HKTimeZone", day.evening)])
    return {day.text: 1} if sheet.row(head, start, end, VALUE + "AsleepCore", inside=inside) else {}


def write_overnight(sheet: Sheet, life: Life, days: Sequence[Day], unit: str) -> Overnight:
    """Write breath, blood oxygen and wrist temperature of nights with the watch on.

    Returns (Unix seconds, value) pairs by date of waking and field.
    """
    truth: Overnight = {}
    for kind, field, apart in (("RespiratoryRate", "respiratory_rate", 900), ("OxygenSaturation", "spo2", 2400)):
        head = WATCH.head(QUANTITY + kind, "%" if field == "spo2" else "count/min")
        for day in days:
            truth.setdefault(day.text, {})[field] = _spots(sheet, life, day, head, field, apart)
        sheet.end_of_kind()
    head = WATCH.head(QUANTITY + "AppleSleepingWristTemperature", unit)
    for day in days:
        truth[day.text]["skin_temperature"] = _warmth(sheet, life, day, head, unit)
    return truth


def _asleep(life: Life, day: Day) -> tuple[int, int] | None:
    told = [stages for source, stages, _ in _reported(life, day) if source is WATCH]
    if not told or day.date < STAGED_SINCE:
        return None
    known = minutes(told[0])
    return int(known["start"]), int(known["end"])


def _spots(sheet: Sheet, life: Life, day: Day, head: str, field: str, apart: int) -> list[Spot]:
    asleep, rng = _asleep(life, day), dice(life.seed, field, day.text)
    values: list[Spot] = []
    while asleep and (at := asleep[0] + len(values) * apart + rng.randint(1, apart - 1)) < asleep[1]:
        value = round(rng.gauss(14.5, 1.2) * 2) / 2 if field == "respiratory_rate" else rng.randint(92, 100)
        if not sheet.row(head, at, at, value / 100 if field == "spo2" else value):
            break
        values.append((at, value))
    return values


def _warmth(sheet: Sheet, life: Life, day: Day, head: str, unit: str) -> list[Spot]:
    asleep, rng = _asleep(life, day), dice(life.seed, "warmth", day.text)
    if not asleep:
        return []
    celsius = rng.gauss(35.6, 0.25)
    written = celsius * 1.8 + 32 if unit == "degF" else celsius
    return [(sum(asleep) / 2, celsius)] if sheet.row(head, *asleep, written) else []


def medians(night: dict[str, float], measured: dict[str, list[Spot]]) -> dict[str, float]:
    """Return the median of each field's values that were measured between ``start`` and ``end`` of the night."""
    inside = {
        field: [value for at, value in spots if night["start"] <= at <= night["end"]]
        for field, spots in measured.items()
    }
    return {field: median(values) for field, values in inside.items() if values}
