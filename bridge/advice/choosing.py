"""Choose an action that fits the rest of a slot (a quarter of a day) by a policy, and store the recommendation."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from bridge.advice.observation import newest_if_old, observe, reasons_of_old
from bridge.calendar.busy import Stretch
from bridge.day import choice
from bridge.day.choice import Option
from bridge.day.known import is_blank
from bridge.day.person import Person
from bridge.day.silence import quiet
from bridge.day.view import View
from bridge.domain.errors import SetupError
from bridge.domain.facts import Fact, fact
from bridge.domain.guard import Guard, silence
from bridge.domain.records import FullRecommendation, Silence, User
from bridge.domain.slots import local_time, moment_at
from rhythm_env.interface import ActionType, Decision, Observation, Policy

if TYPE_CHECKING:
    from bridge.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """The inputs of a choice for a person in the rest ``span`` of a slot, which begins now."""

    store: Store
    user: User
    policy: Policy
    guard: Guard
    person: Person
    span: Stretch

    def first(self) -> FullRecommendation | Silence:
        """Store and return a recommendation for the slot, or return the reasons why there is none."""
        store, user, now = self.store, self.user, self.span[0]
        moment, old = moment_at(now, user.zones), newest_if_old(store, user, self.person.known)

        def nothing(otherwise: tuple[Fact, ...]) -> Silence:
            store.recommendations.add_silence(user.id, moment, probability=1.0, now=now)
            return Silence(moment=moment, facts=otherwise if old is None else reasons_of_old(old, user), at=now)

        if is_blank(self.person.known):
            return nothing((fact("nothing_known", command=f"bridge import FILE --user {user.name}"),))
        by_lot = Silence(moment=moment, facts=(fact("by_lot"),), at=now, by_lot=True)
        chance = store.recommendations.silence(user.id, moment)
        if chance is not None and chance < 1:
            return by_lot
        look = look_at(self.person if old is None else unheard(self.person), self.span)
        if not look.found:
            return nothing(quiet(look.view, look.held))
        silent = self.guard.silent and not any(choice.needed(one, look.view) for one in look.found.values())
        chosen = self._chosen(look, look.found, silent=silent)
        if isinstance(chosen, float):
            store.recommendations.add_silence(user.id, moment, probability=chosen, now=now)
            return by_lot
        return store.recommendations.add(self._advice(chosen, look))

    def further(self, closed: FullRecommendation) -> FullRecommendation | None:
        """Close an answered recommendation, and store and return another for its slot, or None if no action is left."""
        before = {one.action for one in self.person.advised if one.moment == closed.moment}
        look = look_at(self.person, self.span)
        left = {action: one for action, one in look.found.items() if action not in before and one.kind == "suggested"}
        chosen = self._chosen(look, left, silent=False) if left else 1.0
        if isinstance(chosen, float):
            return None
        with self.store.transaction():
            self.store.recommendations.close(closed.id, now=self.span[0])
            return self.store.recommendations.add(self._advice(chosen, look))

    def _chosen(self, look: Look, options: Mapping[ActionType, Option], *, silent: bool) -> Chosen | float:
        now, zones, policy = self.span[0], self.user.zones, self.policy
        moment = moment_at(now, zones)
        shown = replace(look.observation, feasible=tuple(options))
        observation, paused = self.guard.allowed(shown, now=local_time(now, zones), sleep=ActionType.SLEEP in options)
        again = self.store.recommendations.superseded(self.user.id, moment)
        seed = f"{self.user.name}/{moment.week}/{moment.timestep}" + (f"/{again}" if again else "")
        suggests = any(options[action].kind == "suggested" for action in observation.feasible)
        chance = silence(shown.history, now) if shown.history and suggests and silent else None
        if chance is not None and random.Random(f"{seed}/silence").random() < chance:
            return chance
        rng = random.Random(seed)
        decision = policy.decide(observation, rng)
        if decision.action not in observation.feasible:
            raise SetupError(
                f"the policy {policy.name} chose {decision.action}, which cannot be done in this part of the day; use "
                "another policy: set BRIDGE_POLICY=planner, or add --policy planner"
            )
        weighed = choice.weighed(decision, options)
        drawn = self.guard.explored(weighed, observation, rng)
        tried = fact("a_try", share=self.guard.explore, otherwise=str(weighed.action))
        return Chosen(
            decision=drawn,
            observation=observation,
            paused=paused,
            silence=chance,
            tried=() if drawn.action is weighed.action else (tried,),
        )

    def _advice(self, chosen: Chosen, look: Look) -> FullRecommendation:
        decision, option = chosen.decision, look.found[chosen.decision.action]
        return FullRecommendation(
            id=0,
            user_id=self.user.id,
            moment=moment_at(self.span[0], self.user.zones),
            action=decision.action,
            policy=f"{self.policy.name}@{self.policy.version}" + (f"+{decision.by}" if decision.by else ""),
            belief=asdict(decision.belief),
            belief_sd=decision.belief_sd,
            scores={str(a): score for a, score in decision.scores.items()},
            probabilities={str(a): p for a, p in decision.probabilities.items()},
            facts=(*chosen.tried, *option.facts),
            observation=chosen.observation.to_json(),
            created_at=self.span[0],
            expires_at=self.span[1],
            kind=option.kind,
            what=option.what,
            start=option.start,
            end=option.end,
            withheld={str(action): why for action, why in {**look.held, **chosen.paused}.items()},
            silence=chosen.silence,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A policy's decision, with the ``observation`` that it saw and the actions that the guard forbids (``paused``).

    ``silence`` is the probability with which the slot would have got no advice, None without a draw. ``tried`` is not
    empty if the action was drawn at random.
    """

    decision: Decision
    observation: Observation
    paused: Mapping[ActionType, Fact]
    silence: float | None
    tried: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The actions that are possible in a slot (``found``), the others with reasons (``held``), and the observation."""

    view: View
    found: Mapping[ActionType, Option]
    held: Mapping[ActionType, Fact]
    observation: Observation


def look_at(person: Person, span: Stretch) -> Look:
    """Return the actions that fit a person in the rest of a slot, and the reasons against the others."""
    said = {one.moment: one.action for one in person.advised}
    observation, readings = observe(person.known, recommended=said)
    view = choice.look(replace(person, readings=readings), span[0], readings)
    found, held = choice.options(view, span)
    return Look(view=view, found=found, held=held, observation=observation)


def unheard(person: Person) -> Person:
    return replace(person, wishes=replace(person.wishes, suggestions=0))


def why_no_other(person: Person, span: Stretch) -> tuple[Fact, ...]:
    look = look_at(person, span)
    return quiet(look.view, {**look.held, **dict.fromkeys(look.found, fact("refused_now"))})
