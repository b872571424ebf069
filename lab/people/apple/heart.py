"""Rows of heart rate, resting heart rate, and variability with its single beats."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from math import sqrt
from statistics import fmean, median, pstdev

from lab.people.apple.document import OTHER, QUANTITY, WATCH, Sheet, metadata
from lab.people.apple.life import Day, Life, dice, offset

RMSSD_SINCE = date(2026, 9, 14)  # the systems that write it beside SDNN
MISSED = 0.2  # share of beat lists with a hole
MOTION = [metadata([("HKMetadataKeyHeartRateMotionContext", context)]) for context in (0, 1, 2)]

PerDay = dict[str, dict[str, float]]


def write_rates(sheet: Sheet, life: Life, days: Sequence[Day]) -> PerDay:
    """Write heart rates every few minutes while the watch is worn, and return their number and mean by date."""
    head, truth = WATCH.head(QUANTITY + "HeartRate", "count/min"), PerDay()
    for day in days:
        rng, worn = dice(life.seed, "rate", day.text), life.worn
        at, rates = day.start + rng.randint(1, 200), []
        while at < day.end:
            rate = 48 + int(rng.expovariate(1 / 18))
            if worn(day, at) and rate < 200 and sheet.row(head, at, at, rate, inside=MOTION[rate % 3]):
                rates.append(rate)
            at += rng.randint(20, 420 * life.pause)
        if rates:
            truth[day.text] = {"heart_rates": len(rates), "heart_rate": fmean(rates)}
    return truth


def write_resting(sheet: Sheet, life: Life, days: Sequence[Day]) -> dict[str, float]:
    """Write the watch's daily resting heart rate and in some months another app's, and return the valid value by date.

    The valid value is the watch's last if it was worn, else the other app's.
    """
    kind = QUANTITY + "RestingHeartRate"
    mine, others = WATCH.head(kind, "count/min"), OTHER.head(kind, "count/min")
    truth: dict[str, float] = {}
    for day in days:
        rng = dice(life.seed, "resting", day.text)
        rate, theirs, start = rng.randint(46, 62), rng.randint(60, 66), day.start + rng.randint(0, 600)
        late = day.end - 600
        if life.has_other(day.date) and sheet.row(others, late, late, theirs):
            truth[day.text] = theirs
        noon = (day.start + day.end) // 2
        for end, value in ((noon + 7200, rate), (noon + 25_000, rate - 1)):
            wanted = not life.idle(day) and (value == rate or rng.random() < 0.3)
            if wanted and sheet.row(mine, start, end, value):
                truth[day.text] = value
    return truth


def write_variability(sheet: Sheet, life: Life, days: Sequence[Day], *, clock12: bool) -> PerDay:
    """Write SDNN with the beats of a minute, and return the medians of SDNN and of the beats' RMSSD (ms) by date."""
    head, found = WATCH.head(QUANTITY + "HeartRateVariabilitySDNN", "ms"), PerDay()
    for day in days:
        rng = dice(life.seed, "variability", day.text)
        sdnn, rmssd = [], []
        for at in sorted(rng.sample(range(day.start + 60, day.end - 120, 90), 9)):
            if not life.worn(day, at):
                continue
            beats = _beats(rng)
            lengths = [60_000 / bpm for bpm, _ in beats]
            value = pstdev(lengths)
            wall = at + offset(at, day.zone(at))
            lines = "".join(_beat(bpm, wall % 86_400 + passed, clock12=clock12) for bpm, passed in beats)
            if sheet.row(head, at, at + 60, value, inside=LIST.format(lines)):
                sdnn.append(value)
                rmssd.append(_successive(beats))
        if sdnn:
            found[day.text] = {"hrv_sdnn": median(sdnn), "beats_rmssd": median(rmssd), "hrv_readings": len(sdnn)}
    return found


LIST = "  <HeartRateVariabilityMetadataList>\n{}  </HeartRateVariabilityMetadataList>\n"


def _beats(rng: random.Random) -> list[tuple[int, float]]:
    usual, spread, passed, found = rng.uniform(780, 1150), rng.uniform(20, 70), 0.4, []
    hole = rng.randint(8, 30) if rng.random() < MISSED else 0
    for number in range(rng.randint(36, 52)):
        length = usual + rng.gauss(0, spread)
        bpm = round(60_000 / length)
        passed += length / 1000 + (6.0 if number == hole and hole else 0.0)
        if passed > 59.5:
            break
        found.append((bpm, passed))
    return found


def _successive(beats: Sequence[tuple[int, float]]) -> float:
    """Return the RMSSD in ms of (beats per minute, seconds) pairs. Pairs beside a gap are not compared."""
    squares = [
        (60_000 / after[0] - 60_000 / before[0]) ** 2 for before, after in pairwise(beats) if after[1] - before[1] < 3
    ]
    return sqrt(fmean(squares))


def _beat(bpm: int, clock: float, *, clock12: bool) -> str:
    hundredths = round(clock * 100) % 8_640_000
    minute, second = divmod(hundredths, 6000)
    hour, minute = divmod(minute, 60)
    second, part = divmod(second, 100)
    if clock12:
        text = f"{(hour + 11) % 12 + 1}:{minute:02}:{second:02}.{part:02}\u202f{'AP'[hour >= 12]}M"
    else:
        text = f"{hour:02}:{minute:02}:{second:02},{part:02}"
    return f'   <InstantaneousBeatsPerMinute bpm="{bpm}" time="{text}"/>\n'


def write_rmssd(sheet: Sheet, life: Life, days: Sequence[Day]) -> dict[str, list[tuple[float, float]]]:
    """Write RMSSD values (ms) of nights with the watch on, and return (Unix seconds, value) pairs by date of waking."""
    head, truth = WATCH.head(QUANTITY + "HeartRateVariabilityRMSSD", "ms"), {}
    for day in days:
        night, rng, values = life.night(day.date), dice(life.seed, "rmssd", day.text), []
        if day.date < RMSSD_SINCE or not night.worn:
            continue
        for at in range(night.start + 3600, night.end - 3600, 2700):
            value = round(rng.gauss(48, 9), 1)
            if sheet.row(head, at, at + 300, value):
                values.append((at + 150.0, value))
        truth[day.text] = values
    return truth
