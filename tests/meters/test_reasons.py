"""A reason's words say in which direction it moves its meter: over made-up people of many devices, and real people."""

from __future__ import annotations

import random
import re

import pytest

from bridge.domain.rendering import told
from bridge.domain.samples import CHECK_INS
from bridge.domain.types import Sample
from bridge.meters import proxy, read, words
from lab.validation import life, lifesnaps
from rhythm_env.interface import Meter
from tests.samples import sample

from . import wearers
from .life import DAY, HOUR, MORNING, known, task, weeks

LESS_IS_BETTER = {"resting_hr", "meetings", "calendar", "stress", "deadlines"}
EXCEPTIONS = ("in a week that is not", "unlike the vendor's recovery")  # the words say so where a part speaks against
OVER_SIX_HOURS = re.compile(r"stress (\d+) over .*, (\d+) is usual")


def claimed(signal: str, text: str) -> int:
    """Return 1 or -1 for words that claim that a meter is lifted or lowered, and 0 for words that claim nothing."""
    if signal in ("illness", "deadlines"):
        return -1
    if "and yet no restful night" in text or "after lower answers" in text:
        return -1
    if "and still a good night" in text or "after higher answers" in text:
        return 1
    if any(words in text for words in EXCEPTIONS):
        return 0
    if signal == "sleep":
        return -1 if "less than you need" in text or "less than most people need" in text else 1
    strained = OVER_SIX_HOURS.search(text)
    if strained:
        return (float(strained[1]) < float(strained[2])) - (float(strained[1]) > float(strained[2]))
    side = (" above " in text or "more than usual" in text) - (" below " in text or "less than usual" in text)
    return -side if signal in LESS_IS_BETTER and "stress management" not in text else side


def examined(readings) -> int:
    """Check every reason of readings. Returns how many of them claim a direction."""
    count = 0
    for meter, reading in readings.items():
        for one in reading.because:
            direction = claimed(one.signal, told(one.fact))
            count += direction != 0
            assert one.contribution * one.z >= 0, (meter, one)
            assert direction * one.contribution >= 0, (meter, one)
        apart = sum(one.contribution for one in reading.because)
        assert (apart > 1e-9) - (apart < -1e-9) == (reading.level > 0.7 + 1e-9) - (reading.level < 0.7 - 1e-9)
    return count


@pytest.mark.parametrize("fields", wearers.FIELDS)
def test_words_of_made_up_people_agree_with_what_they_do(fields):
    claims = 0
    for seed in range(15):
        rng = random.Random(f"{fields} {seed}")
        nights = wearers.life(
            rng, wearers.wearer(rng, fields), history=rng.choice([2, 5, 12, 40]), sick=rng.choice([0, 1])
        )
        answers = [_answer(ago, rng.randint(1, 5), rng.choice([None, *Meter])) for ago in range(rng.choice([0, 1, 20]))]
        tasks = tuple(task(n, done=rng.choice([None, 20]), due=rng.randint(-3, 4)) for n in range(rng.randrange(6)))
        agenda = weeks(seed) if seed % 2 else ()
        for hours in (2, 9, 15):
            claims += examined(read(known(*nights, *answers, agenda=agenda, tasks=tasks, at=MORNING + hours * HOUR)))
    assert claims > 100


def _answer(ago: int, score: int, about: Meter | None) -> Sample:
    at = MORNING + HOUR - ago * DAY
    return Sample(
        key=f"check_in/{about}/{ago}", metric=CHECK_INS[about], start=at, day=at.date(), value=score, offset=60
    )


@pytest.mark.slow
def test_words_of_real_people_agree_with_what_they_do():
    """LifeSnaps' people, on every day with a report."""
    cohort = lifesnaps.read(sample("wellness") / "lifesnaps")
    claims = sum(
        examined(readings)
        for person in cohort.persons
        if person.asked
        for readings in life.readings(person, proxy.shipped())
    )
    assert claims > 5000


def test_a_published_need_is_not_called_the_persons():
    assert told(words.slept(6.0, 7.5, -1.0, own=False)) == "slept 6 h, 1 h 30 min less than most people need"
    assert told(words.slept(8.0, 7.5, 1.0, own=False)) == "slept 8 h, as much as most people need"


def test_claims_are_seen():
    assert claimed("sleep", "slept 6 h, less than you need") == -1
    assert claimed("resting_hr", "resting heart rate 4 bpm above your usual") == -1
    assert claimed("hrv", "heart-rate variability 9 % above your usual") == 1
    assert claimed("stress", "stress 50 over the last six hours, 30 is usual") == -1
    assert claimed("stress", "stress management 5 points above your usual") == 1
    assert claimed("company", "with friends or family once, less than usual for you") == -1
    assert claimed("awake", "awake for 2 h") == 0
