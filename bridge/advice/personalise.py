"""A policy's prior for one user, which is its guess of the user's answers, learnt from earlier answers.

It is kept only if it predicts later answers better than before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import inf, log
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, cast

from bridge.advice import feedback
from bridge.domain.errors import SetupError
from bridge.domain.ports import Personal
from bridge.domain.records import FullRecommendation, Prior, User
from bridge.domain.slots import INSTANT
from rhythm_env.interface import Answer, Interaction, Observation, Policy, observation_from_json

if TYPE_CHECKING:
    from bridge.store import Store

LONG_ENOUGH = timedelta(days=21)
MANY_ENOUGH = 40  # answers
LATER = 0.3  # share of the answers that test the prior
FRESH_ANSWERS = 14  # answers since the current prior
CONTEXT = timedelta(days=5)  # of answers that are read in addition to a prior
RETRY_AFTER = CONTEXT  # between two attempts of the daemon: a prior then lacks at most CONTEXT of answers
SURE_Z = 1.645  # standard errors above zero that a gain needs, the one-sided 5 % level
CHANCE_MIN = 0.02  # the least distance of a probability from 0 and 1
BEGINNING = timedelta(days=365 * 20)
AT_ONCE = timedelta(days=7)  # of recommendations and observations in memory

Answered = tuple[Interaction, FullRecommendation]  # an answer and its recommendation with the observation


def personalise(store: Store, user: User, policy: Policy, *, now: datetime) -> Prior:
    """Learn from a user's answers a prior, the policy's guess of later answers. Store and return it.

    ``kept`` is True if it predicts the latest answers better than before. Raises SetupError if there are too few
    answers, or if the policy cannot learn from a single user.
    """
    able = _able(policy)
    at = store.recommendations.settled_times(user.id, since=_since(store, user, now), until=now)  # since the last reset
    if not _enough(at):
        span = at[-1] - at[0] if at else timedelta(0)
        raise SetupError(
            f"{user.name} has answered {len(at)} times in {span.days} days; it takes {MANY_ENOUGH} in "
            f"{LONG_ENOUGH.days} days: bridge recommend --user {user.name}"
        )
    old, asked = in_use(store, user, policy), partial(answered, store, user, now=now)
    cut = _cut(at, old, user)
    earlier = able.personal(_learnt(able, asked(at[0], at[cut])))
    gain, error = foretold(earlier, _with(able, old), asked(at[cut], now))
    made = Prior(
        policy=f"{policy.name}@{policy.version}",
        made_at=now,
        body=_learnt(able, asked(at[0], now)),
        learnt_from=len(at),
        tried_on=len(at) - cut,
        gain=gain,
        kept=gain > SURE_Z * error,
    )
    store.lessons.add_prior(user.id, made)
    return made


def _enough(at: Sequence[datetime]) -> bool:
    return len(at) >= MANY_ENOUGH and at[-1] - at[0] >= LONG_ENOUGH


def _cut(at: Sequence[datetime], old: Prior | None, user: User) -> int:
    """Return how many of the earliest answers to learn from. The others test. Raises SetupError if too few are new."""
    cut = round(len(at) * (1 - LATER))
    if old is None:
        return cut
    heard = sum(one <= _heard(old) for one in at)
    if len(at) - heard < FRESH_ANSWERS:
        raise SetupError(
            f"{user.name} has answered {len(at) - heard} times since the model last learnt; it takes {FRESH_ANSWERS}: "
            f"bridge recommend --user {user.name}"
        )
    return max(cut, heard)


def _heard(prior: Prior) -> datetime:
    return datetime.fromisoformat(prior.body["through"])


def _able(policy: Policy) -> Personal:
    if not hasattr(policy, "learn"):
        raise SetupError(f"the policy {policy.name} cannot learn one person; choose another: BRIDGE_POLICY=adaptive")
    return cast("Personal", policy)


def _with(policy: Personal, prior: Prior | None) -> Personal:
    return policy if prior is None else policy.personal(prior.body)


def answered(store: Store, user: User, since: datetime, until: datetime, *, now: datetime) -> Iterator[Answered]:
    """Yield (answer, recommendation) for recommendations made in [since, until), oldest first, answered by ``now``."""
    while since < until:
        end = min(since + AT_ONCE, until)
        for advised in store.recommendations.full_between(user.id, since=since, until=end):
            given = feedback.interaction(advised, now)
            if given is not None:
                yield given, advised
        since = end


def _learnt(policy: Personal, asked: Iterator[Answered]) -> Mapping[str, Any]:
    everything = []
    for given, advised in asked:
        everything.append(given)
        last = advised
    return policy.learn(replace(observation_from_json(last.observation), history=tuple(everything)))


def _since(store: Store, user: User, at: datetime) -> datetime:
    return feedback.reset_time(store, user, at=at) or at - BEGINNING


def foretold(new: Personal, old: Personal, later: Iterator[Answered]) -> tuple[float, float]:
    """Return (mean, standard error) of the log probability of later answers under ``new`` less that under ``old``."""
    gains = []
    for given, advised in later:
        seen = observation_from_json(advised.observation)
        recent = tuple(one for one in seen.history if one.at > given.at - CONTEXT)
        gains.append(_likelihood(new, replace(seen, history=recent), given) - _likelihood(old, seen, given))
    return mean(gains), stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else inf


def _likelihood(policy: Personal, seen: Observation, given: Interaction) -> float:
    taken = min(max(policy.chance(seen, given.recommended), CHANCE_MIN), 1 - CHANCE_MIN)
    return log(taken if given.answer is Answer.ACCEPT else 1 - taken)


def in_use(store: Store, user: User, policy: Policy) -> Prior | None:
    """Return what this policy version last learnt from the user since the last reset and kept, or None."""
    newest = store.lessons.priors(user.id, f"{policy.name}@{policy.version}", kept=True, limit=1)
    anew = next((reset.made_at for reset in store.lessons.resets(user.id) if reset.taken_back_at is None), None)
    return next((one for one in newest if anew is None or one.made_at > anew), None)


def for_person(store: Store, user: User, policy: Policy) -> Policy:
    """Return the policy with what it learnt from the user's answers (``in_use``), or unchanged if that is nothing."""
    prior = in_use(store, user, policy) if hasattr(policy, "personal") else None
    return policy if prior is None else _with(cast("Personal", policy), prior)


def is_due(store: Store, user: User, policy: Policy, *, now: datetime) -> bool:
    """Return True if the policy has enough new answers of the user to learn from. False if it cannot learn."""
    if not hasattr(policy, "learn"):
        return False
    last = next(iter(store.lessons.priors(user.id, f"{policy.name}@{policy.version}", limit=1)), None)
    if last is not None and now - last.made_at < RETRY_AFTER:
        return False
    since = _since(store, user, now)
    if last is not None and _heard(last) >= since:  # the last attempt had enough answers
        return (
            len(store.recommendations.settled_times(user.id, since=_heard(last) + INSTANT, until=now)) >= FRESH_ANSWERS
        )
    return _enough(store.recommendations.settled_times(user.id, since=since, until=now))
