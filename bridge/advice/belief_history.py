"""The history of what a policy believes a user prefers, by day, and the answers that changed this belief most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from bridge.day.outcomes import as_answer
from bridge.domain.languages import Text, listed, say
from bridge.domain.records import Recommendation, Reset, User
from bridge.domain.slots import INSTANT, ZoneHistory, local_time
from bridge.domain.titles import ACTION_WORDS, slot_text
from rhythm_env.interface import Answer

if TYPE_CHECKING:
    from bridge.store import Store

BELIEF_PERIOD = timedelta(days=365)
NEAR = timedelta(days=2)  # over a longer gap, new data changes the belief more than the answer
KNOWN_SD = 0.235  # of a dimension, from 0 to 1: narrower than that of all simulated people, which is 0.24
NINETY = 1.645  # standard deviations on each side of a normal's mean that hold 90 %
LEAST = 0.005  # the smallest change that shows in two decimals
MOST = 8  # answers that are listed
DIMENSIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {  # dimension -> meaning of 0 and of 1, see rhythm_env.interface.Belief
        "social": (say("keeps to yourself"), say("loves company")),
        "morning": (say("night owl"), say("morning person")),
        "work": (say("avoids work"), say("lives for work")),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The last belief of a local day, as mean and standard deviation ``sd`` of each of ``DIMENSIONS`` (0 to 1)."""

    day: date
    mean: Mapping[str, float]
    sd: Mapping[str, float] | None
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An answer to the recommendation ``advice``, and how the policy's belief changed until the next recommendation.

    ``change`` maps a dimension of the belief to the change of its mean, ``after`` to its new mean.
    """

    advice: Recommendation
    answer: Answer
    change: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def size(self) -> float:
        return sum(abs(one) for one in self.change.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    """A policy's beliefs about a user by day of the last year, and the few answers (``moves``) that changed them most.

    ``answers`` is the number of all answers in the year.
    """

    days: tuple[Day, ...]  # ascending, only days with a recommendation
    moves: tuple[Move, ...]  # the largest change first
    resets: tuple[Reset, ...]  # the newest first
    answers: int


def beliefs(store: Store, user: User, *, now: datetime) -> Beliefs:
    stated = store.recommendations.between(user.id, since=now - BELIEF_PERIOD, until=now + INSTANT)
    resets = store.lessons.resets(user.id)
    moves = sorted(_moves(stated, resets, now), key=lambda one: -one.size)
    return Beliefs(
        days=tuple(_days(stated, user.zones)),
        moves=tuple(moves[:MOST]),
        resets=tuple(resets),
        answers=sum(as_answer(one, now) is not None for one in stated),
    )


def _days(stated: Sequence[Recommendation], zones: ZoneHistory) -> Iterator[Day]:
    last: dict[date, Recommendation] = {local_time(one.created_at, zones).date(): one for one in stated}
    for day, one in last.items():
        sd = None if one.belief_sd is None else dict(zip(DIMENSIONS, one.belief_sd, strict=True))
        yield Day(day=day, mean=_mean(one), sd=sd, policy=one.policy)


def _mean(one: Recommendation) -> dict[str, float]:
    return {name: float(one.belief.get(name, 0.5)) for name in DIMENSIONS}


def _moves(stated: Sequence[Recommendation], resets: Sequence[Reset], now: datetime) -> Iterator[Move]:
    breaks = [at for reset in resets for at in (reset.made_at, reset.taken_back_at) if at is not None]
    for one, following in pairwise(stated):
        answer = as_answer(one, now)
        apart = one.policy != following.policy or following.created_at - one.created_at > NEAR
        if answer is None or apart or any(one.created_at <= at <= following.created_at for at in breaks):
            continue
        before, after = _mean(one), _mean(following)
        change = {name: after[name] - before[name] for name in DIMENSIONS}
        if max(abs(by) for by in change.values()) >= LEAST:
            yield Move(advice=one, answer=answer, change=change, after=after)


PRESSED = {
    Answer.ACCEPT: say("You accepted {action} ({slot}, {day:%-d %b %Y}): {changes}."),
    Answer.IGNORE: say("You ignored {action} ({slot}, {day:%-d %b %Y}): {changes}."),
    Answer.RESCHEDULE: say("You put off {action} ({slot}, {day:%-d %b %Y}): {changes}."),
}
SEEN = {  # where nothing was pressed
    Answer.ACCEPT: say("You did {action} ({slot}, {day:%-d %b %Y}): {changes}."),
    Answer.IGNORE: say("You did not follow {action} ({slot}, {day:%-d %b %Y}): {changes}."),
}


def said(move: Move) -> Text:
    """Return a sentence about an answer and how the policy's belief changed after it, the largest change first."""
    advice = move.advice
    message = PRESSED[move.answer] if advice.answer is move.answer else SEEN[move.answer]
    changes = [
        say(
            "towards “{word}” by {by:.2f} (to {to:.2f})", word=DIMENSIONS[name][by > 0], by=abs(by), to=move.after[name]
        )
        for name, by in sorted(move.change.items(), key=lambda one: -abs(one[1]))
        if abs(by) >= LEAST
    ]
    slot, action = slot_text(advice.moment), ACTION_WORDS[advice.action]
    return say(message, action=action, slot=slot, day=advice.moment.date, changes=listed(changes))


def is_known(sd: float | None) -> bool:
    """Return False if a belief's standard deviation is as wide as among all users. None counts as known."""
    return sd is None or sd <= KNOWN_SD


def interval(mean: float, sd: float) -> tuple[float, float]:
    """Return (low, high) within [0, 1] between which a normal variable lies with a probability of 90 %.

    >>> [round(one, 2) for one in interval(0.8, 0.2)]
    [0.47, 1.0]
    """
    return max(mean - NINETY * sd, 0.0), min(mean + NINETY * sd, 1.0)


def leaning(name: str, mean: float, sd: float | None) -> str:
    """Return words for the policy's belief about a user in the dimension ``name``, such as "rather night owl".

    They are "not known yet" if ``is_known`` is False for ``sd``, and "in between" for a mean near 0.5.

    >>> leaning("morning", 0.85, 0.05), leaning("morning", 0.3, None), leaning("work", 0.8, 0.28)
    ('clearly “morning person”', 'rather “night owl”', 'not known yet')
    """
    if not is_known(sd):
        return say("not known yet")
    if abs(mean - 0.5) < 0.1:
        return say("in between")
    word = DIMENSIONS[name][mean > 0.5]
    return say("clearly “{word}”", word=word) if abs(mean - 0.5) >= 0.3 else say("rather “{word}”", word=word)
