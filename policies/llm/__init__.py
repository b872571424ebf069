"""Choose the action to suggest by the shipped sequence model, or by a language model that a service runs.

**Sent to the service** are meters, the user's answers, and shares of planned time by action, but no title and no name.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from policies.llm.sequence import VERSION, SequencePolicy
from rhythm_env.chat import Unusable, address_in, key_in, number_in
from rhythm_env.interface import Decision, Observation, Policy

if TYPE_CHECKING:
    from policies.llm.asking import Chat, Question, Said

log = logging.getLogger(__name__)

PERSONAL_DAYS = 5  # of answers shown to a model that was tuned to the person
LONGEST_NAME = 60  # characters of a model's name in a reason


class Setting(NamedTuple):
    """A setting of this policy, with the same fields as ``bridge.domain.ports.Setting``."""

    name: str
    help: str
    default: str | None = None
    secret: bool = False
    personal: bool = False
    whole: bool = False
    shared: str | None = None


SETTINGS = (
    Setting(
        "address",
        "the address of a service that speaks OpenAI's chat completions; empty: the shipped model decides",
        "",
    ),
    Setting("model", "the name of the model to ask, as the service knows it", "rhythm"),
    Setting("key", "the API key of the service at the address, if it asks for one", "", secret=True),
    Setting("timeout_s", "the seconds that a decision of the service may take, both requests together", "20"),
    Setting(
        "tokens", "the most tokens of a prompt (three characters each); older answers are summed up beyond it", "2000"
    ),
    Setting("answer_tokens", "the most tokens of an answer, its reasoning included", "320"),
    Setting("folder", "the folder of the model that is served, if it is to be tuned to single people", ""),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The name of the model to ask and the largest size of its prompts in tokens.

    ``adapter`` is the service's name for an adapter tuned to this user, None to ask the general model only.
    """

    model: str = "rhythm"
    tokens: int = 2000
    adapter: str | None = None


class Llm:
    """The policy that asks a language model of a service, and the planner (``policies.planner``) if that fails twice.

    ``decisions`` counts the calls of ``decide``, and ``fallbacks`` those in which the planner decided.
    """

    name = "llm"
    version = VERSION

    def __init__(self, chat: Chat, asking: Asking | None = None) -> None:
        self._chat, self._asking = chat, asking or Asking()
        self._planner: Policy | None = None
        self.decisions = self.fallbacks = 0

    def personal(self, prior: Mapping[str, Any]) -> Llm:
        """Return a copy that first asks the user's own model ``prior["adapter"]``, and then the general model."""
        return Llm(self._chat, replace(self._asking, adapter=str(prior["adapter"])))

    def decide(self, observation: Observation, rng: random.Random) -> Decision:
        """Return the service's decision, after two failed requests the planner's.

        The second request goes to the general model. A failure never raises.
        """
        self.decisions += 1
        from policies.llm.asking import decided
        from rhythm_env.chat import Fault

        try:
            said, wrong = decided(self._chat, self._tries(observation), observation.feasible)
        except Fault as fault:
            log.warning("llm: %s; the planner decides", fault)
            return self._planned(observation, rng, f"the language model gave nothing of use ({fault})")
        if wrong:
            log.warning("llm: %s; asked again", wrong)
        own = None if wrong else self._asking.adapter  # the second request goes to the general model
        return _decision(said, observation, self._asking.model, own or "")

    def _planned(self, observation: Observation, rng: random.Random, why: str) -> Decision:
        from policies import planner

        self.fallbacks += 1
        self._planner = self._planner or planner.open_policy()
        decision = self._planner.decide(observation, rng)
        return replace(decision, reasons=(*decision.reasons, f"{why}: the planner decided"), by="planner")

    def _tries(self, observation: Observation) -> list[Question]:
        from policies.llm.asking import Question
        from policies.llm.prompt import messages

        asking = self._asking
        plain = Question(model=asking.model, messages=messages(observation, tokens=asking.tokens))
        if asking.adapter is None:
            return [plain, plain]
        shown = messages(observation, tokens=asking.tokens, days=PERSONAL_DAYS)
        return [Question(model=asking.adapter, messages=shown), plain]


def _decision(said: Said, observation: Observation, model: str, by: str) -> Decision:
    chosen = {action: float(action is said.action) for action in observation.feasible}
    why = said.reasoning or "it gave no reason"
    return Decision(
        action=said.action,
        belief=said.belief,
        scores=chosen,
        probabilities=dict(chosen),
        reasons=(f"{model[:LONGEST_NAME]} says: {why}",),
        by=by,
    )


def open_policy(settings: Mapping[str, str] | None = None) -> Policy:
    """Return the policy that asks a service if the setting ``address`` is given, else that of the shipped model.

    Raises ValueError for a setting that is not valid, with the name of its environment variable.
    """
    known = {setting.name: setting.default or "" for setting in SETTINGS} | dict(settings or {})
    try:
        asking = Asking(model=known["model"].strip(), tokens=int(number_in(known, "tokens", 300, 1_000_000)))
        if not known["address"].strip():
            return SequencePolicy()
        from policies.llm.asking import Chat

        chat = Chat(
            address=address_in(known),
            key=key_in(known),
            seconds=number_in(known, "timeout_s", 0.1, 600),
            answer_tokens=int(number_in(known, "answer_tokens", 16, 100_000)),
        )
    except Unusable as error:
        raise ValueError(f"{error}: set BRIDGE_POLICY_LLM_{error.name.upper()}") from None
    return Llm(chat, asking)
