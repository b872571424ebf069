"""Record which tools a user allows AI assistants to use. Their server looks this up with every request."""

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
    """Allow AI assistants to use ``tools`` for a user, and return the tools' proper names.

    Raises SetupError for an unknown tool. Then none of them is allowed.
    """
    chosen = [parse_tool(tool, user) for tool in tools]
    with store.transaction():
        for tool in chosen:
            store.people.allow_tool(user.id, tool, now=now)
    return chosen


def refuse(store: Store, user: User, tools: Iterable[str]) -> list[str]:
    """Forbid AI assistants to use ``tools`` for a user, and return the names of those that were allowed before.

    Raises SetupError for an unknown tool. Then none of them is forbidden.
    """
    return [tool for tool in [parse_tool(tool, user) for tool in tools] if store.people.refuse_tool(user.id, tool)]


def choose(store: Store, user: User, tools: Iterable[str], *, now: datetime) -> None:
    """Allow AI assistants to use ``tools`` for a user, and no other tools. A tool allowed before keeps its date.

    Raises SetupError for an unknown tool. Then nothing is changed.
    """
    chosen = {parse_tool(tool, user) for tool in tools}
    with store.transaction():
        allow(store, user, chosen, now=now)
        refuse(store, user, CONSENTS.keys() - chosen)


def parse_tool(text: str, user: User) -> str:
    """Return a tool's proper name, in lower case with underscores, from what ``user`` typed.

    Raises SetupError for an unknown tool.
    """
    name = text.strip().lower().replace("-", "_").replace("checkin", "check_in")
    if name not in CONSENTS:
        known = ", ".join(CONSENTS)
        raise SetupError(f"there is no tool {text!r} (there are: {known}): bridge mcp consent -u {user.name}")
    return name


def consent_rows(store: Store, user: User) -> list[dict[str, Any]]:
    """Return a row for each tool that assistants may be allowed to use.

    The last row is ``titles``, for the words of events and tasks. A row has ``tool``, ``allowed``, ``since``,
    ``writes`` and ``what``. ``since`` is the consent's time in ISO 8601 to the second, or None without a consent.
    ``writes`` is True for tools that change data, and ``what`` is the tool's title.
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
