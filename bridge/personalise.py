"""What a policy has learnt of one person, made into their own prior, if it foretells their later answers better.

Answers of 30 days are all that a policy reads; whoever has answered for longer is known better than that. The earlier
part of all answers makes a prior. It is tried on the later part: the policy with the prior foretells each answer from
the five days before it, the policy as it is from all that it hears in use. Only what foretells better is kept, then
made anew of all answers; every attempt is written down and can be taken back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from math import log
from statistics import mean
from typing import Any, cast

from bridge import advise
from bridge.errors import SetupError
from bridge.ports import Personal, Prior, Recommendation, Store, User
from rhythm_env.interface import Answer, Interaction, Observation, Policy, observation_from_json

LONG_ENOUGH = timedelta(days=21)
MANY_ENOUGH = 40  # answers
LATER = 0.3  # share of the answers that the rest is tried on
FRESH = 14  # answers that the prior in use has not heard
CONTEXT = timedelta(days=5)  # of answers heard beside a prior
AGAIN = CONTEXT  # between two attempts of the daemon, so that no more than that need be heard beside a prior
CERTAIN = 0.02  # a chance is never nearer than this to 0 or 1
BEGINNING = timedelta(days=365 * 20)
AT_ONCE = timedelta(days=7)  # of advice with its situations, in memory

Answered = tuple[Interaction, Recommendation]  # an answer, and the advice with the situation that it was given in


def personalise(store: Store, user: User, policy: Policy, *, now: datetime) -> Prior:
    """Try to learn more of a person; the attempt is stored. Raises SetupError where there is too little to learn."""
    able = _able(policy)
    at = store.answered(user.id, since=_since(store, user, now), until=now)  # since a person began anew, if they did
    if not _enough(at):
        span = at[-1] - at[0] if at else timedelta(0)
        raise SetupError(
            f"{user.name} has answered {len(at)} times in {span.days} days; it takes {MANY_ENOUGH} in "
            f"{LONG_ENOUGH.days}: bridge recommend --user {user.name}"
        )
    old, asked = in_use(store, user, policy), partial(answered, store, user, now=now)
    cut = _cut(at, old, user)
    earlier = able.personal(_learnt(able, asked(at[0], at[cut])))
    gain = foretold(earlier, _with(able, old), asked(at[cut], now))
    made = Prior(
        policy=f"{policy.name}@{policy.version}",
        made_at=now,
        body=_learnt(able, asked(at[0], now)),
        learnt_from=len(at),
        tried_on=len(at) - cut,
        gain=gain,
        kept=gain > 0,
    )
    store.add_prior(user.id, made)
    return made


def _enough(at: Sequence[datetime]) -> bool:
    """Whether what was answered at these times, ascending, is enough to learn from."""
    return len(at) >= MANY_ENOUGH and at[-1] - at[0] >= LONG_ENOUGH


def _cut(at: Sequence[datetime], old: Prior | None, user: User) -> int:
    """How many are learnt from; the rest it is tried on: nothing that the prior in use has heard."""
    cut = round(len(at) * (1 - LATER))
    if old is None:
        return cut
    heard = sum(one <= _heard(old) for one in at)
    if len(at) - heard < FRESH:
        raise SetupError(
            f"{user.name} has answered {len(at) - heard} times since the model last learnt; it takes {FRESH}: "
            f"bridge recommend --user {user.name}"
        )
    return max(cut, heard)


def _heard(prior: Prior) -> datetime:
    """When the last answer was given that a prior is made of."""
    return datetime.fromisoformat(prior.body["through"])


def _able(policy: Policy) -> Personal:
    if not hasattr(policy, "learn"):
        raise SetupError(f"the policy {policy.name} cannot learn one person; choose another: BRIDGE_POLICY=planner")
    return cast("Personal", policy)


def _with(policy: Personal, prior: Prior | None) -> Personal:
    return policy if prior is None else policy.personal(prior.body)


def answered(store: Store, user: User, since: datetime, until: datetime, *, now: datetime) -> Iterator[Answered]:
    """What a person answered by ``now``, oldest first, read a week at a time: a year's situations fill 160 MB."""
    while since < until:
        end = min(since + AT_ONCE, until)
        for advised in store.recommendations(user.id, since=since, until=end):
            given = advise.interaction(advised, now)
            if given is not None:
                yield given, advised
        since = end


def _learnt(policy: Personal, asked: Iterator[Answered]) -> Mapping[str, Any]:
    """Of the situations, the last one is enough."""
    everything = []
    for given, advised in asked:
        everything.append(given)
        last = advised
    return policy.learn(replace(observation_from_json(last.observation), history=tuple(everything)))


def _since(store: Store, user: User, at: datetime) -> datetime:
    return advise.anew_since(store, user, at=at) or at - BEGINNING


def foretold(new: Personal, old: Personal, later: Iterator[Answered]) -> float:
    """What ``new`` by five days of answers gains over ``old`` by those that it hears in use, in nats per answer."""
    gains = []
    for given, advised in later:
        seen = observation_from_json(advised.observation)
        recent = tuple(one for one in seen.history if one.at > given.at - CONTEXT)
        gains.append(_likelihood(new, replace(seen, history=recent), given) - _likelihood(old, seen, given))
    return mean(gains)


def _likelihood(policy: Personal, seen: Observation, given: Interaction) -> float:
    """The logarithm of an answer's likelihood, taken or not."""
    taken = min(max(policy.chance(seen, given.recommended), CERTAIN), 1 - CERTAIN)
    return log(taken if given.answer is Answer.ACCEPT else 1 - taken)


def in_use(store: Store, user: User, policy: Policy) -> Prior | None:
    """The newest prior that is kept for this very version of a policy, and was made since the person began anew."""
    newest = store.priors(user.id, f"{policy.name}@{policy.version}", kept=True, most=1)
    anew = next((reset.made_at for reset in store.choices.resets(user.id) if reset.taken_back_at is None), None)
    return next((one for one in newest if anew is None or one.made_at > anew), None)


def for_person(store: Store, user: User, policy: Policy) -> Policy:
    """The policy with what it has learnt of the person, if it has."""
    prior = in_use(store, user, policy) if hasattr(policy, "personal") else None
    return policy if prior is None else _with(cast("Personal", policy), prior)


def is_due(store: Store, user: User, policy: Policy, *, now: datetime) -> bool:
    """Whether the daemon should try (again): enough was answered, and since the last attempt five days ago, anew.

    What a person has taken back is so not made again of the same answers.
    """
    if not hasattr(policy, "learn"):
        return False
    last = next(iter(store.priors(user.id, f"{policy.name}@{policy.version}", most=1)), None)
    if last is not None and now - last.made_at < AGAIN:
        return False
    since = _since(store, user, now)
    if last is not None and _heard(last) >= since:  # there was enough by then
        return len(store.answered(user.id, since=_heard(last) + advise.INSTANT, until=now)) >= FRESH
    return _enough(store.answered(user.id, since=since, until=now))
