"""A user's own trials and switches as JSON objects, as the user's row of preferences holds them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

from bridge.domain.guard import ADVICE, REASON_MAX, WATCH, Switch
from bridge.domain.trials import TEXT_MAX, WEEKS, Trial

YEARS, ID_MAX = range(1970, 2200), 2**53
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
    found = Trial(
        id=int(body["id"]),
        text=str(body["text"])[:TEXT_MAX],
        outcome=str(body["outcome"])[:NAME_MAX],
        start=_day(body["start"]),
        weeks=int(body["weeks"]),
        seed=str(body["seed"])[:SEED_MAX],
        kept={_day(day): bool(kept) for day, kept in body["kept"].items()},
        stopped=None if body["stopped"] is None else _day(body["stopped"]),
    )
    if not 0 < found.id < ID_MAX or not {*found.kept} <= {*found.arms()}:
        raise ValueError("no readable trial")
    return found


def switch_of(body: Mapping[str, Any]) -> Switch:
    """Return the switch of a JSON object. Raises ValueError, KeyError or TypeError for another object."""
    at, evidence = datetime.fromisoformat(body["at"]), body["evidence"]
    if body["what"] not in (ADVICE, WATCH) or at.tzinfo is None or at.year not in YEARS:
        raise ValueError("no known switch")
    if evidence is not None and not isfinite(evidence):
        raise ValueError("no finite evidence")
    return Switch(
        at=at.astimezone(UTC),
        what=str(body["what"]),
        on=bool(body["on"]),
        by=str(body["by"])[:NAME_MAX],
        reason=str(body["reason"])[:REASON_MAX],
        evidence=None if evidence is None else float(evidence),
        silent=int(body["silent"]),
        advised=int(body["advised"]),
    )


def _day(text: str) -> date:
    day = date.fromisoformat(text)
    if day.year not in YEARS:
        raise ValueError("a year that cannot be")
    return day
