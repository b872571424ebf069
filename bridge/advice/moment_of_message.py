"""Choose the moment in a slot at which a message is likeliest to be answered within half an hour.

A logistic model has a term for everybody, one for the person, and one for the person at every three hours of the day.
It is fitted to 8,479 prompts of 68 people (Bailon 2020, CoVidAffect, Scientific Data 7:365). Everybody's hours and
weekends foretold the later prompts of people left out no better. A person's terms begin at 0 and are learnt from their
own answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

from bridge.domain.records import Recommendation, User
from bridge.domain.slots import ZoneHistory, local_time, zone_at

if TYPE_CHECKING:
    from bridge.store import Store

SOON = timedelta(minutes=30)  # within which an answer counts
HOURS = 3  # of the day that share a term
MANY = 24 // HOURS
EVERYBODY = 1.31  # logit of an answer within half an hour
PERSON_SD, HOURS_SD = 1.1, 0.5  # of the person's own terms, in logits
WORTH_WAITING = 0.03  # the least gain of probability for which a message waits, because the day goes on


def best(store: Store, user: User, advice: Recommendation, *, now: datetime) -> tuple[datetime, float]:
    """Return (the moment to send a recommendation's message, probability of an answer within half an hour of it).

    The moment is now or later, before the recommended action begins and before the recommendation expires.
    """
    heard = store.notifications.answers(user.id, until=now - SOON)
    rates = chances([(_part(at, user.zones), answered(at, then)) for at, then in heard])
    until = min(advice.expires_at, advice.start or advice.expires_at) - SOON
    found = now, rates[_part(now, user.zones)]
    for at in _beginnings(now, until, user.zones):
        if rates[_part(at, user.zones)] > found[1] + WORTH_WAITING:
            found = at, rates[_part(at, user.zones)]
    return found


def answered(sent: datetime, then: datetime | None) -> bool:
    """Return True if a message was answered soon."""
    return then is not None and then - sent <= SOON


def chances(heard: Sequence[tuple[int, bool]]) -> list[float]:
    """Return the probability (8,) of an answer within half an hour, for every three hours of the day.

    ``heard`` holds the person's messages, oldest first: the three hours (0 to 7), and if the answer came soon. Each
    moves the terms by a step of an extended Kalman filter.
    """
    import numpy as np

    rows = np.hstack([np.ones((MANY, 1)), np.eye(MANY)])
    mean, cov = np.zeros(1 + MANY), np.diag([PERSON_SD**2] + [HOURS_SD**2] * MANY)
    for part, soon in heard:
        row = rows[part]
        rate = 1 / (1 + np.exp(-(EVERYBODY + row @ mean)))
        shared, curved = cov @ row, rate * (1 - rate)
        step = shared / (1 + curved * (row @ shared))
        mean, cov = mean + step * (soon - rate), cov - curved * np.outer(step, shared)
    spread = np.einsum("pi,ij,pj->p", rows, cov, rows)
    logits = (EVERYBODY + rows @ mean) / np.sqrt(1 + np.pi / 8 * spread)
    return [float(one) for one in 1 / (1 + np.exp(-logits))]


def _part(at: datetime, zones: ZoneHistory) -> int:
    return local_time(at, zones).hour // HOURS


def _beginnings(now: datetime, until: datetime, zones: ZoneHistory) -> Iterable[datetime]:
    """Yield the beginnings of three hours after ``now``, up to ``until``."""
    zone = zone_at(now, zones)
    here = now.astimezone(zone)
    day = datetime.combine(here.date(), time(), zone)
    for hour in range(here.hour // HOURS * HOURS + HOURS, 24, HOURS):
        at = day.replace(hour=hour)
        if at <= until:
            yield at
