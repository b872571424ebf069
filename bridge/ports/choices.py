"""What a person has chosen: what assistants may do, and to begin anew with the model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """A person began anew with the model: what was answered before does not count, unless they took it back."""

    made_at: datetime
    taken_back_at: datetime | None = None


class Choices(Protocol):
    """Permissions stay in this installation; a reset goes where the answers go."""

    def allow(self, user_id: int, tool: str, *, now: datetime) -> None:
        """Let assistants use a tool; one that is allowed stays allowed since when it was."""
        ...

    def refuse(self, user_id: int, tool: str) -> bool:
        """End a consent; whether there was one."""
        ...

    def allowed(self, user_id: int) -> dict[str, datetime]:
        """Tool -> since when it is allowed."""
        ...

    def reset(self, user_id: int, *, now: datetime) -> None:
        """From now on let no earlier answer count, and no prior made of them."""
        ...

    def take_back_reset(self, user_id: int, *, now: datetime) -> datetime | None:
        """Let them count again; when the reset was made, None where there is none."""
        ...

    def resets(self, user_id: int) -> list[Reset]:
        """All of them, the newest first."""
        ...
