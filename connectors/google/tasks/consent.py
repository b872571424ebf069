"""Obtain consent at Google to read tasks, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from bridge.domain.ports import Account, Browser
from connectors.google import auth
from connectors.google.answers import Service

TASKS = Service(
    source="google_tasks",
    api="Google Tasks API",
    scope="https://www.googleapis.com/auth/tasks.readonly",
    reads="tasks",
)


def authorise(account: Account, browser: Browser, *, also: Sequence[str] = ()) -> None:
    """Ask for consent at Google to read tasks, and to the scopes ``also`` of other services.

    Raises NeedsLogin when the consent is refused, incomplete or unanswered.
    """
    auth.authorise(account, browser, TASKS, also=also)


def revoke(account: Account) -> bool:
    """Revoke the consent at Google. Returns True if Google confirmed."""
    return auth.revoke(account)
