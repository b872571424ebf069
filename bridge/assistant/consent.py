"""What a person has allowed assistants: tool by tool, looked up with every request, ended at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from bridge.assistant.tools import TITLES, TOOLS
from bridge.errors import SetupError
from bridge.ports import Store, User

NAMES = (*TOOLS, TITLES)


def allow(store: Store, user: User, tools: Iterable[str], *, now: datetime) -> list[str]:
    """Consent to tools by name; the names. Raises SetupError, and allows nothing, where one is unknown."""
    chosen = [named(tool, user) for tool in tools]
    with store.transaction():
        for tool in chosen:
            store.choices.allow(user.id, tool, now=now)
    return chosen


def refuse(store: Store, user: User, tools: Iterable[str]) -> list[str]:
    """End consents; the names of those there were."""
    return [tool for tool in [named(tool, user) for tool in tools] if store.choices.refuse(user.id, tool)]


def named(text: str, user: User) -> str:
    name = text.strip().lower().replace("-", "_").replace("checkin", "check_in")
    if name not in NAMES:
        raise SetupError(
            f"there is no tool {text!r} (there are: {', '.join(NAMES)}): bridge mcp consent -u {user.name}"
        )
    return name
