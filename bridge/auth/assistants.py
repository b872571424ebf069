"""Store which tools a user allows AI assistants to use. The assistants' server reads this at every request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bridge.domain.errors import SetupError
from bridge.domain.languages import say
from bridge.domain.records import User

if TYPE_CHECKING:
    from bridge.store import Store

READING_TOOLS: Mapping[str, str] = MappingProxyType(
    {  # name -> title
        "meters": say("The five meters now"),
        "calendar": say("The calendar"),
        "recommendation": say("The current recommendation"),
        "plan": say("The plan of a day"),
        "trends": say("Trends over weeks"),
        "nights": say("Figures of nights"),
        "workouts": say("Figures of workouts"),
        "measurements": say("Figures of days, such as steps and heart rate"),
        "compare": say("What goes together, in nights, workouts and days"),
    }
)
WRITING_TOOLS: Mapping[str, str] = MappingProxyType(
    {
        "feedback": say("Answer a recommendation"),
        "check_in": say("Check in"),
        "mode": say("Say that days are different"),
        "wish": say("Say a wish"),
    }
)
TITLES = "titles"  # a consent of its own, to the words of the people who sent invitations
CONSENTS: Mapping[str, str] = MappingProxyType(
    {**READING_TOOLS, **WRITING_TOOLS, TITLES: say("What events and tasks are called, in calendar, plan and trends")}
)


def allow(store: Store, user: User, tools: Iterable[str], *, now: datetime) -> list[str]:
    """Allow AI assistants these tools, and return their proper names. Raises SetupError if one is unknown."""
    chosen = [parse_tool(tool, user) for tool in tools]
    with store.transaction():
        for tool in chosen:
            store.people.allow_tool(user.id, tool, now=now)
    return chosen


def refuse(store: Store, user: User, tools: Iterable[str]) -> list[str]:
    """Forbid AI assistants ``tools``, and return those allowed before. Raises SetupError if one is unknown."""
    return [tool for tool in [parse_tool(tool, user) for tool in tools] if store.people.refuse_tool(user.id, tool)]


def choose(store: Store, user: User, tools: Iterable[str], *, now: datetime) -> None:
    """Allow AI assistants exactly ``tools``, keeping earlier dates. Raises SetupError for an unknown tool."""
    chosen = {parse_tool(tool, user) for tool in tools}
    with store.transaction():
        allow(store, user, chosen, now=now)
        refuse(store, user, CONSENTS.keys() - chosen)


def parse_tool(text: str, user: User) -> str:
    """Return a tool's proper name, in lower case with underscores. Raises SetupError for an unknown tool."""
    name = text.strip().lower().replace("-", "_").replace("checkin", "check_in")
    if name not in CONSENTS:
        known = ", ".join(CONSENTS)
        raise SetupError(
            f"there is no tool {text!r} (there are: {known}); see what each does: bridge mcp consent -u {user.name}"
        )
    return name


def consent_rows(store: Store, user: User) -> list[dict[str, Any]]:
    """Return a row for each tool that assistants may be allowed.

    The last row, ``titles``, is for the words of events and tasks. ``since`` is the time of the consent in ISO 8601,
    None without one. ``writes`` is True for tools that change data.
    """
    allowed = store.people.allowed_tools(user.id)
    return [
        {
            "tool": name,
            "allowed": name in allowed,
            "since": allowed[name].isoformat(timespec="seconds") if name in allowed else None,
            "writes": name in WRITING_TOOLS,
            "what": title,
        }
        for name, title in CONSENTS.items()
    ]
