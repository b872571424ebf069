"""What a policy has learnt of one person, made into their own prior, if it foretells their later answers better.

Answers of 30 days are all that a policy reads; whoever has answered for longer is known better than that. The earlier
part of all answers makes a prior. It is tried on the later part: both the policy as it is and the policy with the prior
foretell each answer from the five days before it. Only what foretells better is kept, then made anew of all answers;
every attempt is written down and can be taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An answer, and the situation that the advice was given in."""

    interaction: Interaction
    observation: Observation


def personalise(store: Store, user: User, policy: Policy, *, now: datetime) -> Prior:
    """Try to learn more of a person; the attempt is stored. Raises SetupError where there is too little to learn."""
    able = _able(policy)
    asked = answered(store, user, at=now)  # since a person began anew, if they did
    span = asked[-1].interaction.at - asked[0].interaction.at if asked else timedelta(0)
    if span < LONG_ENOUGH or len(asked) < MANY_ENOUGH:
        raise SetupError(
            f"{user.name} has answered {len(asked)} times in {span.days} days; it takes {MANY_ENOUGH} in "
            f"{LONG_ENOUGH.days}: bridge recommend --user {user.name}"
        )
    old = in_use(store, user, policy)
    earlier, later = _parts(asked, old, user)
    gain = foretold(able.personal(_learnt(able, earlier)), later) - foretold(_with(able, old), later)
    made = Prior(
        policy=f"{policy.name}@{policy.version}",
        made_at=now,
        body=_learnt(able, asked),
        learnt_from=len(asked),
        tried_on=len(later),
        gain=gain,
        kept=gain > 0,
    )
    store.add_prior(user.id, made)
    return made


def _parts(asked: list[Asked], old: Prior | None, user: User) -> tuple[list[Asked], list[Asked]]:
    """What is learnt from, and what it is tried on: nothing that the prior in use has heard."""
    cut = round(len(asked) * (1 - LATER))
    if old is not None:
        heard = sum(one.interaction.at <= _heard(old) for one in asked)
        if len(asked) - heard < FRESH:
            raise SetupError(
                f"{user.name} has answered {len(asked) - heard} times since the model last learnt; it takes {FRESH}: "
                f"bridge recommend --user {user.name}"
            )
        cut = max(cut, heard)
    return asked[:cut], asked[cut:]


def _heard(prior: Prior) -> datetime:
    """When the last answer was given that a prior is made of."""
    return datetime.fromisoformat(prior.body["through"])


def _able(policy: Policy) -> Personal:
    if not hasattr(policy, "learn"):
        raise SetupError(f"the policy {policy.name} cannot learn one person; choose another: BRIDGE_POLICY=planner")
    return cast("Personal", policy)


def _with(policy: Personal, prior: Prior | None) -> Personal:
    return policy if prior is None else policy.personal(prior.body)


def _learnt(policy: Personal, asked: Sequence[Asked]) -> Mapping[str, Any]:
    everything = tuple(one.interaction for one in asked)
    return policy.learn(replace(asked[-1].observation, history=everything))


def answered(store: Store, user: User, *, at: datetime) -> list[Asked]:
    """All that a person has answered, oldest first."""
    found: Sequence[Recommendation] = store.recommendations(user.id, since=_since(store, user, at), until=at)
    pairs = ((advise.interaction(one, at), one) for one in found)
    return [
        Asked(interaction=given, observation=observation_from_json(one.observation)) for given, one in pairs if given
    ]


def _given(store: Store, user: User, *, at: datetime) -> list[Interaction]:
    """The same without the situations, which are long to read."""
    since = _since(store, user, at)
    found = (advise.interaction(one, at) for one in store.recommendations(user.id, since=since, until=at))
    return [one for one in found if one is not None]


def _since(store: Store, user: User, at: datetime) -> datetime:
    return advise.anew_since(store, user, at=at) or at - BEGINNING


def foretold(policy: Personal, later: Sequence[Asked]) -> float:
    """Mean log-likelihood of answers, taken or not, each foretold from the days before it."""
    return mean(log(_chance(policy, one)) for one in later)


def _chance(policy: Personal, one: Asked) -> float:
    heard = one.observation.history
    recent = tuple(answer for answer in heard if answer.at > one.interaction.at - CONTEXT)
    seen = replace(one.observation, history=recent)
    taken = min(max(policy.chance(seen, one.interaction.recommended), CERTAIN), 1 - CERTAIN)
    return taken if one.interaction.answer is Answer.ACCEPT else 1 - taken


def in_use(store: Store, user: User, policy: Policy) -> Prior | None:
    """The newest prior that is kept for this very version of a policy, and was made since the person began anew."""
    mine = f"{policy.name}@{policy.version}"
    anew = next((reset.made_at for reset in store.choices.resets(user.id) if reset.taken_back_at is None), None)
    priors = (one for one in store.priors(user.id) if one.kept and one.policy == mine)
    return next((one for one in priors if anew is None or one.made_at > anew), None)


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
    mine = f"{policy.name}@{policy.version}"
    last = next((one for one in store.priors(user.id) if one.policy == mine), None)
    if last is not None and now - last.made_at < AGAIN:
        return False
    at = [one.at for one in _given(store, user, at=now)]
    if len(at) < MANY_ENOUGH or at[-1] - at[0] < LONG_ENOUGH:
        return False
    return last is None or sum(one > _heard(last) for one in at) >= FRESH
