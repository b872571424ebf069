"""Store with the account's token which accepted recommendations are events of the bridge's own calendar.

A stored event that is gone was deleted by the user. Some servers do not report deletions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from bridge.domain.ports import Account
from bridge.domain.types import Plan

TITLE = "Rhythm"  # of the calendar
REMOVED = "removed"  # in place of the calendar's id or address: the person deleted it


class WrittenPlans:
    """The stored plans of an account's own calendar, without those that are over.

    ``notes`` maps a plan's key to its ``end`` and the time ``agreed``. ``calendar`` is REMOVED if the user deleted it.
    """

    def __init__(self, account: Account, plans: Sequence[Plan], *, now: datetime) -> None:
        token = account.token() or {}
        self._account = account
        self.now = now
        self.calendar = str(token.get("calendar") or "")
        noted = {key: {"end": note} if isinstance(note, str) else note for key, note in token.get("plans", {}).items()}
        self.notes = {key: note for key, note in noted.items() if datetime.fromisoformat(note["end"]) > now}
        self.current = [plan for plan in plans if plan.end > now]
        self.withdrawn = set(self.notes) - {plan.key for plan in self.current}

    def is_settled(self) -> bool:
        """Return True if there is nothing to write or remove, or if the user deleted the calendar."""
        return self.calendar == REMOVED or not (self.current or self.withdrawn)

    def keep_in(self, calendar: str) -> None:
        """Store the id or address of the calendar."""
        self.calendar = calendar
        self.remember(calendar=calendar)

    def settle(self, *, take_away: Callable[[str], None], is_deleted: Callable[[Plan], bool]) -> list[str]:
        """Write missing events, remove outdated ones, and return the keys of current plans whose event the user
        deleted.

        ``take_away`` removes an event by its plan's key. ``is_deleted`` returns True if the user deleted a plan's
        event, and otherwise writes it.
        """
        for plan in self.current:
            self.notes.setdefault(plan.key, {})["end"] = plan.end.isoformat()
        self.remember(plans=self.notes)
        for key in self.withdrawn:
            take_away(key)
            del self.notes[key]
        deleted = [plan.key for plan in self.current if is_deleted(plan)]
        for key in deleted:
            del self.notes[key]
        self.remember(plans=self.notes)
        return deleted

    def was_agreed(self, plan: Plan) -> bool:
        """Return True if the event of a current plan was written since the user last agreed to the plan."""
        return bool(self.notes[plan.key].get("agreed") == plan.agreed_at.isoformat())

    def written(self, plan: Plan, **more: str) -> None:
        """Store that a current plan's event is in the calendar. ``more`` are further texts to store."""
        self.notes[plan.key] |= {"agreed": plan.agreed_at.isoformat(), **more}
        self.remember(plans=self.notes)

    def removed(self) -> None:
        """Store that the user deleted the calendar, so that nothing more is written."""
        self.remember(calendar=REMOVED, plans={})

    def remember(self, **more: Any) -> None:
        """Store values with the account's token, if any of them changed."""
        with self._account.refresh_lock():
            token = self._account.token() or {}
            if any(token.get(name) != value for name, value in more.items()):
                self._account.save_token(token | more)


def event_id(key: str) -> str:
    """Return the id of a plan's event, which is 40 hexadecimal digits of a digest of the plan's key."""
    return hashlib.blake2b(key.encode(), digest_size=20).hexdigest()


def mark_of_plan(plan: Plan) -> str:
    """Return a plan's mark from its week, slot and action, such as ``2026-11-16/13/EXERCISE``."""
    return f"{plan.slot}/{plan.action}"


def title_of(plan: Plan) -> str:
    """Return the title of a plan's event, such as ``Deep work``."""
    return plan.action.replace("_", " ").capitalize()
