"""Count the decisions that policies leave to a fallback, such as when a model does not answer.

A policy's figures would mislead if another policy made its decisions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bridge.domain.errors import SetupError

if TYPE_CHECKING:
    from rhythm_env.interface import Policy

MOST = 0.05  # of the decisions: as many as answers may be cut off where a model itself is graded


class Opened:
    """A callable that opens policies by name, and then tells the share of their decisions left to a fallback."""

    def __init__(self) -> None:
        self._counting: list[Any] = []

    def __call__(self, name: str) -> Policy:
        from bridge import registry

        policy = registry.policy(name)
        if hasattr(policy, "fallbacks"):
            self._counting.append(policy)
        return policy

    def share(self) -> float:
        """Return the share (0 to 1) of decisions left to a fallback, over all policies opened here.

        Raises SetupError if it is above MOST.
        """
        decisions = sum(one.decisions for one in self._counting)
        share: float = sum(one.fallbacks for one in self._counting) / max(decisions, 1)
        if share > MOST:
            name = self._counting[0].name
            raise SetupError(
                f"{share:.0%} of the decisions of {name} were left to another policy, so that the figures would not be "
                f"{name}'s; its reasons say why: bridge recommend --user NAME --policy {name}"
            )
        return share
