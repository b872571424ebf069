"""Strategies that play many weeks at once, which are the published baselines and all policies of ``policies/``."""

from __future__ import annotations

import random
from collections.abc import Callable
from inspect import signature
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lab.evaluation.week import Weeks, observation
from rhythm_env.dynamics import ACTIONS
from rhythm_env.interface import Policy
from rhythm_env.profiles import belief_target

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

CONSTANT = "+constant"  # a baseline that also states the belief [.5, .5, .5]
BLIND = "+blind"  # a policy that infers, without its inference: it takes everybody for the average person
PLANNER = "planner"  # whose search both ends of a comparison have
OBJECTIVES = ("grade", "reward")
INDEX = {action: number for number, action in enumerate(ACTIONS)}


class Strategy(Protocol):
    """A strategy that plays n weeks. ``belief`` returns the belief (3, n) after a step, None if it never states one."""

    def actions(self, weeks: Weeks) -> Ints: ...
    def belief(self, weeks: Weeks) -> Array | None: ...


class Played:
    """A strategy that asks a policy about the weeks from index ``first`` on, with a random generator per seed."""

    def __init__(self, policy: Policy, seeds: list[int], *, first: int = 0) -> None:
        self._policy, self._first = policy, first
        self._believes = getattr(policy, "believes", True)
        self._rngs = [random.Random(f"policy/{seed}") for seed in seeds]
        self._last: Array | None = None

    def actions(self, weeks: Weeks) -> Ints:
        decisions = [
            self._policy.decide(observation(weeks, i), rng) for i, rng in enumerate(self._rngs, start=self._first)
        ]
        self._last = np.array([decision.belief.vector() for decision in decisions]).T
        return np.array([INDEX[decision.action] for decision in decisions], dtype=np.intp)

    def belief(self, weeks: Weeks) -> Array | None:  # noqa: ARG002 - the protocol's shape
        return self._last if self._believes else None


class Uniform:
    """A strategy that draws all actions with equal probability."""

    def __init__(self, seeds: list[int]) -> None:
        self._rng = np.random.default_rng((len(seeds), seeds[0], 2))

    def actions(self, weeks: Weeks) -> Ints:
        return self._rng.integers(0, len(ACTIONS), weeks.n)

    def belief(self, weeks: Weeks) -> Array | None:  # noqa: ARG002
        return None


class Known:
    """The planner that knows each true person. Raises ValueError if the planner has no such variant."""

    def __init__(self, weeks: Weeks, seeds: list[int], objective: str, find: Find) -> None:
        variant = variant_of(find(PLANNER), "knows")
        if variant is None:
            raise ValueError(f"{PLANNER} cannot be told who a person is")
        self._each = [
            Played(variant(objective=objective, knows=weeks.people.take(_only(i))), [seed], first=i)
            for i, seed in enumerate(seeds)
        ]

    def actions(self, weeks: Weeks) -> Ints:
        return np.concatenate([player.actions(weeks) for player in self._each])

    def belief(self, weeks: Weeks) -> Array | None:
        return belief_target(weeks.people)


class Silent:
    """A wrapper of a strategy that takes the same actions and states no belief."""

    def __init__(self, inner: Strategy) -> None:
        self._inner = inner

    def actions(self, weeks: Weeks) -> Ints:
        return self._inner.actions(weeks)

    def belief(self, weeks: Weeks) -> Array | None:  # noqa: ARG002
        return None


def _only(place: int) -> Ints:
    return np.array([place], dtype=np.intp)


class Constant:
    """Another strategy that states a belief of 0.5 for each trait."""

    def __init__(self, inner: Strategy) -> None:
        self._inner = inner

    def actions(self, weeks: Weeks) -> Ints:
        return self._inner.actions(weeks)

    def belief(self, weeks: Weeks) -> Array | None:
        return np.full((3, weeks.n), 0.5)


Find = Callable[[str], Policy]


def variant_of(policy: Policy, told: str) -> Callable[..., Policy] | None:
    """Return the policy's method ``variant`` if it accepts the argument ``told`` ("three" or "knows"), else None."""
    variant: Callable[..., Policy] | None = getattr(policy, "variant", None)
    return variant if variant is not None and told in signature(variant).parameters else None


def strategy(name: str, weeks: Weeks, seeds: list[int], objective: str, find: Find) -> Strategy:
    """Return the strategy ``name``, which is "oracle", "planner-no-inference" or the name of a policy.

    A policy's name may end with "+blind", for the policy without inference. Any name may end with "+constant", for the
    same strategy with a constant belief.
    """
    if name.endswith(CONSTANT):
        return Constant(strategy(name.removesuffix(CONSTANT), weeks, seeds, objective, find))
    if name == "oracle":
        return Known(weeks, seeds, objective, find)
    if name == "planner-no-inference":
        return Silent(Played(opened(PLANNER + BLIND, objective, find), seeds))
    return Played(opened(name, objective, find), seeds)


def opened(name: str, objective: str, find: Find) -> Policy:
    """Return the policy called ``name`` for an objective, with "+blind" at the end without its inference.

    Raises ValueError for "+blind" after a policy that infers nothing.
    """
    policy = find(name.removesuffix(BLIND))
    variant: Callable[..., Policy] | None = getattr(policy, "variant", None)
    if variant is not None:
        return variant(objective=objective, learns=not name.endswith(BLIND))
    if name.endswith(BLIND):
        raise ValueError(f"{policy.name} infers nothing that it could go without")
    return policy


def blinded(name: str, find: Find) -> str | None:
    """Return the name of the policy without its inference, or None if that does not exist."""
    if name.endswith((BLIND, CONSTANT)) or name in ("oracle", "planner-no-inference"):
        return None
    return name + BLIND if hasattr(find(name), "variant") else None
