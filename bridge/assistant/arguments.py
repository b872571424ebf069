"""What an assistant passes to a tool: checked here, since nothing else checks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bridge.errors import SetupError


def nothing_else(arguments: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = sorted(set(arguments) - set(known))
    if unknown:
        raise SetupError(f"it takes {', '.join(known) or 'no arguments'}, and nothing else")


def integer(arguments: Mapping[str, Any], name: str, low: int, high: int, *, default: int | None = None) -> int:
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise SetupError(f"{name} is a whole number from {low} to {high}")
    return value


def one_of(arguments: Mapping[str, Any], name: str, known: Sequence[str]) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or value not in known:
        raise SetupError(f"{name} is one of: {', '.join(known)}")
    return value
