"""Training rows for a user's own adapter, from recommendations and the user's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.training.llm.teacher import ASIDE, REASONS
from policies.llm import PERSONAL_DAYS
from policies.llm.prompt import TOKENS, Message, messages
from rhythm_env.interface import ActionType, Belief, Observation

SPOKEN = " says: "  # between a model's name and its reasoning, in a decision's reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A recommendation and its answer, ``taken`` True for acceptance.

    ``wide`` is its prompt with 30 days of answers and ``narrow`` with five. ``written`` is the model's answer up to the
    action.
    """

    wide: list[Message]
    narrow: list[Message]
    written: str
    action: str
    taken: bool


def row(
    observation: Observation,
    *,
    reasons: Sequence[str],
    belief: Mapping[str, float],
    action: ActionType,
    taken: bool,
    tokens: int = TOKENS,
) -> Row:
    """Return a training row from a stored recommendation. Each of its prompts has at most ``tokens`` tokens."""
    said = [reason.partition(SPOKEN)[2] or reason for reason in reasons[:REASONS]]
    why = ASIDE.sub("", "; ".join(said))
    return Row(
        wide=messages(observation, tokens=tokens),
        narrow=messages(observation, tokens=tokens, days=PERSONAL_DAYS),
        written=f"<reasoning>{why}</reasoning>\n{Belief(**belief).digits()}",
        action=str(action),
        taken=taken,
    )
