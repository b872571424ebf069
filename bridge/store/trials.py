"""A user's own trials and switches as JSON objects, as the user's row of preferences holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from bridge.domain.trials import ADVICE, REASON_MAX, TEXT_MAX, WATCH, WEEKS, Switch, Trial

SEED_MAX, NAME_MAX = 64, 30  # characters of a seed, and of an outcome or of who switched


def plain(one: Trial | Switch) -> dict[str, Any]:
    """Return a trial or a switch as a JSON object."""
    found: dict[str, Any] = {name: getattr(one, name) for name in type(one).__slots__}
    if isinstance(one, Trial):
        found["kept"] = {str(day): kept for day, kept in one.kept.items()}
    return {name: str(value) if isinstance(value, date) else value for name, value in found.items()}


def trial_of(body: Mapping[str, Any]) -> Trial:
    """Return the trial of a JSON object. Raises ValueError, KeyError or TypeError for another object."""
    if int(body["weeks"]) not in WEEKS:
        raise ValueError("a trial of other weeks")
    return Trial(
        id=int(body["id"]),
        text=str(body["text"])[:TEXT_MAX],
        outcome=str(body["outcome"])[:NAME_MAX],
        start=date.fromisoformat(body["start"]),
        weeks=int(body["weeks"]),
        seed=str(body["seed"])[:SEED_MAX],
        kept={date.fromisoformat(day): bool(kept) for day, kept in body["kept"].items()},
        stopped=None if body["stopped"] is None else date.fromisoformat(body["stopped"]),
    )


def switch_of(body: Mapping[str, Any]) -> Switch:
    """Return the switch of a JSON object. Raises ValueError, KeyError or TypeError for another object."""
    if body["what"] not in (ADVICE, WATCH):
        raise ValueError("no known switch")
    return Switch(
        at=datetime.fromisoformat(body["at"]).astimezone(UTC),
        what=str(body["what"]),
        on=bool(body["on"]),
        by=str(body["by"])[:NAME_MAX],
        reason=str(body["reason"])[:REASON_MAX],
        evidence=None if body["evidence"] is None else float(body["evidence"]),
        silent=int(body["silent"]),
        advised=int(body["advised"]),
    )
