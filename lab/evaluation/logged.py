"""Stored feedback as an evaluation of other policies wants it: situation, lot, action, answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bridge.day.outcomes import as_answer
from bridge.domain.records import Recommendation, User
from bridge.store import Store
from rhythm_env.interface import REWARD, ActionType, observation_from_json

if TYPE_CHECKING:
    from lab.evaluation.offpolicy import Logged

BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
MANY = 10  # people, from which on each of them counts as one; below, each of their days does


def feedback(store: Store, people: Sequence[User], *, at: datetime) -> list[Logged]:
    """Every answered decision that was drawn by lot, oldest first for each person; never seen is not an answer."""
    from lab.evaluation.offpolicy import was_drawn

    found = [one for person in people for one in _of(store, person, at=at, by_day=len(people) < MANY)]
    return [one for one in found if was_drawn(one)]


def _of(store: Store, person: User, *, at: datetime, by_day: bool) -> Iterator[Logged]:
    from lab.evaluation.offpolicy import Logged

    for advice in store.recommendations.between(person.id, since=BEGINNING, until=at):
        reward = _reward(advice, at)
        if reward is None:
            continue
        day = f"/{advice.moment.date}" if by_day else ""
        yield Logged(
            cluster=f"{person.id}{day}",
            observation=observation_from_json(advice.observation),
            action=advice.action,
            chances=tuple(advice.probabilities.get(str(action), 0.0) for action in ActionType),
            reward=reward,
        )


def _reward(advice: Recommendation, at: datetime) -> float | None:
    """Of the answer as a model hears it; None for what was not answered and of which the data show nothing."""
    answer = as_answer(advice, at)
    return None if answer is None else REWARD[answer]
