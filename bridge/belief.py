"""What the model believed of a person, day by day, and which answers moved it most.

Nothing is worked out anew: it is replayed from what was stored with each recommendation. Between two pieces of advice
lie the answer to the first and what watch and calendar said meanwhile; both move a belief, and only together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise
from types import MappingProxyType
from typing import Any

from bridge.ports import Stated, Store, User
from bridge.ports.choices import Reset
from rhythm_env.interface import DAY_NAMES, Answer, ZoneHistory, zone_at

BACK = timedelta(days=365)
NEAR = timedelta(days=2)  # further apart, two pieces of advice have more than an answer between them
LEAST = 0.005  # a change that shows in two decimals
MOST = 8  # of the answers that moved it
INSTANT = timedelta(microseconds=1)
DIMENSIONS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {  # what 0 and 1 mean: rhythm_env.interface.Belief
        "social": ("keeps to yourself", "loves company"),
        "morning": ("night owl", "morning person"),
        "work": ("avoids work", "lives for work"),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The last belief stated on a local day: mean by dimension, and standard deviation where the policy says it."""

    day: date
    mean: Mapping[str, float]
    sd: Mapping[str, float] | None
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An answer, and by how much each dimension changed until the next advice."""

    advice: Stated
    answer: Answer
    change: Mapping[str, float]
    after: Mapping[str, float]

    @property
    def size(self) -> float:
        return sum(abs(one) for one in self.change.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Beliefs:
    days: tuple[Day, ...]  # ascending; those on which something was advised
    moves: tuple[Move, ...]  # the largest first
    resets: tuple[Reset, ...]  # the newest first
    answers: int


def beliefs(store: Store, user: User, *, now: datetime) -> Beliefs:
    """Of the last year."""
    stated = store.stated(user.id, since=now - BACK, until=now + INSTANT)
    resets = store.choices.resets(user.id)
    moves = sorted(_moves(stated, resets), key=lambda one: -one.size)
    return Beliefs(
        days=tuple(_days(stated, user.zones)),
        moves=tuple(moves[:MOST]),
        resets=tuple(resets),
        answers=sum(_answer(one) is not None for one in stated),
    )


def _days(stated: Sequence[Stated], zones: ZoneHistory) -> Iterator[Day]:
    last: dict[date, Stated] = {one.created_at.astimezone(zone_at(one.created_at, zones)).date(): one for one in stated}
    for day, one in last.items():
        sd = None if one.sd is None else dict(zip(DIMENSIONS, one.sd, strict=True))
        yield Day(day=day, mean=_mean(one), sd=sd, policy=one.policy)


def _mean(one: Stated) -> dict[str, float]:
    return {name: float(one.belief.get(name, 0.5)) for name in DIMENSIONS}


def _moves(stated: Sequence[Stated], resets: Sequence[Reset]) -> Iterator[Move]:
    """Not across another policy, version, prior or adapter, nor a reset or its undoing: there no answer moved it."""
    breaks = [at for one in resets for at in (one.made_at, one.taken_back_at) if at is not None]
    for one, following in pairwise(stated):
        answer = _answer(one)
        apart = one.policy != following.policy or following.created_at - one.created_at > NEAR
        if answer is None or apart or any(one.created_at <= at <= following.created_at for at in breaks):
            continue
        before, after = _mean(one), _mean(following)
        change = {name: after[name] - before[name] for name in DIMENSIONS}
        if max(abs(by) for by in change.values()) >= LEAST:
            yield Move(advice=one, answer=answer, change=change, after=after)


def _answer(one: Stated) -> Answer | None:
    """Shown and expired counts as Ignore, as the model hears it."""
    return Answer.IGNORE if one.lapsed else one.answer


def said(move: Move, action: str) -> str:
    """A move in words; ``action`` is what the advice is called."""
    moment = move.advice.moment
    done = {Answer.ACCEPT: "accepted", Answer.IGNORE: "ignored", Answer.RESCHEDULE: "put off"}[move.answer]
    changed = [
        f"towards “{DIMENSIONS[name][by > 0]}” by {abs(by):.2f} (to {move.after[name]:.2f})"
        for name, by in sorted(move.change.items(), key=lambda one: -abs(one[1]))
        if abs(by) >= LEAST
    ]
    slot = f"{DAY_NAMES[moment.day]} {moment.slot.name.lower()}, {moment.date:%d %b %Y}"
    return f"You {done} {action.lower()} ({slot}): {', '.join(changed)}."


def leaning(name: str, mean: float, sd: float | None) -> str:
    """A belief in words.

    >>> leaning("morning", 0.85, 0.05), leaning("morning", 0.3, None), leaning("work", 0.8, 0.28)
    ('clearly “morning person”', 'rather “night owl”', 'not known yet')
    """
    if sd is not None and sd > 0.25:  # next to the 0.29 of knowing nothing at all
        return "not known yet"
    if abs(mean - 0.5) < 0.1:
        return "in between"
    return f"{'clearly' if abs(mean - 0.5) >= 0.3 else 'rather'} “{DIMENSIONS[name][mean > 0.5]}”"


def document(found: Beliefs) -> dict[str, Any]:
    """As the JSON door gives it; ``sd`` is null where the policy did not state it."""
    return {
        "days": [one.day.isoformat() for one in found.days],
        "dimensions": {
            name: {
                "low": low,
                "high": high,
                "mean": [round(one.mean[name], 4) for one in found.days],
                "sd": [None if one.sd is None else round(one.sd[name], 4) for one in found.days],
            }
            for name, (low, high) in DIMENSIONS.items()
        },
        "policies": [one.policy for one in found.days],
        "moved_by": [
            {
                "at": one.advice.created_at.isoformat(),
                "action": str(one.advice.action),
                "answer": str(one.answer),
                "change": {name: round(by, 4) for name, by in one.change.items()},
                "text": said(one, str(one.advice.action).replace("_", " ")),
            }
            for one in found.moves
        ],
        "answers": found.answers,
        "resets": [
            {
                "made_at": one.made_at.isoformat(),
                "taken_back_at": None if one.taken_back_at is None else one.taken_back_at.isoformat(),
            }
            for one in found.resets
        ],
    }
